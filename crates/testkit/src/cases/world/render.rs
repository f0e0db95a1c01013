//! Rendering the skills of a case.

use std::path::Path;

use repertoire_core::Skill;
use repertoire_engine::Renderer;
use repertoire_registry::Entry;
use repertoire_render::{Approvals, Arguments, Call, Context, Limits, Plan, Rights, Runner, Switch, Syntax, Verdict};

use super::World;
use crate::cases::check::{RenderLine, Shell};

impl World {
    /// The body of `entry` as `line` asks for it. Commands that are on are approved as they are.
    pub(crate) fn render(&self, entry: &Entry<Skill>, line: &RenderLine) -> Result<String, String> {
        self.runtime
            .block_on(self.rendered(entry, line))
            .map(|text| self.print(&text))
            .map_err(|error| self.print(&error))
    }

    async fn rendered(&self, entry: &Entry<Skill>, line: &RenderLine) -> Result<String, String> {
        let body = self.registry.body(&entry.candidate).await.map_err(|error| error.to_string())?;
        let location = entry.item().location.as_deref().unwrap_or_default();
        let folder = Path::new(location).parent().unwrap_or(Path::new(""));
        let context = Context::new()
            .arguments(Arguments::new(line.arguments.as_str()))
            .skill_dir(folder.to_string_lossy())
            .project_dir(self.cwd.to_string_lossy());
        let plan = Plan::new(&body.text, &Syntax::of(entry.item(), None, None));

        let binding = Renderer::over(self.registry.clone()).binding(&entry.candidate, body.digest).await;
        let binding = binding.map_err(|error| error.to_string())?;
        let mut approvals = Approvals::default();
        approvals.approve(&binding);
        let switch = match line.shell {
            Shell::On => Switch::On,
            Shell::Off => Switch::Off,
        };
        let rights = Rights { switch, trust: entry.candidate.trust, approval: approvals.approval(&binding) };
        let mut limits = Limits::default();
        limits.timeout = line.timeout.unwrap_or(limits.timeout);
        let runner = Runner::new(std::env::vars_os()).limits(limits);
        let call = Call::new(folder, &context, &binding);
        let permit = |directive: &_| rights.permit(directive, |_| Verdict::Allow);
        let outcomes = runner.run(plan.directives(), call, permit).await;
        plan.render(&context, outcomes).map(|rendered| rendered.text.into_owned()).map_err(|error| error.to_string())
    }
}
