//! Why a view changed.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use repertoire_core::Item;
use serde::Serialize;

use crate::{Change, Claim, Entry, Layer, Snapshot};

/// One reason for a change. Read off the two snapshots, so it is true of any two, however many lie in between.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", content = "source", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Cause {
    /// Something was registered, replaced or unregistered in code.
    Registered,
    /// This source has something else, or says something else.
    Source(Arc<str>),
    /// This source was added, taken out, or composed in another way or order.
    Composed(Arc<str>),
    /// Other rules say what is switched off.
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

/// The causes of a change that is not empty, each once, in their order.
pub(crate) fn causes<T: Item>(old: &Snapshot<T>, new: &Snapshot<T>, change: &Change<T>) -> Vec<Cause> {
    let mut sources = BTreeSet::new();
    for (old, new) in old.all_layers().pairs(new.all_layers()) {
        if let (Some(old), Some(new)) = (old, new)
            && old.listing.diagnostics() != new.listing.diagnostics()
        {
            sources.insert(new.origin.source.clone());
        }
    }
    for entry in change.added.iter().chain(&change.removed) {
        sources.extend(entry.claims().map(|claim| claim.origin.source.clone()));
    }
    for id in &change.modified {
        sources.extend(lacking(&id.old, &id.new));
        sources.extend(lacking(&id.new, &id.old));
    }
    let composed = old.all_layers().recomposed(new.all_layers());
    let is_registered = |source: &str| {
        let layer = |snapshot: &Snapshot<T>| snapshot.layer(source).map(|Layer { is_registered, .. }| *is_registered);
        layer(new).or(layer(old)).unwrap_or(false)
    };
    let of_source = |source: Arc<str>| if is_registered(&source) { Cause::Registered } else { Cause::Source(source) };
    let moved = sources.into_iter().filter(|source| !composed.contains(source)).map(of_source);
    let rules = (old.rules() != new.rules()).then_some(Cause::Rules);
    let causes: BTreeSet<_> = moved.chain(composed.iter().cloned().map(Cause::Composed)).chain(rules).collect();
    causes.into_iter().collect()
}

/// The sources whose rows behind `entry` are not behind `other`. What is known of a row's content counts: it decides
/// whether a shadow is identical.
fn lacking<T: Item>(entry: &Entry<T>, other: &Entry<T>) -> Vec<Arc<str>> {
    let key = |claim: &Claim<T>| (claim.origin.source.clone(), claim.item.id().clone());
    let others: HashMap<_, &Claim<T>> = other.claims().map(|claim| (key(claim), claim)).collect();
    let is_behind = |claim: &&Claim<T>| {
        let same = others.get(&key(claim));
        same.is_some_and(|same| same.has_row_of(claim) && same.digest == claim.digest)
    };
    entry.claims().filter(|claim| !is_behind(claim)).map(|claim| claim.origin.source.clone()).collect()
}
