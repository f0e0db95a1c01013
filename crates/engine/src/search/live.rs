//! The index of a registry, as it is now.

use std::sync::Arc;

use arc_swap::ArcSwap;
use repertoire_registry::SkillRegistry;

use super::{Hit, Index, Query};

/// The index of a registry, brought up to date when it is asked for. Cheap to clone; clones are one index.
///
/// Nothing runs in the background: the first to ask after a change pays for what changed. It is a value of its own and no method
/// of the registry, because somebody has to keep the index: make it once and ask it often.
#[derive(Debug, Clone)]
pub struct LiveIndex(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    registry: SkillRegistry,
    index: ArcSwap<Index>,
}

impl LiveIndex {
    /// The index of `registry`.
    pub fn of(registry: SkillRegistry) -> LiveIndex {
        let index = ArcSwap::from_pointee(Index::of(&registry.snapshot()));
        LiveIndex(Arc::new(Shared { registry, index }))
    }

    /// The registry that is indexed.
    pub fn registry(&self) -> &SkillRegistry {
        &self.0.registry
    }

    /// The index of the registry's current snapshot.
    pub fn current(&self) -> Index {
        let snapshot = self.0.registry.snapshot();
        let index = self.0.index.load();
        // Generations of one registry only rise; whoever saw an older one leaves the newer index where it is.
        if index.snapshot().generation() >= snapshot.generation() {
            return Index::clone(&index);
        }
        let updated = Arc::new(index.updated(&snapshot));
        self.0.index.rcu(|now| {
            let newer = now.snapshot().generation() >= updated.snapshot().generation();
            if newer { Arc::clone(now) } else { Arc::clone(&updated) }
        });
        Index::clone(&updated)
    }

    /// Searches the registry as it is now.
    pub fn search(&self, query: &Query) -> Vec<Hit> {
        self.current().search(query)
    }
}
