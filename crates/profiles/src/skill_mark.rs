//! The result of an agent for one name, as a word.

use crate::{AgentSkill, ListedAs, RootScope, SeenName, SkillOutcome, UnseenReason};

/// The result of one agent for one name, the best of all files. The order is that of preference.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkillMark {
    /// Loaded from a folder of this kind.
    Loaded(RootScope),
    /// Loaded for the user only.
    Manual,
    /// Cut by the budget.
    Cut,
    /// Sources disagree, or say nothing.
    Unsure,
    /// Hidden by a setting.
    Hidden,
    /// Loaded later, or while matching files are worked on.
    Later,
    /// In a folder of the agent, and not loaded.
    Refused,
    /// In no folder that the agent reads.
    NotRead,
}

impl SkillMark {
    /// Returns the mark of a name.
    pub fn of_name(seen: &SeenName<'_>) -> SkillMark {
        match seen.contenders().next() {
            Some(skill) if seen.is_one_file() => SkillMark::of_loaded(skill, &skill.outcome),
            _ => {
                let marks = seen.files.iter().map(|skill| SkillMark::of(skill));
                marks.min().unwrap_or(SkillMark::NotRead)
            }
        }
    }

    /// Returns the mark of a skill that loads in one form or another.
    fn of_loaded(skill: &AgentSkill, outcome: &SkillOutcome) -> SkillMark {
        match outcome {
            SkillOutcome::Unknown { one_of } => {
                let loaded = one_of.iter().filter(|one| one.may_load());
                let marks = loaded.map(|one| SkillMark::of_loaded(skill, one));
                marks.max().unwrap_or(SkillMark::Unsure)
            }
            SkillOutcome::Loaded { listed, because } => match (listed, because) {
                (ListedAs::UserOnly, _) => SkillMark::Manual,
                (ListedAs::Unlisted, _) => SkillMark::Hidden,
                (ListedAs::Conditional, _) => SkillMark::Later,
                (_, Some(UnseenReason::Budget)) => SkillMark::Cut,
                _ => SkillMark::Loaded(skill.scope),
            },
            SkillOutcome::Omitted { reason } => SkillMark::of_reason(reason),
        }
    }

    fn of(skill: &AgentSkill) -> SkillMark {
        match &skill.outcome {
            outcome if outcome.is_loaded() => SkillMark::of_loaded(skill, outcome),
            SkillOutcome::Unknown { .. } if skill.outcome.may_load() => SkillMark::Unsure,
            SkillOutcome::Unknown { one_of } => match one_of.first() {
                Some(SkillOutcome::Omitted { reason }) => SkillMark::of_reason(reason),
                _ => SkillMark::Refused,
            },
            SkillOutcome::Omitted { reason } => SkillMark::of_reason(reason),
            outcome @ SkillOutcome::Loaded { .. } => SkillMark::of_loaded(skill, outcome),
        }
    }

    fn of_reason(reason: &UnseenReason) -> SkillMark {
        match reason {
            UnseenReason::Budget => SkillMark::Cut,
            UnseenReason::NotYet { .. } => SkillMark::Later,
            UnseenReason::FolderNotRead { .. } | UnseenReason::PluginNotInstalled => {
                SkillMark::NotRead
            }
            UnseenReason::Setting { .. }
            | UnseenReason::Flag { .. }
            | UnseenReason::Switch { .. }
            | UnseenReason::NotTrusted
            | UnseenReason::PluginDisabled { .. } => SkillMark::Hidden,
            _ => SkillMark::Refused,
        }
    }

    /// Returns the word, and the letter for narrow columns.
    pub fn spelled(self) -> (&'static str, &'static str) {
        match self {
            SkillMark::Loaded(RootScope::Personal) => ("home", "H"),
            SkillMark::Loaded(RootScope::Project) => ("project", "P"),
            SkillMark::Loaded(RootScope::Plugin) => ("plugin", "G"),
            SkillMark::Loaded(RootScope::System) => ("system", "S"),
            SkillMark::Loaded(RootScope::Managed) => ("managed", "M"),
            SkillMark::Loaded(RootScope::Extra) => ("extra", "E"),
            SkillMark::Manual => ("manual", "m"),
            SkillMark::Cut => ("cut", "c"),
            SkillMark::Unsure => ("unsure", "?"),
            SkillMark::Hidden => ("hidden", "h"),
            SkillMark::Later => ("later", "l"),
            SkillMark::Refused => ("refused", "x"),
            SkillMark::NotRead => ("-", "-"),
        }
    }
}
