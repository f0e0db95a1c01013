mod activating;
mod compaction;
mod delivery;
mod evaluating;
mod laws;
mod long_sessions;
mod messages;
mod naming;
mod templates;
mod tools;
mod triggering;

use repertoire_core::{
    Bytes, Content, DecidedBy, Flavor, Injection, Message, Model, Resource, ResourcePath, Role,
    Skill, Slot, SourceError, SourceErrorKind, Surface, SurfaceMode, SurfacePolicy, ToolSpec,
    Trigger, async_trait, skill_md,
};
use repertoire_registry::{Candidate, MemorySource, Mount, Registered, SkillRegistry, Tier, Trust};
use serde_json::json;

use super::*;
use crate::tools::{Instructions, SkillReader, ToolOptions, ToolStatus};
use repertoire_permission::{Exposure, HiddenReason, VisibilityPolicy};

fn claude() -> Model {
    Model::from("anthropic/claude-sonnet-4-5")
}

fn gpt() -> Model {
    Model::from("openai/gpt-4o")
}

fn id(id: &str) -> Id {
    id.parse().unwrap()
}

fn skill(front_matter: &str) -> Skill {
    let text = format!("---\n{front_matter}\n---\n");
    skill_md::parse(text.as_bytes(), skill_md::FileContext::new("SKILL.md"))
        .skill
        .expect("a skill")
}

/// Skills whose body says `<name> body`, and what else their front matter says.
struct TestEnv {
    home: MemorySource<Skill>,
    registry: SkillRegistry,
    modes: VisibilityPolicy,
}

impl TestEnv {
    async fn of(front_matters: &[&str]) -> TestEnv {
        TestEnv::trusted(front_matters, Trust::Trusted).await
    }

    async fn trusted(front_matters: &[&str], trust: Trust) -> TestEnv {
        TestEnv::at(front_matters, Tier::User, trust).await
    }

    async fn at(front_matters: &[&str], tier: Tier, trust: Trust) -> TestEnv {
        let home = MemorySource::new("home");
        for front_matter in front_matters {
            let skill = skill(&format!("description: Does it.\n{front_matter}"));
            let body = format!("{} body", skill.id);
            home.register(Registered::new(skill, body)).unwrap();
        }
        let mount = match tier {
            Tier::Builtin => Mount::builtin(home.clone()),
            Tier::User => Mount::user(home.clone()),
            Tier::Plugin => Mount::plugin(home.clone()),
        };
        let registry = SkillRegistry::builder()
            .mount(mount.trust(trust))
            .load()
            .await
            .unwrap();
        TestEnv {
            home,
            registry,
            modes: VisibilityPolicy::default(),
        }
    }

    fn tools(&self) -> Toolset {
        let options = ToolOptions::default().modes(self.modes.clone());
        Toolset::new(&self.registry.snapshot(), &options)
    }

    fn session(&self, options: SessionOptions) -> Session {
        Session::new(self.tools(), options)
    }

    fn hide(&mut self, name: &str) {
        self.modes = self
            .modes
            .clone()
            .with(name.parse().unwrap(), Exposure::Off);
    }

    async fn rewrite(&self, name: &str, body: &str) {
        self.home
            .replace(
                &id(name),
                Registered::new(skill(&format!("name: {name}\ndescription: New.")), body),
            )
            .unwrap();
        self.registry.refresh().await.unwrap();
    }

    /// Returns the text that the model gets for `name`.
    async fn read(&self, session: &mut Session, name: &str, model: &Model) -> String {
        self.read_with(session, json!({"id": name}), model).await
    }

    async fn read_with(
        &self,
        session: &mut Session,
        arguments: serde_json::Value,
        model: &Model,
    ) -> String {
        let answer = session
            .call("read_skill", &arguments, &self.registry, model)
            .await
            .unwrap();
        assert_eq!(answer.code, ToolStatus::Ok, "{}", answer.text);
        answer.text
    }

    /// The slots of the next call.
    async fn slots(&self, session: &mut Session, turn: &Turn, model: &Model) -> Slots {
        self.try_slots(session, turn, model).await.unwrap()
    }

    async fn try_slots(
        &self,
        session: &mut Session,
        turn: &Turn,
        model: &Model,
    ) -> Result<Slots, EngineError> {
        let evaluation = session.evaluate(turn);
        let evaluation = session.read(evaluation, &self.registry).await;
        assert_each_once(&evaluation);
        session.compose(&evaluation, model)
    }
}

fn plain() -> SessionOptions {
    SessionOptions::new(SurfacePolicy::default())
}

fn declaring(mode: SurfaceMode) -> SessionOptions {
    let mut policy = SurfacePolicy::default();
    policy.default = Some(mode);
    SessionOptions::new(policy)
}

fn injection(name: &str, flavor: Flavor, trigger: Trigger, content: Content) -> Injection {
    Injection::new(id(name), flavor, trigger, "", content).unwrap()
}

fn steering(name: &str, trigger: Trigger) -> Injection {
    injection(
        name,
        Flavor::Steering,
        trigger,
        Content::system_prompt(format!("{name} text")),
    )
}

fn message(name: &str, role: Role) -> Injection {
    injection(
        name,
        Flavor::Fact,
        Trigger::Always,
        Content::message(role, format!("{name} text")),
    )
}

/// The skills that a call leaves out because they would reach the model nowhere.
fn left_out(slots: &Slots) -> Vec<&str> {
    let mut left_out = Vec::new();
    for notice in &slots.notices {
        if let NoticeReason::NoToolRead(_) | NoticeReason::NotRead = notice.why {
            left_out.push(notice.id.as_str());
        }
    }
    left_out
}

fn suggested(evaluation: &Evaluation) -> Vec<&str> {
    evaluation
        .suggested
        .iter()
        .map(|suggested| suggested.id.as_str())
        .collect()
}

fn ids(evaluation: &Evaluation) -> Vec<&str> {
    evaluation
        .active
        .iter()
        .map(|active| active.id.as_str())
        .collect()
}

fn active(session: &Session) -> Vec<String> {
    session
        .active()
        .iter()
        .map(|skill| skill.id.to_string())
        .collect()
}

/// E10: nothing is in both lists, and nothing twice in one.
#[track_caller]
fn assert_each_once(evaluation: &Evaluation) {
    let active = evaluation
        .active
        .iter()
        .map(|active| (active.flavor.clone(), active.id.clone()));
    let skipped = evaluation
        .skipped
        .iter()
        .map(|skipped| (skipped.flavor.clone(), skipped.id.clone()));
    let suggested = evaluation
        .suggested
        .iter()
        .map(|suggested| (Flavor::Skill, suggested.id.clone()));
    let all: Vec<_> = active.chain(skipped).chain(suggested).collect();
    let unique: std::collections::HashSet<_> = all.iter().collect();
    assert_eq!(unique.len(), all.len(), "{all:?}");
}

fn times(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

/// Cannot read the skill of this name.
struct Broken<'a>(&'a SkillRegistry, &'static str);

#[async_trait]
impl SkillReader for Broken<'_> {
    async fn body(
        &self,
        candidate: &Candidate<Skill>,
        arguments: &str,
    ) -> Result<Instructions, SourceError> {
        if candidate.item.id.as_str() == self.1 {
            return Err(SourceError::new(SourceErrorKind::Unavailable, "not now"));
        }
        SkillReader::body(self.0, candidate, arguments).await
    }

    async fn resources(&self, candidate: &Candidate<Skill>) -> Result<Vec<Resource>, SourceError> {
        SkillReader::resources(self.0, candidate).await
    }

    async fn resource(
        &self,
        candidate: &Candidate<Skill>,
        path: &ResourcePath,
    ) -> Result<Bytes, SourceError> {
        SkillReader::resource(self.0, candidate, path).await
    }
}
