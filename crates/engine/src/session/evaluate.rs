//! From a turn to what is active in it.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use repertoire_core::{Flavor, Id, Injection, SkillTrigger, Trigger};

use super::Session;
use super::activation::{ActivatedBy, LoadedBody};
use super::evaluation::{Active, ActiveBy, ActiveCandidate, Evaluation, TokensSoFar, What};
use super::notice::{Notice, NoticeReason};
use super::options::Host;
use super::turn::Turn;
use crate::resolve::ResolvedName;
use crate::tools::SkillReader;
use crate::trigger::{MatchedBy, TriggerMatch};
use repertoire_permission::Audience;

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
            let candidate = ActiveCandidate {
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
        let most = self.options.most_skills;
        let mut room = most.saturating_sub(self.triggered.skills);
        let (matches, missed) = triggers.evaluate_all(turn, modes);
        let behind = behind_names(&matches, &turn.message);
        let mut hidden = evaluation.hidden_skills();
        let mut known = evaluation.known_skills();
        let (activating, suggesting): (Vec<_>, Vec<_>) =
            matches.into_iter().partition(TriggerMatch::activates);
        for matched in activating {
            let found = matched.name();
            let (id, qualified) = (found.id(), found.candidate.qualified_id());
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
            let arguments = matched.arguments(&turn.message, behind);
            if !known.insert(id.clone()) {
                // The arguments of a message count once, for all of its model calls.
                if turn.number <= 1 {
                    evaluation.renew(&id, arguments);
                }
            } else if self.deactivated.contains(&qualified) {
                evaluation.skip(Flavor::Skill, id, NoticeReason::Deactivated);
            } else if room == 0 {
                let why = over_limit(most, "skills for one message");
                evaluation.skip(Flavor::Skill, id, why);
            } else {
                room -= 1;
                let by = match audience(&matched.by) {
                    Audience::User => ActivatedBy::Name,
                    Audience::Model => ActivatedBy::Trigger,
                };
                evaluation.active.push(matched.active(by, arguments));
            }
        }
        for notice in missed {
            if known.insert(notice.id.clone()) {
                evaluation.skipped.push(notice);
            }
        }
        self.suggest(suggesting, &mut known, evaluation);
        self.skip_refused_triggers(&mut known, evaluation);
    }

    fn skip_refused_triggers(&self, known: &mut HashSet<Id>, evaluation: &mut Evaluation) {
        let modes = &self.tools.options().modes;
        for refused in self.tools.triggers(None).refused() {
            let (id, candidate) = (&refused.entry.id, &refused.entry.candidate);
            let is_seen = [Audience::Model, Audience::User]
                .iter()
                .any(|audience| modes.sees(*audience, candidate));
            if is_seen && known.insert(id.clone()) {
                let why = format!("its trigger never matches: {}", refused.why());
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
        for matched in matches {
            let candidate = &matched.candidate;
            let (id, source) = (matched.name().id(), &candidate.origin.source);
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
                let suggested = matched.active(ActivatedBy::Trigger, "");
                evaluation.suggested.push(suggested);
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
                let candidate = skill.candidate.clone();
                let read = LoadedBody::read(&active.id, candidate, &skill.arguments, reader).await;
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
                self.count_triggered(&rendered.body)?;
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
            held.set_body(rendered);
        }
        Ok(())
    }

    fn count_triggered(&mut self, body: &str) -> Result<(), NoticeReason> {
        let most = self.options.most_tokens;
        let tokens = self.options.tokenizer.estimate(body);
        let tokens = tokens.saturating_add(self.triggered.tokens);
        if tokens > most {
            return Err(over_limit(most, "tokens of skills for one message"));
        }
        self.triggered.tokens = tokens;
        self.triggered.skills = self.triggered.skills.saturating_add(1);
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

    /// Returns the skills that are hidden from the audience of their activation, but maybe not from that of a trigger.
    fn hidden_skills(&self) -> HashSet<Id> {
        let is_hidden =
            |why: &NoticeReason| matches!(why, NoticeReason::Hidden(_) | NoticeReason::Untrusted);
        self.skipped
            .iter()
            .filter(|skipped| is_hidden(&skipped.why))
            .map(|skipped| skipped.id.clone())
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

impl TriggerMatch {
    fn name(&self) -> ResolvedName<'_> {
        ResolvedName {
            entry: &self.entry,
            candidate: &self.candidate,
        }
    }

    /// Returns the text of `message` after the names of skills, which end at `behind`, if one of them is this match.
    fn arguments<'m>(&self, message: &'m str, behind: usize) -> &'m str {
        let first = self.spans.first();
        let is_named = first.is_some_and(|first| first.start < behind);
        if is_named && audience(&self.by) == Audience::User {
            message[behind..].trim()
        } else {
            ""
        }
    }

    fn active(&self, by: ActivatedBy, arguments: &str) -> Active {
        let candidate = ActiveCandidate {
            candidate: self.candidate.clone(),
            arguments: arguments.into(),
            audience: audience(&self.by),
            by,
            rendered: None,
        };
        active(&self.name(), ActiveBy::Trigger(self.by.clone()), candidate)
    }
}

fn active(found: &ResolvedName<'_>, by: ActiveBy, candidate: ActiveCandidate) -> Active {
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
