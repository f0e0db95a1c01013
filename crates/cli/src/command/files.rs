//! `repertoire files`.

use clap::Args;
use repertoire::registry::Found;
use repertoire::skill::text::terminal_line;
use repertoire::skill::{Omission, Resource, ResourcePath, SourceError, SourceErrorKind};
use repertoire::{Id, Skill};
use serde::Serialize;

use crate::completion;
use crate::context::CommandContext;
use crate::diagnostics::quoted;
use crate::failure::Failure;
use crate::output::Output;
use crate::table::TextTable;

/// List a skill's files, or print one of them.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  repertoire files review\n  repertoire files review references/style.md"
)]
pub(crate) struct FilesCommand {
    /// Skill name, or SOURCE:NAME for the copy from one source.
    #[arg(add = completion::skills())]
    name: String,
    /// Print this file verbatim.
    path: Option<String>,
}

/// The files of a skill.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct FilesOutput<'a> {
    id: &'a Id,
    files: Vec<Resource>,
    /// The files and folders next to the instructions that are not part of the skill.
    omissions: Vec<Omission>,
}

/// One file of a skill.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct FileOutput<'a> {
    id: &'a Id,
    path: ResourcePath,
    size: usize,
    /// Null for a file that is not UTF-8.
    text: Option<&'a str>,
}

impl FilesCommand {
    pub(super) async fn run(
        &self,
        context: &CommandContext,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let found = context.find(&self.name)?;
        if let Some(path) = &self.path {
            return print_file(path, found, context, out).await;
        }
        let files = context.registry.resources(found.candidate).await?;
        let omissions = context.registry.omissions(found.candidate).await?;
        let files = FilesOutput {
            id: &found.entry.id,
            files,
            omissions,
        };
        if out.write_json(&files) {
            return Ok(());
        }
        let mut table = TextTable::new(&["path", ">bytes", "digest"]);
        for Resource {
            path, size, digest, ..
        } in &files.files
        {
            table.row([
                path.as_str().into(),
                size.to_string().into(),
                digest.to_string().into(),
            ]);
        }
        table.write(out);
        out.notes(files.files.is_empty().then(|| NO_FILES.to_owned()));
        out.notes(
            files
                .omissions
                .iter()
                .map(|one| format!("omitted `{}`: {}", terminal_line(&one.path), one.why())),
        );
        Ok(())
    }
}

async fn print_file(
    path: &str,
    found: Found<'_, Skill>,
    context: &CommandContext,
    out: &mut Output,
) -> Result<(), Failure> {
    let read = match ResourcePath::typed(path) {
        Ok(path) => context
            .registry
            .resource(found.candidate, &path)
            .await
            .map(|bytes| (path, bytes)),
        Err(error) => Err(SourceError::new(
            SourceErrorKind::NotFound,
            error.to_string(),
        )),
    };
    let (path, bytes) = match read {
        Ok(read) => read,
        Err(error)
            if matches!(
                error.kind(),
                SourceErrorKind::NotFound | SourceErrorKind::Denied
            ) =>
        {
            return Err(Failure::of(&error).help(available_files(found, context).await));
        }
        Err(error) => return Err(Failure::of(&error)),
    };
    let text = std::str::from_utf8(&bytes).ok();
    let is_for_terminal = out.is_terminal() && text.is_none();
    let message = format!("`{path}` is not a text file");
    if out.write_json(&FileOutput {
        id: &found.entry.id,
        path,
        size: bytes.len(),
        text,
    }) {
        return Ok(());
    }
    if is_for_terminal {
        return Err(Failure::new(message).help("redirect the output to a file or a pipe"));
    }
    match text {
        Some(text) => out.text(text),
        None => out.bytes(&bytes),
    }
    Ok(())
}

async fn available_files(found: Found<'_, Skill>, context: &CommandContext) -> String {
    const MOST: usize = 20;
    let files = context
        .registry
        .resources(found.candidate)
        .await
        .unwrap_or_default();
    let names = quoted(
        files
            .iter()
            .take(MOST)
            .map(|file| terminal_line(file.path.as_str())),
    );
    match files.len() {
        0 => NO_FILES.to_owned(),
        count if count > MOST => format!("the skill has {names} and {} more", count - MOST),
        _ => format!("the skill has {names}"),
    }
}

const NO_FILES: &str = "the skill has no files besides its instructions";
