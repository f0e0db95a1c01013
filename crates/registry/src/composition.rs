//! The composed sources of a registry.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use repertoire_core::{Id, Item, Listing, SurfacePolicy};

use crate::layer::name_skeleton;
use crate::{Layer, Mount, RegistryError, Snapshot};

#[derive(Debug, Clone)]
pub(crate) struct Composition<T: Item> {
    pub(crate) mounts: Vec<Mount<T>>,
    pub(crate) preferred: BTreeMap<String, BTreeSet<Id>>,
    pub(crate) surface: SurfacePolicy,
}

impl<T: Item> Composition<T> {
    /// Checks the names and preferences. `base` has the names that new sources may not have.
    pub(crate) fn check(
        &self,
        is_new: impl Fn(&str) -> bool,
        base: Option<&Snapshot<T>>,
    ) -> Result<(), RegistryError> {
        let mut names = HashMap::new();
        for mount in &self.mounts {
            let name = mount.name();
            if let Some(reason) = name_fault(name) {
                return Err(RegistryError::SourceName {
                    name: name.to_owned(),
                    reason,
                });
            }
            let skeleton = name_skeleton(name);
            let base = base
                .filter(|_| is_new(name))
                .and_then(|base| base.all_layers().alike(&skeleton));
            match names
                .insert(skeleton, name)
                .or(base.map(|layer| &*layer.origin.source))
            {
                None => {}
                Some(other) if other == name => {
                    return Err(RegistryError::DuplicateSource {
                        name: name.to_owned(),
                    });
                }
                Some(_) => {
                    let reason = "it looks like the name of another source";
                    return Err(RegistryError::SourceName {
                        name: name.to_owned(),
                        reason,
                    });
                }
            }
        }
        if let Some((source, ids)) = self
            .preferred
            .iter()
            .find(|(source, _)| self.mount(source).is_none())
        {
            let id = ids
                .first()
                .expect("a source enters the map with its first id")
                .clone();
            return Err(RegistryError::UnknownPreference {
                id,
                source_name: source.clone(),
                known: self.names(),
            });
        }
        Ok(())
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = self
            .mounts
            .iter()
            .map(|mount| mount.name().to_owned())
            .collect();
        names.sort();
        names
    }

    pub(crate) fn mount(&self, source: &str) -> Option<&Mount<T>> {
        self.mounts.iter().find(|mount| mount.name() == source)
    }

    pub(crate) fn layers(&self, listing: impl Fn(&Mount<T>) -> Listing<T>) -> Vec<Layer<T>> {
        let mounts = self.mounts.iter().enumerate();
        mounts
            .map(|(position, mount): (usize, &Mount<T>)| {
                let mut layer = mount.layer(position, listing(mount));
                layer.preferred = self
                    .preferred
                    .get(mount.name())
                    .cloned()
                    .unwrap_or_default();
                layer.is_registered = position == 0;
                layer
            })
            .collect()
    }
}

fn name_fault(name: &str) -> Option<&'static str> {
    match Id::new(name) {
        Err(error) => Some(error.reason()),
        Ok(_) if name.contains(':') => Some("it holds a colon"),
        Ok(id) if id.as_str() != name => {
            Some("it has blanks at an end, or is not in Unicode's NFKC form")
        }
        Ok(_) => None,
    }
}
