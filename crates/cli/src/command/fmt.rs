//! `repertoire fmt`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::Args;
use repertoire::FsSource;
use repertoire::skill::skill_md::{self, FileContext, Limits};
use repertoire::skill::{Code, Diagnostic, Severity, Source};
use serde::Serialize;

use super::SKILLS;
use crate::diagnostics::{DiagnosticPrinter, QuotableFolders, ReportedDiagnostic, counted, joined};
use crate::failure::Failure;
use crate::file_slot::FileSlot;
use crate::output::Output;
use crate::relative_path::relative_to_cwd;

/// Format the front matter of skills.
///
/// Sorts the fields in the order of the standard, and quotes values where necessary. Keeps bodies, comments, unknown fields and
/// line endings. Reports ambiguous front matter, and does not change it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  repertoire fmt\n  repertoire fmt .claude/skills --diff")]
pub(crate) struct FmtCommand {
    /// Files, or folders of skills.
    #[arg(value_name = "PATH", default_value = SKILLS)]
    paths: Vec<PathBuf>,
    /// Do not write; exit with 1 if a file would change.
    #[arg(long)]
    check: bool,
    /// Do not write; print the changes as a patch, and exit with 1 if there are any.
    #[arg(long)]
    diff: bool,
}

/// The results of formatting files.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct FmtOutput {
    /// Whether no file was written, because of `--check` or `--diff`.
    check: bool,
    files: Vec<FormattedFile>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct FormattedFile {
    path: String,
    outcome: FormattedOutcome,
    /// The reasons why the file was left unchanged.
    diagnostics: Vec<Diagnostic>,
    #[serde(skip)]
    patch: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum FormattedOutcome {
    Canonical,
    Formatted,
    /// The file would be formatted.
    Differs,
    Left,
}

impl FmtCommand {
    pub(super) async fn run(&self, cwd: &Path, out: &mut Output) -> Result<(), Failure> {
        let (mut files, mut seen, mut bases) = (Vec::new(), HashSet::new(), Vec::new());
        for path in &self.paths {
            let (base, named) = find_files(path, cwd).await?;
            for file in named {
                let real = file.canonicalize().unwrap_or_else(|_| file.clone());
                if seen.insert(real) {
                    files.push(self.format(&file, &base, cwd)?);
                }
            }
            bases.push(base);
        }
        let formatted = FmtOutput {
            check: self.is_dry(),
            files,
        };
        out.found_problems(
            formatted.has(FormattedOutcome::Left) || formatted.has(FormattedOutcome::Differs),
        );
        if !out.write_json(&formatted) {
            match self.diff {
                true => formatted.write_patch(cwd, out),
                false => formatted.write(cwd, bases, out),
            }
        }
        Ok(())
    }

    fn is_dry(&self) -> bool {
        self.check || self.diff
    }

    /// Formats a file. A file whose real path is not below `base` is left unchanged.
    fn format(&self, file: &Path, base: &Path, cwd: &Path) -> Result<FormattedFile, Failure> {
        let whole = file.to_string_lossy();
        let path = relative_to_cwd(&whole, cwd).to_owned();
        let folder = file
            .parent()
            .and_then(Path::file_name)
            .unwrap_or_default()
            .to_string_lossy();
        // One byte more than the limit, so that the formatter reports a file over it.
        let limit = Limits::default().file_bytes + 1;
        let read =
            FileSlot::below(base, file).and_then(|slot| slot.read(limit).map(|read| (slot, read)));
        let (mut diagnostics, mut patch) = (Vec::new(), Vec::new());
        let outcome = match read {
            Err(error) => {
                let diagnostic =
                    Diagnostic::new(Code::UNREADABLE, format!("cannot read the file: {error}"));
                diagnostics.push(diagnostic.at_path(&*whole));
                FormattedOutcome::Left
            }
            Ok((slot, (bytes, identity))) => {
                let formatted =
                    skill_md::format(&bytes, FileContext::new(&whole).in_directory(&folder));
                match formatted.text {
                    None => {
                        diagnostics = formatted.diagnostics;
                        FormattedOutcome::Left
                    }
                    Some(text) if *text == bytes => FormattedOutcome::Canonical,
                    Some(text) if self.is_dry() => {
                        patch = unified_patch(&path, &bytes, &text);
                        FormattedOutcome::Differs
                    }
                    Some(text) => {
                        let written = slot.replace(&identity, &text);
                        written.map_err(|error| {
                            Failure::io(format!("cannot write `{path}`"), &error)
                        })?;
                        FormattedOutcome::Formatted
                    }
                }
            }
        };
        Ok(FormattedFile {
            path,
            outcome,
            diagnostics,
            patch,
        })
    }
}

/// Returns the files that an argument stands for, and the folder below which they may be written.
///
/// For a folder these are the files of its skills, and those with an error or a repeated id.
async fn find_files(named: &Path, cwd: &Path) -> Result<(PathBuf, Vec<PathBuf>), Failure> {
    let path: PathBuf = cwd.join(named).components().collect();
    let failure = |error: &dyn std::error::Error| {
        Failure::new(format!(
            "cannot read `{}`: {}",
            named.display(),
            Failure::of(error).message()
        ))
    };
    if !path.metadata().map_err(|error| failure(&error))?.is_dir() {
        return Ok((path.parent().unwrap_or(cwd).to_owned(), vec![path]));
    }
    if named == Path::new(SKILLS) && FileSlot::below(cwd, &path).is_err() {
        return Err(
            Failure::new(format!("`{SKILLS}` links to a folder outside of this one"))
                .help("pass that folder as an argument"),
        );
    }
    let listing = FsSource::new("fmt", path.clone())
        .list()
        .await
        .map_err(|error| failure(&error))?;
    let mut files: Vec<PathBuf> = listing
        .iter()
        .filter_map(|row| row.item.location.as_deref())
        .map(Into::into)
        .collect();
    for Diagnostic {
        severity,
        code,
        path,
        ..
    } in listing.diagnostics().iter()
    {
        if *severity == Severity::Error || *code == Code::DUPLICATE_ID {
            files.extend(
                path.as_deref()
                    .map(PathBuf::from)
                    .filter(|path| path.is_file()),
            );
        }
    }
    files.retain(|path| path.is_file());
    files.sort();
    Ok((path, files))
}

/// Returns the change of a file as a patch with one hunk, for `patch` and `git apply`.
fn unified_patch(path: &str, old: &[u8], new: &[u8]) -> Vec<u8> {
    const CONTEXT: usize = 3;
    let [old, new] = [old, new].map(|bytes| {
        bytes
            .split_inclusive(|byte| *byte == b'\n')
            .collect::<Vec<_>>()
    });
    let is_same = |(a, b): &(&&[u8], &&[u8])| a == b;
    let before = old.iter().zip(&new).take_while(is_same).count();
    let after = old[before..]
        .iter()
        .rev()
        .zip(new[before..].iter().rev())
        .take_while(is_same)
        .count();
    let first = before.saturating_sub(CONTEXT);
    let rest = after.saturating_sub(CONTEXT);
    let [old_hunk, new_hunk] = [&old, &new].map(|lines| {
        let count = lines.len() - rest - first;
        format!("{},{count}", if count == 0 { first } else { first + 1 })
    });
    let mut patch =
        format!("--- a/{path}\n+++ b/{path}\n@@ -{old_hunk} +{new_hunk} @@\n").into_bytes();
    let (old_end, new_end) = (old.len() - after, new.len() - after);
    for (sign, lines) in [
        (b' ', &old[first..before]),
        (b'-', &old[before..old_end]),
        (b'+', &new[before..new_end]),
        (b' ', &old[old_end..old.len() - rest]),
    ] {
        for line in lines {
            patch.push(sign);
            patch.extend_from_slice(line);
            if !line.ends_with(b"\n") {
                patch.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
    }
    patch
}

impl FmtOutput {
    fn count(&self, outcome: FormattedOutcome) -> usize {
        self.files
            .iter()
            .filter(|file| file.outcome == outcome)
            .count()
    }

    fn has(&self, outcome: FormattedOutcome) -> bool {
        self.count(outcome) > 0
    }

    fn summary(&self) -> String {
        let differ = self.count(FormattedOutcome::Differs);
        let counts = [
            (self.count(FormattedOutcome::Formatted), "formatted"),
            (
                differ,
                if differ == 1 {
                    "needs formatting"
                } else {
                    "need formatting"
                },
            ),
            (self.count(FormattedOutcome::Left), "could not be formatted"),
            (self.count(FormattedOutcome::Canonical), "already formatted"),
        ];
        let counts = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"));
        match self.files.len() {
            0 => "no files".to_owned(),
            files => format!("{}: {}", counted(files, "file"), joined(counts)),
        }
    }

    fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.files.iter().flat_map(|file| &file.diagnostics)
    }

    fn write_patch(&self, cwd: &Path, out: &mut Output) {
        for FormattedFile { patch, .. } in &self.files {
            match out.is_terminal() {
                true => out.text(&String::from_utf8_lossy(patch)),
                false => out.bytes(patch),
            }
        }
        out.notes(self.diagnostics().map(|diagnostic| {
            let place = diagnostic.place().unwrap_or_default();
            format!("{}: {diagnostic}", relative_to_cwd(&place, cwd))
        }));
        out.note(self.summary());
    }

    /// Writes the results; `bases` are the folders whose files may be quoted.
    fn write(&self, cwd: &Path, bases: Vec<PathBuf>, out: &mut Output) {
        let mut printer =
            DiagnosticPrinter::new(QuotableFolders::one("fmt", bases), cwd, out.is_coloured());
        for diagnostic in self.diagnostics() {
            printer.write(
                &ReportedDiagnostic::new("fmt".into(), diagnostic.clone()),
                out,
            );
        }
        for FormattedFile { path, outcome, .. } in &self.files {
            match outcome {
                FormattedOutcome::Formatted => out.line(format!("reformatted {path}")),
                FormattedOutcome::Differs => out.line(format!("would reformat {path}")),
                FormattedOutcome::Canonical | FormattedOutcome::Left => {}
            }
        }
        out.line(self.summary());
    }
}

#[cfg(test)]
mod tests;
