//! A listing under an origin.

use std::collections::BTreeSet;
use std::sync::Arc;

use repertoire_core::{Id, Item, Listed, Listing};

use crate::entry::Claim;
use crate::{Origin, Tier, Trust};

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
}

/// Who wins an id, smallest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Rank {
    /// A source that is not admitted never hides one that is.
    pending: bool,
    /// A preference beats the tier.
    unpreferred: bool,
    /// `kit:slides` belongs to the source `kit`, not to a skill that was only written so.
    plain: bool,
    tier: Tier,
    position: usize,
}

impl Rank {
    /// Whether a preference, and not the tier, put this claim first.
    pub(crate) fn is_preferred(self) -> bool {
        !self.unpreferred
    }

    /// The same rank as if nobody had preferred it.
    pub(crate) fn without_preference(self) -> Rank {
        Rank { unpreferred: true, ..self }
    }
}

impl<T: Item> Layer<T> {
    /// A trusted layer with plain ids.
    pub fn new(origin: Origin, position: usize, listing: Listing<T>) -> Layer<T> {
        Layer { origin, position, trust: Trust::Trusted, namespaced: false, preferred: BTreeSet::new(), listing }
    }

    /// The id under which `id` of this layer is merged.
    pub fn effective_id(&self, id: &Id) -> Id {
        if self.namespaced { Id::qualified(&self.origin.source, id) } else { id.clone() }
    }

    /// The claim that `row` of this layer makes.
    pub(crate) fn claim(&self, row: &Listed<T>) -> Claim<T> {
        Claim {
            item: Arc::clone(&row.item),
            stamp: row.stamp,
            digest: row.digest,
            parts: row.parts.clone(),
            origin: self.origin.clone(),
            trust: self.trust,
            rank: Rank {
                pending: self.trust == Trust::Pending,
                unpreferred: !self.preferred.contains(row.item.id()),
                plain: !self.namespaced,
                tier: self.origin.tier,
                position: self.position,
            },
        }
    }
}
