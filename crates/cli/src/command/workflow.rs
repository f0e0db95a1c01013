//! `repertoire workflow`.

mod approval;
mod check_command;
mod run_output;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::{Args, Subcommand};
use repertoire::permission::Grants;
use repertoire::registry::RegistryError;
use repertoire::render::{Arguments, Context};
use repertoire::skill::ToolPattern;
use repertoire::workflow::CheckOutcome;
use repertoire_gateway::{
    Gateway, PlannedStep, Registries, RunPlan, RunStatus, StepAction, StepState, WorkflowRun,
};
use repertoire_mcp_servers::{AuditEvent, AuditKind, AuditLog, ToolProvider};
use tokio::runtime::Handle;

use self::approval::{Approval, StepApprover};
use self::check_command::CheckCommands;
pub(super) use self::run_output::{PlanOutput, RunOutput};
use super::gateway::{open_audit, refusal};
use crate::failure::Failure;
use crate::options::{FolderOption, SourceOptions};
use crate::output::{Format, Output};
use crate::{Environment, Exit};

/// Plan and run workflows, which call tools of MCP servers.
///
/// NAME is a workflow of the configuration file (its path or its name), or a skill with a `workflow` or a `verification`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  repertoire workflow plan publish 1.2.0\n  repertoire workflow run publish 1.2.0 --yes 'mcp__time__*'\n  repertoire workflow run --resume publish-1 --retry 2"
)]
pub(crate) struct WorkflowCommand {
    #[command(subcommand)]
    action: WorkflowAction,
}

#[derive(Debug, Subcommand)]
enum WorkflowAction {
    Plan(PlanCommand),
    Run(RunCommand),
}

/// Show the steps and checks of a workflow, with its arguments filled in.
#[derive(Debug, Args)]
struct PlanCommand {
    /// Workflow or skill.
    name: String,
    #[command(flatten)]
    arguments: WorkflowArguments,
}

/// Run a workflow step by step, with your approval of each call.
///
/// Each step is stored before and after its call. A run that was interrupted is continued with `--resume`, and no call is repeated
/// by itself.
#[derive(Debug, Args)]
struct RunCommand {
    /// Workflow or skill.
    #[arg(required_unless_present = "resume")]
    name: Option<String>,
    #[command(flatten)]
    arguments: WorkflowArguments,
    /// Approve the calls of these tools: a name, or a pattern such as `mcp__time__*`; `Bash(make *)` approves commands of checks
    /// (repeatable).
    #[arg(long = "yes", value_name = "PATTERN")]
    granted: Vec<ToolPattern>,
    /// Continue an earlier run.
    #[arg(long, value_name = "RUN", conflicts_with = "name")]
    resume: Option<String>,
    /// Run a step again that failed or was interrupted: its number or its id.
    #[arg(long, value_name = "STEP", requires = "resume")]
    retry: Option<String>,
    /// Mark a step as done that was interrupted or has no tool: its number or its id.
    #[arg(long, value_name = "STEP", requires = "resume")]
    done: Option<String>,
    #[command(flatten)]
    folder: FolderOption,
}

#[derive(Debug, Args)]
struct WorkflowArguments {
    /// Arguments, as one quoted text or as words. Put `--` before a word that starts with a hyphen.
    #[arg(value_name = "ARGS")]
    arguments: Vec<String>,
}

impl WorkflowCommand {
    pub(crate) async fn run(
        &self,
        options: &SourceOptions,
        format: Format,
        environment: &mut Environment<'_>,
    ) -> Result<io::Result<Exit>, Failure> {
        options.refuse_besides_config("workflow")?;
        let mut out = Output::new("workflow", format, environment);
        let project = Project::open(options, environment).await?;
        let done = match &self.action {
            WorkflowAction::Plan(plan) => {
                let arguments = plan.arguments.parsed();
                let planned = project.plan(&plan.name, arguments, environment).await;
                planned.map(|planned| PlanOutput::new(&planned).write(&mut out))
            }
            WorkflowAction::Run(run) => run.run(&project, environment, &mut out).await,
        };
        // It was started here, and stops with the command.
        let _ = project.gateway.stop().await;
        done?;
        Ok(out.print(environment))
    }
}

/// The registries of the configuration file, filled once.
struct Project {
    gateway: Gateway,
    registries: Registries,
    folder: PathBuf,
}

impl Project {
    async fn open(
        options: &SourceOptions,
        environment: &Environment<'_>,
    ) -> Result<Project, Failure> {
        let gateway = super::gateway::open(options, environment)?;
        let registries = gateway.start(&Handle::current()).await;
        Ok(Project {
            registries: registries.map_err(|error| refusal(&error))?,
            folder: gateway.configuration().registries().project.clone(),
            gateway,
        })
    }

    /// Returns the plan of a workflow or of a skill.
    async fn plan(
        &self,
        name: &str,
        arguments: Arguments,
        environment: &Environment<'_>,
    ) -> Result<RunPlan, Failure> {
        let context = Context::new()
            .arguments(arguments)
            .project_dir(environment.cwd.to_string_lossy());
        let workflows = self.registries.workflows.snapshot();
        let mut found = workflows
            .entries()
            .iter()
            .filter(|entry| entry.id.as_str() == name || entry.item().name() == name);
        if let Some(entry) = found.next() {
            if let Some(other) = found.next() {
                let message = format!("two workflows are called `{name}`");
                let help = format!("use a path: `{}` or `{}`", entry.id, other.id);
                return Err(Failure::new(message).help(help));
            }
            let body = self.registries.workflows.body(&entry.candidate).await?;
            return Ok(RunPlan::of_file(entry.item(), &body.text, &context)?);
        }
        let skills = self.registries.skills.snapshot();
        match skills.resolve(name) {
            Ok(found) => Ok(RunPlan::of_skill(found.candidate, &context)?),
            Err(RegistryError::NotFound { .. }) => {
                let failure = Failure::new(format!("no workflow and no skill is called `{name}`"));
                let known: Vec<_> = workflows
                    .entries()
                    .iter()
                    .map(|entry| format!("`{}`", entry.item().name()))
                    .collect();
                Err(match known.is_empty() {
                    true => failure,
                    false => failure.help(format!("workflows: {}", known.join(", "))),
                })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns what a skill of this name pre-approves, nothing for a workflow.
    fn grants(&self, name: &str) -> Grants {
        let snapshot = self.registries.skills.snapshot();
        let found = snapshot.resolve(name).ok();
        Grants::new(found.iter().map(|found| found.candidate))
    }

    /// Checks that the plan calls defined servers only, and no tool that the operator denies.
    fn check_calls(&self, plan: &RunPlan) -> Result<(), Failure> {
        let servers = self.registries.mcp_servers.snapshot();
        for step in &plan.steps {
            let StepAction::Call { server, tool, .. } = &step.action else {
                continue;
            };
            let Some(entry) = servers.get(server) else {
                let message = format!("`{}` calls the unknown MCP server `{server}`", plan.name);
                let help = format!("add `[[registries.mcp-servers]]` with `id = \"{server}\"`");
                return Err(Failure::new(message).help(help));
            };
            if let Some(rule) = entry.item().tools.refusal(tool) {
                let number = step.number;
                let message = format!(
                    "step {number} calls the tool `{tool}` of `{server}`, which `{rule}` refuses"
                );
                return Err(Failure::new(message).help("remove the step, or change the rule"));
            }
        }
        Ok(())
    }
}

impl WorkflowArguments {
    fn parsed(&self) -> Arguments {
        match self.arguments.as_slice() {
            [text] => Arguments::new(text.as_str()),
            words => Arguments::from_words(words),
        }
    }
}

impl RunCommand {
    async fn run(
        &self,
        project: &Project,
        environment: &mut Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let state = self.folder.path(environment)?;
        let runs = state.join("runs");
        let run = match &self.resume {
            Some(id) => {
                let run = self.resumed(WorkflowRun::resume(runs, id, &project.folder)?)?;
                project.check_calls(run.plan())?;
                run
            }
            None => {
                let name = self.name.as_deref().unwrap_or_default();
                let arguments = self.arguments.parsed();
                let plan = project.plan(name, arguments, environment).await?;
                project.check_calls(&plan)?;
                let approver = StepApprover::new(&self.granted, project.grants(&plan.name));
                approver.check_plan(&plan, environment)?;
                WorkflowRun::start(runs, plan, &project.folder)?
            }
        };
        let configuration = project.gateway.configuration();
        let audit = open_audit(&state, &configuration, environment)?;
        let mut session = RunSession {
            approver: StepApprover::new(&self.granted, project.grants(&run.plan().name)),
            tools: project
                .gateway
                .tool_provider()
                .map_err(|error| refusal(&error))?,
            commands: CheckCommands::new(
                &project.registries.skills,
                &run.plan().name,
                &project.folder,
            ),
            run,
            audit,
        };
        session.record(AuditEvent::new(AuditKind::Started).fact("workflow", session.name()));
        let stopped = session.advance(environment).await?;
        let status = session.run.status();
        let word = crate::output::word(&status);
        session.record(AuditEvent::new(AuditKind::Stopped).fact("status", word));
        session.audit.flush();
        out.found_problems(status != RunStatus::Done);
        RunOutput::new(&session.run).write(out);
        out.notes(stopped);
        Ok(())
    }

    /// Applies `--retry` and `--done`.
    fn resumed(&self, mut run: WorkflowRun) -> Result<WorkflowRun, Failure> {
        if let Some(name) = &self.retry {
            run.retry(number_of(&run, name)?)?;
        }
        if let Some(name) = &self.done {
            run.confirm(number_of(&run, name)?)?;
        }
        Ok(run)
    }
}

fn number_of(run: &WorkflowRun, name: &str) -> Result<usize, Failure> {
    let mut steps = run.plan().steps.iter();
    let step = steps.find(|step| step.is_called(name));
    step.map(|step| step.number)
        .ok_or_else(|| Failure::new(format!("the run `{}` has no step `{name}`", run.id())))
}

/// A run and what it needs.
struct RunSession {
    run: WorkflowRun,
    approver: StepApprover,
    tools: Arc<dyn ToolProvider>,
    commands: CheckCommands,
    audit: AuditLog,
}

impl RunSession {
    fn name(&self) -> &str {
        &self.run.plan().name
    }

    fn record(&self, event: AuditEvent) {
        self.audit.record(event.fact("run", self.run.id()));
    }

    /// Runs steps to the end, or to one that has to wait. Returns a note with the way to go on.
    async fn advance(
        &mut self,
        environment: &mut Environment<'_>,
    ) -> Result<Option<String>, Failure> {
        while let Some(step) = self.run.next_step().cloned() {
            let state = self.run.states()[step.number - 1].clone();
            match self.approval(&step, &state, environment).await? {
                Approval::Granted(by) => {
                    if let Some(event) = used(AuditKind::Approved, &step) {
                        self.record(event.fact("by", by));
                    }
                    if matches!(state, StepState::Uncertain { .. }) {
                        self.run.retry(step.number)?;
                    }
                    self.call(&step, environment).await?;
                }
                Approval::Confirmed => self.run.confirm(step.number)?,
                Approval::Skipped(reason) => {
                    let skipped = async { CheckOutcome::Skipped(reason) };
                    let state = self.run.check(step.number, skipped).await?;
                    self.report(&step, &state, environment);
                }
                Approval::Declined => {
                    let event = AuditEvent::new(AuditKind::Declined).fact("step", step.number);
                    self.record(event.fact("tool", step.tool_name()));
                    return Ok(Some(self.continuation("")));
                }
                Approval::Missing(option) => {
                    let option = format!(" {option}");
                    return Ok(Some(self.continuation(&option)));
                }
            }
        }
        Ok(None)
    }

    fn continuation(&self, option: &str) -> String {
        let id = self.run.id();
        format!("continue with `repertoire workflow run --resume {id}{option}`")
    }

    async fn approval(
        &self,
        step: &PlannedStep,
        state: &StepState,
        environment: &mut Environment<'_>,
    ) -> Result<Approval, Failure> {
        if let (StepAction::Command { run, .. }, StepState::Pending) = (&step.action, state)
            && self.commands.is_approved(run, environment).await?
        {
            return Ok(Approval::Granted("approval of the skill".to_owned()));
        }
        Ok(self.approver.ask(step, state, environment))
    }

    async fn call(
        &mut self,
        step: &PlannedStep,
        environment: &mut Environment<'_>,
    ) -> Result<(), Failure> {
        let begun = Instant::now();
        let state = match &step.action {
            StepAction::Command { run, variables } => {
                let running = self.commands.run(run, variables, environment);
                self.run.check(step.number, running).await?
            }
            _ => self.run.call(step.number, self.tools.as_ref()).await?,
        };
        if let Some(event) = used(AuditKind::Called, step) {
            let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            let outcome = run_output::state_word(&state);
            self.record(event.fact("outcome", outcome).fact("ms", ms));
        }
        self.report(step, &state, environment);
        Ok(())
    }

    fn report(&self, step: &PlannedStep, state: &StepState, environment: &mut Environment<'_>) {
        let line = run_output::progress(step, state);
        environment.write_stderr(&format!("{line}\n"));
    }
}

/// Returns the event of a step that uses a tool or runs a command.
fn used(kind: AuditKind, step: &PlannedStep) -> Option<AuditEvent> {
    let event = AuditEvent::new(kind).fact("step", step.number);
    match (&step.action, kind) {
        (StepAction::Command { run, .. }, _) => Some(event.fact("command", &**run)),
        (StepAction::Call { .. }, AuditKind::Approved) => {
            Some(event.fact("tool", step.tool_name()))
        }
        (
            StepAction::Call {
                server,
                tool,
                arguments,
            },
            _,
        ) => {
            let event = event.fact("server", &**server).fact("tool", &**tool);
            Some(event.arguments(arguments))
        }
        _ => None,
    }
}
