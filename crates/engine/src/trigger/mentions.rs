//! The mentions of one message.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use repertoire_core::{Id, Skill};
use repertoire_registry::{LookupError, Snapshot};

use super::fired::{Fired, FiredBy};
use super::missed::{MissedMention, WhyMissed};
use crate::meant::Meant;
use crate::{Audience, Modes};

/// The mentions of one message.
pub(super) struct Mentions<'a> {
    snapshot: &'a Snapshot<Skill>,
    modes: &'a Modes,
    fired: Vec<(Fired, Vec<Range<usize>>)>,
    /// Where in `fired` a claim is, by its full name.
    at: HashMap<Id, usize>,
    missed: Vec<MissedMention>,
    told: HashSet<Id>,
}

impl<'a> Mentions<'a> {
    pub(super) fn new(snapshot: &'a Snapshot<Skill>, modes: &'a Modes) -> Mentions<'a> {
        let (at, told) = (HashMap::new(), HashSet::new());
        Mentions { snapshot, modes, fired: Vec::new(), at, missed: Vec::new(), told }
    }

    /// Takes what may be a name; whether it is one.
    pub(super) fn take(&mut self, name: &str, span: &Range<usize>) -> bool {
        match Meant::by(name, self.snapshot, self.modes, Audience::User) {
            Ok(found) => match self.modes.hides(Audience::User, found.claim) {
                None => self.hear(found, span),
                Some(hidden) => self.miss(found.id(), WhyMissed::Hidden(hidden), span),
            },
            Err(LookupError::Ambiguous { candidates, .. }) => match name.parse() {
                Ok(id) => self.miss(id, WhyMissed::Ambiguous(candidates), span),
                Err(_) => false,
            },
            Err(_) => false,
        }
    }

    fn hear(&mut self, found: Meant<'_>, span: &Range<usize>) -> bool {
        let Meant { entry, claim } = found;
        let at = *self.at.entry(claim.qualified_id()).or_insert_with(|| {
            let (entry, claim, spans) = (entry.clone(), claim.clone(), [].into());
            self.fired.push((Fired { entry, claim, by: FiredBy::Mention, spans }, Vec::new()));
            self.fired.len() - 1
        });
        self.fired[at].1.push(span.clone());
        true
    }

    fn miss(&mut self, id: Id, why: WhyMissed, span: &Range<usize>) -> bool {
        // Names that the user may not see are none: a shorter one may be meant.
        let is_name = matches!(why, WhyMissed::Ambiguous(_));
        if self.told.insert(id.clone()) {
            self.missed.push(MissedMention { id, why, span: span.clone() });
        }
        is_name
    }

    /// What is suggested, in the order of the message, and what was named in vain.
    pub(super) fn into_told(self) -> (Vec<Fired>, Vec<MissedMention>) {
        let fired = self.fired.into_iter().map(|(fired, spans)| Fired { spans: spans.into(), ..fired });
        (fired.collect(), self.missed)
    }
}
