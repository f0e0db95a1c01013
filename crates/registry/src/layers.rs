//! All layers of a view, and who comes first.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use repertoire_core::{Item, Listing};

use crate::entry::Claim;
use crate::{Layer, Reason, Standing, Tier, Trust};

/// Layers by tier, then order of composition; found by the names of their sources.
#[derive(Debug, Clone)]
pub(crate) struct Layers<T: Item> {
    list: Vec<Layer<T>>,
    /// Shared by the views of one composition.
    places: Arc<HashMap<Arc<str>, usize>>,
}

/// The layers of one source in two views.
pub(crate) type Pair<'a, T> = (Option<&'a Layer<T>>, Option<&'a Layer<T>>);

/// The rank of a claim to an id; the smallest one wins. The only place that orders claims.
///
/// [`Reason`] has a variant for each field, in the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    /// What does not count never hides what does.
    standing: Standing,
    /// A preference beats the tier.
    unpreferred: bool,
    /// No source hides an admitted entry of an earlier tier, whatever its namespace is called.
    tier: Tier,
    /// Inside a tier, `kit:slides` belongs to the source `kit` and not to a skill that is only written so.
    plain: bool,
    /// The order of composition.
    place: usize,
    /// `tidy` of the namespaced source `acme` comes before its `acme:tidy`.
    prefixed: bool,
}

impl Rank {
    /// The same rank as if nobody had preferred it; `None` if nobody has.
    pub(crate) fn without_preference(self) -> Option<Rank> {
        (!self.unpreferred).then_some(Rank { unpreferred: true, ..self })
    }
}

impl<T: Item> Layers<T> {
    /// `list` in its order, whatever the order it comes in.
    pub(crate) fn new(mut list: Vec<Layer<T>>) -> Layers<T> {
        let key = |layer: &Layer<T>| (layer.origin.tier, layer.position);
        list.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.origin.source.cmp(&b.origin.source)));
        let places = list.iter().enumerate().map(|(place, layer)| (layer.origin.source.clone(), place));
        Layers { places: Arc::new(places.collect()), list }
    }

    pub(crate) fn as_slice(&self) -> &[Layer<T>] {
        &self.list
    }

    pub(crate) fn place(&self, source: &str) -> Option<usize> {
        self.places.get(source).copied()
    }

    pub(crate) fn get(&self, source: &str) -> Option<&Layer<T>> {
        Some(&self.list[self.place(source)?])
    }

    pub(crate) fn set_listing(&mut self, place: usize, listing: Listing<T>) {
        self.list[place].listing = listing;
    }

    /// The layers of each source in both; costs a look-up of names unless the composition is one.
    pub(crate) fn pairs<'a>(&'a self, other: &'a Layers<T>) -> Vec<Pair<'a, T>> {
        if Arc::ptr_eq(&self.places, &other.places) {
            return self.list.iter().map(Some).zip(other.list.iter().map(Some)).collect();
        }
        let mine = self.list.iter().map(|layer| (Some(layer), other.get(&layer.origin.source)));
        let theirs = other.list.iter().filter(|layer| self.place(&layer.origin.source).is_none());
        mine.chain(theirs.map(|layer| (None, Some(layer)))).collect()
    }

    /// The names of the sources that are in one of both only, or composed in another way or order.
    pub(crate) fn recomposed(&self, other: &Layers<T>) -> HashSet<Arc<str>> {
        if Arc::ptr_eq(&self.places, &other.places) {
            return HashSet::new();
        }
        let is_kept = |mine: &Layer<T>, other: &Layers<T>| {
            other.get(&mine.origin.source).is_some_and(|layer| layer.is_composed_like(mine))
        };
        let kept = |layers: &Layers<T>, other: &Layers<T>| {
            let kept = layers.list.iter().filter(|layer| is_kept(layer, other));
            kept.map(|layer| layer.origin.source.clone()).collect::<Vec<_>>()
        };
        let changed = |layers: &Layers<T>, other: &Layers<T>| {
            let changed = layers.list.iter().filter(|layer| !is_kept(layer, other));
            changed.map(|layer| layer.origin.source.clone()).collect::<Vec<_>>()
        };
        let moved = moved(&kept(self, other), kept(other, self));
        moved.into_iter().chain(changed(self, other)).chain(changed(other, self)).collect()
    }

    /// The rank of a claim that one of these layers makes.
    pub(crate) fn rank(&self, claim: &Claim<T>) -> Rank {
        let place = self.place(&claim.origin.source).expect("claims are taken out before their layer is");
        let layer = &self.list[place];
        Rank {
            standing: claim.standing,
            unpreferred: !layer.prefers(claim.item.id()),
            tier: layer.origin.tier,
            plain: !layer.namespaced,
            place,
            prefixed: claim.is_prefixed,
        }
    }

    /// Returns why `loser` comes after `winner`: the first field of their ranks that differs.
    pub(crate) fn reason(&self, winner: &Claim<T>, loser: &Claim<T>) -> Reason {
        let (won, lost) = (self.rank(winner), self.rank(loser));
        let source = |claim: &Claim<T>| claim.origin.source.clone();
        if won.standing != lost.standing {
            Reason::Standing { source: source(loser), standing: lost.standing }
        } else if won.unpreferred != lost.unpreferred {
            Reason::Preference { source: source(winner) }
        } else if won.tier != lost.tier {
            Reason::Tier { won: won.tier, lost: lost.tier }
        } else if won.plain != lost.plain {
            Reason::Namespace { source: source(winner) }
        } else if won.place != lost.place {
            Reason::Position { won: source(winner), lost: source(loser) }
        } else {
            Reason::Prefix { source: source(winner) }
        }
    }

    /// Returns whether the id of `plain`, written `source:id`, gives way to `owner`, which has that full name.
    ///
    /// It does unless it counts more: is admitted where `owner`'s source is not, of an earlier tier, or of more trust.
    pub(crate) fn gives_way(&self, plain: &Claim<T>, owner: &Claim<T>) -> bool {
        let weight = |claim: &Claim<T>| (claim.trust == Trust::Pending, claim.origin.tier, claim.trust);
        plain.origin != owner.origin && weight(owner) <= weight(plain)
    }
}

/// Of two orders of the same names, those between the ones at both ends that did not move.
pub(crate) fn moved(old: &[Arc<str>], mut new: Vec<Arc<str>>) -> Vec<Arc<str>> {
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len() - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    new.truncate(new.len() - tail);
    new.split_off(head)
}
