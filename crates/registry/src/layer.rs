//! A listing under an origin.

use std::collections::BTreeSet;
use std::sync::Arc;

use repertoire_core::{Id, Item, Listing, ListingEntry};

use crate::entry::Candidate;
use crate::rules::FullName;
use crate::{Origin, RuleStack, Status, Trust};

/// A listing with its origin and trust: the input of [`merge`](crate::merge).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Layer<T: Item> {
    /// Tier and source name; the name is unique among the layers.
    pub origin: Origin,
    /// The place in the order of composition, which decides inside a tier.
    pub position: usize,
    /// The rights of the source's text.
    pub trust: Trust,
    /// `true` if the effective ids are `source:id`.
    pub namespaced: bool,
    /// The ids that this layer wins against every other admitted one.
    pub preferred: BTreeSet<Id>,
    /// The listing of the source.
    pub listing: Listing<T>,
    /// `true` for the entries that were registered in code.
    pub(crate) is_registered: bool,
}

impl<T: Item> Layer<T> {
    /// Creates a trusted layer with plain ids.
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

    fn is_prefixed(&self, id: &Id) -> bool {
        let rest = id.as_str().strip_prefix(&*self.origin.source).and_then(|rest| rest.strip_prefix(':'));
        self.namespaced && rest.is_some_and(|rest| !rest.trim().is_empty())
    }

    fn bare_id(&self, id: &Id) -> Id {
        let bare = self.is_prefixed(id).then(|| id.as_str()[self.origin.source.len() + 1..].parse().ok());
        bare.flatten().unwrap_or_else(|| id.clone())
    }

    /// Returns whether this layer is preferred for its item `id`.
    pub(crate) fn prefers(&self, id: &Id) -> bool {
        !self.preferred.is_empty()
            && [&self.bare_id(id), &self.effective_id(id)].iter().any(|id| self.preferred.contains(*id))
    }

    pub(crate) fn is_composed_like(&self, other: &Layer<T>) -> bool {
        (&self.origin, self.trust, self.namespaced) == (&other.origin, other.trust, other.namespaced)
            && self.preferred == other.preferred
    }

    pub(crate) fn candidate(&self, row: &ListingEntry<T>, rules: &RuleStack) -> Candidate<T> {
        Candidate {
            item: Arc::clone(&row.item),
            stamp: row.stamp,
            digest: row.digest,
            parts: row.parts.clone(),
            origin: self.origin.clone(),
            trust: self.trust,
            status: self.status(row.item.id(), rules, FullName::Own),
            is_prefixed: self.is_prefixed(row.item.id()),
            full_name: FullName::Own,
        }
    }

    pub(crate) fn status(&self, id: &Id, rules: &RuleStack, full_name: FullName) -> Status {
        match self.trust {
            _ if rules.disables_as(full_name, &self.origin.source, &self.bare_id(id)) => Status::Disabled,
            Trust::Pending => Status::Pending,
            Trust::Trusted | Trust::Restricted => Status::Active,
        }
    }
}
