//! Playing a scripted conversation.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use repertoire::render::Context;
use repertoire::{
    Active, CannotCompose, Evaluation, Flavor, Id, Model, Placement, Renderer, SessionOptions, Skipped, Slots,
    ToolOptions, ToolResult, Toolset, Turn,
};
use serde::Serialize;
use serde_json::Value;

use super::script::{Called, Script, Step};
use super::shown::{ActiveRow, CallRow, MessageRow, PlacementRow, Shown, SkippedRow};
use crate::answer::json;
use crate::failure::Failure;
use crate::session::Session;

/// A conversation that is being played.
pub(super) struct Play<'m> {
    model: Model<'m>,
    tools: Toolset,
    session: repertoire::Session,
    reader: Renderer,
    /// The names of the rules that hold now.
    rules: Arc<Mutex<BTreeSet<String>>>,
    turns: Vec<Shown>,
    /// The user's last message, and how many calls of the model it had.
    message: String,
    calls: usize,
    /// What the tools of the last call answered.
    results: Vec<CallRow>,
}

/// Something that cannot be put before the model, and why.
type Refused = (Id, Flavor, String);

impl<'m> Play<'m> {
    /// Before the first turn of `script`.
    pub(super) fn new(script: &Script, tools: &ToolOptions, composed: &Session<'m>) -> Result<Play<'m>, Failure> {
        let rules: Arc<Mutex<BTreeSet<String>>> = Arc::default();
        let mut options = SessionOptions::new(composed.registry.surface_policy());
        for name in script.turns.iter().flat_map(|step| &step.rules) {
            let (held, rule) = (rules.clone(), name.clone());
            options = options
                .rule(name, move |_| held.lock().unwrap_or_else(PoisonError::into_inner).contains(rule.as_str()));
        }
        for injected in &script.injections {
            options = options.inject(injected.injection()?).map_err(|error| Failure::of(&error))?;
        }
        let tools = Toolset::of(&composed.snapshot, tools);
        let context = Context::new().project_dir(composed.cwd.to_string_lossy());
        Ok(Play {
            model: composed.model,
            session: repertoire::Session::new(tools.clone(), options),
            tools,
            reader: composed.renderer().context(context),
            rules,
            turns: Vec::new(),
            message: String::new(),
            calls: 0,
            results: Vec::new(),
        })
    }

    /// Every turn of `script`.
    pub(super) async fn all(mut self, script: Script) -> Result<Vec<Shown>, Failure> {
        for step in script.turns {
            self.turn(step).await?;
        }
        Ok(self.turns)
    }

    async fn turn(&mut self, step: Step) -> Result<(), Failure> {
        if let Some(user) = &step.user {
            self.session.begin(self.tools.clone());
            (self.message, self.calls) = (user.clone(), 0);
        }
        self.calls += 1;
        *self.rules.lock().unwrap_or_else(PoisonError::into_inner) = step.rules.into_iter().collect();

        let results = std::mem::take(&mut self.results);
        let result = |call| {
            let CallRow { tool, text, is_error, .. }: &CallRow = call;
            if *is_error { ToolResult::failed(tool, text) } else { ToolResult::new(tool, text) }
        };
        let results: Vec<_> = results.iter().map(result).collect();
        let paths: Vec<_> = step.paths.iter().map(String::as_str).collect();
        let turn = Turn::of(&self.message).number(self.calls).results(&results).paths(&paths);
        let turn = step.task.as_deref().into_iter().fold(turn, Turn::task);
        let turn = step.command.as_deref().into_iter().fold(turn, Turn::command);

        let evaluation = self.session.evaluate(&turn);
        let evaluation = self.session.read(evaluation, &self.reader).await;
        let (evaluation, slots, refused) = self.compose(evaluation)?;
        let number = self.turns.len() + 1;
        let mut calls = Vec::new();
        for call in step.calls {
            calls.push(self.call(call, number).await?);
        }
        self.results = calls.clone();
        let remarks = evaluation.remarks.iter().map(ToString::to_string);
        let Slots { system_prompt, messages, tools, placements, notices, .. } = slots;
        let messages = messages.into_iter().map(|message| MessageRow {
            role: word(&message.role),
            place: word(&message.place),
            ids: message.ids,
            text: message.text.to_string(),
        });
        self.turns.push(Shown {
            number,
            user: step.user,
            active: evaluation.active.iter().map(|active| active_row(active, &placements)).collect(),
            skipped: evaluation.skipped.iter().map(skipped_row).chain(refused.into_iter().map(refused_row)).collect(),
            system_prompt,
            messages: messages.collect(),
            tools: tools.iter().map(|tool| tool.name.to_string()).collect(),
            notices: notices.iter().map(ToString::to_string).chain(remarks).collect(),
            says: step.says,
            calls,
        });
        Ok(())
    }

    /// The slots of what can be put before the model, and what cannot.
    fn compose(&mut self, mut evaluation: Evaluation) -> Result<(Evaluation, Slots, Vec<Refused>), Failure> {
        let mut refused = Vec::new();
        loop {
            match self.session.compose(&evaluation, &self.model) {
                Ok(slots) => return Ok((evaluation, slots, refused)),
                Err(error) if error.offenders().is_empty() => return Err(Failure::of(&error)),
                Err(error) => {
                    refused.extend(reasons(&error));
                    evaluation = evaluation.without(&error.offenders());
                }
            }
        }
    }

    async fn call(&mut self, call: Called, turn: usize) -> Result<CallRow, Failure> {
        let Called { tool, arguments, result, failed } = call;
        let answer = self.session.call(&tool, &Value::Object(arguments.clone()), &self.reader, &self.model).await;
        match (answer, result) {
            (Some(answer), None) => {
                let code = Some(word(&answer.code));
                Ok(CallRow { tool, arguments, code, is_error: answer.is_error, text: answer.text })
            }
            (None, Some(text)) => Ok(CallRow { tool, arguments, code: None, is_error: failed, text }),
            (Some(_), Some(_)) => {
                let failure = Failure::new(format!("turn {turn}: `{tool}` answers for itself"));
                Err(failure.help("take its `result` out of the script"))
            }
            (None, None) => {
                let failure = Failure::new(format!("turn {turn}: nobody here answers for `{tool}`"));
                Err(failure.help("give the call a `result`"))
            }
        }
    }
}

/// Who is refused, and why, as the error has it.
fn reasons(error: &CannotCompose) -> Vec<Refused> {
    let refused = error.offenders().into_iter().map(|(flavor, id)| {
        let undelivered = match error {
            CannotCompose::Undelivered(all) => all.iter().find(|one| (&one.flavor, &one.id) == (&flavor, &id)),
            _ => None,
        };
        let why = match undelivered {
            None => error.to_string(),
            Some(one) => {
                // Whose it is, is said already.
                let whose = format!("{flavor} `{id}` ({}): ", one.by);
                one.to_string().trim_start_matches(&whose).to_owned()
            }
        };
        (id, flavor, why)
    });
    refused.collect()
}

fn active_row(active: &Active, placements: &[Placement]) -> ActiveRow {
    let own = || placements.iter().filter(|placed| placed.id == active.id && placed.flavor == active.flavor);
    let row = |placed: &Placement| PlacementRow { slot: word(&placed.slot), delivery: word(&placed.delivery) };
    ActiveRow {
        id: active.id.clone(),
        flavor: active.flavor.to_string(),
        cause: cause(&json(&active.by)),
        surface: own().find_map(|placed| placed.surface.clone()),
        placements: own().map(row).collect(),
    }
}

fn skipped_row(skipped: &Skipped) -> SkippedRow {
    SkippedRow { id: skipped.id.clone(), flavor: skipped.flavor.to_string(), why: skipped.why.to_string() }
}

fn refused_row((id, flavor, why): Refused) -> SkippedRow {
    SkippedRow { id, flavor: flavor.to_string(), why }
}

/// Why something is active, in a few words: `always`, `rule at-night`, `mention`, `keyword review`.
fn cause(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let parts = fields.iter().map(|(kind, what)| match kind.as_str() {
                // What it comes to is the same.
                "fired" | "declared" => cause(what),
                kind => format!("{kind} {}", cause(what)),
            });
            parts.collect::<Vec<_>>().join(" ")
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// How a value that is a single word is spelled in JSON.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        other => unreachable!("only plain enumerations are spelled, and not {other:?}"),
    }
}
