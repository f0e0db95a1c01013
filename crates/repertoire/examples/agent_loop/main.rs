//! The loop of an agent with skills. The model of this example follows a script; replace it with your provider.
//!
//! `cargo run -p repertoire --example agent_loop`

mod answer;
mod house;
mod provider;
mod script;
mod show;

use std::error::Error;
use std::io::{self, Write};

use repertoire::catalog::CatalogCache;
use repertoire::session::CompactionBudget;
use repertoire::tools::{LiveTools, ToolPreset};
use repertoire::{
    Budget, CatalogOptions, Model, Renderer, Session, SessionOptions, SkillRegistry, ToolOptions,
};
use serde_json::Value;

use provider::{Called, Conversation};
use script::ScriptedModel;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    play(&mut io::stdout()).await
}

/// Runs two user messages, with a compaction between them.
pub(crate) async fn play(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut agent = Agent::new().await?;
    agent.answer("Please tidy the desk.", out).await?;
    agent.shorten("The desk was tidied.", out)?;
    agent.answer("Thanks!", out).await
}

/// An agent with a model, a conversation and skills.
struct Agent {
    model: ScriptedModel,
    conversation: Conversation,
    tools: LiveTools,
    reader: Renderer,
    session: Session,
}

impl Agent {
    async fn new() -> Result<Agent, Box<dyn Error>> {
        // Add your sources here: folders, plugins, compiled-in skills. Use `start` instead of `load` to follow changes.
        let registry = SkillRegistry::builder()
            .builtin(house::skills()?)
            .load()
            .await?;
        let tools = LiveTools::new(registry.clone(), ToolOptions::default());
        let catalog = CatalogOptions::default()
            .read_by_tool(&ToolPreset::DEFAULT)
            .budget(Budget::for_window(Some(200_000)));
        let options = SessionOptions::new(registry.surface_policy());
        // The session offers the tools of the host, and those of a skill while it is active.
        let options = options.tools(house::own_tools(&registry)?);
        Ok(Agent {
            model: ScriptedModel::new(),
            session: Session::new(tools.current(), options),
            conversation: Conversation::new(CatalogCache::new(catalog)),
            // Set variables and permitted commands here.
            reader: Renderer::new(registry),
            tools,
        })
    }

    /// Runs a tool call: the session handles tools for skills, the host all others.
    async fn call(&mut self, tool: String, arguments: &Value, model: &Model) -> Called {
        if let Some(output) = self
            .session
            .call(&tool, arguments, &self.reader, model)
            .await
        {
            return Called::new(tool, output.text, output.is_error);
        }
        // Checks every call, as a model may call a tool that was not offered.
        let (text, is_error) = match self.session.decision(&tool, arguments) {
            Some(decision) if decision.is_allowed() => house::run_tool(&tool, arguments),
            _ => (format!("there is no tool `{tool}` now"), true),
        };
        Called::new(tool, text, is_error)
    }

    /// Replaces the conversation by a summary and the skills that the model had read.
    fn shorten(&mut self, summary: &str, out: &mut impl Write) -> io::Result<()> {
        let budget = CompactionBudget::default();
        let again = self.session.redeliver_after_compaction(&budget);
        for skill in &again.skills {
            writeln!(out, "~ {skill}")?;
        }
        self.conversation
            .restart(&format!("{summary}\n\n{}", again.text));
        Ok(())
    }
}
