//! The skills that settings, other skills and switches hide.

use std::collections::{BTreeMap, BTreeSet};

use repertoire_profiles::{AgentView, ShownPaths, SkillOutcome, UnseenReason};

use crate::diagnostics::{joined, quoted};
use crate::screen_text::wrapped;
use crate::styled_line::StyledLine;

/// The most lines without `--all`.
const MOST_LINES: usize = 8;
/// The most names in a line.
const MOST_NAMES: usize = 4;

/// The skills that are hidden on purpose: by a setting, a switch, a preferred skill, the trust of the project.
#[derive(Debug)]
pub(super) struct LeftOutSkills<'a> {
    /// The reason and the names, with the agents.
    rows: BTreeMap<(String, Vec<&'a str>), Vec<&'a str>>,
}

impl<'a> LeftOutSkills<'a> {
    pub(super) fn of(views: &'a [AgentView], paths: &ShownPaths) -> LeftOutSkills<'a> {
        let mut rows: BTreeMap<_, Vec<&str>> = BTreeMap::new();
        for view in views {
            let mut names: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
            for skill in view.skills.iter().filter(|skill| is_hidden(&skill.outcome)) {
                let why = match &skill.outcome {
                    SkillOutcome::Omitted { reason } => reason.text(paths),
                    outcome => outcome.text(paths),
                };
                names.entry(why).or_default().insert(&skill.name);
            }
            for (why, names) in names {
                let names = names.into_iter().collect();
                rows.entry((why, names)).or_default().push(&view.agent);
            }
        }
        LeftOutSkills { rows }
    }

    /// Returns the reasons, without `all` the first ones, and a note about the others.
    pub(super) fn lines(&self, all: bool, columns: usize) -> Vec<StyledLine> {
        let most = if all { usize::MAX } else { MOST_LINES };
        let entries = self.entries(all, columns).into_iter().take(most);
        let mut lines: Vec<_> = entries.flatten().collect();
        if self.rows.len() > most {
            lines.push(StyledLine::plain(format!(
                "  and {} more reasons; `repertoire why NAME` has those of a skill",
                self.rows.len() - most
            )));
        }
        lines
    }

    /// Returns the lines of each reason, without `all` with the first names only.
    pub(super) fn entries(&self, all: bool, columns: usize) -> Vec<Vec<StyledLine>> {
        let most = if all { usize::MAX } else { MOST_NAMES };
        let mut entries = Vec::new();
        for ((why, names), agents) in &self.rows {
            let mut listed = quoted(names.iter().take(most));
            if names.len() > most {
                listed += &format!(" and {} more", names.len() - most);
            }
            let line = format!("{listed} ({}): {why}", joined(agents.iter().copied()));
            let wrapped = wrapped(&line, columns - 2, 2).into_iter();
            let lines = wrapped.map(|line| StyledLine::plain(format!("  {line}")));
            entries.push(lines.collect());
        }
        entries
    }
}

/// Returns whether something other than a fault of the file hides or narrows it.
fn is_hidden(outcome: &SkillOutcome) -> bool {
    use UnseenReason::{
        Budget, Flag, InsideSkill, NotTrusted, NotYet, PluginDisabled, Setting, Shadowed, Switch,
    };
    match outcome {
        SkillOutcome::Omitted { reason } => {
            is_left_out(outcome)
                && matches!(
                    reason,
                    Budget
                        | Flag { .. }
                        | InsideSkill
                        | NotTrusted
                        | NotYet { .. }
                        | PluginDisabled { .. }
                        | Setting { .. }
                        | Shadowed { .. }
                        | Switch { .. }
                )
        }
        SkillOutcome::Loaded { because, .. } => matches!(because, Some(Setting { .. })),
        SkillOutcome::Unknown { .. } => false,
    }
}

/// Returns whether a file in a folder of the agent is not loaded.
pub(super) fn is_left_out(outcome: &SkillOutcome) -> bool {
    match outcome {
        SkillOutcome::Omitted { reason } => !matches!(
            reason,
            UnseenReason::FolderNotRead { .. }
                | UnseenReason::PluginNotInstalled
                | UnseenReason::SameFile { .. }
        ),
        _ => false,
    }
}
