//! Omissions: what is in a skill's folder and is not one of its files.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::text::terminal_line;
use crate::{Code, Diagnostic, Digest};

/// Something in a skill's folder that is not one of the files of its manifest, with the reason.
///
/// ```
/// use repertoire_core::{Omission, OmissionReason};
///
/// let omission = Omission::new("sockets/agent", OmissionReason::NotAFile);
/// assert_eq!((&*omission.path, omission.reason), ("sockets/agent", OmissionReason::NotAFile));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Omission {
    /// The place, from the skill's folder, with `/`; `.` for the folder itself. Bytes that are not UTF-8 are written `\xNN`.
    pub path: Arc<str>,
    /// The reason.
    pub reason: OmissionReason,
    /// The place that a link leads to, the limit that was met, or the cause.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub detail: Arc<str>,
    /// The digest of its content, where that could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}

/// The reason why something in a skill's folder is not one of its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OmissionReason {
    /// Its name cannot be a path on every platform: a backslash, a drive letter, dots only.
    OddName,
    /// Its name is not UTF-8.
    NotUtf8,
    /// It is larger than one file may be.
    TooLarge,
    /// The files before it leave no room for it.
    TooLargeTogether,
    /// There are more files than may be.
    TooMany,
    /// It lies deeper than files may.
    TooDeep,
    /// It cannot be read.
    Unreadable,
    /// It is a link that leads out of the skill. A lock records a link that leads nowhere in the same way.
    LinkOut,
    /// It is a link that leads nowhere.
    LinkDangling,
    /// It is a link to a folder of the skill, whose files are listed under their own paths.
    LinkToFolder,
    /// It is a pipe, a socket or a device.
    NotAFile,
    /// It holds secrets by convention.
    Secret,
    /// Version control keeps it.
    VersionControl,
    /// Tools and interpreters write it as they run.
    Cache,
}

impl OmissionReason {
    /// Returns the name, in kebab case.
    #[doc(hidden)]
    pub const fn name(self) -> &'static str {
        self.texts().0
    }

    /// Returns whether a limit was met, so that what lies there is not covered by any digest.
    #[doc(hidden)]
    pub const fn is_limit(self) -> bool {
        matches!(
            self,
            OmissionReason::TooLarge
                | OmissionReason::TooLargeTogether
                | OmissionReason::TooMany
                | OmissionReason::TooDeep
        )
    }

    /// Returns the name, a clause about it, and advice.
    const fn texts(self) -> (&'static str, &'static str, &'static str) {
        match self {
            OmissionReason::OddName => (
                "odd-name",
                "its name cannot be typed on every platform",
                "rename it",
            ),
            OmissionReason::NotUtf8 => ("not-utf8", "its name is not UTF-8", "rename it"),
            OmissionReason::TooLarge => (
                "too-large",
                "it is too large",
                "make it smaller, or raise `limits.resource-bytes`",
            ),
            OmissionReason::TooLargeTogether => (
                "too-large-together",
                "the files of the skill are too large together",
                "remove files, or raise `limits.total-bytes`",
            ),
            OmissionReason::TooMany => (
                "too-many",
                "there are too many files",
                "remove files, or raise `limits.resources`",
            ),
            OmissionReason::TooDeep => (
                "too-deep",
                "it lies too deep",
                "move it up, or raise `limits.resource-depth`",
            ),
            OmissionReason::Unreadable => ("unreadable", "it cannot be read", "allow reading it"),
            OmissionReason::LinkOut => (
                "link-out",
                "it is a link that leads out of the skill",
                "put a copy in its place",
            ),
            OmissionReason::LinkDangling => (
                "link-dangling",
                "it is a link that leads nowhere",
                "correct its target, or remove it",
            ),
            OmissionReason::LinkToFolder => (
                "link-to-folder",
                "it is a link to a folder of the skill",
                "",
            ),
            OmissionReason::NotAFile => (
                "not-a-file",
                "it is not a regular file",
                "move it out of the skill's folder",
            ),
            OmissionReason::Secret => (
                "secret",
                "it holds secrets by convention",
                "keep secrets outside of the skill's folder",
            ),
            OmissionReason::VersionControl => ("version-control", "version control keeps it", ""),
            OmissionReason::Cache => ("cache", "tools write it as they run", ""),
        }
    }
}

impl Omission {
    /// Makes an omission of what lies at `path`. A NUL in the path is written `\0`.
    pub fn new(path: impl AsRef<str>, reason: OmissionReason) -> Omission {
        let path = path.as_ref().replace('\0', "\\0").into();
        Omission {
            path,
            reason,
            detail: Arc::default(),
            digest: None,
        }
    }

    /// Adds the place that a link leads to, the limit that was met, or the cause.
    #[must_use]
    pub fn detail(mut self, detail: impl AsRef<str>) -> Omission {
        self.detail = detail.as_ref().replace('\0', "\\0").into();
        self
    }

    /// Adds the digest of the content.
    #[must_use]
    pub fn with_digest(mut self, digest: Digest) -> Omission {
        self.digest = Some(digest);
        self
    }

    /// Returns why it is left out, as a clause for people: `it is a link that leads out of the skill, to ⟨place⟩`.
    pub fn why(&self) -> String {
        let (_, sentence, _) = self.reason.texts();
        let detail = terminal_line(&self.detail);
        match self.reason {
            _ if self.detail.is_empty() => sentence.to_owned(),
            OmissionReason::LinkOut
            | OmissionReason::LinkDangling
            | OmissionReason::LinkToFolder => {
                format!("{sentence}, to `{detail}`")
            }
            _ => format!("{sentence}: {detail}"),
        }
    }

    /// Returns the diagnostic about it, in the skill's folder `folder`.
    #[doc(hidden)]
    pub fn diagnostic(&self, folder: Option<&str>) -> Diagnostic {
        let (shown, why, (.., help)) = (terminal_line(&self.path), self.why(), self.reason.texts());
        let (code, message) = match self.reason {
            OmissionReason::Secret => (
                Code::SECRET_FILE,
                format!("`{shown}` holds secrets by convention; it is not listed, read or served"),
            ),
            OmissionReason::VersionControl | OmissionReason::Cache => not_compared(&shown, &why),
            OmissionReason::TooMany | OmissionReason::TooLargeTogether
                if self.is_folder_of_tool() =>
            {
                not_compared(&shown, &why)
            }
            _ => (
                Code::PART_OMITTED,
                format!("`{shown}` is not among the files of the skill: {why}"),
            ),
        };
        let mut diagnostic = Diagnostic::new(code, message);
        // The limits of this help are those of folders; a detail may name others.
        if !help.is_empty() && code != Code::NOT_COMPARED && !self.detail.contains("limits.") {
            diagnostic = diagnostic.help(help);
        }
        match folder {
            Some(folder) if &*self.path == "." => diagnostic.at_path(folder),
            Some(folder) => {
                diagnostic.at_path(format!("{}/{}", folder.trim_end_matches('/'), self.path))
            }
            None => diagnostic,
        }
    }

    fn is_folder_of_tool(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        crate::SkippedFolder::of(name) == Some(crate::SkippedFolder::Dependencies)
    }
}

fn not_compared(shown: &str, why: &str) -> (Code, String) {
    (
        Code::NOT_COMPARED,
        format!("`{shown}` is not compared with a lock: {why}"),
    )
}
