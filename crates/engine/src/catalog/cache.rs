//! A cache of a catalog.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use repertoire_core::{Id, Skill};
use repertoire_registry::{Candidate, Modified, Snapshot};

use super::report::LazyLines;
use super::{Catalog, CatalogOptions, CatalogReport};
use repertoire_permission::Exposure;

/// A cache of the catalog of the last snapshot, with fixed options.
///
/// - A call for the same snapshot is an atomic load.
/// - A change that the text does not show costs a comparison of the changed entries. If the budget only has room for names, that
///   includes changes of descriptions.
/// - Any other change renders a new catalog. Concurrent callers may each render one, with equal results.
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
        let catalog = kept.and_then(|(older, catalog)| self.updated(catalog, older, snapshot));
        let catalog = catalog.unwrap_or_else(|| Arc::new(Catalog::new(snapshot, &self.options)));
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

    /// Returns the catalog of `newer` if the changes since `older` have no influence on the text.
    fn updated(
        &self,
        catalog: &Arc<Catalog>,
        older: &Snapshot<Skill>,
        newer: &Snapshot<Skill>,
    ) -> Option<Arc<Catalog>> {
        let change = newer.changes_since(older);
        if !change.added.is_empty() || !change.removed.is_empty() {
            return None;
        }
        let mut has_other_lines = false;
        for Modified { old, new, .. } in &change.modified {
            let (before, now) = (&old.candidate, &new.candidate);
            let is_same = before.item == now.item;
            has_other_lines |= !is_same;
            if (&before.origin, before.trust, before.status) != (&now.origin, now.trust, now.status)
                || !before.targets().eq(now.targets())
                || !(is_same || catalog.report.is_by_name && self.are_listed_alike(before, now))
            {
                return None;
            }
        }
        if !has_other_lines {
            return Some(Arc::clone(catalog));
        }
        let report = CatalogReport {
            lines: LazyLines::of(newer.clone(), self.options.clone()),
            ..catalog.report
        };
        Some(Arc::new(Catalog {
            text: catalog.text.clone(),
            report,
        }))
    }

    /// Returns whether both are listed by the same name, and hidden or not alike.
    fn are_listed_alike(&self, before: &Candidate<Skill>, now: &Candidate<Skill>) -> bool {
        let CatalogOptions {
            modes, audience, ..
        } = &self.options;
        before.item.location == now.item.location
            && modes.sees(*audience, before) == modes.sees(*audience, now)
            && modes.exposure(before) == modes.exposure(now)
            && modes.exposure(now) != Exposure::Pinned
    }
}
