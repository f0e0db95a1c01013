//! `repertoire list`.

mod seen_skills;

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use clap::Args;
use repertoire::Trust;
use repertoire::registry::Tier;
use repertoire::skill::{Code, Diagnostic, Severity};
use repertoire::source::fs::InstalledPlugins;
use serde::Serialize;

pub(super) use self::seen_skills::SeenOutput;
use super::selection::LabelOptions;
use crate::Environment;
use crate::agent_views::AgentViews;
use crate::context::CommandContext;
use crate::diagnostics::{Counts, ReportedDiagnostic, counted, joined, quoted};
use crate::options::{Choice, ConnectableFolders, one_of};
use crate::output::{Output, word};
use crate::row::{ShadowRow, SkillRow, WinnerRow};
use crate::table::{Cell, TextTable};

/// List skills, with the agents that load them or with their source and status.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  repertoire list\n  repertoire list --agent codex --sort cost\n  repertoire list .claude/skills --all"
)]
pub(crate) struct ListCommand {
    #[command(flatten)]
    pub(super) searched: ConnectableFolders,
    /// Also show shadowed skills and files that could not be loaded.
    #[arg(long)]
    all: bool,
    /// Order of the skills.
    #[arg(long, value_name = "COLUMN", value_parser = one_of(ORDERS))]
    sort: Option<SkillOrder>,
    #[command(flatten)]
    labels: LabelOptions,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SkillOrder {
    Name,
    Cost,
    Source,
}

const ORDERS: &[Choice<SkillOrder>] = &[
    ("name", "By name", SkillOrder::Name),
    ("cost", "The longest descriptions first", SkillOrder::Cost),
    ("source", "By source, then name", SkillOrder::Source),
];

/// The skills that names resolve to.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ListOutput<'a> {
    skills: Vec<WinnerRow<'a>>,
    /// The error of each file that could not be loaded.
    skipped: Vec<ReportedDiagnostic>,
    diagnostics: Vec<ReportedDiagnostic>,
}

impl ListCommand {
    /// Returns whether an argument names sources of this program, or an option is about them.
    pub(super) fn is_of_sources(&self) -> bool {
        !self.searched.folders.is_empty() || self.searched.connect || self.labels.is_given()
    }

    /// Lists what agents load.
    pub(super) fn write_seen(
        &self,
        seen: &AgentViews,
        environment: &Environment<'_>,
        out: &mut Output,
    ) {
        let list = SeenOutput::of(seen, self.sort.unwrap_or(SkillOrder::Name), environment);
        if out.write_json(&list) {
            return;
        }
        list.write(self.all, out);
        out.notes(seen.notes());
    }

    pub(super) fn run(&self, context: &CommandContext, out: &mut Output) {
        let matching = context
            .snapshot
            .entries()
            .iter()
            .filter(|entry| self.labels.match_skill(entry.item()));
        let mut skills: Vec<_> = matching
            .map(|entry| WinnerRow::of(entry, context))
            .collect();
        match self.sort {
            Some(SkillOrder::Name) => skills.sort_by_key(|skill| skill.row.id),
            Some(SkillOrder::Cost) => skills.sort_by_key(|skill| Reverse(skill.row.tokens)),
            Some(SkillOrder::Source) => {
                skills.sort_by_key(|skill| (skill.row.source, skill.row.id))
            }
            None => {}
        }
        let diagnostics = context.diagnostics();
        let list = ListOutput {
            skills,
            skipped: skipped_files(&diagnostics, context),
            diagnostics,
        };
        if out.write_json(&list) {
            return;
        }
        self.write_skills(&list.skills, out);
        if self.all && !list.skipped.is_empty() {
            if !list.skills.is_empty() {
                out.line("");
            }
            write_skipped(&list.skipped, context, out);
        }
        self.add_notes(&list, context, out);
    }

    fn write_skills(&self, skills: &[WinnerRow<'_>], out: &mut Output) {
        let mut table = TextTable::new(&[
            "name", "source", "tier", "trust", "surface", ">tokens", "flags",
        ]);
        for WinnerRow { row, shadows } in skills {
            let remark = (!shadows.is_empty()).then(|| counted(shadows.len(), "shadow"));
            table.row(cells(row.id.as_str(), row, remark, Style::new()));
            for ShadowRow {
                row: loser,
                identical,
            } in shadows.iter().filter(|_| self.all)
            {
                let relation = if *identical == Some(true) {
                    "same as"
                } else {
                    "shadow of"
                };
                let remark = format!("{relation} {}", row.qualified_id);
                table.row(cells(
                    loser.qualified_id.as_str(),
                    loser,
                    Some(remark),
                    Style::new().dimmed(),
                ));
            }
        }
        table.write(out);
    }

    fn add_notes(&self, list: &ListOutput<'_>, context: &CommandContext, out: &mut Output) {
        if list.skills.is_empty() && !context.snapshot.entries().is_empty() {
            out.note("no skills with these labels");
        } else if list.skills.is_empty() {
            out.note(nothing_found(&self.searched.folders));
            out.notes(hidden_folders(&self.searched.folders, context));
        } else if list
            .skills
            .iter()
            .all(|skill| skill.row.tier == Tier::Builtin && skill.shadows.is_empty())
        {
            out.note("no skills found except built-in ones; run `repertoire roots` to see the folders searched");
        }
        out.notes(context.pending());
        for ReportedDiagnostic { diagnostic, .. } in &list.diagnostics {
            let Diagnostic {
                code,
                path,
                message,
                help,
                ..
            } = diagnostic;
            if *code == Code::WALK_TRUNCATED {
                let path = path
                    .as_deref()
                    .map_or("", |path| context.relative_path(path));
                let help = help
                    .as_deref()
                    .map(|help| format!("; {help}"))
                    .unwrap_or_default();
                out.note(format!(
                    "skills below `{path}` may be missing from the list: {message}{help}"
                ));
            }
        }
        let counts = Counts {
            infos: 0,
            ..Counts::of(&list.diagnostics)
        };
        if counts != Counts::default() {
            out.note(format!(
                "{}; run `repertoire check` for details",
                counts.sentence()
            ));
        }
    }
}

pub(super) fn nothing_found(folders: &[PathBuf]) -> String {
    if folders.is_empty() {
        return "no skills found; run `repertoire roots` to see the folders searched".to_owned();
    }
    format!(
        "no skills found in {}",
        quoted(folders.iter().map(|folder| folder.display()))
    )
}

/// Returns the note about the skill folders of agents below `folders`, which are hidden folders.
fn hidden_folders(folders: &[PathBuf], context: &CommandContext) -> Option<String> {
    let agents = context.agents.all_folders();
    let found = folders
        .iter()
        .map(|folder| InstalledPlugins::find_below(&context.cwd.join(folder), &agents));
    let hidden = found.flat_map(|found| found.client_folders);
    let hidden =
        quoted(hidden.map(|folder| context.relative_path(&folder.to_string_lossy()).to_owned()));
    (!hidden.is_empty())
        .then(|| format!("hidden folders are searched only if given as arguments: {hidden}"))
}

fn skipped_files(
    diagnostics: &[ReportedDiagnostic],
    context: &CommandContext,
) -> Vec<ReportedDiagnostic> {
    let candidates = context
        .snapshot
        .entries()
        .iter()
        .flat_map(|entry| entry.candidates());
    let mut seen: HashSet<&str> = candidates
        .filter_map(|candidate| candidate.item.location.as_deref())
        .collect();
    let errors = diagnostics
        .iter()
        .filter(|reported| reported.diagnostic.severity == Severity::Error);
    errors
        .filter(|error| {
            error
                .diagnostic
                .path
                .as_deref()
                .is_some_and(|path| seen.insert(path))
        })
        .cloned()
        .collect()
}

fn write_skipped(skipped: &[ReportedDiagnostic], context: &CommandContext, out: &mut Output) {
    let mut table = TextTable::new(&["not loaded", "source", "reason"]);
    for ReportedDiagnostic { source, diagnostic } in skipped {
        let path = diagnostic
            .path
            .as_deref()
            .map_or("", |path| context.relative_path(path));
        let reason = format!("{}: {}", diagnostic.code, diagnostic.message);
        table.row([path.into(), source.as_ref().into(), reason.into()]);
    }
    table.write(out);
}

fn cells(name: &str, row: &SkillRow<'_>, remark: Option<String>, style: Style) -> Vec<Cell> {
    let trust = match row.trust {
        Trust::Trusted => style,
        Trust::Restricted | Trust::Pending => style.fg_color(Some(AnsiColor::Yellow.into())),
    };
    let flags = joined(row.flags.iter().map(word).chain(remark));
    let columns = [
        (name, style),
        (row.source, style),
        (&row.tier.to_string(), style),
        (&row.trust.to_string(), trust),
        (row.surface.mode.as_str(), style),
        (&row.tokens.to_string(), style),
        (&flags, style),
    ];
    columns
        .map(|(text, style)| Cell::from(text).styled(style))
        .into()
}
