//! How much care attaching a skill takes.

use serde::Serialize;

/// A category of the mirai skills: whether a host may attach a skill as it is. See [`Attachable`](crate::Attachable).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Attached directly.
    Standard,
    /// Runs code or reaches data: attached behind the host's gate only.
    Raw,
}

impl Category {
    /// The word in front matter.
    pub const fn as_str(self) -> &'static str {
        match self {
            Category::Standard => "standard",
            Category::Raw => "raw",
        }
    }
}
