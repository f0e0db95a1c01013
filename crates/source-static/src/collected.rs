//! What was declared in every linked crate.

use std::fmt;
use std::sync::OnceLock;

use crate::{StaticList, StaticSkill};

/// One use of `declare_skill!`.
#[derive(Debug)]
pub struct Declared {
    module: &'static str,
    skills: &'static [StaticSkill],
}

inventory::collect!(Declared);

impl Declared {
    /// Called by `declare_skill!`.
    pub const fn new(module: &'static str, skills: &'static [StaticSkill]) -> Declared {
        Declared { module, skills }
    }

    /// Every declared skill and the module that it stands in, by id. The linker decides about the order of collection, so
    /// that means nothing.
    fn all() -> Vec<(&'static StaticSkill, &'static str)> {
        let declared = inventory::iter::<Declared>();
        let mut all: Vec<_> =
            declared.flat_map(|declared| declared.skills.iter().map(|skill| (skill, declared.module))).collect();
        all.sort_by_key(|(skill, module)| (skill.id(), *module));
        all
    }
}

impl StaticList {
    /// Every skill that a linked crate declares with [`declare_skill!`](crate::declare_skill), by id. Feature `inventory`.
    ///
    /// A crate that is only a dependency is *not* linked: the linker drops it together with its skills. The program says
    /// `use its_name as _;`. The collection is made once; what a library brings that is loaded later is not in it.
    ///
    /// # Errors
    /// [`DeclaredTwice`] when two declarations claim one id.
    pub fn collected() -> Result<StaticList, DeclaredTwice> {
        static COLLECTED: OnceLock<Result<Vec<StaticSkill>, DeclaredTwice>> = OnceLock::new();
        match COLLECTED.get_or_init(|| unique(&Declared::all())) {
            Ok(skills) => Ok(StaticList::new(skills)),
            Err(twice) => Err(twice.clone()),
        }
    }
}

/// The skills of rows that are sorted by id.
fn unique(rows: &[(&StaticSkill, &'static str)]) -> Result<Vec<StaticSkill>, DeclaredTwice> {
    let claims = rows.chunk_by(|(a, _), (b, _)| a.id() == b.id()).filter(|claims| claims.len() > 1);
    let twice: Vec<_> =
        claims.map(|claims| (claims[0].0.id(), claims.iter().map(|(_, module)| *module).collect())).collect();
    if twice.is_empty() { Ok(rows.iter().map(|(skill, _)| **skill).collect()) } else { Err(DeclaredTwice(twice)) }
}

/// Two declarations claim one id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredTwice(Vec<(&'static str, Vec<&'static str>)>);

impl fmt::Display for DeclaredTwice {
    /// Every such id, with the modules of its declarations.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (id, modules)) in self.0.iter().enumerate() {
            let separator = if at == 0 { "" } else { "; " };
            write!(f, "{separator}the skill `{id}` is declared in `{}`", modules.join("` and `"))?;
        }
        Ok(())
    }
}

impl std::error::Error for DeclaredTwice {}

/// Asserts that a list holds every skill that its crate declares with [`declare_skill!`](crate::declare_skill); the
/// message names those that it lacks. Feature `inventory`.
///
/// With a list of constants a new skill takes two edits. This is for the test that notices a forgotten second one;
/// [`embed_skills!`](crate::embed_skills) takes one edit and no test. A skill that is written without `declare_skill!` is
/// not noticed here: as a private constant the compiler calls it unused, as a public one nobody does.
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
/// An integration test is a crate of its own and names the one that is meant: `assert_complete!(SKILLS, "my_skills")`.
///
/// To have the test without a collection in the program, turn the feature on in `[dev-dependencies]` alone.
///
/// # Panics
/// When a skill is missing, and when the crate declares none: then nothing was checked.
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
    let mut declared = Declared::all();
    declared.retain(|(_, module)| root(module) == krate);
    assert!(!declared.is_empty(), "the crate `{krate}` declares no skill with `declare_skill!`: nothing was checked");
    declared.retain(|(skill, _)| !list.iter().any(|listed| listed.id() == skill.id()));
    let missing: Vec<_> = declared.iter().map(|(skill, module)| format!("`{}` of `{module}`", skill.id())).collect();
    assert!(missing.is_empty(), "declared and not in the list: {}", missing.join(", "));
}

/// The crate that a module belongs to.
fn root(module: &str) -> &str {
    module.split("::").next().unwrap_or(module)
}

#[cfg(test)]
mod tests;
