//! One merged row.

use std::sync::Arc;

use repertoire_core::{Digest, Id, Item, Listed, Moved, Parts, Stamp};
use serde::Serialize;

use crate::level::FullName;
use crate::{Origin, Standing, Target, Trust};

/// One source's claim to an id: its row, and from where.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Claim<T> {
    /// The item.
    pub item: Arc<T>,
    /// Its cheap fingerprint.
    #[serde(skip)]
    pub stamp: Stamp,
    /// Identity of its content, where known.
    pub digest: Option<Digest>,
    /// What its content consists of, where known.
    #[serde(skip)]
    pub parts: Option<Arc<Parts>>,
    /// Tier and source.
    #[serde(flatten)]
    pub origin: Origin,
    /// What its text may do.
    pub trust: Trust,
    /// Whether it counts.
    pub standing: Standing,
    /// Whether the item's own id is written with the prefix of its source's namespace.
    #[serde(skip)]
    pub(crate) is_prefixed: bool,
    /// The owner of the item's id, if that is written like a full name.
    #[serde(skip)]
    pub(crate) full_name: FullName,
}

impl<T: Item> Claim<T> {
    /// The id that reaches this claim whoever wins: `source:id`. Only an entry that bears exactly this id comes before it.
    pub fn qualified_id(&self) -> Id {
        if self.is_prefixed { self.item.id().clone() } else { Id::qualified(&self.origin.source, self.item.id()) }
    }

    /// Returns what a rule about this claim may be written for, the most specific first: its full name `source:id`, its id,
    /// its source, everything. An id that is the full name of a different claim is left out.
    pub fn targets(&self) -> impl Iterator<Item = Target> {
        let bare = if self.is_prefixed { self.bare_id() } else { Some(self.item.id().clone()) };
        let id = bare.filter(|_| self.full_name == FullName::Own).map(Target::Id);
        let wide = [Target::Source(self.origin.source.clone()), Target::All];
        std::iter::once(Target::Id(self.qualified_id())).chain(id).chain(wide)
    }

    fn bare_id(&self) -> Option<Id> {
        self.item.id().as_str().get(self.origin.source.len() + 1..)?.parse().ok()
    }

    /// Returns whether `origin` makes this claim for its item `id`.
    pub(crate) fn is_of(&self, origin: &Origin, id: &Id) -> bool {
        self.origin == *origin && self.item.id() == id
    }

    /// Whether both claims are of one source and say the same of the same content.
    pub fn is_same(&self, other: &Claim<T>) -> bool {
        let way = |claim: &Claim<T>| (claim.trust, claim.standing, claim.full_name);
        self.origin == other.origin && way(self) == way(other) && self.has_row_of(other)
    }

    /// Whether both say the same of the same content. A file that was merely written again is the same where that can be
    /// told.
    pub(crate) fn has_row_of(&self, other: &Claim<T>) -> bool {
        let (mine, theirs) = (self.row(), other.row());
        let is_told = mine.parts.is_some() && theirs.parts.is_some();
        mine.is_same(&theirs) || is_told && !mine.is_modified_by(&theirs)
    }
}

impl<T: Item> Claim<T> {
    pub(crate) fn moved(&self, new: &Claim<T>) -> Moved {
        self.row().moved(&new.row())
    }

    fn row(&self) -> Listed<T> {
        let mut row = Listed::new(Arc::clone(&self.item), self.stamp);
        (row.digest, row.parts) = (self.digest, self.parts.clone());
        row
    }
}

/// A claim that lost.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Shadow<T> {
    /// The loser. It stays readable under its qualified id.
    #[serde(flatten)]
    pub claim: Claim<T>,
    /// Whether its content is the winner's; `None` when a source cannot tell.
    pub identical: Option<bool>,
}

/// One merged row: who has the id, and whom it hides.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Entry<T> {
    /// The effective id: the item's, or `source:id` from a namespaced source.
    pub id: Id,
    /// The winner.
    #[serde(flatten)]
    pub claim: Claim<T>,
    /// The losers, in the order in which they would step forward.
    pub shadows: Vec<Shadow<T>>,
    /// The claims to the very file of the winner or of a shadow, of the same tier and trust. They are no copies, so
    /// nothing is reported of them; they count again once the first claim to the file is gone.
    #[serde(skip)]
    pub(crate) aliases: Vec<Claim<T>>,
    /// Who would have the id, had nobody preferred the winner.
    #[serde(skip)]
    pub(crate) passed: Option<Origin>,
}

impl<T: Item> Entry<T> {
    /// The winning item.
    pub fn item(&self) -> &T {
        &self.claim.item
    }

    /// Where the winner comes from.
    pub fn origin(&self) -> &Origin {
        &self.claim.origin
    }

    /// Returns the name that leads [`resolve`](crate::Snapshot::resolve) to `claim`, one of this entry's shadows.
    ///
    /// That is its qualified id. Where the winner is called so itself, the source comes in front of that once more.
    pub fn shadow_id(&self, claim: &Claim<T>) -> Id {
        let id = claim.qualified_id();
        if id == self.id { Id::qualified(&claim.origin.source, &id) } else { id }
    }

    /// Every claim, the winner first.
    pub fn claims(&self) -> impl Iterator<Item = &Claim<T>> {
        std::iter::once(&self.claim).chain(self.shadows.iter().map(|shadow| &shadow.claim))
    }

    /// Returns every claim, those through links behind the others.
    pub(crate) fn all_claims(&self) -> impl Iterator<Item = &Claim<T>> {
        self.claims().chain(&self.aliases)
    }

    /// Whether both entries have the same winner, for the same reason, and the same shadows, with the same content.
    pub fn is_same(&self, other: &Entry<T>) -> bool {
        self.id == other.id
            && self.passed == other.passed
            && self.claim.is_same(&other.claim)
            && self.shadows.len() == other.shadows.len()
            && self
                .shadows
                .iter()
                .zip(&other.shadows)
                .all(|(a, b)| a.identical == b.identical && a.claim.is_same(&b.claim))
    }
}
