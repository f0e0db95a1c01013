//! What a registry is composed of.

use std::collections::{BTreeMap, BTreeSet};

use repertoire_core::{Id, InvalidId, Item, Listing, SurfacePolicy};

use crate::{ComposeError, Layer, Mount};

/// What a registry is composed of, in the order of composition. The first mount is that of the entries registered in
/// code.
#[derive(Debug, Clone)]
pub(crate) struct Composition<T: Item> {
    pub(crate) mounts: Vec<Mount<T>>,
    /// By source.
    pub(crate) preferred: BTreeMap<String, BTreeSet<Id>>,
    pub(crate) surface: SurfacePolicy,
}

impl<T: Item> Composition<T> {
    /// Whether all names can be used, given those that are taken elsewhere.
    pub(crate) fn check(&self, is_taken: impl Fn(&str) -> bool) -> Result<(), ComposeError> {
        let mut names = BTreeSet::new();
        for mount in &self.mounts {
            let name = mount.name();
            if let Some(reason) = name_fault(name) {
                return Err(ComposeError::SourceName { name: name.to_owned(), reason });
            }
            if !names.insert(name) || is_taken(name) {
                return Err(ComposeError::DuplicateSource { name: name.to_owned() });
            }
        }
        if let Some((source, ids)) = self.preferred.iter().find(|(source, _)| !names.contains(source.as_str())) {
            let id = ids.first().expect("a source enters the map with its first id").clone();
            return Err(ComposeError::UnknownSource { id, source_name: source.clone(), known: self.names() });
        }
        Ok(())
    }

    /// The names of all sources, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = self.mounts.iter().map(|mount| mount.name().to_owned()).collect();
        names.sort();
        names
    }

    /// The mount of this source.
    pub(crate) fn mount(&self, source: &str) -> Option<&Mount<T>> {
        self.mounts.iter().find(|mount| mount.name() == source)
    }

    /// A layer for each mount.
    pub(crate) fn layers(&self, listing: impl Fn(&Mount<T>) -> Listing<T>) -> Vec<Layer<T>> {
        let mounts = self.mounts.iter().enumerate();
        let layer = |(position, mount): (usize, &Mount<T>)| {
            let mut layer = mount.layer(position, listing(mount));
            layer.preferred = self.preferred.get(mount.name()).cloned().unwrap_or_default();
            layer.is_registered = position == 0;
            layer
        };
        mounts.map(layer).collect()
    }
}

/// Why `name` cannot be a source's: `source:id` must be an id, and must come apart at its first colon.
fn name_fault(name: &str) -> Option<&'static str> {
    match Id::new(name) {
        Err(InvalidId::Blank) => Some("it is blank"),
        Err(InvalidId::Invisible { .. }) => Some("it holds an invisible character"),
        Err(_) => Some("a name is not a path"),
        Ok(_) if name.contains(':') => Some("it holds a colon"),
        Ok(id) if id.as_str() != name => Some("it has blanks at an end, or is not in Unicode's NFKC form"),
        Ok(_) => None,
    }
}
