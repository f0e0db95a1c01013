//! Messages, tools, and what changes from call to call.

use super::*;

async fn session(options: SessionOptions) -> (World, Session) {
    let world = World::of(&["name: tea"]).await;
    let session = world.session(options);
    (world, session)
}

fn texts(slots: &Slots) -> Vec<(Role, &str)> {
    slots.messages.iter().map(|message| (message.role, message.text.as_ref())).collect()
}

#[tokio::test]
async fn a_message_is_given_once() {
    let fact = injection("fact", Flavor::Fact, Trigger::Always, {
        let mut content = Content::message(Role::User, "It rains.");
        content.messages.push(Message::new(Role::System, "It rains."));
        content.messages.push(Message::new(Role::User, "It pours."));
        content.messages.push(Message::new(Role::User, "It rains."));
        content
    });
    let (world, mut session) = session(plain().inject(fact).unwrap()).await;
    let slots = world.slots(&mut session, &Turn::of(""), &gpt()).await;
    assert_eq!(texts(&slots), [(Role::User, "It rains."), (Role::System, "It rains."), (Role::User, "It pours.")]);
    let slots = world.slots(&mut session, &Turn::of(""), &gpt()).await;
    assert_eq!(slots.messages, []);
    assert!(slots.placements.iter().all(|placement| placement.delivery == Delivery::Earlier));
    session.reset();
    assert_eq!(world.slots(&mut session, &Turn::of(""), &gpt()).await.messages.len(), 3);
}

#[tokio::test]
async fn nothing_comes_between_a_call_and_its_result() {
    let (world, mut session) = session(plain().inject(message("fact", Role::User)).unwrap()).await;
    let slots = world.slots(&mut session, &Turn::of("").after(ConversationEnd::Calls), &gpt()).await;
    let waits = Notice::Waits { id: id("fact"), role: Role::User, why: Deferral::SplitsCall };
    assert_eq!((slots.messages.len(), slots.notices), (0, vec![waits]));
    assert_eq!(slots.placements[0].delivery, Delivery::Deferred);
    let slots = world.slots(&mut session, &Turn::of("").after(ConversationEnd::Results), &gpt()).await;
    assert_eq!((texts(&slots), slots.notices.len()), (vec![(Role::User, "fact text")], 0));
    assert_eq!(world.slots(&mut session, &Turn::of(""), &gpt()).await.messages, []);
}

#[tokio::test]
async fn what_waits_comes_though_it_is_not_active_any_more() {
    let once =
        injection("once", Flavor::Fact, Trigger::Rule("first".into()), Content::message(Role::User, "It rains."));
    let options = plain().rule("first", |turn| turn.number == 1).inject(once).unwrap();
    let (world, mut session) = session(options).await;
    let slots = world.slots(&mut session, &Turn::of("").after(ConversationEnd::Calls), &gpt()).await;
    assert_eq!(slots.messages, []);
    let slots = world.slots(&mut session, &Turn::of("").number(2), &gpt()).await;
    assert_eq!(texts(&slots), [(Role::User, "It rains.")]);
    assert_eq!(world.slots(&mut session, &Turn::of("").number(3), &gpt()).await.messages, []);
}

#[tokio::test]
async fn two_of_one_role_in_a_row_wait_where_they_are_refused() {
    let options = plain()
        .inject(message("one", Role::User))
        .unwrap()
        .inject(message("two", Role::User))
        .unwrap()
        .inject(message("three", Role::Assistant))
        .unwrap();
    let strict = options.clone().message_rules("Strict ", MessageRules::ANY.strictly_alternating());
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
        let slots = world.slots(&mut session, &Turn::of("").after(tail), &model).await;
        seen.push(slots.messages.iter().map(|message| message.ids[0].to_string()).collect::<Vec<_>>().join(" "));
    }
    assert_eq!(seen, ["three", "one", "", "two", ""]);
    let mut session = world.session(options);
    let slots = world.slots(&mut session, &Turn::of(""), &gpt()).await;
    assert_eq!(slots.messages.len(), 3);
}

#[tokio::test]
async fn a_role_that_the_provider_does_not_have_is_refused() {
    let options = plain()
        .inject(message("one", Role::System))
        .unwrap()
        .inject(message("two", Role::User))
        .unwrap()
        .inject(message("three", Role::System))
        .unwrap();
    let (world, mut session) = session(options).await;
    let error = world.try_slots(&mut session, &Turn::of(""), &claude()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "these injections of the host would reach the model nowhere: fact `one` (always active): provider `anthropic` carries no \
         message of the role `system`, fact `three` (always active): provider `anthropic` carries no message of the role `system`"
    );
    // They are given where there is such a role, and are no obstacle from then on.
    assert_eq!(world.slots(&mut session, &Turn::of(""), &gpt()).await.messages.len(), 3);
    assert_eq!(world.slots(&mut session, &Turn::of(""), &claude()).await.messages, []);
}

#[tokio::test]
async fn what_waits_for_a_role_goes_on_waiting() {
    let once =
        injection("once", Flavor::Fact, Trigger::Rule("first".into()), Content::message(Role::System, "It rains."));
    let options = plain().rule("first", |turn| turn.number == 1).inject(once).unwrap();
    let (world, mut session) = session(options).await;
    world.slots(&mut session, &Turn::of("").after(ConversationEnd::Calls), &gpt()).await;
    let slots = world.slots(&mut session, &Turn::of("").number(2), &claude()).await;
    let waits = Notice::Waits { id: id("once"), role: Role::System, why: Deferral::NoSuchRole };
    assert_eq!((slots.messages.len(), slots.notices), (0, vec![waits]));
    assert_eq!(world.slots(&mut session, &Turn::of("").number(3), &gpt()).await.messages.len(), 1);
}

#[tokio::test]
async fn a_provider_that_nobody_names_is_the_registrys() {
    let options = |hint: Option<&str>| {
        let mut policy = SurfacePolicy::default();
        policy.hint = hint.map(str::to_owned);
        SessionOptions::new(policy).inject(message("one", Role::System)).unwrap()
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
        let slots = world.try_slots(&mut session, &Turn::of(""), &model).await;
        assert_eq!(slots.is_ok(), is_carried, "{hint:?} {provider:?}");
    }
}

#[test]
fn providers_take_what_they_take() {
    for (provider, system) in
        [("anthropic", false), (" Anthropic", false), ("gemini", false), ("openai", true), ("", true)]
    {
        let rules = MessageRules::of(Some(provider));
        let carried = [Role::System, Role::User, Role::Assistant].map(|role| rules.carries(role));
        assert_eq!(carried, [system, true, true], "{provider}");
    }
    assert_eq!(MessageRules::of(None), MessageRules::ANY);
}

fn with_tool(name: &str, tool: &str, about: &str) -> Injection {
    let tool = ToolSpec::new(tool, about, json!({"type": "object"})).unwrap();
    injection(name, Flavor::Custom("kit".into()), Trigger::Always, Content::default().with_tools([tool]))
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
    let slots = world.slots(&mut session, &Turn::of(""), &gpt()).await;
    let names: Vec<_> = slots.tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, ["list_skills", "search_skills", "read_skill", "read_skill_resource", "saw"]);
    assert_eq!(slots.tools[4].description.as_ref(), "Saws.");
    let taken = |name: &str, tool: &str| Notice::ToolTaken { id: id(name), tool: tool.into() };
    assert_eq!(slots.notices, [taken("c", "saw"), taken("d", "read_skill")]);
}

#[tokio::test]
async fn what_is_active_comes_in_order_with_a_blank_line_between() {
    let options = plain().inject(steering("tone", Trigger::Always)).unwrap();
    let (world, mut session) = session(options.inject(steering("end", Trigger::Always)).unwrap()).await;
    world.read(&mut session, "tea", &claude()).await;
    let slots = world.slots(&mut session, &Turn::of(""), &claude()).await;
    assert_eq!(
        slots.system_prompt,
        "tone text\n\nend text\n\n<skill_content name=\"tea\">\ntea body\n</skill_content>"
    );
    // The same again: nothing piles up.
    assert_eq!(world.slots(&mut session, &Turn::of(""), &claude()).await.system_prompt, slots.system_prompt);
}

#[tokio::test]
async fn each_slot_names_what_it_has_content_of() {
    let full = {
        let tool = ToolSpec::new("saw", "Saws.", json!({"type": "object"})).unwrap();
        injection("full", Flavor::Steering, Trigger::Always, Content::system_prompt("Saw.").with_tools([tool]))
    };
    let options = plain().inject(message("fact", Role::User)).unwrap().inject(full).unwrap();
    let (world, mut session) = session(options).await;
    world.read(&mut session, "tea", &gpt()).await;
    let first = world.slots(&mut session, &Turn::of(""), &gpt()).await;
    let in_slots = |slots: &Slots| {
        [Slot::SystemPrompt, Slot::Messages, Slot::Tools]
            .map(|slot| slots.ids(slot).iter().map(|id| id.to_string()).collect::<Vec<_>>().join(" "))
    };
    assert_eq!(in_slots(&first), ["full", "fact tea", "full"]);
    let nothing = Slots::default();
    let all_added = first.since(&nothing);
    assert_eq!((all_added.messages.added.len(), all_added.messages.kept.len()), (2, 0));
    // The other model reads it in the system prompt too.
    let second = world.slots(&mut session, &Turn::of(""), &claude()).await;
    let change = second.since(&first);
    assert_eq!((change.system_prompt.added, change.system_prompt.kept), (vec![id("tea")], vec![id("full")]));
    assert_eq!((change.messages.added.len(), change.messages.kept.len()), (0, 2));
    session.deactivate("tea");
    let third = world.slots(&mut session, &Turn::of(""), &claude()).await;
    assert_eq!(third.since(&second).system_prompt.removed, [id("tea")]);
}

#[test]
fn a_change_is_a_partition() {
    let all = ["a", "b", "c"].map(id);
    let subset = |bits: usize| all.iter().enumerate().filter(|(n, _)| bits >> n & 1 == 1).map(|(_, id)| id).collect();
    for pair in 0..64 {
        let (before, now): (Vec<&Id>, Vec<&Id>) = (subset(pair / 8), subset(pair % 8));
        let SlotChange { added, removed, kept } = SlotChange::between(&before, &now);
        let sorted = |a: &[Id], b: &[Id]| {
            let mut all: Vec<_> = a.iter().chain(b).cloned().collect();
            all.sort();
            all
        };
        let owned = |ids: &[&Id]| ids.iter().map(|id| (*id).clone()).collect::<Vec<_>>();
        // Lists, not sets: what was in two of them would be there twice.
        assert_eq!((sorted(&added, &kept), sorted(&removed, &kept)), (owned(&now), owned(&before)));
        assert!(added.iter().all(|id| !before.contains(&id)) && removed.iter().all(|id| !now.contains(&id)));
    }
}
