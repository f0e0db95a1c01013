//! A view in the making.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use repertoire_core::{Delta, DeltaError, Digest, Id, Item};

use crate::entry::Claim;
use crate::index::Index;
use crate::layers::{Layers, moved};
use crate::level::FullName;
use crate::{Entry, Layer, Level, Rules, Target};

/// A view in the making: what is applied one after another copies what it touches once.
#[derive(Debug, Clone)]
pub(crate) struct Draft<T: Item> {
    pub(crate) layers: Layers<T>,
    pub(crate) rules: Rules,
    pub(crate) index: Index<T>,
}

impl<T: Item> Draft<T> {
    /// These layers under these rules, merged from scratch.
    pub(crate) fn merge(layers: &[Layer<T>], rules: &Rules) -> Draft<T> {
        let layers = Layers::new(layers.to_vec());
        let mut claims: HashMap<Id, Vec<Claim<T>>> = HashMap::new();
        for layer in layers.as_slice() {
            for row in layer.listing.iter() {
                claims.entry(layer.effective_id(row.item.id())).or_default().push(layer.claim(row, rules));
            }
        }
        let mut index = Index::new();
        for (id, claims) in claims {
            let entry = Entry::contest(id.clone(), claims, &layers);
            index.set(&id, Some(entry));
        }
        Draft { layers, rules: rules.clone(), index }.settled()
    }

    /// Applies the next listing of one source; costs what changed. A source that is not composed changes nothing.
    ///
    /// # Errors
    /// [`DeltaError`] when the delta does not fit that source's listing; then nothing has changed.
    pub(crate) fn apply(&mut self, source: &str, delta: &Delta<T>) -> Result<(), DeltaError> {
        let Some(place) = self.layers.place(source) else { return Ok(()) };
        let old = self.layers.as_slice()[place].listing.clone();
        self.layers.set_listing(place, old.apply(delta)?);

        let Draft { layers, rules, index } = self;
        let layer = &layers.as_slice()[place];
        let gone: Vec<&Id> = delta.removed(&old).map(|row| row.item.id()).collect();
        // Rows that only change come again.
        let stay: HashSet<&Id> = match gone.as_slice() {
            [] => HashSet::new(),
            _ => delta.inserted().map(|row| row.item.id()).collect(),
        };
        index.reserve(delta.inserted().count().saturating_sub(stay.len()));
        for id in gone.into_iter().filter(|id| !stay.contains(id)) {
            index.put(&layer.origin, id, layer.effective_id(id), None);
        }
        for row in delta.inserted() {
            let id = row.item.id();
            index.put(&layer.origin, id, layer.effective_id(id), Some(layer.claim(row, rules)));
        }
        Ok(())
    }

    /// The same, with nothing left open: what a view is made of.
    pub(crate) fn settled(mut self) -> Draft<T> {
        self.index.settle(&self.layers);
        self.judge_full_names();
        self
    }

    /// Decides again about the entries whose id is a full name that a rule is written for: a rule for `home:tidy` is not
    /// about an item of another source that is only written so, as long as the source `home` has a `tidy` that counts as
    /// much. Costs the rules.
    fn judge_full_names(&mut self) {
        let Draft { layers, rules, index } = self;
        let targets = rules.levels().flat_map(Level::rules).filter_map(|(target, _)| match target {
            Target::Id(id) if id.as_str().contains(':') => Some(id),
            _ => None,
        });
        for id in targets.collect::<BTreeSet<Id>>() {
            let Some(entry) = index.get(id.as_str()) else { continue };
            let owner = owner(&id, layers, index);
            let now = |claim: &Claim<T>| {
                let layer = layers.get(&claim.origin.source).expect("every claim was made by a layer");
                let is_owners = owner.is_some_and(|owner| layers.gives_way(claim, owner));
                let full_name = if is_owners { FullName::Anothers } else { FullName::Own };
                Claim { standing: layer.standing(claim.item.id(), rules, full_name), ..claim.clone() }
            };
            let claims: Vec<_> = entry.all_claims().map(now).collect();
            if claims.iter().zip(entry.all_claims()).any(|(now, before)| now.standing != before.standing) {
                index.reopen(id, claims);
            }
        }
        index.settle(layers);
    }

    /// Puts `rules` in place of those there are; costs what they do not switch alike.
    pub(crate) fn govern(&mut self, rules: &Rules) {
        let targets = self.rules.differing(rules);
        let ids: BTreeSet<Id> = targets.iter().flat_map(|target| touched(&self.layers, target)).collect();
        self.rules = rules.clone();
        let Draft { layers, index, .. } = self;
        index.settle(layers);
        for id in ids {
            let Some(entry) = index.get(id.as_str()) else { continue };
            let now = |claim: &Claim<T>| {
                let layer = layers.get(&claim.origin.source).expect("every claim was made by a layer");
                Claim { standing: layer.standing(claim.item.id(), rules, FullName::Own), ..claim.clone() }
            };
            let claims: Vec<_> = entry.all_claims().map(now).collect();
            if claims.iter().zip(entry.all_claims()).any(|(now, before)| now.standing != before.standing) {
                index.reopen(id, claims);
            }
        }
    }

    /// Adds what `digests` says to what `source` knows of its content.
    pub(crate) fn learn(&mut self, source: &str, digests: &HashMap<Id, Digest>) {
        let Some(place) = self.layers.place(source) else { return };
        let listing = self.layers.as_slice()[place].listing.clone();
        self.layers.set_listing(place, listing.with_digests(|id| digests.get(id).copied()));
        let Draft { layers, rules, index } = self;
        let layer = &layers.as_slice()[place];
        for row in layer.listing.iter().filter(|row| digests.contains_key(row.item.id())) {
            let id = row.item.id();
            index.put(&layer.origin, id, layer.effective_id(id), Some(layer.claim(row, rules)));
        }
    }

    /// Puts `layers` in place of all there are; costs the rows of those that come, go, or are composed in another
    /// way or order. The listings of layers that stay are those of this draft, but where `is_fresh` says otherwise.
    pub(crate) fn compose(&mut self, layers: Vec<Layer<T>>, is_fresh: impl Fn(&str) -> bool) {
        let next = Layers::new(layers);
        let name = |layer: &Layer<T>| layer.origin.source.clone();
        let stays = |layer: &&Layer<T>| {
            !is_fresh(&layer.origin.source)
                && next.get(&layer.origin.source).is_some_and(|next| next.is_composed_like(layer))
        };
        let kept: Vec<Arc<str>> = self.layers.as_slice().iter().filter(stays).map(name).collect();
        let is_kept: HashSet<&str> = kept.iter().map(AsRef::as_ref).collect();
        let goes = |layer: &&Layer<T>| !is_kept.contains(layer.origin.source.as_ref());

        let Draft { layers: old, rules, index } = self;
        for layer in old.as_slice().iter().filter(goes) {
            for row in layer.listing.iter() {
                let id = row.item.id();
                index.put(&layer.origin, id, layer.effective_id(id), None);
            }
        }
        *old = next;
        let (layers, index) = (&*old, index);
        let in_order = layers.as_slice().iter().filter(|layer| !goes(layer)).map(name).collect();
        for layer in moved(&kept, in_order).iter().filter_map(|source| layers.get(source)) {
            for row in layer.listing.iter() {
                let id = layer.effective_id(row.item.id());
                if let Some(entry) = index.get(id.as_str()).filter(|entry| entry.all_claims().nth(1).is_some()) {
                    let claims = entry.all_claims().cloned().collect();
                    index.reopen(id, claims);
                }
            }
        }
        let come = layers.as_slice().iter().filter(goes);
        index.reserve(come.clone().map(|layer| layer.listing.len()).sum());
        for layer in come {
            for row in layer.listing.iter() {
                let id = row.item.id();
                index.put(&layer.origin, id, layer.effective_id(id), Some(layer.claim(row, rules)));
            }
        }
    }
}

/// The claim whose full name `id` is, split at the first colon.
pub(crate) fn owner<'i, T: Item>(id: &Id, layers: &Layers<T>, index: &'i Index<T>) -> Option<&'i Claim<T>> {
    let (source, rest) = id.as_str().split_once(':')?;
    let layer = layers.get(source)?;
    let id = layer.effective_id(&rest.parse().ok()?);
    let mut claims = index.get(id.as_str())?.all_claims();
    claims.find(|claim| claim.origin == layer.origin)
}

/// The ids of the entries in which there may be something that `target` is about.
pub(crate) fn touched<T: Item>(layers: &Layers<T>, target: &Target) -> Vec<Id> {
    let all_of =
        |layer: &Layer<T>| -> Vec<Id> { layer.listing.iter().map(|row| layer.effective_id(row.item.id())).collect() };
    match target {
        Target::All => layers.as_slice().iter().flat_map(all_of).collect(),
        Target::Source(source) => layers.get(source).map(all_of).unwrap_or_default(),
        Target::Id(id) => {
            let namespaced = layers.as_slice().iter().filter(|layer| layer.namespaced);
            let in_one = id.as_str().split_once(':').and_then(|(source, id)| {
                let layer = layers.get(source).filter(|layer| !layer.namespaced)?;
                Some(layer.effective_id(&id.parse().ok()?))
            });
            let everywhere = namespaced.map(|layer| layer.effective_id(id));
            std::iter::once(id.clone()).chain(everywhere).chain(in_one).collect()
        }
    }
}
