//! From a turn to what is active in it.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use repertoire_core::{Flavor, Id, SkillTrigger, Trigger};

use super::Session;
use super::activation::{ActivatedBy, RenderedBody};
use super::evaluation::{
    Active, ActiveBy, ActiveClaim, BodyReport, Evaluation, SkipReason, Suggested, TokensSoFar, What,
};
use super::options::Host;
use super::turn::Turn;
use crate::permission::Audience;
use crate::resolve::ResolvedName;
use crate::tools::SkillReader;
use crate::trigger::{MatchedBy, TriggerMatch, UnresolvedMention, UnresolvedReason};

impl Session {
    /// Evaluates what is active in `turn`. Pure: the same session and turn give the same result.
    pub fn evaluate(&self, turn: &Turn<'_>) -> Evaluation {
        let mut evaluation = Evaluation {
            active: Vec::new(),
            skipped: Vec::new(),
            suggested: Vec::new(),
            remarks: Vec::new(),
            tail: turn.tail(),
            tokens: match turn.tokens {
                Some(tokens) => TokensSoFar::Known(tokens as u64),
                None => TokensSoFar::More(self.brought(turn)),
            },
        };
        self.options.injections.iter().for_each(|host| self.evaluate_host(host, turn, &mut evaluation));
        // Of a skill that the host brings there is not a second one.
        let taken = evaluation.skills_told();
        self.evaluate_activations(&taken, &mut evaluation);
        self.evaluate_triggers(turn, &taken, &mut evaluation);
        evaluation
    }

    /// Reads the bodies that are missing, and activates what triggers brought. What cannot be read is skipped.
    ///
    /// # Cancel safety
    /// May be dropped at any await: what was read is kept.
    pub async fn read(&mut self, mut evaluation: Evaluation, reader: &dyn SkillReader) -> Evaluation {
        for mut active in std::mem::take(&mut evaluation.active) {
            match self.complete(&mut active, &mut evaluation.remarks, reader).await {
                Ok(()) => evaluation.active.push(active),
                Err(why) => evaluation.skip(active.flavor, active.id, why),
            }
        }
        evaluation
    }

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
        let Some(by) = by else { return };
        let text = match &host.template {
            None => injection.content.system_prompt.clone(),
            Some(template) => match template.fill(turn) {
                Ok(text) => Some(text.into()),
                Err(fact) => return evaluation.skip(flavor.clone(), id.clone(), SkipReason::UnknownFact(fact)),
            },
        };
        evaluation.active.push(Active {
            id: id.clone(),
            flavor: flavor.clone(),
            description: injection.description.clone(),
            by,
            what: What::Host(host.clone(), text),
        });
    }

    fn rule(&self, name: &Arc<str>, turn: &Turn<'_>) -> Result<bool, SkipReason> {
        let rule = self.options.rules.get(name).ok_or_else(|| SkipReason::NoSuchRule(name.clone()))?;
        catch_unwind(AssertUnwindSafe(|| rule(turn))).map_err(|panic| {
            let said =
                panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            SkipReason::RulePanicked(said.unwrap_or_default().into())
        })
    }

    fn evaluate_activations(&self, taken: &HashSet<Id>, evaluation: &mut Evaluation) {
        for activation in &self.activations {
            let found = match self.find(activation) {
                Ok(found) if taken.contains(&found.id()) => Err(SkipReason::Taken),
                other => other,
            };
            let found = match found {
                Ok(found) => found,
                Err(why) => {
                    evaluation.skip(Flavor::Skill, activation.qualified.clone(), why);
                    continue;
                }
            };
            let candidate = ActiveClaim {
                candidate: found.candidate.clone(),
                arguments: activation.arguments.clone(),
                audience: activation.audience,
                by: activation.by,
                rendered: activation
                    .rendered
                    .as_ref()
                    .filter(|rendered: &&Arc<RenderedBody>| rendered.candidate.is_same(found.candidate))
                    .cloned(),
            };
            evaluation.active.push(active(&found, ActiveBy::Activated, candidate));
        }
    }

    fn evaluate_triggers(&self, turn: &Turn<'_>, taken: &HashSet<Id>, evaluation: &mut Evaluation) {
        let modes = &self.tools.options().modes;
        let names: Vec<&str> = turn.results.iter().map(|result| result.tool).collect();
        let triggers = self.tools.triggers(None);
        let mut room = self.options.most_skills.saturating_sub(self.triggered.skills);
        let (fired, missed) = triggers.evaluate_all(&turn.occasion(&names).modes(modes));
        let behind = behind_names(&fired, turn.message);
        // The audience of an activation may not see it any more, while the one of this trigger does.
        let is_for_another = |why: &SkipReason| matches!(why, SkipReason::Hidden(_) | SkipReason::Untrusted);
        let hidden = evaluation.skipped.iter().filter(|skipped| is_for_another(&skipped.why));
        let mut hidden: HashSet<Id> = hidden.map(|skipped| skipped.id.clone()).collect();
        let mut known = evaluation.skills_told();
        let (fired, suggesting): (Vec<_>, Vec<_>) = fired.into_iter().partition(TriggerMatch::activates);
        for fired in fired {
            let found = ResolvedName { entry: &fired.entry, candidate: &fired.candidate };
            let (id, qualified, audience) = (found.id(), found.candidate.qualified_id(), audience(&fired.by));
            if taken.contains(&id) {
                if known.insert(qualified.clone()) {
                    evaluation.skip(Flavor::Skill, qualified, SkipReason::Taken);
                }
                continue;
            }
            if hidden.remove(&qualified) {
                evaluation.skipped.retain(|skipped| skipped.flavor != Flavor::Skill || skipped.id != qualified);
                known.remove(&qualified);
            }
            let is_at_start = fired.spans.first().is_some_and(|first| first.start < behind);
            let said = if is_at_start && audience == Audience::User { turn.message[behind..].trim() } else { "" };
            if !known.insert(id.clone()) {
                // What was said is said once, however many calls it takes.
                if turn.number <= 1 {
                    evaluation.renew(&id, said);
                }
                continue;
            }
            if self.deactivated.contains(&qualified) {
                evaluation.skip(Flavor::Skill, id, SkipReason::Ended);
                continue;
            }
            if room == 0 {
                evaluation.skip(Flavor::Skill, id, SkipReason::TooMany(self.options.most_skills));
                continue;
            }
            room -= 1;
            let by = if audience == Audience::User { ActivatedBy::Name } else { ActivatedBy::Trigger };
            let candidate = found.candidate.clone();
            let candidate = ActiveClaim { candidate, arguments: said.into(), audience, by, rendered: None };
            evaluation.active.push(active(&found, ActiveBy::Trigger(fired.by.clone()), candidate));
        }
        for UnresolvedMention { id, why, .. } in missed {
            if known.insert(id.clone()) {
                let why = match why {
                    UnresolvedReason::Ambiguous(names) => SkipReason::Ambiguous(names),
                    UnresolvedReason::Hidden(hidden) => SkipReason::Hidden(hidden),
                };
                evaluation.skip(Flavor::Skill, id, why);
            }
        }
        self.suggest(suggesting, &mut known, evaluation);
        for refused in triggers.refused() {
            let (id, candidate) = (&refused.entry.id, &refused.entry.candidate);
            let is_seen = [Audience::Model, Audience::User].iter().any(|audience| modes.sees(*audience, candidate));
            if is_seen && known.insert(id.clone()) {
                evaluation.skip(Flavor::Skill, id.clone(), SkipReason::TriggerRefused(refused.why.clone()));
            }
        }
    }

    fn suggest(&self, fired: Vec<TriggerMatch>, known: &mut HashSet<Id>, evaluation: &mut Evaluation) {
        for TriggerMatch { entry, candidate, by, .. } in fired {
            let id = ResolvedName { entry: &entry, candidate: &candidate }.id();
            if !known.insert(id.clone()) {
                continue;
            }
            let source = candidate.origin.source.clone();
            if self.deactivated.contains(&candidate.qualified_id()) {
                evaluation.skip(Flavor::Skill, id, SkipReason::Ended);
            } else if evaluation.suggested.iter().filter(|other| other.source == source).count() == MOST_SUGGESTED {
                evaluation.skip(Flavor::Skill, id, SkipReason::TooManySuggested(MOST_SUGGESTED));
            } else {
                evaluation.suggested.push(Suggested { id, source, by });
            }
        }
    }

    async fn complete(
        &mut self,
        active: &mut Active,
        remarks: &mut Vec<BodyReport>,
        reader: &dyn SkillReader,
    ) -> Result<(), SkipReason> {
        let What::Skill(skill) = &mut active.what else { return Ok(()) };
        let qualified = skill.candidate.qualified_id();
        let is_triggered = matches!(active.by, ActiveBy::Trigger(_));
        // It may have been ended since it was evaluated.
        if is_triggered && self.deactivated.contains(&qualified) {
            return Err(SkipReason::Ended);
        }
        let rendered = match &skill.rendered {
            Some(rendered) => rendered.clone(),
            None => {
                let read = RenderedBody::read(&active.id, skill.candidate.clone(), &skill.arguments, reader).await;
                let (rendered, report) = read.map_err(|error| SkipReason::Unreadable(error.to_string().into()))?;
                remarks.extend(report);
                Arc::new(rendered)
            }
        };
        skill.rendered = Some(rendered.clone());
        let held = self.activations.iter_mut().find(|held| held.qualified == qualified);
        if is_triggered {
            // Counted once, however often it is read.
            if held.is_none() {
                let tokens = self.options.tokenizer.estimate(&rendered.body).saturating_add(self.triggered.tokens);
                if tokens > self.options.most_tokens {
                    return Err(SkipReason::TooLong(self.options.most_tokens));
                }
                self.triggered.tokens = tokens;
                self.triggered.skills = self.triggered.skills.saturating_add(1);
            }
            self.take(&skill.candidate, &skill.arguments, skill.audience, skill.by, Some(rendered));
        } else if let Some(held) = held {
            held.arguments = skill.arguments.clone();
            held.keep(rendered);
        }
        Ok(())
    }
}

/// The most skills of one source that are suggested for a message.
const MOST_SUGGESTED: usize = 3;

impl Evaluation {
    fn skills_told(&self) -> HashSet<Id> {
        let skipped = self.skipped.iter().filter(|skipped| skipped.flavor == Flavor::Skill);
        self.skills().chain(skipped.map(|skipped| &skipped.id)).cloned().collect()
    }

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

fn active(found: &ResolvedName<'_>, by: ActiveBy, candidate: ActiveClaim) -> Active {
    Active {
        id: found.id(),
        flavor: Flavor::Skill,
        description: candidate.candidate.item.description.clone(),
        by,
        what: What::Skill(Box::new(candidate)),
    }
}

fn audience(by: &MatchedBy) -> Audience {
    match by {
        MatchedBy::Mention | MatchedBy::Declared(SkillTrigger::Command(_)) => Audience::User,
        MatchedBy::Declared(_) => Audience::Model,
    }
}

/// Returns the end of the names that the message begins with: what follows are the arguments of all of them.
fn behind_names(fired: &[TriggerMatch], message: &str) -> usize {
    let named = fired.iter().filter(|fired| fired.activates() && audience(&fired.by) == Audience::User);
    let mut spans: Vec<_> = named.flat_map(|fired| fired.spans.iter().cloned()).collect();
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    let mut behind = 0;
    for span in spans {
        match message.get(behind..span.start) {
            Some(between) if !between.trim().is_empty() => break,
            _ => behind = behind.max(span.end),
        }
    }
    behind
}
