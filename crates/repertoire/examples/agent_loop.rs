//! The loop of an agent with skills. The model of this example follows a script; replace it with your provider.
//!
//! `cargo run -p repertoire --example agent_loop`

use std::collections::VecDeque;
use std::error::Error;
use std::io::{self, Write};

use repertoire::catalog::CatalogCache;
use repertoire::permission::SkillTools;
use repertoire::session::{CompactionBudget, Evaluation, Slots, ToolResult, Turn};
use repertoire::skill::{Attachable, ToolSpec, Value as FieldValue, async_trait, skill_md};
use repertoire::tools::{LiveTools, ToolFormat, ToolPreset};
use repertoire::workflow::{CheckOutcome, Checker};
use repertoire::{
    Budget, CatalogOptions, Id, MemorySource, Model, Registered, Renderer, Session, SessionOptions,
    Skill, SkillRegistry, ToolOptions,
};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    play(&mut io::stdout()).await
}

/// Runs two user messages, with a compaction between them.
pub(crate) async fn play(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let script = [
        Reply::calls([
            ("read_skill", json!({"id": "tidy", "arguments": "the desk"})),
            ("list_files", json!({"folder": "desk"})),
        ]),
        Reply::calls([(
            "move_file",
            json!({"from": "desk/b.txt", "to": "desk/text/b.txt"}),
        )]),
        Reply::text_only("The desk is tidy."),
        Reply::text_only("You are welcome."),
    ];
    let mut agent = Agent::new(ScriptedModel(script.into())).await?;
    agent.answer("Please tidy the desk.", out).await?;
    agent.shorten("The desk was tidied.", out)?;
    agent.answer("Thanks!", out).await
}

/// An agent with a model, a conversation and skills.
struct Agent {
    model: ScriptedModel,
    /// Messages in the format of the provider.
    conversation: Vec<Value>,
    tools: LiveTools,
    catalog: CatalogCache,
    reader: Renderer,
    session: Session,
    /// The tools of the host and of its skills.
    own: SkillTools,
}

/// The provider and the model, which decide the surface of bodies.
const MODEL: &str = "anthropic/claude-sonnet-4-5";
/// The maximum number of model calls for one user message.
const MOST_CALLS: usize = 8;

impl Agent {
    async fn new(model: ScriptedModel) -> Result<Agent, Box<dyn Error>> {
        // Add your sources here: folders, plugins, compiled-in skills. Use `start` instead of `load` to follow changes.
        let registry = SkillRegistry::builder().builtin(house()?).load().await?;
        let tools = LiveTools::new(registry.clone(), ToolOptions::default());
        let catalog = CatalogOptions::default()
            .read_by_tool(&ToolPreset::DEFAULT)
            .budget(Budget::for_window(Some(200_000)));
        let options = SessionOptions::new(registry.surface_policy());
        Ok(Agent {
            model,
            conversation: Vec::new(),
            session: Session::new(tools.current(), options),
            catalog: CatalogCache::new(catalog),
            own: own_tools(&registry)?,
            // Set variables and permitted commands here.
            reader: Renderer::new(registry),
            tools,
        })
    }

    /// Answers one user message.
    async fn answer(&mut self, message: &str, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
        let model = Model::from(MODEL);
        self.conversation
            .push(json!({"role": "user", "content": message}));
        // Changes of skills become visible here, and not before the next user message.
        self.session.start_turn(self.tools.current());
        let mut results: Vec<Called> = Vec::new();
        for call in 1..=MOST_CALLS {
            // Evaluates the active skills and reads their bodies.
            let returned: Vec<_> = results.iter().map(Called::result).collect();
            let turn = Turn::new(message)
                .number(call)
                .at_most(MOST_CALLS)
                .results(returned);
            let evaluation = self.session.evaluate(&turn);
            let evaluation = self.session.read(evaluation, &self.reader).await;
            for skipped in &evaluation.skipped {
                writeln!(
                    out,
                    "! {} `{}` is skipped: {}",
                    skipped.flavor, skipped.id, skipped.why
                )?;
            }

            // Composes the model call. A skill that cannot be delivered is omitted with a notice.
            let mut slots = self.session.compose(&evaluation, &model)?;
            for notice in &slots.notices {
                writeln!(out, "! {notice}")?;
            }
            // The tools of a skill are offered while it is active.
            let active: Vec<Id> = evaluation.skills().cloned().collect();
            slots.tools.extend(self.own.offered(&active));
            let offered: Vec<&str> = slots.tools.iter().map(|tool| &*tool.name).collect();
            for (id, check) in evaluation.check_tools(&offered, &[]) {
                writeln!(
                    out,
                    "  `{id}` gets {:?} of the tools that it requires",
                    check.ok
                )?;
            }
            let request = self.request(&slots, &evaluation);
            show(&request, &slots, out)?;
            let reply = self.model.answer(&request)?;
            self.conversation
                .push(json!({"role": "assistant", "content": reply.content()}));
            writeln!(out, "< {}", reply.text)?;
            if reply.calls.is_empty() {
                // Verification items of active skills: the model or a person judges texts, the host runs typed checks.
                for (id, checked) in evaluation.verify(&Desk).await {
                    checked
                        .iter()
                        .try_for_each(|(_, outcome)| writeln!(out, "? `{id}`: {outcome:?}"))?;
                }
                return Ok(());
            }

            // Runs the tool calls: the session handles tools for skills, the host all others.
            results.clear();
            for (tool, arguments) in reply.calls {
                let (text, is_error) = match self
                    .session
                    .call(&tool, &arguments, &self.reader, &model)
                    .await
                {
                    Some(answer) => (answer.text, answer.is_error),
                    // Checks every call, as a model may call a tool that was not offered.
                    None => match self.own.ruling(&tool, &arguments, &active) {
                        Some(ruling) if ruling.is_allowed() => own_tool(&tool, &arguments),
                        _ => (format!("there is no tool `{tool}` now"), true),
                    },
                };
                writeln!(
                    out,
                    "  {tool} {arguments} -> {}",
                    text.lines().next().unwrap_or_default()
                )?;
                results.push(Called {
                    tool,
                    text,
                    is_error,
                });
            }
            let content: Value = results.iter().map(Called::content).collect();
            self.conversation
                .push(json!({"role": "user", "content": content}));
        }
        Err("the model never came to an end".into())
    }

    /// Replaces the conversation by a summary and the skills that the model had read.
    fn shorten(&mut self, summary: &str, out: &mut impl Write) -> io::Result<()> {
        let again = self
            .session
            .redeliver_after_compaction(&CompactionBudget::default());
        for skill in &again.skills {
            writeln!(out, "~ {skill}")?;
        }
        self.conversation =
            vec![json!({"role": "user", "content": format!("{summary}\n\n{}", again.text)})];
        Ok(())
    }

    /// Builds the request, in the format of Anthropic.
    fn request(&mut self, slots: &Slots, evaluation: &Evaluation) -> Value {
        // The catalog marks the skills that untrusted sources suggest.
        let suggested = evaluation.suggested.iter().map(|suggested| &suggested.id);
        let catalog = self
            .catalog
            .suggesting(self.session.tools().snapshot(), suggested);
        // The constant part comes first, for the prompt cache.
        let parts = [
            "You keep a house in order.",
            catalog.text.trim_end(),
            slots.system_prompt.as_str(),
        ];
        let system: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        // By default messages go to the end and stay in the conversation.
        let messages = slots
            .messages
            .iter()
            .map(|message| json!({"role": message.role, "content": &*message.text}));
        self.conversation.extend(messages);
        let tools = ToolFormat::Anthropic.tools(&slots.tools);
        json!({"model": Model::from(MODEL).name(), "system": system.join("\n\n"), "messages": self.conversation, "tools": tools})
    }
}

/// A tool call and its result.
struct Called {
    tool: String,
    text: String,
    is_error: bool,
}

impl Called {
    fn result(&self) -> ToolResult {
        if self.is_error {
            ToolResult::failed(&self.tool, &self.text)
        } else {
            ToolResult::new(&self.tool, &self.text)
        }
    }

    fn content(&self) -> Value {
        json!({"type": "tool_result", "tool_use_id": self.tool, "content": self.text, "is_error": self.is_error})
    }
}

/// Defines the tools of the host, and the one of the skill `tidy`.
fn own_tools(registry: &SkillRegistry) -> Result<SkillTools, Box<dyn Error>> {
    let tool = |name, about| ToolSpec::new(name, about, json!({"type": "object"}));
    let own = SkillTools::new([tool("list_files", "Lists the files of a folder.")?])?;
    let snapshot = registry.snapshot();
    let tidy = snapshot.get("tidy").ok_or("`tidy` is gone")?;
    // A raw skill would need a gate first.
    let skill = Attachable::new(tidy.candidate.item.clone()).map_err(|raw| raw.to_string())?;
    Ok(own.with(&tidy.id, &skill, [tool("move_file", "Moves a file.")?])?)
}

/// Runs a tool of the host.
fn own_tool(tool: &str, arguments: &Value) -> (String, bool) {
    match tool {
        "list_files" => ("a.pdf b.txt".to_owned(), false),
        "move_file" => (
            format!("moved {}", arguments["from"].as_str().unwrap_or_default()),
            false,
        ),
        _ => (format!("there is no tool `{tool}`"), true),
    }
}

/// A checker of the tools' results.
struct Desk;

#[async_trait]
impl Checker for Desk {
    async fn check(&self, kind: &str, item: &FieldValue) -> CheckOutcome {
        match (kind, item.get("path").and_then(FieldValue::as_text)) {
            ("file-exists", Some("desk/text/b.txt")) => CheckOutcome::Passed,
            ("file-exists", Some(path)) => CheckOutcome::Failed(format!("there is no `{path}`")),
            _ => CheckOutcome::Skipped(format!("unknown kind `{kind}`")),
        }
    }
}

/// The front matter of `tidy`, with its required tools and verification.
const TIDY: &str = "---
name: tidy
description: Sorts the files of a folder. Use when something has to be tidied.
required_tools: [list_files, move_file]
verification:
  - Every file is in the folder of its kind.
  - {kind: file-exists, path: desk/text/b.txt}
---
";

/// Returns a source with the skills of this agent.
fn house() -> Result<MemorySource<Skill>, Box<dyn Error>> {
    let house = MemorySource::new("house");
    let tidy = skill_md::parse(TIDY.as_bytes(), skill_md::FileContext::new("tidy/SKILL.md"))
        .skill
        .ok_or("`tidy` is a skill")?;
    house.register(Registered::new(
        tidy,
        "Sort $ARGUMENTS by kind: a folder for each kind of file.\n",
    ))?;
    house.register(Registered::new(
        Skill::new("bake".parse()?, "Bakes bread."),
        "Heat the oven first.\n",
    ))?;
    Ok(house)
}

/// A reply of the model.
struct Reply {
    text: String,
    calls: Vec<(String, Value)>,
}

impl Reply {
    fn text_only(text: &str) -> Reply {
        Reply {
            text: text.to_owned(),
            calls: Vec::new(),
        }
    }

    fn calls<const N: usize>(calls: [(&str, Value); N]) -> Reply {
        let calls = calls.map(|(tool, arguments)| (tool.to_owned(), arguments));
        Reply {
            text: "(calls tools)".to_owned(),
            calls: calls.into(),
        }
    }

    fn content(&self) -> Value {
        let calls = self.calls.iter();
        let calls =
            calls.map(|(tool, arguments)| json!({"type": "tool_use", "id": tool, "name": tool, "input": arguments}));
        std::iter::once(json!({"type": "text", "text": self.text}))
            .chain(calls)
            .collect()
    }
}

/// A model that follows a script.
struct ScriptedModel(VecDeque<Reply>);

impl ScriptedModel {
    fn answer(&mut self, _request: &Value) -> Result<Reply, Box<dyn Error>> {
        self.0
            .pop_front()
            .ok_or_else(|| "the script is over".into())
    }
}

/// Prints the parts of a request that concern skills.
fn show(request: &Value, slots: &Slots, out: &mut impl Write) -> io::Result<()> {
    let system = request["system"].as_str().unwrap_or_default();
    let count = |key: &str| request[key].as_array().map_or(0, Vec::len);
    writeln!(
        out,
        "> {} messages, {} tools, system prompt:",
        count("messages"),
        count("tools")
    )?;
    system
        .lines()
        .try_for_each(|line| writeln!(out, "{}", format!("  | {line}").trim_end()))?;
    for placement in &slots.placements {
        let surface = placement
            .surface
            .as_ref()
            .map(|surface| format!(", {}, {}", surface.mode, surface.decided_by));
        writeln!(
            out,
            "  {} `{}`: {:?}, {:?}{}",
            placement.flavor,
            placement.id,
            placement.slot,
            placement.delivery,
            surface.unwrap_or_default()
        )?;
    }
    Ok(())
}
