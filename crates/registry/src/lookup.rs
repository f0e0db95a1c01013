//! Looking up what a person typed.

use std::sync::Arc;

use repertoire_core::{Id, Item};

use crate::entry::Candidate;
use crate::{Entry, RegistryError, Snapshot};

/// The result of looking up a name.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Found<'a, T: Item> {
    /// The entry with the candidate, as its winner or as a shadow.
    pub entry: &'a Arc<Entry<T>>,
    /// The candidate. The entry's winner unless a source was named.
    pub candidate: &'a Candidate<T>,
}

impl<T: Item> Snapshot<T> {
    /// Looks `name` up as it is typed, then trimmed and in NFKC, as an [`Id`] is.
    ///
    /// 1. the entry with exactly this id, unless it is pending or disabled and 2 finds a candidate that counts more;
    /// 2. split at the first colon: that source's candidate, a shadow too;
    /// 3. a bare name that exactly one namespaced source has, of those that count most.
    ///
    /// # Errors
    /// [`RegistryError::Ambiguous`] when several namespaced sources have a bare name, else
    /// [`RegistryError::NotFound`].
    pub fn resolve(&self, name: &str) -> Result<Found<'_, T>, RegistryError> {
        let resolved = self.resolve_as_typed(name);
        let Err(RegistryError::NotFound { .. }) = resolved else {
            return resolved;
        };
        match as_id(name) {
            Some(id) => self.resolve_as_typed(&id),
            None => resolved,
        }
    }

    /// Returns the id that a typing slip may have turned into `name`, or that has it inside.
    pub fn nearest(&self, name: &str) -> Option<&Id> {
        let name = as_id(name).unwrap_or_else(|| name.to_owned());
        let mut ids: Vec<&Id> = self.entries().iter().map(|entry| &entry.id).collect();
        ids.retain(|id| id.as_str() != name);
        let close = ids
            .iter()
            .map(|id| (distance(&name, id.as_str()), *id))
            .min();
        let close = close
            .filter(|(distance, _)| *distance <= 2)
            .map(|(_, id)| id);
        close.or_else(|| {
            ids.into_iter()
                .find(|id| name.len() > 2 && id.as_str().contains(&name))
        })
    }

    fn resolve_as_typed(&self, name: &str) -> Result<Found<'_, T>, RegistryError> {
        let exact = self.get(name).map(|entry| Found {
            entry,
            candidate: &entry.candidate,
        });
        let qualified = name
            .split_once(':')
            .and_then(|(source, id)| self.candidate_of(source, id));
        let found = match (exact, qualified) {
            (Some(exact), Some(qualified))
                if qualified.candidate.status < exact.candidate.status =>
            {
                Some(qualified)
            }
            (exact, qualified) => exact.or(qualified),
        };
        if let Some(found) = found {
            return Ok(found);
        }
        let namespaced = self.layers().iter().filter(|layer| layer.namespaced);
        let full =
            namespaced.filter_map(|layer| self.get(&format!("{}:{name}", layer.origin.source)));
        let mut full: Vec<_> = full.filter(|entry| !entry.candidate.is_posing).collect();
        // What does not count makes nothing ambiguous that does.
        let best = full.iter().map(|entry| entry.candidate.status).min();
        full.retain(|entry| Some(entry.candidate.status) == best);
        let name = repertoire_core::text::terminal_line(name).into_owned();
        match full.as_slice() {
            [] => Err(RegistryError::NotFound {
                kind: T::KIND,
                name,
            }),
            [entry] => Ok(Found {
                entry,
                candidate: &entry.candidate,
            }),
            several => Err(RegistryError::Ambiguous {
                kind: T::KIND,
                name,
                candidates: several.iter().map(|entry| entry.id.clone()).collect(),
            }),
        }
    }

    fn candidate_of(&self, source: &str, id: &str) -> Option<Found<'_, T>> {
        let layer = self.layer(source)?;
        let entry = self.get(layer.effective_id(&id.parse().ok()?).as_str())?;
        let candidates: Vec<_> = entry
            .all_candidates()
            .filter(|candidate| candidate.origin == layer.origin)
            .collect();
        let candidate = candidates
            .iter()
            .find(|candidate| candidate.item.id().as_str() == id)
            .or(candidates.first())?;
        Some(Found { entry, candidate })
    }
}

fn as_id(typed: &str) -> Option<String> {
    let id = Id::new(typed).ok()?;
    (id.as_str() != typed).then(|| id.to_string())
}

/// Returns the edit distance, or 0 for texts that differ in letter case alone.
fn distance(typed: &str, id: &str) -> usize {
    if id.to_lowercase() == typed.to_lowercase() {
        0
    } else {
        strsim::levenshtein(typed, id)
    }
}
