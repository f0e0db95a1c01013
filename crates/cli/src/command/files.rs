//! `repertoire files`.

use std::io::{self, Write};

use clap::Args;
use repertoire::{Bytes, Found, Id, Omission, Resource, ResourcePath, Skill, SourceError, SourceErrorKind};
use serde::Serialize;
use serde_json::Value;

use super::body::write_text;
use crate::Stream;
use crate::answer::{Answer, json};
use crate::failure::Failure;
use crate::session::Session;
use crate::shown::shown;
use crate::table::Table;

/// List the files of one skill, or print one of them.
#[derive(Debug, Args)]
pub(crate) struct Files {
    /// The skill: `NAME`, or `SOURCE:NAME` whoever wins.
    name: String,
    /// Print this file, byte for byte.
    path: Option<String>,
}

impl Files {
    pub(crate) async fn answer(&self, session: &Session<'_>) -> Result<Box<dyn Answer>, Failure> {
        let found = session.find(&self.name)?;
        match &self.path {
            Some(path) => Ok(Box::new(content(path, found, session).await?)),
            None => {
                let files = session.registry.resources(found.claim).await.map_err(|error| Failure::of(&error))?;
                let omissions = session.registry.omissions(found.claim).await.map_err(|error| Failure::of(&error))?;
                Ok(Box::new(Manifest { id: found.entry.id.clone(), files, omissions }))
            }
        }
    }
}

async fn content(path: &str, found: Found<'_, Skill>, session: &Session<'_>) -> Result<Content, Failure> {
    let read = match ResourcePath::typed(path) {
        Ok(path) => session.registry.resource(found.claim, &path).await.map(|bytes| (path, bytes)),
        Err(error) => Err(SourceError::new(SourceErrorKind::NotFound, error.to_string())),
    };
    match read {
        Ok((path, bytes)) => Ok(Content { id: found.entry.id.clone(), path, bytes }),
        Err(error) => {
            let failure = Failure::of(&error);
            match error.kind() {
                SourceErrorKind::NotFound | SourceErrorKind::Denied => Err(failure.help(has(found, session).await)),
                _ => Err(failure),
            }
        }
    }
}

/// What files there are, for who asked for another.
async fn has(found: Found<'_, Skill>, session: &Session<'_>) -> String {
    let files = session.registry.resources(found.claim).await.unwrap_or_default();
    let named: Vec<_> = files.iter().take(NAMED).map(|file| format!("`{}`", shown(file.path.as_str()))).collect();
    match files.len() {
        0 => "the skill has no files beside its instructions".to_owned(),
        count if count > NAMED => format!("there are {} and {} more", named.join(", "), count - NAMED),
        _ => format!("there are {}", named.join(", ")),
    }
}

/// How many files an answer names.
const NAMED: usize = 20;

/// The files of one skill.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Manifest {
    id: Id,
    files: Vec<Resource>,
    /// What lies beside the instructions and is not one of the files.
    omissions: Vec<Omission>,
}

impl Answer for Manifest {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let mut table = Table::new(&["path", ">bytes", "digest"]);
        for Resource { path, size, digest, .. } in &self.files {
            table.row([path.as_str().into(), size.to_string().into(), digest.to_string().into()]);
        }
        let coloured = out.is_coloured();
        table.write(out, coloured)
    }

    fn notes(&self) -> Vec<String> {
        let none = self.files.is_empty().then(|| "the skill has no files beside its instructions".to_owned());
        let left_out = self.omissions.iter().map(|one| format!("left out: `{}`, {}", shown(&one.path), one.why()));
        none.into_iter().chain(left_out).collect()
    }
}

struct Content {
    id: Id,
    path: ResourcePath,
    bytes: Bytes,
}

/// One file of a skill.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Printed<'a> {
    id: &'a Id,
    path: &'a ResourcePath,
    size: usize,
    /// Null for a file that is not UTF-8.
    text: Option<&'a str>,
}

impl Content {
    fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }
}

impl Answer for Content {
    fn json(&self) -> Value {
        json(&Printed { id: &self.id, path: &self.path, size: self.bytes.len(), text: self.text() })
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        match self.text() {
            Some(text) => write_text(text, out),
            None if out.is_terminal() => {
                let message = format!("`{}` is no text; send it to a file or a pipe", self.path);
                Err(io::Error::new(io::ErrorKind::InvalidData, message))
            }
            None => out.write_all(&self.bytes),
        }
    }
}
