//! The settings of an agent that hide or change skills.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::files::{FileCache, SettingsFile};
use crate::place::AgentPlace;
use crate::schema::{Effect, SettingRule};
use crate::view::{ListedAs, RootScope, UnseenReason};

/// The settings of one agent in one place, read.
#[derive(Debug, Default)]
pub(crate) struct AgentSettings {
    found: Vec<FoundSetting>,
    pub(crate) unread: Vec<Arc<Path>>,
}

#[derive(Debug)]
struct FoundSetting {
    rule: SettingRule,
    path: Arc<Path>,
    file: Arc<SettingsFile>,
    value: Value,
}

/// The effect of a setting on one skill.
#[derive(Debug)]
pub(crate) struct SettingEffect {
    pub(crate) listed: ListedAs,
    pub(crate) reason: UnseenReason,
    pub(crate) is_doubtful: bool,
}

impl AgentSettings {
    pub(crate) fn read(
        rules: &[SettingRule],
        place: &AgentPlace,
        files: &mut FileCache,
    ) -> AgentSettings {
        let mut settings = AgentSettings::default();
        let base = place.repository().unwrap_or(&place.folder).to_owned();
        for rule in rules {
            for template in &rule.files {
                let Some(path) = place.expand(template, &base) else {
                    continue;
                };
                let Some(file) = files.settings(&path) else {
                    continue;
                };
                let path: Arc<Path> = path.into();
                if file.value.is_none() && !settings.unread.contains(&path) {
                    settings.unread.push(path.clone());
                }
                if let Some(value) = file.get(&rule.key).cloned() {
                    let rule = rule.clone();
                    settings.found.push(FoundSetting {
                        rule,
                        path,
                        file,
                        value,
                    });
                }
            }
        }
        settings
    }

    /// Returns the effects on a skill of this name at this path, the last of each kind.
    pub(crate) fn effects(&self, name: &str, path: &Path, scope: RootScope) -> Vec<SettingEffect> {
        let mut effects: Vec<(Effect, Option<SettingEffect>)> = Vec::new();
        for found in &self.found {
            if !found.rule.scopes.is_empty() && !found.rule.scopes.contains(&scope) {
                continue;
            }
            let Some(listed) = found.effect(name, path) else {
                continue;
            };
            let effect = found.rule.effect;
            // Lists of hidden names add up; of maps and rules the last file that names the skill counts.
            if effect != Effect::HiddenNames {
                effects.retain(|(kind, _)| *kind != effect);
            }
            let made = (listed != ListedAs::Full).then(|| SettingEffect {
                listed,
                reason: found.reason(name),
                is_doubtful: found.rule.doubtful,
            });
            effects.push((effect, made));
        }
        effects.into_iter().filter_map(|(_, made)| made).collect()
    }

    /// Returns the setting that switches off a folder, given as its profile writes it.
    pub(crate) fn folder_is_off(&self, template: &str) -> Option<UnseenReason> {
        let mut off = None;
        for found in self.of(Effect::Folders) {
            match found.value.get(template).and_then(Value::as_bool) {
                Some(false) => off = Some(found.reason(template)),
                Some(true) => off = None,
                None => {}
            }
        }
        off
    }

    /// Returns the folders that settings add, in order.
    pub(crate) fn extra_folders(&self, place: &AgentPlace) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        for found in self.of(Effect::ExtraFolders) {
            let text = found.value.as_str().into_iter();
            let list = found.value.as_array().into_iter().flatten();
            let named = text
                .chain(list.filter_map(Value::as_str))
                .flat_map(|names| names.split(','));
            folders.extend(named.filter_map(|name| place.expand(name.trim(), &place.folder)));
        }
        folders
    }

    /// Returns the last number that a setting of this kind has.
    pub(crate) fn number(&self, effect: Effect) -> Option<f64> {
        self.of(effect)
            .filter_map(|found| found.value.as_f64())
            .last()
    }

    fn of(&self, effect: Effect) -> impl Iterator<Item = &FoundSetting> {
        self.found
            .iter()
            .filter(move |found| found.rule.effect == effect)
    }
}

impl FoundSetting {
    /// Returns the form that the setting gives to a skill, or `None` if it does not name it.
    fn effect(&self, name: &str, path: &Path) -> Option<ListedAs> {
        let hidden = |is_hidden: bool| match is_hidden {
            true => ListedAs::Unlisted,
            false => ListedAs::Full,
        };
        match self.rule.effect {
            Effect::Overrides => match self.value.get(name)?.as_str()? {
                "off" => Some(ListedAs::Unlisted),
                "name-only" => Some(ListedAs::NameOnly),
                "user-invocable-only" => Some(ListedAs::UserOnly),
                _ => Some(ListedAs::Full),
            },
            Effect::HiddenNames => self.names(name).then_some(ListedAs::Unlisted),
            Effect::AllowedNames => Some(hidden(!self.names(name))),
            Effect::Permissions => {
                let mut rules = self.value.as_object()?.iter();
                let rule = rules.rfind(|(pattern, _)| matches(pattern, name))?.1;
                Some(hidden(rule == "deny"))
            }
            Effect::Rules => {
                let mut rules = self.value.as_array()?.iter();
                let rule = rules.rfind(|rule| {
                    rule["action"] == "skill"
                        && rule["resource"]
                            .as_str()
                            .is_some_and(|pattern| matches(pattern, name))
                })?;
                Some(hidden(rule["effect"] == "deny"))
            }
            Effect::DenyRules => {
                let mut rules = self.value.as_array()?.iter().filter_map(Value::as_str);
                rules
                    .any(|rule| denies(rule, name))
                    .then_some(ListedAs::Unlisted)
            }
            Effect::SkillTables => {
                let mut tables = self.value.as_array()?.iter();
                let table = tables.rfind(|table| {
                    table["name"] == name
                        || table["path"].as_str().is_some_and(|named| {
                            path == Path::new(named) || path.parent() == Some(Path::new(named))
                        })
                })?;
                Some(hidden(table["enabled"] == false))
            }
            Effect::OffIfTrue => Some(hidden(self.value == true || self.names("skills"))),
            Effect::OffIfFalse => Some(hidden(self.value == false)),
            _ => None,
        }
    }

    fn names(&self, name: &str) -> bool {
        let list = self.value.as_array().into_iter().flatten();
        list.filter_map(Value::as_str)
            .any(|listed| listed.eq_ignore_ascii_case(name))
    }

    fn reason(&self, name: &str) -> UnseenReason {
        UnseenReason::Setting {
            file: self.path.clone(),
            key: self.rule.key.join(".").into(),
            line: self.file.line(&self.rule.key, name),
        }
    }
}

/// Returns whether a `Skill(NAME)` or `Skill(PREFIX *)` rule denies a skill.
fn denies(rule: &str, name: &str) -> bool {
    rule == "Skill"
        || rule
            .strip_prefix("Skill(")
            .and_then(|rest| rest.strip_suffix(')'))
            .is_some_and(|rest| rest.trim_end_matches(" *") == name)
}

/// Returns whether `name` matches a pattern in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| {
            rest.char_indices()
                .map(|(at, _)| at)
                .chain([rest.len()])
                .any(|at| matches(after, &rest[at..]))
        }),
    }
}
