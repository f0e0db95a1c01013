//! Skills that triggers bring.

use super::*;

pub(super) fn skipped(evaluation: &Evaluation) -> Vec<(&str, NoticeReason)> {
    evaluation
        .skipped
        .iter()
        .map(|skipped| (skipped.id.as_str(), skipped.why.clone()))
        .collect()
}

#[tokio::test]
async fn declared_triggers_activate_their_skill() {
    let world = TestEnv::of(&[
        "name: by-word\ntriggers: [kettle]",
        "name: by-path\npaths: '*.rs'",
        "name: by-tool\ntriggers: [{tool: 'git_*'}]",
        "name: by-task\ntriggers: [{task: review}]",
        "name: by-command\ntriggers: [{command: brew}]",
        "name: by-nothing",
    ])
    .await;
    let results = [ToolResult::new("git_log", "")];
    for (turn, expected) in [
        (Turn::new("Put the kettle on"), "by-word"),
        (Turn::new("").paths(["src/lib.rs"]), "by-path"),
        (Turn::new("").results(results.clone()), "by-tool"),
        (Turn::new("").task("review"), "by-task"),
        (Turn::new("").command("brew"), "by-command"),
        (Turn::new("$by-nothing, please"), "by-nothing"),
    ] {
        let mut session = world.session(plain());
        let slots = world.slots(&mut session, &turn, &claude()).await;
        assert_eq!(
            (active(&session), times(&slots.system_prompt, " body")),
            (vec![expected.to_owned()], 1)
        );
    }
}

#[tokio::test]
async fn triggered_skills_remain_active_and_are_delivered_once() {
    let world = TestEnv::of(&["name: tea\ntriggers: [kettle]"]).await;
    let mut session = world.session(plain());
    world
        .slots(&mut session, &Turn::new("kettle"), &gpt())
        .await;
    session.start_turn(world.tools());
    let slots = world
        .slots(&mut session, &Turn::new("And now?"), &gpt())
        .await;
    assert_eq!(times(&slots.system_prompt, "tea body"), 1);
    // The model sees it already.
    let note = world.read(&mut session, "tea", &gpt()).await;
    assert!(note.contains("active already"), "{note}");
    let slots = world
        .slots(&mut session, &Turn::new("And now?").number(2), &gpt())
        .await;
    assert_eq!(
        (
            times(&slots.system_prompt, "tea body"),
            slots.messages.len()
        ),
        (1, 0)
    );
}

#[tokio::test]
async fn users_may_name_skills_hidden_from_models() {
    let world = TestEnv::of(&[
        "name: by-hand\ndisable-model-invocation: true\ntriggers: [kettle]",
        "name: own\nuser-invocable: false\ntriggers: [{command: own}]",
    ])
    .await;
    let mut session = world.session(plain());
    let evaluation = session.evaluate(&Turn::new("The kettle. $own /own"));
    // Naming a hidden skill is reported. A word that it declares is not.
    let hidden = vec![("own", NoticeReason::Hidden(HiddenReason::ForModelsOnly))];
    assert_eq!((ids(&evaluation), skipped(&evaluation)), (vec![], hidden));
    let slots = world
        .slots(&mut session, &Turn::new("/by-hand now"), &gpt())
        .await;
    assert_eq!(times(&slots.system_prompt, "by-hand body"), 1);
    assert_eq!(session.active()[0].by, ActivatedBy::Name);
}

#[tokio::test]
async fn text_after_a_leading_name_becomes_arguments() {
    let world = TestEnv::of(&["name: tea"]).await;
    let mut session = world.session(plain());
    let slots = world
        .slots(&mut session, &Turn::new(" /tea green, no sugar "), &gpt())
        .await;
    assert!(
        slots.system_prompt.contains("ARGUMENTS: green, no sugar"),
        "{}",
        slots.system_prompt
    );
    // Named inside a sentence it has none, and keeps those it has.
    session.start_turn(world.tools());
    world
        .slots(&mut session, &Turn::new("Is $tea ready?"), &gpt())
        .await;
    assert_eq!(session.active()[0].arguments.as_ref(), "green, no sugar");
    session.start_turn(world.tools());
    let slots = world
        .slots(&mut session, &Turn::new("/tea black"), &gpt())
        .await;
    assert!(
        slots.system_prompt.contains("ARGUMENTS: black"),
        "{}",
        slots.system_prompt
    );
    assert_eq!(times(&slots.system_prompt, "ARGUMENTS"), 1);
}

#[tokio::test]
async fn arguments_of_the_model_override_the_message() {
    let world = TestEnv::of(&["name: tea"]).await;
    let mut session = world.session(plain());
    let turn = Turn::new("/tea green");
    world.slots(&mut session, &turn, &gpt()).await;
    world
        .read_with(
            &mut session,
            json!({"id": "tea", "arguments": "black"}),
            &gpt(),
        )
        .await;
    world
        .slots(&mut session, &turn.clone().number(2), &gpt())
        .await;
    assert_eq!(session.active()[0].arguments.as_ref(), "black");
}

#[tokio::test]
async fn untrusted_sources_cannot_use_always_or_regex() {
    let skills = [
        "name: a\ntriggers: [{always: true}]",
        "name: b\ntriggers: [{regex: 'ket+le'}, kettle]",
    ];
    let refused =
        NoticeReason::Invalid("its trigger never matches: its source is not trusted".into());
    for (trust, expected, suggests, skips) in [
        (Trust::Trusted, vec!["b", "a"], vec![], vec![]),
        (Trust::Restricted, vec![], vec!["b"], vec![("a", refused)]),
    ] {
        let world = TestEnv::trusted(&skills, trust).await;
        let evaluation = world.session(plain()).evaluate(&Turn::new("kettle"));
        assert_each_once(&evaluation);
        let found = (
            ids(&evaluation),
            suggested(&evaluation),
            skipped(&evaluation),
        );
        assert_eq!(found, (expected, suggests, skips), "{trust}");
    }
    let world = TestEnv::trusted(&skills, Trust::Pending).await;
    let evaluation = world.session(plain()).evaluate(&Turn::new("kettle"));
    assert_eq!((evaluation.active.len(), evaluation.skipped.len()), (0, 0));
}

#[tokio::test]
async fn untrusted_triggers_suggest_and_never_activate() {
    let declared =
        "triggers: [kettle, {task: review}, {tool: 'git_*'}, {command: brew}]\npaths: '*.rs'";
    let results = [ToolResult::new("git_log", "")];
    for turn in [
        Turn::new("Put the kettle on"),
        Turn::new("").task("review"),
        Turn::new("").results(results.clone()),
        Turn::new("").command("brew"),
        Turn::new("/brew now"),
        Turn::new("").paths(["src/lib.rs"]),
    ] {
        let world = TestEnv::trusted(&[&format!("name: tea\n{declared}")], Trust::Restricted).await;
        let mut session = world.session(plain());
        let evaluation = session.evaluate(&turn);
        assert_eq!(
            (
                ids(&evaluation),
                suggested(&evaluation),
                skipped(&evaluation)
            ),
            (vec![], vec!["tea"], vec![])
        );
        assert_eq!(
            &*evaluation.suggested[0].candidate().unwrap().origin.source,
            "home"
        );
        let slots = world.slots(&mut session, &turn, &claude()).await;
        assert_eq!(
            (
                slots.system_prompt.as_str(),
                slots.messages.len(),
                active(&session).len()
            ),
            ("", 0, 0)
        );
        // The turn marks it where a model looks for skills, and nowhere else.
        for (tool, arguments) in [
            ("list_skills", json!({})),
            ("search_skills", json!({"query": "tea"})),
        ] {
            let Some(answer) = session
                .call(tool, &arguments, &world.registry, &claude())
                .await
            else {
                continue;
            };
            assert_eq!(
                times(&answer.text, "\"suggested\": true"),
                1,
                "{}",
                answer.text
            );
            let toolset = world
                .tools()
                .call(tool, &arguments, &world.registry)
                .await
                .unwrap();
            assert_eq!(times(&toolset.text, "suggested"), 0, "{}", toolset.text);
        }
        // The user's word activates it.
        session.start_turn(world.tools());
        let slots = world
            .slots(
                &mut session,
                &Turn::new("Use $tea with the kettle"),
                &claude(),
            )
            .await;
        assert_eq!(times(&slots.system_prompt, "tea body"), 1);
        let evaluation = session.evaluate(&Turn::new("Use $tea with the kettle"));
        assert_eq!(
            (ids(&evaluation), suggested(&evaluation)),
            (vec!["tea"], vec![])
        );
    }
}

#[tokio::test]
async fn one_source_suggests_three_skills_at_most() {
    let names =
        ["a1", "a2", "a3", "a4", "a5"].map(|name| format!("name: {name}\ntriggers: [kettle]"));
    let world = TestEnv::trusted(&names.each_ref().map(String::as_str), Trust::Restricted).await;
    let evaluation = world.session(plain()).evaluate(&Turn::new("kettle"));
    assert_each_once(&evaluation);
    assert_eq!(suggested(&evaluation), ["a1", "a2", "a3"]);
    let why = NoticeReason::OverLimit(
        "a source that is not trusted suggests at most 3 skills for one message".into(),
    );
    assert_eq!(skipped(&evaluation), [("a4", why.clone()), ("a5", why)]);
}

#[tokio::test]
async fn an_untrusted_command_changes_no_arguments() {
    let world = TestEnv::of(&["name: tea"]).await;
    let far = MemorySource::new("far");
    far.register(Registered::new(
        skill("name: far-tea\ndescription: D.\ntriggers: [{command: green}]"),
        "far",
    ))
    .unwrap();
    let mounts = [
        Mount::user(world.home.clone()),
        Mount::plugin(far).trust(Trust::Restricted),
    ];
    let builder = mounts
        .into_iter()
        .fold(SkillRegistry::builder(), |builder, mount| {
            builder.mount(mount)
        });
    let registry = builder.load().await.unwrap();
    let tools = Toolset::new(&registry.snapshot(), &ToolOptions::default());
    let mut session = Session::new(tools, plain());
    let evaluation = session.evaluate(&Turn::new("/tea /green now"));
    let evaluation = session.read(evaluation, &registry).await;
    assert_eq!(suggested(&evaluation), ["far-tea"]);
    assert_eq!(session.active()[0].arguments.as_ref(), "/green now");
}

#[tokio::test]
async fn losing_trust_ends_triggered_activations() {
    let trusted = TestEnv::of(&["name: tea\ntriggers: [kettle]"]).await;
    let mut session = trusted.session(plain());
    trusted
        .slots(&mut session, &Turn::new("kettle"), &claude())
        .await;
    let world = TestEnv::trusted(&["name: tea\ntriggers: [kettle]"], Trust::Restricted).await;
    session.start_turn(world.tools());
    let evaluation = session.evaluate(&Turn::new("And now?"));
    assert_eq!(
        (ids(&evaluation), skipped(&evaluation)),
        (vec![], vec![("home:tea", NoticeReason::Untrusted)])
    );
    assert_eq!(
        world
            .slots(&mut session, &Turn::new("And now?"), &claude())
            .await
            .system_prompt,
        ""
    );
    let slots = world
        .slots(&mut session, &Turn::new("/tea"), &claude())
        .await;
    assert_eq!(times(&slots.system_prompt, "tea body"), 1);
    let slots = world
        .slots(&mut session, &Turn::new("").number(2), &claude())
        .await;
    assert_eq!(times(&slots.system_prompt, "tea body"), 1);
}

#[tokio::test]
async fn weak_keywords_suggest_nothing() {
    let keywords = "triggers: [a, the, to, i, you, please, is, kettle]";
    for trust in [Trust::Trusted, Trust::Restricted] {
        let world = TestEnv::trusted(&[&format!("name: tea\n{keywords}")], trust).await;
        let session = world.session(plain());
        let evaluation =
            session.evaluate(&Turn::new("Please tell me: what is the weather to you?"));
        assert_eq!((ids(&evaluation), suggested(&evaluation)), (vec![], vec![]));
        let why = session.evaluate(&Turn::new("")).skipped[0].why.to_string();
        assert_eq!(
            why,
            "its trigger never matches: expected at least 3 letters, or 2 characters in Chinese, Japanese and Korean"
        );
    }
}

#[tokio::test]
async fn triggers_are_limited_for_each_message() {
    let world = TestEnv::of(&[
        "name: a\ntriggers: [kettle]",
        "name: b\ntriggers: [kettle]",
        "name: c\ntriggers: [kettle]",
    ])
    .await;
    let mut session = world.session(plain().triggered_at_most(2, 1_000));
    let turn = Turn::new("$c and the kettle");
    // What the user names comes first; and the next call of the same message brings no more.
    for number in 1..4 {
        let evaluation = session.evaluate(&turn.clone().number(number));
        assert_eq!(
            skipped(&evaluation),
            [(
                "b",
                NoticeReason::OverLimit(
                    "triggers activate at most 2 skills for one message".into()
                )
            )]
        );
        session.read(evaluation, &world.registry).await;
        assert_eq!(active(&session), ["c", "a"]);
    }
    session.start_turn(world.tools());
    world.slots(&mut session, &turn, &claude()).await;
    assert_eq!(active(&session), ["c", "a", "b"]);
}

#[tokio::test]
async fn triggers_activate_no_more_tokens_than_they_may() {
    let world = TestEnv::of(&["name: tea\ntriggers: [kettle]"]).await;
    let long = Registered::new(
        skill("name: long\ndescription: L.\ntriggers: [kettle]"),
        "word ".repeat(100),
    );
    world.home.register(long).unwrap();
    world.registry.refresh().await.unwrap();
    let mut session = world.session(plain().triggered_at_most(9, 50));
    let evaluation = session.evaluate(&Turn::new("kettle"));
    let evaluation = session.read(evaluation, &world.registry).await;
    assert_eq!(
        (ids(&evaluation), skipped(&evaluation)),
        (
            vec!["tea"],
            vec![(
                "long",
                NoticeReason::OverLimit(
                    "triggers activate at most 50 tokens of skills for one message".into()
                )
            )]
        )
    );
    assert_eq!(active(&session), ["tea"]);
}

#[tokio::test]
async fn deactivated_skills_ignore_the_same_message() {
    let world = TestEnv::of(&["name: tea\ntriggers: [kettle]"]).await;
    let mut session = world.session(plain());
    let turn = Turn::new("kettle");
    world.slots(&mut session, &turn, &claude()).await;
    session.deactivate("tea");
    let evaluation = session.evaluate(&turn.clone().number(2));
    assert_eq!(
        (ids(&evaluation), skipped(&evaluation)),
        (vec![], vec![("tea", NoticeReason::Deactivated)])
    );
    session.start_turn(world.tools());
    assert_eq!(ids(&session.evaluate(&turn)), ["tea"]);
}

#[tokio::test]
async fn unreadable_skills_are_skipped_until_readable() {
    let world = TestEnv::of(&[
        "name: tea\ntriggers: [kettle]",
        "name: milk\ntriggers: [kettle]",
    ])
    .await;
    let mut session = world.session(plain());
    let evaluation = session.evaluate(&Turn::new("kettle"));
    let evaluation = session
        .read(evaluation, &Broken(&world.registry, "tea"))
        .await;
    assert_each_once(&evaluation);
    let [(name, why)] = &skipped(&evaluation)[..] else {
        panic!("{:?}", evaluation.skipped)
    };
    assert!(
        *name == "tea" && why.to_string().contains("not now"),
        "{why}"
    );
    let slots = session.compose(&evaluation, &gpt()).unwrap();
    assert_eq!(
        (active(&session), times(&slots.system_prompt, "milk body")),
        (vec!["milk".to_owned()], 1)
    );
    // It is read as soon as it can be.
    world
        .slots(&mut session, &Turn::new("kettle").number(2), &gpt())
        .await;
    assert_eq!(active(&session), ["milk", "tea"]);
}
