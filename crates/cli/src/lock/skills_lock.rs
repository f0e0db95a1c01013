//! `skills-lock.json`, version 1: the skills that the tool `skills` installs into a project.

#[cfg(feature = "install")]
mod installed_row;

use std::collections::BTreeMap;
use std::path::Path;

use repertoire::Id;
use serde_json::{Map, Value, json};

use crate::failure::Failure;

/// A parsed `skills-lock.json`; its schema is `docs/schema/skills-lock-1.json`. Unknown fields are kept.
#[derive(Debug, Default)]
pub(crate) struct SkillsLock {
    rows: BTreeMap<JsKey, Map<String, Value>>,
    /// The fields beside `version` and `skills`.
    others: Map<String, Value>,
}

/// The origin of a skill, as a row states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OriginRow<'a> {
    /// `OWNER/REPOSITORY`, a URL or a path.
    pub(crate) source: &'a str,
    /// `local`, `git`, `github` and the like.
    pub(crate) kind: &'a str,
    /// The branch or tag.
    pub(crate) reference: Option<&'a str>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct JsKey {
    /// The order of JavaScript: array indices as numbers, then other keys by UTF-16 code units.
    order: (bool, u64, Vec<u16>),
    name: String,
}

impl JsKey {
    fn new(name: &str) -> JsKey {
        let index = name
            .parse::<u32>()
            .ok()
            .filter(|index| *index != u32::MAX && index.to_string() == name);
        let order = (
            index.is_none(),
            index.map_or(0, u64::from),
            name.encode_utf16().collect(),
        );
        JsKey {
            order,
            name: name.to_owned(),
        }
    }
}

const VERSION: u64 = 1;

const TEXTS: [&str; 3] = ["source", "sourceType", "computedHash"];

impl SkillsLock {
    pub(crate) const NAME: &str = "skills-lock.json";

    pub(crate) fn read(folder: &Path) -> Result<Option<SkillsLock>, Failure> {
        let Some(value) = super::read(&folder.join(Self::NAME), Self::NAME)? else {
            return Ok(None);
        };
        let refuse = |message: String| Failure::new(format!("`{}`: {message}", Self::NAME));
        super::check_version(&value, "version", &VERSION.into(), Self::NAME)?;
        let mut others = match value {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        let skills = others.get_mut("skills").map(Value::take);
        let Some(Value::Object(skills)) = skills else {
            return Err(refuse("expected an object `skills`".to_owned()));
        };
        others.retain(|field, _| !["version", "skills"].contains(&field.as_str()));
        let mut rows = BTreeMap::new();
        for (name, row) in &skills {
            for field in TEXTS {
                if !row.get(field).is_some_and(Value::is_string) {
                    return Err(refuse(format!("skill `{name}`: expected a text `{field}`")));
                }
            }
            rows.insert(
                JsKey::new(name),
                row.as_object().expect("it has fields").clone(),
            );
        }
        Ok(Some(SkillsLock { rows, others }))
    }

    pub(crate) fn hashes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.rows.iter().map(|(key, row)| {
            (
                key.name.as_str(),
                row["computedHash"].as_str().expect("checked when read"),
            )
        })
    }

    /// Returns the origin of a skill.
    pub(crate) fn origin(&self, id: &Id) -> Option<OriginRow<'_>> {
        let mut rows = self.rows.iter();
        let (_, row) = rows.find(|(key, _)| means(&key.name, id))?;
        let text = |field: &str| row.get(field).and_then(Value::as_str);
        Some(OriginRow {
            source: text("source")?,
            kind: text("sourceType")?,
            reference: text("ref"),
        })
    }

    pub(crate) fn has(&self, id: &Id) -> bool {
        self.rows.keys().any(|key| means(&key.name, id))
    }

    pub(crate) fn lock(&mut self, id: &Id, path: &str, hash: &str) {
        let mut is_new = true;
        for (_, row) in self.rows.iter_mut().filter(|(key, _)| means(&key.name, id)) {
            row.insert("computedHash".to_owned(), hash.into());
            is_new = false;
        }
        if is_new {
            let row =
                json!({ "source": format!("./{path}"), "sourceType": LOCAL, "computedHash": hash });
            let Value::Object(row) = row else {
                unreachable!("written as an object")
            };
            self.rows.insert(JsKey::new(id.as_str()), row);
        }
    }

    /// Removes local rows whose id is not `locked`, and returns the names of the other rows that are not locked.
    ///
    /// A row with a remote origin asks the tool to install a skill, so it stays until that is done.
    pub(crate) fn retain(&mut self, locked: impl Fn(&str) -> bool) -> Vec<String> {
        self.rows
            .retain(|key, row| locked(&key.name) || row["sourceType"] != LOCAL);
        self.rows
            .keys()
            .filter(|key| !locked(&key.name))
            .map(|key| key.name.clone())
            .collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn text(&self) -> String {
        let skills: Map<_, _> = self
            .rows
            .iter()
            .map(|(key, row)| (key.name.clone(), row.clone().into()))
            .collect();
        let mut document = Map::from_iter([("version".to_owned(), VERSION.into())]);
        document.extend(self.others.clone());
        document.insert("skills".to_owned(), skills.into());
        super::to_text(&document)
    }
}

const LOCAL: &str = "local";

fn means(name: &str, id: &Id) -> bool {
    Id::new(name).is_ok_and(|name| name == *id)
}

#[cfg(test)]
mod tests;
