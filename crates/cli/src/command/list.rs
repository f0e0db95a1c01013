//! `repertoire list`.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use clap::Args;
use repertoire::{Code, Diagnostic, FsLimits, Layout, Tier, Trust};
use serde::Serialize;
use serde_json::Value;

use super::labels::Labels;
use crate::Stream;
use crate::answer::{Answer, json};
use crate::arguments::Connect;
use crate::finding::{Counts, Finding, counted};
use crate::row::{Flag, Row, Shadow, Winner};
use crate::session::Session;
use crate::table::{Cell, Table};

/// List the skills: who has each id, from where, and where its body goes.
#[derive(Debug, Args)]
pub(crate) struct List {
    /// Look in these folders, in place of the standard ones and the built-in skills.
    #[arg(value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) connect: Connect,
    /// Show also what lost its id to another skill, and files that give no skill.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    labels: Labels,
}

/// Who has each id.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Listed<'a> {
    skills: Vec<Winner<'a>>,
    /// Of each file that gives no skill, the error that says why.
    skipped: Vec<Finding>,
    diagnostics: Vec<Finding>,
    #[serde(skip)]
    all: bool,
    #[serde(skip)]
    folders: Vec<PathBuf>,
    #[serde(skip)]
    session: &'a Session<'a>,
}

impl List {
    pub(crate) fn answer<'a>(&self, session: &'a Session<'_>) -> impl Answer + 'a {
        let fitting = session.snapshot.entries().iter().filter(|entry| self.labels.fit(entry.item()));
        let skills: Vec<_> = fitting.map(|entry| Winner::of(entry, session)).collect();
        let diagnostics = session.findings();
        let (skipped, folders) = (skipped(&diagnostics, session), self.folders.clone());
        Listed { skills, skipped, diagnostics, all: self.all, folders, session }
    }
}

/// What to tell about a search, in `folders` if any were named, that found no skill.
pub(super) fn nothing_found(folders: &[PathBuf]) -> String {
    if folders.is_empty() {
        return "no skills found; `repertoire roots` shows where they were looked for".to_owned();
    }
    let folders: Vec<_> = folders.iter().map(|folder| format!("`{}`", folder.display())).collect();
    format!("no skills found in {}", folders.join(", "))
}

/// Returns the folders below `folders` that would be searched if they were named, for a note.
fn skipped_folders(folders: &[PathBuf], session: &Session<'_>) -> Option<String> {
    let layouts = folders.iter().map(|folder| Layout::find(&session.cwd.join(folder), &FsLimits::default()));
    let skipped: Vec<_> = layouts.flat_map(|layout| layout.client_folders).collect();
    let shown = |folder: &PathBuf| format!("`{}`", session.near(&folder.to_string_lossy()));
    let skipped: Vec<_> = skipped.iter().map(shown).collect();
    (!skipped.is_empty()).then(|| format!("searched only when named: {}", skipped.join(", ")))
}

/// Of each file that gives no skill, the error that says why.
fn skipped(findings: &[Finding], session: &Session<'_>) -> Vec<Finding> {
    let claims = session.snapshot.entries().iter().flat_map(|entry| entry.claims());
    let mut seen: HashSet<&str> = claims.filter_map(|claim| claim.item.location.as_deref()).collect();
    let errors = findings.iter().filter(|finding| finding.is_error());
    errors.filter(|error| error.diagnostic.path.as_deref().is_some_and(|path| seen.insert(path))).cloned().collect()
}

impl Answer for Listed<'_> {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let mut table = Table::new(&["name", "source", "tier", "trust", "surface", ">tokens", "flags"]);
        for Winner { row, shadows } in &self.skills {
            let hides = if shadows.is_empty() { None } else { Some(counted(shadows.len(), "shadow")) };
            table.row(cells(row.id.as_str(), row, hides, Style::new()));
            for Shadow { row: loser, identical } in shadows.iter().filter(|_| self.all) {
                let same = if *identical == Some(true) { ", identical" } else { "" };
                let remark = format!("shadow of {}{same}", row.qualified_id);
                table.row(cells(loser.qualified_id.as_str(), loser, Some(remark), Style::new().dimmed()));
            }
        }
        let coloured = out.is_coloured();
        table.write(out, coloured)?;
        if self.all && !self.skipped.is_empty() {
            if !self.skills.is_empty() {
                io::Write::write_all(out, b"\n")?;
            }
            let mut table = Table::new(&["skipped file", "source", "why"]);
            for Finding { source, diagnostic } in &self.skipped {
                let path = diagnostic.path.as_deref().map_or("", |path| self.session.near(path));
                let why = format!("{}: {}", diagnostic.code, diagnostic.message);
                table.row([path.into(), source.as_ref().into(), why.into()]);
            }
            table.write(out, coloured)?;
        }
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.skills.is_empty() && !self.session.snapshot.entries().is_empty() {
            notes.push("no skill has these labels".to_owned());
        } else if self.skills.is_empty() {
            notes.push(nothing_found(&self.folders));
            notes.extend(skipped_folders(&self.folders, self.session));
        } else if self.skills.iter().all(|skill| skill.row.tier == Tier::Builtin && skill.shadows.is_empty()) {
            notes.push(
                "no skills found but built-in ones; `repertoire roots` shows where they were looked for".to_owned(),
            );
        }
        notes.extend(self.session.pending());
        let cut = self.diagnostics.iter().filter(|finding| finding.diagnostic.code == Code::WALK_TRUNCATED);
        notes.extend(cut.map(|finding| {
            let Diagnostic { path, message, help, .. } = &finding.diagnostic;
            let place = path.as_deref().map_or("", |path| self.session.near(path));
            let help = help.as_deref().map(|help| format!("; {help}")).unwrap_or_default();
            format!("the list may lack skills of `{place}`: {message}{help}")
        }));
        let counts = Counts { infos: 0, ..Counts::of(&self.diagnostics) };
        if counts != Counts::default() {
            notes.push(format!("{}; `repertoire check` shows them", counts.sentence()));
        }
        notes
    }
}

/// One row of the table, in `style` where nothing else is to be said by colour.
fn cells(name: &str, row: &Row<'_>, remark: Option<String>, style: Style) -> Vec<Cell> {
    let flags = row.flags.iter().copied().map(Flag::as_str).map(str::to_owned).chain(remark);
    let trust = match row.trust {
        Trust::Trusted => style,
        Trust::Restricted | Trust::Pending => style.fg_color(Some(AnsiColor::Yellow.into())),
    };
    let tokens = row.tokens.to_string();
    vec![
        Cell::from(name).styled(style),
        Cell::from(row.source).styled(style),
        Cell::from(row.tier.to_string()).styled(style),
        Cell::from(row.trust.to_string()).styled(trust),
        Cell::from(row.surface.mode.as_str()).styled(style),
        Cell::from(tokens).styled(style),
        Cell::from(flags.collect::<Vec<_>>().join(", ")).styled(style),
    ]
}
