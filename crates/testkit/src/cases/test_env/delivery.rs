//! Reading, rendering and activating the skills of a case.

use std::path::Path;

use repertoire_core::{Model, Skill};
use repertoire_engine::session::{Session, SessionOptions};
use repertoire_engine::tools::{Renderer, ToolOptions, ToolOutput, Toolset};
use repertoire_permission::Audience;
use repertoire_registry::{Authority, Entry, RuleSet, RuleStack, Target};
use repertoire_render::{
    Arguments, Call, CommandApprovals, Context, DirectiveRunner, Plan, Refusal, RunLimits, Syntax,
};
use serde_json::json;

use super::TestEnv;
use crate::cases::check::{RenderLine, SessionCall, Shell};

impl TestEnv {
    pub(crate) fn tools(&self) -> Toolset {
        Toolset::new(&self.snapshot(), &ToolOptions::default())
    }

    pub(crate) fn activate(&self, by: Audience, name: &str) -> ToolOutput {
        let tools = Toolset::new(&self.snapshot(), &ToolOptions::default().seen_by(by));
        let arguments = json!({ "id": name });
        let answer = self
            .runtime
            .block_on(tools.call("read_skill", &arguments, &self.registry));
        let answer = answer.expect("`read_skill` is one of the tools");
        self.print(&answer.text);
        answer
    }

    pub(crate) fn with_disabled<T>(&self, names: &[String], check: impl FnOnce() -> T) -> T {
        let targets = names.iter().filter_map(|name| name.parse::<Target>().ok());
        let level = targets.fold(RuleSet::new("case", Authority::Full), RuleSet::disable);
        self.registry.set_rules(&RuleStack::new([level]));
        let checked = check();
        self.registry.set_rules(&RuleStack::default());
        checked
    }

    /// Renders the body of `entry`. If commands are enabled, they are approved.
    pub(crate) fn render(&self, entry: &Entry<Skill>, line: &RenderLine) -> Result<String, String> {
        self.runtime
            .block_on(self.rendered(entry, line))
            .map(|text| self.print(&text))
            .map_err(|error| self.print(&error))
    }

    async fn rendered(&self, entry: &Entry<Skill>, line: &RenderLine) -> Result<String, String> {
        let body = self
            .registry
            .body(&entry.candidate)
            .await
            .map_err(|error| error.to_string())?;
        let location = entry.item().location.as_deref().unwrap_or_default();
        let folder = Path::new(location).parent().unwrap_or(Path::new(""));
        let context = Context::new()
            .arguments(Arguments::new(line.arguments.as_str()))
            .skill_dir(folder.to_string_lossy())
            .project_dir(self.cwd.to_string_lossy());
        let plan = Plan::new(&body.text, &Syntax::from_skill(entry.item(), None, None));

        let binding = Renderer::new(self.registry.clone())
            .binding(&entry.candidate, body.digest)
            .await;
        let binding = binding.map_err(|error| error.to_string())?;
        let mut approvals = CommandApprovals::default();
        approvals.approve(&binding);
        let permit = match line.shell {
            Shell::On => approvals.state(&binding).permit(entry.candidate.trust),
            Shell::Off => Err(Refusal::Off),
        };
        let mut limits = RunLimits::default();
        limits.timeout = line.timeout.unwrap_or(limits.timeout);
        let runner = DirectiveRunner::new(std::env::vars_os()).limits(limits);
        let call = Call::new(folder, &context, &binding);
        let outcomes = runner
            .run(plan.directives(), call, |_| permit.clone())
            .await;
        plan.render(&context, outcomes)
            .map(|rendered| rendered.text.into_owned())
            .map_err(|error| error.to_string())
    }

    /// Returns the active skills in the order of their activation.
    pub(crate) fn active(&self) -> Vec<String> {
        self.in_session(|session| {
            session
                .active()
                .iter()
                .map(|skill| skill.id.to_string())
                .collect()
        })
    }

    /// Makes a call for a model that reads bodies in tool results only.
    pub(crate) fn call_in_session(&self, call: &SessionCall) -> Option<String> {
        self.in_session(|session| {
            let name = match call {
                SessionCall::Activate(name) => name,
                SessionCall::Force(name) => {
                    session.forget(name);
                    name
                }
                SessionCall::Reset => {
                    session.reset();
                    return None;
                }
            };
            let arguments = json!({ "id": name });
            let model = Model::unknown();
            let answer = session.call("read_skill", &arguments, &self.registry, &model);
            let answer = self
                .runtime
                .block_on(answer)
                .expect("`read_skill` is one of the tools");
            Some(self.print(&answer.text))
        })
    }

    fn in_session<T>(&self, work: impl FnOnce(&mut Session) -> T) -> T {
        let mut session = self.session.borrow_mut();
        let session = session.get_or_insert_with(|| {
            Session::new(
                self.tools(),
                SessionOptions::new(self.registry.surface_policy()),
            )
        });
        session.start_turn(self.tools());
        work(session)
    }
}
