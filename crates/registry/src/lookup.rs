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
    /// Finds what `name` means, as it is typed; else what it means trimmed and in NFKC, as an [`Id`] is.
    ///
    /// 1. the entry with exactly this id, unless 2 finds a claim that counts as much: see below;
    /// 2. split at the first colon: that source's claim, a shadow too;
    /// 3. a bare name that exactly one namespaced source has, of those that count most.
    ///
    /// An entry of another source that is only written like a full name gives way to the claim that has this full name,
    /// unless its own source is admitted and the other one is pending, or is of an earlier tier, or of more trust. It gives
    /// way to one that counts, too, if it is pending or disabled itself.
    ///
    /// # Errors
    /// [`LookupError::Ambiguous`] when several namespaced sources have a bare name, else
    /// [`LookupError::NotFound`].
    pub fn resolve(&self, name: &str) -> Result<Found<'_, T>, LookupError> {
        let resolved = self.resolve_as_typed(name);
        let Err(LookupError::NotFound { .. }) = resolved else { return resolved };
        match as_id(name) {
            Some(id) => self.resolve_as_typed(&id),
            None => resolved,
        }
    }

    /// Returns the id that a typing slip may have turned into `name`, or that has it inside.
    pub fn nearest(&self, name: &str) -> Option<&Id> {
        let name = as_id(name).unwrap_or_else(|| name.to_owned());
        let ids = || self.entries().iter().map(|entry| &entry.id).filter(|id| id.as_str() != name);
        let lower = name.to_lowercase();
        let distance = |id: &Id| match id.as_str() {
            id if id.to_lowercase() == lower => 0,
            id => strsim::levenshtein(&name, id),
        };
        let close = ids().map(|id| (distance(id), id)).min().filter(|(distance, _)| *distance <= 2);
        close.map(|(_, id)| id).or_else(|| ids().find(|id| name.len() > 2 && id.as_str().contains(&name)))
    }

    fn resolve_as_typed(&self, name: &str) -> Result<Found<'_, T>, LookupError> {
        let exact = self.get(name).map(|entry| Found { entry, claim: &entry.claim });
        let qualified = name.split_once(':').and_then(|(source, id)| self.claim_of(source, id));
        let found = match (exact, qualified) {
            (Some(exact), Some(qualified)) if self.gives_way(exact.claim, qualified.claim) => Some(qualified),
            (exact, qualified) => exact.or(qualified),
        };
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

    fn gives_way(&self, exact: &Claim<T>, qualified: &Claim<T>) -> bool {
        self.all_layers().gives_way(exact, qualified)
            || exact.origin != qualified.origin && qualified.standing < exact.standing
    }

    /// What `source` has under its own name `id`, winner or not.
    fn claim_of(&self, source: &str, id: &str) -> Option<Found<'_, T>> {
        let layer = self.layer(source)?;
        let effective = if layer.namespaced { layer.effective_id(&id.parse().ok()?) } else { id.parse().ok()? };
        let entry = self.get(effective.as_str())?;
        let claims = || entry.all_claims().filter(|claim| claim.origin == layer.origin);
        let claim = claims().find(|claim| claim.item.id().as_str() == id).or_else(|| claims().next())?;
        Some(Found { entry, claim })
    }
}

/// Returns `typed` as it is spelled in an id, unless it is so already or no id is spelled so.
fn as_id(typed: &str) -> Option<String> {
    let id = Id::new(typed).ok()?;
    (id.as_str() != typed).then(|| id.to_string())
}
