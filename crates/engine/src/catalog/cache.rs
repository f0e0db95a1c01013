//! A cache of a catalog.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use repertoire_core::{Id, Skill};
use repertoire_registry::{Modified, Snapshot};

use super::{Catalog, CatalogOptions};

/// A cache of the catalog of the last snapshot, with fixed options.
///
/// A call for the same snapshot is an atomic load. A change that the text does not show costs a comparison of the changed
/// entries. Any other change renders a new catalog. Concurrent callers may each render one, with equal results.
#[derive(Debug)]
pub struct CatalogCache {
    options: CatalogOptions,
    last: ArcSwapOption<(Snapshot<Skill>, Arc<Catalog>)>,
}

impl CatalogCache {
    /// Creates an empty cache.
    pub fn new(options: CatalogOptions) -> CatalogCache {
        CatalogCache {
            options,
            last: ArcSwapOption::empty(),
        }
    }

    /// Returns the catalog of `snapshot`, equal to [`Catalog::new`].
    pub fn catalog(&self, snapshot: &Snapshot<Skill>) -> Arc<Catalog> {
        let last = self.last.load();
        let kept = last.as_ref().map(|last| (&last.0, &last.1));
        if let Some((_, catalog)) = kept.filter(|(older, _)| snapshot.ptr_eq(older)) {
            return catalog.clone();
        }
        let catalog = match kept
            .filter(|(older, _): &(&Snapshot<Skill>, _)| is_told_alike(older, snapshot))
        {
            Some((_, catalog)) => catalog.clone(),
            None => Arc::new(Catalog::new(snapshot, &self.options)),
        };
        self.last
            .store(Some(Arc::new((snapshot.clone(), catalog.clone()))));
        catalog
    }

    /// Returns the catalog of `snapshot` for a turn that [suggests](CatalogOptions::suggesting) these skills. One that suggests
    /// something is not kept.
    pub fn suggesting<'a>(
        &self,
        snapshot: &Snapshot<Skill>,
        suggested: impl IntoIterator<Item = &'a Id>,
    ) -> Arc<Catalog> {
        let mut suggested = suggested.into_iter().peekable();
        if suggested.peek().is_none() {
            return self.catalog(snapshot);
        }
        Arc::new(Catalog::new(
            snapshot,
            &self.options.clone().suggesting(suggested),
        ))
    }
}

fn is_told_alike(older: &Snapshot<Skill>, newer: &Snapshot<Skill>) -> bool {
    let change = newer.changes_since(older);
    change.added.is_empty()
        && change.removed.is_empty()
        && change
            .modified
            .iter()
            .all(|Modified { old, new, .. }: &Modified<Skill>| {
                let (old, new) = (&old.candidate, &new.candidate);
                (&old.item, &old.origin, old.trust, old.status)
                    == (&new.item, &new.origin, new.trust, new.status)
                    && old.targets().eq(new.targets())
            })
}
