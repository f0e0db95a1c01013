//! Diagnostics of a snapshot.

use std::collections::BTreeMap;
use std::sync::Arc;

use repertoire_core::text::{has_lookalikes, skeleton};
use repertoire_core::{Code, Diagnostic, Item};
use serde::Serialize;

use crate::layer::source_skeleton;
use crate::rules::Decision;
use crate::snapshot_builder::touched;
use crate::{Authority, Candidate, Entry, Layer, Shadow, Snapshot, Target};

/// A diagnostic and the source, or the level of rules, it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SourceDiagnostic {
    /// The source, or the level.
    pub source: Arc<str>,
    /// The diagnostic.
    #[serde(flatten)]
    pub diagnostic: Diagnostic,
}

pub(crate) fn of_view<T: Item>(snapshot: &Snapshot<T>) -> Vec<SourceDiagnostic> {
    let mut all: Vec<_> = snapshot.layers().iter().flat_map(of_source).collect();
    all.extend_from_slice(snapshot.composed());
    all.extend(snapshot.entries().iter().flat_map(|entry| of_entry(entry)));
    all.extend(
        snapshot
            .entries()
            .iter()
            .flat_map(|entry| of_names(entry, snapshot)),
    );
    all
}

pub(crate) fn of_source<T: Item>(layer: &Layer<T>) -> impl Iterator<Item = SourceDiagnostic> {
    layer
        .listing
        .diagnostics()
        .iter()
        .map(|diagnostic: &Diagnostic| found(&layer.origin.source, diagnostic.clone()))
}

pub(crate) fn of_composition<T: Item>(snapshot: &Snapshot<T>) -> Vec<SourceDiagnostic> {
    let mut all = Vec::new();
    for layer in snapshot.layers() {
        let source = &layer.origin.source;
        for id in &layer.preferred {
            let entry = snapshot.get(layer.effective_id(id).as_str());
            if !entry.is_some_and(|entry| {
                entry
                    .candidates()
                    .any(|candidate| candidate.origin == layer.origin)
            }) {
                let message =
                    format!("source `{source}` is preferred for `{id}` but does not have it");
                all.push(found(
                    source,
                    Diagnostic::new(Code::UNKNOWN_PREFERENCE, message),
                ));
            }
        }
    }
    all.extend(of_rules(snapshot));
    all.extend(of_lookalikes(snapshot));
    all
}

fn of_rules<T: Item>(snapshot: &Snapshot<T>) -> Vec<SourceDiagnostic> {
    let (rules, mut all) = (snapshot.rules(), Vec::new());
    let mut disabled: Vec<Target> = Vec::new();
    for (place, level) in rules.levels().enumerate() {
        let name = level.name();
        for (target, decision) in level.rules() {
            let may_be_ignored =
                decision == Decision::Enable && level.authority() == Authority::RestrictOnly;
            if !is_any(snapshot, &target, |_| true) {
                let message = format!(
                    "rule `{decision} {target}` of level `{name}` is about nothing there is"
                );
                all.push(found(name, Diagnostic::new(Code::RULE_UNMATCHED, message)));
            } else if may_be_ignored
                && disabled.iter().any(|disabled| {
                    is_any(snapshot, disabled, |candidate| {
                        rules.ignores(place, &target, || candidate.targets())
                    })
                })
            {
                let message = format!(
                    "rule `{decision} {target}` of level `{name}` is ignored: the level may only narrow, and an earlier one \
                     disables it"
                );
                let help = format!("enable it where it is disabled, or let `{name}` widen");
                all.push(found(
                    name,
                    Diagnostic::new(Code::RULE_IGNORED, message).help(help),
                ));
            }
        }
        disabled.extend(
            level
                .rules()
                .filter(|rule| rule.1 == Decision::Disable)
                .map(|(target, _)| target),
        );
    }
    all
}

/// Returns whether `is_meant` holds for a candidate that `target` is about.
fn is_any<T: Item>(
    snapshot: &Snapshot<T>,
    target: &Target,
    is_meant: impl Fn(&Candidate<T>) -> bool,
) -> bool {
    touched(snapshot.all_layers(), target)
        .filter_map(|id| snapshot.get(id.as_str()))
        .any(|entry| {
            let mut candidates = entry.all_candidates();
            candidates.any(|candidate| {
                candidate.targets().any(|other| other == *target) && is_meant(candidate)
            })
        })
}

pub(crate) fn of_entry<T: Item>(entry: &Entry<T>) -> impl Iterator<Item = SourceDiagnostic> {
    let shadows = entry
        .shadows
        .iter()
        .map(|shadow| found(&shadow.candidate.origin.source, shadowing(entry, shadow)));
    shadows.chain(preference(entry).map(|diagnostic| found(&entry.origin().source, diagnostic)))
}

/// Returns a diagnostic for each candidate whose own id begins with the name of a different source.
pub(crate) fn of_names<T: Item>(entry: &Entry<T>, snapshot: &Snapshot<T>) -> Vec<SourceDiagnostic> {
    let mut all = Vec::new();
    for candidate in entry.candidates() {
        let (id, origin) = (candidate.item.id(), &candidate.origin);
        let Some(skeleton) = source_skeleton(id.as_str()) else {
            continue;
        };
        let Some(owner) = snapshot
            .all_layers()
            .alike(&skeleton)
            .filter(|owner| owner.origin != *origin)
        else {
            continue;
        };
        if snapshot
            .layer(&origin.source)
            .is_some_and(|layer| layer.namespaced)
        {
            continue;
        }
        let (kind, source) = (T::KIND, &owner.origin.source);
        let message =
            format!("{kind} `{id}` of the {origin} is written like one of the source `{source}`");
        let help = format!("ask for it as `{}`, or rename it", candidate.qualified_id());
        let mut diagnostic = Diagnostic::new(Code::SHADOWED, message).help(help);
        diagnostic.path = candidate.item.location().map(Into::into);
        all.push(found(&origin.source, diagnostic));
    }
    all
}

pub(crate) fn found(source: &Arc<str>, diagnostic: Diagnostic) -> SourceDiagnostic {
    SourceDiagnostic {
        source: source.clone(),
        diagnostic,
    }
}

fn shadowing<T: Item>(entry: &Entry<T>, shadow: &Shadow<T>) -> Diagnostic {
    let (kind, id, winner) = (T::KIND, &entry.id, entry.origin());
    let mut diagnostic = if shadow.identical == Some(true) {
        let message = format!("{kind} `{id}` is an identical copy of the one from {winner}");
        Diagnostic::new(Code::SHADOWED_IDENTICAL, message)
    } else {
        let help = format!(
            "ask for it as `{}`, rename it, or prefer its source",
            entry.shadow_id(&shadow.candidate)
        );
        Diagnostic::new(
            Code::SHADOWED,
            format!("{kind} `{id}` is hidden by the one from {winner}"),
        )
        .help(help)
    };
    diagnostic.path = shadow.candidate.item.location().map(Into::into);
    diagnostic.other = entry.item().location().map(Into::into);
    diagnostic
}

fn preference<T: Item>(entry: &Entry<T>) -> Option<Diagnostic> {
    let passed = entry.passed()?;
    let message = format!(
        "{} `{}` comes from {} by preference, ahead of {passed}",
        T::KIND,
        entry.id,
        entry.origin()
    );
    Some(Diagnostic::new(Code::PREFERRED, message))
}

/// Returns a diagnostic for each name with letters of another script that looks like the name of another entry.
///
/// Costs nothing where no name has such letters. Only a name that looks like ASCII is compared with all others.
fn of_lookalikes<T: Item>(snapshot: &Snapshot<T>) -> Vec<SourceDiagnostic> {
    if !snapshot.has_lookalikes() {
        return Vec::new();
    }
    let mut names: BTreeMap<String, Vec<&Entry<T>>> = BTreeMap::new();
    for entry in snapshot
        .unsorted()
        .filter(|entry| has_lookalikes(entry.id.as_str()))
    {
        names
            .entry(skeleton(entry.id.as_str()))
            .or_default()
            .push(entry);
    }
    if names.keys().any(|skeleton| skeleton.is_ascii()) {
        for entry in snapshot
            .unsorted()
            .filter(|entry| entry.id.as_str().is_ascii())
        {
            if let Some(alike) = names.get_mut(&skeleton(entry.id.as_str())) {
                alike.push(entry);
            }
        }
    }
    let mut all = Vec::new();
    for mut alike in names.into_values() {
        // The plainest name is the one that the others look like.
        alike.sort_by_key(|entry| (!entry.id.as_str().is_ascii(), &entry.id));
        if let Some((plain, others)) = alike.split_first() {
            let others = others
                .iter()
                .filter(|entry| has_lookalikes(entry.id.as_str()));
            all.extend(others.map(|entry| found(&entry.origin().source, lookalike(entry, plain))));
        }
    }
    all
}

fn lookalike<T: Item>(entry: &Entry<T>, plain: &Entry<T>) -> Diagnostic {
    let letters = entry
        .id
        .as_str()
        .chars()
        .filter(|c| has_lookalikes(c.encode_utf8(&mut [0; 4])));
    let mut points: Vec<_> = letters.map(|c| format!("U+{:04X}", u32::from(c))).collect();
    points.dedup();
    points.truncate(4);
    let message = format!(
        "{} `{}` looks like `{}`, and is a different one: it has {}",
        T::KIND,
        entry.id,
        plain.id,
        points.join(", ")
    );
    let mut diagnostic = Diagnostic::new(Code::LOOKS_ALIKE, message)
        .help("rename it; if you did not write it, look at it before you use it");
    diagnostic.path = entry.item().location().map(Into::into);
    diagnostic.other = plain.item().location().map(Into::into);
    diagnostic
}
