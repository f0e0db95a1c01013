//! A session that outlives its process.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use repertoire_core::{Digest, Flavor, Id, Surface};
use serde::{Deserialize, Serialize};

use super::activation::{ActivatedBy, ActivationRecord, DeliveredBody, LoadedBody};
use super::messages::PendingMessage;
use super::notice::{Notice, NoticeReason};
use super::options::{Lifetime, SessionOptions};
use super::{Session, Triggered};
use crate::tools::{SkillReader, Toolset};
use repertoire_permission::Audience;

/// The stored state of a session: the active skills, and the parts of them in the conversation, without bodies. serde writes it in
/// any self-describing format.
///
/// A later release reads it if it knows the `version`. Unknown fields are ignored, and missing ones have the values of a new
/// session. serde refuses other data and other versions.
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
    turn_messages: Vec<(Flavor, Id, Vec<Digest>)>,
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
            turn_messages: self.turn_messages.clone(),
            pending: self.pending.clone(),
        }
    }

    /// Restores a session over the current skills. The notices name each active skill that is not the same as before.
    ///
    /// A skill that is [gone](NoticeReason::Gone), [hidden](NoticeReason::Hidden) or [unreadable](NoticeReason::Unreadable) is not
    /// active until that ends.
    ///
    /// # Cancel safety
    /// May be dropped at any await.
    pub async fn resume(
        state: SessionState,
        tools: Toolset,
        options: SessionOptions,
        reader: &dyn SkillReader,
    ) -> (Session, Vec<Notice>) {
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
            turn_messages,
            pending,
        } = state;
        (session.uses, session.calls, session.tokens) = (uses, calls, tokens);
        (session.activated, session.triggered, session.deactivated) =
            (activated, triggered, deactivated);
        (session.expired, session.delivered_messages, session.pending) =
            (expired, delivered_messages, pending);
        session.turn_messages = turn_messages;
        let mut notices = Vec::new();
        for skill in skills {
            if session
                .activations
                .iter()
                .any(|held| held.qualified == skill.skill)
            {
                continue;
            }
            let mut held = skill.activation();
            session.restore(&mut held, reader, &mut notices).await;
            session.activations.push(held);
        }
        (session, notices)
    }

    async fn restore(
        &self,
        held: &mut ActivationRecord,
        reader: &dyn SkillReader,
        notices: &mut Vec<Notice>,
    ) {
        let found = match self.find(held) {
            Ok(found) => found,
            // It is read when the user names it.
            Err(NoticeReason::Untrusted) => return,
            Err(why) => return notices.push(Notice::of_skill(held.qualified.clone(), why)),
        };
        let (id, candidate) = (found.id(), found.candidate.clone());
        // A body that was not read before is read when it is needed.
        let Some(before) = held.digest else { return };
        match LoadedBody::read(&id, candidate, &held.arguments, reader).await {
            Err(error) => {
                notices.push(Notice::of_skill(
                    id,
                    NoticeReason::Unreadable(error.to_string().into()),
                ));
            }
            Ok((rendered, notice)) => {
                if before != rendered.digest {
                    notices.push(Notice::of_skill(id, NoticeReason::Changed));
                }
                notices.extend(notice);
                held.set_body(Arc::new(rendered));
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
