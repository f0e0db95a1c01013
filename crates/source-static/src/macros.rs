//! The macros that embed and declare skills.

/// Embeds every skill of a folder, with all its files, as a [`StaticList`](crate::StaticList).
///
/// ```
/// use repertoire_source_static::{StaticList, StaticSource, embed_skills};
///
/// /// Everything in `tests/skills`.
/// static SKILLS: StaticList = embed_skills!("tests/skills");
///
/// let source = StaticSource::new("builtin", SKILLS);
/// # let ids: Vec<_> = SKILLS.iter().map(|skill| skill.id()).collect();
/// # assert_eq!(ids, ["table", "report"]);
/// # drop(source);
/// ```
///
/// # Embedded files
/// The folder is relative to the folder of the package's `Cargo.toml`. The list is in order of paths.
///
/// - A folder that holds a `SKILL.md` is a skill, and nothing below it is a further one. Hidden folders and those of tools, such as
///   `node_modules`, are skipped.
/// - Every other file in the folder of a skill is a resource, links to files inside included.
/// - Each file is parsed by [`skill_md::parse`](repertoire_core::skill_md::parse), at build time for its errors and at run time for
///   its fields. The skill is the same as from a folder, but has no location. Nothing is written to disk.
///
/// # Errors of the compiler
/// Errors and warnings about a file on disk are errors here. So are a file without instructions, a repeated id, a link that leads
/// out of its skill, and a folder without skills. Each has its place and a fix:
///
/// ```text
/// error: skills/greet/SKILL.md:3:20: invalid YAML in `description`: an unquoted value cannot contain a colon followed by a space; [...]
///        help: quote this value: `description: "Greets: all."`
///  --> src/main.rs:9:43
/// ```
///
/// # Rebuilds
/// The compiler watches every embedded file, but a macro cannot watch a folder for new files. A build script can, with
/// `repertoire-source-static-build` under `[build-dependencies]`:
///
/// ```text
/// fn main() {
///     repertoire_source_static_build::rerun_if_skills_change("skills");
/// }
/// ```
#[macro_export]
macro_rules! embed_skills {
    ($folder:tt) => {
        $crate::__private::__embed_skills!($crate $folder)
    };
}

/// Embeds one `SKILL.md` of any file name as a [`StaticSkill`](crate::StaticSkill).
///
/// ```
/// use repertoire_source_static::{StaticList, StaticSkill, embed_skill};
///
/// const ROTATE: StaticSkill = embed_skill!("tests/prompts/rotate.md").with_variables(&[("TEAM", "Platform")]);
///
/// static SKILLS: StaticList = StaticList::new(&[ROTATE]);
/// # assert_eq!(ROTATE.id(), "rotate-keys");
/// ```
///
/// The path is relative to the folder of the package's `Cargo.toml`. The file is checked as [`embed_skills!`](crate::embed_skills)
/// checks its files. Its name without extension is the id if the file has no `name`. The skill has no resources.
#[macro_export]
macro_rules! embed_skill {
    ($file:tt) => {
        $crate::__private::__embed_skill!($crate $file)
    };
}

/// Declares a constant skill or a static list of skills.
///
/// With the feature `inventory` it is also collected for `StaticList::collected`, and the source kind `static` of configuration files
/// finds it by the name of the constant.
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
        $crate::__submit!($name, &[$name]);
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: StaticList = $list:expr;) => {
        $(#[$attribute])* $visibility static $name: $crate::StaticList = $list;
        $crate::__submit!($name, $name.__skills());
    };
}

#[cfg(feature = "inventory")]
#[doc(hidden)]
#[macro_export]
macro_rules! __submit {
    ($name:ident, $skills:expr) => {
        $crate::__private::inventory::submit! {
            $crate::__private::DeclaredSkills::new(::core::module_path!(), ::core::stringify!($name), $skills)
        }
    };
}

#[cfg(not(feature = "inventory"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __submit {
    ($name:ident, $skills:expr) => {};
}
