//! The skills that all linked crates declare.

use std::collections::HashMap;
use std::fmt;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::{StaticList, StaticSkill};

/// The skills of one use of `declare_skill!`.
#[derive(Debug)]
pub struct DeclaredSkills {
    module: &'static str,
    /// The name of the constant.
    name: &'static str,
    skills: &'static [StaticSkill],
}

inventory::collect!(DeclaredSkills);

impl DeclaredSkills {
    /// Creates it. Called by `declare_skill!`.
    pub const fn new(
        module: &'static str,
        name: &'static str,
        skills: &'static [StaticSkill],
    ) -> DeclaredSkills {
        DeclaredSkills {
            module,
            name,
            skills,
        }
    }
}

impl StaticList {
    /// Returns every skill that a linked crate declares with [`declare_skill!`](crate::declare_skill), sorted by id. Feature
    /// `inventory`.
    ///
    /// The linker drops a crate that is only a dependency, and its skills with it: the program has to say `use its_name as _;`. A
    /// library that is loaded later is not in the collection.
    ///
    /// # Errors
    /// [`DeclaredTwice`] if two declarations have the same id.
    pub fn collected() -> Result<StaticList, DeclaredTwice> {
        StaticList::declared("")
    }

    /// Returns the declared skills whose constant is called `name`, as [`collected`](StaticList::collected) returns all. Letter case
    /// and the difference between `_` and `-` are ignored. Feature `inventory`.
    ///
    /// The list is empty if no constant has this name.
    ///
    /// # Errors
    /// [`DeclaredTwice`] if two declarations have the same id.
    pub fn declared(name: &str) -> Result<StaticList, DeclaredTwice> {
        type Lists = HashMap<String, Result<StaticList, DeclaredTwice>>;
        // A list is made once, as it stays in memory.
        static LISTS: LazyLock<Mutex<Lists>> = LazyLock::new(Mutex::default);
        let name = spelled(name);
        let mut lists = LISTS.lock().unwrap_or_else(PoisonError::into_inner);
        lists
            .entry(name.clone())
            .or_insert_with(|| collect(&name))
            .clone()
    }
}

fn spelled(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}

fn collect(name: &str) -> Result<StaticList, DeclaredTwice> {
    let mut rows = Vec::new();
    for declared in inventory::iter::<DeclaredSkills>() {
        if name.is_empty() || spelled(declared.name) == name {
            rows.extend(declared.skills.iter().map(|skill| (skill, declared.module)));
        }
    }
    // The linker decides about the order of collection.
    rows.sort_by_key(|(skill, module)| (skill.id(), *module));
    Ok(StaticList::new(unique(&rows)?.leak()))
}

fn unique(rows: &[(&StaticSkill, &'static str)]) -> Result<Vec<StaticSkill>, DeclaredTwice> {
    let candidates = rows
        .chunk_by(|(a, _), (b, _)| a.id() == b.id())
        .filter(|candidates| candidates.len() > 1);
    let twice: Vec<_> = candidates
        .map(|candidates| {
            (
                candidates[0].0.id(),
                candidates.iter().map(|(_, module)| *module).collect(),
            )
        })
        .collect();
    if twice.is_empty() {
        Ok(rows.iter().map(|(skill, _)| **skill).collect())
    } else {
        Err(DeclaredTwice(twice))
    }
}

/// The error of two declarations with the same id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredTwice(Vec<(&'static str, Vec<&'static str>)>);

impl fmt::Display for DeclaredTwice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (id, modules)) in self.0.iter().enumerate() {
            let separator = if at == 0 { "" } else { "; " };
            write!(
                f,
                "{separator}the skill `{id}` is declared in `{}`",
                modules.join("` and `")
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for DeclaredTwice {}

#[cfg(test)]
mod tests;
