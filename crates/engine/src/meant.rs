//! What a name means to somebody.

use std::sync::Arc;

use repertoire_core::{Id, Skill};
use repertoire_registry::{Claim, Entry, LookupError, Snapshot};

use crate::{Audience, Modes};

/// A claim that is meant, and the entry that it is of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meant<'s> {
    pub(crate) entry: &'s Arc<Entry<Skill>>,
    pub(crate) claim: &'s Claim<Skill>,
}

impl<'s> Meant<'s> {
    /// What `name` means to `audience`, hidden or not. Among several that are called so, what is hidden makes nothing ambiguous,
    /// and is not named.
    ///
    /// # Errors
    /// As [`Snapshot::resolve`].
    pub(crate) fn by(
        name: &str,
        snapshot: &'s Snapshot<Skill>,
        modes: &Modes,
        audience: Audience,
    ) -> Result<Meant<'s>, LookupError> {
        let resolved =
            |name: &str| snapshot.resolve(name).map(|found| Meant { entry: found.entry, claim: found.claim });
        match resolved(name) {
            Err(LookupError::Ambiguous { kind, name, mut candidates }) => {
                let mut seen: Vec<_> = candidates.iter().filter_map(|id| resolved(id.as_str()).ok()).collect();
                seen.retain(|meant| modes.sees(audience, meant.claim));
                candidates.retain(|id| seen.iter().any(|meant| meant.entry.id == *id));
                match seen.as_slice() {
                    [] => Err(LookupError::NotFound { kind, name }),
                    [only] => Ok(*only),
                    _ => Err(LookupError::Ambiguous { kind, name, candidates }),
                }
            }
            other => other,
        }
    }

    /// The id that a model reaches the claim by.
    pub(crate) fn id(&self) -> Id {
        let is_winner = self.claim.origin == *self.entry.origin() && self.claim.item.id == self.entry.claim.item.id;
        if is_winner { self.entry.id.clone() } else { self.entry.shadow_id(self.claim) }
    }
}
