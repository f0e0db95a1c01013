//! The skills of a folder, checked.

use std::collections::HashMap;

use repertoire_core::{Code, Severity, Skill, Strictness, skill_md};

use crate::fault::Fault;
use crate::folder::{self, FILE_NAME};
use crate::place::Place;

/// What the expansion says of one skill.
#[derive(Debug, PartialEq)]
pub(crate) struct Embedded {
    pub(crate) id: String,
    pub(crate) description: String,
    /// The path of its `SKILL.md`.
    pub(crate) file: String,
    /// Paths inside the skill, and where the files lie.
    pub(crate) resources: Vec<(String, String)>,
}

/// The skills in `root`, in order of their paths, or everything that is wrong with them.
pub(crate) fn embed(root: &Place) -> Result<Vec<Embedded>, Vec<Fault>> {
    let folders = folder::skills(root).map_err(|fault| vec![fault])?;
    if folders.is_empty() {
        let help = format!("a skill is a folder in there with a `{FILE_NAME}`");
        return Err(vec![root.fault("there is no skill to embed").help(help)]);
    }
    let (mut skills, mut faults) = (Vec::new(), Vec::new());
    for folder in folders {
        match read(&folder) {
            Ok(skill) => skills.push((skill, folder)),
            Err(more) => faults.extend(more),
        }
    }
    let mut first: HashMap<&str, &Place> = HashMap::new();
    for (skill, folder) in &skills {
        if let Some(other) = first.insert(&skill.id, folder) {
            let message = format!("the id `{}` is taken by `{}`", skill.id, other.join(FILE_NAME.as_ref()).shown());
            faults.push(folder.join(FILE_NAME.as_ref()).fault(message).help("rename one of them"));
        }
    }
    if faults.is_empty() { Ok(skills.into_iter().map(|(skill, _)| skill).collect()) } else { Err(faults) }
}

/// The skill in `folder`.
fn read(folder: &Place) -> Result<Embedded, Vec<Fault>> {
    let file = folder.join(FILE_NAME.as_ref());
    let one = |fault: Fault| vec![fault];
    let bytes = file.read().map_err(one)?;
    let skill = parse(&bytes, &file, folder.name())?;
    let mut resources = Vec::new();
    for (path, resource) in folder::resources(folder).map_err(one)? {
        resources.push((path, resource.text().map_err(one)?));
    }
    Ok(Embedded {
        id: skill.id.as_str().to_owned(),
        description: skill.description.as_ref().to_owned(),
        file: file.text().map_err(one)?,
        resources,
    })
}

/// The skill that a file gives. Warnings count: who could mend the file is the one who reads them.
fn parse(bytes: &[u8], file: &Place, directory: Option<&str>) -> Result<Skill, Vec<Fault>> {
    let shown = file.shown();
    let site = skill_md::Site::new(&shown);
    let site = directory.map_or(site, |name| site.in_directory(name));
    let parsed = skill_md::parse(bytes, site);
    let findings = parsed.diagnostics.into_iter().filter(|finding| finding.severity > Severity::Info);
    let mut faults: Vec<Fault> = findings.map(Fault::from).collect();
    let Some(skill) = parsed.skill else { return Err(faults) };
    match skill_md::body(bytes) {
        Ok(body) if body.trim().is_empty() => {
            let end = bytes.split(|byte| *byte == b'\n').count();
            let fault = Fault::new(format!("{shown}:{end}:1"), "there are no instructions");
            faults.push(fault.help("say behind the frontmatter what to do"));
        }
        Ok(_) => {}
        // Only the strict verdict looks behind the front matter.
        Err(_) => {
            let limits = skill_md::Limits::default();
            let strict = skill_md::parse_with(bytes, site, &limits, Strictness::Strict).diagnostics;
            faults.extend(strict.into_iter().filter(|finding| finding.code == Code::NOT_UTF8).map(Fault::from));
        }
    }
    if faults.is_empty() { Ok(skill) } else { Err(faults) }
}

#[cfg(test)]
mod tests;
