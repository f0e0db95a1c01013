//! Skills that were fetched and are not installed.

use repertoire_core::skill_md::{self, FileContext};
use repertoire_core::{Body, Diagnostic, Digest, ResourcePath, Severity, Skill, Stamp};

use crate::file_tree::{FileTree, segment_fault};
use crate::install_error::InstallError;

/// A skill that was fetched and is not installed.
#[derive(Debug)]
#[non_exhaustive]
pub struct SourceSkill {
    /// The skill as its `SKILL.md` states it. Its id is the name of the installed folder.
    pub skill: Skill,
    /// The folder in the source, or the name in an index; `None` at the top.
    pub folder: Option<ResourcePath>,
    /// The digest that an index states of the file that holds the skill.
    pub artifact: Option<Digest>,
    /// The files.
    pub tree: FileTree,
    /// The files of the source that are never part of a skill.
    pub left_out: Vec<ResourcePath>,
    /// The problems of `SKILL.md`, hidden text in its body included.
    pub diagnostics: Vec<Diagnostic>,
}

impl SourceSkill {
    /// Parses the skill in `folder` of a source; empty for a skill at the top.
    ///
    /// # Errors
    /// [`Refused`](crate::InstallErrorKind::Refused) without a valid `SKILL.md`, and for a name that cannot be that of a folder.
    pub fn parse(folder: &str, tree: FileTree) -> Result<SourceSkill, InstallError> {
        let (tree, left_out) = tree.without_apart();
        let text = tree.get("SKILL.md").cloned().unwrap_or_default();
        let name = folder.rsplit('/').next().filter(|name| !name.is_empty());
        let context = FileContext::new("SKILL.md");
        let context = name.map_or(context, |name| context.in_directory(name));
        let parsed = skill_md::parse(&text, context);
        let Some(skill) = parsed.skill else {
            let mut errors = parsed.diagnostics.iter();
            let error = errors.find(|diagnostic| diagnostic.severity == Severity::Error);
            let message = error.map_or("it is not a skill", |error| &*error.message);
            return Err(InstallError::refused(format!("`SKILL.md`: {message}")));
        };
        // The name becomes that of a folder.
        let id = skill.id.as_str();
        if let Some(fault) = segment_fault(id) {
            return Err(InstallError::refused(format!(
                "`{id}` is not the name of a folder: {fault}"
            )));
        }
        if id.starts_with('.') || ResourcePath::new(id).is_err() {
            return Err(InstallError::refused(format!(
                "`{id}` is not the name of a folder"
            )));
        }
        let mut diagnostics = parsed.diagnostics;
        let body = Body::of_file(&text, Stamp::of("fetched"));
        let body = body.map_err(|error| InstallError::refused(format!("`SKILL.md`: {error}")))?;
        diagnostics.extend(body.diagnostic());
        Ok(SourceSkill {
            folder: folder.parse().ok(),
            artifact: None,
            skill,
            tree,
            left_out,
            diagnostics,
        })
    }

    /// Returns the files that are programs: by their first bytes, by their folder `scripts`, or by their ending.
    pub fn programs(&self) -> Vec<&ResourcePath> {
        const ENDINGS: [&str; 10] = [
            "bash", "bat", "cmd", "js", "mjs", "pl", "ps1", "py", "rb", "sh",
        ];
        let programs = self.tree.files().filter(|(path, bytes)| {
            let ending = path.as_str().rsplit_once('.').map(|(_, ending)| ending);
            path.as_str().starts_with("scripts/")
                || FileTree::is_program(bytes)
                || ending.is_some_and(|ending| ENDINGS.contains(&ending))
        });
        programs.map(|(path, _)| path).collect()
    }
}
