//! A listing under an origin.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use repertoire_core::text::skeleton;
use repertoire_core::{Id, Item, Listing, ListingEntry};

use crate::entry::Candidate;
use crate::{Origin, RuleStack, Status, Tier, Trust};

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
    pub(crate) is_registered: bool,
    /// The sources that it is merged with.
    pub(crate) names: Arc<SourceNames>,
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
            names: Arc::default(),
        }
    }

    /// Returns the id under which `id` of this layer is merged.
    ///
    /// A namespaced layer puts `source:` in front, unless `id` is written with it already. So does any layer if `id` is written
    /// like an item of a different source that counts as much.
    pub(crate) fn effective_id(&self, id: &Id) -> Id {
        let is_qualified = if self.namespaced {
            !self.is_prefixed(id)
        } else {
            self.is_posing(id)
        };
        if is_qualified {
            Id::qualified(&self.origin.source, id)
        } else {
            id.clone()
        }
    }

    /// Returns whether `id` is written like an item of a different source that counts as much.
    pub(crate) fn is_posing(&self, id: &Id) -> bool {
        let skeleton = source_skeleton(self.bare_name(id));
        let owner = skeleton.and_then(|skeleton| self.names.get(&skeleton));
        owner.is_some_and(|(weight, name)| *name != self.origin.source && *weight <= self.weight())
    }

    pub(crate) fn weight(&self) -> Weight {
        (self.trust == Trust::Pending, self.origin.tier, self.trust)
    }

    fn is_prefixed(&self, id: &Id) -> bool {
        let rest = id
            .as_str()
            .strip_prefix(&*self.origin.source)
            .and_then(|rest| rest.strip_prefix(':'));
        self.namespaced && rest.is_some_and(|rest| !rest.trim().is_empty())
    }

    fn bare_id(&self, id: &Id) -> Id {
        let bare = self.bare_name(id);
        let bare = (bare.len() < id.as_str().len()).then(|| bare.parse().ok());
        bare.flatten().unwrap_or_else(|| id.clone())
    }

    fn bare_name<'i>(&self, id: &'i Id) -> &'i str {
        if self.is_prefixed(id) {
            &id.as_str()[self.origin.source.len() + 1..]
        } else {
            id.as_str()
        }
    }

    pub(crate) fn prefers(&self, id: &Id) -> bool {
        !self.preferred.is_empty()
            && [&self.bare_id(id), &self.effective_id(id)]
                .iter()
                .any(|id| self.preferred.contains(*id))
    }

    pub(crate) fn has_order_of(&self, older: &Layer<T>) -> bool {
        let (new, old) = (self.listing.rows(), older.listing.rows());
        self.origin == older.origin
            && old.unshared(new).into_iter().all(|(there, here)| {
                let before = old
                    .iter_from(there.start)
                    .take(there.len())
                    .map(|row| row.item.id());
                before.eq(new
                    .iter_from(here.start)
                    .take(here.len())
                    .map(|row| row.item.id()))
            })
    }

    pub(crate) fn is_composed_like(&self, other: &Layer<T>) -> bool {
        (&self.origin, self.trust, self.namespaced)
            == (&other.origin, other.trust, other.namespaced)
            && self.preferred == other.preferred
    }

    pub(crate) fn candidate(&self, row: &ListingEntry<T>, rules: &RuleStack) -> Candidate<T> {
        let candidate = Candidate {
            item: Arc::clone(&row.item),
            stamp: row.stamp,
            digest: row.digest,
            parts: row.parts.clone(),
            origin: self.origin.clone(),
            trust: rules.trust_of(self.trust, row.item.location()),
            status: Status::Active,
            is_prefixed: self.is_prefixed(row.item.id()),
            is_posing: self.is_posing(row.item.id()),
        };
        Candidate {
            status: candidate.status_under(rules),
            ..candidate
        }
    }
}

/// The importance of a source. The smallest counts most.
pub(crate) type Weight = (bool, Tier, Trust);

/// The sources by the skeleton of their names. Of names that look alike, the source that counts most.
pub(crate) type SourceNames = HashMap<String, (Weight, Arc<str>)>;

/// Returns a form of `name` that is equal for names that differ in letter case or in letters that look alike.
pub(crate) fn name_skeleton(name: &str) -> String {
    skeleton(&skeleton(&name.to_lowercase()).to_lowercase())
}

/// Returns the skeleton of the source name that `id` begins with: of `home` for `home:tidy` and `HOME:tidy`.
pub(crate) fn source_skeleton(id: &str) -> Option<String> {
    if id.is_ascii() && !id.contains(':') {
        return None;
    }
    Some(name_skeleton(id).split_once(':')?.0.trim().to_owned())
}
