//! `repertoire files`.

use std::io::{self, Write};

use clap::Args;
use repertoire::registry::Found;
use repertoire::skill::text::terminal_line;
use repertoire::skill::{Bytes, Omission, Resource, ResourcePath, SourceError, SourceErrorKind};
use repertoire::{Id, Skill};
use serde::Serialize;

use super::body::write_text;
use crate::Stream;
use crate::context::CommandContext;
use crate::failure::Failure;
use crate::output::CommandOutput;
use crate::table::Table;

/// List a skill's files, or print one of them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  repertoire files review\n  repertoire files review references/style.md")]
pub(crate) struct Files {
    /// Skill name, or SOURCE:NAME for the copy from one source.
    name: String,
    /// Print this file verbatim.
    path: Option<String>,
}

/// The files of a skill.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Manifest {
    id: Id,
    files: Vec<Resource>,
    /// The files and folders next to the instructions that are not part of the skill.
    omissions: Vec<Omission>,
}

/// One file of a skill.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Printed {
    id: Id,
    path: ResourcePath,
    size: usize,
    /// Null for a file that is not UTF-8.
    text: Option<String>,
    #[serde(skip)]
    bytes: Bytes,
}

impl Files {
    pub(super) async fn run(&self, context: &CommandContext) -> Result<Box<dyn CommandOutput>, Failure> {
        let found = context.find(&self.name)?;
        if let Some(path) = &self.path {
            return Ok(Box::new(read_file(path, found, context).await?));
        }
        let files = context.registry.resources(found.candidate).await?;
        let omissions = context.registry.omissions(found.candidate).await?;
        Ok(Box::new(Manifest { id: found.entry.id.clone(), files, omissions }))
    }
}

async fn read_file(path: &str, found: Found<'_, Skill>, context: &CommandContext) -> Result<Printed, Failure> {
    let read = match ResourcePath::typed(path) {
        Ok(path) => context.registry.resource(found.candidate, &path).await.map(|bytes| (path, bytes)),
        Err(error) => Err(SourceError::new(SourceErrorKind::NotFound, error.to_string())),
    };
    match read {
        Ok((path, bytes)) => {
            let text = std::str::from_utf8(&bytes).ok().map(str::to_owned);
            Ok(Printed { id: found.entry.id.clone(), path, size: bytes.len(), text, bytes })
        }
        Err(error) if matches!(error.kind(), SourceErrorKind::NotFound | SourceErrorKind::Denied) => {
            Err(Failure::of(&error).help(available_files(found, context).await))
        }
        Err(error) => Err(Failure::of(&error)),
    }
}

async fn available_files(found: Found<'_, Skill>, context: &CommandContext) -> String {
    const MOST: usize = 20;
    let files = context.registry.resources(found.candidate).await.unwrap_or_default();
    let names = files.iter().take(MOST).map(|file| format!("`{}`", terminal_line(file.path.as_str())));
    let names = names.collect::<Vec<_>>().join(", ");
    match files.len() {
        0 => NO_FILES.to_owned(),
        count if count > MOST => format!("the skill has {names} and {} more", count - MOST),
        _ => format!("the skill has {names}"),
    }
}

const NO_FILES: &str = "the skill has no files besides its instructions";

impl CommandOutput for Manifest {
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let mut table = Table::new(&["path", ">bytes", "digest"]);
        for Resource { path, size, digest, .. } in &self.files {
            table.row([path.as_str().into(), size.to_string().into(), digest.to_string().into()]);
        }
        table.write(out)
    }

    fn notes(&self) -> Vec<String> {
        let none = self.files.is_empty().then(|| NO_FILES.to_owned());
        let omitted = self.omissions.iter().map(|one| format!("omitted `{}`: {}", terminal_line(&one.path), one.why()));
        none.into_iter().chain(omitted).collect()
    }
}

impl CommandOutput for Printed {
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        match &self.text {
            Some(text) => write_text(text, out),
            None if out.is_terminal() => {
                let message = format!("`{}` is not a text file; redirect the output to a file or a pipe", self.path);
                Err(io::Error::new(io::ErrorKind::InvalidData, message))
            }
            None => out.write_all(&self.bytes),
        }
    }
}
