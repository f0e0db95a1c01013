//! Each body reaches the model exactly through the places that the cascade promises, once.

use proptest::prelude::*;
use repertoire_core::{SurfaceRule, SurfaceRules};
use tokio::runtime::{Builder, Runtime};

use super::*;

const MODES: [Option<SurfaceMode>; 4] = [
    None,
    Some(SurfaceMode::SystemPrompt),
    Some(SurfaceMode::ToolOnly),
    Some(SurfaceMode::Both),
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Tool,
    Name,
    Keyword,
    Mention,
    HostAlways,
    HostRule,
    HostAfterTool,
    HostActivated,
}

const WAYS: [Way; 8] = [
    Way::Tool,
    Way::Name,
    Way::Keyword,
    Way::Mention,
    Way::HostAlways,
    Way::HostRule,
    Way::HostAfterTool,
    Way::HostActivated,
];

const PLACES: [(Tier, Trust); 4] = [
    (Tier::User, Trust::Trusted),
    (Tier::Builtin, Trust::Trusted),
    (Tier::Plugin, Trust::Trusted),
    (Tier::Plugin, Trust::Restricted),
];
const HINTS: [Option<&str>; 2] = [None, Some("anthropic")];
const PROVIDED: [Option<&str>; 6] = [
    None,
    Some(""),
    Some("anthropic"),
    Some("openai"),
    Some("local"),
    Some("tools"),
];
const MODELS: [Option<&str>; 3] = [None, Some("claude-sonnet-4-5"), Some("claude-2.1")];
const BODIES: [BodyPlacement; 2] = [BodyPlacement::SystemPrompt, BodyPlacement::Buffer];

impl Way {
    /// The trigger of an injection that the host brings.
    fn of_host(self) -> Option<Trigger> {
        Some(match self {
            Way::HostAlways => Trigger::Always,
            Way::HostRule => Trigger::Rule("on".into()),
            Way::HostAfterTool => Trigger::AfterTool("bash".into()),
            Way::HostActivated => Trigger::Activated,
            _ => return None,
        })
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

fn policy(default: Option<SurfaceMode>, hint: Option<&str>) -> SurfacePolicy {
    let mut policy = SurfacePolicy::default();
    (policy.default, policy.hint) = (default, hint.map(str::to_owned));
    let rule = |provider: &str, mode| SurfaceRule::new(provider, mode).provider(provider);
    policy.rules = SurfaceRules::shipped()
        .with(rule("local", SurfaceMode::SystemPrompt))
        .with(rule("tools", SurfaceMode::ToolOnly));
    policy
}

/// Every mode, default of the registry, hint, provider, model, way of being activated, place for bodies, trust and tier.
#[test]
fn every_body_reaches_its_places_or_is_named() {
    runtime().block_on(async {
        let mut checked = 0;
        for (tier, trust) in PLACES {
            for declared in MODES {
                let mode = declared
                    .map(|mode| format!("surfaceMode: {mode}\n"))
                    .unwrap_or_default();
                let world = TestEnv::at(
                    &[&format!("name: tea\n{mode}triggers: [kettle]")],
                    tier,
                    trust,
                )
                .await;
                let tools = world.tools();
                for (default, hint) in MODES
                    .into_iter()
                    .flat_map(|default| HINTS.map(|hint| (default, hint)))
                {
                    for (provider, name) in PROVIDED
                        .into_iter()
                        .flat_map(|by| MODELS.map(|name| (by, name)))
                    {
                        let model = Model::new(name.unwrap_or_default())
                            .with_provider(provider.unwrap_or_default());
                        for (way, bodies) in WAYS
                            .into_iter()
                            .flat_map(|way| BODIES.map(|bodies| (way, bodies)))
                        {
                            // What a host brings is not of a source.
                            if way.of_host().is_some() && (tier, trust) != PLACES[0] {
                                continue;
                            }
                            let policy = policy(default, hint);
                            check_places(
                                &world, &tools, trust, declared, policy, &model, way, bodies,
                            )
                            .await;
                            checked += 1;
                        }
                    }
                }
            }
        }
        let combinations = 4 * 4 * 2 * 6 * 3 * 2;
        assert_eq!(checked, combinations * (4 * PLACES.len() + 4));
    });
}

#[allow(
    clippy::too_many_arguments,
    reason = "each is a dimension of the matrix"
)]
async fn check_places(
    world: &TestEnv,
    tools: &Toolset,
    trust: Trust,
    declared: Option<SurfaceMode>,
    policy: SurfacePolicy,
    model: &Model,
    way: Way,
    bodies: BodyPlacement,
) {
    let surface = policy.resolve(declared, model);
    let mut options = SessionOptions::new(policy)
        .bodies(bodies)
        .rule("on", |_| true);
    if let Some(trigger) = way.of_host() {
        let metadata = declared.map(|mode| {
            (
                "surfaceMode".into(),
                repertoire_core::Value::text(mode.as_str()),
            )
        });
        let content = Content::system_prompt("tea body");
        let tea = injection("tea", Flavor::Skill, trigger, content).with_metadata(metadata);
        options = options.inject(tea).unwrap();
    }
    let mut session = Session::new(tools.clone(), options);
    let mut result = String::new();
    match way {
        Way::Tool => result = world.read(&mut session, "tea", model).await,
        Way::Name | Way::HostActivated => session.activate(Audience::User, "tea", "").unwrap(),
        _ => {}
    }
    let results = [ToolResult::new("bash", "done")];
    let turn = Turn::new(match way {
        Way::Keyword => "kettle",
        Way::Mention => "/tea",
        _ => "",
    });
    let turn = if way == Way::HostAfterTool {
        turn.results(results.clone())
    } else {
        turn
    };
    let context = format!("{declared:?} {surface:?} {model:?} {way:?} {bodies:?} {trust:?}");
    let is_stated = matches!(surface.decided_by, DecidedBy::Skill | DecidedBy::Registry);
    let is_tool_only = surface.mode == SurfaceMode::ToolOnly;
    // A trigger of a source that is not trusted suggests the skill and activates nothing.
    let only_suggests = way == Way::Keyword && trust != Trust::Trusted;
    let goes_nowhere = way != Way::Tool && is_tool_only && is_stated && !only_suggests;
    let slots = match world.try_slots(&mut session, &turn, model).await {
        Err(error) => {
            assert!(
                goes_nowhere && way.of_host().is_some(),
                "{context}: {error}"
            );
            let EngineError::Undeliverable(offenders) = error else {
                panic!("{error}")
            };
            let offenders: Vec<_> = offenders.iter().map(|one| one.id.as_str()).collect();
            assert_eq!(offenders, ["tea"]);
            return;
        }
        Ok(slots) => slots,
    };
    assert!(
        !(goes_nowhere && way.of_host().is_some()),
        "{context}: not refused"
    );
    assert_eq!(
        left_out(&slots).len(),
        usize::from(goes_nowhere),
        "{context}"
    );
    let in_result = way == Way::Tool && surface.mode != SurfaceMode::SystemPrompt;
    let in_system = !goes_nowhere && !only_suggests && (!is_tool_only || way != Way::Tool);
    assert_eq!(
        times(&result, "tea body"),
        usize::from(in_result),
        "{context}"
    );
    // And the same for the call after.
    for slots in [
        slots,
        world
            .slots(&mut session, &turn.clone().number(2), model)
            .await,
    ] {
        let in_messages: usize = slots
            .messages
            .iter()
            .map(|message| times(&message.text, "tea body"))
            .sum();
        let places = (times(&slots.system_prompt, "tea body"), in_messages);
        let expected = match bodies {
            BodyPlacement::Buffer => (0, usize::from(in_system)),
            BodyPlacement::SystemPrompt => (usize::from(in_system), 0),
        };
        assert_eq!(places, expected, "{context}");
    }
}

#[derive(Debug, Clone)]
enum Step {
    Read(usize, usize),
    Name(usize),
    Touch(usize),
    End(usize),
    Reset,
    Rerender,
    Begin,
    Resume,
    Compose(usize),
}

const SKILLS: [&str; 3] = ["tea", "milk", "salt"];
const PROVIDERS: [&str; 3] = ["local", "tools", "anthropic"];

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..3_usize, 0..3_usize).prop_map(|(skill, model)| Step::Read(skill, model)),
        2 => (0..3_usize).prop_map(Step::Name),
        1 => (0..3_usize).prop_map(Step::Touch),
        1 => (0..3_usize).prop_map(Step::End),
        1 => Just(Step::Reset),
        1 => Just(Step::Rerender),
        1 => Just(Step::Begin),
        1 => Just(Step::Resume),
        5 => (0..3_usize).prop_map(Step::Compose),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever happens in whatever order: a body is in the conversation at most once, and after each call exactly where the
    /// cascade wants it for that model.
    #[test]
    fn no_body_is_lost_and_none_piles_up(steps in proptest::collection::vec(step(), 1..30)) {
        runtime().block_on(async {
            let world = TestEnv::of(&SKILLS.map(|name| format!("name: {name}")).each_ref().map(String::as_str)).await;
            let options = || SessionOptions::new(policy(None, None));
            let tools = world.tools();
            let mut session = Session::new(tools.clone(), options());
            // Texts in the conversation, as far as they count.
            let mut conversation: Vec<String> = Vec::new();
            for step in steps {
                match step {
                    Step::Read(skill, model) => {
                        let model = Model::new("claude-sonnet-4-5").with_provider(PROVIDERS[model]);
                        conversation.push(world.read(&mut session, SKILLS[skill], &model).await);
                    }
                    Step::Name(skill) => session.activate(Audience::User, SKILLS[skill], "").unwrap(),
                    Step::Touch(skill) => session.touch(SKILLS[skill]),
                    Step::End(skill) => {
                        session.deactivate(SKILLS[skill]);
                        // A new activation delivers it again.
                        let body = format!("{} body", SKILLS[skill]);
                        conversation.iter_mut().for_each(|text| *text = text.replace(&body, ""));
                    }
                    Step::Reset => {
                        session.reset();
                        conversation.clear();
                    }
                    Step::Rerender => {
                        conversation.clear();
                        conversation.push(session.redeliver_after_compaction(&CompactionBudget::default()).text);
                    }
                    Step::Begin => session.start_turn(tools.clone()),
                    Step::Resume => {
                        let state = serde_json::to_value(session.state()).unwrap();
                        let state = serde_json::from_value(state).unwrap();
                        session = Session::resume(state, tools.clone(), options(), &world.registry).await.0;
                    }
                    Step::Compose(model) => {
                        let model = Model::new("claude-sonnet-4-5").with_provider(PROVIDERS[model]);
                        let slots = world.slots(&mut session, &Turn::new(""), &model).await;
                        conversation.extend(slots.messages.iter().map(|message| message.text.to_string()));
                        let mode = policy(None, None).resolve(None, &model).mode;
                        for name in SKILLS {
                            let body = format!("{name} body");
                            let by = session.active().iter().find(|it| it.id.as_str() == name).map(|it| it.by);
                            let in_conversation = conversation.iter().map(|text| times(text, &body)).sum::<usize>();
                            let in_system = times(&slots.system_prompt, &body);
                            let is_read = by == Some(ActivatedBy::Tool);
                            let standing = by.is_some() && (!is_read || mode != SurfaceMode::ToolOnly);
                            prop_assert_eq!(in_system, usize::from(standing), "{} {:?}", name, by);
                            if is_read && mode != SurfaceMode::SystemPrompt {
                                prop_assert_eq!(in_conversation, 1, "{}", name);
                            }
                        }
                    }
                }
                for name in SKILLS {
                    let body = format!("{name} body");
                    prop_assert!(conversation.iter().map(|text| times(text, &body)).sum::<usize>() <= 1, "{}", name);
                }
            }
            Ok(())
        })?;
    }
}
