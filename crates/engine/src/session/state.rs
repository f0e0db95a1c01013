//! A session that outlives its process.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use repertoire_core::{Digest, Flavor, Id, Surface};
use serde::{Deserialize, Serialize};

use super::activation::{ActivatedBy, ActivationRecord, DeliveredBody, LoadedBody};
use super::messages::PendingMessage;
use super::notice::{Notice, NoticeReason};
use super::options::Lifetime;
use super::{Session, Triggered};
use crate::tools::SkillReader;
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

impl SessionState {
    pub(super) fn of(session: &Session) -> SessionState {
        SessionState {
            skills: session.activations.iter().map(StoredSkill::of).collect(),
            activated: session.activated.clone(),
            uses: session.uses,
            calls: session.calls,
            tokens: session.tokens,
            version: StateVersion::default(),
            triggered: session.triggered,
            deactivated: session.deactivated.clone(),
            expired: session.expired.clone(),
            delivered_messages: session.delivered_messages.clone(),
            turn_messages: session.turn_messages.clone(),
            pending: session.pending.clone(),
        }
    }

    /// Sets everything in `session` but the skills, which it returns.
    fn restore_counters(self, session: &mut Session) -> Vec<StoredSkill> {
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
        } = self;
        (session.uses, session.calls, session.tokens) = (uses, calls, tokens);
        (session.activated, session.triggered, session.deactivated) =
            (activated, triggered, deactivated);
        (session.expired, session.delivered_messages, session.pending) =
            (expired, delivered_messages, pending);
        session.turn_messages = turn_messages;
        skills
    }
}

/// Sets a new session to `state`; the notices name each active skill that is not the same as before.
pub(super) async fn resume(
    session: &mut Session,
    state: SessionState,
    reader: &dyn SkillReader,
) -> Vec<Notice> {
    let mut notices = Vec::new();
    for skill in state.restore_counters(session) {
        if session
            .activations
            .iter()
            .any(|held| held.qualified == skill.skill)
        {
            continue;
        }
        let mut held = skill.activation();
        restore_body(session, &mut held, reader, &mut notices).await;
        session.activations.push(held);
    }
    notices
}

async fn restore_body(
    session: &Session,
    held: &mut ActivationRecord,
    reader: &dyn SkillReader,
    notices: &mut Vec<Notice>,
) {
    let found = match session.find(held) {
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

impl StoredSkill {
    fn of(held: &ActivationRecord) -> StoredSkill {
        StoredSkill {
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
        }
    }

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
