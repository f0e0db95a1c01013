//! The doors of a case.

use repertoire_engine::{Answer, Audience, ToolOptions, Toolset};
use repertoire_registry::{Authority, RuleSet, RuleStack, Target};
use serde_json::json;

use super::World;

impl World {
    /// The tools that a model would be offered.
    pub(crate) fn tools(&self) -> Toolset {
        Toolset::of(&self.snapshot(), &ToolOptions::default())
    }

    /// What `by` gets who asks for the instructions of `name`.
    pub(crate) fn activate(&self, by: Audience, name: &str) -> Answer {
        let tools = Toolset::of(&self.snapshot(), &ToolOptions::default().seen_by(by));
        let arguments = json!({ "id": name });
        let answer = self.runtime.block_on(tools.call("read_skill", &arguments, &self.registry));
        let answer = answer.expect("`read_skill` is one of the tools");
        self.print(&answer.text);
        answer
    }

    /// What `check` gives while these skills are switched off.
    pub(crate) fn with_disabled<T>(&self, names: &[String], check: impl FnOnce() -> T) -> T {
        let targets = names.iter().filter_map(|name| name.parse::<Target>().ok());
        let level = targets.fold(RuleSet::new("case", Authority::Full), RuleSet::disable);
        self.registry.set_rules(&RuleStack::new([level]));
        let checked = check();
        self.registry.set_rules(&RuleStack::default());
        checked
    }
}
