//! A session that outlives its process.

use std::collections::BTreeSet;
use std::sync::Arc;

use repertoire_core::{Digest, Flavor, Id, Surface};
use serde::{Deserialize, Serialize};

use super::activation::{ActivatedBy, Activation, Rendered, Told};
use super::given::Waiting;
use super::options::{Lifetime, SessionOptions};
use super::{Session, SkipReason, Triggered, reached};
use crate::{Audience, Hidden, Reader, Toolset};

/// A session as it is stored: what is active and what of it the conversation has; no body. Written by serde in any format that
/// tells names of fields.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct SessionState {
    skills: Vec<StoredSkill>,
    activated: Vec<(Flavor, Id, Lifetime)>,
    touches: u64,
    calls: u64,
    tokens: u64,
    triggered: Triggered,
    given: BTreeSet<Digest>,
    waiting: Vec<Waiting>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredSkill {
    skill: Id,
    source: Arc<str>,
    arguments: Arc<str>,
    audience: Audience,
    by: ActivatedBy,
    lifetime: Lifetime,
    touched: u64,
    digest: Option<Digest>,
    surface: Option<Surface>,
    told: Option<Told>,
}

/// What became of a skill since its session was stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Resumed {
    /// The skill: the id that a model reaches it by, or its full name where none does.
    pub id: Id,
    /// What became of it.
    pub since: Since,
}

/// What became of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Since {
    /// Nothing: it is active, and its body is what it was.
    Same,
    /// It is active, and its body is another one: that is what reaches the model from now on.
    Changed,
    /// Its source has it no more.
    Gone,
    /// It is hidden now.
    Hidden(Hidden),
    /// Its source could not give its body, for now.
    Unreadable(Arc<str>),
}

impl Session {
    /// What is to be stored.
    pub fn state(&self) -> SessionState {
        let stored = |held: &Activation| StoredSkill {
            skill: held.qualified.clone(),
            source: held.source.clone(),
            arguments: held.arguments.clone(),
            audience: held.audience,
            by: held.by,
            lifetime: held.lifetime,
            touched: held.touched,
            digest: held.digest(),
            surface: held.surface.clone(),
            told: held.told.clone(),
        };
        SessionState {
            skills: self.activations.iter().map(stored).collect(),
            activated: self.activated.clone(),
            touches: self.touches,
            calls: self.calls,
            tokens: self.tokens,
            triggered: self.triggered,
            given: self.given.clone(),
            waiting: self.waiting.clone(),
        }
    }

    /// The session that was stored, over the skills that there are now, and what became of each that was active, in order.
    ///
    /// What is gone, hidden or unreadable is not active; it is again as soon as that ends.
    ///
    /// # Cancel safety
    /// May be dropped at any await.
    pub async fn resume(
        state: SessionState,
        tools: Toolset,
        options: SessionOptions,
        reader: &dyn Reader,
    ) -> (Session, Vec<Resumed>) {
        let mut session = Session::new(tools, options);
        let SessionState { skills, activated, touches, calls, tokens, triggered, given, waiting } = state;
        session.activated = activated;
        (session.touches, session.calls, session.tokens) = (touches, calls, tokens);
        (session.triggered, session.given, session.waiting) = (triggered, given, waiting);
        let mut resumed = Vec::new();
        for skill in skills {
            if session.activations.iter().any(|held| held.qualified == skill.skill) {
                continue;
            }
            let before = skill.digest;
            let mut held = skill.activation();
            let (id, since) = session.since(&mut held, before, reader).await;
            session.activations.push(held);
            resumed.push(Resumed { id, since });
        }
        (session, resumed)
    }

    async fn since(&self, held: &mut Activation, before: Option<Digest>, reader: &dyn Reader) -> (Id, Since) {
        let found = match self.find(held) {
            Ok(found) => found,
            Err(SkipReason::Hidden(hidden)) => return (held.qualified.clone(), Since::Hidden(hidden)),
            Err(_) => return (held.qualified.clone(), Since::Gone),
        };
        let (id, claim) = (reached(&found), found.claim.clone());
        match Rendered::read(claim, &held.arguments, reader).await {
            Err(error) => (id, Since::Unreadable(error.to_string().into())),
            Ok(rendered) => {
                let since =
                    if before.is_none_or(|before| before == rendered.digest) { Since::Same } else { Since::Changed };
                held.rendered = Some(Arc::new(rendered));
                (id, since)
            }
        }
    }
}

impl StoredSkill {
    fn activation(self) -> Activation {
        Activation {
            qualified: self.skill,
            source: self.source,
            arguments: self.arguments,
            audience: self.audience,
            by: self.by,
            lifetime: self.lifetime,
            touched: self.touched,
            rendered: None,
            surface: self.surface,
            told: self.told,
        }
    }
}
