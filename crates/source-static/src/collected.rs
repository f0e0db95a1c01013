//! The skills that all linked crates declare.

use std::fmt;
use std::sync::OnceLock;

use crate::{StaticList, StaticSkill};

/// The skills of one use of `declare_skill!`.
#[derive(Debug)]
pub struct DeclaredSkills {
    module: &'static str,
    skills: &'static [StaticSkill],
}

inventory::collect!(DeclaredSkills);

impl DeclaredSkills {
    /// Creates it. Called by `declare_skill!`.
    pub const fn new(module: &'static str, skills: &'static [StaticSkill]) -> DeclaredSkills {
        DeclaredSkills { module, skills }
    }

    /// Returns every declared skill and its module, sorted by id, because the linker decides about the order of collection.
    fn all() -> Vec<(&'static StaticSkill, &'static str)> {
        let declared = inventory::iter::<DeclaredSkills>();
        let mut all: Vec<_> =
            declared.flat_map(|declared| declared.skills.iter().map(|skill| (skill, declared.module))).collect();
        all.sort_by_key(|(skill, module)| (skill.id(), *module));
        all
    }
}

impl StaticList {
    /// Returns every skill that a linked crate declares with [`declare_skill!`](crate::declare_skill), sorted by id. Feature
    /// `inventory`.
    ///
    /// The linker drops a crate that is only a dependency, and its skills with it: the program has to say `use its_name as _;`. The
    /// collection is made once, and a library that is loaded later is not in it.
    ///
    /// # Errors
    /// [`DeclaredTwice`] if two declarations have the same id.
    pub fn collected() -> Result<StaticList, DeclaredTwice> {
        static COLLECTED: OnceLock<Result<Vec<StaticSkill>, DeclaredTwice>> = OnceLock::new();
        match COLLECTED.get_or_init(|| unique(&DeclaredSkills::all())) {
            Ok(skills) => Ok(StaticList::new(skills)),
            Err(twice) => Err(twice.clone()),
        }
    }
}

fn unique(rows: &[(&StaticSkill, &'static str)]) -> Result<Vec<StaticSkill>, DeclaredTwice> {
    let candidates = rows.chunk_by(|(a, _), (b, _)| a.id() == b.id()).filter(|candidates| candidates.len() > 1);
    let twice: Vec<_> = candidates
        .map(|candidates| (candidates[0].0.id(), candidates.iter().map(|(_, module)| *module).collect()))
        .collect();
    if twice.is_empty() { Ok(rows.iter().map(|(skill, _)| **skill).collect()) } else { Err(DeclaredTwice(twice)) }
}

/// The error of two declarations with the same id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredTwice(Vec<(&'static str, Vec<&'static str>)>);

impl fmt::Display for DeclaredTwice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (id, modules)) in self.0.iter().enumerate() {
            let separator = if at == 0 { "" } else { "; " };
            write!(f, "{separator}the skill `{id}` is declared in `{}`", modules.join("` and `"))?;
        }
        Ok(())
    }
}

impl std::error::Error for DeclaredTwice {}

/// Asserts that a list holds every skill that its crate declares with [`declare_skill!`](crate::declare_skill). The message names the
/// missing ones. Feature `inventory`.
///
/// With a list of constants a new skill takes two edits, and a test with this macro notices a forgotten second one. A skill without
/// `declare_skill!` is not checked. [`embed_skills!`](crate::embed_skills) takes one edit and no test.
///
/// ```standalone_crate
/// use repertoire_source_static::{StaticList, StaticSkill, assert_complete, declare_skill};
///
/// declare_skill! {
///     pub const TRIAGE: StaticSkill = StaticSkill::new("triage", "Sorts new issues.", "Label them.\n");
/// }
///
/// static SKILLS: StaticList = StaticList::new(&[TRIAGE]);
///
/// # fn main() {
/// // In a unit test:
/// assert_complete!(SKILLS);
/// # }
/// ```
///
/// An integration test is a crate of its own and names the crate to check: `assert_complete!(SKILLS, "my_skills")`.
///
/// To have the test without a collection in the program, turn the feature on in `[dev-dependencies]` alone.
///
/// # Panics
/// If a skill is missing, or if the crate declares none.
#[macro_export]
macro_rules! assert_complete {
    ($list:expr) => {
        $crate::assert_complete!($list, ::core::module_path!())
    };
    ($list:expr, $krate:expr) => {
        $crate::__private::assert_complete($list, $krate)
    };
}

#[track_caller]
#[doc(hidden)]
pub fn assert_complete(list: StaticList, module: &str) {
    let krate = root(module);
    let mut declared = DeclaredSkills::all();
    declared.retain(|(_, module)| root(module) == krate);
    assert!(!declared.is_empty(), "the crate `{krate}` declares no skill with `declare_skill!`: nothing was checked");
    declared.retain(|(skill, _)| !list.iter().any(|listed| listed.id() == skill.id()));
    let missing: Vec<_> = declared.iter().map(|(skill, module)| format!("`{}` of `{module}`", skill.id())).collect();
    assert!(missing.is_empty(), "declared and not in the list: {}", missing.join(", "));
}

fn root(module: &str) -> &str {
    module.split("::").next().unwrap_or(module)
}

#[cfg(test)]
mod tests;
