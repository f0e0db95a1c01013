//! Messages, tools, and what changes from call to call.

use super::*;

async fn session(options: SessionOptions) -> (TestEnv, Session) {
    let world = TestEnv::of(&["name: tea"]).await;
    let session = world.session(options);
    (world, session)
}

fn texts(slots: &Slots) -> Vec<(Role, &str)> {
    slots
        .messages
        .iter()
        .map(|message| (message.role, message.text.as_ref()))
        .collect()
}

#[tokio::test]
async fn a_message_is_given_once() {
    let fact = injection("fact", Flavor::Fact, Trigger::Always, {
        let mut content = Content::message(Role::User, "It rains.");
        content
            .messages
            .push(Message::new(Role::System, "It rains."));
        content.messages.push(Message::new(Role::User, "It pours."));
        content.messages.push(Message::new(Role::User, "It rains."));
        content
    });
    let (world, mut session) = session(plain().inject(fact).unwrap()).await;
    let slots = world.slots(&mut session, &Turn::new(""), &gpt()).await;
    assert_eq!(
        texts(&slots),
        [
            (Role::User, "It rains."),
            (Role::System, "It rains."),
            (Role::User, "It pours.")
        ]
    );
    let slots = world.slots(&mut session, &Turn::new(""), &gpt()).await;
    assert_eq!(slots.messages, []);
    assert!(
        slots
            .placements
            .iter()
            .all(|placement| placement.delivery == Delivery::Earlier)
    );
    session.reset();
    assert_eq!(
        world
            .slots(&mut session, &Turn::new(""), &gpt())
            .await
            .messages
            .len(),
        3
    );
}

#[tokio::test]
async fn nothing_comes_between_a_call_and_its_result() {
    let (world, mut session) = session(plain().inject(message("fact", Role::User)).unwrap()).await;
    let slots = world
        .slots(
            &mut session,
            &Turn::new("").end(ConversationEnd::Calls),
            &gpt(),
        )
        .await;
    let waits = Notice::new(
        id("fact"),
        Flavor::Fact,
        NoticeReason::Deferred {
            role: Role::User,
            cause: "it would come between a call and its result",
        },
    );
    assert_eq!((slots.messages.len(), slots.notices), (0, vec![waits]));
    assert_eq!(slots.placements[0].delivery, Delivery::Deferred);
    let slots = world
        .slots(
            &mut session,
            &Turn::new("").end(ConversationEnd::Results),
            &gpt(),
        )
        .await;
    assert_eq!(
        (texts(&slots), slots.notices.len()),
        (vec![(Role::User, "fact text")], 0)
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
async fn deferred_messages_outlive_their_trigger() {
    let once = injection(
        "once",
        Flavor::Fact,
        Trigger::Rule("first".into()),
        Content::message(Role::User, "It rains."),
    );
    let options = plain()
        .rule("first", |turn| turn.number == 1)
        .inject(once)
        .unwrap();
    let (world, mut session) = session(options).await;
    let slots = world
        .slots(
            &mut session,
            &Turn::new("").end(ConversationEnd::Calls),
            &gpt(),
        )
        .await;
    assert_eq!(slots.messages, []);
    let slots = world
        .slots(&mut session, &Turn::new("").number(2), &gpt())
        .await;
    assert_eq!(texts(&slots), [(Role::User, "It rains.")]);
    assert_eq!(
        world
            .slots(&mut session, &Turn::new("").number(3), &gpt())
            .await
            .messages,
        []
    );
}

#[tokio::test]
async fn strictly_alternating_providers_defer_repeated_roles() {
    let options = plain()
        .inject(message("one", Role::User))
        .unwrap()
        .inject(message("two", Role::User))
        .unwrap()
        .inject(message("three", Role::Assistant))
        .unwrap();
    let strict = options
        .clone()
        .message_rules("Strict ", MessageRules::ANY.strictly_alternating());
    let (world, mut session) = session(strict).await;
    let model = Model::from("strict/");
    let mut seen = Vec::new();
    // After the user only the assistant may speak; then the users follow one at a time.
    for tail in [
        ConversationEnd::User,
        ConversationEnd::Assistant,
        ConversationEnd::Results,
        ConversationEnd::Assistant,
        ConversationEnd::Assistant,
    ] {
        let slots = world
            .slots(&mut session, &Turn::new("").end(tail), &model)
            .await;
        seen.push(
            slots
                .messages
                .iter()
                .map(|message| message.ids[0].to_string())
                .collect::<Vec<_>>()
                .join(" "),
        );
    }
    assert_eq!(seen, ["three", "one", "", "two", ""]);
    let mut session = world.session(options);
    let slots = world.slots(&mut session, &Turn::new(""), &gpt()).await;
    assert_eq!(slots.messages.len(), 3);
}

#[tokio::test]
async fn messages_of_unsupported_roles_are_rejected() {
    let options = plain()
        .inject(message("one", Role::System))
        .unwrap()
        .inject(message("two", Role::User))
        .unwrap()
        .inject(message("three", Role::System))
        .unwrap();
    let (world, mut session) = session(options).await;
    let error = world
        .try_slots(&mut session, &Turn::new(""), &claude())
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "a model call cannot carry injections of the host: fact `one`: provider `anthropic` accepts no message of the role \
         `system`; fact `three`: provider `anthropic` accepts no message of the role `system`"
    );
    // They are given where there is such a role, and are no obstacle from then on.
    assert_eq!(
        world
            .slots(&mut session, &Turn::new(""), &gpt())
            .await
            .messages
            .len(),
        3
    );
    assert_eq!(
        world
            .slots(&mut session, &Turn::new(""), &claude())
            .await
            .messages,
        []
    );
}

#[tokio::test]
async fn messages_remain_deferred_until_their_role_is_supported() {
    let once = injection(
        "once",
        Flavor::Fact,
        Trigger::Rule("first".into()),
        Content::message(Role::System, "It rains."),
    );
    let options = plain()
        .rule("first", |turn| turn.number == 1)
        .inject(once)
        .unwrap();
    let (world, mut session) = session(options).await;
    world
        .slots(
            &mut session,
            &Turn::new("").end(ConversationEnd::Calls),
            &gpt(),
        )
        .await;
    let slots = world
        .slots(&mut session, &Turn::new("").number(2), &claude())
        .await;
    let waits = Notice::new(
        id("once"),
        Flavor::Fact,
        NoticeReason::Deferred {
            role: Role::System,
            cause: "the provider has no such role",
        },
    );
    assert_eq!((slots.messages.len(), slots.notices), (0, vec![waits]));
    assert_eq!(
        world
            .slots(&mut session, &Turn::new("").number(3), &gpt())
            .await
            .messages
            .len(),
        1
    );
}

#[tokio::test]
async fn unnamed_providers_default_to_the_registry_hint() {
    let options = |hint: Option<&str>| {
        let mut policy = SurfacePolicy::default();
        policy.hint = hint.map(str::to_owned);
        SessionOptions::new(policy)
            .inject(message("one", Role::System))
            .unwrap()
    };
    for (hint, provider, is_carried) in [
        (None, None, true),
        (None, Some("anthropic"), false),
        (Some("anthropic"), None, false),
        (Some("anthropic"), Some(" "), false),
        (Some("anthropic"), Some("openai"), true),
    ] {
        let model = Model::unknown().with_provider(provider.unwrap_or_default());
        let (world, mut session) = session(options(hint)).await;
        let slots = world.try_slots(&mut session, &Turn::new(""), &model).await;
        assert_eq!(slots.is_ok(), is_carried, "{hint:?} {provider:?}");
    }
}

#[test]
fn message_rules_list_the_roles_of_providers() {
    for (provider, system) in [
        ("anthropic", false),
        (" Anthropic", false),
        ("gemini", false),
        ("openai", true),
        ("", true),
    ] {
        let rules = MessageRules::of_provider(provider);
        let carried = [Role::System, Role::User, Role::Assistant].map(|role| rules.carries(role));
        assert_eq!(carried, [system, true, true], "{provider}");
    }
    assert_eq!(MessageRules::of_provider(""), MessageRules::ANY);
}

fn with_tool(name: &str, tool: &str, about: &str) -> Injection {
    let tool = ToolSpec::new(tool, about, json!({"type": "object"})).unwrap();
    injection(
        name,
        Flavor::Custom("kit".into()),
        Trigger::Always,
        Content::default().with_tools([tool]),
    )
}

#[tokio::test]
async fn each_tool_is_offered_once() {
    let options = plain()
        .inject(with_tool("a", "saw", "Saws."))
        .unwrap()
        .inject(with_tool("b", "saw", "Saws."))
        .unwrap()
        .inject(with_tool("c", "saw", "Sees."))
        .unwrap()
        .inject(with_tool("d", "read_skill", "Reads."))
        .unwrap();
    let (world, mut session) = session(options).await;
    let slots = world.slots(&mut session, &Turn::new(""), &gpt()).await;
    let names: Vec<_> = slots.tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(
        names,
        [
            "list_skills",
            "search_skills",
            "read_skill",
            "read_skill_resource",
            "saw"
        ]
    );
    assert_eq!(slots.tools[4].description.as_ref(), "Saws.");
    let taken = |name: &str, tool: &str| {
        Notice::new(
            id(name),
            Flavor::Custom("kit".into()),
            NoticeReason::ToolTaken(tool.into()),
        )
    };
    assert_eq!(slots.notices, [taken("c", "saw"), taken("d", "read_skill")]);
}

#[tokio::test]
async fn system_prompt_parts_are_separated_by_blank_lines() {
    let options = plain().inject(steering("tone", Trigger::Always)).unwrap();
    let (world, mut session) =
        session(options.inject(steering("end", Trigger::Always)).unwrap()).await;
    world.read(&mut session, "tea", &claude()).await;
    let slots = world.slots(&mut session, &Turn::new(""), &claude()).await;
    assert_eq!(
        slots.system_prompt,
        "tone text\n\nend text\n\n<skill_content name=\"tea\">\ntea body\n</skill_content>"
    );
    // The same again: nothing piles up.
    assert_eq!(
        world
            .slots(&mut session, &Turn::new(""), &claude())
            .await
            .system_prompt,
        slots.system_prompt
    );
}

#[tokio::test]
async fn each_slot_lists_its_injections() {
    let full = {
        let tool = ToolSpec::new("saw", "Saws.", json!({"type": "object"})).unwrap();
        injection(
            "full",
            Flavor::Steering,
            Trigger::Always,
            Content::system_prompt("Saw.").with_tools([tool]),
        )
    };
    let options = plain()
        .inject(message("fact", Role::User))
        .unwrap()
        .inject(full)
        .unwrap();
    let (world, mut session) = session(options).await;
    world.read(&mut session, "tea", &gpt()).await;
    let first = world.slots(&mut session, &Turn::new(""), &gpt()).await;
    let in_slots = |slots: &Slots| {
        [Slot::SystemPrompt, Slot::Messages, Slot::Tools].map(|slot| {
            slots
                .ids(slot)
                .iter()
                .map(|id| id.to_string())
                .collect::<Vec<_>>()
                .join(" ")
        })
    };
    assert_eq!(in_slots(&first), ["full", "fact tea", "full"]);
    // The other model reads it in the system prompt too.
    let second = world.slots(&mut session, &Turn::new(""), &claude()).await;
    assert_eq!(in_slots(&second), ["full tea", "fact tea", "full"]);
    session.deactivate("tea");
    let third = world.slots(&mut session, &Turn::new(""), &claude()).await;
    assert_eq!(in_slots(&third), ["full", "fact", "full"]);
}

/// The messages of a call with this text of a fact, in the role of the user.
async fn fact_messages(
    world: &TestEnv,
    session: &mut Session,
    text: Option<&str>,
    end: ConversationEnd,
) -> Vec<String> {
    let fact = text.map(|text| {
        injection(
            "weather",
            Flavor::Fact,
            Trigger::Always,
            Content::message(Role::User, text),
        )
    });
    let turn = fact.into_iter().fold(Turn::new("").end(end), Turn::inject);
    let slots = world.slots(session, &turn, &gpt()).await;
    slots
        .messages
        .iter()
        .map(|message| message.text.to_string())
        .collect()
}

#[tokio::test]
async fn turn_facts_are_delivered_when_they_change() {
    let (world, mut session) = session(plain()).await;
    for (text, expected) in [
        (Some("sun"), vec!["sun"]),
        (Some("sun"), vec![]),
        (Some("rain"), vec!["rain"]),
        (Some("sun"), vec!["sun"]),
        (None, vec![]),
        (Some("sun"), vec![]),
    ] {
        assert_eq!(
            fact_messages(&world, &mut session, text, ConversationEnd::User).await,
            expected,
            "{text:?}"
        );
        let state = serde_json::from_value(serde_json::to_value(session.state()).unwrap()).unwrap();
        session = Session::resume(state, world.tools(), plain(), &world.registry)
            .await
            .0;
    }
}

#[tokio::test]
async fn newer_facts_replace_deferred_facts() {
    let (world, mut session) = session(plain()).await;
    for (text, end, expected) in [
        (Some("sun"), ConversationEnd::Calls, vec![]),
        (Some("rain"), ConversationEnd::Results, vec!["rain"]),
        (Some("fog"), ConversationEnd::Calls, vec![]),
        (None, ConversationEnd::Results, vec![]),
    ] {
        assert_eq!(
            fact_messages(&world, &mut session, text, end).await,
            expected,
            "{text:?}"
        );
    }
}

#[tokio::test]
async fn turn_injections_override_session_injections() {
    let (world, mut session) =
        session(plain().inject(steering("tone", Trigger::Always)).unwrap()).await;
    let memory = |text: &str| {
        injection(
            "tone",
            Flavor::Steering,
            Trigger::Always,
            Content::system_prompt(text),
        )
    };
    let turn = Turn::new("").inject(memory("old")).inject(memory("new"));
    assert_eq!(
        world.slots(&mut session, &turn, &gpt()).await.system_prompt,
        "new"
    );
    assert_eq!(
        world
            .slots(&mut session, &Turn::new(""), &gpt())
            .await
            .system_prompt,
        "tone text"
    );
    let broken = Trigger::AfterToolMatching("(".into());
    let turn = Turn::new("").inject(injection(
        "tone",
        Flavor::Steering,
        broken,
        Content::system_prompt("x"),
    ));
    let evaluation = session.evaluate(&turn);
    let [skipped] = &evaluation.skipped[..] else {
        panic!("{:?}", evaluation.skipped)
    };
    assert!(
        skipped
            .to_string()
            .starts_with("steering `tone` is left out: its trigger is not a regular expression")
    );
}
