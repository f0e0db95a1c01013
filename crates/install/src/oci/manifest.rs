//! Manifests and indexes.

use std::collections::BTreeMap;
use std::time::SystemTime;

use repertoire_core::Digest;
use repertoire_core::text::terminal_line;
use serde::Deserialize;
use serde_json::Value;

use crate::install_error::InstallError;
use crate::limits;
use crate::stated_time::parse_time;

/// A manifest or an index.
#[derive(Debug)]
pub(super) struct Manifest {
    pub(super) content: ManifestContent,
    /// The time at which it was made, as an annotation states it.
    pub(super) created: Option<SystemTime>,
    /// The configuration of an image.
    pub(super) image: Option<Descriptor>,
}

/// The content of a manifest or an index, as far as it leads to skills.
#[derive(Debug)]
pub(super) enum ManifestContent {
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
    config: Option<Value>,
    layers: Option<Vec<Descriptor>>,
    manifests: Option<Vec<Descriptor>>,
    annotations: Option<Value>,
}

#[derive(Deserialize)]
struct ImageDocument {
    created: Option<String>,
}

/// The media types that a registry is asked for.
pub(super) const ACCEPTED: &str = "application/vnd.oci.image.manifest.v1+json, \
     application/vnd.oci.image.index.v1+json, \
     application/vnd.docker.distribution.manifest.v2+json, \
     application/vnd.docker.distribution.manifest.list.v2+json";

const CREATED: &str = "org.opencontainers.image.created";

/// The types of the configurations that state when an image was made.
const IMAGES: [&str; 2] = [
    "application/vnd.oci.image.config.v1+json",
    "application/vnd.docker.container.image.v1+json",
];

const IMAGE_BYTES: u64 = 4 << 20;

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

impl Manifest {
    /// Parses a manifest or an index.
    ///
    /// # Errors
    /// It is invalid, both at once, or over a limit.
    pub(super) fn parse(bytes: &[u8]) -> Result<Manifest, InstallError> {
        let document: ManifestDocument = serde_json::from_slice(bytes)
            .map_err(|error| InstallError::refused(format!("the manifest is invalid: {error}")))?;
        let content = match (document.layers, document.manifests) {
            (Some(layers), None) => {
                check_layers(&layers)?;
                ManifestContent::Artifact(layers)
            }
            (None, Some(manifests)) => {
                ManifestContent::of_index(document.artifact_type, manifests)?
            }
            // Readers disagree about which one they read.
            (Some(_), Some(_)) => {
                return Err(InstallError::refused(
                    "the manifest has `layers` and `manifests`",
                ));
            }
            (None, None) => {
                return Err(InstallError::refused(
                    "the manifest has neither `layers` nor `manifests`",
                )
                .help("push it as an image manifest of OCI 1.1"));
            }
        };
        // What states no time is not a fault.
        let annotations = document.annotations.unwrap_or_default();
        let config = document.config.unwrap_or_default();
        let config = Descriptor::deserialize(config).ok();
        Ok(Manifest {
            content,
            created: annotations[CREATED].as_str().and_then(parse_time),
            image: config.filter(Descriptor::is_image),
        })
    }
}

/// Returns the time that the configuration of an image states.
pub(super) fn created_of_image(bytes: &[u8]) -> Option<SystemTime> {
    let image: ImageDocument = serde_json::from_slice(bytes).ok()?;
    parse_time(&image.created?)
}

impl ManifestContent {
    fn of_index(
        artifact_type: Option<String>,
        manifests: Vec<Descriptor>,
    ) -> Result<ManifestContent, InstallError> {
        let mut manifests = manifests;
        manifests.retain(|child| !child.is_attestation());
        if manifests.len() > limits::SKILLS {
            return Err(InstallError::refused(format!(
                "the collection has more than {} skills",
                limits::SKILLS
            )));
        }
        let is_collection = artifact_type.is_some_and(|kind| COLLECTIONS.contains(&&*kind))
            || manifests.iter().any(|child| child.platform.is_none());
        if is_collection {
            return Ok(ManifestContent::Collection(manifests));
        }
        let usual = manifests.iter().position(|child| {
            let platform = child.platform.as_ref();
            platform
                .is_some_and(|platform| platform.os == "linux" && platform.architecture == "amd64")
        });
        match manifests.is_empty() {
            true => Err(InstallError::refused("the index has no manifests")),
            false => Ok(ManifestContent::Image(
                manifests.swap_remove(usual.unwrap_or(0)),
            )),
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

    fn is_image(&self) -> bool {
        IMAGES.contains(&&*self.media_type) && self.size <= IMAGE_BYTES
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
