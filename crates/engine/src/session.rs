//! The active skills of one conversation, and the parts of each model call.

mod activation;
mod answering;
mod compaction;
mod compose;
mod evaluate;
mod evaluation;
mod messages;
mod notice;
mod options;
mod slot_builder;
mod slots;
mod state;
mod turn;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use repertoire_core::{Digest, Flavor, Id, Skill, Trigger};
use repertoire_registry::{Candidate, RegistryError, Snapshot, Trust};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::resolve::ResolvedName;
use crate::tools::{SkillReader, Toolset};
use activation::{ActivationRecord, DeliveredBody, LoadedBody};
use messages::PendingMessage;
use repertoire_permission::{AccessDecision, Audience, Grants};

pub use crate::error::EngineError;
pub use activation::{ActivatedBy, ActiveSkill};
pub use compaction::Redelivery;
pub use evaluation::{Active, ActiveBy, Evaluation};
pub use messages::MessageRules;
pub use notice::{Notice, NoticeReason};
pub use options::{BodyPlacement, CompactionBudget, Lifetime, RefreshPolicy, SessionOptions};
pub use slots::{Delivery, MessagePlace, Placement, SlotMessage, Slots};
pub use state::SessionState;
pub use turn::{ConversationEnd, ToolResult, Turn};

/// The state of one conversation: its active skills, and their additions to each model call.
///
/// 1. [`start_turn`](Session::start_turn) after a message of the user pins the current skills.
/// 2. [`evaluate`](Session::evaluate) returns what is active in a model call, and why.
/// 3. [`read`](Session::read) reads the missing bodies.
/// 4. [`compose`](Session::compose) returns the system prompt, messages and tools for the model.
/// 5. [`call`](Session::call) answers a tool call of the model. A skill that it reads is active from the next evaluation on.
#[derive(Debug)]
pub struct Session {
    options: Arc<SessionOptions>,
    tools: Toolset,
    activations: Vec<ActivationRecord>,
    activated: Vec<(Flavor, Id, Lifetime)>,
    /// A counter that orders uses.
    uses: u64,
    calls: u64,
    tokens: u64,
    triggered: Triggered,
    /// Skills that were deactivated since the user's message, which triggers do not activate again.
    deactivated: BTreeSet<Id>,
    /// Bodies in the conversation whose activation has expired.
    expired: BTreeMap<Id, DeliveredBody>,
    delivered_messages: BTreeSet<Digest>,
    /// The messages of each injection of a turn, as they were passed last.
    turn_messages: Vec<(Flavor, Id, Vec<Digest>)>,
    pending: Vec<PendingMessage>,
    suggested: Vec<Id>,
    /// The skills of the last call, whose tools were offered.
    composed: Vec<Id>,
}

/// The most skills without a source that are remembered, the last used ones.
const MOST_GONE: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Triggered {
    skills: usize,
    tokens: usize,
}

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Session>();
    is_shared::<SessionState>();
    is_shared::<Slots>();
};

impl Session {
    /// Creates a session without active skills over the skills of `tools`, which also decide what is hidden and how bodies are
    /// wrapped.
    pub fn new(tools: Toolset, options: SessionOptions) -> Session {
        tools.triggers(None);
        Session {
            options: Arc::new(options),
            tools,
            activations: Vec::new(),
            activated: Vec::new(),
            uses: 0,
            calls: 0,
            tokens: 0,
            triggered: Triggered::default(),
            deactivated: BTreeSet::new(),
            expired: BTreeMap::new(),
            delivered_messages: BTreeSet::new(),
            turn_messages: Vec::new(),
            pending: Vec::new(),
            suggested: Vec::new(),
            composed: Vec::new(),
        }
    }

    /// Starts a turn with a message of the user: pins the skills of `tools`, and ends activations for one message.
    pub fn start_turn(&mut self, tools: Toolset) {
        tools.triggers(Some(&self.tools));
        self.tools = tools;
        let over = self
            .activations
            .extract_if(.., |activation| activation.lifetime == Lifetime::Message);
        self.expired.extend(
            over.filter_map(|activation| Some((activation.qualified, activation.delivered?))),
        );
        self.activated
            .retain(|(.., lifetime)| *lifetime == Lifetime::Conversation);
        self.triggered = Triggered::default();
        self.deactivated.clear();
        self.forget_gone();
    }

    fn forget_gone(&mut self) {
        let snapshot = self.tools.snapshot();
        self.expired
            .retain(|id, _| snapshot.resolve(id.as_str()).is_ok());
        let mut gone = Vec::new();
        for activation in self
            .activations
            .iter_mut()
            .filter(|activation| find(snapshot, activation).is_none())
        {
            activation.rendered = None;
            gone.push(activation.last_used);
        }
        gone.sort_unstable_by_key(|last_used| Reverse(*last_used));
        let over = gone.split_off(gone.len().min(MOST_GONE));
        self.activations
            .retain(|activation| !over.contains(&activation.last_used));
    }

    /// Returns the tools of the session.
    pub fn tools(&self) -> &Toolset {
        &self.tools
    }

    /// Activates a skill for `audience`, or an injection of the [options](SessionOptions::inject) with
    /// [`Trigger::Activated`]. It takes effect at the next evaluation.
    ///
    /// A skill that is active already is touched. With different arguments it is read again.
    ///
    /// # Errors
    /// [`EngineError`] for a name that is unknown, ambiguous or hidden. An unknown name comes with similar names.
    pub fn activate(
        &mut self,
        audience: Audience,
        name: &str,
        arguments: &str,
    ) -> Result<(), EngineError> {
        if let Some(host) = self
            .options
            .injections
            .iter()
            .find(|host: &&Arc<options::Host>| {
                host.injection.trigger == Trigger::Activated
                    && host.injection.id.as_str() == name.trim()
            })
        {
            let (flavor, id) = (host.injection.flavor.clone(), host.injection.id.clone());
            if !self
                .activated
                .iter()
                .any(|(held, other, _)| (held, other) == (&flavor, &id))
            {
                self.activated.push((flavor, id, self.options.lifetime));
            }
            return Ok(());
        }
        let (snapshot, modes) = (self.tools.snapshot().clone(), &self.tools.options().modes);
        let found = match ResolvedName::resolve(name.trim(), &snapshot, modes, audience) {
            Ok(found) => found,
            Err(RegistryError::NotFound { name, .. }) => {
                let suggestions = self.tools.similar(&name, audience);
                return Err(EngineError::UnknownSkill { name, suggestions });
            }
            Err(error) => return Err(error.into()),
        };
        if let Some(reason) = modes.hidden_reason(audience, found.candidate) {
            return Err(EngineError::Hidden {
                id: found.id(),
                reason,
            });
        }
        self.take(
            found.candidate,
            arguments,
            audience,
            ActivatedBy::Name,
            None,
        );
        Ok(())
    }

    /// Deactivates a skill. Triggers do not activate it again before the user's next message. Does nothing for an inactive one.
    pub fn deactivate(&mut self, name: &str) {
        let ids = self.qualified(name);
        self.deactivated.extend(ids.iter().cloned());
        self.activations
            .retain(|activation| !ids.contains(&activation.qualified));
        self.expired.retain(|id, _| !ids.contains(id));
        self.activated
            .retain(|(_, id, _)| id.as_str() != name.trim());
    }

    /// Makes an active skill the current one. Does nothing for an inactive one.
    pub fn touch(&mut self, name: &str) {
        let ids = self.qualified(name);
        if let Some(activation) = self
            .activations
            .iter_mut()
            .find(|activation| ids.contains(&activation.qualified))
        {
            self.uses = self.uses.saturating_add(1);
            activation.last_used = self.uses;
        }
    }

    /// Returns the visible active skills in the order of their first activation.
    pub fn active(&self) -> Vec<ActiveSkill> {
        self.activations
            .iter()
            .filter_map(|activation: &ActivationRecord| {
                let found = self.find(activation).ok()?;
                Some(ActiveSkill {
                    id: found.id(),
                    source: activation.source.clone(),
                    arguments: activation.arguments.clone(),
                    by: activation.by,
                    lifetime: activation.lifetime,
                    digest: activation.digest,
                })
            })
            .collect()
    }

    /// Returns what the active skills pre-approve now. Call it again before each batch of tool calls.
    pub fn grants(&self) -> Grants {
        Grants::new(
            self.activations
                .iter()
                .filter_map(|activation| Some(self.find(activation).ok()?.candidate)),
        )
    }

    /// Returns the decision of the [tools of the options](SessionOptions::tools) on a call; `None` for an unknown tool.
    ///
    /// The tools of a skill are there if the last [composed](Session::compose) call had the skill, and it is active and visible now.
    /// Ask before every call, because a model can call a tool that is not offered.
    pub fn decision(&self, tool: &str, arguments: &Value) -> Option<AccessDecision> {
        let active = self.active();
        let composed = self.composed.iter();
        let composed = composed.filter(|id| active.iter().any(|skill| skill.id == **id));
        let composed: Vec<Id> = composed.cloned().collect();
        let tools = self.options.own_tools.as_ref()?;
        tools.decision(tool, arguments, &composed)
    }

    /// Returns the skill that was activated or touched last.
    pub fn current(&self) -> Option<ActiveSkill> {
        let found = self
            .activations
            .iter()
            .filter_map(|activation| Some((activation, self.find(activation).ok()?)));
        let (_, newest) = found.max_by_key(|(activation, _)| activation.last_used)?;
        let id = newest.id();
        self.active().into_iter().find(|skill| skill.id == id)
    }

    /// Forgets that the skill's body was delivered, so that the next read returns the full text.
    pub fn forget(&mut self, name: &str) {
        let ids = self.qualified(name);
        let activations = self
            .activations
            .iter_mut()
            .filter(|activation| ids.contains(&activation.qualified));
        activations
            .for_each(|activation| (activation.delivered, activation.surface) = (None, None));
        self.expired.retain(|id, _| !ids.contains(id));
    }

    /// Forgets every delivered body, after the conversation was compacted or restarted. Active skills stay active. Their bodies
    /// are delivered again by [`redeliver_after_compaction`](Session::redeliver_after_compaction), or else by the next [`compose`](Session::compose).
    pub fn reset(&mut self) {
        self.activations
            .iter_mut()
            .for_each(|activation| activation.delivered = None);
        self.delivered_messages.clear();
        self.expired.clear();
        self.tokens = 0;
    }

    /// Returns the bodies that were in the conversation before it was compacted, to be sent as one user message after the summary.
    /// Bodies in the system prompt are not lost.
    ///
    /// No hidden skill is returned or named. A body that changed since it was read comes with the next call, in its current form.
    pub fn redeliver_after_compaction(&mut self, limits: &CompactionBudget) -> Redelivery {
        self.reset();
        let next = self.calls.saturating_add(1);
        let again = compaction::redeliver(self, limits, next, |held, _| held.is_for_conversation());
        self.tokens = self.grown_by(&again.text);
        again
    }

    /// Returns the state to store.
    pub fn state(&self) -> SessionState {
        SessionState::of(self)
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
        let notices = state::resume(&mut session, state, reader).await;
        (session, notices)
    }

    fn qualified(&self, name: &str) -> Vec<Id> {
        let name = name.trim();
        let found = self
            .tools
            .snapshot()
            .resolve(name)
            .ok()
            .map(|found| found.candidate.qualified_id());
        // What its source has no more is named in full.
        found.into_iter().chain(name.parse().ok()).collect()
    }

    fn find(&self, activation: &ActivationRecord) -> Result<ResolvedName<'_>, NoticeReason> {
        let found = find(self.tools.snapshot(), activation).ok_or(NoticeReason::Gone)?;
        match self
            .tools
            .options()
            .modes
            .hidden_reason(activation.audience, found.candidate)
        {
            Some(hidden) => Err(NoticeReason::Hidden(hidden)),
            None if activation.by == ActivatedBy::Trigger
                && found.candidate.trust != Trust::Trusted =>
            {
                Err(NoticeReason::Untrusted)
            }
            None => Ok(found),
        }
    }

    fn take(
        &mut self,
        candidate: &Candidate<Skill>,
        arguments: &str,
        audience: Audience,
        by: ActivatedBy,
        rendered: Option<Arc<LoadedBody>>,
    ) -> &mut ActivationRecord {
        self.uses = self.uses.saturating_add(1);
        let qualified = candidate.qualified_id();
        self.deactivated.remove(&qualified);
        let at = self
            .activations
            .iter()
            .position(|activation| activation.qualified == qualified);
        let at = at.unwrap_or_else(|| {
            self.activations.push(ActivationRecord {
                delivered: self.expired.remove(&qualified),
                qualified,
                source: candidate.origin.source.clone(),
                arguments: arguments.into(),
                audience,
                by,
                lifetime: self.options.lifetime,
                last_used: 0,
                rendered: None,
                digest: None,
                surface: None,
            });
            self.activations.len() - 1
        });
        let activation = &mut self.activations[at];
        activation.last_used = self.uses;
        if *activation.arguments != *arguments {
            activation.arguments = arguments.into();
            (activation.rendered, activation.digest) = (None, None);
        }
        if by == ActivatedBy::Tool
            || by == ActivatedBy::Name && activation.by == ActivatedBy::Trigger
        {
            activation.by = by;
        }
        // It stays for whom it was activated, as long as that one may see it.
        if by == ActivatedBy::Tool
            || self
                .tools
                .options()
                .modes
                .hidden_reason(activation.audience, candidate)
                .is_some()
        {
            activation.audience = audience;
        }
        if let Some(rendered) = rendered {
            activation.set_body(rendered);
        }
        activation
    }
}

/// Finds the candidate of an activation in `snapshot`, by source and name.
fn find<'s>(
    snapshot: &'s Snapshot<Skill>,
    activation: &ActivationRecord,
) -> Option<ResolvedName<'s>> {
    let ActivationRecord {
        qualified, source, ..
    } = activation;
    let id = qualified
        .as_str()
        .strip_prefix(&**source)?
        .strip_prefix(':')?;
    // The id of an entry whose source is namespaced is the full name.
    [id, qualified.as_str()].into_iter().find_map(|name| {
        let entry = snapshot.get(name)?;
        Some(ResolvedName {
            entry,
            candidate: entry.candidates().find(|candidate: &&Candidate<Skill>| {
                candidate.origin.source == *source && candidate.item.id.as_str() == id
            })?,
        })
    })
}

#[cfg(test)]
mod tests;
