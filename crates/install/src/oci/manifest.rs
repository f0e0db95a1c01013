//! Manifests and indexes.

use std::collections::BTreeMap;

use repertoire_core::Digest;
use repertoire_core::text::terminal_line;
use serde::Deserialize;

use crate::install_error::InstallError;
use crate::limits;

/// The content of a manifest or an index, as far as it leads to skills.
#[derive(Debug)]
pub(super) enum Manifest {
    /// The layers of a manifest.
    Artifact(Vec<Descriptor>),
    /// The manifest for one platform, of an index of images with the same content.
    Image(Descriptor),
    /// The manifests of a collection.
    Collection(Vec<Descriptor>),
}

/// The address of content in the same repository.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Descriptor {
    pub(super) media_type: String,
    pub(super) digest: Digest,
    pub(super) size: u64,
    annotations: Option<BTreeMap<String, String>>,
    platform: Option<Platform>,
}

#[derive(Debug, Clone, Deserialize)]
struct Platform {
    architecture: String,
    os: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ManifestDocument {
    artifact_type: Option<String>,
    layers: Option<Vec<Descriptor>>,
    manifests: Option<Vec<Descriptor>>,
}

/// The media types that a registry is asked for.
pub(super) const ACCEPTED: &str = "application/vnd.oci.image.manifest.v1+json, \
     application/vnd.oci.image.index.v1+json, \
     application/vnd.docker.distribution.manifest.v2+json, \
     application/vnd.docker.distribution.manifest.list.v2+json";

const TITLE: &str = "org.opencontainers.image.title";

/// The annotations with the name of a skill, the draft's first.
const NAMES: [&str; 4] = [
    "io.agentskills.skill.name",
    "dev.toolhive.skills.name",
    "org.agent.skill.name",
    TITLE,
];

/// The types of indexes whose manifests are different skills.
const COLLECTIONS: [&str; 2] = [
    "application/vnd.agentskills.collection.v1",
    "application/vnd.agentskills.catalog.v1",
];

const MOST_SKILLS: usize = 1_000;

impl Manifest {
    /// Parses a manifest or an index.
    ///
    /// # Errors
    /// It is invalid, both at once, or over a limit.
    pub(super) fn parse(bytes: &[u8]) -> Result<Manifest, InstallError> {
        let document: ManifestDocument = serde_json::from_slice(bytes)
            .map_err(|error| InstallError::refused(format!("the manifest is invalid: {error}")))?;
        match (document.layers, document.manifests) {
            (Some(layers), None) => {
                check_layers(&layers)?;
                Ok(Manifest::Artifact(layers))
            }
            (None, Some(manifests)) => Manifest::of_index(document.artifact_type, manifests),
            // Readers disagree about which one they read.
            (Some(_), Some(_)) => Err(InstallError::refused(
                "the manifest has `layers` and `manifests`",
            )),
            (None, None) => Err(InstallError::refused(
                "the manifest has neither `layers` nor `manifests`",
            )
            .help("push it as an image manifest of OCI 1.1")),
        }
    }

    fn of_index(
        artifact_type: Option<String>,
        manifests: Vec<Descriptor>,
    ) -> Result<Manifest, InstallError> {
        let mut manifests = manifests;
        manifests.retain(|child| !child.is_attestation());
        if manifests.len() > MOST_SKILLS {
            return Err(InstallError::refused(format!(
                "the collection has more than {MOST_SKILLS} skills"
            )));
        }
        let is_collection = artifact_type.is_some_and(|kind| COLLECTIONS.contains(&&*kind))
            || manifests.iter().any(|child| child.platform.is_none());
        if is_collection {
            return Ok(Manifest::Collection(manifests));
        }
        let usual = manifests.iter().position(|child| {
            let platform = child.platform.as_ref();
            platform
                .is_some_and(|platform| platform.os == "linux" && platform.architecture == "amd64")
        });
        match manifests.is_empty() {
            true => Err(InstallError::refused("the index has no manifests")),
            false => Ok(Manifest::Image(manifests.swap_remove(usual.unwrap_or(0)))),
        }
    }
}

impl Descriptor {
    /// Returns the name of the skill that it leads to.
    pub(super) fn skill_name(&self) -> Option<&str> {
        NAMES.iter().find_map(|name| self.annotation(name))
    }

    /// Returns the path of the file that a layer holds.
    pub(super) fn title(&self) -> Option<&str> {
        self.annotation(TITLE)
    }

    fn annotation(&self, name: &str) -> Option<&str> {
        let text = self.annotations.as_ref()?.get(name)?;
        Some(text.as_str()).filter(|text| !text.is_empty())
    }

    /// Returns whether it describes how an image was built.
    fn is_attestation(&self) -> bool {
        let platform = self.platform.as_ref();
        platform.is_some_and(|platform| platform.os == "unknown")
            || self.annotation("vnd.docker.reference.type").is_some()
    }
}

fn check_layers(layers: &[Descriptor]) -> Result<(), InstallError> {
    if layers.len() > limits::FILES {
        return Err(InstallError::refused(format!(
            "there are more than {} layers",
            limits::FILES
        )));
    }
    let mut total = 0_u64;
    for layer in layers {
        if layer.size > limits::ARCHIVE_BYTES {
            return Err(InstallError::refused(format!(
                "a layer of the type `{}` has {} bytes, expected at most {}",
                terminal_line(&layer.media_type),
                layer.size,
                limits::ARCHIVE_BYTES
            )));
        }
        total += layer.size;
    }
    match total > limits::TOTAL_BYTES {
        false => Ok(()),
        true => Err(InstallError::refused(format!(
            "the layers have more than {} bytes",
            limits::TOTAL_BYTES
        ))),
    }
}
