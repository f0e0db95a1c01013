//! What the bytes say: JSON documents, the same through a library and through a process.
//!
//! Every message has a `schema`; one of a later schema is refused, and members that a reader does not know are ignored.
//! Whole texts of `SKILL.md` cross, not what somebody read in them: there is one parser, and it is the host's.

use repertoire_core::{Digest, Resource, Severity, SourceError, SourceErrorKind, error_chain};
use serde::{Deserialize, Serialize};

use crate::abi::{REPERTOIRE_ABI_MAJOR, REPERTOIRE_ABI_MINOR, REPERTOIRE_SCHEMA};

/// The version of the messages that this crate writes.
pub const SCHEMA: u32 = REPERTOIRE_SCHEMA;

/// What a plugin says of itself, readable without running it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Note {
    /// [`SCHEMA`].
    pub schema: u32,
    /// What it is called.
    pub name: String,
    /// Its own version.
    pub version: String,
    /// The boundary it was built for, as in `1.0`.
    pub abi: String,
}

/// To `create`: one source of a configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Create {
    /// [`SCHEMA`].
    pub schema: u32,
    /// What the source is called here.
    pub source: String,
    /// The boundary that the host knows, as in `[1, 0]`.
    pub abi: [u16; 2],
    /// The options of its configuration.
    pub options: serde_json::Map<String, serde_json::Value>,
}

/// From `list`: everything a source has now, in its own stable order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Listing {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The source's position in its own history, taken before it was read.
    #[serde(default)]
    pub revision: u64,
    /// One row for each skill.
    pub skills: Vec<Row>,
    /// What the operator should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// One skill of a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Row {
    /// How the plugin finds the skill again. What follows its last `/` stands in for a missing name, as the name of a
    /// folder would.
    pub key: String,
    /// A text that changes with anything behind this row: its front matter, its body, its resources.
    pub stamp: String,
    /// A `SKILL.md`, at least up to the end of its front matter.
    pub document: String,
    /// Where it comes from, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
}

/// One finding for the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// What it is, stably: a code of the plugin's own, as in `acme-bad-row`.
    pub code: String,
    /// One sentence, lower case, no final dot.
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
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// To `body` and `resources`: which skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Key {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The key of its row.
    pub key: String,
}

/// From `body`: the instructions of one skill, in one of two forms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Body {
    /// [`SCHEMA`].
    pub schema: u32,
    /// As in the row, unless the skill is newer by now.
    pub stamp: String,
    /// The whole `SKILL.md`; the host cuts the front matter off. Its bytes are what the skill's digest is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// The instructions alone, if there is no document. Then their bytes are what the digest is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// From `resources`: the files beside the instructions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Resources {
    /// [`SCHEMA`].
    pub schema: u32,
    /// In any order, no path twice.
    pub files: Vec<File>,
}

/// One file of a manifest, as a plugin tells it; the host checks the path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct File {
    /// Where it is, relative to the skill, `/` between folders.
    pub path: String,
    /// Its length in bytes.
    pub size: u64,
    /// SHA-256 over its bytes.
    pub digest: Digest,
}

/// To `resource`: which file of which skill. The reply is its raw bytes, and no JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FileKey {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The key of the skill's row.
    pub key: String,
    /// The path of the file.
    pub path: String,
}

/// To `wait`: what the host knows, and how long it waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Wait {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The latest revision that the host has seen.
    pub since: u64,
    /// Return after that many milliseconds even if nothing happened.
    pub patience_ms: u64,
}

/// From `wait`: where the source is by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Waited {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The revision; no later than the request's if nothing happened.
    pub revision: u64,
}

/// From a call that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Failure {
    /// [`SCHEMA`].
    pub schema: u32,
    /// What the host can branch on; what it does not know means [`other`](SourceErrorKind::Other).
    pub kind: String,
    /// What went wrong, with its causes.
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

impl Failure {
    /// An error and its causes.
    pub fn of(error: &SourceError) -> Failure {
        let kind = KINDS.iter().find(|(kind, _)| *kind == error.kind()).map_or("other", |(_, name)| name);
        Failure { schema: SCHEMA, kind: kind.to_owned(), message: error_chain(error) }
    }

    /// The kind, if it is a known one.
    pub fn kind(&self) -> SourceErrorKind {
        KINDS.iter().find(|(_, name)| *name == self.kind).map_or(SourceErrorKind::Other, |(kind, _)| *kind)
    }
}

impl Create {
    /// A source called `source`.
    pub fn new(source: impl Into<String>, options: serde_json::Map<String, serde_json::Value>) -> Create {
        let abi = [REPERTOIRE_ABI_MAJOR, REPERTOIRE_ABI_MINOR];
        Create { schema: SCHEMA, source: source.into(), abi, options }
    }
}

impl Listing {
    /// These skills, at a revision.
    pub fn new(revision: u64, skills: impl IntoIterator<Item = Row>) -> Listing {
        Listing { schema: SCHEMA, revision, skills: skills.into_iter().collect(), findings: Vec::new() }
    }

    /// The same listing with findings.
    #[must_use]
    pub fn with_findings(mut self, findings: impl IntoIterator<Item = Finding>) -> Listing {
        self.findings.extend(findings);
        self
    }
}

impl Row {
    /// A skill.
    pub fn new(key: impl Into<String>, stamp: impl Into<String>, document: impl Into<String>) -> Row {
        Row { key: key.into(), stamp: stamp.into(), document: document.into(), location: None }
    }

    /// The same skill from `location`.
    #[must_use]
    pub fn from_location(mut self, location: impl Into<String>) -> Row {
        self.location = Some(location.into());
        self
    }
}

impl Finding {
    /// A finding without a place.
    pub fn new(severity: Severity, code: impl Into<String>, message: impl Into<String>) -> Finding {
        let (code, message) = (code.into(), message.into());
        Finding { severity, code, message, path: None, line: None, column: None, help: None }
    }

    /// The same finding in the file `path`.
    #[must_use]
    pub fn at_path(mut self, path: impl Into<String>) -> Finding {
        self.path = Some(path.into());
        self
    }
}

impl Key {
    /// A skill by its key.
    pub fn new(key: impl Into<String>) -> Key {
        Key { schema: SCHEMA, key: key.into() }
    }
}

impl Body {
    /// A whole `SKILL.md`.
    pub fn document(stamp: impl Into<String>, document: impl Into<String>) -> Body {
        Body { schema: SCHEMA, stamp: stamp.into(), document: Some(document.into()), text: None }
    }

    /// Instructions that stand in no file.
    pub fn text(stamp: impl Into<String>, text: impl Into<String>) -> Body {
        Body { schema: SCHEMA, stamp: stamp.into(), document: None, text: Some(text.into()) }
    }
}

impl Resources {
    /// These files.
    pub fn new(files: impl IntoIterator<Item = Resource>) -> Resources {
        let file = |Resource { path, size, digest, .. }: Resource| File { path: path.into(), size, digest };
        Resources { schema: SCHEMA, files: files.into_iter().map(file).collect() }
    }
}

impl FileKey {
    /// A file of a skill.
    pub fn new(key: impl Into<String>, path: impl Into<String>) -> FileKey {
        FileKey { schema: SCHEMA, key: key.into(), path: path.into() }
    }
}

impl Wait {
    /// Waits for something later than `since`.
    pub fn new(since: u64, patience: std::time::Duration) -> Wait {
        let patience_ms = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
        Wait { schema: SCHEMA, since, patience_ms }
    }
}

impl Waited {
    /// At `revision`.
    pub fn new(revision: u64) -> Waited {
        Waited { schema: SCHEMA, revision }
    }
}
