//! A session that outlives its process.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use repertoire_core::{Digest, Flavor, Id, Surface};
use serde::{Deserialize, Serialize};

use super::activation::{ActivatedBy, ActivationRecord, DeliveredBody, RenderedBody};
use super::evaluation::BodyReport;
use super::messages::PendingMessage;
use super::options::{Lifetime, SessionOptions};
use super::{Session, SkipReason, Triggered};
use crate::permission::{Audience, HiddenReason};
use crate::tools::{SkillReader, Toolset};

/// A session as it is stored: what is active and what of it the conversation has; no body. Written by serde in any
/// self-describing format.
///
/// Read again by any version that knows its `version`: fields that it does not know are passed over, fields that are missing are
/// those of a session in which nothing is active. What is no such state is refused by serde, and so is another `version`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct SessionState {
    version: StateVersion,
    skills: Vec<StoredSkill>,
    activated: Vec<(Flavor, Id, Lifetime)>,
    uses: u64,
    calls: u64,
    tokens: u64,
    triggered: Triggered,
    deactivated: BTreeSet<Id>,
    expired: BTreeMap<Id, DeliveredBody>,
    delivered_messages: BTreeSet<Digest>,
    pending: Vec<PendingMessage>,
}

/// The version of the format. An optional addition does not change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32")]
struct StateVersion(u32);

const VERSION: u32 = 1;

impl Default for StateVersion {
    fn default() -> StateVersion {
        StateVersion(VERSION)
    }
}

impl TryFrom<u32> for StateVersion {
    type Error = String;

    fn try_from(version: u32) -> Result<StateVersion, String> {
        (version == VERSION).then_some(StateVersion(version)).ok_or_else(|| {
            format!("expected a session of version {VERSION}, found {version}: another version stored it")
        })
    }
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
    last_used: u64,
    digest: Option<Digest>,
    surface: Option<Surface>,
    delivered: Option<DeliveredBody>,
}

/// The state of a skill since its session was stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Resumed {
    /// The skill: the id that a model reaches it by, or its full name where none does.
    pub id: Id,
    /// Its state.
    pub since: ResumedState,
    /// The report on reading its body again, if there is one.
    #[serde(skip)]
    pub remarks: Option<BodyReport>,
}

/// The state of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ResumedState {
    /// Nothing: it is active, and its body is what it was, or was not read yet.
    Same,
    /// It is active, and its body is another one: that is what reaches the model from now on.
    Changed,
    /// Its source has it no more.
    Gone,
    /// It is hidden now.
    Hidden(HiddenReason),
    /// Its source could not give its body, for now.
    Unreadable(Arc<str>),
}

impl Session {
    /// Returns the state to store.
    pub fn state(&self) -> SessionState {
        SessionState {
            skills: self
                .activations
                .iter()
                .map(|held: &ActivationRecord| StoredSkill {
                    skill: held.qualified.clone(),
                    source: held.source.clone(),
                    arguments: held.arguments.clone(),
                    audience: held.audience,
                    by: held.by,
                    lifetime: held.lifetime,
                    last_used: held.last_used,
                    digest: held.digest,
                    surface: held.surface.clone(),
                    delivered: held.delivered.clone(),
                })
                .collect(),
            activated: self.activated.clone(),
            uses: self.uses,
            calls: self.calls,
            tokens: self.tokens,
            version: StateVersion::default(),
            triggered: self.triggered,
            deactivated: self.deactivated.clone(),
            expired: self.expired.clone(),
            delivered_messages: self.delivered_messages.clone(),
            pending: self.pending.clone(),
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
        reader: &dyn SkillReader,
    ) -> (Session, Vec<Resumed>) {
        let mut session = Session::new(tools, options);
        let SessionState {
            version: _,
            skills,
            activated,
            uses,
            calls,
            tokens,
            triggered,
            deactivated,
            expired,
            delivered_messages,
            pending,
        } = state;
        (session.uses, session.calls, session.tokens) = (uses, calls, tokens);
        (session.activated, session.triggered, session.deactivated) = (activated, triggered, deactivated);
        (session.expired, session.delivered_messages, session.pending) = (expired, delivered_messages, pending);
        let mut resumed = Vec::new();
        for skill in skills {
            if session.activations.iter().any(|held| held.qualified == skill.skill) {
                continue;
            }
            let mut held = skill.activation();
            resumed.push(session.since(&mut held, reader).await);
            session.activations.push(held);
        }
        (session, resumed)
    }

    async fn since(&self, held: &mut ActivationRecord, reader: &dyn SkillReader) -> Resumed {
        let resumed = |id: &Id, since| Resumed { id: id.clone(), since, remarks: None };
        let found = match self.find(held) {
            Ok(found) => found,
            Err(SkipReason::Hidden(hidden)) => {
                return resumed(&held.qualified, ResumedState::Hidden(hidden));
            }
            // It waits for being named, and is read then.
            Err(SkipReason::Untrusted) => return resumed(&held.qualified, ResumedState::Same),
            Err(_) => return resumed(&held.qualified, ResumedState::Gone),
        };
        let (id, candidate) = (found.id(), found.candidate.clone());
        // What was not read before is read when it is needed.
        let Some(before) = held.digest else { return resumed(&id, ResumedState::Same) };
        match RenderedBody::read(&id, candidate, &held.arguments, reader).await {
            Err(error) => resumed(&id, ResumedState::Unreadable(error.to_string().into())),
            Ok((rendered, remarks)) => {
                let since = if before == rendered.digest { ResumedState::Same } else { ResumedState::Changed };
                held.keep(Arc::new(rendered));
                Resumed { remarks, ..resumed(&id, since) }
            }
        }
    }
}

impl StoredSkill {
    fn activation(self) -> ActivationRecord {
        ActivationRecord {
            qualified: self.skill,
            source: self.source,
            arguments: self.arguments,
            audience: self.audience,
            by: self.by,
            lifetime: self.lifetime,
            last_used: self.last_used,
            rendered: None,
            digest: self.digest,
            surface: self.surface,
            delivered: self.delivered,
        }
    }
}
