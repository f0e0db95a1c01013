//! `repertoire which`.

use std::io;

use clap::Args;
use repertoire::{Claim, Entry, Skill};
use serde::Serialize;
use serde_json::Value;

use crate::Stream;
use crate::answer::{Answer, json};
use crate::failure::Failure;
use crate::finding::counted;
use crate::provenance::Provenance;
use crate::row::{Flag, Row, Shadow};
use crate::session::Session;
use crate::table::{Cell, Table};

/// Tell who has an id, and why every other claim to it lost.
#[derive(Debug, Args)]
pub(crate) struct Which {
    /// The skill: `NAME`, or `SOURCE:NAME`.
    name: String,
}

/// Who claims an id.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Chain<'a> {
    id: &'a repertoire::Id,
    /// The winner first, then in the order in which they would step forward.
    claims: Vec<Link<'a>>,
    /// Why it is not known where skills were installed from.
    #[serde(skip)]
    unknown: Option<String>,
    #[serde(skip)]
    session: &'a Session<'a>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Link<'a> {
    #[serde(flatten)]
    claim: Shadow<'a>,
    /// For people: why this claim won or lost.
    why: String,
    provenance: Option<Provenance>,
    /// How many diagnostics there are about its file.
    diagnostics: usize,
}

impl Which {
    pub(crate) async fn answer<'a>(&self, session: &'a Session<'_>) -> Result<impl Answer + 'a, Failure> {
        let entry: &'a Entry<Skill> = session.find(&self.name)?.entry;
        let (installed, unknown) = session.installed();
        let mut claims = Vec::new();
        for (place, claim) in entry.claims().enumerate() {
            let identical = place.checked_sub(1).and_then(|at| entry.shadows[at].identical);
            let why = match place {
                0 if entry.shadows.is_empty() => "nobody else has the id".to_owned(),
                0 => "has the id".to_owned(),
                _ => reason(entry, claim, identical, session),
            };
            let provenance = Provenance::of(&claim.item, &installed);
            let diagnostics = session.diagnostics_of(claim).await.len();
            let claim = Shadow { row: Row::of(entry, claim, session), identical };
            claims.push(Link { claim, why, provenance, diagnostics });
        }
        Ok(Chain { id: &entry.id, claims, unknown, session })
    }
}

/// Returns why `loser` is not the winner.
fn reason(entry: &Entry<Skill>, loser: &Claim<Skill>, identical: Option<bool>, session: &Session<'_>) -> String {
    let reason = session.snapshot.reason(&entry.claim, loser).to_string();
    if identical == Some(true) { reason + "; identical content" } else { reason }
}

impl Answer for Chain<'_> {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let is_installed = self.claims.iter().any(|link| link.provenance.is_some());
        let mut headings = vec![">#", "full name", "tier", "trust", "location", "why"];
        headings.extend(is_installed.then_some("from"));
        let has_flags = self.claims.iter().any(|link| !link.claim.row.flags.is_empty());
        headings.extend(has_flags.then_some("flags"));
        let mut table = Table::new(&headings);
        for (place, Link { claim: Shadow { row, .. }, why, provenance, .. }) in self.claims.iter().enumerate() {
            let mut cells: Vec<Cell> = vec![
                (place + 1).to_string().into(),
                row.qualified_id.as_str().into(),
                row.tier.to_string().into(),
                row.trust.to_string().into(),
                row.location.map_or("", |path| self.session.near(path)).into(),
                why.into(),
            ];
            cells.extend(is_installed.then(|| provenance.as_ref().map_or_else(String::new, Provenance::short).into()));
            let flags = || row.flags.iter().copied().map(Flag::as_str).collect::<Vec<_>>().join(", ");
            cells.extend(has_flags.then(|| flags().into()));
            table.row(cells);
        }
        let coloured = out.is_coloured();
        table.write(out, coloured)
    }

    fn notes(&self) -> Vec<String> {
        let odd = self.claims.iter().filter(|link| link.diagnostics > 0);
        let odd = odd.map(|Link { claim: Shadow { row, .. }, diagnostics, .. }| {
            format!("`{}`: {}; `repertoire show` shows them", row.qualified_id, counted(*diagnostics, "diagnostic"))
        });
        odd.chain(self.unknown.clone()).collect()
    }
}
