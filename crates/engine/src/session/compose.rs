//! From what is active to what a model call is made of.

use std::sync::Arc;

use repertoire_core::{
    Content, DecidedBy, Digest, Flavor, Id, Message, Model, Role, Slot, Surface, SurfaceMode,
    ToolSpec,
};

use super::activation::{ActivatedBy, ActivationRecord, DeliveredPart, LoadedBody};
use super::evaluation::{Active, Evaluation, TokensSoFar, What};
use super::messages::{MessageRules, PendingMessage};
use super::notice::{Notice, NoticeReason};
use super::options::BodyPlacement;
use super::slot_builder::SlotBuilder;
use super::slots::{Delivery, Slots};
use super::{Session, compaction, find, messages};
use crate::error::EngineError;

struct Planned<'e> {
    active: &'e Active,
    surface: Option<Surface>,
    inclusion: Inclusion,
}

#[derive(PartialEq)]
enum Inclusion {
    Delivered,
    Omitted,
}

impl Session {
    /// Composes a call of `model`. Each message at the [end](super::MessagePlace::End) is returned once, and the host keeps it in the
    /// conversation.
    ///
    /// The cascade decides the place of a body for this model:
    ///
    /// | mode | read by the tool | activated otherwise |
    /// |---|---|---|
    /// | `system-prompt` | system prompt | system prompt |
    /// | `tool-only` | result | omitted; as `both` if a rule or the fallback decided it |
    /// | `both` | system prompt and result | system prompt |
    ///
    /// The tools are those that find and read skills, those of [`SessionOptions::tools`](super::SessionOptions::tools), and those of
    /// injections.
    ///
    /// A skill that is left out has a [notice](Slots::notices). It stays active, and a call of the tool that reads it delivers it.
    /// A body whose place is the result, and that is not in the conversation any more or is due for a
    /// [`RefreshPolicy`](super::RefreshPolicy), is
    /// delivered as a message of the user.
    ///
    /// # Errors
    /// [`EngineError::Undeliverable`] for injections of the host that the call cannot carry, before anything counts as delivered.
    pub fn compose(
        &mut self,
        evaluation: &Evaluation,
        model: &Model,
    ) -> Result<Slots, EngineError> {
        let mut builder = SlotBuilder::new(evaluation.tail, self.options.rules_of(model));
        let planned = self.plan(evaluation, model, builder.rules, &mut builder.slots.notices)?;

        self.calls = self.calls.saturating_add(1);
        self.suggested = evaluation
            .suggested
            .iter()
            .map(|suggested| suggested.id.clone())
            .collect();
        self.tokens = match evaluation.tokens {
            TokensSoFar::Known(tokens) => tokens,
            TokensSoFar::More(tokens) => self.tokens.saturating_add(tokens),
        };
        self.composed = planned
            .iter()
            .filter(|planned| planned.active.flavor == Flavor::Skill)
            .map(|planned| planned.active.id.clone())
            .collect();
        builder.slots.tools = self.offered_tools();
        self.replace_turn_messages(&planned);
        for pending in std::mem::take(&mut self.pending) {
            self.deliver(pending, &mut builder);
        }
        for Planned {
            active,
            surface,
            inclusion,
        } in planned
        {
            if inclusion == Inclusion::Omitted {
                self.leave_out(active, surface, &mut builder);
                continue;
            }
            match &active.what {
                What::Host(host, text) => {
                    self.place_host(
                        active,
                        &host.injection.content,
                        text.as_deref(),
                        surface,
                        &mut builder,
                    );
                }
                What::Skill(skill) => {
                    if let (Some(rendered), Some(surface)) = (&skill.rendered, surface) {
                        self.place_skill(active, rendered, surface, &mut builder);
                    }
                }
            }
        }
        self.redeliver(&mut builder);
        Ok(builder.finish())
    }

    /// Returns the tools that find and read skills, then those of the host and of the skills of this call.
    fn offered_tools(&self) -> Vec<ToolSpec> {
        let mut tools = self.tools.tools().to_vec();
        let own = self.options.own_tools.iter();
        for tool in own.flat_map(|own| own.offered(&self.composed)) {
            // The session answers its own tools first.
            if tools.iter().all(|offered| offered.name != tool.name) {
                tools.push(tool);
            }
        }
        tools
    }

    fn plan<'e>(
        &self,
        evaluation: &'e Evaluation,
        model: &Model,
        rules: MessageRules,
        notices: &mut Vec<Notice>,
    ) -> Result<Vec<Planned<'e>>, EngineError> {
        let mut offenders = Vec::new();
        let mut planned = Vec::new();
        // Nothing that is hidden since it was evaluated.
        for active in evaluation
            .active
            .iter()
            .filter(|active| !self.is_hidden(active))
        {
            let why = match self.surface_of(active, model, notices) {
                Ok(surface) => {
                    offenders.extend(self.refused_roles(active, model, rules));
                    planned.push(Planned {
                        active,
                        surface,
                        inclusion: Inclusion::Delivered,
                    });
                    continue;
                }
                Err(why) => why,
            };
            let surface = match &why {
                NoticeReason::NoToolRead(surface) => Some(surface.clone()),
                _ => None,
            };
            let notice = Notice::new(active.id.clone(), active.flavor.clone(), why);
            match &active.what {
                What::Host(..) => offenders.push(notice),
                What::Skill(_) => {
                    planned.push(Planned {
                        active,
                        surface,
                        inclusion: Inclusion::Omitted,
                    });
                    notices.push(notice);
                }
            }
        }
        if offenders.is_empty() {
            Ok(planned)
        } else {
            Err(EngineError::Undeliverable(offenders))
        }
    }

    fn surface_of(
        &self,
        active: &Active,
        model: &Model,
        notices: &mut Vec<Notice>,
    ) -> Result<Option<Surface>, NoticeReason> {
        let (declared, is_read) = match &active.what {
            What::Host(host, _) => {
                let has_body = host.injection.content.slots().contains(&Slot::SystemPrompt);
                let is_body = active.flavor == Flavor::Skill && has_body;
                (is_body.then_some(host.surface), false)
            }
            What::Skill(skill) => {
                let rendered = skill.rendered.as_ref().ok_or(NoticeReason::NotRead)?;
                let is_read = skill.by == ActivatedBy::Tool;
                (
                    (!rendered.is_blank()).then_some(skill.candidate.item.surface),
                    is_read,
                )
            }
        };
        let surface = declared.map(|declared| self.options.surfaces.resolve(declared, model));
        match surface {
            Some(surface) if surface.mode == SurfaceMode::ToolOnly && !is_read => match surface
                .decided_by
            {
                DecidedBy::Rule(_) | DecidedBy::Fallback => {
                    let mut raised = surface.clone();
                    raised.mode = SurfaceMode::Both;
                    notices.push(Notice::new(
                        active.id.clone(),
                        active.flavor.clone(),
                        NoticeReason::Raised(surface),
                    ));
                    Ok(Some(raised))
                }
                DecidedBy::Skill | DecidedBy::Registry => Err(NoticeReason::NoToolRead(surface)),
            },
            surface => Ok(surface),
        }
    }

    fn is_hidden(&self, active: &Active) -> bool {
        match &active.what {
            What::Host(..) => false,
            What::Skill(skill) => self
                .tools
                .options()
                .modes
                .hidden_reason(skill.audience, &skill.candidate)
                .is_some(),
        }
    }

    fn refused_roles(&self, active: &Active, model: &Model, rules: MessageRules) -> Vec<Notice> {
        let What::Host(host, _) = &active.what else {
            return Vec::new();
        };
        let provider = self.options.provider(model).unwrap_or_default();
        let mut refused: Vec<Notice> = Vec::new();
        for message in host
            .injection
            .content
            .messages
            .iter()
            .filter(|message| !message.text.trim().is_empty())
        {
            if rules.carries(message.role)
                || self.delivered_messages.contains(&messages::key(
                    &active.flavor,
                    &active.id,
                    message,
                ))
            {
                continue;
            }
            let why = NoticeReason::UnsupportedRole {
                provider: provider.to_owned(),
                role: message.role,
            };
            let one = Notice::new(active.id.clone(), active.flavor.clone(), why);
            if !refused.contains(&one) {
                refused.push(one);
            }
        }
        refused
    }

    /// Forgets the messages of injections of earlier turns that changed, and the deferred ones that the turn does not have.
    fn replace_turn_messages(&mut self, planned: &[Planned<'_>]) {
        let mut now: Vec<(Flavor, Id, Vec<Digest>)> = Vec::new();
        for Planned { active, .. } in planned {
            if let What::Host(host, _) = &active.what
                && host.is_of_turn
            {
                let (flavor, id) = (active.flavor.clone(), active.id.clone());
                let messages = host.injection.content.messages.iter();
                let keys = messages
                    .map(|message| messages::key(&flavor, &id, message))
                    .collect();
                now.push((flavor, id, keys));
            }
        }
        for (flavor, id, keys) in &mut self.turn_messages {
            let at = now
                .iter()
                .position(|(other, name, _)| (other, name) == (flavor, id));
            let current = at.map(|at| now.swap_remove(at).2);
            let is_current = |key: &Digest| {
                current
                    .as_ref()
                    .is_some_and(|current| current.contains(key))
            };
            self.pending.retain(|pending| {
                let is_of_this = pending.flavor == *flavor && pending.id == *id;
                !is_of_this || is_current(&messages::key(flavor, id, &pending.message))
            });
            if let Some(current) = current {
                keys.iter()
                    .filter(|key| !current.contains(key))
                    .for_each(|key| {
                        self.delivered_messages.remove(key);
                    });
                *keys = current;
            }
        }
        self.turn_messages.extend(now);
    }

    fn leave_out(&mut self, active: &Active, surface: Option<Surface>, builder: &mut SlotBuilder) {
        if let (What::Skill(skill), Some(surface)) = (&active.what, &surface) {
            let qualified = skill.candidate.qualified_id();
            let held = self
                .activations
                .iter_mut()
                .find(|held| held.qualified == qualified);
            held.into_iter()
                .for_each(|held| held.surface = Some(surface.clone()));
        }
        builder.record(active, Slot::Messages, Delivery::LeftOut, surface);
    }

    fn place_host(
        &mut self,
        active: &Active,
        content: &Content,
        text: Option<&str>,
        surface: Option<Surface>,
        builder: &mut SlotBuilder,
    ) {
        for slot in content.slots() {
            match slot {
                Slot::SystemPrompt => {
                    // What is no skill has no surface, and is always there.
                    let bodies = surface
                        .as_ref()
                        .map_or(BodyPlacement::SystemPrompt, |_| self.options.bodies);
                    builder.place(active, text.unwrap_or_default(), bodies, surface.clone());
                }
                Slot::Messages => {
                    for message in content
                        .messages
                        .iter()
                        .filter(|message| !message.text.trim().is_empty())
                    {
                        let pending = PendingMessage {
                            id: active.id.clone(),
                            flavor: active.flavor.clone(),
                            message: message.clone(),
                        };
                        let delivery = self.deliver(pending, builder);
                        builder.record(active, Slot::Messages, delivery, None);
                    }
                }
                Slot::Tools => {
                    content
                        .tools
                        .iter()
                        .for_each(|tool| builder.offer_tool(active, tool));
                    builder.record(active, Slot::Tools, Delivery::Now, None);
                }
                _ => {}
            }
        }
    }

    fn deliver(&mut self, pending: PendingMessage, builder: &mut SlotBuilder) -> Delivery {
        let key = messages::key(&pending.flavor, &pending.id, &pending.message);
        if self.delivered_messages.contains(&key) {
            return Delivery::Earlier;
        }
        if self.pending.contains(&pending) {
            return Delivery::Deferred;
        }
        let PendingMessage {
            id,
            flavor,
            message: Message { role, text, .. },
        } = &pending;
        if builder.push_message(*role, text.clone(), vec![id.clone()], flavor) {
            self.tokens = self.grown_by(text);
            self.delivered_messages.insert(key);
            return Delivery::Now;
        }
        self.pending.push(pending);
        Delivery::Deferred
    }

    fn place_skill(
        &mut self,
        active: &Active,
        rendered: &Arc<LoadedBody>,
        surface: Surface,
        builder: &mut SlotBuilder,
    ) {
        let qualified = rendered.candidate.qualified_id();
        let (calls, tokens, refresh) = (self.calls, self.tokens, self.options.refresh);
        let held = self
            .activations
            .iter_mut()
            .find(|held| held.qualified == qualified);
        let before = held.as_ref().and_then(|held| held.surface.clone());
        if let Some(from) = before.filter(|before| *before != surface) {
            let why = NoticeReason::Moved {
                from,
                to: surface.clone(),
            };
            builder
                .slots
                .notices
                .push(Notice::of_skill(active.id.clone(), why));
        }
        if surface.mode != SurfaceMode::ToolOnly {
            let text = rendered.wrapped(&active.id, &self.tools.options().preset);
            builder.place(active, &text, self.options.bodies, Some(surface.clone()));
        }
        let Some(held) = held else { return };
        held.surface = Some(surface.clone());
        if held.is_for_conversation() {
            let delivered = held
                .delivered
                .as_ref()
                .filter(|delivered| delivered.is_current(rendered, refresh, calls, tokens));
            if delivered.is_none() {
                builder.due.push(active.id.clone());
            }
            // What is due is left out unless it finds room below.
            let is_there = delivered.is_some_and(|delivered| delivered.part != DeliveredPart::None);
            let delivery = if is_there {
                Delivery::Earlier
            } else {
                Delivery::LeftOut
            };
            builder.record(active, Slot::Messages, delivery, Some(surface));
        }
    }

    fn redeliver(&mut self, builder: &mut SlotBuilder) {
        let due = std::mem::take(&mut builder.due);
        if due.is_empty() {
            return;
        }
        if let Some(why) = builder.rules.refuses(builder.tail, Role::User) {
            builder.mark_delivered(&due, Delivery::Deferred);
            builder.defer(due, &Flavor::Skill, Role::User, why);
            return;
        }
        let limits = self.options.survival;
        let again = compaction::redeliver(self, &limits, self.calls, |_, id| due.contains(id));
        let (delivered, cut): (Vec<_>, Vec<_>) = again.skills.into_iter().partition(is_whole);
        let is_there =
            |notice: &&Notice| !matches!(notice.why, NoticeReason::Redelivered { tokens: 0, .. });
        let ids: Vec<Id> = delivered
            .iter()
            .chain(&cut)
            .filter(is_there)
            .map(|notice| notice.id.clone())
            .collect();
        if !ids.is_empty() {
            builder.push_message(
                Role::User,
                again.text.as_str().into(),
                ids.clone(),
                &Flavor::Skill,
            );
            builder.mark_delivered(&ids, Delivery::Now);
            self.tokens = self.grown_by(&again.text);
        }
        builder.slots.notices.extend(cut);
    }

    pub(super) fn held(&mut self, id: &Id) -> Option<&mut ActivationRecord> {
        let snapshot = self.tools.snapshot();
        self.activations
            .iter_mut()
            .find(|held| find(snapshot, held).is_some_and(|found| found.id() == *id))
    }
}

fn is_whole(notice: &Notice) -> bool {
    matches!(notice.why, NoticeReason::Redelivered { tokens, of } if tokens == of)
}
