//! Plays a scripted conversation.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;
use repertoire::catalog::CatalogCache;
use repertoire::permission::{
    Access, AccessDecision, Audience, Authorizer, PermissionPolicy, SkillTools, VisibilityPolicy,
};
use repertoire::render::Context;
use repertoire::search::SearchIndex;
use repertoire::session::{EngineError, Evaluation, Turn};
use repertoire::skill::Flavor;
use repertoire::tools::{ToolPreset, Toolset};
use repertoire::workflow::ToolCheck;
use repertoire::{Budget, CatalogOptions, Id, Model, Renderer, ToolOptions};
use serde_json::Value;

use super::script::{ConversationScript, ScriptStep, ToolCall};
use super::transcript::{CallRow, CompactRow, DecisionRow, SkippedRow, TurnRow};
use crate::context::CommandContext;
use crate::failure::Failure;
use crate::output::word;

/// A conversation that is being played.
pub(super) struct Play {
    model: Model,
    tools: Toolset,
    /// The tools and their permissions.
    gate: SkillTools,
    policy: Option<Arc<PermissionPolicy>>,
    /// The names of the available tools; none if the script defines no tools.
    available: Vec<String>,
    catalog: CatalogCache,
    session: repertoire::Session,
    reader: Renderer,
    /// The names of the rules that match now.
    rules: Arc<Mutex<BTreeSet<String>>>,
    turns: Vec<TurnRow>,
    /// The last message of the user, and the number of model calls since.
    message: String,
    calls: usize,
    /// The tool results of the last call.
    results: Vec<CallRow>,
}

impl Play {
    pub(super) fn new(
        script: &ConversationScript,
        modes: VisibilityPolicy,
        index: SearchIndex,
        context: &CommandContext,
    ) -> Result<Play, Failure> {
        let rules: Arc<Mutex<BTreeSet<String>>> = Arc::default();
        let mut options = script.session.options(context);
        for name in script.turns.iter().flat_map(|step| &step.rules) {
            let (held, rule) = (rules.clone(), name.clone());
            options = options.rule(name, move |_| held.lock().contains(rule.as_str()));
        }
        for injected in &script.injections {
            options = options.inject(injected.injection()?)?;
        }
        let policy = script.policy()?;
        let modes = policy
            .iter()
            .fold(modes, |modes, policy| modes.permitted_by(policy.clone()));
        let catalog = CatalogOptions::default()
            .read_by_tool(&ToolPreset::DEFAULT)
            .budget(Budget::for_window(None))
            .modes(modes.clone());
        let tools = Toolset::from_index(index, &ToolOptions::default().modes(modes));
        let variables = Context::new().project_dir(context.cwd.to_string_lossy());
        Ok(Play {
            model: context.model.clone(),
            gate: script.gate(&tools, policy.as_ref(), context)?,
            policy,
            available: script.available(&tools),
            catalog: CatalogCache::new(catalog),
            session: repertoire::Session::new(tools.clone(), options),
            tools,
            reader: context.renderer().context(variables),
            rules,
            turns: Vec::new(),
            message: String::new(),
            calls: 0,
            results: Vec::new(),
        })
    }

    pub(super) async fn all(mut self, script: ConversationScript) -> Result<Vec<TurnRow>, Failure> {
        for step in script.turns {
            self.turn(step).await?;
        }
        Ok(self.turns)
    }

    async fn turn(&mut self, step: ScriptStep) -> Result<(), Failure> {
        let number = self.turns.len() + 1;
        let compacted = step.compact.map(|compact| {
            CompactRow::of(self.session.redeliver_after_compaction(&compact.survival()))
        });
        if let Some(user) = &step.user {
            self.session.start_turn(self.tools.clone());
            (self.message, self.calls) = (user.clone(), 0);
        }
        self.calls += 1;
        *self.rules.lock() = step.rules.into_iter().collect();
        step.deactivate
            .iter()
            .for_each(|name| self.session.deactivate(name));
        let mut refused = Vec::new();
        for name in &step.activate {
            refused.extend(self.activate(name, number)?);
        }

        let results = std::mem::take(&mut self.results);
        let mut turn = Turn::new(&self.message)
            .number(self.calls)
            .results(
                results
                    .iter()
                    .map(CallRow::to_tool_result)
                    .collect::<Vec<_>>(),
            )
            .paths(&step.paths);
        (turn.task, turn.command, turn.end) = (step.task, step.command, step.ends_with);

        let evaluation = self.session.evaluate(&turn);
        let evaluation = self.session.read(evaluation, &self.reader).await;
        let slots = self
            .session
            .compose(&evaluation, &self.model)
            .map_err(|error| {
                let failure =
                    Failure::new(format!("turn {number}: {}", Failure::of(&error).message()));
                failure.help("correct them under `injections` of the script")
            })?;
        let active: Vec<Id> = evaluation.skills().cloned().collect();
        let mut shown = TurnRow::of(number, &evaluation, slots);
        let offered = self.gate.offered(&active);
        shown.tools = offered.iter().map(|tool| tool.name.to_string()).collect();
        shown.catalog = self.catalog(&evaluation);
        shown.notices.extend(self.unmet(&evaluation));
        shown.compacted = compacted;
        shown.skipped.extend(refused);
        (shown.user, shown.says) = (step.user, step.says);
        for call in step.calls {
            shown.calls.push(self.call(call, &active, number).await?);
        }
        self.results.clone_from(&shown.calls);
        self.turns.push(shown);
        Ok(())
    }

    fn activate(&mut self, name: &str, turn: usize) -> Result<Option<SkippedRow>, Failure> {
        match self.session.activate(Audience::User, name, "") {
            Ok(()) => Ok(None),
            Err(EngineError::Hidden { id, reason }) => Ok(Some(SkippedRow {
                id,
                flavor: Flavor::Skill.to_string(),
                why: reason.to_string(),
            })),
            Err(error) => {
                let failure =
                    Failure::new(format!("turn {turn}: {}", Failure::of(&error).message()));
                Err(failure
                    .help("`activate` accepts skills, and injections with `when: activated`"))
            }
        }
    }

    fn unmet(&self, evaluation: &Evaluation) -> Vec<String> {
        let available: Vec<&str> = self.available.iter().map(String::as_str).collect();
        let authorizers: Vec<Arc<dyn Authorizer>> = self
            .policy
            .iter()
            .map(|policy| policy.clone() as _)
            .collect();
        let mut unmet = Vec::new();
        // Without a list of tools, nothing is known to be missing.
        let checks = if available.is_empty() {
            Vec::new()
        } else {
            evaluation.check_tools(&available, &authorizers)
        };
        for (
            id,
            ToolCheck {
                missing, denied, ..
            },
        ) in checks
        {
            let states = missing
                .iter()
                .map(|tool| (tool, "missing"))
                .chain(denied.iter().map(|tool| (tool, "denied")));
            unmet.extend(states.map(|(tool, state)| {
                format!("skill `{id}` requires the tool `{tool}`, which is {state}")
            }));
        }
        let grants = self.session.grants();
        let unread = grants.unread().iter();
        unmet.extend(unread.map(|(id, rule)| {
            format!("the rule `{rule}` in `allowed-tools` of `{id}` grants nothing")
        }));
        unmet
    }

    fn catalog(&self, evaluation: &Evaluation) -> String {
        let suggested = evaluation.suggested.iter().map(|suggested| &suggested.id);
        self.catalog
            .suggesting(self.tools.snapshot(), suggested)
            .text
            .clone()
    }

    async fn call(
        &mut self,
        call: ToolCall,
        active: &[Id],
        turn: usize,
    ) -> Result<CallRow, Failure> {
        let arguments = Value::Object(call.arguments.clone());
        let decision = self.decision(&call, &arguments, active);
        let row = CallRow {
            tool: call.tool,
            arguments: call.arguments,
            code: None,
            is_error: call.failed,
            decision: None,
            operator_note: None,
            text: String::new(),
        };
        let tool = &row.tool;
        if decision.as_ref().is_some_and(AccessDecision::is_refused) {
            return Ok(CallRow {
                code: Some("refused".to_owned()),
                is_error: true,
                decision: decision.map(DecisionRow::of),
                text: format!("There is no tool `{tool}` for you now."),
                ..row
            });
        }
        let answer = self
            .session
            .call(tool, &arguments, &self.reader, &self.model)
            .await;
        match (answer, call.result) {
            (Some(answer), None) => Ok(CallRow {
                code: Some(word(&answer.code)),
                is_error: answer.is_error,
                operator_note: answer.operator_note,
                text: answer.text,
                ..row
            }),
            (None, Some(text)) => Ok(CallRow {
                decision: decision.map(DecisionRow::of),
                text,
                ..row
            }),
            (Some(_), Some(_)) => {
                let failure =
                    Failure::new(format!("turn {turn}: the result of `{tool}` is computed"));
                Err(failure.help("remove its `result` from the script"))
            }
            (None, None) => {
                let failure = Failure::new(format!("turn {turn}: `{tool}` has no result"));
                Err(failure.help("add a `result` to the call"))
            }
        }
    }

    /// Returns the decision of the gate or, for other tools, of the role. If that allows the call, grants of active skills come first.
    fn decision(
        &self,
        call: &ToolCall,
        arguments: &Value,
        active: &[Id],
    ) -> Option<AccessDecision> {
        let decision = self
            .gate
            .decision(&call.tool, arguments, active)
            .or_else(|| {
                let policy = self.policy.as_ref()?;
                Some(policy.decision(&Access::call(&call.tool, arguments)))
            });
        match decision {
            Some(decision) if !decision.is_allowed() => Some(decision),
            decision => self
                .session
                .grants()
                .decision(&call.tool, &call.about)
                .or(decision),
        }
    }
}
