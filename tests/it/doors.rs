//! Hidden means absent: every door, every reason to be hidden, both audiences.
//!
//! A new way to reach a skill adds a line to [`said`]; a new reason adds one to [`VEILED`].

mod mcp;

use std::sync::Arc;

use repertoire::catalog::{CatalogCache, Format};
use repertoire::permission::{Audience, Hidden, Mode, Modes, PermissionPolicy};
use repertoire::registry::{Authority, Candidate, RuleSet, RuleStack, Snapshot};
use repertoire::search::{Hit, Index, Query};
use repertoire::session::{Lifetime, SessionState, Since, Survival};
use repertoire::skill::{
    Bytes, FunctionalTier, InvokeLevel, Resource, ResourcePath, SkillTrigger, SourceError, Value, async_trait,
};
use repertoire::tools::{Answer, AnswerCode, Instructions, LiveTools, Reader, ToolFormat, ToolPreset, Toolset};
use repertoire::trigger::{Fired, FiredBy, Occasion, Triggers};
use repertoire::workflow::{NeedKind, Probe};
use repertoire::{
    Catalog, CatalogOptions, MemorySource, Mount, Registered, Session, SessionOptions, Skill, SkillRegistry,
    ToolOptions, Trust, Turn,
};
use serde_json::json;

use Audience::{Model, User};

/// The one skill that everybody sees.
const OPEN: &str = "release-notes";

/// What is hidden, why, and from whom.
const VEILED: [(&str, Hidden, &[Audience]); 12] = [
    ("release-ruled", Hidden::Disabled, &[Model, User]),
    ("release-quiet", Hidden::Disabled, &[Model, User]),
    ("release-stray", Hidden::Pending, &[Model, User]),
    ("release-byhand", Hidden::ForUsersOnly, &[Model]),
    ("release-manual", Hidden::ForUsersOnly, &[Model]),
    ("release-habit", Hidden::ForModelsOnly, &[User]),
    ("release-flow", Hidden::OtherWorkflow, &[Model, User]),
    ("release-label", Hidden::Filtered, &[Model, User]),
    ("release-level", Hidden::Filtered, &[Model]),
    ("release-payroll", Hidden::Denied, &[Model, User]),
    ("release-needy", Hidden::NotReady, &[Model, User]),
    ("release-spare", Hidden::NotNeeded, &[Model, User]),
];

/// Skills and what hides them.
struct World {
    registry: SkillRegistry,
    modes: Modes,
}

/// No tool is there, and every set of tools.
#[derive(Debug)]
struct NoTools;

impl Probe for NoTools {
    fn has(&self, kind: NeedKind, _: &str) -> Option<bool> {
        Some(kind != NeedKind::Tool)
    }
}

/// A skill as it declares itself, or one that declares nothing.
fn skill(id: &str, declares: bool) -> Skill {
    let mut skill = Skill::new(id.parse().unwrap(), format!("Handles the {id} of a product."));
    let command = Value::Map(vec![("command".into(), Value::text("ship"))]);
    skill.fields.push(("triggers".into(), Value::List(vec![Value::text("product launch"), command])));
    if !declares {
        return skill;
    }
    let mut field = |key: &str, text: &str| skill.fields.push((key.into(), Value::text(text)));
    field("functional-tier", if id == "release-label" { "audit-proof" } else { "integration" });
    field("invoke-level", if id == "release-level" { "3" } else { "2" });
    if id == "release-needy" {
        field("required_tools", "press");
    }
    if id == "release-spare" {
        let hermes = Value::Map(vec![("fallback_for_toolsets".into(), Value::text("web"))]);
        skill.fields.push(("metadata".into(), Value::Map(vec![("hermes".into(), hermes)])));
    }
    skill.disable_model_invocation = id == "release-byhand";
    skill.user_invocable = id != "release-habit";
    skill.allowed_workflows = (id == "release-flow").then(|| vec!["deploy".into()]);
    skill
}

fn source(name: &str, skills: impl IntoIterator<Item = Skill>) -> MemorySource<Skill> {
    let source = MemorySource::named(name);
    for skill in skills {
        let body = format!("The inside of {}.", skill.id);
        source.register(Registered::new(skill, body.as_str())).unwrap();
    }
    source
}

impl World {
    /// Everything that is veiled is hidden, each for its reason.
    async fn veiled() -> World {
        let ids = VEILED.iter().map(|(id, ..)| *id).filter(|id| *id != "release-stray");
        let home = source("home", ids.chain([OPEN]).map(|id| skill(id, true)));
        let clone = source("clone", [skill("release-stray", true), skill(OPEN, true)]);
        let rules = RuleStack::new([RuleSet::new("user", Authority::Full).disable("release-ruled".parse().unwrap())]);
        let registry = SkillRegistry::builder()
            .user(home)
            .mount(Mount::user(clone).trust(Trust::Pending))
            .rules(rules)
            .load()
            .await
            .unwrap();
        let allowed = VEILED.iter().map(|(id, ..)| *id).filter(|id| *id != "release-payroll").chain([OPEN]);
        let policy = PermissionPolicy::from_roles([("support", Vec::<&str>::new())], "support").unwrap();
        let policy = policy.with_skills("support", allowed.map(|id| id.parse().unwrap())).unwrap();
        let modes = Modes::default()
            .with("release-quiet".parse().unwrap(), Mode::Off)
            .with("release-manual".parse().unwrap(), Mode::ManualOnly)
            .functional_tiers([FunctionalTier::Integration])
            .invoke_level(InvokeLevel::Executor)
            .permitted_by(Arc::new(policy))
            .ready_by(Arc::new(NoTools));
        World { registry, modes }
    }

    /// The same skills, and nothing hides any of them.
    async fn open() -> World {
        let ids = VEILED.iter().map(|(id, ..)| *id).chain([OPEN]);
        let home = source("home", ids.map(|id| skill(id, false)));
        World { registry: SkillRegistry::builder().user(home).load().await.unwrap(), modes: Modes::default() }
    }

    fn tools(&self, audience: Audience) -> ToolOptions {
        ToolOptions::default().seen_by(audience).modes(self.modes.clone())
    }
}

/// The hidden names that occur in `text`, however it writes them.
fn leaked(text: &str, audience: Audience) -> Vec<&'static str> {
    let hidden = VEILED.iter().filter(|(.., from)| from.contains(&audience)).map(|(id, ..)| *id);
    hidden.filter(|id| text.contains(id.trim_start_matches("release-"))).collect()
}

/// All that `audience` is told at every door, none of which was told a hidden name before: the door and the text.
async fn said(world: &World, audience: Audience) -> Vec<(String, String)> {
    let (registry, modes) = (&world.registry, &world.modes);
    let snapshot = registry.snapshot();
    let mut said = Vec::new();
    let mut at = |door: &str, text: String| said.push((door.to_owned(), text));

    let catalogs = CatalogOptions::default().seen_by(audience).modes(modes.clone());
    for format in [Format::Xml, Format::Indented, Format::Reference, Format::Bullets, Format::Lines, Format::Json] {
        let catalog = Catalog::of(&snapshot, &catalogs.clone().format(format));
        at(&format!("catalog {format:?}"), format!("{}{:?}", catalog.text, catalog.report));
    }
    at("kept catalog", CatalogCache::new(catalogs).of(&snapshot).text.clone());

    let options = world.tools(audience);
    let with_catalog = options.clone().catalog(CatalogOptions::default());
    for (door, options) in [("tools", &options), ("tools with a catalog", &with_catalog)] {
        let tools = Toolset::of(&snapshot, options);
        for format in [ToolFormat::Anthropic, ToolFormat::OpenAiChat, ToolFormat::OpenAiResponses, ToolFormat::Gemini] {
            at(&format!("{door} {format:?}"), format.tools(tools.tools()).to_string());
        }
    }
    for preset in ToolPreset::ALL {
        let tools = Toolset::of(&snapshot, &options.clone().preset(preset.clone()));
        for (tool, arguments) in calls(preset) {
            let answer = tools.call(&tool, &arguments, registry).await.unwrap();
            at(&format!("{} {tool} {arguments}", preset.name), answer.text);
        }
    }

    let index = Index::of(&snapshot);
    let query = |text: &str| Query::new(text).seen_by(audience).modes(modes.clone()).limit(100);
    let hits = |hits: &[Hit]| hits.iter().map(|hit| format!("{} {:?}\n", hit.entry.id, hit.why)).collect::<String>();
    for text in ["", "release", "handles the product", "release-ntoes", "payrol"] {
        at(&format!("search {text:?}"), hits(&index.search(&query(text))));
        let near = index.near(&query(text));
        at(&format!("near {text:?}"), near.iter().map(|entry| format!("{}\n", entry.id)).collect());
    }
    let ranked: Vec<_> = snapshot.entries().iter().map(|entry| entry.id.clone()).collect();
    at("ranked", hits(&index.search_with(&query("product"), &ranked)));

    let empty = SkillRegistry::builder().load().await.unwrap().snapshot();
    for (door, old, new) in [("news of what came", &empty, &snapshot), ("news of what went", &snapshot, &empty)] {
        at(door, modes.news(audience, old, new).map(|news| news.to_string()).unwrap_or_default());
    }

    let named: Vec<_> = snapshot.entries().iter().map(|entry| format!("${}", entry.id)).collect();
    let message = format!("A product launch: {}", named.join(" "));
    let fired = Triggers::of(&snapshot).fired(&Occasion::of(&message).command("ship").modes(modes));
    let is_users = |fired: &&Fired| match &fired.by {
        FiredBy::Declared(trigger) => matches!(trigger, SkillTrigger::Command(_)),
        _ => true,
    };
    let fired = fired.iter().filter(|fired| is_users(fired) == (audience == User));
    at("triggers", fired.map(|fired| format!("{} {:?}\n", fired.entry.id, fired.by)).collect());

    let menu = snapshot.entries().iter().filter(|entry| modes.sees(audience, &entry.candidate));
    at("menu", menu.map(|entry| format!("/{}\n", entry.id)).collect());
    said
}

/// Calls of the tools of `preset` that name nobody who is hidden.
fn calls(preset: &ToolPreset) -> Vec<(String, serde_json::Value)> {
    let mut calls = Vec::new();
    for name in preset.list.iter() {
        calls.push((name.to_string(), json!({})));
        calls.push((name.to_string(), json!({"query": "release product", "limit": 200})));
    }
    for name in preset.search.iter() {
        calls.extend(["release", "product", "releas"].map(|query| (name.to_string(), json!({"query": query}))));
    }
    let ids = ["release", "relaese-x", "nobody", "home:nobody", "clone:nobody"];
    for id in ids {
        calls.push((preset.read.name.to_string(), json!({preset.read.id.as_ref(): id})));
        if let Some(tool) = &preset.resource {
            let arguments = json!({tool.id.as_ref(): id, tool.path.as_ref(): "a.md"});
            calls.push((tool.name.to_string(), arguments));
        }
    }
    calls
}

#[tokio::test]
async fn what_is_hidden_is_named_at_no_door() {
    let world = World::veiled().await;
    for audience in [Model, User] {
        for (door, text) in said(&world, audience).await {
            assert_eq!(leaked(&text, audience), [""; 0], "{audience:?} at {door}: {text}");
        }
    }
}

/// The check above would see a name: where nothing is hidden, every name is told, and by all doors that list.
#[tokio::test]
async fn what_is_not_hidden_is_named_at_the_same_doors() {
    let world = World::open().await;
    for audience in [Model, User] {
        let all = leaked(&VEILED.map(|(id, ..)| id).concat(), audience);
        for (door, text) in said(&world, audience).await {
            let lists =
                ["catalog", "kept", "tools", "search \"\"", "search \"release\"", "ranked", "news", "triggers", "menu"];
            if lists.iter().any(|list| door.starts_with(list)) {
                assert_eq!(leaked(&text, audience), all, "{audience:?} at {door}: {text}");
            }
        }
    }
}

/// The reason and the audience for each that is veiled, and what a host is told.
#[tokio::test]
async fn what_is_hidden_is_hidden_for_its_reason_and_from_its_audience() {
    let world = World::veiled().await;
    let snapshot = world.registry.snapshot();
    for (id, reason, from) in VEILED {
        let candidate = &snapshot.get(id).unwrap().candidate;
        for audience in [Model, User] {
            let expected = from.contains(&audience).then_some(reason);
            assert_eq!(world.modes.hides(audience, candidate), expected, "{id} from {audience:?}");
            let why = world.modes.explain(audience, candidate).unwrap_or_default();
            assert!(why.starts_with(&expected.map(|hidden| hidden.to_string()).unwrap_or_default()), "{id}: {why}");
        }
    }
}

/// Reads from a registry, and remembers nothing of it: a read that is let through gives the inside away.
#[derive(Debug)]
struct Inside;

#[async_trait]
impl Reader for Inside {
    async fn body(&self, candidate: &Candidate<Skill>, _: &str) -> Result<Instructions, SourceError> {
        Ok(format!("The inside of {}.", candidate.item.id).into())
    }

    async fn resources(&self, _: &Candidate<Skill>) -> Result<Vec<Resource>, SourceError> {
        Ok(Vec::new())
    }

    async fn resource(&self, _: &Candidate<Skill>, _: &ResourcePath) -> Result<Bytes, SourceError> {
        Ok(Bytes::from_static(b"The inside."))
    }
}

/// What the doors that read answer to who names `id` in full.
async fn read(tools: &Toolset, preset: &ToolPreset, id: &str) -> Vec<Answer> {
    let mut answers = Vec::new();
    let arguments = json!({preset.read.id.as_ref(): id});
    answers.push(tools.call(&preset.read.name, &arguments, &Inside).await.unwrap());
    if let Some(tool) = &preset.resource {
        let arguments = json!({tool.id.as_ref(): id, tool.path.as_ref(): "a.md"});
        answers.push(tools.call(&tool.name, &arguments, &Inside).await.unwrap());
    }
    answers
}

#[tokio::test]
async fn who_names_what_is_hidden_gets_nothing_of_it() {
    let world = World::veiled().await;
    let snapshot = world.registry.snapshot();
    for (audience, preset) in ToolPreset::ALL.into_iter().flat_map(|preset| [(Model, preset), (User, preset)]) {
        let tools = Toolset::of(&snapshot, &world.tools(audience).preset(preset.clone()));
        for (id, reason, from) in VEILED {
            let source = if reason == Hidden::Pending { "clone" } else { "home" };
            for name in [id.to_owned(), format!("{source}:{id}")] {
                for answer in read(&tools, preset, &name).await {
                    let what = format!("{audience:?} reads {name} by {}: {answer:?}", preset.name);
                    assert_eq!(answer.text.contains("inside"), !from.contains(&audience), "{what}");
                    if from.contains(&audience) {
                        assert_eq!((answer.code, answer.read.is_some()), (AnswerCode::Refused, false), "{what}");
                        assert!(
                            answer.trouble.as_deref().is_some_and(|why| why.contains(&reason.to_string())),
                            "{what}"
                        );
                        let others = answer.text.replace(name.as_str(), "").replace(id, "");
                        assert_eq!(leaked(&others, audience), [""; 0], "{what}");
                        assert!(!answer.text.contains(&reason.to_string()), "{what}");
                    }
                }
                let called = tools.call(&name, &json!({}), &Inside).await;
                assert_eq!(called.is_none(), from.contains(&audience), "{audience:?} calls {name}");
            }
        }
        // A hidden claim to the id of a visible skill.
        for answer in read(&tools, preset, &format!("clone:{OPEN}")).await {
            assert_eq!((answer.code, answer.text.contains("inside")), (AnswerCode::Refused, false), "{answer:?}");
        }
    }
}

#[tokio::test]
async fn what_must_not_be_known_of_is_answered_as_what_is_not_there() {
    let world = World::veiled().await;
    for audience in [Model, User] {
        for preset in ToolPreset::ALL {
            let tools = Toolset::of(&world.registry.snapshot(), &world.tools(audience).preset(preset.clone()));
            for (id, _, from) in VEILED {
                if !from.contains(&audience) {
                    continue;
                }
                let (hidden, none) = (read(&tools, preset, id).await, read(&tools, preset, "release-zzzzzz").await);
                for (hidden, none) in hidden.iter().zip(&none) {
                    assert_eq!(hidden.text.replace(id, "release-zzzzzz"), none.text, "{audience:?}: {id}");
                }
            }
        }
    }
}

/// A skill that becomes hidden while tools are offered goes from all of them at once.
#[tokio::test]
async fn what_becomes_hidden_is_gone_from_what_is_live() {
    let home = source("home", [skill(OPEN, true), skill("release-quiet", true)]);
    let registry = SkillRegistry::builder().user(home).load().await.unwrap();
    let tools = LiveTools::over(registry.clone(), ToolOptions::default());
    let text = |snapshot: &Snapshot<Skill>| Toolset::of(snapshot, &ToolOptions::default()).tools().to_vec();
    assert!(format!("{:?}", tools.current().tools()).contains("release-quiet"));
    let rules = RuleStack::new([RuleSet::new("user", Authority::Full).disable("release-quiet".parse().unwrap())]);
    registry.set_rules(&rules);
    assert!(!format!("{:?}", tools.current().tools()).contains("release-quiet"));
    assert_eq!(tools.current().tools(), text(&registry.snapshot()));
    let answer = tools.call("read_skill", &json!({"id": "release-quiet"})).await.unwrap();
    assert_eq!((answer.code, answer.text.contains("inside")), (AnswerCode::Refused, false));
}

/// What reaches the model of a session in one call, and what it would be given again after its conversation was shortened.
async fn composed(session: &mut Session, message: &str) -> String {
    let evaluation = session.evaluate(&Turn::of(message));
    let evaluation = session.read(evaluation, &Inside).await;
    let slots = session.compose(&evaluation, &repertoire::Model::new("anthropic", "claude-sonnet-4-5")).unwrap();
    let again = session.rerender(&Survival::default());
    format!("{}\n{:?}\n{:?}\n{}", slots.system_prompt, slots.messages, slots.tools, again.text)
}

/// What is active and becomes hidden is in no prompt any more, nor is it given again; a mention or a trigger brings nothing back.
#[tokio::test]
async fn what_becomes_hidden_is_gone_from_a_session() {
    let (open, veiled) = (World::open().await, World::veiled().await);
    let everybody: Vec<_> = VEILED.iter().map(|(id, ..)| format!("${id}")).collect();
    let mentions = format!("A product launch: {}", everybody.join(" "));
    for audience in [Model, User] {
        let tools = |world: &World| Toolset::of(&world.registry.snapshot(), &world.tools(audience));
        let options = SessionOptions::new(open.registry.surface_policy()).lifetime(Lifetime::Conversation);
        let mut session = Session::new(tools(&open), options);
        for (id, ..) in VEILED {
            session.activate(audience, id, "").unwrap();
        }
        let before = composed(&mut session, "Go on.").await;
        assert_eq!(leaked(&before, audience), leaked(&everybody.concat(), audience), "{before}");
        session.begin(tools(&veiled));
        let after = composed(&mut session, "Go on.").await;
        assert_eq!(leaked(&after, audience), [""; 0], "{audience:?}: {after}");
        // A mention is the user's door, a keyword the model's: who is hidden at both comes by neither.
        let named = composed(&mut session, &mentions).await;
        for (id, _, from) in VEILED {
            assert_eq!(named.contains(id), from.len() < 2, "{id}: {named}");
        }
    }
}

/// Neither does a session that was stored while nothing was hidden bring it back, and its state holds no body.
#[tokio::test]
async fn what_becomes_hidden_is_gone_from_a_session_that_is_resumed() {
    let (open, veiled) = (World::open().await, World::veiled().await);
    for audience in [Model, User] {
        let tools = |world: &World| Toolset::of(&world.registry.snapshot(), &world.tools(audience));
        let options = || SessionOptions::new(open.registry.surface_policy());
        let mut session = Session::new(tools(&open), options());
        for (id, ..) in VEILED {
            session.activate(audience, id, "").unwrap();
        }
        composed(&mut session, "Go on.").await;
        let stored = serde_json::to_string(&session.state()).unwrap();
        assert!(!stored.contains("inside"), "{stored}");
        let state: SessionState = serde_json::from_str(&stored).unwrap();
        let (mut resumed, since) = Session::resume(state, tools(&veiled), options(), &Inside).await;
        let after = composed(&mut resumed, "Go on.").await;
        assert_eq!(leaked(&after, audience), [""; 0], "{audience:?}: {after}");
        // The host learns of each what became of it.
        for (resumed, (id, reason, from)) in since.iter().zip(VEILED) {
            assert!(resumed.id.as_str().ends_with(id));
            let gone = if reason == Hidden::Pending { Since::Gone } else { Since::Hidden(reason) };
            assert_eq!(resumed.since, if from.contains(&audience) { gone } else { Since::Same }, "{id}");
        }
        assert_eq!(since.len(), VEILED.len());
    }
}
