//! From a turn to what is active in it.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use repertoire_core::{Flavor, Id, Injection, SkillTrigger, Trigger};

use super::Session;
use super::activation::{ActivatedBy, LoadedBody};
use super::evaluation::{Active, ActiveBy, ActiveClaim, Evaluation, TokensSoFar, What};
use super::notice::{Notice, NoticeReason};
use super::options::Host;
use super::turn::Turn;
use crate::permission::Audience;
use crate::resolve::ResolvedName;
use crate::tools::SkillReader;
use crate::trigger::{MatchedBy, TriggerMatch};

impl Session {
    /// Evaluates what is active in `turn`. The same session and turn give the same result.
    pub fn evaluate(&self, turn: &Turn) -> Evaluation {
        let mut evaluation = Evaluation {
            active: Vec::new(),
            skipped: Vec::new(),
            suggested: Vec::new(),
            notices: Vec::new(),
            tail: turn.tail(),
            tokens: match turn.tokens {
                Some(tokens) => TokensSoFar::Known(tokens as u64),
                None => TokensSoFar::More(self.brought(turn)),
            },
        };
        self.evaluate_hosts(turn, &mut evaluation);
        // A skill of the host overrides one of a source.
        let taken = evaluation.known_skills();
        self.evaluate_activations(&taken, &mut evaluation);
        self.evaluate_triggers(turn, &taken, &mut evaluation);
        evaluation
    }

    /// Reads the missing bodies, and activates the skills whose triggers match. A skill that cannot be read is skipped.
    ///
    /// # Cancel safety
    /// May be dropped at any await: the bodies that were read are kept.
    pub async fn read(
        &mut self,
        mut evaluation: Evaluation,
        reader: &dyn SkillReader,
    ) -> Evaluation {
        for mut active in std::mem::take(&mut evaluation.active) {
            match self
                .complete(&mut active, &mut evaluation.notices, reader)
                .await
            {
                Ok(()) => evaluation.active.push(active),
                Err(why) => evaluation.skip(active.flavor, active.id, why),
            }
        }
        evaluation
    }

    fn brought(&self, turn: &Turn) -> u64 {
        let tokenizer = &self.options.tokenizer;
        let message = if turn.number <= 1 {
            tokenizer.estimate(&turn.message)
        } else {
            0
        };
        turn.results.iter().fold(message, |sum, result| {
            sum + tokenizer.estimate(&result.text)
        }) as u64
    }

    /// Evaluates the injections of the session, or those of the turn in their place, then the other ones of the turn.
    fn evaluate_hosts(&self, turn: &Turn, evaluation: &mut Evaluation) {
        let mut of_turn: Vec<&Injection> = turn.injections.iter().collect();
        for host in &self.options.injections {
            match of_turn
                .iter()
                .position(|injection| host.is(&injection.flavor, &injection.id))
            {
                Some(at) => self.evaluate_of_turn(of_turn.remove(at), turn, evaluation),
                None => self.evaluate_host(host, turn, evaluation),
            }
        }
        of_turn
            .into_iter()
            .for_each(|injection| self.evaluate_of_turn(injection, turn, evaluation));
    }

    fn evaluate_of_turn(&self, injection: &Injection, turn: &Turn, evaluation: &mut Evaluation) {
        match Host::new(injection.clone()) {
            Ok(host) => self.evaluate_host(
                &Arc::new(Host {
                    is_of_turn: true,
                    ..host
                }),
                turn,
                evaluation,
            ),
            Err(why) => {
                let (id, flavor) = (injection.id.clone(), injection.flavor.clone());
                evaluation.skip(flavor, id, NoticeReason::Invalid(why.into()));
            }
        }
    }

    fn evaluate_host(&self, host: &Arc<Host>, turn: &Turn, evaluation: &mut Evaluation) {
        let injection = &host.injection;
        let (flavor, id) = (&injection.flavor, &injection.id);
        let mut skip = |why: String| {
            evaluation.skip(
                flavor.clone(),
                id.clone(),
                NoticeReason::Invalid(why.into()),
            )
        };
        let by = match &injection.trigger {
            Trigger::Always => Some(ActiveBy::Always),
            Trigger::Rule(name) => match self.rule(name, turn) {
                Ok(holds) => holds.then(|| ActiveBy::Rule(name.clone())),
                Err(why) => return skip(why),
            },
            Trigger::AfterTool(name) => after(turn, |tool| *tool == **name),
            Trigger::AfterToolMatching(_) => after(turn, |tool| {
                host.tool.as_ref().is_some_and(|regex| regex.is_match(tool))
            }),
            Trigger::Activated => {
                let is_activated = self
                    .activated
                    .iter()
                    .any(|(held, other, _)| (held, other) == (flavor, id));
                is_activated.then_some(ActiveBy::Activated)
            }
            _ => return skip("its trigger is of an unknown kind".to_owned()),
        };
        let Some(by) = by else { return };
        let text = match host.template.as_ref().map(|template| template.fill(turn)) {
            None => injection.content.system_prompt.clone(),
            Some(Ok(text)) => Some(text.into()),
            Some(Err(fact)) => {
                return skip(format!(
                    "the turn does not have `{fact}`, which its text names"
                ));
            }
        };
        evaluation.active.push(Active {
            id: id.clone(),
            flavor: flavor.clone(),
            description: injection.description.clone(),
            by,
            what: What::Host(host.clone(), text),
        });
    }

    fn rule(&self, name: &str, turn: &Turn) -> Result<bool, String> {
        let rule = self
            .options
            .rules
            .get(name)
            .ok_or_else(|| format!("there is no rule `{name}`"))?;
        catch_unwind(AssertUnwindSafe(|| rule(turn))).map_err(|panic| {
            let message = panic
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            format!("its rule panicked: {}", message.unwrap_or_default())
        })
    }

    fn evaluate_activations(&self, taken: &HashSet<Id>, evaluation: &mut Evaluation) {
        for activation in &self.activations {
            let found = match self.find(activation) {
                Ok(found) if taken.contains(&found.id()) => Err(NoticeReason::Overridden),
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
                    .filter(|rendered: &&Arc<LoadedBody>| {
                        rendered.candidate.is_same(found.candidate)
                    })
                    .cloned(),
            };
            evaluation
                .active
                .push(active(&found, ActiveBy::Activated, candidate));
        }
    }

    fn evaluate_triggers(&self, turn: &Turn, taken: &HashSet<Id>, evaluation: &mut Evaluation) {
        let modes = &self.tools.options().modes;
        let triggers = self.tools.triggers(None);
        let mut room = self
            .options
            .most_skills
            .saturating_sub(self.triggered.skills);
        let (fired, missed) = triggers.evaluate_all(turn, modes);
        let behind = behind_names(&fired, &turn.message);
        // The audience of an activation may not see it any more, while the one of this trigger does.
        let is_for_another =
            |why: &NoticeReason| matches!(why, NoticeReason::Hidden(_) | NoticeReason::Untrusted);
        let hidden = evaluation
            .skipped
            .iter()
            .filter(|skipped| is_for_another(&skipped.why));
        let mut hidden: HashSet<Id> = hidden.map(|skipped| skipped.id.clone()).collect();
        let mut known = evaluation.known_skills();
        let (fired, suggesting): (Vec<_>, Vec<_>) =
            fired.into_iter().partition(TriggerMatch::activates);
        for fired in fired {
            let found = ResolvedName {
                entry: &fired.entry,
                candidate: &fired.candidate,
            };
            let (id, qualified, audience) = (
                found.id(),
                found.candidate.qualified_id(),
                audience(&fired.by),
            );
            if taken.contains(&id) {
                if known.insert(qualified.clone()) {
                    evaluation.skip(Flavor::Skill, qualified, NoticeReason::Overridden);
                }
                continue;
            }
            if hidden.remove(&qualified) {
                evaluation
                    .skipped
                    .retain(|skipped| skipped.flavor != Flavor::Skill || skipped.id != qualified);
                known.remove(&qualified);
            }
            let is_at_start = fired
                .spans
                .first()
                .is_some_and(|first| first.start < behind);
            let said = if is_at_start && audience == Audience::User {
                turn.message[behind..].trim()
            } else {
                ""
            };
            if !known.insert(id.clone()) {
                // What was said is said once, however many calls it takes.
                if turn.number <= 1 {
                    evaluation.renew(&id, said);
                }
                continue;
            }
            if self.deactivated.contains(&qualified) {
                evaluation.skip(Flavor::Skill, id, NoticeReason::Deactivated);
                continue;
            }
            if room == 0 {
                evaluation.skip(
                    Flavor::Skill,
                    id,
                    over_limit(self.options.most_skills, "skills for one message"),
                );
                continue;
            }
            room -= 1;
            let by = if audience == Audience::User {
                ActivatedBy::Name
            } else {
                ActivatedBy::Trigger
            };
            let candidate = found.candidate.clone();
            let candidate = ActiveClaim {
                candidate,
                arguments: said.into(),
                audience,
                by,
                rendered: None,
            };
            evaluation.active.push(active(
                &found,
                ActiveBy::Trigger(fired.by.clone()),
                candidate,
            ));
        }
        for notice in missed {
            if known.insert(notice.id.clone()) {
                evaluation.skipped.push(notice);
            }
        }
        self.suggest(suggesting, &mut known, evaluation);
        for refused in triggers.refused() {
            let (id, candidate) = (&refused.entry.id, &refused.entry.candidate);
            let is_seen = [Audience::Model, Audience::User]
                .iter()
                .any(|audience| modes.sees(*audience, candidate));
            if is_seen && known.insert(id.clone()) {
                let why = format!("its trigger never matches: {}", refused.why);
                evaluation.skip(Flavor::Skill, id.clone(), NoticeReason::Invalid(why.into()));
            }
        }
    }

    fn suggest(
        &self,
        matches: Vec<TriggerMatch>,
        known: &mut HashSet<Id>,
        evaluation: &mut Evaluation,
    ) {
        for TriggerMatch {
            entry,
            candidate,
            by,
            ..
        } in matches
        {
            let found = ResolvedName {
                entry: &entry,
                candidate: &candidate,
            };
            let (id, source) = (found.id(), &candidate.origin.source);
            if !known.insert(id.clone()) {
                continue;
            }
            let of_source = evaluation.suggested.iter().filter_map(Active::candidate);
            if self.deactivated.contains(&candidate.qualified_id()) {
                evaluation.skip(Flavor::Skill, id, NoticeReason::Deactivated);
            } else if of_source
                .filter(|other| other.origin.source == *source)
                .count()
                == MOST_SUGGESTED
            {
                let why = format!(
                    "a source that is not trusted suggests at most {MOST_SUGGESTED} skills for one message"
                );
                evaluation.skip(Flavor::Skill, id, NoticeReason::OverLimit(why.into()));
            } else {
                let audience = audience(&by);
                let claim = ActiveClaim {
                    candidate: candidate.clone(),
                    arguments: "".into(),
                    audience,
                    by: ActivatedBy::Trigger,
                    rendered: None,
                };
                evaluation
                    .suggested
                    .push(active(&found, ActiveBy::Trigger(by), claim));
            }
        }
    }

    async fn complete(
        &mut self,
        active: &mut Active,
        notices: &mut Vec<Notice>,
        reader: &dyn SkillReader,
    ) -> Result<(), NoticeReason> {
        let What::Skill(skill) = &mut active.what else {
            return Ok(());
        };
        let qualified = skill.candidate.qualified_id();
        let is_triggered = matches!(active.by, ActiveBy::Trigger(_));
        // It may have been ended since it was evaluated.
        if is_triggered && self.deactivated.contains(&qualified) {
            return Err(NoticeReason::Deactivated);
        }
        let rendered = match &skill.rendered {
            Some(rendered) => rendered.clone(),
            None => {
                let read = LoadedBody::read(
                    &active.id,
                    skill.candidate.clone(),
                    &skill.arguments,
                    reader,
                )
                .await;
                let (rendered, notice) =
                    read.map_err(|error| NoticeReason::Unreadable(error.to_string().into()))?;
                notices.extend(notice);
                Arc::new(rendered)
            }
        };
        skill.rendered = Some(rendered.clone());
        let held = self
            .activations
            .iter_mut()
            .find(|held| held.qualified == qualified);
        if is_triggered {
            // Counted once, however often it is read.
            if held.is_none() {
                let tokens = self
                    .options
                    .tokenizer
                    .estimate(&rendered.body)
                    .saturating_add(self.triggered.tokens);
                if tokens > self.options.most_tokens {
                    return Err(over_limit(
                        self.options.most_tokens,
                        "tokens of skills for one message",
                    ));
                }
                self.triggered.tokens = tokens;
                self.triggered.skills = self.triggered.skills.saturating_add(1);
            }
            self.take(
                &skill.candidate,
                &skill.arguments,
                skill.audience,
                skill.by,
                Some(rendered),
            );
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
    fn known_skills(&self) -> HashSet<Id> {
        let skipped = self
            .skipped
            .iter()
            .filter(|skipped| skipped.flavor == Flavor::Skill);
        self.skills()
            .chain(skipped.map(|skipped| &skipped.id))
            .cloned()
            .collect()
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

fn over_limit(most: usize, what: &str) -> NoticeReason {
    NoticeReason::OverLimit(format!("triggers activate at most {most} {what}").into())
}

fn after(turn: &Turn, matches: impl Fn(&str) -> bool) -> Option<ActiveBy> {
    let result = turn.results.iter().find(|result| matches(&result.tool))?;
    Some(ActiveBy::AfterTool(result.tool.as_str().into()))
}

fn audience(by: &MatchedBy) -> Audience {
    match by {
        MatchedBy::Mention | MatchedBy::Declared(SkillTrigger::Command(_)) => Audience::User,
        MatchedBy::Declared(_) => Audience::Model,
    }
}

/// Returns the end of the names that the message begins with: what follows are the arguments of all of them.
fn behind_names(fired: &[TriggerMatch], message: &str) -> usize {
    let named = fired
        .iter()
        .filter(|fired| fired.activates() && audience(&fired.by) == Audience::User);
    let mut spans: Vec<_> = named
        .flat_map(|fired| fired.spans.iter().cloned())
        .collect();
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
