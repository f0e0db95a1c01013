//! `repertoire fmt`.

mod patch;

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use repertoire::skill_md::{self, Limits, Site};
use repertoire::{Code, Diagnostic, FsSource, Severity, Source};
use serde::Serialize;
use serde_json::Value;

use self::patch::patch;
use super::SKILLS;
use crate::answer::{Answer, json};
use crate::failure::Failure;
use crate::finding::{Bases, Finding, Sources, counted};
use crate::replace::Spot;
use crate::session::near;
use crate::shown::{shown, shown_lines};
use crate::{Exit, Stream};

/// Bring the front matter of skills into its canonical form.
///
/// Fields come in the standard's order, with quotes where they are needed. Bodies, comments, unknown fields and line ends stay. What
/// cannot be read without doubt is left to its author.
#[derive(Debug, Args)]
pub(crate) struct Fmt {
    /// Files, or folders of skills.
    #[arg(value_name = "PATH", default_value = SKILLS)]
    paths: Vec<PathBuf>,
    /// Write nothing, and fail if something would be written.
    #[arg(long)]
    check: bool,
    /// As `--check`, and print what would be written as a patch.
    #[arg(long)]
    diff: bool,
}

/// What became of each file.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Formatted {
    /// Whether nothing was written, for `--check` or `--diff`.
    check: bool,
    files: Vec<Row>,
    #[serde(skip)]
    diff: bool,
    #[serde(skip)]
    cwd: PathBuf,
    /// The folders that were named, and those of the files.
    #[serde(skip)]
    bases: Vec<PathBuf>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "FormattedFile"))]
struct Row {
    path: String,
    outcome: Outcome,
    /// Why the file was left.
    diagnostics: Vec<Diagnostic>,
    #[serde(skip)]
    patch: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "FormattedOutcome"))]
#[serde(rename_all = "kebab-case")]
enum Outcome {
    Canonical,
    Formatted,
    /// It would be formatted.
    Differs,
    Left,
}

impl Fmt {
    pub(crate) async fn answer(&self, cwd: &Path) -> Result<impl Answer + use<>, Failure> {
        let (mut files, mut seen, mut bases) = (Vec::new(), HashSet::new(), Vec::new());
        for path in &self.paths {
            let Named { base, files: named } = Named::find(path, cwd).await?;
            for file in named {
                let real = file.canonicalize().unwrap_or_else(|_| file.clone());
                if seen.insert(real) {
                    files.push(self.format(&file, &base, cwd)?);
                }
            }
            bases.push(base);
        }
        Ok(Formatted { check: self.is_dry(), files, diff: self.diff, cwd: cwd.to_owned(), bases })
    }

    /// Whether nothing is written.
    fn is_dry(&self) -> bool {
        self.check || self.diff
    }

    /// Formats a file that lies below `base`; what a link makes of another one is left.
    fn format(&self, file: &Path, base: &Path, cwd: &Path) -> Result<Row, Failure> {
        let whole = file.to_string_lossy();
        let path = near(&whole, cwd).to_owned();
        let row = |outcome, diagnostics| Row { path: path.clone(), outcome, diagnostics, patch: Vec::new() };
        let folder = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        // As much as tells that it is too large.
        let limit = Limits::default().file_bytes + 1;
        let read = Spot::below(base, file).and_then(|spot| spot.read(limit).map(|read| (spot, read)));
        let (spot, (bytes, seen)) = match read {
            Ok(read) => read,
            Err(error) => {
                let finding = Diagnostic::new(Code::UNREADABLE, format!("the file cannot be read: {error}"));
                return Ok(row(Outcome::Left, vec![finding.at_path(whole)]));
            }
        };
        let formatted = skill_md::format(&bytes, Site::new(&whole).in_directory(&folder));
        Ok(match formatted.text {
            None => row(Outcome::Left, formatted.diagnostics),
            Some(text) if *text == bytes => row(Outcome::Canonical, Vec::new()),
            Some(text) if self.is_dry() => {
                Row { patch: patch(&path, &bytes, &text), ..row(Outcome::Differs, Vec::new()) }
            }
            Some(text) => {
                spot.replace(&seen, &text).map_err(|error| Failure::io(format!("cannot write `{path}`"), &error))?;
                row(Outcome::Formatted, Vec::new())
            }
        })
    }
}

/// The files that one argument stands for.
struct Named {
    /// The folder below which files are written: the one that was named, or that of the file.
    base: PathBuf,
    files: Vec<PathBuf>,
}

impl Named {
    /// The file that a person named, or every `SKILL.md` of the folder: those that give a skill and those that should.
    async fn find(named: &Path, cwd: &Path) -> Result<Named, Failure> {
        let path: PathBuf = cwd.join(named).components().collect();
        let failure = |error: &dyn std::error::Error| {
            let error = Failure::of(error);
            Failure::new(format!("cannot read `{}`: {}", named.display(), error.message()))
        };
        if !path.metadata().map_err(|error| failure(&error))?.is_dir() {
            let base = path.parent().unwrap_or(cwd).to_owned();
            return Ok(Named { base, files: vec![path] });
        }
        if named == Path::new(SKILLS) && Spot::below(cwd, &path).is_err() {
            let failure = Failure::new(format!("`{SKILLS}` leads out of this folder"));
            return Err(failure.help("name the folder that is meant"));
        }
        let listing = FsSource::new("fmt", path.clone()).list().await.map_err(|error| failure(&error))?;
        let listed = listing.iter().filter_map(|row| row.item.location.as_deref());
        // A broken file and the second one of an id are told of by path alone.
        let told = |finding: &&Diagnostic| finding.severity == Severity::Error || finding.code == Code::DUPLICATE_ID;
        let told = listing.diagnostics().iter().filter(told).filter_map(|finding| finding.path.as_deref());
        let mut files: Vec<_> = listed.chain(told).map(PathBuf::from).filter(|path| path.is_file()).collect();
        files.sort();
        Ok(Named { base: path, files })
    }
}

impl Formatted {
    fn count(&self, outcome: Outcome) -> usize {
        self.files.iter().filter(|row| row.outcome == outcome).count()
    }

    fn summary(&self) -> String {
        let counts = [
            (Outcome::Formatted, "formatted"),
            (Outcome::Differs, "to be formatted"),
            (Outcome::Left, "left"),
            (Outcome::Canonical, "canonical"),
        ];
        let counts = counts.map(|(outcome, what)| (self.count(outcome), what));
        let counts: Vec<_> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        match counts.as_slice() {
            [] => "no files".to_owned(),
            counts => format!("{}: {}", counted(self.files.len(), "file"), counts.join(", ")),
        }
    }

    fn findings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.files.iter().flat_map(|row| &row.diagnostics)
    }
}

impl Answer for Formatted {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        if self.diff {
            for Row { patch, .. } in &self.files {
                if out.is_terminal() {
                    out.write_all(shown_lines(&String::from_utf8_lossy(patch)).as_bytes())?;
                } else {
                    out.write_all(patch)?;
                }
            }
            return Ok(());
        }
        let (mut sources, coloured) = (Sources::new(Bases::one("fmt", self.bases.clone())), out.is_coloured());
        for diagnostic in self.findings() {
            let finding = Finding::new("fmt".into(), diagnostic.clone());
            writeln!(out, "{}", sources.draw(&finding, &self.cwd, coloured))?;
        }
        for Row { path, outcome, .. } in &self.files {
            match outcome {
                Outcome::Formatted => writeln!(out, "formatted `{}`", shown(path))?,
                Outcome::Differs => writeln!(out, "would format `{}`", shown(path))?,
                Outcome::Canonical | Outcome::Left => {}
            }
        }
        writeln!(out, "{}", self.summary())
    }

    fn notes(&self) -> Vec<String> {
        if !self.diff {
            return Vec::new();
        }
        let told = |finding: &Diagnostic| {
            let place = finding.place().unwrap_or_default();
            shown(&format!("{}: {finding}", near(&place, &self.cwd))).into_owned()
        };
        self.findings().map(told).chain([self.summary()]).collect()
    }

    fn exit(&self) -> Exit {
        let fails = self.count(Outcome::Left) > 0 || self.count(Outcome::Differs) > 0;
        if fails { Exit::Findings } else { Exit::Success }
    }
}
