//! `repertoire which`.

use std::io;

use clap::Args;
use repertoire::registry::{Candidate, Entry};
use repertoire::{Id, Skill};
use serde::Serialize;

use crate::Stream;
use crate::context::CommandContext;
use crate::diagnostics::counted;
use crate::failure::Failure;
use crate::output::CommandOutput;
use crate::provenance::Provenance;
use crate::row::{Row, Shadow};
use crate::table::{Cell, Table};

/// Explain which skill a name resolves to, and why the others lose.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire which review")]
pub(crate) struct Which {
    /// Skill name, or SOURCE:NAME for the copy from one source.
    name: String,
}

/// The candidates for a name.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Chain<'a> {
    id: &'a Id,
    /// The winner, then the others in the order of their rank.
    candidates: Vec<Link<'a>>,
    /// The reason why the installed skills are unknown.
    #[serde(skip)]
    unknown: Option<String>,
    #[serde(skip)]
    context: &'a CommandContext,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Link<'a> {
    #[serde(flatten)]
    candidate: Shadow<'a>,
    /// The reason why this candidate wins or loses, for people.
    why: String,
    provenance: Option<Provenance>,
    /// The number of diagnostics of its file.
    diagnostics: usize,
}

impl Which {
    pub(super) async fn run<'a>(&self, context: &'a CommandContext) -> Result<Chain<'a>, Failure> {
        let entry: &'a Entry<Skill> = context.find(&self.name)?.entry;
        let (installed, unknown) = context.installed();
        let mut candidates = Vec::new();
        for (place, candidate) in entry.candidates().enumerate() {
            let identical = place.checked_sub(1).and_then(|at| entry.shadows[at].identical);
            let why = match place {
                0 if entry.shadows.is_empty() => "only candidate".to_owned(),
                0 => "wins".to_owned(),
                _ => reason(entry, candidate, identical, context),
            };
            let provenance = Provenance::of(&candidate.item, &installed);
            let diagnostics = context.diagnostics_of(candidate).await.len();
            let candidate = Shadow { row: Row::of(entry, candidate, context), identical };
            candidates.push(Link { candidate, why, provenance, diagnostics });
        }
        Ok(Chain { id: &entry.id, candidates, unknown, context })
    }
}

fn reason(entry: &Entry<Skill>, loser: &Candidate<Skill>, identical: Option<bool>, context: &CommandContext) -> String {
    let reason = context.snapshot.reason(&entry.candidate, loser).to_string();
    if identical == Some(true) { reason + "; same content" } else { reason }
}

impl CommandOutput for Chain<'_> {
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let has_provenance = self.candidates.iter().any(|link| link.provenance.is_some());
        let has_flags = self.candidates.iter().any(|link| !link.candidate.row.flags.is_empty());
        let mut headings = vec![">#", "skill", "tier", "trust", "path", "reason"];
        headings.extend(has_provenance.then_some("from"));
        headings.extend(has_flags.then_some("flags"));
        let mut table = Table::new(&headings);
        for (place, Link { candidate: Shadow { row, .. }, why, provenance, .. }) in (1..).zip(&self.candidates) {
            let mut cells: Vec<Cell> = vec![
                usize::to_string(&place).into(),
                row.qualified_id.as_str().into(),
                row.tier.to_string().into(),
                row.trust.to_string().into(),
                row.location.map_or("", |path| self.context.relative_path(path)).into(),
                why.into(),
            ];
            cells
                .extend(has_provenance.then(|| provenance.as_ref().map_or_else(String::new, Provenance::short).into()));
            cells.extend(has_flags.then(|| row.flags_text().into()));
            table.row(cells);
        }
        table.write(out)
    }

    fn notes(&self) -> Vec<String> {
        let faulty = self.candidates.iter().filter(|link| link.diagnostics > 0);
        let faulty = faulty.map(|Link { candidate: Shadow { row, .. }, diagnostics, .. }| {
            let count = counted(*diagnostics, "diagnostic");
            format!("`{0}`: {count}; run `repertoire show {0}` for details", row.qualified_id)
        });
        faulty.chain(self.unknown.clone()).collect()
    }
}
