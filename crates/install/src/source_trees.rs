//! The files of the skills that a source lists.

use repertoire_core::{Id, Skill, Source, SourceError, SourceErrorKind};

use crate::fetcher::FoundTree;
use crate::file_tree::{FileTree, TreeBuilder};
use crate::install_error::{InstallError, InstallErrorKind};
use crate::limits;
use crate::reference::Reference;

/// Reads the skill that a reference names, or every skill.
pub(crate) async fn read(
    source: &dyn Source<Skill>,
    reference: &Reference,
) -> Result<Vec<FoundTree>, InstallError> {
    let listing = source.list().await.map_err(|error| failed(&error))?;
    let name = reference.folder();
    let ids = listing.iter().map(|row| &row.item.id);
    let ids: Vec<_> = ids
        .filter(|id| name.is_none_or(|name| name.as_str() == id.as_str()))
        .collect();
    if ids.len() > limits::SKILLS {
        let message = format!("`{reference}` has more than {} skills", limits::SKILLS);
        return Err(InstallError::refused(message));
    }
    let mut found = Vec::new();
    for id in ids {
        found.push((id.to_string(), read_skill(source, id).await));
    }
    Ok(found)
}

async fn read_skill(source: &dyn Source<Skill>, id: &Id) -> Result<FileTree, InstallError> {
    let files = source.resources(id).await.map_err(|error| failed(&error))?;
    let mut tree = TreeBuilder::default();
    for file in files {
        // The size is checked before anything is read.
        let path = tree.announce(file.path.as_str(), file.size)?;
        let bytes = source.resource(id, &path).await;
        tree.fill(path, bytes.map_err(|error| failed(&error))?);
    }
    let document = "SKILL.md".parse().expect("it is a path");
    let bytes = source.resource(id, &document).await;
    let bytes = bytes.map_err(|error| failed(&error))?;
    tree.add(document.as_str(), bytes)?;
    Ok(tree.finish())
}

fn failed(error: &SourceError) -> InstallError {
    let kind = match error.kind() {
        SourceErrorKind::NotFound | SourceErrorKind::Unavailable => InstallErrorKind::Unavailable,
        _ => InstallErrorKind::Refused,
    };
    InstallError::new(kind, error.to_string())
}
