//! The gateway as the host of its agents.

use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use repertoire::config::{AgentRuntime, Lifecycle};
use repertoire::render::Context;
use repertoire::skill::error_chain;
use repertoire_agent_runtime::{
    AgentHost, AgentLifetime, AgentProgram, CheckResult, KnownSkill, ProcessRuntime, Runtime,
    SkillCheck, SkillRef,
};
use repertoire_mcp_servers::{SupervisorOptions, ToolAccess};

use crate::{PlannedStep, Registries, RunPlan, StepAction, StepState, regex_check};

/// The gateway as the host of its agents: the programs, skills and tools that it has now.
pub(crate) struct RegistryHost {
    pub(crate) registries: Registries,
    pub(crate) tools: ToolAccess,
    /// The folder of the project, and the environment of its programs.
    pub(crate) programs: SupervisorOptions,
    /// The address of the MCP server, once it listens.
    pub(crate) address: Arc<OnceLock<String>>,
}

/// The variable that has the address of the MCP server.
const ADDRESS_VARIABLE: &str = "REPERTOIRE_GATEWAY_URL";

#[async_trait]
impl AgentHost for RegistryHost {
    async fn program(&self, profile: &str) -> Result<AgentProgram, String> {
        let entry = self.registries.agents.get(profile);
        let entry = entry.ok_or("the registry has no such agent")?;
        let definition = entry.item();
        let command = definition.command.as_deref();
        let command = command.ok_or("a different program starts the agent at this `url`")?;
        let command = match Path::new(command).components().count() {
            1 => command.into(),
            _ => self.programs.folder.join(command),
        };
        let runtime = self.runtime(definition.runtime);
        let runtime = runtime.ok_or("this gateway has no such `runtime`")?;
        let mut program = AgentProgram::new(command, runtime);
        program.args = definition.args.iter().map(OsString::from).collect();
        let address = self.address.get();
        let address = address.map(|address| (ADDRESS_VARIABLE.into(), address.into()));
        program.environment.extend(address);
        program
            .environment
            .extend(self.programs.environment(&definition.env)?);
        program.lifetime = match definition.lifecycle {
            Lifecycle::Resident => AgentLifetime::Resident,
            Lifecycle::Ephemeral => AgentLifetime::Ephemeral,
        };
        Ok(program)
    }

    async fn skill(&self, name: &str) -> Option<KnownSkill> {
        let snapshot = self.registries.skills.snapshot();
        let candidate = snapshot.resolve(name).ok()?.candidate;
        let digest = match candidate.digest {
            Some(digest) => digest,
            None => self.registries.skills.body(candidate).await.ok()?.digest,
        };
        Some(KnownSkill::new(digest).requiring(candidate.item.required_tools()))
    }

    async fn tools(&self) -> Vec<String> {
        let table = self.tools.table();
        table.tools().map(|tool| tool.tool.full_name()).collect()
    }

    async fn verify(&self, skill: &SkillRef, folder: &Path) -> Vec<SkillCheck> {
        let snapshot = self.registries.skills.snapshot();
        let Ok(found) = snapshot.resolve(&skill.name) else {
            let reason = "the registry does not have the skill any more".to_owned();
            return not_run(&skill.name, reason);
        };
        if found.candidate.item.verification().is_empty() {
            return Vec::new();
        }
        match RunPlan::of_skill(found.candidate, &Context::default()) {
            Ok(plan) => {
                let checks = plan.steps.iter().filter(|step| step.is_check);
                checks
                    .map(|step| SkillCheck::new(description(step), result(step, folder)))
                    .collect()
            }
            Err(error) => not_run(&skill.name, error_chain(&error)),
        }
    }
}

/// Returns the result of all checks of a skill that cannot be read.
fn not_run(skill: &str, reason: String) -> Vec<SkillCheck> {
    vec![SkillCheck::new(skill, CheckResult::Skipped(reason))]
}

/// Returns a check as people read it.
fn description(step: &PlannedStep) -> String {
    match &step.action {
        StepAction::FileExists { path } => format!("the file `{path}` exists"),
        StepAction::Regex {
            pattern,
            path: Some(path),
            ..
        } => format!("`{pattern}` matches in `{path}`"),
        StepAction::Command { run, .. } => format!("the command `{run}` succeeds"),
        StepAction::Call { server, tool, .. } => {
            format!("the tool `mcp__{server}__{tool}` succeeds")
        }
        _ => step.text.to_string(),
    }
}

/// Returns the result of a check in the folder of an agent.
///
/// A check that runs something needs an approval, which only a person gives, so it is not run.
fn result(step: &PlannedStep, folder: &Path) -> CheckResult {
    match &step.action {
        StepAction::FileExists { path } => match PlannedStep::file_exists(path, folder) {
            true => CheckResult::Passed,
            false => CheckResult::Failed("it does not exist".to_owned()),
        },
        StepAction::Manual => CheckResult::NeedsJudgement,
        StepAction::Regex {
            pattern,
            path: Some(path),
            ..
        } => match regex_check::in_file(pattern, path, folder) {
            StepState::Failed { reason } => CheckResult::Failed(reason.to_string()),
            _ => CheckResult::Passed,
        },
        StepAction::Call { .. } | StepAction::Command { .. } => {
            CheckResult::Skipped("it needs the approval of a person".to_owned())
        }
        _ => CheckResult::Skipped("it is not about the files of the agent".to_owned()),
    }
}

impl RegistryHost {
    /// Returns the way to talk to an agent, if this program has it.
    fn runtime(&self, kind: AgentRuntime) -> Option<Arc<dyn Runtime>> {
        match kind {
            AgentRuntime::Process => Some(Arc::new(ProcessRuntime::default())),
            #[cfg(feature = "acp")]
            AgentRuntime::Acp => {
                let runtime = repertoire_agent_runtime::AcpRuntime::default();
                Some(match self.address.get() {
                    Some(address) => Arc::new(runtime.with_mcp_url(address)),
                    None => Arc::new(runtime),
                })
            }
            _ => None,
        }
    }
}
