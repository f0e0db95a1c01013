//! The commands of checks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use repertoire::registry::Candidate;
use repertoire::render::{
    ApprovalState, Arguments, Binding, Call, CompletedRun, Context, Directive, DirectiveOutcome,
    DirectiveRunner, RunEnd, RunLimits,
};
use repertoire::skill::{Digest, Manifest};
use repertoire::workflow::CheckOutcome;
use repertoire::{Renderer, Skill, SkillRegistry, Trust};

use crate::Environment;
use crate::command_approval::ApprovalStore;
use crate::compose::with_progress;
use crate::failure::Failure;

/// The time limit of a command, which may build and test a project.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The most characters of an output that a state has.
const MOST_CHARACTERS: usize = 1000;

/// The variable with the folder of a skill.
const SKILL_FOLDER: &str = "SKILL_DIR";

/// The runner of the commands of checks.
pub(super) struct CheckCommands {
    skills: SkillRegistry,
    /// The skill whose checks run, unless they are those of a file.
    skill: Option<Candidate<Skill>>,
    project: PathBuf,
}

impl CheckCommands {
    /// Creates the runner for the checks of the workflow or of the skill `name`.
    pub(super) fn new(skills: &SkillRegistry, name: &str, project: &Path) -> CheckCommands {
        let snapshot = skills.snapshot();
        let skill = snapshot.resolve(name).ok();
        CheckCommands {
            skills: skills.clone(),
            skill: skill.map(|found| found.candidate.clone()),
            project: project.to_owned(),
        }
    }

    /// Returns whether the user approved the skill with this command as it is now.
    pub(super) async fn is_approved(
        &self,
        command: &str,
        environment: &Environment<'_>,
    ) -> Result<bool, Failure> {
        let Some(skill) = &self.skill else {
            return Ok(false);
        };
        let checks = skill.item.verification();
        let is_declared = checks.iter().any(|check| check.command() == Some(command));
        if !is_declared || skill.trust != Trust::Trusted {
            return Ok(false);
        }
        let store = ApprovalStore::read(environment.approvals())?;
        let binding = self.binding(skill).await?;
        Ok(store.approvals.state(&binding) == ApprovalState::Given)
    }

    async fn binding(&self, skill: &Candidate<Skill>) -> Result<Binding, Failure> {
        let body = self.skills.body(skill).await?;
        let renderer = Renderer::new(self.skills.clone());
        Ok(renderer.binding(skill, body.digest).await?)
    }

    /// Runs a command in the folder of the project. One that names the folder of its skill runs in a verified copy of it.
    pub(super) async fn run(
        &self,
        command: &str,
        variables: &BTreeMap<Arc<str>, Arc<str>>,
        environment: &mut Environment<'_>,
    ) -> CheckOutcome {
        let folder = self.skill.as_ref().and_then(|skill| {
            let location = skill.item.location.as_deref()?;
            Path::new(location).parent()
        });
        let context = self.context(variables);
        let (folder, context, binding) = match (&self.skill, folder) {
            (Some(skill), Some(folder)) if command.contains(SKILL_FOLDER) => {
                let context = context.skill_dir(folder.to_string_lossy());
                match self.binding(skill).await {
                    Ok(binding) => (folder, context, binding),
                    Err(failure) => return CheckOutcome::Skipped(failure.message().to_owned()),
                }
            }
            _ if command.contains(SKILL_FOLDER) => {
                return CheckOutcome::Skipped(format!("there is no `{SKILL_FOLDER}`"));
            }
            _ => {
                let id = "check".parse().expect("a word is an id");
                let digest = Digest::of(command.as_bytes());
                let binding = Binding::new(id, digest, &Manifest::default());
                (self.project.as_path(), context, binding)
            }
        };
        let mut limits = RunLimits::default();
        (limits.timeout, limits.total) = (TIMEOUT, TIMEOUT);
        let runner = DirectiveRunner::new(environment.variables.clone())
            .limits(limits)
            .helper(environment.helper.clone());
        let directives = [Directive::command(command)];
        let call = Call::new(folder, &context, &binding);
        let running = runner.run(&directives, call, |_| Ok(()));
        let outcomes = with_progress("running the command", running, environment).await;
        let not_run = || CheckOutcome::Skipped("it was not run".to_owned());
        outcomes.first().map_or_else(not_run, outcome_of)
    }

    fn context(&self, variables: &BTreeMap<Arc<str>, Arc<str>>) -> Context {
        let raw = variables.get("ARGUMENTS").map_or("", |raw| raw);
        let context = Context::new()
            .arguments(Arguments::new(raw))
            .project_dir(self.project.to_string_lossy());
        let named = variables
            .iter()
            .filter(|(name, _)| !Context::is_built_in(name));
        named.fold(context, |context, (name, value)| {
            context.variable(&**name, &**value)
        })
    }
}

fn outcome_of(outcome: &DirectiveOutcome) -> CheckOutcome {
    match outcome {
        DirectiveOutcome::Ran(run) if run.ended == RunEnd::Exit(0) => CheckOutcome::Passed,
        DirectiveOutcome::Ran(run) => CheckOutcome::Failed(failure(run)),
        DirectiveOutcome::Refused { by } => CheckOutcome::Skipped(by.to_string()),
        DirectiveOutcome::Failed { reason } => CheckOutcome::Failed(reason.to_string()),
        _ => CheckOutcome::NeedsJudgement,
    }
}

/// Returns the end of a run, with the end of what it printed.
fn failure(run: &CompletedRun) -> String {
    let printed = [&run.stderr, &run.stdout].map(|output| output.text().trim());
    let text = printed.into_iter().find(|text| !text.is_empty());
    let Some(text) = text else {
        return run.ended.to_string();
    };
    let start = text.char_indices().rev().nth(MOST_CHARACTERS - 1);
    let tail = &text[start.map_or(0, |(at, _)| at)..];
    format!("{}: {tail}", run.ended)
}
