//! `repertoire files`.

use std::io::{self, Write};

use clap::Args;
use repertoire::{Bytes, Found, Id, Resource, ResourcePath, Skill};
use serde::Serialize;
use serde_json::Value;

use super::body::write_text;
use crate::Stream;
use crate::answer::{Answer, json};
use crate::failure::Failure;
use crate::session::Session;
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
                Ok(Box::new(Manifest { id: found.entry.id.clone(), files }))
            }
        }
    }
}

async fn content(path: &str, found: Found<'_, Skill>, session: &Session<'_>) -> Result<Content, Failure> {
    let path = ResourcePath::new(path).map_err(|error| Failure::of(&error))?;
    let bytes = session.registry.resource(found.claim, &path).await.map_err(|error| Failure::of(&error))?;
    Ok(Content { id: found.entry.id.clone(), path, bytes })
}

/// The files of one skill.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Manifest {
    id: Id,
    files: Vec<Resource>,
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
        if self.files.is_empty() {
            vec!["the skill has no files beside its instructions".to_owned()]
        } else {
            Vec::new()
        }
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
