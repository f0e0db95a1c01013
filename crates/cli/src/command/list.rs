//! `repertoire list`.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use clap::Args;
use repertoire::Trust;
use repertoire::registry::Tier;
use repertoire::skill::{Code, Diagnostic, Severity};
use repertoire::source::fs::InstalledPlugins;
use serde::Serialize;

use super::selection::LabelOptions;
use crate::Stream;
use crate::arguments::Connect;
use crate::context::CommandContext;
use crate::diagnostics::{Counts, ReportedDiagnostic, counted};
use crate::output::CommandOutput;
use crate::row::{Row, Shadow, Winner};
use crate::table::{Cell, Table};

/// List skills with their source and status.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  repertoire list\n  repertoire list .claude/skills --all")]
pub(crate) struct List {
    /// Search only these folders.
    #[arg(value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) connect: Connect,
    /// Also show shadowed skills and files that could not be loaded.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    labels: LabelOptions,
}

/// The skills that names resolve to.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Listed<'a> {
    skills: Vec<Winner<'a>>,
    /// The error of each file that could not be loaded.
    skipped: Vec<ReportedDiagnostic>,
    diagnostics: Vec<ReportedDiagnostic>,
    #[serde(skip)]
    all: bool,
    #[serde(skip)]
    folders: Vec<PathBuf>,
    #[serde(skip)]
    context: &'a CommandContext,
}

impl List {
    pub(super) fn run<'a>(&self, context: &'a CommandContext) -> Listed<'a> {
        let matching = context.snapshot.entries().iter().filter(|entry| self.labels.match_skill(entry.item()));
        let skills = matching.map(|entry| Winner::of(entry, context)).collect();
        let diagnostics = context.diagnostics();
        let (skipped, folders) = (skipped_files(&diagnostics, context), self.folders.clone());
        Listed { skills, skipped, diagnostics, all: self.all, folders, context }
    }
}

/// Returns the note about a search that found no skill, in `folders` if any were given.
pub(super) fn nothing_found(folders: &[PathBuf]) -> String {
    if folders.is_empty() {
        return "no skills found; run `repertoire roots` to see the folders searched".to_owned();
    }
    let folders: Vec<_> = folders.iter().map(|folder| format!("`{}`", folder.display())).collect();
    format!("no skills found in {}", folders.join(", "))
}

/// Returns the note about the skill folders of agents below `folders`, which are hidden folders.
fn hidden_folders(folders: &[PathBuf], context: &CommandContext) -> Option<String> {
    let found = folders.iter().map(|folder| InstalledPlugins::find_below(&context.cwd.join(folder)));
    let hidden = found.flat_map(|found| found.client_folders);
    let hidden: Vec<_> =
        hidden.map(|folder| format!("`{}`", context.relative_path(&folder.to_string_lossy()))).collect();
    (!hidden.is_empty()).then(|| format!("hidden folders are skipped unless given: {}", hidden.join(", ")))
}

fn skipped_files(diagnostics: &[ReportedDiagnostic], context: &CommandContext) -> Vec<ReportedDiagnostic> {
    let candidates = context.snapshot.entries().iter().flat_map(|entry| entry.candidates());
    let mut seen: HashSet<&str> = candidates.filter_map(|candidate| candidate.item.location.as_deref()).collect();
    let errors = diagnostics.iter().filter(|reported| reported.diagnostic.severity == Severity::Error);
    errors.filter(|error| error.diagnostic.path.as_deref().is_some_and(|path| seen.insert(path))).cloned().collect()
}

impl CommandOutput for Listed<'_> {
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let mut table = Table::new(&["name", "source", "tier", "trust", "surface", ">tokens", "flags"]);
        for Winner { row, shadows } in &self.skills {
            let remark = (!shadows.is_empty()).then(|| counted(shadows.len(), "shadow"));
            table.row(cells(row.id.as_str(), row, remark, Style::new()));
            for Shadow { row: loser, identical } in shadows.iter().filter(|_| self.all) {
                let remark = match identical {
                    Some(true) => format!("same as {}", row.qualified_id),
                    _ => format!("shadow of {}", row.qualified_id),
                };
                table.row(cells(loser.qualified_id.as_str(), loser, Some(remark), Style::new().dimmed()));
            }
        }
        table.write(out)?;
        if self.all && !self.skipped.is_empty() {
            if !self.skills.is_empty() {
                io::Write::write_all(out, b"\n")?;
            }
            let mut table = Table::new(&["not loaded", "source", "reason"]);
            for ReportedDiagnostic { source, diagnostic } in &self.skipped {
                let path = diagnostic.path.as_deref().map_or("", |path| self.context.relative_path(path));
                let reason = format!("{}: {}", diagnostic.code, diagnostic.message);
                table.row([path.into(), source.as_ref().into(), reason.into()]);
            }
            table.write(out)?;
        }
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.skills.is_empty() && !self.context.snapshot.entries().is_empty() {
            notes.push("no skills with these labels".to_owned());
        } else if self.skills.is_empty() {
            notes.push(nothing_found(&self.folders));
            notes.extend(hidden_folders(&self.folders, self.context));
        } else if self.skills.iter().all(|skill| skill.row.tier == Tier::Builtin && skill.shadows.is_empty()) {
            notes.push(
                "no skills found except built-in ones; run `repertoire roots` to see the folders searched".to_owned(),
            );
        }
        notes.extend(self.context.pending());
        for ReportedDiagnostic { diagnostic, .. } in &self.diagnostics {
            let Diagnostic { code, path, message, help, .. } = diagnostic;
            if *code == Code::WALK_TRUNCATED {
                let path = path.as_deref().map_or("", |path| self.context.relative_path(path));
                let help = help.as_deref().map(|help| format!("; {help}")).unwrap_or_default();
                notes.push(format!("the list may lack skills of `{path}`: {message}{help}"));
            }
        }
        let counts = Counts { infos: 0, ..Counts::of(&self.diagnostics) };
        if counts != Counts::default() {
            notes.push(format!("{}; run `repertoire check` for details", counts.sentence()));
        }
        notes
    }
}

fn cells(name: &str, row: &Row<'_>, remark: Option<String>, style: Style) -> Vec<Cell> {
    let flags = row.flags.iter().map(|flag| flag.as_str().to_owned()).chain(remark);
    let trust = match row.trust {
        Trust::Trusted => style,
        Trust::Restricted | Trust::Pending => style.fg_color(Some(AnsiColor::Yellow.into())),
    };
    vec![
        Cell::from(name).styled(style),
        Cell::from(row.source).styled(style),
        Cell::from(row.tier.to_string()).styled(style),
        Cell::from(row.trust.to_string()).styled(trust),
        Cell::from(row.surface.mode.as_str()).styled(style),
        Cell::from(row.tokens.to_string()).styled(style),
        Cell::from(flags.collect::<Vec<_>>().join(", ")).styled(style),
    ]
}
