//! The macro that embeds a folder of skills.

/// Embeds every skill of a folder, with all its files, as a [`StaticList`](crate::StaticList).
///
/// ```
/// use repertoire_source_static::{StaticList, StaticSource, embed_skills};
///
/// /// Everything in `tests/skills`.
/// static SKILLS: StaticList = embed_skills!("tests/skills");
///
/// let source = StaticSource::new(SKILLS);
/// # let ids: Vec<_> = SKILLS.iter().map(|skill| skill.id()).collect();
/// # assert_eq!(ids, ["table", "report"]);
/// # drop(source);
/// ```
///
/// # What is embedded
/// The folder is named from the package's own, where its `Cargo.toml` lies. A folder in there that holds a `SKILL.md` is a
/// skill, and nothing below it is another one; hidden folders and those of tools, `node_modules` and the like, are
/// passed over. Every other file in the folder of a skill is a resource of it, links to files inside included. The list is
/// in order of paths.
///
/// Each file is parsed by [`skill_md::parse`](repertoire_core::skill_md::parse), at build time for its faults and at run
/// time for its fields: the skill is the same as from a folder, except that it has no location. Nothing is written to
/// disk.
///
/// # Errors of the compiler
/// What would be an error or a warning about a file on disk is an error here, and so are a file without instructions, an
/// id that comes twice, a link that leads out of its skill, and a folder without skills. Each says where, for the text of a
/// file with line and column, and what to do:
///
/// ```text
/// error: skills/greet/SKILL.md:3:20: invalid YAML in `description`: unquoted text must not hold a colon before a blank; [...]
///        help: quote this value: `description: "Greets: all."`
///  --> src/main.rs:9:43
/// ```
///
/// # What is built anew
/// The compiler watches every embedded file, so an edited or removed one is seen. A new one is not, since a macro cannot
/// watch a folder. A build script can; with `repertoire-source-static-build` under `[build-dependencies]` it is one line:
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
