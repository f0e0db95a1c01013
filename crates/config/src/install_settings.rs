//! The policy for installed skills: the table `[install]`.

use repertoire_core::Digest;
use serde::Deserialize;

/// The policy for installed skills: the table `[install]`.
///
/// The file of the user and that of a project apply both, so that a project can only restrict what the user allows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Install")
)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct InstallSettings {
    /// The places that skills may be installed from, without a revision: a repository, an owner, a host, a registry, a folder.
    /// Default: every place.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub sources: Option<Vec<String>>,
    /// The least age of content that is fetched, in days. Content of a source that does not state its age is refused, except
    /// for folders and archives of this machine. Default 0, which allows every age.
    pub minimum_age_days: u32,
    /// `true` if the command line restricts an installed skill until the user accepts its content.
    pub restrict_new: bool,
    /// Content that is neither installed nor read: of a file, or of all files of a skill by the digest of their manifest.
    pub denied: Vec<Digest>,
}
