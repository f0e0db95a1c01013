//! Bounds of one source.

use serde::Deserialize;

/// Bounds on what one source visits and reads. Each is reported by name when it is met.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct FsLimits {
    /// How many folders deep a search goes below its start. Default 8: clients stop at 4 to 6, and 3,229 of
    /// 3,232 real skills lie within 7 of the top of their repository.
    pub depth: usize,
    /// How many folders one source visits. Default 20,000; a skill takes one.
    pub folders: usize,
    /// How many entries a folder that is no skill may have. Default 100,000.
    pub entries: usize,
    /// Bytes of a `SKILL.md`. Default 1 MiB; the largest real one measured has 294,426.
    pub file_bytes: u64,
    /// How many files a skill may have beside its `SKILL.md`. Default 10,000; the rest is left out.
    pub resources: usize,
    /// How many folders deep they may lie. Default 32; what is deeper is left out.
    pub resource_depth: usize,
    /// Bytes of one file that is read as a resource. Default 16 MiB; a larger one is left out.
    pub resource_bytes: u64,
    /// Bytes of all files of a skill together, all of which a list of resources digests. Default 256 MiB; a file for which no
    /// room is left is left out.
    pub total_bytes: u64,
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
