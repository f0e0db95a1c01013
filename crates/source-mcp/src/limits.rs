//! Bounds of what a server may send.

use serde::Deserialize;

/// Bounds on what is taken from a server. Each is reported by name when it is met.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct McpLimits {
    /// Bytes of one message. Default 32 MiB: a file of 16 MiB in base64 fits. A message may hold a value for 16 of them, and an
    /// object counts as four values; a message with more is not parsed.
    pub message_bytes: usize,
    /// Pages of one list. Default 1,000.
    pub pages: usize,
    /// Skills of one list. Default 100,000.
    pub skills: usize,
    /// Bytes of all front matters and lists of files of one list together. Default 64 MiB.
    pub list_bytes: usize,
    /// Files of one skill. Default 512, which every client has to accept.
    pub files: usize,
    /// Bytes of one skill's files together. Default 16 MiB, which every client has to accept.
    pub skill_bytes: u64,
    /// Bytes of a `SKILL.md`. Default 1 MiB.
    pub file_bytes: u64,
}

impl Default for McpLimits {
    fn default() -> McpLimits {
        McpLimits {
            message_bytes: 32 << 20,
            pages: 1000,
            skills: 100_000,
            list_bytes: 64 << 20,
            files: 512,
            skill_bytes: 16 << 20,
            file_bytes: 1 << 20,
        }
    }
}
