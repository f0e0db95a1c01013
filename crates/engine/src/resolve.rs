//! Names that lead to skills, and the default order of skills.

use std::sync::Arc;

use repertoire_core::{Id, Item, Skill};
use repertoire_registry::{Candidate, Entry, RegistryError, Snapshot, Tier};

use repertoire_permission::{Audience, VisibilityPolicy};
use repertoire_search::beginning;

#[derive(Debug, Clone, Copy)]
pub(crate) struct ResolvedName<'s> {
    pub(crate) entry: &'s Arc<Entry<Skill>>,
    pub(crate) candidate: &'s Candidate<Skill>,
}

impl<'s> ResolvedName<'s> {
    /// Resolves `name` for `audience`, hidden or not. Among several skills of that name, hidden ones make it not ambiguous and
    /// are not named.
    ///
    /// # Errors
    /// As [`Snapshot::resolve`].
    pub(crate) fn resolve(
        name: &str,
        snapshot: &'s Snapshot<Skill>,
        modes: &VisibilityPolicy,
        audience: Audience,
    ) -> Result<ResolvedName<'s>, RegistryError> {
        let resolved = |name: &str| {
            snapshot.resolve(name).map(|found| ResolvedName {
                entry: found.entry,
                candidate: found.candidate,
            })
        };
        match resolved(name) {
            Err(RegistryError::Ambiguous {
                kind,
                name,
                mut candidates,
            }) => {
                let mut seen: Vec<_> = candidates
                    .iter()
                    .filter_map(|id| resolved(id.as_str()).ok())
                    .collect();
                seen.retain(|meant| modes.sees(audience, meant.candidate));
                candidates.retain(|id| seen.iter().any(|meant| meant.entry.id == *id));
                match seen.as_slice() {
                    [] => Err(RegistryError::NotFound { kind, name }),
                    [only] => Ok(*only),
                    _ => Err(RegistryError::Ambiguous {
                        kind,
                        name,
                        candidates,
                    }),
                }
            }
            other => other,
        }
    }

    pub(crate) fn id(&self) -> Id {
        let is_winner = self.candidate.origin == *self.entry.origin()
            && self.candidate.item.id == self.entry.candidate.item.id;
        if is_winner {
            self.entry.id.clone()
        } else {
            self.entry.shadow_id(self.candidate)
        }
    }
}

/// The default order of skills: by tier, then by the bytes of the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SkillOrder<'a> {
    tier: Tier,
    /// The first bytes of the id, which order most skills alone.
    beginning: u64,
    id: &'a str,
}

impl<'a> SkillOrder<'a> {
    pub(crate) fn of<T: Item>(entry: &'a Entry<T>) -> SkillOrder<'a> {
        let id = entry.id.as_str();
        SkillOrder {
            tier: entry.origin().tier,
            beginning: beginning(id),
            id,
        }
    }
}

#[cfg(test)]
mod tests;
