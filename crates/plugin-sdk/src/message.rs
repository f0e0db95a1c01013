//! The messages: JSON documents, the same for a library and for a process.
//!
//! Every message has a `schema`. A reader refuses a later schema, and ignores unknown members. Skills are sent as whole `SKILL.md`
//! texts, which only the host parses.

use repertoire_core::{Digest, Resource, Severity, SourceError, SourceErrorKind, error_chain};
use serde::{Deserialize, Serialize};

use crate::abi::{REPERTOIRE_ABI_MAJOR, REPERTOIRE_ABI_MINOR, REPERTOIRE_SCHEMA};

/// The description of a plugin, which a host reads from the file without running it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Note {
    /// [`REPERTOIRE_SCHEMA`].
    pub schema: u32,
    /// The name of the plugin.
    pub name: String,
    /// The version of the plugin.
    pub version: String,
    /// The version of the boundary that it was built for: `1.0`.
    pub abi: String,
}

/// The request of `create`: the configuration of one source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Create {
    schema: u32,
    /// The name of the source.
    pub source: String,
    /// The version of the boundary that the host has: `[1, 0]`.
    pub abi: [u16; 2],
    /// The options of the plugin.
    pub options: serde_json::Map<String, serde_json::Value>,
}

/// The reply of `list`: all skills of a source, in a stable order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DocumentListing {
    schema: u32,
    /// The revision of the source, taken before it was read.
    #[serde(default)]
    pub revision: u64,
    /// One row for each skill.
    pub skills: Vec<DocumentRow>,
    /// The diagnostics for the operator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<PluginDiagnostic>,
}

/// One skill of a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DocumentRow {
    /// The key by which the plugin finds the skill again. The part after the last `/` replaces a missing name.
    pub key: String,
    /// A text that changes with the front matter, the body and the resources.
    pub stamp: String,
    /// A `SKILL.md`, at least up to the end of its front matter.
    pub document: String,
    /// The location, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
}

/// One diagnostic for the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PluginDiagnostic {
    /// The severity.
    pub severity: Severity,
    /// A stable code of the plugin, such as `acme-bad-row`.
    pub code: String,
    /// The message: one sentence in lower case, without a final dot.
    pub message: String,
    /// The file or the like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in it, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column in the line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// A remedy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// The request of `body`, `resources` and `resource`: a skill, or one of its files. The reply of `resource` is its raw bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SkillKey {
    schema: u32,
    /// The key of its row.
    pub key: String,
    /// The path of the file, in a request of `resource`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// The reply of `body`: the instructions of one skill, as a document or a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DocumentBody {
    schema: u32,
    /// The stamp of the row, unless the skill changed since the listing.
    pub stamp: String,
    /// The whole `SKILL.md`, whose bytes give the digest of the skill. The host removes the front matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// The instructions without front matter, if there is no document. Their bytes give the digest of the skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The reply of `resources`: the files beside the instructions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Resources {
    schema: u32,
    /// In any order, no path twice.
    pub files: Vec<ListedFile>,
}

/// One file of a skill. The host checks the path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListedFile {
    /// The path relative to the skill, with `/` between folders.
    pub path: String,
    /// Its length in bytes.
    pub size: u64,
    /// SHA-256 over its bytes.
    pub digest: Digest,
}

/// The request of `wait`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Wait {
    schema: u32,
    /// The last revision that the host has.
    pub since: u64,
    /// The time after which the call returns without a change, in milliseconds.
    pub patience_ms: u64,
}

/// The reply of `wait`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Waited {
    schema: u32,
    /// The revision, which is at most that of the request if there is no change.
    pub revision: u64,
}

/// The reply of a call that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FailureReply {
    schema: u32,
    /// The kind. An unknown one means [`other`](SourceErrorKind::Other).
    pub kind: String,
    /// The error with its causes.
    pub message: String,
}

const KINDS: [(SourceErrorKind, &str); 6] = [
    (SourceErrorKind::NotFound, "not-found"),
    (SourceErrorKind::Unsupported, "unsupported"),
    (SourceErrorKind::Denied, "denied"),
    (SourceErrorKind::Unavailable, "unavailable"),
    (SourceErrorKind::TooLarge, "too-large"),
    (SourceErrorKind::Invalid, "invalid"),
];

impl FailureReply {
    /// Creates the reply for an error and its causes.
    pub fn new(error: &SourceError) -> FailureReply {
        let kind = KINDS
            .iter()
            .find(|(kind, _)| *kind == error.kind())
            .map_or("other", |(_, name)| name);
        FailureReply {
            schema: REPERTOIRE_SCHEMA,
            kind: kind.to_owned(),
            message: error_chain(error),
        }
    }

    /// Returns the kind.
    pub fn kind(&self) -> SourceErrorKind {
        KINDS
            .iter()
            .find(|(_, name)| *name == self.kind)
            .map_or(SourceErrorKind::Other, |(kind, _)| *kind)
    }
}

impl Create {
    /// Creates the request for a source called `source`.
    pub fn new(
        source: impl Into<String>,
        options: serde_json::Map<String, serde_json::Value>,
    ) -> Create {
        let abi = [REPERTOIRE_ABI_MAJOR, REPERTOIRE_ABI_MINOR];
        Create {
            schema: REPERTOIRE_SCHEMA,
            source: source.into(),
            abi,
            options,
        }
    }
}

impl DocumentListing {
    /// Creates a listing of these skills.
    pub fn new(revision: u64, skills: impl IntoIterator<Item = DocumentRow>) -> DocumentListing {
        DocumentListing {
            schema: REPERTOIRE_SCHEMA,
            revision,
            skills: skills.into_iter().collect(),
            diagnostics: Vec::new(),
        }
    }

    /// Returns the same listing with more diagnostics.
    #[must_use]
    pub fn diagnostics(
        mut self,
        diagnostics: impl IntoIterator<Item = PluginDiagnostic>,
    ) -> DocumentListing {
        self.diagnostics.extend(diagnostics);
        self
    }
}

impl DocumentRow {
    /// Creates the row of a skill.
    pub fn new(
        key: impl Into<String>,
        stamp: impl Into<String>,
        document: impl Into<String>,
    ) -> DocumentRow {
        DocumentRow {
            key: key.into(),
            stamp: stamp.into(),
            document: document.into(),
            location: None,
        }
    }

    /// Returns the same row with a location.
    #[must_use]
    pub fn location(mut self, location: impl Into<String>) -> DocumentRow {
        self.location = Some(location.into());
        self
    }
}

impl PluginDiagnostic {
    /// Creates a diagnostic without a place.
    pub fn new(
        severity: Severity,
        code: impl Into<String>,
        message: impl Into<String>,
    ) -> PluginDiagnostic {
        let (code, message) = (code.into(), message.into());
        PluginDiagnostic {
            severity,
            code,
            message,
            path: None,
            line: None,
            column: None,
            help: None,
        }
    }

    /// Returns the same diagnostic in the file `path`.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> PluginDiagnostic {
        self.path = Some(path.into());
        self
    }
}

impl SkillKey {
    /// Creates the request for a skill.
    pub fn new(key: impl Into<String>) -> SkillKey {
        SkillKey {
            schema: REPERTOIRE_SCHEMA,
            key: key.into(),
            path: None,
        }
    }

    /// Returns the request for a file of the skill.
    #[must_use]
    pub fn file(self, path: impl Into<String>) -> SkillKey {
        SkillKey {
            path: Some(path.into()),
            ..self
        }
    }
}

impl DocumentBody {
    /// Creates the reply with a whole `SKILL.md`.
    pub fn document(stamp: impl Into<String>, document: impl Into<String>) -> DocumentBody {
        DocumentBody {
            schema: REPERTOIRE_SCHEMA,
            stamp: stamp.into(),
            document: Some(document.into()),
            text: None,
        }
    }

    /// Creates the reply with instructions that have no file.
    pub fn text(stamp: impl Into<String>, text: impl Into<String>) -> DocumentBody {
        DocumentBody {
            schema: REPERTOIRE_SCHEMA,
            stamp: stamp.into(),
            document: None,
            text: Some(text.into()),
        }
    }
}

impl Resources {
    /// Creates the reply with these files.
    pub fn new(files: impl IntoIterator<Item = Resource>) -> Resources {
        let files = files.into_iter().map(|file| ListedFile {
            path: file.path.into(),
            size: file.size,
            digest: file.digest,
        });
        Resources {
            schema: REPERTOIRE_SCHEMA,
            files: files.collect(),
        }
    }
}

impl Wait {
    /// Creates the request for a revision after `since`.
    pub fn new(since: u64, patience: std::time::Duration) -> Wait {
        let patience_ms = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
        Wait {
            schema: REPERTOIRE_SCHEMA,
            since,
            patience_ms,
        }
    }
}

impl Waited {
    /// Creates the reply with this revision.
    pub fn new(revision: u64) -> Waited {
        Waited {
            schema: REPERTOIRE_SCHEMA,
            revision,
        }
    }
}
