//! From what is active to what a model call is made of.

use std::sync::Arc;

use repertoire_core::{Content, DecidedBy, Flavor, Id, Message, Model, Role, Slot, Surface, SurfaceMode, ToolSpec};

use super::activation::{ActivatedBy, Activation, Part, Rendered, Told};
use super::compaction::RerenderedSkill;
use super::evaluation::{Active, ActiveBy, Evaluation, TokensSoFar, What};
use super::messages::{MessageRules, Waiting};
use super::options::{Bodies, Refresh};
use super::slots::{
    CannotCompose, Delivery, Notice, Place, Placement, SlotMessage, Slots, Tail, Undelivered, WhyUndelivered,
};
use super::{Session, find, messages};

struct Planned<'e> {
    active: &'e Active,
    surface: Option<Surface>,
    fate: Fate,
}

#[derive(PartialEq)]
enum Fate {
    Delivered,
    LeftOut,
}

struct Draft {
    slots: Slots,
    system: Vec<String>,
    buffer: Vec<(Id, String)>,
    due: Vec<Id>,
    tail: Tail,
    rules: MessageRules,
}

impl Session {
    /// Composes the call of `model`. Counts as the call: messages at the [end](Place::End) are returned once, and the host keeps
    /// them in the conversation.
    ///
    /// Bodies go where the cascade says for this model, and nowhere else:
    ///
    /// | mode | read by the tool | activated otherwise |
    /// |---|---|---|
    /// | `system-prompt` | system prompt | system prompt |
    /// | `tool-only` | result | left out; as `both` if a rule or nobody decided it |
    /// | `both` | system prompt and result | system prompt |
    ///
    /// What is left out is named by a [`Notice::Undelivered`]. It stays active, and a call of the tool that reads it delivers it.
    /// A body whose place is the result and that is not in the conversation any more, or is due for a
    /// [`Refresh`], comes as a message of the user.
    ///
    /// # Errors
    /// [`CannotCompose`] for injections of the host that would reach the model nowhere, before anything counts as delivered.
    pub fn compose(&mut self, evaluation: &Evaluation, model: &Model<'_>) -> Result<Slots, CannotCompose> {
        let mut draft = Draft {
            slots: Slots::default(),
            system: Vec::new(),
            buffer: Vec::new(),
            due: Vec::new(),
            tail: evaluation.tail,
            rules: self.options.rules_of(model),
        };
        let planned = self.plan(evaluation, model, draft.rules, &mut draft.slots.notices)?;

        self.calls = self.calls.saturating_add(1);
        self.suggested = evaluation.suggested.iter().map(|suggested| suggested.id.clone()).collect();
        self.tokens = match evaluation.tokens {
            TokensSoFar::Told(tokens) => tokens,
            TokensSoFar::More(tokens) => self.tokens.saturating_add(tokens),
        };
        draft.slots.tools = self.tools.tools().to_vec();
        for waiting in std::mem::take(&mut self.waiting) {
            self.give(waiting, &mut draft);
        }
        for Planned { active, surface, fate } in planned {
            if fate == Fate::LeftOut {
                self.leave_out(active, surface, &mut draft);
                continue;
            }
            match &active.what {
                What::Host(host, text) => {
                    self.place_host(active, &host.injection.content, text.as_deref(), surface, &mut draft);
                }
                What::Skill(skill) => {
                    if let (Some(rendered), Some(surface)) = (&skill.rendered, surface) {
                        self.place_skill(active, rendered, surface, &mut draft);
                    }
                }
            }
        }
        self.redeliver(&mut draft);
        Ok(draft.finish())
    }

    fn plan<'e>(
        &self,
        evaluation: &'e Evaluation,
        model: &Model<'_>,
        rules: MessageRules,
        notices: &mut Vec<Notice>,
    ) -> Result<Vec<Planned<'e>>, CannotCompose> {
        let mut offenders = Vec::new();
        let mut planned = Vec::new();
        // Nothing that is hidden since it was evaluated.
        for active in evaluation.active.iter().filter(|active| !self.hides(active)) {
            let undelivered = match self.surface_of(active, model, notices) {
                Ok(surface) => {
                    offenders.extend(self.refused_roles(active, model, rules));
                    planned.push(Planned { active, surface, fate: Fate::Delivered });
                    continue;
                }
                Err(why) => undelivered_by(active, why),
            };
            match &active.what {
                What::Host(..) => offenders.push(undelivered),
                What::Skill(_) => {
                    let surface = match &undelivered.why {
                        WhyUndelivered::NoToolRead(surface) => Some(surface.clone()),
                        _ => None,
                    };
                    planned.push(Planned { active, surface, fate: Fate::LeftOut });
                    notices.push(Notice::Undelivered(undelivered));
                }
            }
        }
        if offenders.is_empty() { Ok(planned) } else { Err(CannotCompose { offenders }) }
    }

    fn surface_of(
        &self,
        active: &Active,
        model: &Model<'_>,
        notices: &mut Vec<Notice>,
    ) -> Result<Option<Surface>, WhyUndelivered> {
        let (declared, is_read) = match &active.what {
            What::Host(host, _) => {
                let has_body = host.injection.content.slots().contains(&Slot::SystemPrompt);
                let is_body = active.flavor == Flavor::Skill && has_body;
                (is_body.then_some(host.surface), false)
            }
            What::Skill(skill) => {
                let rendered = skill.rendered.as_ref().ok_or(WhyUndelivered::NotRead)?;
                let is_read = skill.by == ActivatedBy::Tool;
                ((!rendered.is_blank()).then_some(skill.candidate.item.surface), is_read)
            }
        };
        let surface = declared.map(|declared| self.options.surfaces.resolve(declared, model));
        match surface {
            Some(surface) if surface.mode == SurfaceMode::ToolOnly && !is_read => match surface.decided_by {
                DecidedBy::Rule(_) | DecidedBy::Fallback => {
                    let mut raised = surface.clone();
                    raised.mode = SurfaceMode::Both;
                    notices.push(Notice::Raised { id: active.id.clone(), surface });
                    Ok(Some(raised))
                }
                DecidedBy::Skill | DecidedBy::Registry => Err(WhyUndelivered::NoToolRead(surface)),
            },
            surface => Ok(surface),
        }
    }

    fn hides(&self, active: &Active) -> bool {
        match &active.what {
            What::Host(..) => false,
            What::Skill(skill) => self.tools.options().modes.hides(skill.audience, &skill.candidate).is_some(),
        }
    }

    fn refused_roles(&self, active: &Active, model: &Model<'_>, rules: MessageRules) -> Vec<Undelivered> {
        let What::Host(host, _) = &active.what else { return Vec::new() };
        let provider = || self.options.provider(model).unwrap_or_default().to_owned();
        let mut refused: Vec<Undelivered> = Vec::new();
        for message in host.injection.content.messages.iter().filter(|message| !message.text.trim().is_empty()) {
            let is_given = || self.given.contains(&messages::key(&active.flavor, &active.id, message));
            if rules.carries(message.role) || is_given() {
                continue;
            }
            let one = undelivered_by(active, WhyUndelivered::Role { provider: provider(), role: message.role });
            if !refused.contains(&one) {
                refused.push(one);
            }
        }
        refused
    }

    fn leave_out(&mut self, active: &Active, surface: Option<Surface>, draft: &mut Draft) {
        if let (What::Skill(skill), Some(surface)) = (&active.what, &surface) {
            let qualified = skill.candidate.qualified_id();
            let held = self.activations.iter_mut().find(|held| held.qualified == qualified);
            held.into_iter().for_each(|held| held.surface = Some(surface.clone()));
        }
        draft.placed(active, Slot::Messages, Delivery::LeftOut, surface);
    }

    fn place_host(
        &mut self,
        active: &Active,
        content: &Content,
        text: Option<&str>,
        surface: Option<Surface>,
        draft: &mut Draft,
    ) {
        for slot in content.slots() {
            match slot {
                Slot::SystemPrompt => {
                    // What is no skill has no surface, and is always there.
                    let bodies = surface.as_ref().map_or(Bodies::SystemPrompt, |_| self.options.bodies);
                    draft.stand(active, text.unwrap_or_default(), bodies, surface.clone());
                }
                Slot::Messages => {
                    for message in content.messages.iter().filter(|message| !message.text.trim().is_empty()) {
                        let waiting =
                            Waiting { id: active.id.clone(), flavor: active.flavor.clone(), message: message.clone() };
                        let delivery = self.give(waiting, draft);
                        draft.placed(active, Slot::Messages, delivery, None);
                    }
                }
                Slot::Tools => {
                    content.tools.iter().for_each(|tool| draft.offer(&active.id, tool));
                    draft.placed(active, Slot::Tools, Delivery::Now, None);
                }
            }
        }
    }

    fn give(&mut self, waiting: Waiting, draft: &mut Draft) -> Delivery {
        let key = messages::key(&waiting.flavor, &waiting.id, &waiting.message);
        if self.given.contains(&key) {
            return Delivery::Earlier;
        }
        if self.waiting.contains(&waiting) {
            return Delivery::Deferred;
        }
        let Waiting { id, message: Message { role, text, .. }, .. } = &waiting;
        if draft.say(*role, text.clone(), vec![id.clone()]) {
            self.tokens = self.grown_by(text);
            self.given.insert(key);
            return Delivery::Now;
        }
        self.waiting.push(waiting);
        Delivery::Deferred
    }

    fn place_skill(&mut self, active: &Active, rendered: &Arc<Rendered>, surface: Surface, draft: &mut Draft) {
        let qualified = rendered.candidate.qualified_id();
        let (calls, tokens, refresh) = (self.calls, self.tokens, self.options.refresh);
        let held = self.activations.iter_mut().find(|held| held.qualified == qualified);
        let before = held.as_ref().and_then(|held| held.surface.clone());
        if let Some(from) = before.filter(|before| *before != surface) {
            draft.slots.notices.push(Notice::Moved { id: active.id.clone(), from, to: surface.clone() });
        }
        if surface.mode != SurfaceMode::ToolOnly {
            let text = rendered.wrapped(&active.id, &self.tools.options().preset);
            draft.stand(active, &text, self.options.bodies, Some(surface.clone()));
        }
        let Some(held) = held else { return };
        held.surface = Some(surface.clone());
        if held.is_for_conversation() {
            let told = held.told.as_ref().filter(|told| told.is_current(rendered, refresh, calls, tokens));
            if told.is_none() {
                draft.due.push(active.id.clone());
            }
            // What is due is left out unless it finds room below.
            let is_there = told.is_some_and(|told| told.part != Part::None);
            let delivery = if is_there { Delivery::Earlier } else { Delivery::LeftOut };
            draft.placed(active, Slot::Messages, delivery, Some(surface));
        }
    }

    fn redeliver(&mut self, draft: &mut Draft) {
        let due = std::mem::take(&mut draft.due);
        if due.is_empty() {
            return;
        }
        if let Some(why) = draft.rules.refuses(draft.tail, Role::User) {
            draft.settle(&due, Delivery::Deferred);
            draft.slots.notices.extend(due.into_iter().map(|id| Notice::Waits { id, role: Role::User, why }));
            return;
        }
        let again = self.again(&self.options.survival.clone(), self.calls, |_, id| due.contains(id));
        let ids: Vec<Id> = again.given().cloned().collect();
        if !ids.is_empty() {
            draft.say(Role::User, again.text.as_str().into(), ids.clone());
            draft.settle(&ids, Delivery::Now);
            self.tokens = self.grown_by(&again.text);
        }
        let cut = again.skills.into_iter().filter(|skill| skill.tokens < skill.of);
        draft.slots.notices.extend(cut.map(|RerenderedSkill { id, tokens, of }| Notice::Shortened { id, tokens, of }));
    }

    pub(super) fn held(&mut self, id: &Id) -> Option<&mut Activation> {
        let snapshot = self.tools.snapshot();
        self.activations.iter_mut().find(|held| find(snapshot, held).is_some_and(|found| found.id() == *id))
    }
}

impl Told {
    fn is_current(&self, rendered: &Rendered, refresh: Refresh, calls: u64, tokens: u64) -> bool {
        // Not again in the call that it comes with.
        let is_due = match refresh {
            Refresh::Never => false,
            Refresh::AfterTokens(most) => tokens.saturating_sub(self.tokens) >= most.max(1) as u64,
            Refresh::AfterTurns(most) => calls.saturating_sub(self.calls) >= most.max(1) as u64,
        };
        self.digest == rendered.digest && !is_due
    }
}

impl Draft {
    fn placed(&mut self, active: &Active, slot: Slot, delivery: Delivery, surface: Option<Surface>) {
        let (id, flavor, reason) = (active.id.clone(), active.flavor.clone(), active.reason());
        self.slots.placements.push(Placement { id, flavor, slot, delivery, surface, reason });
    }

    fn stand(&mut self, active: &Active, text: &str, bodies: Bodies, surface: Option<Surface>) {
        let text = text.trim_end().to_owned();
        let slot = match bodies {
            Bodies::SystemPrompt => {
                self.system.push(text);
                Slot::SystemPrompt
            }
            Bodies::Buffer => {
                self.buffer.push((active.id.clone(), text));
                Slot::Messages
            }
        };
        self.placed(active, slot, Delivery::Now, surface);
    }

    fn say(&mut self, role: Role, text: Arc<str>, ids: Vec<Id>) -> bool {
        if let Some(why) = self.rules.refuses(self.tail, role) {
            self.slots.notices.extend(ids.into_iter().map(|id| Notice::Waits { id, role, why }));
            return false;
        }
        self.tail = match role {
            Role::User => Tail::User,
            Role::Assistant => Tail::Assistant,
            Role::System => self.tail,
        };
        self.slots.messages.push(SlotMessage { role, text, place: Place::End, ids });
        true
    }

    fn offer(&mut self, id: &Id, tool: &ToolSpec) {
        match self.slots.tools.iter().find(|offered| offered.name == tool.name) {
            None => self.slots.tools.push(tool.clone()),
            Some(offered) if offered == tool => {}
            Some(_) => {
                self.slots.notices.push(Notice::ToolTaken { id: id.clone(), tool: tool.name.clone() });
            }
        }
    }

    fn settle(&mut self, ids: &[Id], delivery: Delivery) {
        let left_out = self.slots.placements.iter_mut().filter(|placement| placement.delivery == Delivery::LeftOut);
        left_out.filter(|placement| ids.contains(&placement.id)).for_each(|placement| placement.delivery = delivery);
    }

    fn finish(mut self) -> Slots {
        self.slots.system_prompt = self.system.join("\n\n");
        if !self.buffer.is_empty() {
            let place = if self.rules.is_alternating() { Place::InMessage } else { Place::BeforeMessage };
            let (ids, texts): (Vec<_>, Vec<_>) = self.buffer.into_iter().unzip();
            let text = texts.join("\n\n").into();
            self.slots.messages.insert(0, SlotMessage { role: Role::User, text, place, ids });
        }
        self.slots
    }
}

fn undelivered_by(active: &Active, why: WhyUndelivered) -> Undelivered {
    let by = match &active.by {
        ActiveBy::Always => "always active".to_owned(),
        ActiveBy::Rule(name) => format!("by rule `{name}`"),
        ActiveBy::AfterTool(tool) => format!("after tool `{tool}`"),
        ActiveBy::Activated => "activated".to_owned(),
        ActiveBy::Fired(_) => "by a trigger that it declares".to_owned(),
    };
    Undelivered { id: active.id.clone(), flavor: active.flavor.clone(), by, why }
}
