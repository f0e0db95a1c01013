//! `skills-lock.json`, version 1: what the tool `skills` installs into a project.

use std::collections::BTreeMap;
use std::path::Path;

use repertoire::Id;
use serde_json::{Map, Value, json};

use super::document;
use crate::failure::Failure;

/// What `skills-lock.json` says: `docs/schema/skills-lock-1.json`. Rows keep every field that they have.
#[derive(Debug, Default)]
pub(crate) struct SkillsLock {
    rows: BTreeMap<Key, Map<String, Value>>,
}

/// A key of the map, in the tool's order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// What JavaScript takes for the index of an array comes first, as a number; all else by UTF-16 code units.
    order: (bool, u64, Vec<u16>),
    name: String,
}

impl Key {
    fn new(name: &str) -> Key {
        let index = name.parse::<u32>().ok().filter(|index| *index != u32::MAX && index.to_string() == name);
        let order = (index.is_none(), index.map_or(0, u64::from), name.encode_utf16().collect());
        Key { order, name: name.to_owned() }
    }
}

const VERSION: u64 = 1;

/// What every row has.
const TEXTS: [&str; 3] = ["source", "sourceType", "computedHash"];

impl SkillsLock {
    pub(crate) const NAME: &str = "skills-lock.json";

    /// The one in `folder`, if there is one.
    pub(crate) fn read(folder: &Path) -> Result<Option<SkillsLock>, Failure> {
        let Some(value) = document::read(&folder.join(Self::NAME), Self::NAME)? else { return Ok(None) };
        let refuse = |message: String| Failure::new(format!("`{}`: {message}", Self::NAME));
        match value.get("version") {
            Some(version) if *version == VERSION => {}
            Some(version) => return Err(refuse(format!("expected version {VERSION}, found {version}"))),
            None => return Err(refuse(format!("expected version {VERSION}, found none"))),
        }
        let Some(Value::Object(skills)) = value.get("skills") else {
            return Err(refuse("expected an object `skills`".to_owned()));
        };
        let mut rows = BTreeMap::new();
        for (name, row) in skills {
            let is_text = |field: &&str| row.get(*field).is_some_and(Value::is_string);
            if let Some(field) = TEXTS.iter().find(|field| !is_text(field)) {
                return Err(refuse(format!("skill `{name}`: expected a text `{field}`")));
            }
            rows.insert(Key::new(name), row.as_object().expect("it has fields").clone());
        }
        Ok(Some(SkillsLock { rows }))
    }

    /// Each name and its `computedHash`.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.rows.iter().map(|(key, row)| (key.name.as_str(), row["computedHash"].as_str().expect("checked when read")))
    }

    /// Whether a name stands for `id`.
    pub(crate) fn has(&self, id: &Id) -> bool {
        self.rows.keys().any(|key| means(&key.name, id))
    }

    /// Locks `id`, which lies at `path`. A row that is there says where the skill comes from, and goes on saying so.
    pub(crate) fn lock(&mut self, id: &Id, path: &str, hash: &str) {
        let mut is_new = true;
        for (_, row) in self.rows.iter_mut().filter(|(key, _)| means(&key.name, id)) {
            row.insert("computedHash".to_owned(), hash.into());
            is_new = false;
        }
        if is_new {
            let row = json!({ "source": format!("./{path}"), "sourceType": LOCAL, "computedHash": hash });
            let Value::Object(row) = row else { unreachable!("written as an object") };
            self.rows.insert(Key::new(id.as_str()), row);
        }
    }

    /// Takes out every local row whose id is not `locked`; the names of those that stay without it.
    ///
    /// A row with another origin is an order to install, and remains one where nothing was installed.
    pub(crate) fn retain(&mut self, locked: impl Fn(&str) -> bool) -> Vec<String> {
        self.rows.retain(|key, row| locked(&key.name) || row["sourceType"] != LOCAL);
        self.rows.keys().filter(|key| !locked(&key.name)).map(|key| key.name.clone()).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn text(&self) -> String {
        let skills: Map<_, _> = self.rows.iter().map(|(key, row)| (key.name.clone(), row.clone().into())).collect();
        document::text(&json!({ "version": VERSION, "skills": skills }))
    }
}

const LOCAL: &str = "local";

/// Whether a name as the tool writes it is an id.
fn means(name: &str, id: &Id) -> bool {
    Id::new(name).is_ok_and(|name| name == *id)
}

#[cfg(test)]
mod tests;
