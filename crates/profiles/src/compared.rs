//! A prediction beside the list of the agent itself.

use std::collections::HashSet;
use std::path::Path;

use serde::Serialize;

use crate::observed::{ObservedList, ObservedSkill};
use crate::view::{AgentSkill, AgentView, ListedAs, SkillOutcome};

/// A skill for which the view and the agent's own list differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ObservedDifference {
    /// The name of the skill.
    pub name: String,
    /// `true` if the agent lists it, `false` if only the view does.
    pub is_observed: bool,
    /// A sentence with the probable reason.
    pub because: String,
}

impl AgentView {
    /// Returns the differences from the list that the agent itself wrote or printed, by name.
    pub fn differences(&self, observed: &ObservedList) -> Vec<ObservedDifference> {
        let listed = observed.skills.iter().filter(|skill| skill.is_enabled);
        let paths = listed
            .clone()
            .filter_map(|skill| self.different_file(skill));
        let mut found: Vec<_> = paths.collect();
        let listed: HashSet<&str> = listed.map(|skill| &*skill.name).collect();
        let mut add = |name: &str, is_observed, because| {
            found.push(ObservedDifference {
                name: name.to_owned(),
                is_observed,
                because,
            });
        };
        for name in &listed {
            let mut same = self.skills.iter().filter(|skill| is_named(skill, name));
            if same.clone().any(|skill| may_be_listed(&skill.outcome)) {
                continue;
            }
            let because = match same.next() {
                None => "no file of this name was found: it is built in, or was removed".to_owned(),
                Some(skill) => format!(
                    "the profile expects that `{}` is not listed ({}): the profile is wrong, or the file changed",
                    skill.path.display(),
                    reason(&skill.outcome)
                ),
            };
            add(name, true, because);
        }
        let mut seen = HashSet::new();
        for skill in self.skills.iter().filter(|skill| is_listed(&skill.outcome)) {
            let is_there = listed.iter().any(|name| is_named(skill, name));
            if !is_there && seen.insert(&skill.name) {
                let disabled = observed
                    .skills
                    .iter()
                    .find(|row| is_named(skill, &row.name));
                let because = match disabled {
                    Some(_) => "the agent lists it as disabled",
                    None => "it was added or changed after the list, or the profile is wrong",
                };
                add(&skill.name, false, because.to_owned());
            }
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    /// Returns the difference of a listed skill that the agent reads from a file that the view does not expect.
    fn different_file(&self, observed: &ObservedSkill) -> Option<ObservedDifference> {
        let path = observed.path.as_deref()?.trim_start_matches("file://");
        let path = Path::new(path);
        let same = self.skills.iter();
        let mut same = same
            .filter(|skill| is_named(skill, &observed.name) && may_be_listed(&skill.outcome))
            .peekable();
        let expected = same.peek()?.path.clone();
        if !path.is_absolute() || same.any(|skill| skill.is_at(path)) {
            return None;
        }
        Some(ObservedDifference {
            name: observed.name.clone(),
            is_observed: true,
            because: format!(
                "the agent reads `{}`, the profile expects `{}`: the profile is wrong, or a file was moved",
                path.display(),
                expected.display()
            ),
        })
    }
}

impl AgentSkill {
    /// Returns whether a path is that of the file or of its folder, with or without links.
    fn is_at(&self, path: &Path) -> bool {
        let own = [&self.path, &self.real_path];
        own.iter()
            .any(|own| path == &***own || Some(path) == own.parent())
    }
}

fn is_named(skill: &AgentSkill, name: &str) -> bool {
    *skill.name == *name || skill.or_named.iter().any(|other| **other == *name)
}

/// Returns `true` if the model gets it for certain.
fn is_listed(outcome: &SkillOutcome) -> bool {
    use ListedAs::{Full, ModelOnly, NameOnly, Shortened};
    match outcome {
        SkillOutcome::Loaded { listed, .. } => {
            matches!(listed, Full | Shortened | NameOnly | ModelOnly)
        }
        _ => false,
    }
}

fn may_be_listed(outcome: &SkillOutcome) -> bool {
    match outcome {
        SkillOutcome::Loaded { listed, .. } => {
            !matches!(listed, ListedAs::UserOnly | ListedAs::Unlisted)
        }
        SkillOutcome::Omitted { .. } => false,
        SkillOutcome::Unknown { one_of } => one_of.iter().any(may_be_listed),
    }
}

/// Returns the kind of the reason, as the JSON of a view spells it.
fn reason(outcome: &SkillOutcome) -> String {
    let reason = match outcome {
        SkillOutcome::Omitted { reason } => Some(reason),
        SkillOutcome::Loaded { because, .. } => because.as_ref(),
        SkillOutcome::Unknown { .. } => None,
    };
    let kind = serde_json::to_value(reason).ok();
    let kind = kind.as_ref().and_then(|reason| reason["kind"].as_str());
    kind.unwrap_or("not listed").to_owned()
}
