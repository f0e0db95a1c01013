//! The activations of a conversation, and their lifetimes.

use super::*;

#[tokio::test]
async fn a_read_activates_at_the_next_evaluation() {
    let world = TestEnv::of(&["name: tea", "name: milk", "name: salt"]).await;
    let mut session = world.session(plain());
    let before = session.evaluate(&Turn::new(""));
    // All of a batch count.
    for name in ["milk", "tea"] {
        world.read(&mut session, name, &gpt()).await;
    }
    assert_eq!(ids(&before), [""; 0]);
    assert_eq!(ids(&session.evaluate(&Turn::new(""))), ["milk", "tea"]);
    assert_eq!(before.skills().count(), 0);
}

#[tokio::test]
async fn reading_again_changes_only_the_current_skill() {
    let world = TestEnv::of(&["name: tea", "name: milk"]).await;
    let mut session = world.session(plain());
    for name in ["milk", "tea"] {
        world.read(&mut session, name, &gpt()).await;
    }
    let current = |session: &Session| session.current().map(|skill| skill.id.to_string());
    assert_eq!(current(&session).as_deref(), Some("tea"));
    world.read(&mut session, "milk", &gpt()).await;
    assert_eq!(current(&session).as_deref(), Some("milk"));
    session.touch("tea");
    assert_eq!(current(&session).as_deref(), Some("tea"));
    assert_eq!(active(&session), ["milk", "tea"]);
    session.deactivate("tea");
    assert_eq!(
        (current(&session).as_deref(), active(&session)),
        (Some("milk"), vec!["milk".to_owned()])
    );
    session.deactivate("never-heard-of");
    session.touch("never-heard-of");
    assert_eq!(active(&session), ["milk"]);
}

#[tokio::test]
async fn message_activations_end_at_the_next_message() {
    let world = TestEnv::of(&["name: tea"]).await;
    for (lifetime, left) in [(Lifetime::Message, 0), (Lifetime::Conversation, 1)] {
        let options = plain()
            .lifetime(lifetime)
            .inject(steering("strict", Trigger::Activated))
            .unwrap();
        let mut session = world.session(options);
        world.read(&mut session, "tea", &gpt()).await;
        session.activate(Audience::Model, "strict", "").unwrap();
        world
            .slots(&mut session, &Turn::new("").number(2), &gpt())
            .await;
        assert_eq!(ids(&session.evaluate(&Turn::new("").number(3))).len(), 2);
        session.start_turn(world.tools());
        assert_eq!(
            ids(&session.evaluate(&Turn::new(""))).len(),
            2 * left,
            "{lifetime:?}"
        );
    }
}

#[tokio::test]
async fn unchanged_text_comes_once() {
    let world = TestEnv::of(&["name: tea"]).await;
    let mut session = world.session(plain());
    let first = world.read(&mut session, "tea", &gpt()).await;
    assert_eq!(
        first,
        "<skill_content name=\"tea\">\ntea body\n</skill_content>\n"
    );
    let note = world.read(&mut session, "tea", &gpt()).await;
    assert_eq!(
        note,
        "The skill `tea` is active already, and its instructions are what they were. Follow them.\n"
    );
    session.forget("tea");
    assert_eq!(world.read(&mut session, "tea", &gpt()).await, first);
    assert_eq!(world.read(&mut session, "tea", &gpt()).await, note);
    // By its full name it is the same skill.
    assert_eq!(world.read(&mut session, "home:tea", &gpt()).await, note);
    session.reset();
    assert_eq!(world.read(&mut session, "tea", &gpt()).await, first);
    session.deactivate("tea");
    assert_eq!(world.read(&mut session, "tea", &gpt()).await, first);
}

#[tokio::test]
async fn changed_text_and_other_arguments_come_again() {
    let world = TestEnv::of(&["name: tea"]).await;
    let mut session = world.session(plain());
    world.read(&mut session, "tea", &gpt()).await;
    let with = world
        .read_with(
            &mut session,
            json!({"id": "tea", "arguments": "green"}),
            &gpt(),
        )
        .await;
    assert!(with.contains("tea body\n\nARGUMENTS: green"), "{with}");
    let again = world
        .read_with(
            &mut session,
            json!({"id": "tea", "arguments": "green"}),
            &gpt(),
        )
        .await;
    assert!(!again.contains("ARGUMENTS"), "{again}");
    assert!(
        world
            .read(&mut session, "tea", &gpt())
            .await
            .contains("tea body")
    );
    world.rewrite("tea", "Another body").await;
    session.start_turn(world.tools());
    assert!(
        world
            .read(&mut session, "tea", &gpt())
            .await
            .contains("Another body")
    );
    assert_eq!(active(&session), ["tea"]);
}

#[tokio::test]
async fn hosts_activate_only_skills_visible_to_the_audience() {
    let mut world = TestEnv::of(&[
        "name: tea",
        "name: by-hand\ndisable-model-invocation: true",
        "name: own\nuser-invocable: false",
    ])
    .await;
    world.hide("tea");
    let mut session = world.session(plain());
    session.activate(Audience::User, "by-hand", "").unwrap();
    session.activate(Audience::Model, "own", "").unwrap();
    let error = |session: &mut Session, audience, name| {
        session
            .activate(audience, name, "")
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        error(&mut session, Audience::Model, "by-hand"),
        "skill `by-hand` cannot be activated: only the user may invoke it"
    );
    assert_eq!(
        error(&mut session, Audience::User, "own"),
        "skill `own` cannot be activated: only the model may invoke it"
    );
    assert_eq!(
        error(&mut session, Audience::Model, "tea"),
        "skill `tea` cannot be activated: it is disabled"
    );
    assert_eq!(
        error(&mut session, Audience::Model, "milk"),
        "no skill `milk`"
    );
    assert_eq!(active(&session), ["by-hand", "own"]);
}

#[tokio::test]
async fn a_failed_call_activates_nothing() {
    let world = TestEnv::of(&["name: tea"]).await;
    let mut session = world.session(plain());
    let answer = session
        .call(
            "read_skill",
            &json!({"id": "milk"}),
            &world.registry,
            &gpt(),
        )
        .await
        .unwrap();
    assert_eq!(
        (answer.code, active(&session).len()),
        (ToolStatus::Unknown, 0)
    );
    assert!(
        session
            .call("bash", &json!({}), &world.registry, &gpt())
            .await
            .is_none()
    );
}

#[tokio::test]
async fn a_skill_stays_that_of_its_source() {
    let world = TestEnv::of(&["name: tea"]).await;
    let other = MemorySource::new("other");
    let registry = SkillRegistry::builder()
        .builtin(other.clone())
        .user(world.home.clone())
        .load()
        .await
        .unwrap();
    let mut session = Session::new(
        Toolset::new(&registry.snapshot(), &ToolOptions::default()),
        plain(),
    );
    session.activate(Audience::Model, "tea", "").unwrap();
    other
        .register(Registered::new(
            skill("name: tea\ndescription: Other."),
            "other body",
        ))
        .unwrap();
    registry.refresh().await.unwrap();
    session.start_turn(Toolset::new(&registry.snapshot(), &ToolOptions::default()));
    let evaluation = session
        .read(session.evaluate(&Turn::new("")), &registry)
        .await;
    let slots = session.compose(&evaluation, &claude()).unwrap();
    assert_eq!(
        slots.system_prompt,
        "<skill_content name=\"home:tea\">\ntea body\n</skill_content>"
    );
}

#[tokio::test]
async fn activations_do_not_transfer_between_sources() {
    let world = TestEnv::of(&["name: tea"]).await;
    let other = MemorySource::new("other");
    let registry = SkillRegistry::builder()
        .builtin(other.clone())
        .user(world.home.clone())
        .load()
        .await
        .unwrap();
    let mut session = Session::new(
        Toolset::new(&registry.snapshot(), &ToolOptions::default()),
        plain(),
    );
    session.activate(Audience::Model, "tea", "").unwrap();
    world.home.unregister("tea");
    other
        .register(Registered::new(
            skill("name: home:tea\ndescription: Other."),
            "other body",
        ))
        .unwrap();
    registry.refresh().await.unwrap();
    session.start_turn(Toolset::new(&registry.snapshot(), &ToolOptions::default()));
    let evaluation = session.evaluate(&Turn::new(""));
    assert_eq!((ids(&evaluation).len(), active(&session).len()), (0, 0));
    assert_eq!(evaluation.skipped[0].why, NoticeReason::Gone);
}

#[tokio::test]
async fn grants_last_as_long_as_their_activation() {
    const GIT: &str = "name: tea\nallowed-tools: Bash(git:*)";
    let is_granted = |session: &Session| session.grants().decision("Bash", "git log").is_some();
    let begin: fn(&mut Session, &mut TestEnv) = |session, world| session.start_turn(world.tools());
    let end: fn(&mut Session, &mut TestEnv) = |session, _| session.deactivate("tea");
    let hide: fn(&mut Session, &mut TestEnv) = |session, world| {
        world.hide("tea");
        session.start_turn(world.tools());
    };
    for (lifetime, then, is_left) in [
        (Lifetime::Conversation, begin, true),
        (Lifetime::Message, begin, false),
        (Lifetime::Conversation, end, false),
        (Lifetime::Conversation, hide, false),
    ] {
        let mut world = TestEnv::of(&[GIT]).await;
        let mut session = world.session(plain().lifetime(lifetime));
        assert!(!is_granted(&session), "nothing was activated");
        world.read(&mut session, "tea", &gpt()).await;
        assert!(is_granted(&session));
        then(&mut session, &mut world);
        assert_eq!(is_granted(&session), is_left, "{lifetime:?}");
    }
    let world = TestEnv::trusted(&[GIT], Trust::Restricted).await;
    let mut session = world.session(plain());
    world.read(&mut session, "tea", &gpt()).await;
    assert!(!is_granted(&session), "its source is not trusted");
}
