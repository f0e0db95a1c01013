//! Every skill of the corpus at once in the documented loop of a host.

use std::collections::BTreeSet;
use std::fmt;

use repertoire::permission::Audience;
use repertoire::session::{Lifetime, ToolResult, Turn};
use repertoire::tools::{LiveTools, SkillReader, ToolPreset, ToolStatus};
use repertoire::{
    Catalog, CatalogOptions, MemorySource, Model, Registered, Session, SessionOptions, Skill,
    SkillRegistry, ToolOptions,
};
use repertoire_core::skill_md::{self, FileContext};
use repertoire_core::{Digest, Id};

use crate::Failure;

/// Models on each surface.
const MODELS: [(&str, &str); 4] = [
    ("anthropic", "claude-sonnet-4-5"),
    ("anthropic", "claude-2.1"),
    ("openai", "gpt-4o"),
    ("local", "model-1"),
];

/// The distinct skills of the corpus.
pub(super) struct Skills {
    source: MemorySource<Skill>,
    digests: BTreeSet<String>,
    skills: Vec<Skill>,
}

/// The result of the loop over every skill.
pub(super) struct Conversations {
    skills: usize,
    delivered: usize,
    /// The skills that did not reach the model, each with the model and the reason.
    pub(super) broken: Vec<String>,
}

impl Skills {
    pub(super) fn new() -> Skills {
        Skills {
            source: MemorySource::new("corpus"),
            digests: BTreeSet::new(),
            skills: Vec::new(),
        }
    }

    /// Registers the skill of a file unless a file of the same bytes was there before.
    pub(super) fn add(&mut self, bytes: &[u8], site: FileContext<'_>) -> Result<(), Failure> {
        let Some(mut skill) = skill_md::parse(bytes, site).skill else {
            return Ok(());
        };
        let Some(at) = skill_md::find_front_matter_end(bytes) else {
            return Ok(());
        };
        let Ok(body) = std::str::from_utf8(&bytes[at..]) else {
            return Ok(());
        };
        let is_reachable = !skill.disable_model_invocation || skill.user_invocable;
        if body.trim().is_empty()
            || !is_reachable
            || !self.digests.insert(Digest::of(bytes).to_string())
        {
            return Ok(());
        }
        if self.skills.iter().any(|known| known.id == skill.id) {
            skill.id = format!("corpus-{}", self.skills.len()).parse()?;
        }
        // The loop runs inside of no workflow.
        skill.allowed_workflows = None;
        self.skills.push(skill.clone());
        self.source.register(Registered::new(skill, body))?;
        Ok(())
    }

    /// Has one conversation with each model. Every skill is offered in all of them and asked for in one.
    pub(super) async fn converse(self) -> Result<Conversations, Failure> {
        let registry = SkillRegistry::builder().user(self.source).load().await?;
        let tools = LiveTools::new(registry.clone(), ToolOptions::default());
        let options = CatalogOptions::default().read_by_tool(&ToolPreset::DEFAULT);
        let offered = Catalog::new(&registry.snapshot(), &options).report;
        let offered: BTreeSet<&Id> = offered.lines().iter().map(|line| &line.id).collect();

        let mut sessions = MODELS.map(|(provider, name)| {
            let options =
                SessionOptions::new(registry.surface_policy()).lifetime(Lifetime::Message);
            (
                Model::new(name).with_provider(provider),
                Session::new(tools.current(), options),
            )
        });
        let mut conversations = Conversations {
            skills: self.skills.len(),
            delivered: 0,
            broken: Vec::new(),
        };
        for (number, skill) in self.skills.iter().enumerate() {
            // The models take turns, so that each of them gets a part of the corpus.
            let (model, session) = &mut sessions[number % MODELS.len()];
            let is_offered = skill.disable_model_invocation || offered.contains(&skill.id);
            let delivered = match is_offered {
                true => deliver(skill, session, &tools, &registry, model).await,
                false => Err("it is not in the catalog".to_owned()),
            };
            match delivered {
                Ok(()) => conversations.delivered += 1,
                Err(fault) => {
                    conversations.broken.push(format!(
                        "{}: {}: {fault}",
                        skill.id,
                        model.name().unwrap_or_default()
                    ));
                }
            }
        }
        Ok(conversations)
    }
}

/// Runs the loop for one message, in which the model, or the user in its place, asks for `skill`.
async fn deliver(
    skill: &Skill,
    session: &mut Session,
    tools: &LiveTools,
    registry: &SkillRegistry,
    model: &Model,
) -> Result<(), String> {
    session.start_turn(tools.current());
    let mut prompt = String::new();
    let mut result = String::new();
    if skill.disable_model_invocation {
        let activated = session.activate(Audience::User, skill.id.as_str(), "");
        activated.map_err(|error| error.to_string())?;
    }
    for number in 1..=2 {
        let returned = [ToolResult::new("read_skill", &result)];
        let turn = Turn::new(&*skill.description)
            .number(number)
            .results(&returned[..number - 1]);
        let evaluation = session.evaluate(&turn);
        let evaluation = session.read(evaluation, registry).await;
        let slots = session
            .compose(&evaluation, model)
            .map_err(|error| error.to_string())?;
        prompt = slots.system_prompt.clone();
        if number == 1 && !skill.disable_model_invocation {
            let arguments = serde_json::json!({"id": skill.id});
            let answer = session
                .call("read_skill", &arguments, registry, model)
                .await;
            let answer = answer.ok_or("`read_skill` is not a tool of the session")?;
            if answer.code != ToolStatus::Ok {
                return Err(answer.text);
            }
            result = answer.text;
        }
    }
    let entry = registry
        .get(skill.id.as_str())
        .ok_or("it is not registered")?;
    let body = SkillReader::body(registry, &entry.candidate, "")
        .await
        .map_err(|error| error.to_string())?;
    let first = body.text.trim().lines().next().unwrap_or_default();
    let is_delivered = prompt.contains(first) || result.contains(first);
    if is_delivered {
        Ok(())
    } else {
        Err("its body reached the model nowhere".to_owned())
    }
}

impl fmt::Display for Conversations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Conversations {
            skills,
            delivered,
            broken,
        } = self;
        write!(
            f,
            "{skills} skills, {delivered} delivered, {} broken",
            broken.len()
        )
    }
}
