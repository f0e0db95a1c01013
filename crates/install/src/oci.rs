//! Skills in OCI registries.
//!
//! Read are artifacts of the drafts for agent skills, container images that hold skills, artifacts with one layer for each file,
//! and collections, which are indexes of these.

mod docker_config;
mod layers;
mod manifest;
mod registry;

use std::path::Path;
use std::time::SystemTime;

use futures_util::stream::{self, StreamExt, TryStreamExt};
use repertoire_core::{Digest, ResourcePath};

use crate::file_tree::FileTree;
use crate::http::HttpClient;
use crate::install_error::InstallError;
use crate::oci_reference::OciReference;
use crate::skill_folders::skill_folders;
use docker_config::DockerConfig;
pub use docker_config::docker_config_file;
use manifest::{Descriptor, ManifestContent};
use registry::{Repository, TimedTree};

/// The files of an artifact.
#[derive(Debug)]
pub(crate) struct OciArtifact {
    /// The digest of its manifest, or of the index of a collection.
    pub(crate) digest: Digest,
    /// The time at which it was made, as it states it; that of the youngest skill of a collection.
    pub(crate) created: Option<SystemTime>,
    /// The files of each manifest; paths begin with the folder of a skill. A member of a collection may be refused.
    pub(crate) trees: Vec<Result<FileTree, InstallError>>,
}

const PARALLEL: usize = 8;

/// Fetches an artifact. `folder` chooses skills of a collection; `config` is a configuration of Docker with logins.
///
/// # Errors
/// It or a member cannot be reached, has a different digest, or its content is refused.
pub(crate) async fn fetch(
    client: &HttpClient,
    config: Option<&Path>,
    reference: &OciReference,
    folder: Option<&ResourcePath>,
) -> Result<OciArtifact, InstallError> {
    let config = DockerConfig::read(config)?;
    let repository = Repository::new(client, &config, reference)?;
    let (digest, manifest) = repository.manifest(reference).await?;
    let stated = repository.created(&manifest).await?;
    let trees: Vec<Result<TimedTree, InstallError>> = match manifest.content {
        ManifestContent::Artifact(layers) => vec![Ok((repository.tree(&layers).await?, stated))],
        ManifestContent::Image(child) => vec![Ok(repository.child(&child).await?)],
        ManifestContent::Collection(children) => {
            let children = chosen(children, folder);
            let trees = children.iter().map(async |child| {
                let member = repository.child(child).await;
                let member =
                    member.and_then(|(tree, created)| Ok((below_its_name(child, tree)?, created)));
                match member {
                    Err(error) if error.is_about_content() => {
                        Ok(Err(error.about(child.skill_name().unwrap_or_default())))
                    }
                    member => member.map(Ok),
                }
            });
            let trees = stream::iter(trees).buffered(PARALLEL);
            trees.try_collect().await?
        }
    };
    // A collection is as young as its youngest part. If a skill states no time, that of the index counts alone.
    let times = trees.iter().flatten().map(|(_, created)| *created);
    let times: Option<Vec<_>> = times.collect();
    let youngest = times.and_then(|times| times.into_iter().max());
    Ok(OciArtifact {
        digest,
        created: stated.max(youngest),
        trees: trees.into_iter().map(|tree| Ok(tree?.0)).collect(),
    })
}

/// Returns the digest that an artifact has now.
///
/// # Errors
/// It cannot be reached.
pub(crate) async fn latest(
    client: &HttpClient,
    config: Option<&Path>,
    reference: &OciReference,
) -> Result<Digest, InstallError> {
    let config = DockerConfig::read(config)?;
    let repository = Repository::new(client, &config, reference)?;
    let (digest, _) = repository.manifest(reference).await?;
    Ok(digest)
}

/// Returns the members of a collection that may be below `folder`; all of them if none states its name.
fn chosen(children: Vec<Descriptor>, folder: Option<&ResourcePath>) -> Vec<Descriptor> {
    let Some(wanted) = folder.and_then(|folder| folder.as_str().split('/').next()) else {
        return children;
    };
    let named = children
        .iter()
        .filter(|child| child.skill_name() == Some(wanted));
    let named: Vec<_> = named.cloned().collect();
    match named.is_empty() {
        true => children,
        false => named,
    }
}

/// Puts a skill at the top of its artifact into a folder of its name in the collection.
fn below_its_name(child: &Descriptor, tree: FileTree) -> Result<FileTree, InstallError> {
    let folders = skill_folders(tree.files().map(|(path, _)| path.as_str()));
    match (folders.as_slice(), child.skill_name()) {
        ([top], Some(name)) if top.is_empty() => tree.inside(name),
        ([top], None) if top.is_empty() => Err(InstallError::refused(format!(
            "`{}` has a skill of the collection without a name",
            child.digest
        ))
        .help("annotate it with `io.agentskills.skill.name`")),
        _ => Ok(tree),
    }
}
