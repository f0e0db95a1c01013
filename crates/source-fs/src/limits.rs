//! The limits of a folder source.

use serde::Deserialize;

/// Bounds on what one source visits and reads. Each is reported by name when it is met.
///
/// They are set by deserializing them, with the keys that `limits.⟨key⟩` in a diagnostic names.
///
/// ```
/// let options: repertoire_source_fs::FsOptions = serde_json::from_str(r#"{ "limits": { "depth": 12 } }"#)?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct FsLimits {
    /// The depth of a search below its start, in folders. Default 8: clients stop at 4 to 6, and 3,229 of 3,232 real skills lie within
    /// 7 of the top of their repository.
    pub(crate) depth: usize,
    /// The number of folders that one source visits. Default 20,000; a skill takes one.
    pub(crate) folders: usize,
    /// The number of entries of a folder that is not a skill. Default 100,000.
    pub(crate) entries: usize,
    /// Bytes of a `SKILL.md`. Default 1 MiB; the largest real one measured has 294,426.
    pub(crate) file_bytes: u64,
    /// The number of files of a skill beside its `SKILL.md`. Default 10,000; the rest is omitted.
    pub(crate) resources: usize,
    /// The depth of these files, in folders. Default 32; deeper files are omitted.
    pub(crate) resource_depth: usize,
    /// Bytes of one file that is read as a resource. Default 16 MiB; a larger one is left out.
    pub(crate) resource_bytes: u64,
    /// Bytes of all files of a skill together, all of which a list of resources digests. Default 256 MiB; a file for which no
    /// room is left is left out.
    pub(crate) total_bytes: u64,
}

impl Default for FsLimits {
    fn default() -> FsLimits {
        FsLimits {
            depth: 8,
            folders: 20_000,
            entries: 100_000,
            file_bytes: 1 << 20,
            resources: 10_000,
            resource_depth: 32,
            resource_bytes: 16 << 20,
            total_bytes: 256 << 20,
        }
    }
}
