//! The tools of a host and of its skills in a session. The labels are those of the vectors.

use super::*;
use repertoire_core::Attachable;
use repertoire_permission::{Effect, PermissionPolicy, SkillTools};

fn tool(name: &str) -> ToolSpec {
    ToolSpec::new(name, "Does it.", json!({"type": "object"})).unwrap()
}

/// Options with the tool `search` of the host, and `write` of the skill `billing`.
fn options() -> SessionOptions {
    let billing = Attachable::new(skill("name: billing\ndescription: Bills.")).unwrap();
    let tools = SkillTools::new([tool("search"), tool("read_skill")]).unwrap();
    plain().tools(
        tools
            .with(&id("billing"), &billing, [tool("write")])
            .unwrap(),
    )
}

/// The offered tools of the next call without those that find skills, and the decision on a call of `write`.
async fn offered(world: &TestEnv, session: &mut Session) -> (Vec<String>, Option<Effect>) {
    let slots = world.slots(session, &Turn::new(""), &gpt()).await;
    let own = slots.tools.iter().map(|tool| tool.name.to_string());
    (
        own.filter(|name| !name.contains("skill")).collect(),
        decided(session),
    )
}

fn decided(session: &Session) -> Option<Effect> {
    let decision = session.decision("write", &json!({}))?;
    Some(decision.effect)
}

#[tokio::test]
async fn m4_m7_a_session_gates_the_tools_of_skills() {
    let mut world = TestEnv::of(&["name: billing"]).await;
    let mut session = world.session(options());
    let without = (vec!["search".to_owned()], Some(Effect::Deny));
    let with = (
        vec!["search".to_owned(), "write".to_owned()],
        Some(Effect::Allow),
    );
    assert_eq!(decided(&session), Some(Effect::Deny));
    assert_eq!(offered(&world, &mut session).await, without);

    // A skill that was read brings its tools from the next call on.
    world.read(&mut session, "billing", &gpt()).await;
    assert_eq!(decided(&session), Some(Effect::Deny));
    assert_eq!(offered(&world, &mut session).await, with);

    // They leave at once.
    session.deactivate("billing");
    assert_eq!(decided(&session), Some(Effect::Deny));
    assert_eq!(offered(&world, &mut session).await, without);

    session.activate(Audience::User, "billing", "").unwrap();
    assert_eq!(offered(&world, &mut session).await, with);
    world.hide("billing");
    session.start_turn(world.tools());
    assert_eq!(decided(&session), Some(Effect::Deny));
    assert_eq!(offered(&world, &mut session).await, without);
}

#[tokio::test]
async fn each_name_is_offered_once() {
    let world = TestEnv::of(&["name: billing"]).await;
    let mut session = world.session(options());
    let slots = world.slots(&mut session, &Turn::new(""), &gpt()).await;
    let readers = slots
        .tools
        .iter()
        .filter(|tool| *tool.name == *"read_skill");
    let descriptions: Vec<_> = readers.map(|tool| &*tool.description).collect();
    assert_eq!(descriptions.len(), 1);
    assert_ne!(descriptions, ["Does it."]);
}

#[tokio::test]
async fn permissions_decide_about_offers_and_calls() {
    let world = TestEnv::of(&["name: billing"]).await;
    let policy = PermissionPolicy::new([("guest", ["search"])], "guest").unwrap();
    let tools = SkillTools::new([tool("search"), tool("write")]).unwrap();
    let mut session = world.session(plain().tools(tools.permitted_by(Arc::new(policy))));
    let expected = (vec!["search".to_owned()], Some(Effect::Deny));
    assert_eq!(offered(&world, &mut session).await, expected);
    let unknown = session.decision("erase", &json!({}));
    assert_eq!(unknown, None);
}

#[tokio::test]
async fn a_session_without_tools_decides_nothing() {
    let world = TestEnv::of(&["name: billing"]).await;
    let session = world.session(plain());
    assert_eq!(session.decision("write", &json!({})), None);
}
