//! A host with everything: embedded skills, a folder that is followed, roles, compaction, and a session that is stored.
//!
//! `cargo run -p repertoire --example full_host`

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use repertoire::permission::{PermissionPolicy, SkillTools, VisibilityPolicy};
use repertoire::session::CompactionBudget;
use repertoire::skill::ToolSpec;
use repertoire::source::statics::{StaticList, embed_skill, embed_skills};
use repertoire::tools::LiveTools;
use repertoire::{
    FsSource, Model, Renderer, Session, SessionOptions, SkillRegistry, StaticSource, ToolOptions,
};
use serde_json::{Value, json};
use tokio::runtime::Handle;

static HOUSE: StaticList = embed_skills!("examples/full_host/skills");
static OFFICE: StaticList = StaticList::new(&[embed_skill!("examples/full_host/payroll.md")]);
const PLAN: &str = "---\nname: plan\ndescription: Plans a week.\n---\nAsk for the goal.\n";

struct Host {
    registry: SkillRegistry,
    tools: LiveTools,
    reader: Renderer,
    other_tools: SkillTools,
}

impl Host {
    async fn start(home: &Path) -> Result<Host, Box<dyn Error>> {
        let registry = SkillRegistry::builder()
            .builtin(StaticSource::new("house", HOUSE))
            .builtin(StaticSource::new("office", OFFICE))
            .user(FsSource::new("home", home))
            .start(&Handle::current())
            .await?;
        // The role decides which skills and tools the model has.
        let roles = [("guest", ["list_files"]), ("owner", ["move_file"])];
        let policy = PermissionPolicy::new(roles, "guest")?;
        let policy = Arc::new(policy.skills("guest", ["tidy".parse()?, "plan".parse()?])?);
        let visible = VisibilityPolicy::default().permitted_by(policy.clone());
        let tool = |name| ToolSpec::new(name, "Works on files.", json!({"type": "object"}));
        let other = [tool("list_files")?, tool("move_file")?];
        Ok(Host {
            tools: LiveTools::new(registry.clone(), ToolOptions::default().modes(visible)),
            reader: Renderer::new(registry.clone()),
            other_tools: SkillTools::new(other)?.permitted_by(policy),
            registry,
        })
    }

    fn options(&self) -> SessionOptions {
        SessionOptions::new(self.registry.surface_policy()).tools(self.other_tools.clone())
    }

    /// Answers a call of the model. The session handles the tools for skills.
    async fn call(&self, session: &mut Session, tool: &str, arguments: Value) -> String {
        let model = Model::from("anthropic/claude-sonnet-4-5");
        let answer = session.call(tool, &arguments, &self.reader, &model);
        let answer = answer.await;
        match (answer, session.decision(tool, &arguments)) {
            (Some(answer), _) => answer.text,
            (None, Some(decision)) if decision.is_allowed() => "a.pdf b.txt".to_owned(),
            // `AccessDecision::rule` is for the log of the host.
            _ => format!("there is no tool `{tool}`"),
        }
    }
}

/// Runs a conversation that is compacted, stored and resumed, and prints what the model gets.
pub(crate) async fn play(home: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let host = Host::start(home).await?;
    let mut session = Session::new(host.tools.current(), host.options());
    for (tool, arguments) in [
        ("read_skill", json!({"id": "tidy"})),
        ("read_skill", json!({"id": "payroll"})),
        ("list_files", json!({})),
        ("move_file", json!({})),
    ] {
        let answer = host.call(&mut session, tool, arguments.clone()).await;
        writeln!(out, "> {tool} {arguments}\n{}", answer.trim_end())?;
    }
    // After a summary of the conversation, the skills that the model had read come again.
    let again = session.redeliver_after_compaction(&CompactionBudget::new(500, 2_000));
    writeln!(out, "> after compaction\n{}", again.text.trim_end())?;
    let stored = serde_json::to_string(&session.state())?;

    // A skill that arrives in the meantime is in the resumed session.
    let mut changes = host.registry.subscribe();
    fs::create_dir(home.join("plan"))?;
    fs::write(home.join("plan/SKILL.md"), PLAN)?;
    while host.registry.get("plan").is_none() {
        changes.next().await.ok_or("the registry is closed")?;
    }
    let (state, tools) = (serde_json::from_str(&stored)?, host.tools.current());
    let (mut session, notices) = Session::resume(state, tools, host.options(), &host.reader).await;
    notices
        .iter()
        .try_for_each(|notice| writeln!(out, "! {notice}"))?;
    let plan = json!({"id": "plan"});
    host.call(&mut session, "read_skill", plan).await;
    for active in session.active() {
        writeln!(out, "> resumed with {}", active.id)?;
    }
    host.registry.close().await;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let home = std::env::temp_dir().join(format!("full-host-{}", std::process::id()));
    fs::create_dir(&home)?;
    let played = play(&home, &mut io::stdout()).await;
    fs::remove_dir_all(&home)?;
    played
}
