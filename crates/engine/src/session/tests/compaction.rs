//! The state that outlives a compaction, a long conversation, and a process.

use super::*;

async fn active_two(options: SessionOptions) -> (TestEnv, Session) {
    let world = TestEnv::of(&["name: tea", "name: milk"]).await;
    let mut session = world.session(options);
    for name in ["tea", "milk"] {
        world.read(&mut session, name, &gpt()).await;
    }
    (world, session)
}

fn element(name: &str) -> String {
    format!("<skill_content name=\"{name}\">\n{name} body\n</skill_content>\n")
}

fn redelivered(skills: &[Notice]) -> Vec<(&str, usize, usize)> {
    let rows = skills.iter().map(|skill| match skill.why {
        NoticeReason::Redelivered { tokens, of } => (skill.id.as_str(), tokens, of),
        ref other => panic!("{other:?}"),
    });
    rows.collect()
}

#[tokio::test]
async fn the_active_list_includes_digests() {
    let (_, session) = active_two(plain()).await;
    let digest = |name: &str| Some(Digest::of(format!("{name} body").as_bytes()));
    let list: Vec<_> = session
        .active()
        .into_iter()
        .map(|skill| (skill.id.to_string(), skill.by, skill.digest))
        .collect();
    assert_eq!(
        list,
        [
            ("tea".to_owned(), ActivatedBy::Tool, digest("tea")),
            ("milk".to_owned(), ActivatedBy::Tool, digest("milk"))
        ]
    );
}

#[tokio::test]
async fn bodies_come_again_the_newest_first() {
    let (world, mut session) = active_two(plain()).await;
    session.touch("tea");
    let again = session.redeliver_after_compaction(&CompactionBudget::default());
    assert_eq!(
        again.text,
        format!("{}\n{}", element("tea"), element("milk"))
    );
    let tokens = crate::catalog::Tokenizer::default().estimate(&element("tea"));
    assert_eq!(redelivered(&again.skills)[0], ("tea", tokens, tokens));
    // They count as being there.
    assert!(
        world
            .read(&mut session, "tea", &gpt())
            .await
            .contains("active already")
    );
    assert_eq!(
        world
            .slots(&mut session, &Turn::new(""), &gpt())
            .await
            .messages,
        []
    );
}

#[tokio::test]
async fn a_reset_redelivers_bodies_at_the_next_call() {
    let (world, mut session) = active_two(plain()).await;
    assert_eq!(
        world
            .slots(&mut session, &Turn::new(""), &gpt())
            .await
            .messages,
        []
    );
    session.reset();
    assert_eq!(active(&session), ["tea", "milk"]);
    let slots = world
        .slots(
            &mut session,
            &Turn::new("").end(ConversationEnd::Calls),
            &gpt(),
        )
        .await;
    assert_eq!(slots.messages, []);
    assert!(
        slots
            .placements
            .iter()
            .all(|placement| placement.delivery == Delivery::Deferred)
    );
    let slots = world.slots(&mut session, &Turn::new(""), &gpt()).await;
    let [message] = &slots.messages[..] else {
        panic!("{:?}", slots.messages)
    };
    assert_eq!(
        message.text.as_ref(),
        format!("{}\n{}", element("milk"), element("tea"))
    );
    assert_eq!(
        (message.role, message.place),
        (Role::User, MessagePlace::End)
    );
    assert_eq!(
        world
            .slots(&mut session, &Turn::new(""), &gpt())
            .await
            .messages,
        []
    );
}

#[tokio::test]
async fn redelivery_truncates_long_and_omits_old_bodies() {
    let world = TestEnv::of(&["name: old", "name: new"]).await;
    let body: String = (0..400)
        .map(|line| format!("Line {line} of many words.\n"))
        .collect();
    let long = Registered::new(skill("name: long\ndescription: L."), body.as_str());
    world.home.register(long).unwrap();
    world.registry.refresh().await.unwrap();
    let mut session = world.session(plain());
    for name in ["old", "long", "new"] {
        world.read(&mut session, name, &gpt()).await;
    }
    let again = session.redeliver_after_compaction(&CompactionBudget::new(200, 220));
    let [("new", whole, of), ("long", cut, long), ("old", none, _)] =
        redelivered(&again.skills)[..]
    else {
        panic!("{:?}", again.skills)
    };
    assert!(
        whole == of && (100..=200).contains(&cut) && long > 1_000 && whole + cut <= 220,
        "{:?}",
        again.skills
    );
    assert_eq!(none, 0);
    assert_eq!(
        crate::catalog::Tokenizer::default().estimate(again.text.split_once("\n\n").unwrap().1),
        cut
    );
    assert!(
        again.text.starts_with(&element("new")) && again.text.contains("\nLine 0 of many words.\n")
    );
    assert!(
        again.text.contains(&format!(
            " of {} bytes: read all of it with `read_skill`",
            body.len()
        )),
        "{}",
        again.text
    );
    assert!(again.text.ends_with("</skill_content>\n"));
    // What is not there in full is given in full when it is read again.
    assert_eq!(
        times(&world.read(&mut session, "long", &gpt()).await, "Line 399"),
        1
    );
    assert_eq!(
        world.read(&mut session, "old", &gpt()).await,
        element("old")
    );
    assert!(
        world
            .read(&mut session, "new", &gpt())
            .await
            .contains("active already")
    );
}

#[tokio::test]
async fn bodies_over_the_redelivery_budget_are_not_retried() {
    let (world, mut session) = active_two(plain().survival(CompactionBudget::new(5_000, 0))).await;
    session.reset();
    for _ in 0..2 {
        let slots = world.slots(&mut session, &Turn::new(""), &gpt()).await;
        assert_eq!(slots.messages, []);
        assert!(
            slots
                .placements
                .iter()
                .all(|placement| placement.delivery == Delivery::LeftOut)
        );
    }
    assert_eq!(
        world.read(&mut session, "tea", &gpt()).await,
        element("tea")
    );
}

#[tokio::test]
async fn redelivery_omits_bodies_in_the_system_prompt() {
    let world = TestEnv::of(&[
        "name: tea\nsurfaceMode: system-prompt",
        "name: milk\ntriggers: [kettle]",
    ])
    .await;
    let mut session = world.session(plain());
    world.read(&mut session, "tea", &gpt()).await;
    world
        .slots(&mut session, &Turn::new("kettle"), &gpt())
        .await;
    assert_eq!(
        session.redeliver_after_compaction(&CompactionBudget::default()),
        Redelivery::default()
    );
    let slots = world
        .slots(&mut session, &Turn::new("kettle"), &gpt())
        .await;
    assert_eq!(
        (times(&slots.system_prompt, " body"), slots.messages.len()),
        (2, 0)
    );
}

#[tokio::test]
async fn a_body_comes_again_after_so_many_turns() {
    let (world, mut session) = active_two(plain().refresh(RefreshPolicy::AfterTurns(3))).await;
    let mut given = Vec::new();
    for _ in 0..8 {
        let slots = world.slots(&mut session, &Turn::new(""), &gpt()).await;
        given.push(
            slots
                .messages
                .iter()
                .map(|message| message.ids.len())
                .sum::<usize>(),
        );
    }
    assert_eq!(given, [0, 0, 0, 2, 0, 0, 2, 0]);
}

#[tokio::test]
async fn a_body_comes_again_after_so_many_tokens() {
    let (world, mut session) = active_two(plain().refresh(RefreshPolicy::AfterTokens(1_000))).await;
    let mut given = Vec::new();
    for tokens in [10, 900, 1_100, 1_200, 2_099, 2_200, 50, 60] {
        let slots = world
            .slots(&mut session, &Turn::new("").tokens(tokens), &gpt())
            .await;
        given.push(slots.messages.len());
    }
    assert_eq!(given, [0, 0, 1, 0, 0, 1, 0, 0]);
    // The length of the conversation is not given, so it is estimated.
    let (world, mut session) = active_two(plain().refresh(RefreshPolicy::AfterTokens(1_000))).await;
    let long = "word ".repeat(400);
    let results = [ToolResult::new("bash", &long)];
    let mut given = Vec::new();
    for number in 1..8 {
        let turn = Turn::new("Go").number(number).results(results.clone());
        given.push(
            world
                .slots(&mut session, &turn, &gpt())
                .await
                .messages
                .len(),
        );
    }
    assert_eq!(given, [0, 0, 1, 0, 0, 1, 0]);
}

#[tokio::test]
async fn a_changed_body_comes_again_everywhere() {
    let (world, mut session) = active_two(declaring(SurfaceMode::Both)).await;
    world.slots(&mut session, &Turn::new(""), &gpt()).await;
    world.rewrite("tea", "Another body").await;
    session.start_turn(world.tools());
    let slots = world.slots(&mut session, &Turn::new(""), &gpt()).await;
    assert_eq!(
        (
            times(&slots.system_prompt, "Another body"),
            times(&slots.system_prompt, "tea body")
        ),
        (1, 0)
    );
    let [message] = &slots.messages[..] else {
        panic!("{:?}", slots.messages)
    };
    assert_eq!(
        (message.ids.as_slice(), times(&message.text, "Another body")),
        (&[id("tea")][..], 1)
    );
    assert_eq!(
        world
            .slots(&mut session, &Turn::new(""), &gpt())
            .await
            .messages,
        []
    );
}

#[tokio::test]
async fn a_session_outlives_its_process() {
    let (world, mut session) =
        active_two(plain().inject(message("fact", Role::User)).unwrap()).await;
    let options = || plain().inject(message("fact", Role::User)).unwrap();
    world.slots(&mut session, &Turn::new(""), &gpt()).await;
    session.touch("tea");
    let text = serde_json::to_string(&session.state()).unwrap();
    assert!(!text.contains("tea body"), "{text}");
    let state: SessionState = serde_json::from_str(&text).unwrap();
    assert_eq!(state, session.state());
    let (mut resumed, since) =
        Session::resume(state, world.tools(), options(), &world.registry).await;
    assert_eq!(since, []);
    assert_eq!(
        (resumed.active(), resumed.current()),
        (session.active(), session.current())
    );
    assert_eq!(resumed.state(), session.state());
    // Nothing that was given is given again.
    assert!(
        world
            .read(&mut resumed, "tea", &gpt())
            .await
            .contains("active already")
    );
    assert_eq!(
        world
            .slots(&mut resumed, &Turn::new(""), &gpt())
            .await
            .messages,
        []
    );
    let empty: SessionState = serde_json::from_str("{}").unwrap();
    assert_eq!(empty, SessionState::default());
}

#[tokio::test]
async fn resuming_reports_changes_since_the_stored_state() {
    let mut world = TestEnv::of(&[
        "name: same",
        "name: changed",
        "name: gone",
        "name: hidden",
        "name: broken",
    ])
    .await;
    let mut session = world.session(plain());
    for name in ["same", "changed", "gone", "hidden", "broken"] {
        world.read(&mut session, name, &gpt()).await;
    }
    let state = session.state();
    world.rewrite("changed", "Another body").await;
    world.home.unregister("gone");
    world.registry.refresh().await.unwrap();
    world.hide("hidden");
    let reader = Broken(&world.registry, "broken");
    let (mut session, since) = Session::resume(state, world.tools(), plain(), &reader).await;
    assert_eq!(
        since,
        [
            Notice::of_skill(id("changed"), NoticeReason::Changed),
            Notice::of_skill(id("home:gone"), NoticeReason::Gone),
            Notice::of_skill(
                id("home:hidden"),
                NoticeReason::Hidden(HiddenReason::Disabled)
            ),
            Notice::of_skill(id("broken"), NoticeReason::Unreadable("not now".into())),
        ]
    );
    assert_eq!(active(&session), ["same", "changed", "broken"]);
    // The new text reaches the model; what is hidden or gone never does.
    let evaluation = session.evaluate(&Turn::new(""));
    let skipped: Vec<_> = evaluation
        .skipped
        .iter()
        .map(|skipped| (skipped.id.as_str(), &skipped.why))
        .collect();
    assert_eq!(
        skipped,
        [
            ("home:gone", &NoticeReason::Gone),
            ("home:hidden", &NoticeReason::Hidden(HiddenReason::Disabled))
        ]
    );
    let evaluation = session.read(evaluation, &world.registry).await;
    let slots = session.compose(&evaluation, &gpt()).unwrap();
    let [message] = &slots.messages[..] else {
        panic!("{:?}", slots.messages)
    };
    assert_eq!(
        message.text.as_ref(),
        "<skill_content name=\"changed\">\nAnother body\n</skill_content>\n"
    );
    let again = session.redeliver_after_compaction(&CompactionBudget::default());
    assert!(
        !again.text.contains("hidden") && !again.text.contains("gone"),
        "{}",
        again.text
    );
    assert_eq!(again.skills.len(), 3);
}

#[tokio::test]
async fn hidden_skills_are_no_longer_delivered() {
    let mut world = TestEnv::of(&["name: tea\ntriggers: [kettle]"]).await;
    let mut session = world.session(declaring(SurfaceMode::Both));
    world.read(&mut session, "tea", &gpt()).await;
    let turn = Turn::new("kettle $tea");
    let old = session.evaluate(&turn);
    let old = session.read(old, &world.registry).await;
    world.hide("tea");
    session.start_turn(world.tools());
    let evaluation = session.evaluate(&turn);
    assert_eq!(ids(&evaluation), [""; 0]);
    let fresh = session.compose(&evaluation, &gpt()).unwrap();
    // Not even by an evaluation from before.
    let stale = session.compose(&old, &gpt()).unwrap();
    for slots in [fresh, stale] {
        assert_eq!(
            (
                slots.system_prompt.as_str(),
                slots.messages.len(),
                slots.placements.len()
            ),
            ("", 0, 0)
        );
    }
    assert_eq!((session.active().len(), session.current()), (0, None));
    assert_eq!(
        session.redeliver_after_compaction(&CompactionBudget::default()),
        Redelivery::default()
    );
}

/// A body that no tool read is not in the conversation, so compaction does not lose it.
#[tokio::test]
async fn redelivery_omits_bodies_that_no_tool_read() {
    let world = TestEnv::of(&[
        "name: tea\ntriggers: [kettle]\nsurface: tool-only",
        "name: milk",
    ])
    .await;
    let mut session = world.session(plain());
    assert_eq!(
        left_out(
            &world
                .slots(&mut session, &Turn::new("kettle"), &gpt())
                .await
        ),
        ["tea"]
    );
    session.activate(Audience::User, "milk", "").unwrap();
    assert_eq!(
        left_out(
            &world
                .slots(&mut session, &Turn::new("").number(2), &gpt())
                .await
        ),
        ["tea"]
    );
    assert_eq!(active(&session), ["tea", "milk"]);
    assert_eq!(
        session.redeliver_after_compaction(&CompactionBudget::default()),
        Redelivery::default()
    );
}
