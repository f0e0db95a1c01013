//! The origin of an installed skill.

use repertoire::Skill;
use serde::Serialize;
use serde_json::Map;

use crate::lock::{InstalledRow, SkillLock};

/// The origin of a skill, as the installer states it; it is not verified.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Provenance {
    /// The row of `.skill-lock.json`.
    lock: Option<InstalledRow>,
    /// The fields of the front matter that `gh skill` writes.
    github: Option<Map<String, serde_json::Value>>,
}

const WRITTEN_BY_GH: [&str; 6] = [
    "github-repo",
    "github-ref",
    "github-tree-sha",
    "github-path",
    "github-pinned",
    "local-path",
];

impl Provenance {
    pub(crate) fn of(skill: &Skill, installed: &SkillLock) -> Option<Provenance> {
        let lock = skill
            .location
            .as_deref()
            .and_then(|location| installed.row(location.as_ref()))
            .cloned();
        let mut github = Map::new();
        if let Some(metadata) = skill.field("metadata") {
            let values = WRITTEN_BY_GH
                .into_iter()
                .filter_map(|key| Some((key.to_owned(), metadata.get(key)?.json())));
            github.extend(values);
        }
        let github = Some(github).filter(|github| !github.is_empty());
        (lock.is_some() || github.is_some()).then_some(Provenance { lock, github })
    }

    pub(crate) fn short(&self) -> String {
        match (&self.lock, &self.github) {
            (Some(row), _) => row.source.clone(),
            (None, Some(github)) => words(
                github
                    .get("github-repo")
                    .or_else(|| github.get("local-path")),
            ),
            (None, None) => String::new(),
        }
    }

    pub(crate) fn installed(&self) -> Option<String> {
        let row = self.lock.as_ref()?;
        let facts = [
            ("", Some(&row.source)),
            ("url ", row.source_url.as_ref()),
            ("ref ", row.reference.as_ref()),
            ("pinned to ", row.pinned_ref.as_ref()),
            ("path ", row.skill_path.as_ref()),
            ("tree ", row.skill_folder_hash.as_ref()),
            ("plugin ", row.plugin_name.as_ref()),
            ("installed ", row.installed_at.as_ref()),
            ("updated ", row.updated_at.as_ref()),
        ];
        let facts = facts
            .into_iter()
            .filter_map(|(what, fact)| Some((what, fact.filter(|fact| !fact.is_empty())?)));
        Some(
            facts
                .map(|(what, fact)| format!("{what}{fact}"))
                .collect::<Vec<_>>()
                .join(", "),
        )
    }

    pub(crate) fn github(&self) -> Option<String> {
        let rows = self.github.as_ref()?.iter();
        let facts = rows.map(|(key, value)| {
            format!(
                "{} {}",
                key.trim_start_matches("github-"),
                words(Some(value))
            )
        });
        Some(facts.collect::<Vec<_>>().join(", "))
    }
}

fn words(value: Option<&serde_json::Value>) -> String {
    value.map_or_else(String::new, |value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    })
}
