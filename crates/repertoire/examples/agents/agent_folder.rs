//! The folder of agents: a source over files of a kind of its own.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use repertoire::Id;
use repertoire::skill::{
    Body, Diagnostic, Digest, Item, Listing, ListingEntry, Revision, Source, SourceError,
    SourceErrorKind, Stamp, async_trait, skill_md,
};

use super::Agent;

/// The agents of a folder: a Markdown file for each, with front matter as in a `SKILL.md`. The text below it is the prompt.
#[derive(Debug)]
pub(crate) struct AgentFolder {
    folder: PathBuf,
    latest: Mutex<Listing<Agent>>,
}

type Rows = (Vec<ListingEntry<Agent>>, Vec<Diagnostic>);

impl AgentFolder {
    pub(crate) fn new(folder: impl Into<PathBuf>) -> AgentFolder {
        let latest = Mutex::new(Listing::empty(Revision(0)));
        AgentFolder {
            folder: folder.into(),
            latest,
        }
    }

    fn read(&self) -> io::Result<Rows> {
        let entries = fs::read_dir(&self.folder)?;
        let mut paths = entries
            .map(|entry| Ok(entry?.path()))
            .collect::<io::Result<Vec<_>>>()?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
        paths.sort();
        let (mut rows, mut diagnostics) = Rows::default();
        for path in paths {
            let (bytes, path) = (fs::read(&path)?, path.display().to_string());
            let parsed = skill_md::parse(&bytes, skill_md::FileContext::new(&path));
            match parsed.skill {
                None => diagnostics.extend(parsed.diagnostics),
                Some(skill) => rows.push(
                    ListingEntry::new(Agent::from_file(&skill, path), Stamp::of(&bytes))
                        .with_digest(Digest::of(&bytes)),
                ),
            }
        }
        Ok((rows, diagnostics))
    }
}

fn unreadable(error: io::Error) -> SourceError {
    let kind = match error.kind() {
        io::ErrorKind::NotFound => SourceErrorKind::NotFound,
        _ => SourceErrorKind::Unavailable,
    };
    SourceError::new(kind, "the agents cannot be read").caused_by(error)
}

#[async_trait]
impl Source<Agent> for AgentFolder {
    fn name(&self) -> &str {
        "own"
    }

    // Locked while it reads, so a listing has every change up to its revision.
    async fn list(&self) -> Result<Listing<Agent>, SourceError> {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let (rows, diagnostics) = self.read().map_err(unreadable)?;
        let next = Listing::new(Revision(latest.revision().0 + 1), rows, diagnostics);
        if !next.iter().eq(latest.iter()) || next.diagnostics() != latest.diagnostics() {
            *latest = next;
        }
        Ok(latest.clone())
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        let listing = self.list().await?;
        let row = listing.iter().find(|row| row.item.id() == id);
        let path = row.and_then(|row| row.item.location());
        let path = path.ok_or_else(|| SourceError::not_found(Agent::KIND, id))?;
        let bytes = fs::read(path).map_err(unreadable)?;
        Body::of_file(&bytes, Stamp::of(&bytes)).map_err(|at| {
            SourceError::new(SourceErrorKind::Invalid, format!("byte {at} is not UTF-8"))
        })
    }
}
