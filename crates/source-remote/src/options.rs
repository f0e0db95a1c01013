//! The options of a source.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use repertoire_install::Reference;
use serde::Deserialize;

/// The options of a source of a web server or an OCI registry.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct RemoteOptions {
    /// The reference, as for `repertoire add`: `https://HOST` with an index of skills, the URL of an archive, or `oci://HOST/NAME:TAG`.
    pub url: Reference,
    /// The hosts that may have a private address.
    #[serde(default)]
    pub allow_hosts: Vec<String>,
    /// The time between two requests for the index or the manifest, in milliseconds [default: 300,000].
    #[serde(default = "RemoteOptions::poll_ms")]
    pub poll_ms: u64,
    /// A folder for the last content; without it the skills are not available offline.
    #[serde(skip)]
    pub cache: Option<PathBuf>,
    /// The environment variables of the host, which may name proxies and the folder of Docker's logins for OCI registries.
    #[serde(skip)]
    pub variables: Vec<(OsString, OsString)>,
}

impl RemoteOptions {
    /// Creates the default options for a reference.
    pub fn new(url: Reference) -> RemoteOptions {
        RemoteOptions {
            url,
            allow_hosts: Vec::new(),
            poll_ms: RemoteOptions::poll_ms(),
            cache: None,
            variables: Vec::new(),
        }
    }

    fn poll_ms() -> u64 {
        300_000
    }

    pub(crate) fn poll(&self) -> Duration {
        Duration::from_millis(self.poll_ms.max(1))
    }
}
