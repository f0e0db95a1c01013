//! From what somebody typed to a claim.

use std::sync::Arc;

use repertoire_core::{Id, Item};

use crate::entry::Claim;
use crate::{Entry, Snapshot};

/// What a name leads to.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Found<'a, T: Item> {
    /// The entry whose winner or shadow was meant.
    pub entry: &'a Arc<Entry<T>>,
    /// The claim that was meant; the entry's winner unless a source was named.
    pub claim: &'a Claim<T>,
}

/// Why a name leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LookupError {
    /// Nobody has it.
    #[error("no {kind} `{name}`")]
    NotFound {
        /// What was looked for.
        kind: &'static str,
        /// The name, control characters escaped.
        name: String,
    },
    /// Several namespaced sources have it.
    #[error("{kind} `{name}` is ambiguous; give the full name: {}", full_names(candidates))]
    Ambiguous {
        /// What was looked for.
        kind: &'static str,
        /// The bare name.
        name: String,
        /// The full names, by tier, then source.
        candidates: Vec<Id>,
    },
}

fn full_names(candidates: &[Id]) -> String {
    candidates.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
}

impl<T: Item> Snapshot<T> {
    /// Finds what `name` means.
    ///
    /// 1. the entry with exactly this id; one that is pending or disabled only if nothing that counts more is meant by 2;
    /// 2. split at the first colon: that source's claim, a shadow too;
    /// 3. a bare name that exactly one namespaced source has, of those that count most.
    ///
    /// # Errors
    /// [`LookupError::Ambiguous`] when several namespaced sources have a bare name, else
    /// [`LookupError::NotFound`].
    pub fn resolve(&self, name: &str) -> Result<Found<'_, T>, LookupError> {
        let exact = self.get(name).map(|entry| Found { entry, claim: &entry.claim });
        let qualified = name.split_once(':').and_then(|(source, id)| self.claim_of(source, id));
        // A pending skill that is merely written like the full name of an admitted one gives way to it.
        let standing = |found: &Found<'_, T>| found.claim.standing;
        let exact_first = exact.as_ref().map(standing) <= qualified.as_ref().map(standing);
        let found = if exact_first { exact.or(qualified) } else { qualified.or(exact) };
        if let Some(found) = found {
            return Ok(found);
        }
        let namespaced = self.layers().iter().filter(|layer| layer.namespaced);
        let full = namespaced.filter_map(|layer| self.get(&format!("{}:{name}", layer.origin.source)));
        let mut full: Vec<_> = full.collect();
        // What does not count makes nothing ambiguous that does.
        let best = full.iter().map(|entry| entry.claim.standing).min();
        full.retain(|entry| Some(entry.claim.standing) == best);
        let shown = || repertoire_core::text::terminal_line(name).into_owned();
        match full.as_slice() {
            [] => Err(LookupError::NotFound { kind: T::KIND, name: shown() }),
            [entry] => Ok(Found { entry, claim: &entry.claim }),
            several => Err(LookupError::Ambiguous {
                kind: T::KIND,
                name: shown(),
                candidates: several.iter().map(|entry| entry.id.clone()).collect(),
            }),
        }
    }

    /// What `source` has under its own name `id`, winner or not.
    fn claim_of(&self, source: &str, id: &str) -> Option<Found<'_, T>> {
        let layer = self.layer(source)?;
        let entry = if layer.namespaced { self.get(&format!("{source}:{id}")) } else { self.get(id) }?;
        let claim = entry.claims().find(|claim| claim.origin == layer.origin)?;
        Some(Found { entry, claim })
    }
}
