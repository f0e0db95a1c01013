//! Hidden skills appear in no interface, for every reason and both audiences.
//!
//! A new interface adds a line to [`outputs`]; a new reason adds one to [`HIDDEN`].

mod mcp;

use std::sync::Arc;

use repertoire::catalog::{CatalogCache, CatalogFormat};
use repertoire::permission::{
    Audience, Exposure, HiddenReason, PermissionPolicy, VisibilityPolicy,
};
use repertoire::permission::{RequirementCheck, RequirementKind};
use repertoire::registry::{Authority, Candidate, RuleSet, RuleStack, Snapshot};
use repertoire::search::{Query, SearchHit, SearchIndex};
use repertoire::session::{CompactionBudget, Lifetime, NoticeReason, SessionState, Turn};
use repertoire::skill::{
    Bytes, FunctionalTier, InvokeLevel, Resource, ResourcePath, SkillTrigger, SourceError, Value,
    async_trait,
};
use repertoire::tools::{
    Instructions, LiveTools, SkillReader, ToolFormat, ToolOutput, ToolPreset, ToolStatus, Toolset,
};
use repertoire::trigger::{MatchedBy, TriggerMatch, Triggers};
use repertoire::{
    Catalog, CatalogOptions, MemorySource, Mount, Registered, Session, SessionOptions, Skill,
    SkillRegistry, ToolOptions, Trust,
};
use serde_json::json;

use Audience::{Model, User};

/// The only skill that is visible to both audiences.
const OPEN: &str = "release-notes";

/// The hidden skills, each with its reason and the audiences that do not see it.
const HIDDEN: [(&str, HiddenReason, &[Audience]); 12] = [
    ("release-ruled", HiddenReason::Disabled, &[Model, User]),
    ("release-quiet", HiddenReason::Disabled, &[Model, User]),
    ("release-stray", HiddenReason::Pending, &[Model, User]),
    ("release-byhand", HiddenReason::ForUsersOnly, &[Model]),
    ("release-manual", HiddenReason::ForUsersOnly, &[Model]),
    ("release-habit", HiddenReason::ForModelsOnly, &[User]),
    ("release-flow", HiddenReason::OtherWorkflow, &[Model, User]),
    ("release-label", HiddenReason::Filtered, &[Model, User]),
    ("release-level", HiddenReason::Filtered, &[Model]),
    ("release-payroll", HiddenReason::Denied, &[Model, User]),
    ("release-needy", HiddenReason::NotReady, &[Model, User]),
    ("release-spare", HiddenReason::NotNeeded, &[Model, User]),
];

/// Skills, and the options that hide them.
struct TestEnv {
    registry: SkillRegistry,
    modes: VisibilityPolicy,
}

/// An environment without tools that has every set of tools.
#[derive(Debug)]
struct NoTools;

impl RequirementCheck for NoTools {
    fn has(&self, kind: RequirementKind, _: &str) -> Option<bool> {
        Some(kind != RequirementKind::Tool)
    }
}

/// Returns a skill, with or without the fields that hide it.
fn skill(id: &str, declares: bool) -> Skill {
    let mut skill = Skill::new(
        id.parse().unwrap(),
        format!("Handles the {id} of a product."),
    );
    let command = Value::Map(vec![("command".into(), Value::text("ship"))]);
    skill.fields.push((
        "triggers".into(),
        Value::List(vec![Value::text("product launch"), command]),
    ));
    if !declares {
        return skill;
    }
    let mut field = |key: &str, text: &str| skill.fields.push((key.into(), Value::text(text)));
    field(
        "functional-tier",
        if id == "release-label" {
            "audit-proof"
        } else {
            "integration"
        },
    );
    field(
        "invoke-level",
        if id == "release-level" { "3" } else { "2" },
    );
    if id == "release-needy" {
        field("required_tools", "press");
    }
    if id == "release-spare" {
        let hermes = Value::Map(vec![("fallback_for_toolsets".into(), Value::text("web"))]);
        skill.fields.push((
            "metadata".into(),
            Value::Map(vec![("hermes".into(), hermes)]),
        ));
    }
    skill.disable_model_invocation = id == "release-byhand";
    skill.user_invocable = id != "release-habit";
    skill.allowed_workflows = (id == "release-flow").then(|| vec!["deploy".into()]);
    skill
}

fn source(name: &str, skills: impl IntoIterator<Item = Skill>) -> MemorySource<Skill> {
    let source = MemorySource::new(name);
    for skill in skills {
        let body = format!("The inside of {}.", skill.id);
        source
            .register(Registered::new(skill, body.as_str()))
            .unwrap();
    }
    source
}

impl TestEnv {
    /// Hides each skill of [`HIDDEN`] for its reason.
    async fn with_hidden() -> TestEnv {
        let ids = HIDDEN
            .iter()
            .map(|(id, ..)| *id)
            .filter(|id| *id != "release-stray");
        let home = source("home", ids.chain([OPEN]).map(|id| skill(id, true)));
        let clone = source("clone", [skill("release-stray", true), skill(OPEN, true)]);
        let rules = RuleStack::new([
            RuleSet::new("user", Authority::Full).disable("release-ruled".parse().unwrap())
        ]);
        let registry = SkillRegistry::builder()
            .user(home)
            .mount(Mount::user(clone).trust(Trust::Pending))
            .rules(rules)
            .load()
            .await
            .unwrap();
        let allowed = HIDDEN
            .iter()
            .map(|(id, ..)| *id)
            .filter(|id| *id != "release-payroll")
            .chain([OPEN]);
        let policy = PermissionPolicy::new([("support", Vec::<&str>::new())], "support").unwrap();
        let policy = policy
            .skills("support", allowed.map(|id| id.parse().unwrap()))
            .unwrap();
        let modes = VisibilityPolicy::default()
            .with("release-quiet".parse().unwrap(), Exposure::Off)
            .with("release-manual".parse().unwrap(), Exposure::ManualOnly)
            .functional_tiers([FunctionalTier::new("integration")])
            .invoke_level(InvokeLevel::Executor)
            .permitted_by(Arc::new(policy))
            .ready_by(Arc::new(NoTools));
        TestEnv { registry, modes }
    }

    /// Returns the same skills, all visible.
    async fn open() -> TestEnv {
        let ids = HIDDEN.iter().map(|(id, ..)| *id).chain([OPEN]);
        let home = source("home", ids.map(|id| skill(id, false)));
        TestEnv {
            registry: SkillRegistry::builder().user(home).load().await.unwrap(),
            modes: VisibilityPolicy::default(),
        }
    }

    fn tools(&self, audience: Audience) -> ToolOptions {
        ToolOptions::default()
            .seen_by(audience)
            .modes(self.modes.clone())
    }
}

/// Returns the hidden names in `text`, in any spelling.
fn leaked(text: &str, audience: Audience) -> Vec<&'static str> {
    let hidden = HIDDEN
        .iter()
        .filter(|(.., from)| from.contains(&audience))
        .map(|(id, ..)| *id);
    hidden
        .filter(|id| text.contains(id.trim_start_matches("release-")))
        .collect()
}

/// Returns the output of every interface for `audience`.
async fn outputs(env: &TestEnv, audience: Audience) -> Vec<(String, String)> {
    let (registry, modes) = (&env.registry, &env.modes);
    let snapshot = registry.snapshot();
    let mut outputs = Vec::new();
    let mut at = |interface: &str, text: String| outputs.push((interface.to_owned(), text));

    let catalogs = CatalogOptions::default()
        .seen_by(audience)
        .modes(modes.clone());
    for format in [
        CatalogFormat::Xml,
        CatalogFormat::Indented,
        CatalogFormat::Reference,
        CatalogFormat::Bullets,
        CatalogFormat::Lines,
        CatalogFormat::Json,
    ] {
        let catalog = Catalog::new(&snapshot, &catalogs.clone().format(format));
        at(
            &format!("catalog {format:?}"),
            format!("{}{:?}", catalog.text, catalog.report),
        );
    }
    at(
        "kept catalog",
        CatalogCache::new(catalogs).catalog(&snapshot).text.clone(),
    );

    let options = env.tools(audience);
    let with_catalog = options.clone().catalog(CatalogOptions::default());
    for (interface, options) in [("tools", &options), ("tools with a catalog", &with_catalog)] {
        let tools = Toolset::new(&snapshot, options);
        for format in [
            ToolFormat::Anthropic,
            ToolFormat::OpenAiChat,
            ToolFormat::OpenAiResponses,
            ToolFormat::Gemini,
        ] {
            at(
                &format!("{interface} {format:?}"),
                format.tools(tools.tools()).to_string(),
            );
        }
    }
    for preset in ToolPreset::ALL {
        let tools = Toolset::new(&snapshot, &options.clone().preset(preset.clone()));
        for (tool, arguments) in calls(&tools) {
            let answer = tools.call(&tool, &arguments, registry).await.unwrap();
            at(
                &format!("{} {tool} {arguments}", preset.name()),
                answer.text,
            );
        }
    }

    let index = SearchIndex::new(&snapshot);
    let query = |text: &str| {
        Query::new(text)
            .seen_by(audience)
            .modes(modes.clone())
            .limit(100)
    };
    let hits = |hits: &[SearchHit]| {
        hits.iter()
            .map(|hit| format!("{} {:?}\n", hit.entry.id, hit.why))
            .collect::<String>()
    };
    for text in [
        "",
        "release",
        "handles the product",
        "release-ntoes",
        "payrol",
    ] {
        at(
            &format!("search {text:?}"),
            hits(&index.search(&query(text))),
        );
        let near = index.near(&query(text));
        at(
            &format!("near {text:?}"),
            near.iter().map(|entry| format!("{}\n", entry.id)).collect(),
        );
    }
    let ranked: Vec<_> = snapshot
        .entries()
        .iter()
        .map(|entry| entry.id.clone())
        .collect();
    at(
        "ranked",
        hits(&index.search_with(&query("product"), &ranked)),
    );

    let empty = SkillRegistry::builder().load().await.unwrap().snapshot();
    for (interface, old, new) in [
        ("news of what came", &empty, &snapshot),
        ("news of what went", &snapshot, &empty),
    ] {
        at(
            interface,
            modes.changes(audience, old, new, 99).unwrap_or_default(),
        );
    }

    let named: Vec<_> = snapshot
        .entries()
        .iter()
        .map(|entry| format!("${}", entry.id))
        .collect();
    let message = format!("A product launch: {}", named.join(" "));
    let fired = Triggers::new(&snapshot).fired(&Turn::new(&message).command("ship"), modes);
    let is_users = |fired: &&TriggerMatch| match &fired.by {
        MatchedBy::Declared(trigger) => matches!(trigger, SkillTrigger::Command(_)),
        _ => true,
    };
    let fired = fired
        .iter()
        .filter(|fired| is_users(fired) == (audience == User));
    at(
        "triggers",
        fired
            .map(|fired| format!("{} {:?}\n", fired.entry.id, fired.by))
            .collect(),
    );

    let menu = snapshot
        .entries()
        .iter()
        .filter(|entry| modes.sees(audience, &entry.candidate));
    at(
        "menu",
        menu.map(|entry| format!("/{}\n", entry.id)).collect(),
    );
    outputs
}

/// Returns the names of the tools, each with its required parameters.
fn declared(tools: &Toolset) -> Vec<(String, Vec<String>)> {
    let required = |schema: &serde_json::Value| -> Vec<String> {
        let names = schema["required"].as_array().into_iter().flatten();
        names
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect()
    };
    tools
        .tools()
        .iter()
        .map(|tool| (tool.name.to_string(), required(&tool.input_schema)))
        .collect()
}

/// Returns calls of `tools` that name no hidden skill.
fn calls(tools: &Toolset) -> Vec<(String, serde_json::Value)> {
    let mut calls = Vec::new();
    let ids = [
        "release",
        "relaese-x",
        "nobody",
        "home:nobody",
        "clone:nobody",
    ];
    for (tool, required) in declared(tools) {
        let arguments: Vec<_> = match required.as_slice() {
            [] => vec![json!({}), json!({"query": "release product", "limit": 200})],
            [query] if query == "query" => ["release", "product", "releas"]
                .map(|query| json!({"query": query}))
                .into(),
            [id] => ids.map(|name| json!({id: name})).into(),
            [id, path, ..] => ids.map(|name| json!({id: name, path: "a.md"})).into(),
        };
        calls.extend(
            arguments
                .into_iter()
                .map(|arguments| (tool.clone(), arguments)),
        );
    }
    calls
}

#[tokio::test]
async fn no_interface_names_a_hidden_skill() {
    let env = TestEnv::with_hidden().await;
    for audience in [Model, User] {
        for (interface, text) in outputs(&env, audience).await {
            assert_eq!(
                leaked(&text, audience),
                [""; 0],
                "{audience:?} at {interface}: {text}"
            );
        }
    }
}

/// Proves the check above: without hidden skills, every interface that lists prints every name.
#[tokio::test]
async fn the_same_interfaces_name_visible_skills() {
    let env = TestEnv::open().await;
    for audience in [Model, User] {
        let all = leaked(&HIDDEN.map(|(id, ..)| id).concat(), audience);
        for (interface, text) in outputs(&env, audience).await {
            let lists = [
                "catalog",
                "kept",
                "tools",
                "search \"\"",
                "search \"release\"",
                "ranked",
                "news",
                "triggers",
                "menu",
            ];
            if lists.iter().any(|list| interface.starts_with(list)) {
                assert_eq!(
                    leaked(&text, audience),
                    all,
                    "{audience:?} at {interface}: {text}"
                );
            }
        }
    }
}

/// A host gets the reason and the audience of each hidden skill.
#[tokio::test]
async fn each_hidden_skill_has_reason_and_audience() {
    let env = TestEnv::with_hidden().await;
    let snapshot = env.registry.snapshot();
    for (id, reason, from) in HIDDEN {
        let candidate = &snapshot.get(id).unwrap().candidate;
        for audience in [Model, User] {
            let expected = from.contains(&audience).then_some(reason);
            assert_eq!(
                env.modes.hidden_reason(audience, candidate),
                expected,
                "{id} from {audience:?}"
            );
            let why = env.modes.explain(audience, candidate).unwrap_or_default();
            assert!(
                why.starts_with(
                    &expected
                        .map(|hidden| hidden.to_string())
                        .unwrap_or_default()
                ),
                "{id}: {why}"
            );
        }
    }
}

/// A reader that returns marked text, so that a read of a hidden skill is visible in the output.
#[derive(Debug)]
struct Inside;

#[async_trait]
impl SkillReader for Inside {
    async fn body(
        &self,
        candidate: &Candidate<Skill>,
        _: &str,
    ) -> Result<Instructions, SourceError> {
        Ok(format!("The inside of {}.", candidate.item.id).into())
    }

    async fn resources(&self, _: &Candidate<Skill>) -> Result<Vec<Resource>, SourceError> {
        Ok(Vec::new())
    }

    async fn resource(&self, _: &Candidate<Skill>, _: &ResourcePath) -> Result<Bytes, SourceError> {
        Ok(Bytes::from_static(b"The inside."))
    }
}

/// Returns the answers of the tools that read the qualified name `id`.
async fn read(tools: &Toolset, id: &str) -> Vec<ToolOutput> {
    let mut answers = Vec::new();
    for (tool, required) in declared(tools) {
        let arguments = match required.as_slice() {
            [name] if name != "query" => json!({name: id}),
            [name, path] => json!({name: id, path: "a.md"}),
            _ => continue,
        };
        answers.push(tools.call(&tool, &arguments, &Inside).await.unwrap());
    }
    answers
}

#[tokio::test]
async fn naming_a_hidden_skill_returns_nothing_of_it() {
    let env = TestEnv::with_hidden().await;
    let snapshot = env.registry.snapshot();
    for (audience, preset) in ToolPreset::ALL
        .into_iter()
        .flat_map(|preset| [(Model, preset), (User, preset)])
    {
        let tools = Toolset::new(&snapshot, &env.tools(audience).preset(preset.clone()));
        for (id, reason, from) in HIDDEN {
            let source = if reason == HiddenReason::Pending {
                "clone"
            } else {
                "home"
            };
            for name in [id.to_owned(), format!("{source}:{id}")] {
                for answer in read(&tools, &name).await {
                    let what =
                        format!("{audience:?} reads {name} by {}: {answer:?}", preset.name());
                    assert_eq!(
                        answer.text.contains("inside"),
                        !from.contains(&audience),
                        "{what}"
                    );
                    if from.contains(&audience) {
                        assert_eq!(
                            (answer.code, answer.read.is_some()),
                            (ToolStatus::Refused, false),
                            "{what}"
                        );
                        assert!(
                            answer
                                .operator_note
                                .as_deref()
                                .is_some_and(|why| why.contains(&reason.to_string())),
                            "{what}"
                        );
                        let others = answer.text.replace(name.as_str(), "").replace(id, "");
                        assert_eq!(leaked(&others, audience), [""; 0], "{what}");
                        assert!(!answer.text.contains(&reason.to_string()), "{what}");
                    }
                }
                let called = tools.call(&name, &json!({}), &Inside).await;
                assert_eq!(
                    called.is_none(),
                    from.contains(&audience),
                    "{audience:?} calls {name}"
                );
            }
        }
        // A hidden claim to the id of a visible skill.
        for answer in read(&tools, &format!("clone:{OPEN}")).await {
            assert_eq!(
                (answer.code, answer.text.contains("inside")),
                (ToolStatus::Refused, false),
                "{answer:?}"
            );
        }
    }
}

#[tokio::test]
async fn hidden_and_unknown_names_get_equal_answers() {
    let env = TestEnv::with_hidden().await;
    for audience in [Model, User] {
        for preset in ToolPreset::ALL {
            let tools = Toolset::new(
                &env.registry.snapshot(),
                &env.tools(audience).preset(preset.clone()),
            );
            for (id, _, from) in HIDDEN {
                if !from.contains(&audience) {
                    continue;
                }
                let (hidden, none) = (read(&tools, id).await, read(&tools, "release-zzzzzz").await);
                for (hidden, none) in hidden.iter().zip(&none) {
                    assert_eq!(
                        hidden.text.replace(id, "release-zzzzzz"),
                        none.text,
                        "{audience:?}: {id}"
                    );
                }
            }
        }
    }
}

/// A skill that becomes hidden disappears from all live tools at once.
#[tokio::test]
async fn a_newly_hidden_skill_leaves_live_tools() {
    let home = source("home", [skill(OPEN, true), skill("release-quiet", true)]);
    let registry = SkillRegistry::builder().user(home).load().await.unwrap();
    let tools = LiveTools::new(registry.clone(), ToolOptions::default());
    let text = |snapshot: &Snapshot<Skill>| {
        Toolset::new(snapshot, &ToolOptions::default())
            .tools()
            .to_vec()
    };
    assert!(format!("{:?}", tools.current().tools()).contains("release-quiet"));
    let rules = RuleStack::new([
        RuleSet::new("user", Authority::Full).disable("release-quiet".parse().unwrap())
    ]);
    registry.set_rules(&rules);
    assert!(!format!("{:?}", tools.current().tools()).contains("release-quiet"));
    assert_eq!(tools.current().tools(), text(&registry.snapshot()));
    let answer = tools
        .call("read_skill", &json!({"id": "release-quiet"}))
        .await
        .unwrap();
    assert_eq!(
        (answer.code, answer.text.contains("inside")),
        (ToolStatus::Refused, false)
    );
}

/// Returns the text that a model gets in one call, and again after its conversation was compacted.
async fn composed(session: &mut Session, message: &str) -> String {
    let evaluation = session.evaluate(&Turn::new(message));
    let evaluation = session.read(evaluation, &Inside).await;
    let slots = session
        .compose(
            &evaluation,
            &repertoire::Model::from("anthropic/claude-sonnet-4-5"),
        )
        .unwrap();
    let again = session.redeliver_after_compaction(&CompactionBudget::default());
    format!(
        "{}\n{:?}\n{:?}\n{}",
        slots.system_prompt, slots.messages, slots.tools, again.text
    )
}

/// An active skill that becomes hidden leaves every prompt. Neither a mention nor a trigger restores it.
#[tokio::test]
async fn a_newly_hidden_skill_leaves_sessions() {
    let (open, hidden_env) = (TestEnv::open().await, TestEnv::with_hidden().await);
    let everybody: Vec<_> = HIDDEN.iter().map(|(id, ..)| format!("${id}")).collect();
    let mentions = format!("A product launch: {}", everybody.join(" "));
    for audience in [Model, User] {
        let tools = |env: &TestEnv| Toolset::new(&env.registry.snapshot(), &env.tools(audience));
        let options =
            SessionOptions::new(open.registry.surface_policy()).lifetime(Lifetime::Conversation);
        let mut session = Session::new(tools(&open), options);
        for (id, ..) in HIDDEN {
            session.activate(audience, id, "").unwrap();
        }
        let before = composed(&mut session, "Go on.").await;
        assert_eq!(
            leaked(&before, audience),
            leaked(&everybody.concat(), audience),
            "{before}"
        );
        session.start_turn(tools(&hidden_env));
        let after = composed(&mut session, "Go on.").await;
        assert_eq!(leaked(&after, audience), [""; 0], "{audience:?}: {after}");
        // A mention is for the user, a keyword for the model.
        let named = composed(&mut session, &mentions).await;
        for (id, _, from) in HIDDEN {
            assert_eq!(named.contains(id), from.len() < 2, "{id}: {named}");
        }
    }
}

/// A session that was stored before the skill was hidden does not restore it, and its state contains no body.
#[tokio::test]
async fn a_newly_hidden_skill_leaves_resumed_sessions() {
    let (open, hidden_env) = (TestEnv::open().await, TestEnv::with_hidden().await);
    for audience in [Model, User] {
        let tools = |env: &TestEnv| Toolset::new(&env.registry.snapshot(), &env.tools(audience));
        let options = || SessionOptions::new(open.registry.surface_policy());
        let mut session = Session::new(tools(&open), options());
        for (id, ..) in HIDDEN {
            session.activate(audience, id, "").unwrap();
        }
        composed(&mut session, "Go on.").await;
        let stored = serde_json::to_string(&session.state()).unwrap();
        assert!(!stored.contains("inside"), "{stored}");
        let state: SessionState = serde_json::from_str(&stored).unwrap();
        let (mut resumed, since) =
            Session::resume(state, tools(&hidden_env), options(), &Inside).await;
        let after = composed(&mut resumed, "Go on.").await;
        assert_eq!(leaked(&after, audience), [""; 0], "{audience:?}: {after}");
        // The result names the reason for each skill that this audience does not see.
        let hidden: Vec<_> = HIDDEN
            .into_iter()
            .filter(|(.., from)| from.contains(&audience))
            .collect();
        assert_eq!(since.len(), hidden.len());
        for (notice, (id, reason, _)) in since.iter().zip(hidden) {
            let is_gone = reason == HiddenReason::Pending;
            let why = if is_gone {
                NoticeReason::Gone
            } else {
                NoticeReason::Hidden(reason)
            };
            assert!(
                notice.id.as_str().ends_with(id) && notice.why == why,
                "{notice:?}"
            );
        }
    }
}
