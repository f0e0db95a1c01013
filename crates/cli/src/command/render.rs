//! `repertoire render`.

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;
use repertoire::Id;
use repertoire::render::{
    ApprovalState, Arguments, Call, CleanupScope, CommandShell, CompletedRun, Context, Dialect,
    DialectBy, Directive, DirectiveOutcome, DirectiveRunner, MissingRule, Plan, Refusal, Sandbox,
    Syntax,
};
use repertoire::skill::Digest;
use serde::Serialize;

use super::directives::DirectiveRow;
use crate::Environment;
use crate::command_approval::{ApprovalStore, RunnableSkill, SandboxOption};
use crate::completion;
use crate::compose::with_progress;
use crate::context::CommandContext;
use crate::failure::Failure;
use crate::options::{Choice, one_of};
use crate::output::Output;
use crate::signals::{Signal, Signals};

/// Print a skill's instructions with arguments and variables filled in.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  repertoire render review src/main.rs\n  repertoire render deploy staging --allow-commands --sandbox"
)]
pub(crate) struct RenderCommand {
    /// Skill name, or SOURCE:NAME for the copy from one source.
    #[arg(add = completion::skills())]
    name: String,
    /// Arguments of the skill, as one quoted text or as words. Put `--` before a word that starts with a hyphen.
    #[arg(value_name = "ARGS")]
    arguments: Vec<String>,
    /// Placeholder syntax to assume if neither the source nor the skill declares one.
    #[arg(long, value_name = "DIALECT", value_parser = Dialect::ALL.map(Dialect::name))]
    dialect: Option<String>,
    /// Run the commands and scripts of the skill: approved ones directly, others after a prompt.
    #[arg(long)]
    allow_commands: bool,
    /// Shell to run commands with.
    #[arg(long, default_value = SHELLS[0].0, value_parser = one_of(SHELLS))]
    shell: CommandShell,
    #[command(flatten)]
    sandbox: SandboxOption,
    /// Set a variable for `${KEY}` (repeatable).
    #[arg(long = "var", value_name = "KEY=VALUE", value_parser = variable)]
    variables: Vec<(String, String)>,
}

const SHELLS: &[Choice<CommandShell>] = &[
    ("sh", "The POSIX shell", CommandShell::Sh),
    ("bash", "Bash", CommandShell::Bash),
];

fn variable(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected `KEY=VALUE`")?;
    if Context::is_built_in(key) {
        return Err(format!("`{key}` is a built-in variable and cannot be set"));
    }
    Ok((key.to_owned(), value.to_owned()))
}

/// The rendered instructions of a skill.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct RenderedInstructions<'a> {
    id: &'a Id,
    qualified_id: Id,
    /// The digest of the text.
    digest: Digest,
    dialect: &'static str,
    dialect_by: DialectBy,
    text: &'a str,
    directives: Vec<DirectiveResult>,
    warnings: Vec<String>,
}

/// The result of a directive.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct DirectiveResult {
    #[serde(flatten)]
    row: DirectiveRow,
    outcome: DirectiveStatus,
    /// The exit status, or the reason why it did not run.
    how: String,
    /// The sandbox that it ran in.
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<SandboxState>,
    /// The processes that were ended with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    cleanup: Option<CleanupScope>,
}

/// The state of a sandbox.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SandboxState {
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["off", "active", "partial", "unavailable"])))]
    state: &'static str,
    /// The rules that a partial sandbox does not enforce.
    without: Vec<MissingRule>,
}

/// The state of a directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum DirectiveStatus {
    Ran,
    /// It is not permitted.
    Refused,
    /// It is permitted, and could not run.
    Failed,
}

impl RenderCommand {
    pub(super) async fn run(
        &self,
        context: &CommandContext,
        environment: &mut Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let skill = RunnableSkill::read(&self.name, context).await?;
        let host = self.dialect.as_deref().map(str::parse).transpose()?;
        let syntax = Syntax::from_skill(&skill.candidate.item, skill.dialect, host);
        let plan = Plan::new(&skill.body.text, &syntax);
        let variables = self.variables(&skill, context);
        let outcomes = self
            .run_directives(&plan, &skill, &variables, context, environment)
            .await?;
        let rendered = plan.render(&variables, outcomes)?;
        let directives = plan.directives().iter().zip(&rendered.outcomes);
        let (dialect, dialect_by) = syntax.dialect();
        let result = RenderedInstructions {
            id: skill.id,
            qualified_id: skill.candidate.qualified_id(),
            digest: Digest::of(rendered.text.as_bytes()),
            dialect: dialect.name(),
            dialect_by,
            directives: directives
                .map(|(row, outcome)| DirectiveResult::of(row, outcome))
                .collect(),
            warnings: rendered.warnings.iter().map(ToString::to_string).collect(),
            text: &rendered.text,
        };
        if out.write_json(&result) {
            return Ok(());
        }
        out.text(result.text);
        out.notes(result.warnings);
        // One note for all that ran in the same way.
        out.notes(
            rendered
                .outcomes
                .iter()
                .flat_map(run_notes)
                .collect::<BTreeSet<_>>(),
        );
        for DirectiveResult { row, how, .. } in result
            .directives
            .iter()
            .filter(|one| one.outcome != DirectiveStatus::Ran)
        {
            let line = row.line.unwrap_or_default();
            out.note(format!("line {line}: not run: {how}"));
        }
        Ok(())
    }

    fn variables(&self, skill: &RunnableSkill<'_>, context: &CommandContext) -> Context {
        let arguments = match self.arguments.as_slice() {
            [text] => Arguments::new(text.as_str()),
            words => Arguments::from_words(words),
        };
        let mut variables = Context::new()
            .arguments(arguments)
            .project_dir(context.cwd.to_string_lossy());
        if let Some(folder) = skill.folder() {
            variables = variables.skill_dir(folder.to_string_lossy());
        }
        let variables = context.with_source_variables(&skill.candidate.origin.source, variables);
        self.variables
            .iter()
            .fold(variables, |variables, (name, value)| {
                variables.variable(name, value)
            })
    }

    /// Asks about every directive, then runs those that are permitted.
    async fn run_directives(
        &self,
        plan: &Plan<'_>,
        skill: &RunnableSkill<'_>,
        variables: &Context,
        context: &CommandContext,
        environment: &mut Environment<'_>,
    ) -> Result<Vec<DirectiveOutcome>, Failure> {
        if !self.allow_commands || plan.directives().is_empty() {
            return Ok(Vec::new());
        }
        let approval = ApprovalStore::read(context.approvals())?
            .approvals
            .state(&skill.binding);
        let trust = skill.candidate.trust;
        let mut permits = Vec::new();
        for directive in plan.directives() {
            permits.push(match approval.permit(trust) {
                Err(Refusal::Unapproved | Refusal::Changed) if environment.stdin.is_some() => {
                    environment.write_stderr(&DirectiveRow::of(directive).prompt());
                    match environment.ask("Run this command once?") {
                        Some(true) => ApprovalState::Given.permit(trust),
                        _ => Err(Refusal::Denied("declined".into())),
                    }
                }
                permit => permit,
            });
        }
        let runner =
            DirectiveRunner::new(std::mem::take(&mut environment.variables)).shell(self.shell);
        let runner = self
            .sandbox
            .confine(runner.helper(std::mem::take(&mut environment.helper)));
        let call = Call::new(
            skill.folder().unwrap_or(Path::new("")),
            variables,
            &skill.binding,
        );
        let mut signals = std::mem::replace(&mut environment.signals, Signals::Nowhere);
        if permits.iter().any(Result::is_ok) {
            signals
                .listen()
                .map_err(|error| Failure::io("cannot listen for signals", &error))?;
        }
        let mut permits = permits.into_iter();
        let running = runner.run(plan.directives(), call, |_: &Directive| {
            permits.next().unwrap_or(Err(Refusal::Off))
        });
        let stopped = async { while signals.next().await != Signal::Stop {} };
        tokio::select! {
            biased;
            () = stopped => Err(Failure::new("interrupted; the commands and their processes were stopped")),
            outcomes = with_progress("running commands", running, environment) => Ok(outcomes),
        }
    }
}

fn run_notes(outcome: &DirectiveOutcome) -> impl Iterator<Item = String> {
    let run = run_of(outcome);
    let sandbox = run
        .filter(|run| run.sandbox != Sandbox::Off)
        .map(|run| format!("sandbox: {}", run.sandbox));
    let cleanup = run.filter(|run| run.cleanup != CleanupScope::All);
    let cleanup =
        cleanup.map(|run| format!("cleanup: {}; other processes may still run", run.cleanup));
    sandbox.into_iter().chain(cleanup)
}

fn run_of(outcome: &DirectiveOutcome) -> Option<&CompletedRun> {
    match outcome {
        DirectiveOutcome::Ran(run) => Some(run),
        _ => None,
    }
}

impl DirectiveResult {
    fn of(directive: &Directive, outcome: &DirectiveOutcome) -> DirectiveResult {
        let (status, how) = match outcome {
            DirectiveOutcome::Ran(run) => (DirectiveStatus::Ran, run.ended.to_string()),
            DirectiveOutcome::Refused { by } => (DirectiveStatus::Refused, by.to_string()),
            DirectiveOutcome::Failed { reason } => (DirectiveStatus::Failed, reason.to_string()),
            _ => (DirectiveStatus::Failed, String::new()),
        };
        let run = run_of(outcome);
        DirectiveResult {
            row: DirectiveRow::of(directive),
            outcome: status,
            how,
            sandbox: run.map(|run| SandboxState::of(&run.sandbox)),
            cleanup: run.map(|run| run.cleanup),
        }
    }
}

impl SandboxState {
    fn of(sandbox: &Sandbox) -> SandboxState {
        let (state, without) = match sandbox {
            Sandbox::Off => ("off", Vec::new()),
            Sandbox::Active => ("active", Vec::new()),
            Sandbox::Partial(missing) => ("partial", missing.clone()),
            Sandbox::Unavailable => ("unavailable", Vec::new()),
        };
        SandboxState { state, without }
    }
}
