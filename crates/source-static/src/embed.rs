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
/// # assert_eq!(ids, ["report", "table"]);
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
/// id that comes twice, a link that leads out of its skill, and a folder without skills. Each names the file, the line and
/// the column, and what to do:
///
/// ```text
/// error: skills/report/SKILL.md:3:26: invalid YAML in `description`: a colon and a blank in a text without quotes; its text was taken as it stands
///        help: quote this value: `description: "Writes reports: one a week."`
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
