//! The candidates for a name in the sources of this program.

use repertoire::Id;
use repertoire::skill::text::command_argument;
use serde::Serialize;

use crate::context::CommandContext;
use crate::diagnostics::counted;
use crate::failure::Failure;
use crate::fields;
use crate::output::Output;
use crate::provenance::Provenance;
use crate::row::{ShadowRow, SkillRow};
use crate::table::{Cell, TextTable};

/// The candidates for a name.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct CandidatesOutput<'a> {
    id: &'a Id,
    /// The winner, then the others in the order of their rank.
    candidates: Vec<CandidateRow<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct CandidateRow<'a> {
    #[serde(flatten)]
    candidate: ShadowRow<'a>,
    /// The reason why this candidate wins or loses, for people.
    why: String,
    provenance: Option<Provenance>,
    /// The number of diagnostics of its file.
    diagnostics: usize,
}

/// Explains which candidate a name resolves to, and why the others lose.
pub(super) async fn explain(
    name: &str,
    context: &CommandContext,
    out: &mut Output,
) -> Result<(), Failure> {
    let entry = context.find(name)?.entry;
    let (installed, unknown_origins) = context.installed();
    let mut candidates = Vec::new();
    for (place, candidate) in entry.candidates().enumerate() {
        let identical = place
            .checked_sub(1)
            .and_then(|at| entry.shadows[at].identical);
        let mut why = match place {
            0 if entry.shadows.is_empty() => "only candidate".to_owned(),
            0 => "wins".to_owned(),
            _ => context
                .snapshot
                .reason(&entry.candidate, candidate)
                .to_string(),
        };
        if identical == Some(true) {
            why += "; same content";
        }
        candidates.push(CandidateRow {
            candidate: ShadowRow {
                row: SkillRow::of(entry, candidate, context),
                identical,
            },
            why,
            provenance: Provenance::of(&candidate.item, &installed),
            diagnostics: fields::diagnostics_of(candidate, context).await.len(),
        });
    }
    let found = CandidatesOutput {
        id: &entry.id,
        candidates,
    };
    if out.write_json(&found) {
        return Ok(());
    }
    found.write(context, out);
    for row in found.candidates.iter().filter(|row| row.diagnostics > 0) {
        let (name, count) = (
            &row.candidate.row.qualified_id,
            counted(row.diagnostics, "diagnostic"),
        );
        out.note(format!(
            "`{name}`: {count}; run `repertoire show {}` for details",
            command_argument(name.as_ref())
        ));
    }
    out.notes(unknown_origins);
    Ok(())
}

impl CandidatesOutput<'_> {
    fn write(&self, context: &CommandContext, out: &mut Output) {
        let has_provenance = self.candidates.iter().any(|row| row.provenance.is_some());
        let has_flags = self
            .candidates
            .iter()
            .any(|row| !row.candidate.row.flags.is_empty());
        let mut headings = vec![">#", "skill", "tier", "trust", "path", "reason"];
        headings.extend(has_provenance.then_some("from"));
        headings.extend(has_flags.then_some("flags"));
        let mut table = TextTable::new(&headings);
        for (
            place,
            CandidateRow {
                candidate,
                why,
                provenance,
                ..
            },
        ) in (1..).zip(&self.candidates)
        {
            let row = &candidate.row;
            let mut cells: Vec<Cell> = vec![
                usize::to_string(&place).into(),
                row.qualified_id.as_str().into(),
                row.tier.to_string().into(),
                row.trust.to_string().into(),
                row.location
                    .map_or("", |path| context.relative_path(path))
                    .into(),
                why.into(),
            ];
            let from = provenance
                .as_ref()
                .map_or_else(String::new, Provenance::short);
            cells.extend(has_provenance.then(|| from.into()));
            cells.extend(has_flags.then(|| row.flags_text().into()));
            table.row(cells);
        }
        table.write(out);
    }
}
