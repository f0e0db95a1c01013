//! The JSON of responses.

use std::sync::Arc;

use repertoire::Trust;
use repertoire::registry::{Candidate, Entry, Snapshot, SourceDiagnostic, Status, Tier};
use repertoire::skill::{Diagnostic, Resource, Severity};
use repertoire_mcp_servers::ServerStatus;
use serde::Serialize;
use utoipa::ToSchema;

use super::items::{ShownItem, SkillItem, WorkflowItem};
use super::schemas::{
    ConfidenceName, ServerStatusSchema, SeverityName, StatusName, TierName, TrustName,
};

/// The entries of a registry.
#[derive(Serialize, ToSchema)]
pub(super) struct EntryList<T: ToSchema> {
    /// The number of this list. Equal numbers of one process are equal lists.
    pub(super) generation: u64,
    pub(super) entries: Vec<EntryRow<T>>,
    pub(super) diagnostics: Vec<DiagnosticRow>,
}

/// An entry of a registry.
#[derive(Serialize, ToSchema)]
pub(super) struct EntryRow<T: ToSchema> {
    pub(super) id: String,
    /// `skill`, `workflow`, `agent` or `mcp-server`.
    kind: &'static str,
    #[schema(value_type = String)]
    source: Arc<str>,
    #[schema(value_type = TierName)]
    tier: Tier,
    #[schema(value_type = TrustName)]
    trust: Trust,
    #[schema(value_type = StatusName)]
    status: Status,
    item: T,
    /// The number of candidates for this id that it hides.
    shadows: usize,
    /// The reason why a skill whose tools are missing or denied is not ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub(super) not_ready: Option<Arc<str>>,
    /// The status of the process of an MCP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ServerStatusSchema>)]
    pub(super) server: Option<ServerStatus>,
}

impl<T: ToSchema> EntryRow<T> {
    pub(super) fn of<I: ShownItem<Json = T>>(entry: &Entry<I>) -> EntryRow<T> {
        let origin = entry.origin();
        EntryRow {
            id: entry.id.to_string(),
            kind: I::KIND,
            source: Arc::clone(&origin.source),
            tier: origin.tier,
            trust: entry.candidate.trust,
            status: entry.candidate.status,
            item: I::json(&entry.candidate.item),
            shadows: entry.shadows.len(),
            not_ready: None,
            server: None,
        }
    }
}

/// The candidates for the id of a skill.
#[derive(Serialize, ToSchema)]
pub(super) struct Why {
    id: String,
    /// The winner, then the others in the order in which they would win.
    pub(super) candidates: Vec<CandidateRow>,
    /// The reason why its tools are missing or denied.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub(super) not_ready: Option<Arc<str>>,
    /// The diagnostics of the files of the candidates.
    pub(super) diagnostics: Vec<DiagnosticRow>,
}

/// A candidate for an id.
#[derive(Serialize, ToSchema)]
pub(super) struct CandidateRow {
    /// The id that finds this candidate, winner or not.
    pub(super) id: String,
    #[schema(value_type = String)]
    pub(super) source: Arc<str>,
    #[schema(value_type = TierName)]
    pub(super) tier: Tier,
    #[schema(value_type = TrustName)]
    pub(super) trust: Trust,
    #[schema(value_type = StatusName)]
    pub(super) status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) location: Option<String>,
    pub(super) wins: bool,
    /// The reason why it wins or loses.
    pub(super) reason: String,
    /// `true` if it has the content of the winner; absent for the winner, or if that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) identical: Option<bool>,
}

impl CandidateRow {
    /// Returns whether it has the content of the winner.
    pub(super) fn is_copy(&self) -> bool {
        self.identical == Some(true)
    }

    fn of<I: ShownItem>(id: String, candidate: &Candidate<I>) -> CandidateRow {
        CandidateRow {
            id,
            source: Arc::clone(&candidate.origin.source),
            tier: candidate.origin.tier,
            trust: candidate.trust,
            status: candidate.status,
            location: candidate.item.location().map(str::to_owned),
            wins: false,
            reason: String::new(),
            identical: None,
        }
    }
}

impl Why {
    pub(super) fn of<I: ShownItem>(snapshot: &Snapshot<I>, entry: &Entry<I>) -> Why {
        let winner = CandidateRow {
            wins: true,
            reason: match entry.shadows.is_empty() {
                true => "the only candidate".to_owned(),
                false => "the first candidate".to_owned(),
            },
            ..CandidateRow::of(entry.id.to_string(), &entry.candidate)
        };
        let shadows = entry.shadows.iter().map(|shadow| {
            let candidate = &shadow.candidate;
            CandidateRow {
                reason: snapshot.reason(&entry.candidate, candidate),
                identical: shadow.identical,
                ..CandidateRow::of(entry.shadow_id(candidate).to_string(), candidate)
            }
        });
        let locations: Vec<_> = entry
            .candidates()
            .filter_map(|candidate| candidate.item.location())
            .collect();
        let found = snapshot.diagnostics().iter().filter(|found| {
            let path = found.diagnostic.path.as_deref();
            path.is_some_and(|path| locations.contains(&path))
        });
        Why {
            id: entry.id.to_string(),
            candidates: std::iter::once(winner).chain(shadows).collect(),
            not_ready: None,
            diagnostics: found
                .map(|found| DiagnosticRow::of(I::KIND, found))
                .collect(),
        }
    }
}

/// A report about a file or a source.
#[derive(Serialize, ToSchema)]
pub(super) struct DiagnosticRow {
    /// The kind of the items of its registry.
    pub(super) kind: &'static str,
    /// The source, if one source has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub(super) source: Option<Arc<str>>,
    #[schema(value_type = SeverityName)]
    pub(super) severity: Severity,
    /// The stable code.
    pub(super) code: String,
    pub(super) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub(super) path: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) column: Option<u32>,
    /// The other file of a diagnostic about two.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub(super) other: Option<Arc<str>>,
    /// The advice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<String>,
}

impl DiagnosticRow {
    pub(super) fn of(kind: &'static str, found: &SourceDiagnostic) -> DiagnosticRow {
        let source = Some(Arc::clone(&found.source));
        DiagnosticRow {
            source,
            ..DiagnosticRow::between_sources(kind, &found.diagnostic)
        }
    }

    /// Creates the row of a diagnostic that no single source has.
    pub(super) fn between_sources(kind: &'static str, diagnostic: &Diagnostic) -> DiagnosticRow {
        DiagnosticRow {
            kind,
            source: None,
            severity: diagnostic.severity,
            code: diagnostic.code.to_string(),
            message: diagnostic.message.clone(),
            path: diagnostic.path.clone(),
            line: diagnostic.line,
            column: diagnostic.column,
            other: diagnostic.other.clone(),
            help: diagnostic.help.clone(),
        }
    }
}

/// The diagnostics of all registries.
#[derive(Serialize, ToSchema)]
pub(super) struct DiagnosticList {
    pub(super) diagnostics: Vec<DiagnosticRow>,
}

/// The results of a search, in each registry the best first.
#[derive(Serialize, ToSchema)]
pub(super) struct SearchResults {
    pub(super) skills: Vec<Hit<SkillItem>>,
    pub(super) workflows: Vec<Hit<WorkflowItem>>,
}

/// An entry that a search found.
#[derive(Serialize, ToSchema)]
pub(super) struct Hit<T: ToSchema> {
    pub(super) entry: EntryRow<T>,
    /// The explanation of the match.
    pub(super) why: String,
    /// `fits-well`, `may-fit` or `nothing-fits`.
    #[schema(value_type = ConfidenceName)]
    pub(super) confidence: repertoire::search::MatchConfidence,
}

/// The files beside the instructions of a skill.
#[derive(Serialize, ToSchema)]
pub(super) struct FileList {
    pub(super) files: Vec<FileRow>,
}

/// A file of a skill.
#[derive(Serialize, ToSchema)]
pub(super) struct FileRow {
    /// The path below the folder of the skill.
    pub(super) path: String,
    /// The length in bytes.
    pub(super) size: u64,
    /// The SHA-256 of the bytes.
    pub(super) digest: String,
}

impl FileRow {
    pub(super) fn of(file: &Resource) -> FileRow {
        FileRow {
            path: file.path.to_string(),
            size: file.size,
            digest: file.digest.to_string(),
        }
    }
}
