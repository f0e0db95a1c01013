//! From a turn to what is active in it.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use repertoire_core::{Flavor, Id, Skill, SkillTrigger, Trigger};
use repertoire_registry::Found;

use super::activation::{ActivatedBy, Rendered};
use super::evaluation::{Active, ActiveBy, ActiveClaim, Evaluation, SkipReason, TokensSoFar, What};
use super::options::Host;
use super::turn::Turn;
use super::{Session, reached};
use crate::{Audience, Fired, FiredBy, Reader};

impl Session {
    /// What is active in `turn`. Pure: the same session and turn give the same.
    pub fn evaluate(&self, turn: &Turn<'_>) -> Evaluation {
        let mut evaluation = Evaluation {
            active: Vec::new(),
            skipped: Vec::new(),
            tail: turn.tail(),
            tokens: match turn.tokens {
                Some(tokens) => TokensSoFar::Told(tokens as u64),
                None => TokensSoFar::More(self.brought(turn)),
            },
        };
        self.options.injections.iter().for_each(|host| self.evaluate_host(host, turn, &mut evaluation));
        self.evaluate_activations(&mut evaluation);
        self.evaluate_triggers(turn, &mut evaluation);
        evaluation
    }

    /// Reads the bodies that are missing, and activates what triggers brought. What cannot be read is skipped.
    ///
    /// # Cancel safety
    /// May be dropped at any await: what was read is kept.
    pub async fn read(&mut self, mut evaluation: Evaluation, reader: &dyn Reader) -> Evaluation {
        for mut active in std::mem::take(&mut evaluation.active) {
            match self.complete(&mut active, reader).await {
                Ok(()) => evaluation.active.push(active),
                Err(why) => evaluation.skip(active.flavor, active.id, why),
            }
        }
        evaluation
    }

    /// What the turn adds to the conversation, estimated.
    fn brought(&self, turn: &Turn<'_>) -> u64 {
        let tokenizer = self.options.tokenizer;
        let message = if turn.number <= 1 { tokenizer.estimate(turn.message) } else { 0 };
        turn.results.iter().fold(message, |sum, result| sum + tokenizer.estimate(result.text)) as u64
    }

    fn evaluate_host(&self, host: &Arc<Host>, turn: &Turn<'_>, evaluation: &mut Evaluation) {
        let injection = &host.injection;
        let (flavor, id) = (&injection.flavor, &injection.id);
        let after = |matches: &dyn Fn(&str) -> bool| {
            let tool = turn.results.iter().find(|result| matches(result.tool))?;
            Some(ActiveBy::AfterTool(tool.tool.into()))
        };
        let by = match &injection.trigger {
            Trigger::Always => Some(ActiveBy::Always),
            Trigger::Rule(name) => match self.rule(name, turn) {
                Ok(holds) => holds.then(|| ActiveBy::Rule(name.clone())),
                Err(why) => return evaluation.skip(flavor.clone(), id.clone(), why),
            },
            Trigger::AfterTool(name) => after(&|tool| *tool == **name),
            Trigger::AfterToolMatching(_) => {
                after(&|tool| host.tool.as_ref().is_some_and(|regex| regex.is_match(tool)))
            }
            Trigger::Activated => {
                let is_activated = self.activated.iter().any(|(held, other, _)| (held, other) == (flavor, id));
                is_activated.then_some(ActiveBy::Activated)
            }
            _ => return evaluation.skip(flavor.clone(), id.clone(), SkipReason::UnknownTrigger),
        };
        evaluation.active.extend(by.map(|by| Active {
            id: id.clone(),
            flavor: flavor.clone(),
            description: injection.description.clone(),
            by,
            what: What::Host(host.clone()),
        }));
    }

    fn rule(&self, name: &Arc<str>, turn: &Turn<'_>) -> Result<bool, SkipReason> {
        let rule = self.options.rules.get(name).ok_or_else(|| SkipReason::NoSuchRule(name.clone()))?;
        catch_unwind(AssertUnwindSafe(|| rule(turn))).map_err(|panic| {
            let said =
                panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            SkipReason::RulePanicked(said.unwrap_or_default().into())
        })
    }

    fn evaluate_activations(&self, evaluation: &mut Evaluation) {
        for activation in &self.activations {
            let found = match self.find(activation) {
                Ok(found) => found,
                Err(why) => {
                    evaluation.skip(Flavor::Skill, activation.qualified.clone(), why);
                    continue;
                }
            };
            let is_current = |rendered: &&Arc<Rendered>| rendered.claim.is_same(found.claim);
            let claim = ActiveClaim {
                claim: found.claim.clone(),
                arguments: activation.arguments.clone(),
                audience: activation.audience,
                by: activation.by,
                rendered: activation.rendered.as_ref().filter(is_current).cloned(),
            };
            evaluation.active.push(active(&found, ActiveBy::Activated, claim));
        }
    }

    fn evaluate_triggers(&self, turn: &Turn<'_>, evaluation: &mut Evaluation) {
        let modes = &self.tools.options().modes;
        let names: Vec<&str> = turn.results.iter().map(|result| result.tool).collect();
        let triggers = self.tools.triggers(None);
        let mut room = self.options.most_skills.saturating_sub(self.triggered.skills);
        let fired = triggers.fired(&turn.occasion(&names).modes(modes));
        let mut known = evaluation.skills_told();
        for fired in fired {
            let found = self.tools.snapshot().resolve(fired.claim.qualified_id().as_str());
            let Ok(found) = found else { continue };
            let audience = audience(&fired.by);
            if found.claim.origin != fired.claim.origin || modes.hides(audience, found.claim).is_some() {
                continue;
            }
            let (id, arguments) = (reached(&found), said_with(&fired, turn.message));
            if !known.insert(id.clone()) {
                // What was said is said once, however many calls it takes.
                if turn.number <= 1 {
                    evaluation.renew(&id, arguments);
                }
                continue;
            }
            if self.ended.contains(&found.claim.qualified_id()) {
                continue;
            }
            if room == 0 {
                evaluation.skip(Flavor::Skill, id, SkipReason::TooMany(self.options.most_skills));
                continue;
            }
            room -= 1;
            let by = if audience == Audience::User { ActivatedBy::Name } else { ActivatedBy::Trigger };
            let claim = found.claim.clone();
            let claim = ActiveClaim { claim, arguments: arguments.into(), audience, by, rendered: None };
            evaluation.active.push(active(&found, ActiveBy::Fired(fired.by), claim));
        }
        for refused in triggers.refused() {
            let id = &refused.entry.id;
            let is_seen = modes.hides(Audience::Model, &refused.entry.claim).is_none();
            if is_seen && known.insert(id.clone()) {
                evaluation.skip(Flavor::Skill, id.clone(), SkipReason::TriggerRefused(refused.why.clone()));
            }
        }
    }

    async fn complete(&mut self, active: &mut Active, reader: &dyn Reader) -> Result<(), SkipReason> {
        let What::Skill(skill) = &mut active.what else { return Ok(()) };
        let is_triggered = matches!(active.by, ActiveBy::Fired(_));
        if skill.rendered.is_none() {
            let rendered = Rendered::read(skill.claim.clone(), &skill.arguments, reader).await;
            let rendered = rendered.map_err(|error| SkipReason::Unreadable(error.to_string().into()))?;
            skill.rendered = Some(Arc::new(rendered));
        }
        let rendered = skill.rendered.clone();
        if is_triggered {
            let body = rendered.as_ref().map_or("", |rendered| &rendered.body);
            let tokens = self.triggered.tokens + self.options.tokenizer.estimate(body);
            if tokens > self.options.most_tokens {
                return Err(SkipReason::TooLong(self.options.most_tokens));
            }
            self.triggered.tokens = tokens;
            self.triggered.skills += 1;
            self.take(&skill.claim, &skill.arguments, skill.audience, skill.by, rendered);
            return Ok(());
        }
        let qualified = skill.claim.qualified_id();
        // It may have been ended since it was evaluated.
        if let Some(held) = self.activations.iter_mut().find(|held| held.qualified == qualified) {
            held.arguments = skill.arguments.clone();
            held.rendered = rendered;
        }
        Ok(())
    }
}

impl Evaluation {
    fn skills_told(&self) -> HashSet<Id> {
        let skipped = self.skipped.iter().filter(|skipped| skipped.flavor == Flavor::Skill);
        self.skills().chain(skipped.map(|skipped| &skipped.id)).cloned().collect()
    }

    /// The user names an active skill again, with these arguments.
    fn renew(&mut self, id: &Id, arguments: &str) {
        let skills = self.active.iter_mut().filter(|active| active.id == *id);
        for active in skills {
            if let What::Skill(skill) = &mut active.what
                && !arguments.is_empty()
                && *skill.arguments != *arguments
            {
                (skill.arguments, skill.rendered) = (arguments.into(), None);
            }
        }
    }
}

fn active(found: &Found<'_, Skill>, by: ActiveBy, claim: ActiveClaim) -> Active {
    Active {
        id: reached(found),
        flavor: Flavor::Skill,
        description: claim.claim.item.description.clone(),
        by,
        what: What::Skill(Box::new(claim)),
    }
}

/// At whose door a trigger opens.
fn audience(by: &FiredBy) -> Audience {
    match by {
        FiredBy::Mention | FiredBy::Declared(SkillTrigger::Command(_)) => Audience::User,
        FiredBy::Declared(_) => Audience::Model,
    }
}

/// What the user wrote behind a skill's name that the message begins with.
fn said_with<'m>(fired: &Fired, message: &'m str) -> &'m str {
    let Some(first) = fired.spans.first().filter(|_| audience(&fired.by) == Audience::User) else { return "" };
    if message[..first.start].trim().is_empty() { message[first.end..].trim() } else { "" }
}
