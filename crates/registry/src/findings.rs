//! What the operator should know of a view.

use std::sync::Arc;

use repertoire_core::{Code, Diagnostic, Id, Item};
use serde::Serialize;

use crate::draft::touched;
use crate::looks;
use crate::{Authority, Claim, Decision, Entry, Layer, Shadow, Snapshot, Target};

/// A finding and the source, or the level of rules, it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SourceDiagnostic {
    /// The source, or the level.
    pub source: Arc<str>,
    /// The finding.
    #[serde(flatten)]
    pub diagnostic: Diagnostic,
}

/// Each source's findings, then what merging found.
pub(crate) fn of_view<T: Item>(snapshot: &Snapshot<T>) -> Vec<SourceDiagnostic> {
    let mut all: Vec<_> = snapshot.layers().iter().flat_map(of_source).collect();
    all.extend_from_slice(snapshot.composed());
    all.extend(snapshot.entries().iter().flat_map(|entry| of_entry(entry)));
    all.extend(snapshot.entries().iter().flat_map(|entry| of_names(entry, snapshot)));
    all
}

/// What a source says itself.
pub(crate) fn of_source<T: Item>(layer: &Layer<T>) -> impl Iterator<Item = SourceDiagnostic> {
    let found = |finding: &Diagnostic| found(&layer.origin.source, finding.clone());
    layer.listing.diagnostics().iter().map(found)
}

/// What is odd about the composition, the rules and the names, given what there is.
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
    all.extend(of_rules(snapshot));
    all.extend(looks::of_names(snapshot));
    all
}

fn of_rules<T: Item>(snapshot: &Snapshot<T>) -> Vec<SourceDiagnostic> {
    let (rules, mut all) = (snapshot.rules(), Vec::new());
    let mut disabled: Vec<Target> = Vec::new();
    for (place, level) in rules.levels().enumerate() {
        let name = level.name();
        for (target, decision) in level.rules() {
            let is_ignored = |source: &str, id: &Id| rules.ignores(place, &target, source, id);
            let may_be_ignored = decision == Decision::Enable && level.authority() == Authority::NarrowsOnly;
            if !is_any(snapshot, &target, |_, _| true) {
                let message = format!("rule `{decision} {target}` of level `{name}` is about nothing there is");
                all.push(found(name, Diagnostic::new(Code::RULE_UNMATCHED, message)));
            } else if may_be_ignored && disabled.iter().any(|disabled| is_any(snapshot, disabled, is_ignored)) {
                let message = format!(
                    "rule `{decision} {target}` of level `{name}` is ignored: the level may only narrow, and an earlier one \
                     disables it"
                );
                let help = format!("enable it where it is disabled, or let `{name}` widen");
                all.push(found(name, Diagnostic::new(Code::RULE_IGNORED, message).help(help)));
            }
        }
        disabled.extend(level.rules().filter(|rule| rule.1 == Decision::Disable).map(|(target, _)| target));
    }
    all
}

/// Whether `is_meant` holds for the source and the id of anything that `target` is about.
fn is_any<T: Item>(snapshot: &Snapshot<T>, target: &Target, is_meant: impl Fn(&str, &Id) -> bool) -> bool {
    let is_any_of = |layer: &Layer<T>| {
        let mut rows = layer.listing.iter();
        rows.any(|row| is_meant(&layer.origin.source, row.item.id()))
    };
    match target {
        Target::All => snapshot.layers().iter().any(is_any_of),
        Target::Source(source) => snapshot.layer(source).is_some_and(is_any_of),
        Target::Id(_) => {
            let entries = touched(snapshot.all_layers(), target);
            let claims = entries.iter().filter_map(|id| snapshot.get(id.as_str())).flat_map(|entry| entry.claims());
            let mut about = claims.map(|claim| (&claim.origin.source, claim.item.id()));
            about.any(|(source, id)| target.is_about(source, id) && is_meant(source, id))
        }
    }
}

/// What is to be said of who has an id. Follows from the entry alone.
pub(crate) fn of_entry<T: Item>(entry: &Entry<T>) -> impl Iterator<Item = SourceDiagnostic> {
    let shadows = entry.shadows.iter().map(|shadow| found(&shadow.claim.origin.source, shadowing(entry, shadow)));
    shadows.chain(preference(entry).map(|finding| found(&entry.origin().source, finding)))
}

/// The diagnostics about items of `entry` that are written like the full name of an item of another source.
pub(crate) fn of_names<T: Item>(entry: &Entry<T>, snapshot: &Snapshot<T>) -> Vec<SourceDiagnostic> {
    let Some((source, _)) = entry.id.as_str().split_once(':') else { return Vec::new() };
    let Some(owner) = snapshot.layer(source) else { return Vec::new() };
    let strangers = entry.claims().filter(|claim| claim.origin != owner.origin);
    let strange = |claim: &Claim<T>| {
        let (kind, id, origin) = (T::KIND, &entry.id, &claim.origin);
        let message = format!("{kind} `{id}` of the {origin} is written like one of the source `{source}`");
        let help = format!("ask for it as `{}`, or rename it", claim.qualified_id());
        let mut diagnostic = Diagnostic::new(Code::SHADOWED, message).help(help);
        diagnostic.path = claim.item.location().map(Into::into);
        found(&origin.source, diagnostic)
    };
    strangers.map(strange).collect()
}

pub(crate) fn found(source: &Arc<str>, diagnostic: Diagnostic) -> SourceDiagnostic {
    SourceDiagnostic { source: source.clone(), diagnostic }
}

fn shadowing<T: Item>(entry: &Entry<T>, shadow: &Shadow<T>) -> Diagnostic {
    let (kind, id, winner) = (T::KIND, &entry.id, entry.origin());
    let mut diagnostic = if shadow.identical == Some(true) {
        let message = format!("{kind} `{id}` is an identical copy of the one from {winner}");
        Diagnostic::new(Code::SHADOWED_IDENTICAL, message)
    } else {
        let help = format!("ask for it as `{}`, rename it, or prefer its source", entry.shadow_id(&shadow.claim));
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
