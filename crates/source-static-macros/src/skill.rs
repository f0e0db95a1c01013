//! The skills of a folder, checked.

use std::collections::HashMap;
use std::ffi::OsStr;

use repertoire_core::{Code, Severity, Skill, Strictness, skill_md};

use crate::folder::{self, FILE_NAME};
use crate::source_path::{EmbedError, SourcePath};

/// The parts of one skill in the expansion.
#[derive(Debug, PartialEq)]
pub(crate) struct EmbeddedSkill {
    pub(crate) id: String,
    pub(crate) description: String,
    /// The path of its `SKILL.md`.
    pub(crate) file: String,
    /// The path inside the skill and the real path of each file.
    pub(crate) resources: Vec<(String, String)>,
}

/// Returns the skills in `root`, in order of their paths, or all errors.
pub(crate) fn embed(root: &SourcePath) -> Result<Vec<EmbeddedSkill>, Vec<EmbedError>> {
    let folders = folder::skills(root)?;
    if folders.is_empty() {
        let help = format!("a skill is a folder in there with a `{FILE_NAME}`");
        return Err(vec![root.error("there is no skill to embed").help(help)]);
    }
    let (mut skills, mut errors) = (Vec::new(), Vec::new());
    for folder in folders {
        match read(&folder) {
            Ok(skill) => skills.push((skill, folder)),
            Err(more) => errors.extend(more),
        }
    }
    let mut first: HashMap<&str, &SourcePath> = HashMap::new();
    for (skill, folder) in &skills {
        if let Some(other) = first.insert(&skill.id, folder) {
            let message = format!(
                "the id `{}` is taken by `{}`",
                skill.id,
                other.join(FILE_NAME.as_ref()).shown()
            );
            errors.push(
                folder
                    .join(FILE_NAME.as_ref())
                    .error(message)
                    .help("rename one of them"),
            );
        }
    }
    if errors.is_empty() {
        Ok(skills.into_iter().map(|(skill, _)| skill).collect())
    } else {
        Err(errors)
    }
}

/// Returns the skill of one file, which may have any name.
pub(crate) fn embed_file(file: &SourcePath) -> Result<EmbeddedSkill, Vec<EmbedError>> {
    let bytes = file.read()?;
    // A file that names its skill may have a different name.
    let is_named = skill_md::place(&bytes, "name")
        .or_else(|| skill_md::place(&bytes, "id"))
        .is_some();
    let stem = file
        .path
        .file_stem()
        .and_then(OsStr::to_str)
        .filter(|_| !is_named);
    embedded(&bytes, file, stem, Vec::new())
}

fn read(folder: &SourcePath) -> Result<EmbeddedSkill, Vec<EmbedError>> {
    let file = folder.join(FILE_NAME.as_ref());
    let bytes = file.read()?;
    let mut resources = Vec::new();
    for (path, resource) in folder::resources(folder)? {
        resources.push((path, resource.text()?));
    }
    embedded(&bytes, &file, folder.name(), resources)
}

fn embedded(
    bytes: &[u8],
    file: &SourcePath,
    directory: Option<&str>,
    resources: Vec<(String, String)>,
) -> Result<EmbeddedSkill, Vec<EmbedError>> {
    let skill = parse(bytes, file, directory)?;
    let (id, description) = (
        skill.id.as_str().to_owned(),
        skill.description.as_ref().to_owned(),
    );
    Ok(EmbeddedSkill {
        id,
        description,
        file: file.text()?,
        resources,
    })
}

/// Returns the skill of a file. Warnings are errors here: the author of the file reads them.
fn parse(
    bytes: &[u8],
    file: &SourcePath,
    directory: Option<&str>,
) -> Result<Skill, Vec<EmbedError>> {
    let shown = file.shown();
    let site = skill_md::FileContext::new(&shown);
    let site = directory.map_or(site, |name| site.in_directory(name));
    let parsed = skill_md::parse(bytes, site);
    let diagnostics = parsed
        .diagnostics
        .into_iter()
        .filter(|diagnostic| diagnostic.severity > Severity::Info);
    let mut errors: Vec<EmbedError> = diagnostics.map(EmbedError::from).collect();
    let Some(skill) = parsed.skill else {
        return Err(errors);
    };
    match skill_md::body(bytes) {
        Ok(body) if body.trim().is_empty() => {
            let end = bytes.split(|byte| *byte == b'\n').count();
            let error = EmbedError::new(format!("{shown}:{end}:1"), "there are no instructions");
            errors.push(error.help("say behind the frontmatter what to do"));
        }
        Ok(_) => {}
        // Only the strict verdict looks behind the front matter.
        Err(_) => {
            let limits = skill_md::Limits::default();
            let strict = skill_md::parse_with(bytes, site, &limits, Strictness::Strict).diagnostics;
            errors.extend(
                strict
                    .into_iter()
                    .filter(|diagnostic| diagnostic.code == Code::NOT_UTF8)
                    .map(EmbedError::from),
            );
        }
    }
    if errors.is_empty() {
        Ok(skill)
    } else {
        Err(errors)
    }
}

#[cfg(test)]
mod tests;
