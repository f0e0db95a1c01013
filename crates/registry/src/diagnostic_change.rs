//! The findings that came and went.

use std::collections::HashMap;
use std::sync::Arc;

use repertoire_core::Item;
use serde::Serialize;

use crate::{Entry, Snapshot, SourceDiagnostic, findings};

/// The findings that came and went between two snapshots; one that stays is in neither list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DiagnosticChange {
    /// Findings that were not there before.
    pub new: Vec<SourceDiagnostic>,
    /// Findings that are there no more.
    pub gone: Vec<SourceDiagnostic>,
}

impl DiagnosticChange {
    /// Whether the findings are the same.
    pub fn is_empty(&self) -> bool {
        self.new.is_empty() && self.gone.is_empty()
    }

    /// Between two views whose entries are the same.
    pub(crate) fn of_sources<T: Item>(old: &Snapshot<T>, new: &Snapshot<T>) -> DiagnosticChange {
        DiagnosticChange::between(old, new, [], [])
    }

    /// Between two views of which one has the entries `gone`, and the other `come` instead. Costs these, and the
    /// findings of sources that say something else.
    pub(crate) fn between<'a, T: Item>(
        old: &'a Snapshot<T>,
        new: &'a Snapshot<T>,
        gone: impl IntoIterator<Item = &'a Arc<Entry<T>>>,
        come: impl IntoIterator<Item = &'a Arc<Entry<T>>>,
    ) -> DiagnosticChange {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (old, new) in old.all_layers().pairs(new.all_layers()) {
            if old.map(|layer| layer.listing.diagnostics()) != new.map(|layer| layer.listing.diagnostics()) {
                before.extend(old.into_iter().flat_map(findings::of_source));
                after.extend(new.into_iter().flat_map(findings::of_source));
            }
        }
        before.extend_from_slice(old.composed());
        after.extend_from_slice(new.composed());
        if old.all_layers().recomposed(new.all_layers()).is_empty() {
            for entry in gone {
                before.extend(findings::of_entry(entry));
                before.extend(findings::of_names(entry, old));
            }
            for entry in come {
                after.extend(findings::of_entry(entry));
                after.extend(findings::of_names(entry, new));
            }
        } else {
            // A source that comes or goes makes the names of others look like its own, or no longer.
            before.extend(gone.into_iter().flat_map(|entry| findings::of_entry(entry)));
            after.extend(come.into_iter().flat_map(|entry| findings::of_entry(entry)));
            before.extend(old.entries().iter().flat_map(|entry| findings::of_names(entry, old)));
            after.extend(new.entries().iter().flat_map(|entry| findings::of_names(entry, new)));
        }
        difference(before, after)
    }
}

/// What is left of both when equals are taken away in pairs.
fn difference(old: Vec<SourceDiagnostic>, new: Vec<SourceDiagnostic>) -> DiagnosticChange {
    let key = |finding: &SourceDiagnostic| {
        let SourceDiagnostic { source, diagnostic } = finding;
        (source.clone(), diagnostic.path.clone(), diagnostic.message.clone())
    };
    let mut unmatched: HashMap<_, Vec<usize>> = HashMap::new();
    for (at, finding) in old.iter().enumerate() {
        unmatched.entry(key(finding)).or_default().push(at);
    }
    let mut is_gone = vec![true; old.len()];
    let is_new = |finding: &SourceDiagnostic| {
        let matched = unmatched.get_mut(&key(finding)).and_then(|places| {
            let place = places.iter().position(|at| old[*at] == *finding)?;
            Some(places.remove(place))
        });
        matched.inspect(|at| is_gone[*at] = false).is_none()
    };
    let new = new.into_iter().filter(is_new).collect();
    let gone = old.into_iter().zip(is_gone).filter_map(|(finding, is_gone)| is_gone.then_some(finding)).collect();
    DiagnosticChange { new, gone }
}
