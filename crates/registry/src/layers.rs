//! All layers of a view, and who comes first.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use repertoire_core::{Item, Listing};

use crate::Layer;

/// Layers by tier, then order of composition; found by the names of their sources.
#[derive(Debug, Clone)]
pub(crate) struct Layers<T: Item> {
    list: Vec<Layer<T>>,
    /// Shared by the views of one composition.
    places: Arc<HashMap<Arc<str>, usize>>,
}

/// The layers of one source in two views.
pub(crate) type Pair<'a, T> = (Option<&'a Layer<T>>, Option<&'a Layer<T>>);

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
}

/// Of two orders of the same names, those between the ones at both ends that did not move.
pub(crate) fn moved(old: &[Arc<str>], mut new: Vec<Arc<str>>) -> Vec<Arc<str>> {
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len() - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    new.truncate(new.len() - tail);
    new.split_off(head)
}
