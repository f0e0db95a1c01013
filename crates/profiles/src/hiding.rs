//! The setting that hides one skill from an agent.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::place::AgentPlace;
use crate::profile::AgentProfile;
use crate::schema::{Effect, SettingRule};
use crate::view::AgentSkill;

/// An entry of a settings file that hides one skill from an agent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HidingSetting {
    /// The settings file of the user. It need not exist.
    pub file: PathBuf,
    /// The key that holds the entry, one part for each level.
    pub key: Vec<String>,
    /// The entry in a container of its own: an object, whose member follows all others of the map at the key, or an array, whose item
    /// follows all others of the list there.
    pub entry: Value,
}

impl AgentProfile {
    /// Returns the entry that hides `skill` from this agent; `None` if no setting of the agent hides a single skill of its scope.
    ///
    /// The file is one below the home folder: the first that exists, else the first.
    pub fn hiding_setting(&self, place: &AgentPlace, skill: &AgentSkill) -> Option<HidingSetting> {
        let mut rules = self.file.settings.iter();
        rules.find_map(|rule| {
            let is_reached = rule.scopes.is_empty() || rule.scopes.contains(&skill.scope);
            let entry = entry(rule.effect, skill).filter(|_| is_reached && !rule.doubtful)?;
            Some(HidingSetting {
                file: user_file(rule, place)?,
                key: rule.key.clone(),
                entry,
            })
        })
    }
}

fn entry(effect: Effect, skill: &AgentSkill) -> Option<Value> {
    let name = skill.name.to_string();
    Some(match effect {
        Effect::Overrides => json!({ name: "off" }),
        Effect::Permissions => json!({ name: "deny" }),
        Effect::HiddenNames => json!([name]),
        Effect::Rules => json!([{"action": "skill", "resource": name, "effect": "deny"}]),
        Effect::SkillTables => json!([{"path": skill.path.to_str()?, "enabled": false}]),
        _ => return None,
    })
}

fn user_file(rule: &SettingRule, place: &AgentPlace) -> Option<PathBuf> {
    let templates = rule.files.iter();
    let of_user = templates.filter(|template| template.starts_with(['~', '$']));
    let mut files = of_user.filter_map(|template| place.expand(template, &place.folder));
    let existing = files.clone().find(|file| file.is_file());
    existing.or_else(|| files.next())
}
