//! Entries of a snapshot.

use std::sync::Arc;

use repertoire_core::{ChangedParts, ContentDigests, Digest, Id, Item, ListingEntry, Stamp};
use serde::Serialize;

use crate::{Origin, RuleStack, Status, Target, Trust};

/// A candidate for an id: the row of one source, and where it comes from.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Candidate<T> {
    /// The item.
    pub item: Arc<T>,
    /// The fingerprint of the item and its content.
    #[serde(skip)]
    pub stamp: Stamp,
    /// The digest of its content, if it is known.
    pub digest: Option<Digest>,
    /// The digests of the parts of its content, if they are known.
    #[serde(skip)]
    pub parts: Option<Arc<ContentDigests>>,
    /// The tier and the source.
    #[serde(flatten)]
    pub origin: Origin,
    /// The rights of its text.
    pub trust: Trust,
    /// The state that decides first among candidates.
    pub status: Status,
    /// `true` if the item's own id is written with the prefix of its source's namespace.
    #[serde(skip)]
    pub(crate) is_prefixed: bool,
    /// `true` if the item's own id is written like an item of a different source that counts as much.
    #[serde(skip)]
    pub(crate) is_posing: bool,
}

impl<T: Item> Candidate<T> {
    /// Returns the id that finds this candidate, winner or not: `source:id`. Only an entry with exactly this id comes before it.
    pub fn qualified_id(&self) -> Id {
        if self.is_prefixed {
            self.item.id().clone()
        } else {
            Id::qualified(&self.origin.source, self.item.id())
        }
    }

    /// Returns what a rule about this candidate may be written for, the most specific first: its full name `source:id`, its id,
    /// its source, everything. An id that is written like an item of a different source is left out.
    #[doc(hidden)]
    pub fn targets(&self) -> impl Iterator<Item = Target> {
        let id = (!self.is_posing)
            .then(|| Some(Target::Id(self.bare_id().parse().ok()?)))
            .flatten();
        let wide = [Target::Source(self.origin.source.clone()), Target::All];
        std::iter::once(Target::Id(self.qualified_id()))
            .chain(id)
            .chain(wide)
    }

    /// Returns the item's id without the prefix of its source's namespace.
    pub(crate) fn bare_id(&self) -> &str {
        let id = self.item.id().as_str();
        if self.is_prefixed {
            &id[self.origin.source.len() + 1..]
        } else {
            id
        }
    }

    pub(crate) fn status_under(&self, rules: &RuleStack) -> Status {
        match self.trust {
            _ if rules.disables(|| self.targets()) => Status::Disabled,
            Trust::Pending => Status::Pending,
            Trust::Trusted | Trust::Restricted => Status::Active,
        }
    }

    /// Returns whether `origin` makes this candidate for its item `id`.
    pub(crate) fn is_of(&self, origin: &Origin, id: &Id) -> bool {
        self.origin == *origin && self.item.id() == id
    }

    /// Returns whether both candidates are of one source and describe the same content.
    #[doc(hidden)]
    pub fn is_same(&self, other: &Candidate<T>) -> bool {
        (&self.origin, self.trust, self.status, self.is_posing)
            == (&other.origin, other.trust, other.status, other.is_posing)
            && self.has_row_of(other)
    }

    pub(crate) fn has_row_of(&self, other: &Candidate<T>) -> bool {
        let (mine, theirs) = (self.row(), other.row());
        let is_told = mine.parts.is_some() && theirs.parts.is_some();
        mine.is_same(&theirs) || is_told && !mine.is_modified_by(&theirs)
    }
}

impl<T: Item> Candidate<T> {
    pub(crate) fn changed_parts(&self, new: &Candidate<T>) -> ChangedParts {
        self.row().changed_parts(&new.row())
    }

    fn row(&self) -> ListingEntry<T> {
        let mut row = ListingEntry::new(Arc::clone(&self.item), self.stamp);
        (row.digest, row.parts) = (self.digest, self.parts.clone());
        row
    }
}

/// A candidate that lost.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Shadow<T> {
    /// The candidate. It stays readable under its qualified id.
    #[serde(flatten)]
    pub candidate: Candidate<T>,
    /// `Some(true)` if its content equals the winner's. `None` if a digest is unknown.
    pub identical: Option<bool>,
}

/// An entry of a snapshot: the candidate that won an id, and those that lost it.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Entry<T> {
    /// The effective id: the item's, or `source:id` from a namespaced source.
    pub id: Id,
    /// The winner.
    #[serde(flatten)]
    pub candidate: Candidate<T>,
    /// The losers, in the order in which they would win.
    pub shadows: Vec<Shadow<T>>,
    /// The rest of what is known about the conflict. Boxed, because few entries have it.
    #[serde(skip)]
    pub(crate) conflict: Option<Box<Conflict<T>>>,
}

/// What is known about the conflict for an id beside its shadows.
#[derive(Debug, Clone)]
pub(crate) struct Conflict<T> {
    /// The candidates with the very file of the winner or of a shadow, of the same tier and trust. They are not copies, so
    /// nothing is reported of them; they count again once the first candidate with the file is gone.
    pub(crate) aliases: Vec<Candidate<T>>,
    /// The origin that would win without the preference for the winner.
    pub(crate) passed: Option<Origin>,
}

impl<T: Item> Entry<T> {
    /// Returns the winning item.
    pub fn item(&self) -> &T {
        &self.candidate.item
    }

    /// Returns the origin of the winner.
    pub fn origin(&self) -> &Origin {
        &self.candidate.origin
    }

    /// Returns the name that leads [`resolve`](crate::Snapshot::resolve) to `candidate`, one of this entry's shadows.
    ///
    /// That is its qualified id. If the winner has that id itself, the source is put in front of it again.
    pub fn shadow_id(&self, candidate: &Candidate<T>) -> Id {
        let id = candidate.qualified_id();
        if id == self.id {
            Id::qualified(&candidate.origin.source, &id)
        } else {
            id
        }
    }

    /// Returns every candidate, the winner first.
    pub fn candidates(&self) -> impl Iterator<Item = &Candidate<T>> {
        std::iter::once(&self.candidate).chain(self.shadows.iter().map(|shadow| &shadow.candidate))
    }

    /// Returns the origin that would win without the preference for the winner.
    pub(crate) fn passed(&self) -> Option<&Origin> {
        self.conflict.as_ref()?.passed.as_ref()
    }

    /// Returns every candidate, those through links behind the others.
    pub(crate) fn all_candidates(&self) -> impl Iterator<Item = &Candidate<T>> {
        let conflict = self.conflict.iter();
        self.candidates()
            .chain(conflict.flat_map(|conflict| &conflict.aliases))
    }

    /// Returns whether both entries have the same winner for the same reason, and the same shadows, with the same content.
    #[doc(hidden)]
    pub fn is_same(&self, other: &Entry<T>) -> bool {
        self.id == other.id
            && self.passed() == other.passed()
            && self.candidate.is_same(&other.candidate)
            && has_same_shadows(self, other)
    }
}

pub(crate) fn has_same_shadows<T: Item>(old: &Entry<T>, new: &Entry<T>) -> bool {
    let mut pairs = old.shadows.iter().zip(&new.shadows);
    old.shadows.len() == new.shadows.len()
        && pairs.all(|(a, b)| a.identical == b.identical && a.candidate.is_same(&b.candidate))
}
