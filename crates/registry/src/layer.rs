//! A listing under an origin.

use std::collections::BTreeSet;
use std::sync::Arc;

use repertoire_core::{Id, Item, Listed, Listing};

use crate::entry::Claim;
use crate::level::FullName;
use crate::{Origin, Rules, Standing, Trust};

/// A listing and how it was composed. What [`merge`](crate::merge) merges.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Layer<T: Item> {
    /// Tier and source name; the name is unique among the layers.
    pub origin: Origin,
    /// The place in the order of composition; breaks ties inside a tier.
    pub position: usize,
    /// What the source's text may do.
    pub trust: Trust,
    /// Whether the effective ids are `source:id`.
    pub namespaced: bool,
    /// Ids that this layer wins against every other admitted one.
    pub preferred: BTreeSet<Id>,
    /// What the source has.
    pub listing: Listing<T>,
    /// Whether it is what was registered in code.
    pub(crate) is_registered: bool,
}

impl<T: Item> Layer<T> {
    /// A trusted layer with plain ids.
    pub fn new(origin: Origin, position: usize, listing: Listing<T>) -> Layer<T> {
        Layer {
            origin,
            position,
            trust: Trust::Trusted,
            namespaced: false,
            preferred: BTreeSet::new(),
            listing,
            is_registered: false,
        }
    }

    /// Returns the id under which `id` of this layer is merged.
    ///
    /// A namespaced layer puts `source:` in front, unless `id` is written with it already.
    pub fn effective_id(&self, id: &Id) -> Id {
        if self.namespaced && !self.is_prefixed(id) { Id::qualified(&self.origin.source, id) } else { id.clone() }
    }

    /// Returns whether `id` is written with the prefix that this layer's namespace would add.
    fn is_prefixed(&self, id: &Id) -> bool {
        let rest = id.as_str().strip_prefix(&*self.origin.source).and_then(|rest| rest.strip_prefix(':'));
        self.namespaced && rest.is_some_and(|rest| !rest.trim().is_empty())
    }

    /// Returns the id that rules and preferences know `id` of this layer by: without the prefix of its namespace.
    fn bare_id(&self, id: &Id) -> Id {
        let bare = self.is_prefixed(id).then(|| id.as_str()[self.origin.source.len() + 1..].parse().ok());
        bare.flatten().unwrap_or_else(|| id.clone())
    }

    /// Returns whether this layer is preferred for its item `id`.
    pub(crate) fn prefers(&self, id: &Id) -> bool {
        !self.preferred.is_empty()
            && [&self.bare_id(id), &self.effective_id(id)].iter().any(|id| self.preferred.contains(*id))
    }

    /// Whether both are composed in the same way, whatever they list and wherever they stand.
    pub(crate) fn is_composed_like(&self, other: &Layer<T>) -> bool {
        let way = |layer: &Layer<T>| (layer.trust, layer.namespaced);
        self.origin == other.origin && way(self) == way(other) && self.preferred == other.preferred
    }

    /// The claim that `row` of this layer makes under `rules`.
    pub(crate) fn claim(&self, row: &Listed<T>, rules: &Rules) -> Claim<T> {
        Claim {
            item: Arc::clone(&row.item),
            stamp: row.stamp,
            digest: row.digest,
            parts: row.parts.clone(),
            origin: self.origin.clone(),
            trust: self.trust,
            standing: self.standing(row.item.id(), rules, FullName::Own),
            is_prefixed: self.is_prefixed(row.item.id()),
            full_name: FullName::Own,
        }
    }

    /// Whether what this layer has as `id` counts under `rules`.
    pub(crate) fn standing(&self, id: &Id, rules: &Rules, full_name: FullName) -> Standing {
        match self.trust {
            _ if rules.disables_as(full_name, &self.origin.source, &self.bare_id(id)) => Standing::Disabled,
            Trust::Pending => Standing::Pending,
            Trust::Trusted | Trust::Restricted => Standing::Admitted,
        }
    }
}
