//! A session that outlives its process.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use repertoire_core::{Digest, Flavor, Id, Surface};
use serde::{Deserialize, Serialize};

use super::activation::{ActivatedBy, Activation, Rendered, Told};
use super::evaluation::Remarks;
use super::messages::Waiting;
use super::options::{Lifetime, SessionOptions};
use super::{Session, SkipReason, Triggered};
use crate::{Audience, Hidden, Reader, Toolset};

/// A session as it is stored: what is active and what of it the conversation has; no body. Written by serde in any format that
/// tells names of fields.
///
/// Read again by any version that knows its `version`: fields that it does not know are passed over, fields that are missing are
/// those of a session in which nothing is active. What is no such state is refused by serde, and so is another `version`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct SessionState {
    version: Version,
    skills: Vec<StoredSkill>,
    activated: Vec<(Flavor, Id, Lifetime)>,
    touches: u64,
    calls: u64,
    tokens: u64,
    triggered: Triggered,
    ended: BTreeSet<Id>,
    left: BTreeMap<Id, Told>,
    given: BTreeSet<Digest>,
    waiting: Vec<Waiting>,
}

/// The version of the format. An optional addition does not change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32")]
struct Version(u32);

const VERSION: u32 = 1;

impl Default for Version {
    fn default() -> Version {
        Version(VERSION)
    }
}

impl TryFrom<u32> for Version {
    type Error = String;

    fn try_from(version: u32) -> Result<Version, String> {
        let unknown = || format!("expected a session of version {VERSION}, found {version}: another version stored it");
        (version == VERSION).then_some(Version(version)).ok_or_else(unknown)
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
    touched: u64,
    digest: Option<Digest>,
    surface: Option<Surface>,
    told: Option<Told>,
}

/// The state of a skill since its session was stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Resumed {
    /// The skill: the id that a model reaches it by, or its full name where none does.
    pub id: Id,
    /// Its state.
    pub since: Since,
    /// The report on reading its body again, if there is one.
    #[serde(skip)]
    pub remarks: Option<Remarks>,
}

/// The state of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Since {
    /// Nothing: it is active, and its body is what it was, or was not read yet.
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
    /// Returns the state to store.
    pub fn state(&self) -> SessionState {
        let stored = |held: &Activation| StoredSkill {
            skill: held.qualified.clone(),
            source: held.source.clone(),
            arguments: held.arguments.clone(),
            audience: held.audience,
            by: held.by,
            lifetime: held.lifetime,
            touched: held.touched,
            digest: held.digest,
            surface: held.surface.clone(),
            told: held.told.clone(),
        };
        SessionState {
            skills: self.activations.iter().map(stored).collect(),
            activated: self.activated.clone(),
            touches: self.touches,
            calls: self.calls,
            tokens: self.tokens,
            version: Version::default(),
            triggered: self.triggered,
            ended: self.ended.clone(),
            left: self.left.clone(),
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
        let SessionState {
            version: _,
            skills,
            activated,
            touches,
            calls,
            tokens,
            triggered,
            ended,
            left,
            given,
            waiting,
        } = state;
        (session.touches, session.calls, session.tokens) = (touches, calls, tokens);
        (session.activated, session.triggered, session.ended) = (activated, triggered, ended);
        (session.left, session.given, session.waiting) = (left, given, waiting);
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

    async fn since(&self, held: &mut Activation, reader: &dyn Reader) -> Resumed {
        let resumed = |id: &Id, since| Resumed { id: id.clone(), since, remarks: None };
        let found = match self.find(held) {
            Ok(found) => found,
            Err(SkipReason::Hidden(hidden)) => return resumed(&held.qualified, Since::Hidden(hidden)),
            // It waits for being named, and is read then.
            Err(SkipReason::Untrusted) => return resumed(&held.qualified, Since::Same),
            Err(_) => return resumed(&held.qualified, Since::Gone),
        };
        let (id, candidate) = (found.id(), found.candidate.clone());
        // What was not read before is read when it is needed.
        let Some(before) = held.digest else { return resumed(&id, Since::Same) };
        match Rendered::read(&id, candidate, &held.arguments, reader).await {
            Err(error) => resumed(&id, Since::Unreadable(error.to_string().into())),
            Ok((rendered, remarks)) => {
                let since = if before == rendered.digest { Since::Same } else { Since::Changed };
                held.keep(Arc::new(rendered));
                Resumed { remarks, ..resumed(&id, since) }
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
            digest: self.digest,
            surface: self.surface,
            told: self.told,
        }
    }
}
