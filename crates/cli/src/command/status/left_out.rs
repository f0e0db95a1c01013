//! The skills that settings, other skills and switches hide.

use std::collections::{BTreeMap, BTreeSet};

use repertoire_profiles::{SkillOutcome, UnseenReason};

use super::{is_left_out, write_heading};
use crate::agent_views::AgentViews;
use crate::diagnostics::{joined, quoted};
use crate::output::Output;
use crate::screen_text::wrapped;
use crate::unseen;

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
    pub(super) fn of(seen: &'a AgentViews) -> LeftOutSkills<'a> {
        let mut rows: BTreeMap<_, Vec<&str>> = BTreeMap::new();
        for view in &seen.views {
            let mut names: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
            for skill in view.skills.iter().filter(|skill| is_hidden(&skill.outcome)) {
                let why = match &skill.outcome {
                    SkillOutcome::Omitted { reason } => unseen::reason(reason, &seen.paths),
                    outcome => unseen::outcome(outcome, &seen.paths),
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

    /// Writes one line for each reason.
    pub(super) fn write(&self, all: bool, out: &mut Output) {
        if self.rows.is_empty() {
            return;
        }
        write_heading("left out", out);
        let most = if all { usize::MAX } else { MOST_LINES };
        for ((why, names), agents) in self.rows.iter().take(most) {
            let mut listed = quoted(names.iter().take(if all { most } else { MOST_NAMES }));
            if !all && names.len() > MOST_NAMES {
                listed += &format!(" and {} more", names.len() - MOST_NAMES);
            }
            let line = format!("{listed} ({}): {why}", joined(agents.iter().copied()));
            for line in wrapped(&line, out.columns() - 2, 2) {
                out.line(format!("  {line}"));
            }
        }
        if self.rows.len() > most {
            out.line(format!(
                "  and {} more reasons; `repertoire why NAME` has those of a skill",
                self.rows.len() - most
            ));
        }
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
