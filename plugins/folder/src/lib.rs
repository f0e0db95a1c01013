//! The skills of a folder: `NAME.md` is a skill, and the files in `NAME/` lie beside it.
//!
//! An example of a [`Source`] with bodies, resources and changes.
//!
//! ```toml
//! [[source]]
//! kind = "plugin"
//! name = "team"
//! path = "libfolder.so"
//! options = { folder = "/srv/team/skills" }
//! ```

mod entry;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use parking_lot::Mutex;
use repertoire_plugin_sdk::{
    Body, Bytes, Id, Listing, Open, PluginConfig, Resource, ResourcePath, Revision, Skill, Source,
    SourceError, SourceErrorKind, async_trait, export_source, skill_md,
};
use tokio::time::sleep;

use entry::Entry;

/// The skills of a folder.
#[derive(Debug)]
pub struct Folder {
    name: String,
    folder: PathBuf,
    look_every: Duration,
    /// The entries when they were last read, and the number of changes.
    seen: Mutex<(Vec<Entry>, u64)>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    folder: PathBuf,
    #[serde(default = "half_a_second")]
    look_every_ms: u64,
}

fn half_a_second() -> u64 {
    500
}

impl Open for Folder {
    fn open(config: &PluginConfig) -> Result<Folder, SourceError> {
        let Options {
            folder,
            look_every_ms,
        } = config.options()?;
        let look_every = Duration::from_millis(look_every_ms);
        Ok(Folder {
            name: config.source().to_owned(),
            folder,
            look_every,
            seen: Mutex::default(),
        })
    }
}

impl Folder {
    /// Reads the folder and counts the revision. A folder that does not exist is empty.
    fn read(&self) -> Result<(Vec<Entry>, Revision), SourceError> {
        // Held while the folder is read, so that an older reading never replaces a newer one.
        let mut seen = self.seen.lock();
        let entries = Entry::all(&self.folder).map_err(|error| {
            let shown = self.folder.display();
            SourceError::new(
                SourceErrorKind::Unavailable,
                format!("`{shown}` cannot be read"),
            )
            .caused_by(error)
        })?;
        if seen.0 != entries {
            *seen = (entries.clone(), seen.1 + 1);
        }
        Ok((entries, Revision(seen.1)))
    }

    fn entry(&self, id: &Id) -> Result<Entry, SourceError> {
        let (entries, _) = self.read()?;
        let found = entries
            .into_iter()
            .find(|entry| entry.parse().skill.is_some_and(|skill| skill.id == *id));
        found.ok_or_else(|| SourceError::not_found("skill", id))
    }
}

#[async_trait]
impl Source<Skill> for Folder {
    fn name(&self) -> &str {
        &self.name
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        let (entries, revision) = self.read()?;
        let (mut rows, mut diagnostics) = (Vec::new(), Vec::new());
        for entry in &entries {
            let parsed = entry.parse();
            diagnostics.extend(parsed.diagnostics);
            rows.extend(parsed.skill.map(|skill| entry.row(skill)));
        }
        Ok(Listing::new(revision, rows, diagnostics))
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        let entry = self.entry(id)?;
        let text = skill_md::body(&entry.text).map_err(|error| {
            SourceError::invalid(format!("the body of skill `{id}` is {error}"))
        })?;
        Ok(Body::new(text.as_ref(), entry.digest(), entry.stamp()))
    }

    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        Ok(self.entry(id)?.resources())
    }

    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        let entry = self.entry(id)?;
        let not_found = || {
            SourceError::new(
                SourceErrorKind::NotFound,
                format!("skill `{id}` has no resource `{path}`"),
            )
        };
        entry.resource(path).ok_or_else(not_found)
    }

    async fn changed(&self, since: Revision) {
        loop {
            match self.read() {
                Ok((_, revision)) if revision <= since => {}
                _ => return,
            }
            sleep(self.look_every).await;
        }
    }
}

/// Returns a default value for a folder that does not exist.
fn or_default<T: Default>(read: io::Result<T>) -> io::Result<T> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(T::default()),
        read => read,
    }
}

export_source!(Folder);
