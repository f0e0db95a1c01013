//! What a client is told of where a skill comes from.

use repertoire::Skill;
use repertoire::registry::Claim;
use repertoire::skill::{Code, Diagnostic, text};
use rmcp::model::MetaObject;
use serde_json::json;

use crate::view::Row;

/// The source, the tier and the trust of a skill.
const ORIGIN: &str = "repertoire/origin";
/// Who has the id that a skill would have otherwise.
const SHADOWED_BY: &str = "repertoire/shadowed-by";

pub(crate) fn origin(claim: &Claim<Skill>) -> MetaObject {
    let mut meta = MetaObject::new();
    let origin = &claim.origin;
    let told = json!({
        "source": origin.source.as_ref(),
        "tier": origin.tier.to_string(),
        "trust": claim.trust.to_string(),
    });
    meta.0.insert(ORIGIN.to_owned(), told);
    meta
}

/// The diagnostics about a file whose raw bytes a client gets.
const DIAGNOSTICS: &str = "repertoire/diagnostics";

/// Returns the diagnostic about hidden text in a file.
pub(crate) fn hidden_in(bytes: &[u8]) -> Option<Diagnostic> {
    let hidden = text::hidden(std::str::from_utf8(bytes).ok()?)?;
    let found = Diagnostic::new(Code::INVISIBLE_TEXT, format!("the file holds {hidden}"));
    Some(found.at(hidden.line, hidden.column))
}

/// Adds a diagnostic to what a client is told of a file.
pub(crate) fn with_diagnostic(mut meta: MetaObject, diagnostic: Option<&Diagnostic>) -> MetaObject {
    if let Some(diagnostic) = diagnostic {
        meta.0.insert(DIAGNOSTICS.to_owned(), json!([diagnostic]));
    }
    meta
}

pub(crate) fn origin_of(row: &Row) -> MetaObject {
    let mut meta = origin(row.claim());
    if let Some(winner) = row.winner() {
        meta.0.insert(SHADOWED_BY.to_owned(), winner.qualified_id().as_str().into());
    }
    meta
}
