//! Long sessions, stored sessions, and skills that change during a session.

use proptest::prelude::*;
use repertoire_core::async_trait;
use serde_json::Value;

use super::triggering::skipped;
use super::*;

mod slow {
    use super::*;

    #[tokio::test]
    async fn session_state_does_not_grow_with_turns() {
        let front_matters: Vec<_> = (0..12)
            .map(|n| format!("name: s{n}\ntriggers: [word{n}]"))
            .collect();
        let world =
            TestEnv::of(&front_matters.iter().map(String::as_str).collect::<Vec<_>>()).await;
        for lifetime in [Lifetime::Conversation, Lifetime::Message] {
            let options = plain()
                .lifetime(lifetime)
                .refresh(RefreshPolicy::AfterTurns(2));
            let mut session = world.session(options.inject(message("fact", Role::User)).unwrap());
            let tools = world.tools();
            let mut sizes = Vec::new();
            for turn in 0..10_000 {
                session.start_turn(tools.clone());
                let message = format!("/s{} and word{}", turn % 12, turn % 7);
                world
                    .slots(&mut session, &Turn::new(&message), &gpt())
                    .await;
                world
                    .read(&mut session, &format!("s{}", turn % 5), &gpt())
                    .await;
                world
                    .slots(&mut session, &Turn::new(&message).number(2), &gpt())
                    .await;
                if turn % 1_000 == 100 {
                    let state = session.state();
                    // But for the digits of what is counted.
                    sizes.push(
                        serde_json::to_string(&state)
                            .unwrap()
                            .chars()
                            .filter(|c| !c.is_ascii_digit())
                            .count(),
                    );
                }
            }
            let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
            assert!(
                *most < 2 * *least && *most < 20_000,
                "{lifetime:?}: {sizes:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_limited_number_of_removed_skills_is_retained() {
    let world = TestEnv::of(&[]).await;
    let mut session = world.session(plain());
    for turn in 0..1_000 {
        let name = format!("s{turn}");
        world
            .home
            .register(Registered::new(
                skill(&format!("name: {name}\ndescription: D.")),
                "body",
            ))
            .unwrap();
        world.registry.refresh().await.unwrap();
        session.start_turn(world.tools());
        session.activate(Audience::User, &name, "").unwrap();
        world.slots(&mut session, &Turn::new(""), &claude()).await;
        world.home.unregister(&name);
    }
    world.registry.refresh().await.unwrap();
    session.start_turn(world.tools());
    let evaluation = session.evaluate(&Turn::new(""));
    assert_eq!(
        (evaluation.active.len(), evaluation.skipped.len()),
        (0, MOST_GONE)
    );
    assert!(
        evaluation
            .skipped
            .iter()
            .any(|skipped| skipped.id == id("home:s999"))
    );
    assert!(
        session
            .activations
            .iter()
            .all(|held| held.rendered.is_none())
    );
}

#[tokio::test]
async fn returning_skills_are_delivered_with_their_new_body() {
    let world = TestEnv::of(&["name: tea", "name: milk"]).await;
    let mut session = world.session(declaring(SurfaceMode::Both));
    world.read(&mut session, "tea", &gpt()).await;
    world.slots(&mut session, &Turn::new(""), &gpt()).await;

    // Renamed: the old name is gone, and nothing says that the new one is the same.
    world.home.unregister("tea");
    world
        .home
        .register(Registered::new(
            skill("name: chai\ndescription: D."),
            "tea body",
        ))
        .unwrap();
    world.registry.refresh().await.unwrap();
    session.start_turn(world.tools());
    assert_eq!(
        skipped(&session.evaluate(&Turn::new(""))),
        [("home:tea", NoticeReason::Gone)]
    );
    let slots = world.slots(&mut session, &Turn::new(""), &gpt()).await;
    assert_eq!(
        (
            slots.system_prompt.as_str(),
            slots.messages.len(),
            slots.placements.len()
        ),
        ("", 0, 0)
    );
    assert_eq!(
        (
            active(&session).len(),
            session.redeliver_after_compaction(&CompactionBudget::default())
        ),
        (0, Redelivery::default())
    );

    world
        .home
        .register(Registered::new(
            skill("name: tea\ndescription: D."),
            "New body",
        ))
        .unwrap();
    world.registry.refresh().await.unwrap();
    session.start_turn(world.tools());
    let slots = world.slots(&mut session, &Turn::new(""), &gpt()).await;
    let in_messages: usize = slots
        .messages
        .iter()
        .map(|message| times(&message.text, "New body"))
        .sum();
    assert_eq!(
        (times(&slots.system_prompt, "New body"), in_messages),
        (1, 1)
    );
    assert!(!slots.system_prompt.contains("tea body"));
}

#[tokio::test]
async fn two_skills_of_one_body_are_two() {
    let world = TestEnv::of(&[]).await;
    for name in ["one", "two"] {
        let front_matter = format!("name: {name}\ndescription: D.\ntriggers: [kettle]");
        world
            .home
            .register(Registered::new(skill(&front_matter), "the same"))
            .unwrap();
    }
    world.registry.refresh().await.unwrap();
    let mut session = world.session(declaring(SurfaceMode::Both));
    for name in ["one", "two"] {
        assert_eq!(
            times(&world.read(&mut session, name, &gpt()).await, "the same"),
            1
        );
    }
    let slots = world
        .slots(&mut session, &Turn::new("kettle"), &gpt())
        .await;
    assert_eq!(
        (
            times(&slots.system_prompt, "the same"),
            slots.messages.len()
        ),
        (2, 0)
    );
    session.deactivate("one");
    let slots = world.slots(&mut session, &Turn::new(""), &gpt()).await;
    assert_eq!(times(&slots.system_prompt, "the same"), 1);
    assert_eq!(
        times(
            &session
                .redeliver_after_compaction(&CompactionBudget::default())
                .text,
            "the same"
        ),
        1
    );
}

#[tokio::test]
async fn a_body_may_become_empty_and_full_again() {
    let world = TestEnv::of(&["name: tea"]).await;
    let mut session = world.session(declaring(SurfaceMode::Both));
    world.read(&mut session, "tea", &gpt()).await;
    for (body, system, messages) in [("", 0, 0), (" \n", 0, 0), ("Full", 1, 1)] {
        world.rewrite("tea", body).await;
        session.start_turn(world.tools());
        let slots = world.slots(&mut session, &Turn::new(""), &gpt()).await;
        assert_eq!(active(&session), ["tea"]);
        assert_eq!(
            (
                times(&slots.system_prompt, "skill_content name"),
                slots.messages.len()
            ),
            (system, messages)
        );
        assert!(!slots.system_prompt.contains("tea body"), "{body:?}");
    }
    world.rewrite("tea", "").await;
    session.start_turn(world.tools());
    world.slots(&mut session, &Turn::new(""), &gpt()).await;
    assert_eq!(
        session.redeliver_after_compaction(&CompactionBudget::default()),
        Redelivery::default()
    );
}

#[tokio::test]
async fn expired_activations_do_not_repeat_unchanged_text() {
    let world = TestEnv::of(&["name: tea", "name: milk"]).await;
    let mut session = world.session(plain().lifetime(Lifetime::Message));
    let first = world.read(&mut session, "tea", &gpt()).await;
    world.slots(&mut session, &Turn::new(""), &gpt()).await;
    session.start_turn(world.tools());
    assert_eq!(active(&session), [""; 0]);
    let again =
        "The skill `tea` is active again, and its instructions are what they were. Follow them.\n";
    assert_eq!(world.read(&mut session, "tea", &gpt()).await, again);
    assert_eq!(active(&session), ["tea"]);
    let slots = world
        .slots(&mut session, &Turn::new("").number(2), &gpt())
        .await;
    assert_eq!(
        (slots.messages.len(), slots.placements[0].delivery),
        (0, Delivery::Earlier)
    );
    // Unless the conversation has it no more, or it is another text.
    session.start_turn(world.tools());
    session.reset();
    assert_eq!(world.read(&mut session, "tea", &gpt()).await, first);
    world.rewrite("tea", "Another body").await;
    session.start_turn(world.tools());
    assert!(
        world
            .read(&mut session, "tea", &gpt())
            .await
            .contains("Another body")
    );
    session.start_turn(world.tools());
    session.forget("tea");
    assert!(
        world
            .read(&mut session, "tea", &gpt())
            .await
            .contains("Another body")
    );
}

#[tokio::test]
async fn refresh_intervals_exclude_the_refreshed_body() {
    let world = TestEnv::of(&[]).await;
    let body = "word ".repeat(3_000);
    world
        .home
        .register(Registered::new(
            skill("name: long\ndescription: D."),
            body.as_str(),
        ))
        .unwrap();
    world.registry.refresh().await.unwrap();
    for counted in [false, true] {
        for refresh in [
            RefreshPolicy::AfterTokens(0),
            RefreshPolicy::AfterTokens(500),
            RefreshPolicy::AfterTurns(0),
        ] {
            let mut session = world.session(plain().refresh(refresh));
            let text = world.read(&mut session, "long", &gpt()).await;
            let results = [ToolResult::new("read_skill", &text)];
            let turn = Turn::new("").number(2).results(results.clone());
            let turn = if counted { turn.tokens(3_100) } else { turn };
            assert_eq!(
                world.slots(&mut session, &turn, &gpt()).await.messages,
                [],
                "{refresh:?}"
            );
        }
        // And what was given again counts as well.
        let mut session = world.session(plain().refresh(RefreshPolicy::AfterTokens(500)));
        world.read(&mut session, "long", &gpt()).await;
        let mut tokens = 4_000;
        let mut given = Vec::new();
        for number in 2..8 {
            let turn = Turn::new("").number(number);
            let turn = if counted { turn.tokens(tokens) } else { turn };
            let slots = world.slots(&mut session, &turn, &gpt()).await;
            let added: usize = slots
                .messages
                .iter()
                .map(|m| crate::catalog::Tokenizer::default().estimate(&m.text))
                .sum();
            tokens += 100 + added;
            given.push(slots.messages.len());
        }
        assert_eq!(given, if counted { [1, 0, 0, 0, 0, 1] } else { [0; 6] });
    }
}

#[tokio::test]
async fn truncated_redeliveries_are_reported() {
    let world = TestEnv::of(&[]).await;
    world
        .home
        .register(Registered::new(
            skill("name: long\ndescription: D."),
            "word ".repeat(3_000),
        ))
        .unwrap();
    world.registry.refresh().await.unwrap();
    for (survival, given) in [
        (CompactionBudget::new(200, 1_000), true),
        (CompactionBudget::new(200, 0), false),
    ] {
        let mut session = world.session(plain().survival(survival));
        world.read(&mut session, "long", &gpt()).await;
        session.reset();
        let slots = world.slots(&mut session, &Turn::new(""), &gpt()).await;
        let [
            Notice {
                id: name,
                why: NoticeReason::Redelivered { tokens, of },
                ..
            },
        ] = &slots.notices[..]
        else {
            panic!("{:?}", slots.notices)
        };
        assert_eq!(
            (name.as_str(), *tokens > 0, slots.messages.len()),
            ("long", given, usize::from(given))
        );
        assert!(*tokens <= 200 && *of > 3_000, "{:?}", slots.notices);
        let notice = slots.notices[0].to_string();
        assert_eq!(
            notice,
            format!("skill `long` is delivered again with {tokens} of its {of} tokens")
        );
    }
    assert_eq!(
        CompactionBudget::default(),
        CompactionBudget::new(5_000, 25_000)
    );
}

#[tokio::test]
async fn skills_deactivated_before_reading_are_skipped() {
    let world = TestEnv::of(&["name: tea\ntriggers: [kettle]"]).await;
    let mut session = world.session(plain());
    let evaluation = session.evaluate(&Turn::new("kettle"));
    session.deactivate("tea");
    let evaluation = session.read(evaluation, &world.registry).await;
    assert_each_once(&evaluation);
    assert_eq!(
        (ids(&evaluation), skipped(&evaluation)),
        (vec![], vec![("tea", NoticeReason::Deactivated)])
    );
    assert_eq!(active(&session), [""; 0]);
    // The host's word counts more than what it said before.
    session.activate(Audience::Model, "tea", "").unwrap();
    assert_eq!(ids(&session.evaluate(&Turn::new("kettle"))), ["tea"]);
}

#[tokio::test]
async fn repeated_reads_count_once_toward_the_limit() {
    let world = TestEnv::of(&[
        "name: tea\ntriggers: [kettle]",
        "name: milk\ntriggers: [cow]",
    ])
    .await;
    let mut session = world.session(plain().triggered_at_most(2, 1_000));
    let evaluation = session.evaluate(&Turn::new("kettle"));
    for _ in 0..3 {
        session.read(evaluation.clone(), &world.registry).await;
    }
    assert_eq!(
        ids(&session.evaluate(&Turn::new("kettle cow"))),
        ["tea", "milk"]
    );
}

#[tokio::test]
async fn redelivery_omits_forgotten_bodies_in_system_prompts() {
    let world = TestEnv::of(&["name: tea"]).await;
    let mut session = world.session(declaring(SurfaceMode::Both));
    session.activate(Audience::User, "tea", "").unwrap();
    world.slots(&mut session, &Turn::new(""), &gpt()).await;
    session.forget("tea");
    assert_eq!(
        session.redeliver_after_compaction(&CompactionBudget::default()),
        Redelivery::default()
    );
}

#[tokio::test]
async fn redelivery_omits_outdated_bodies() {
    let world = TestEnv::of(&["name: tea"]).await;
    let mut session = world.session(plain());
    world.read(&mut session, "tea", &gpt()).await;
    world.rewrite("tea", "Another body").await;
    session.start_turn(world.tools());
    assert_eq!(
        session.redeliver_after_compaction(&CompactionBudget::default()),
        Redelivery::default()
    );
    let slots = world.slots(&mut session, &Turn::new(""), &gpt()).await;
    let [message] = &slots.messages[..] else {
        panic!("{:?}", slots.messages)
    };
    assert_eq!(
        (
            times(&message.text, "Another body"),
            times(&message.text, "tea body")
        ),
        (1, 0)
    );
}

#[tokio::test]
async fn command_outcomes_and_warnings_are_reported_once() {
    use repertoire_render::{DirectiveOutcome, Refusal, Warning};

    let world = TestEnv::of(&[]).await;
    let body = "!`date`\n\nIn ${SESSION_ID}.\n";
    let front_matter = "name: tea\ndescription: D.\ntriggers: [kettle]";
    world
        .home
        .register(Registered::new(skill(front_matter), body))
        .unwrap();
    world.registry.refresh().await.unwrap();
    let mut session = world.session(plain());
    let evaluation = session
        .read(session.evaluate(&Turn::new("kettle")), &world.registry)
        .await;
    let [remarks] = &evaluation.notices[..] else {
        panic!("{:?}", evaluation.notices)
    };
    let NoticeReason::Rendered { outcomes, warnings } = &remarks.why else {
        panic!("{remarks:?}")
    };
    assert_eq!(
        (remarks.id.as_str(), &outcomes[..]),
        ("tea", &[DirectiveOutcome::Refused { by: Refusal::Off }][..])
    );
    assert!(
        matches!(warnings[..], [Warning { line: Some(3), .. }]),
        "{warnings:?}"
    );
    let text = remarks.to_string();
    assert!(
        text.starts_with(
            "skill `tea`: 0 of 1 commands and scripts ran; commands and scripts are switched off; line 3: "
        ),
        "{text}"
    );
    // What is not read again is not reported again; after a resumption it is read.
    let next = session
        .read(
            session.evaluate(&Turn::new("kettle").number(2)),
            &world.registry,
        )
        .await;
    assert_eq!(next.notices, []);
    let (_, resumed) =
        Session::resume(session.state(), world.tools(), plain(), &world.registry).await;
    assert_eq!(&resumed, std::slice::from_ref(remarks));
}

/// Runs every command and script, which print nothing.
#[derive(Debug)]
struct Silent;

#[async_trait]
impl crate::tools::CommandRunner for Silent {
    async fn run(
        &self,
        _: &Candidate<Skill>,
        directives: &[repertoire_render::Directive],
        _: &repertoire_render::Context,
        _: &repertoire_render::Binding,
    ) -> Vec<repertoire_render::DirectiveOutcome> {
        use repertoire_render::{CapturedOutput, CompletedRun, DirectiveOutcome, RunEnd};

        let run = CompletedRun::new(
            RunEnd::Exit(0),
            CapturedOutput::default(),
            CapturedOutput::default(),
        );
        vec![DirectiveOutcome::Ran(run); directives.len()]
    }
}

#[tokio::test]
async fn silent_scripts_are_reported() {
    let world = TestEnv::of(&[]).await;
    let body = "!`true`\n\n!{script: lib/a.js}\n";
    let front_matter = "name: tea\ndescription: D.\ntriggers: [kettle]";
    world
        .home
        .register(Registered::new(skill(front_matter), body))
        .unwrap();
    world.registry.refresh().await.unwrap();
    let reader =
        crate::tools::Renderer::new(world.registry.clone()).commands(std::sync::Arc::new(Silent));
    let mut session = world.session(plain());
    let evaluation = session
        .read(session.evaluate(&Turn::new("kettle")), &reader)
        .await;
    let remarks: Vec<_> = evaluation.notices.iter().map(ToString::to_string).collect();
    assert_eq!(
        remarks,
        [
            "skill `tea`: 2 of 2 commands and scripts ran; line 3: script `lib/a.js` printed nothing to standard output"
        ]
    );
}

#[tokio::test]
async fn invalid_stored_sessions_are_rejected() {
    let world = TestEnv::of(&["name: tea"]).await;
    let mut session = world.session(plain());
    world.read(&mut session, "tea", &gpt()).await;
    let stored = serde_json::to_value(session.state()).unwrap();
    let read = |change: &dyn Fn(&mut Value)| {
        let mut stored = stored.clone();
        change(&mut stored);
        serde_json::from_value::<SessionState>(stored).map_err(|error| error.to_string())
    };
    let state = Ok(session.state());
    assert_eq!(read(&|_| {}), state);
    // Fields that another version added, or did not have yet.
    assert_eq!(read(&|it| it["mood"] = json!({"is": "new"})), state);
    assert_eq!(read(&|it| it["skills"][0]["mood"] = json!(1)), state);
    assert_eq!(
        read(&|it| drop(it.as_object_mut().unwrap().remove("version"))),
        state
    );
    assert_eq!(
        read(&|it| drop(it.as_object_mut().unwrap().remove("expired"))),
        state
    );
    for (error, change) in [
        (
            "expected a session of version 1, found 2: another version stored it",
            &(|it: &mut Value| it["version"] = json!(2)) as &dyn Fn(&mut Value),
        ),
        ("invalid type: string \"x\"", &|it| it["calls"] = json!("x")),
        ("unknown variant `wish`", &|it| {
            it["skills"][0]["by"] = json!("wish")
        }),
        ("missing field `source`", &|it| {
            drop(it["skills"][0].as_object_mut().unwrap().remove("source"))
        }),
        ("", &|it| it["skills"][0]["digest"] = json!("sha256:12")),
        ("", &|it| it["skills"][0]["skill"] = json!("a/../b")),
        ("invalid type", &|it| *it = json!([1, 2])),
    ] {
        let found = read(change).unwrap_err();
        assert!(found.starts_with(error), "{error}: {found}");
    }
    let text = stored.to_string();
    assert!(serde_json::from_str::<SessionState>(&text[..text.len() / 2]).is_err());
}

/// Whatever a state holds, a session resumes from it and goes on.
#[tokio::test]
async fn numbers_beyond_all_bounds_break_nothing() {
    let world = TestEnv::of(&["name: tea\ntriggers: [kettle]"]).await;
    let mut session = world.session(plain());
    world.read(&mut session, "tea", &gpt()).await;
    let mut stored = serde_json::to_value(session.state()).unwrap();
    for field in ["calls", "tokens", "uses"] {
        stored[field] = json!(u64::MAX);
    }
    stored["triggered"] = json!({"skills": usize::MAX, "tokens": usize::MAX});
    stored["skills"][0]["delivered"]["tokens"] = json!(u64::MAX);
    let twice = stored["skills"][0].clone();
    stored["skills"].as_array_mut().unwrap().push(twice);
    let state = serde_json::from_value(stored).unwrap();
    let options = plain().refresh(RefreshPolicy::AfterTokens(1));
    let (mut session, resumed) =
        Session::resume(state, world.tools(), options, &world.registry).await;
    assert_eq!(resumed, []);
    world
        .slots(&mut session, &Turn::new("kettle"), &gpt())
        .await;
    session.touch("tea");
    session.redeliver_after_compaction(&CompactionBudget::default());
    world
        .slots(
            &mut session,
            &Turn::new("kettle").number(2).tokens(usize::MAX),
            &gpt(),
        )
        .await;
    assert_eq!(active(&session), ["tea"]);
}

#[tokio::test]
async fn changes_during_an_absence_are_reported_on_return() {
    let world = TestEnv::of(&["name: tea\nsurfaceMode: system-prompt"]).await;
    let mut session = world.session(plain());
    world.read(&mut session, "tea", &gpt()).await;
    world.home.unregister("tea");
    world.registry.refresh().await.unwrap();
    let (session, since) =
        Session::resume(session.state(), world.tools(), plain(), &world.registry).await;
    assert_eq!(since[0].why, NoticeReason::Gone);
    world
        .home
        .register(Registered::new(
            skill("name: tea\ndescription: D."),
            "Another body",
        ))
        .unwrap();
    world.registry.refresh().await.unwrap();
    let (_, since) =
        Session::resume(session.state(), world.tools(), plain(), &world.registry).await;
    assert_eq!(since[0].why, NoticeReason::Changed);
}

#[derive(Debug, Clone)]
enum Step {
    Begin,
    Read(usize),
    Name(usize),
    End(usize),
    Say(usize),
    Forget(usize),
    Reset,
    Rerender,
    Wait,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// A session that was stored and resumed is the one that was stored: by its state, and by all that follows.
    #[test]
    fn resumed_sessions_equal_stored_sessions(
        steps in prop::collection::vec(
            prop_oneof![
                Just(Step::Begin), (0..3_usize).prop_map(Step::Read), (0..3_usize).prop_map(Step::Name),
                (0..3_usize).prop_map(Step::End), (0..4_usize).prop_map(Step::Say), (0..3_usize).prop_map(Step::Forget),
                Just(Step::Reset), Just(Step::Rerender), Just(Step::Wait),
            ],
            0..24,
        ),
        lifetime in prop_oneof![Just(Lifetime::Message), Just(Lifetime::Conversation)],
        stored_at in 0..24_usize,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            const NAMES: [&str; 3] = ["tea", "milk", "salt"];
            let front_matters = NAMES.map(|name| format!("name: {name}\ntriggers: [word-{name}]"));
            let world = TestEnv::of(&front_matters.each_ref().map(String::as_str)).await;
            let options = || {
                let options = plain().lifetime(lifetime).refresh(RefreshPolicy::AfterTurns(3)).triggered_at_most(2, 1_000);
                let options = options.inject(message("fact", Role::User)).unwrap();
                options.inject(steering("strict", Trigger::Activated)).unwrap()
            };
            let mut pair = [world.session(options()), world.session(options())];
            for (number, step) in steps.iter().enumerate() {
                if number == stored_at {
                    let text = serde_json::to_string(&pair[1].state()).unwrap();
                    let state: SessionState = serde_json::from_str(&text).unwrap();
                    let (resumed, since) = Session::resume(state, world.tools(), options(), &world.registry).await;
                    prop_assert_eq!(resumed.state(), pair[1].state());
                    prop_assert_eq!(since, vec![]);
                    pair[1] = resumed;
                }
                let mut results = Vec::new();
                for session in &mut pair {
                    results.push(match step {
                        Step::Begin => { session.start_turn(world.tools()); String::new() }
                        Step::Read(skill) => world.read(session, NAMES[*skill], &gpt()).await,
                        Step::Name(skill) => {
                            session.activate(Audience::User, if *skill == 0 { "strict" } else { NAMES[*skill] }, "x").unwrap();
                            String::new()
                        }
                        Step::End(skill) => { session.deactivate(NAMES[*skill]); String::new() }
                        Step::Forget(skill) => { session.forget(NAMES[*skill]); String::new() }
                        Step::Say(skill) => {
                            let message = NAMES.get(*skill).map(|name| format!("word-{name}")).unwrap_or_default();
                            format!("{:?}", world.slots(session, &Turn::new(&message), &gpt()).await)
                        }
                        Step::Reset => { session.reset(); String::new() }
                        Step::Rerender => format!("{:?}", session.redeliver_after_compaction(&CompactionBudget::default())),
                        Step::Wait => {
                            format!("{:?}", world.slots(session, &Turn::new("").end(ConversationEnd::Calls), &claude()).await)
                        }
                    });
                }
                prop_assert_eq!(&results[0], &results[1], "{:?}", step);
            }
            let [one, other] = pair;
            prop_assert_eq!((one.state(), one.active()), (other.state(), other.active()));
            Ok(())
        })?;
    }
}
