//! Skills that the user names, and names without a skill.

use super::triggering::skipped;
use super::*;

/// Two namespaced sources that have a `tool`, and one that has another skill.
async fn kits(front_matter: [&str; 2], modes: VisibilityPolicy) -> (SkillRegistry, Toolset) {
    let sources = ["kit", "set"]
        .into_iter()
        .zip(front_matter)
        .map(|(source, front_matter)| {
            let source = MemorySource::new(source);
            let tool = skill(&format!("name: tool\ndescription: D.\n{front_matter}"));
            source.register(Registered::new(tool, "tool body")).unwrap();
            Mount::plugin(source).namespaced()
        });
    let registry = sources
        .fold(SkillRegistry::builder(), |builder, mount| {
            builder.mount(mount)
        })
        .load()
        .await
        .unwrap();
    let tools = Toolset::new(&registry.snapshot(), &ToolOptions::default().modes(modes));
    (registry, tools)
}

#[tokio::test]
async fn ambiguous_names_report_their_full_names() {
    let (_registry, tools) = kits(["", ""], VisibilityPolicy::default()).await;
    let mut session = Session::new(tools, plain());
    let both = vec![id("kit:tool"), id("set:tool")];
    for message in ["/tool, please", "($tool) and /tool", "Now /tool"] {
        let evaluation = session.evaluate(&Turn::new(message));
        assert_each_once(&evaluation);
        assert_eq!(ids(&evaluation), [""; 0], "{message}");
        assert_eq!(
            skipped(&evaluation),
            [("tool", NoticeReason::Ambiguous(both.clone()))],
            "{message}"
        );
    }
    let why = NoticeReason::Ambiguous(both).to_string();
    assert_eq!(
        why,
        "several skills have the name; use a full name: `kit:tool`, `set:tool`"
    );
    for message in ["/set:tool", "no tool", "a/tool", "/toolbox"] {
        assert_eq!(
            session.evaluate(&Turn::new(message)).skipped,
            [],
            "{message}"
        );
    }
    let error = session.activate(Audience::User, "tool", "").unwrap_err();
    assert_eq!(
        error.to_string(),
        "skill `tool` is ambiguous; give the full name: `kit:tool`, `set:tool`"
    );
}

#[tokio::test]
async fn hidden_skills_do_not_make_names_ambiguous() {
    for (front_matter, modes) in [
        (["user-invocable: false", ""], VisibilityPolicy::default()),
        (
            ["", ""],
            VisibilityPolicy::default().with("kit:tool".parse().unwrap(), Exposure::Off),
        ),
    ] {
        let (registry, tools) = kits(front_matter, modes).await;
        let mut session = Session::new(tools, plain());
        let evaluation = session
            .read(session.evaluate(&Turn::new("/tool")), &registry)
            .await;
        assert_eq!(
            (ids(&evaluation), skipped(&evaluation)),
            (vec!["set:tool"], vec![])
        );
        session.deactivate("set:tool");
        session.activate(Audience::User, "tool", "").unwrap();
        assert_eq!(active(&session), ["set:tool"]);
    }
    let (_registry, tools) = kits(["user-invocable: false"; 2], VisibilityPolicy::default()).await;
    let mut session = Session::new(tools, plain());
    let error = session.activate(Audience::User, "tool", "").unwrap_err();
    assert_eq!(error.to_string(), "no skill `tool`");
    assert_eq!(session.evaluate(&Turn::new("/tool")).skipped, []);
}

#[tokio::test]
async fn an_unknown_name_comes_with_similar_visible_names() {
    let mut world = TestEnv::of(&["name: fix", "name: tidy-up\nuser-invocable: false"]).await;
    world.hide("fix");
    let mut session = world.session(plain());
    let mut error = |audience, name| session.activate(audience, name, "").unwrap_err();
    let unknown = |name: &str, suggestions: &[&str]| EngineError::UnknownSkill {
        name: name.into(),
        suggestions: suggestions.iter().map(|id| id.parse().unwrap()).collect(),
    };
    let found = error(Audience::Model, "tidy-pu");
    assert_eq!(found, unknown("tidy-pu", &["tidy-up"]));
    assert_eq!(
        found.to_string(),
        "no skill `tidy-pu`; did you mean `tidy-up`?"
    );
    assert_eq!(error(Audience::User, "tidy-pu"), unknown("tidy-pu", &[]));
    assert_eq!(error(Audience::Model, "fxi"), unknown("fxi", &[]));
}

#[tokio::test]
async fn naming_a_hidden_skill_reports_why() {
    let mut world = TestEnv::of(&[
        "name: off\ntriggers: [word]",
        "name: own\nuser-invocable: false",
        "name: tea",
    ])
    .await;
    world.hide("off");
    let evaluation = world
        .session(plain())
        .evaluate(&Turn::new("/off, $own and /tea, by word"));
    assert_each_once(&evaluation);
    let hidden = |hidden| NoticeReason::Hidden(hidden);
    assert_eq!(ids(&evaluation), ["tea"]);
    assert_eq!(
        skipped(&evaluation),
        [
            ("off", hidden(HiddenReason::Disabled)),
            ("own", hidden(HiddenReason::ForModelsOnly))
        ]
    );
    let world = TestEnv::trusted(&["name: tea"], Trust::Pending).await;
    let evaluation = world.session(plain()).evaluate(&Turn::new("/tea"));
    assert_eq!(
        skipped(&evaluation),
        [("tea", hidden(HiddenReason::Pending))]
    );
    // What comes by another door is active, and not skipped.
    let world = TestEnv::of(&["name: own\nuser-invocable: false\ntriggers: [word]"]).await;
    let evaluation = world.session(plain()).evaluate(&Turn::new("/own word"));
    assert_eq!(
        (ids(&evaluation), skipped(&evaluation)),
        (vec!["own"], vec![])
    );
}

#[tokio::test]
async fn skills_named_together_share_their_arguments() {
    let world = TestEnv::of(&["name: tea", "name: milk", "name: salt"]).await;
    for (message, expected) in [
        ("/tea green", vec![("tea", "green")]),
        (
            "/tea /milk hot, no sugar",
            vec![("tea", "hot, no sugar"), ("milk", "hot, no sugar")],
        ),
        (" $tea\n/home:milk ", vec![("tea", ""), ("milk", "")]),
        ("/tea for $milk", vec![("tea", "for $milk"), ("milk", "")]),
        ("Make /tea /milk now", vec![("tea", ""), ("milk", "")]),
        ("/tea /nobody x", vec![("tea", "/nobody x")]),
        ("/tea /tea twice", vec![("tea", "twice")]),
    ] {
        let mut session = world.session(plain());
        world
            .slots(&mut session, &Turn::new(message), &claude())
            .await;
        let skills = session.active();
        let named: Vec<_> = skills
            .iter()
            .map(|skill| (skill.id.as_str(), skill.arguments.as_ref()))
            .collect();
        assert_eq!(named, expected, "{message}");
    }
}

#[tokio::test]
async fn hiding_from_the_model_does_not_block_users() {
    let world = TestEnv::of(&["name: tea\ntriggers: [kettle]"]).await;
    let mut session = world.session(plain());
    world
        .slots(&mut session, &Turn::new("kettle"), &claude())
        .await;
    let manual = VisibilityPolicy::default().with("tea".parse().unwrap(), Exposure::ManualOnly);
    let tools = Toolset::new(
        &world.registry.snapshot(),
        &ToolOptions::default().modes(manual),
    );
    session.start_turn(tools.clone());
    assert_eq!(
        skipped(&session.evaluate(&Turn::new("kettle"))),
        [("home:tea", NoticeReason::Hidden(HiddenReason::ForUsersOnly))]
    );
    let evaluation = session.evaluate(&Turn::new("/tea"));
    assert_eq!(
        (ids(&evaluation), skipped(&evaluation)),
        (vec!["tea"], vec![])
    );
    session.read(evaluation, &world.registry).await;
    // And it is there for the next message, too.
    session.start_turn(tools);
    assert_eq!(ids(&session.evaluate(&Turn::new("And now?"))), ["tea"]);
    // Also where the full name is the only one.
    let (registry, tools) = kits(["triggers: [kettle]", ""], VisibilityPolicy::default()).await;
    let mut session = Session::new(tools, plain());
    session
        .read(session.evaluate(&Turn::new("kettle")), &registry)
        .await;
    let manual =
        VisibilityPolicy::default().with("kit:tool".parse().unwrap(), Exposure::ManualOnly);
    session.start_turn(Toolset::new(
        &registry.snapshot(),
        &ToolOptions::default().modes(manual),
    ));
    let evaluation = session.evaluate(&Turn::new("/kit:tool"));
    assert_eq!(
        (ids(&evaluation), skipped(&evaluation)),
        (vec!["kit:tool"], vec![])
    );
}

#[tokio::test]
async fn a_copied_full_name_does_not_replace_skills() {
    let world = TestEnv::of(&["name: tea\ntriggers: [kettle]"]).await;
    let other = MemorySource::new("other");
    let copy = skill("name: home:tea\ndescription: Other.\ntriggers: [kettle]");
    other.register(Registered::new(copy, "other body")).unwrap();
    let registry = SkillRegistry::builder()
        .user(world.home.clone())
        .mount(Mount::plugin(other))
        .load()
        .await
        .unwrap();
    let tools = Toolset::new(&registry.snapshot(), &ToolOptions::default());
    assert_eq!(
        registry
            .snapshot()
            .resolve("home:tea")
            .unwrap()
            .candidate
            .origin
            .source
            .as_ref(),
        "home"
    );
    let mut session = Session::new(tools, plain());
    session.activate(Audience::Model, "tea", "").unwrap();
    let evaluation = session
        .read(session.evaluate(&Turn::new("")), &registry)
        .await;
    assert_eq!(
        (ids(&evaluation), skipped(&evaluation)),
        (vec!["tea"], vec![])
    );
    let slots = session.compose(&evaluation, &claude()).unwrap();
    assert_eq!(
        (
            times(&slots.system_prompt, "tea body"),
            times(&slots.system_prompt, "other body")
        ),
        (1, 0)
    );
    let evaluation = session.evaluate(&Turn::new("kettle"));
    assert_eq!(
        (ids(&evaluation), suggested(&evaluation)),
        (vec!["tea"], vec!["other:home:tea"])
    );
}

#[tokio::test]
async fn skills_of_the_host_override_registered_skills() {
    let world = TestEnv::of(&["name: tea\ntriggers: [kettle]"]).await;
    let own = injection(
        "tea",
        Flavor::Skill,
        Trigger::Rule("on".into()),
        Content::system_prompt("own text"),
    );
    let fact = injection(
        "tea",
        Flavor::Fact,
        Trigger::Always,
        Content::system_prompt("a fact"),
    );
    let options = || {
        plain()
            .rule("on", |turn| turn.number > 1)
            .inject(own.clone())
            .unwrap()
            .inject(fact.clone())
            .unwrap()
    };
    let mut session = world.session(options());
    let turn = Turn::new("kettle");
    let slots = world.slots(&mut session, &turn, &claude()).await;
    assert_eq!(
        (
            times(&slots.system_prompt, "tea body"),
            times(&slots.system_prompt, "own text")
        ),
        (1, 0)
    );
    for mut session in [session, world.session(options())] {
        let evaluation = session.evaluate(&turn.clone().number(2));
        assert_eq!(
            skipped(&evaluation),
            [("home:tea", NoticeReason::Overridden)]
        );
        let slots = world
            .slots(&mut session, &turn.clone().number(2), &claude())
            .await;
        let counts =
            ["own text", "a fact", "tea body"].map(|text| times(&slots.system_prompt, text));
        assert_eq!(counts, [1, 1, 0]);
    }
}

#[tokio::test]
async fn omitting_a_skill_retains_namesake_steering() {
    let world = TestEnv::of(&["name: tone\nsurfaceMode: tool-only\ntriggers: [kettle]"]).await;
    let options = plain().inject(steering("tone", Trigger::Always)).unwrap();
    let mut session = world.session(options);
    let slots = world
        .slots(&mut session, &Turn::new("kettle"), &claude())
        .await;
    assert_eq!(
        (left_out(&slots), slots.system_prompt.as_str()),
        (vec!["tone"], "tone text")
    );
}
