//! The difference between two snapshots.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use repertoire_core::{ChangedParts, Item};
use serde::Serialize;

use crate::{Candidate, Entry, Snapshot, SourceDiagnostic, diagnostics};

/// The ids that were added, removed and modified between two snapshots, each list by id.
///
/// An id is in at most one list. When a winner goes and a shadow steps forward, the id is *modified*.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Change<T: Item> {
    /// New ids.
    pub added: Vec<Arc<Entry<T>>>,
    /// Ids that are gone, as they were.
    pub removed: Vec<Arc<Entry<T>>>,
    /// The ids with a different winner, content or shadows.
    pub modified: Vec<Modified<T>>,
    /// The diagnostics that came and went.
    pub diagnostics: DiagnosticChange,
    /// The causes, each once. Not empty if anything changed.
    pub causes: Vec<Cause>,
}

/// One id before and after.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Modified<T> {
    /// The entry before.
    pub old: Arc<Entry<T>>,
    /// The entry after.
    pub new: Arc<Entry<T>>,
}

impl<T: Item> Modified<T> {
    /// Returns the parts of the winner that changed. None if only its shadows or its rights did.
    pub fn changed_parts(&self) -> ChangedParts {
        self.old.candidate.changed_parts(&self.new.candidate)
    }
}

impl<T: Item> Change<T> {
    pub(crate) fn between(old: &Snapshot<T>, new: &Snapshot<T>) -> Change<T> {
        let [before, now] = old.differences(new);
        let removed = before
            .into_iter()
            .filter(|entry| new.get(entry.id.as_str()).is_none());
        let (mut added, mut removed, mut modified) =
            (Vec::new(), removed.cloned().collect::<Vec<_>>(), Vec::new());
        for entry in now {
            match old.get(entry.id.as_str()) {
                None => added.push(entry.clone()),
                Some(before) if before.is_same(entry) => {}
                Some(before) => modified.push(Modified {
                    old: before.clone(),
                    new: entry.clone(),
                }),
            }
        }
        added.sort_by(|a, b| a.id.cmp(&b.id));
        removed.sort_by(|a, b| a.id.cmp(&b.id));
        modified.sort_by(|a, b| a.new.id.cmp(&b.new.id));

        let gone = removed.iter().chain(modified.iter().map(|id| &id.old));
        let come = added.iter().chain(modified.iter().map(|id| &id.new));
        let diagnostics = DiagnosticChange::between(old, new, gone, come);
        let mut change = Change {
            added,
            removed,
            modified,
            diagnostics,
            causes: Vec::new(),
        };
        if !change.is_empty() {
            change.causes = causes(old, new, &change);
        }
        change
    }

    /// Returns whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.removed.is_empty()
            && self.modified.is_empty()
            && self.diagnostics.is_empty()
    }
}

/// A cause of a change. It is derived from two snapshots, however many were published in between.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", content = "source", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Cause {
    /// Something was registered, replaced or unregistered in code.
    Registered,
    /// This source has different items or diagnostics.
    Source(Arc<str>),
    /// This source was added, removed, or composed in a different way or order.
    Composed(Arc<str>),
    /// The rules changed.
    Rules,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Registered => f.write_str("registered in code"),
            Cause::Source(source) => write!(f, "source `{source}`"),
            Cause::Composed(source) => write!(f, "composition of `{source}`"),
            Cause::Rules => f.write_str("rules"),
        }
    }
}

pub(crate) fn causes<T: Item>(
    old: &Snapshot<T>,
    new: &Snapshot<T>,
    change: &Change<T>,
) -> Vec<Cause> {
    let mut sources = BTreeSet::new();
    for (old, new) in old.all_layers().pairs(new.all_layers()) {
        if let (Some(old), Some(new)) = (old, new)
            && !old.listing.has_diagnostics_of(&new.listing)
        {
            sources.insert(new.origin.source.clone());
        }
    }
    for entry in change.added.iter().chain(&change.removed) {
        sources.extend(
            entry
                .candidates()
                .map(|candidate| candidate.origin.source.clone()),
        );
    }
    for id in &change.modified {
        sources.extend(lacking(&id.old, &id.new));
        sources.extend(lacking(&id.new, &id.old));
    }
    let composed = old.all_layers().recomposed(new.all_layers());
    let mut causes: BTreeSet<Cause> = composed.iter().cloned().map(Cause::Composed).collect();
    for source in sources
        .into_iter()
        .filter(|source| !composed.contains(source))
    {
        let is_registered = new
            .layer(&source)
            .or(old.layer(&source))
            .is_some_and(|layer| layer.is_registered);
        causes.insert(if is_registered {
            Cause::Registered
        } else {
            Cause::Source(source)
        });
    }
    causes.extend((old.rules() != new.rules()).then_some(Cause::Rules));
    causes.into_iter().collect()
}

/// Returns the sources with a row in `entry` that is not in `other`. Different digests count, because they decide whether a
/// shadow is identical.
fn lacking<T: Item>(entry: &Entry<T>, other: &Entry<T>) -> Vec<Arc<str>> {
    let others: HashMap<_, &Candidate<T>> = other
        .candidates()
        .map(|candidate| ((&candidate.origin.source, candidate.item.id()), candidate))
        .collect();
    let lacking = entry.candidates().filter(|candidate| {
        let same = others.get(&(&candidate.origin.source, candidate.item.id()));
        !same.is_some_and(|same| same.has_row_of(candidate) && same.digest == candidate.digest)
    });
    lacking
        .map(|candidate| candidate.origin.source.clone())
        .collect()
}

/// The diagnostics that came and went between two snapshots. One that stays is in neither list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DiagnosticChange {
    /// The diagnostics that are new.
    pub new: Vec<SourceDiagnostic>,
    /// The diagnostics that are gone.
    pub gone: Vec<SourceDiagnostic>,
}

impl DiagnosticChange {
    /// Returns whether the diagnostics are the same.
    pub fn is_empty(&self) -> bool {
        self.new.is_empty() && self.gone.is_empty()
    }

    pub(crate) fn of_sources<T: Item>(old: &Snapshot<T>, new: &Snapshot<T>) -> DiagnosticChange {
        DiagnosticChange::between(old, new, [], [])
    }

    pub(crate) fn between<'a, T: Item>(
        old: &'a Snapshot<T>,
        new: &'a Snapshot<T>,
        gone: impl IntoIterator<Item = &'a Arc<Entry<T>>>,
        come: impl IntoIterator<Item = &'a Arc<Entry<T>>>,
    ) -> DiagnosticChange {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (old, new) in old.all_layers().pairs(new.all_layers()) {
            let is_same = match (old, new) {
                (Some(old), Some(new)) => old.listing.has_diagnostics_of(&new.listing),
                (old, new) => old.or(new).is_none(),
            };
            if !is_same {
                before.extend(old.into_iter().flat_map(diagnostics::of_source));
                after.extend(new.into_iter().flat_map(diagnostics::of_source));
            }
        }
        before.extend_from_slice(old.composed());
        after.extend_from_slice(new.composed());
        if old.all_layers().recomposed(new.all_layers()).is_empty() {
            for entry in gone {
                before.extend(diagnostics::of_entry(entry));
                before.extend(diagnostics::of_names(entry, old));
            }
            for entry in come {
                after.extend(diagnostics::of_entry(entry));
                after.extend(diagnostics::of_names(entry, new));
            }
        } else {
            // A source that comes or goes makes the names of others look like its own, or no longer.
            before.extend(
                gone.into_iter()
                    .flat_map(|entry| diagnostics::of_entry(entry)),
            );
            after.extend(
                come.into_iter()
                    .flat_map(|entry| diagnostics::of_entry(entry)),
            );
            before.extend(
                old.entries()
                    .iter()
                    .flat_map(|entry| diagnostics::of_names(entry, old)),
            );
            after.extend(
                new.entries()
                    .iter()
                    .flat_map(|entry| diagnostics::of_names(entry, new)),
            );
        }
        difference(before, after)
    }
}

/// Returns what is left of both lists when equal diagnostics are removed in pairs.
fn difference(old: Vec<SourceDiagnostic>, new: Vec<SourceDiagnostic>) -> DiagnosticChange {
    let mut gone: HashMap<_, Vec<SourceDiagnostic>> = HashMap::new();
    for diagnostic in &old {
        gone.entry(key(diagnostic))
            .or_default()
            .push(diagnostic.clone());
    }
    let mut come = Vec::new();
    for diagnostic in new {
        let same = gone.get_mut(&key(&diagnostic)).and_then(|same| {
            let at = same.iter().position(|other| *other == diagnostic)?;
            Some(same.remove(at))
        });
        come.extend(same.is_none().then_some(diagnostic));
    }
    let mut left = Vec::new();
    for diagnostic in old.into_iter().rev() {
        let same = gone.get_mut(&key(&diagnostic));
        left.extend(same.and_then(|same| {
            Some(same.remove(same.iter().rposition(|other| *other == diagnostic)?))
        }));
    }
    left.reverse();
    DiagnosticChange {
        new: come,
        gone: left,
    }
}

fn key(SourceDiagnostic { source, diagnostic }: &SourceDiagnostic) -> impl Hash + Eq + use<> {
    (
        source.clone(),
        diagnostic.path.clone(),
        diagnostic.message.clone(),
    )
}
