//! What the operator should know of a view.

use std::sync::Arc;

use repertoire_core::{Code, Diagnostic, Item};
use serde::Serialize;

use crate::{Entry, Layer, Shadow, Snapshot};

/// A finding and the source it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SourceDiagnostic {
    /// The source.
    pub source: Arc<str>,
    /// The finding.
    #[serde(flatten)]
    pub diagnostic: Diagnostic,
}

/// Each source's findings, then what merging found.
pub(crate) fn of_view<T: Item>(snapshot: &Snapshot<T>) -> Vec<SourceDiagnostic> {
    let mut all: Vec<_> = snapshot.layers().iter().flat_map(of_source).collect();
    all.extend(of_composition(snapshot));
    all.extend(snapshot.entries().iter().flat_map(|entry| of_entry(entry)));
    all
}

/// What a source says itself.
pub(crate) fn of_source<T: Item>(layer: &Layer<T>) -> impl Iterator<Item = SourceDiagnostic> {
    let found = |finding: &Diagnostic| found(&layer.origin.source, finding.clone());
    layer.listing.diagnostics().iter().map(found)
}

/// What is odd about the composition, given what there is.
pub(crate) fn of_composition<T: Item>(snapshot: &Snapshot<T>) -> Vec<SourceDiagnostic> {
    let mut all = Vec::new();
    for layer in snapshot.layers() {
        let source = &layer.origin.source;
        for id in &layer.preferred {
            let entry = snapshot.get(layer.effective_id(id).as_str());
            if !entry.is_some_and(|entry| entry.claims().any(|claim| claim.origin == layer.origin)) {
                let message = format!("source `{source}` is preferred for `{id}` but does not have it");
                all.push(found(source, Diagnostic::new(Code::UNKNOWN_PREFERENCE, message)));
            }
        }
    }
    all
}

/// What is to be said of who has an id. Follows from the entry alone.
pub(crate) fn of_entry<T: Item>(entry: &Entry<T>) -> impl Iterator<Item = SourceDiagnostic> {
    let shadows = entry.shadows.iter().map(|shadow| found(&shadow.claim.origin.source, shadowing(entry, shadow)));
    shadows.chain(preference(entry).map(|finding| found(&entry.origin().source, finding)))
}

fn found(source: &Arc<str>, diagnostic: Diagnostic) -> SourceDiagnostic {
    SourceDiagnostic { source: source.clone(), diagnostic }
}

fn shadowing<T: Item>(entry: &Entry<T>, shadow: &Shadow<T>) -> Diagnostic {
    let (kind, id, winner) = (T::KIND, &entry.id, entry.origin());
    let mut diagnostic = if shadow.identical == Some(true) {
        let message = format!("{kind} `{id}` is an identical copy of the one from {winner}");
        Diagnostic::new(Code::SHADOWED_IDENTICAL, message)
    } else {
        let help = format!("ask for it as `{}`, rename it, or prefer its source", shadow.claim.qualified_id());
        Diagnostic::new(Code::SHADOWED, format!("{kind} `{id}` is hidden by the one from {winner}")).help(help)
    };
    diagnostic.path = shadow.claim.item.location().map(Into::into);
    diagnostic.other = entry.item().location().map(Into::into);
    diagnostic
}

/// Says so when a preference, not the tier, decided.
fn preference<T: Item>(entry: &Entry<T>) -> Option<Diagnostic> {
    let passed = entry.passed.as_ref()?;
    let message = format!("{} `{}` comes from {} by preference, ahead of {passed}", T::KIND, entry.id, entry.origin());
    Some(Diagnostic::new(Code::PREFERRED, message))
}
