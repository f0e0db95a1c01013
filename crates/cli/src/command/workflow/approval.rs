//! The approval of the steps of a run.

use repertoire::permission::Grants;
use repertoire::skill::ToolPattern;
use repertoire::skill::text::{terminal_line, terminal_lines};
use repertoire_gateway::{PlannedStep, RunPlan, StepAction, StepState};

use crate::Environment;
use crate::failure::Failure;

/// The approver of steps: the options, the skill, or a person on a terminal.
pub(super) struct StepApprover {
    granted: Vec<ToolPattern>,
    /// The calls that the skill approves in advance.
    skill: Grants,
}

/// The answer about a step.
pub(super) enum Approval {
    /// It runs, and by whose approval.
    Granted(String),
    /// It is done already.
    Confirmed,
    /// A person said no.
    Declined,
    /// It does not run, for this reason.
    Skipped(String),
    /// There is no person to ask. With this option the run goes on.
    Missing(String),
}

impl StepApprover {
    pub(super) fn new(granted: &[ToolPattern], skill: Grants) -> StepApprover {
        StepApprover {
            granted: granted.to_vec(),
            skill,
        }
    }

    /// Returns the option or the rule of the skill that approves a use of `tool`, whose argument is the command of a shell.
    pub(super) fn granted_by(&self, tool: &str, argument: &str) -> Option<String> {
        let mut granted = self.granted.iter();
        let pattern = granted.find(|granted| granted.covers(tool, argument));
        if let Some(pattern) = pattern {
            return Some(format!("--yes {pattern}"));
        }
        let decision = self.skill.decision(tool, argument)?;
        decision
            .is_allowed()
            .then(|| decision.rule.as_ref().to_owned())
    }

    /// Refuses a plan with a call that is not approved, if there is no person to ask.
    pub(super) fn check_plan(
        &self,
        plan: &RunPlan,
        environment: &Environment<'_>,
    ) -> Result<(), Failure> {
        if environment.stdin.is_some() {
            return Ok(());
        }
        for step in &plan.steps {
            if let Some(tool) = step.tool_name()
                && self.granted_by(&tool, "").is_none()
            {
                let number = step.number;
                let failure =
                    Failure::new(format!("step {number} calls `{tool}` without approval"));
                return Err(failure.help(format!("run it on a terminal, or pass `--yes {tool}`")));
            }
        }
        Ok(())
    }

    /// Decides about the next step, and asks the person if that is necessary.
    pub(super) fn ask(
        &self,
        step: &PlannedStep,
        state: &StepState,
        environment: &mut Environment<'_>,
    ) -> Approval {
        let number = step.number;
        if let StepState::Uncertain { reason } = state {
            describe(step, environment);
            environment.write_stderr(&format!("  it may have run: {}\n", terminal_line(reason)));
            return match environment.ask("Run it again?") {
                None => Approval::Missing(format!("--retry {number}` or `--done {number}")),
                Some(true) => Approval::Granted("person".to_owned()),
                Some(false) => match environment.ask("Is it done?") {
                    Some(true) => Approval::Confirmed,
                    _ => Approval::Declined,
                },
            };
        }
        match (&step.action, step.tool_name()) {
            (StepAction::Manual, _) => {
                describe(step, environment);
                match environment.ask("Is it done?") {
                    Some(true) => Approval::Confirmed,
                    Some(false) => Approval::Declined,
                    None => Approval::Missing(format!("--done {number}")),
                }
            }
            (StepAction::Command { run, .. }, _) => {
                if let Some(by) = self.granted_by(SHELL, run) {
                    return Approval::Granted(by);
                }
                describe(step, environment);
                match environment.ask("Run this command?") {
                    Some(true) => Approval::Granted("person".to_owned()),
                    Some(false) => Approval::Skipped("declined".to_owned()),
                    None => Approval::Skipped(format!(
                        "the command is not approved; `--retry {number}` with `--yes {SHELL}` runs it"
                    )),
                }
            }
            (_, Some(tool)) => {
                if let Some(by) = self.granted_by(&tool, "") {
                    return Approval::Granted(by);
                }
                describe(step, environment);
                match environment.ask("Run this step?") {
                    Some(true) => Approval::Granted("person".to_owned()),
                    Some(false) => Approval::Declined,
                    None => Approval::Missing(format!("--yes {tool}")),
                }
            }
            _ => Approval::Granted("no call".to_owned()),
        }
    }
}

/// The name by which `allowed-tools` and `--yes` mean commands.
const SHELL: &str = "Bash";

fn describe(step: &PlannedStep, environment: &mut Environment<'_>) {
    let mut text = format!("step {}: {}\n", step.number, terminal_line(&step.text));
    if let StepAction::Call { arguments, .. } = &step.action {
        let arguments = serde_json::Value::from(arguments.clone()).to_string();
        let tool = step.tool_name().unwrap_or_default();
        let call = format!("{tool} {arguments}");
        text.push_str(&format!("  calls {}\n", terminal_line(&call)));
    }
    if let StepAction::Command { run, .. } = &step.action {
        let lines = terminal_lines(run);
        let lines = lines.lines().map(|line| format!("    {line}\n"));
        text.push_str(&format!("  runs\n{}", lines.collect::<String>()));
    }
    environment.write_stderr(&text);
}
