//! The order of the last changes of skills, for catalogs whose beginning stays.

use std::collections::BTreeMap;

use repertoire_core::{Id, Skill};
use repertoire_registry::Change;

/// The last changes of the front matter of skills, for [`CatalogOptions::oldest_first`](super::CatalogOptions::oldest_first).
///
/// ```
/// # use repertoire_registry::{Change, SkillRegistry};
/// use repertoire_engine::catalog::{Catalog, CatalogOptions, SkillAges};
///
/// # async fn follow(registry: SkillRegistry) {
/// let mut ages = SkillAges::default();
/// let mut changes = registry.subscribe();
/// while let Some(update) = changes.next().await {
///     ages.follow(&update.change);
///     let options = CatalogOptions::default().oldest_first(ages.clone());
///     println!("{}", Catalog::new(&registry.snapshot(), &options).text);
/// }
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct SkillAges {
    /// The number of the last change of each skill.
    last: BTreeMap<Id, u64>,
    changes: u64,
}

impl SkillAges {
    /// Puts the skills that `change` added, and those whose front matter it modified, after all others.
    pub fn follow(&mut self, change: &Change<Skill>) {
        self.changes += 1;
        for entry in &change.removed {
            self.last.remove(&entry.id);
        }
        let modified = change.modified.iter();
        let modified = modified.filter(|modified| modified.changed_parts().metadata);
        let entries = change.added.iter().chain(modified.map(|both| &both.new));
        for entry in entries {
            self.last.insert(entry.id.clone(), self.changes);
        }
    }

    /// Returns the number of the last change of `id`, zero if none was followed.
    pub(super) fn last_change(&self, id: &Id) -> u64 {
        self.last.get(id).copied().unwrap_or_default()
    }
}
