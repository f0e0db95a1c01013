//! Declaring a skill where it is written.

/// Declares a skill, or a list of skills, as one of those that are collected from every linked crate.
///
/// What is wrapped stays what it is: a constant or a static. With the feature `inventory` it is in `StaticList::collected`
/// too, and `assert_complete!` knows of it; without the feature nothing else happens.
///
/// ```
/// use repertoire_source_static::{declare_skill, embed_skills};
///
/// declare_skill! {
///     /// Sorts new issues.
///     pub const TRIAGE: StaticSkill = StaticSkill::new("triage", "Sorts new issues.", "Label them.\n");
/// }
///
/// declare_skill! {
///     pub static HOUSE: StaticList = embed_skills!("tests/skills");
/// }
/// # use repertoire_source_static::StaticSkill;
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! declare_skill {
    ($(#[$attribute:meta])* $visibility:vis const $name:ident: StaticSkill = $skill:expr;) => {
        $(#[$attribute])* $visibility const $name: $crate::StaticSkill = $skill;
        $crate::__submit!(&[$name]);
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: StaticList = $list:expr;) => {
        $(#[$attribute])* $visibility static $name: $crate::StaticList = $list;
        $crate::__submit!($name.as_slice());
    };
}

#[cfg(feature = "inventory")]
#[doc(hidden)]
#[macro_export]
macro_rules! __submit {
    ($skills:expr) => {
        $crate::__private::inventory::submit! {
            $crate::__private::Declared::new(::core::module_path!(), $skills)
        }
    };
}

#[cfg(not(feature = "inventory"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __submit {
    ($skills:expr) => {};
}
