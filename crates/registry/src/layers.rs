//! All layers of a view, and who comes first.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use repertoire_core::{Item, Listing};

use crate::Layer;
use crate::layer::{SourceNames, name_skeleton};

#[derive(Debug, Clone)]
pub(crate) struct Layers<T: Item> {
    list: Vec<Layer<T>>,
    /// Shared by the views of one composition.
    places: Arc<HashMap<Arc<str>, usize>>,
}

pub(crate) type Pair<'a, T> = (Option<&'a Layer<T>>, Option<&'a Layer<T>>);

impl<T: Item> Layers<T> {
    pub(crate) fn new(mut list: Vec<Layer<T>>) -> Layers<T> {
        list.sort_by(|a, b| {
            (a.origin.tier, a.position, &a.origin.source).cmp(&(
                b.origin.tier,
                b.position,
                &b.origin.source,
            ))
        });
        let places = list
            .iter()
            .enumerate()
            .map(|(place, layer)| (layer.origin.source.clone(), place));
        let places = Arc::new(places.collect());
        let mut names = SourceNames::new();
        for layer in &list {
            let named = (layer.weight(), layer.origin.source.clone());
            let first = names
                .entry(name_skeleton(&named.1))
                .or_insert_with(|| named.clone());
            *first = named.min(first.clone());
        }
        let names = Arc::new(names);
        list.iter_mut()
            .for_each(|layer| layer.names = Arc::clone(&names));
        Layers { places, list }
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

    /// Returns the layer of the source whose name has this skeleton.
    pub(crate) fn alike(&self, skeleton: &str) -> Option<&Layer<T>> {
        self.get(&self.list.first()?.names.get(skeleton)?.1)
    }

    pub(crate) fn set_listing(&mut self, place: usize, listing: Listing<T>) {
        self.list[place].listing = listing;
    }

    pub(crate) fn pairs<'a>(&'a self, other: &'a Layers<T>) -> Vec<Pair<'a, T>> {
        if Arc::ptr_eq(&self.places, &other.places) {
            return self
                .list
                .iter()
                .map(Some)
                .zip(other.list.iter().map(Some))
                .collect();
        }
        let mine = self
            .list
            .iter()
            .map(|layer| (Some(layer), other.get(&layer.origin.source)));
        let theirs = other
            .list
            .iter()
            .filter(|layer| self.place(&layer.origin.source).is_none());
        mine.chain(theirs.map(|layer| (None, Some(layer))))
            .collect()
    }

    pub(crate) fn recomposed(&self, other: &Layers<T>) -> HashSet<Arc<str>> {
        if Arc::ptr_eq(&self.places, &other.places) {
            return HashSet::new();
        }
        let (mine, theirs) = (self.compare(other), other.compare(self));
        moved(&mine.0, theirs.0)
            .into_iter()
            .chain(mine.1)
            .chain(theirs.1)
            .collect()
    }

    /// Returns the sources that `other` composes in the same way, and those that it does not.
    fn compare(&self, other: &Layers<T>) -> (Vec<Arc<str>>, Vec<Arc<str>>) {
        let sources = self.list.iter().map(|layer| layer.origin.source.clone());
        sources.partition(|source| {
            let both = self.get(source).zip(other.get(source));
            both.is_some_and(|(mine, theirs)| mine.is_composed_like(theirs))
        })
    }
}

/// Returns the names that moved: of two orders of the same names, those between the ones at both ends that did not move.
pub(crate) fn moved(old: &[Arc<str>], mut new: Vec<Arc<str>>) -> Vec<Arc<str>> {
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len() - head;
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(rest)
        .take_while(|(a, b)| a == b)
        .count();
    new.truncate(new.len() - tail);
    new.split_off(head)
}
