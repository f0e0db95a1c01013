//! Tools that follow their registry.

use super::*;

fn ids(tools: &Toolset) -> Value {
    tools
        .tools()
        .iter()
        .find(|tool| tool.name.as_ref() == "read_skill")
        .map_or(Value::Null, |tool| {
            tool.input_schema["properties"]["id"]["enum"].clone()
        })
}

#[tokio::test]
async fn live_tools_reflect_current_skills() {
    let registry = SkillRegistry::builder().load().await.unwrap();
    let live = LiveTools::new(registry.clone(), ToolOptions::default());
    assert_eq!(live.current().tools().len(), 0);
    registry
        .register(Registered::new(skill("pdf", "Reads."), "Read it."))
        .unwrap();
    let current = live.current();
    assert_eq!(ids(&current), json!(["pdf"]));
    // Unchanged, it is the very same.
    assert!(Arc::ptr_eq(&current.0, &live.clone().current().0));
    let answer = live
        .call("read_skill", &json!({"id": "pdf"}))
        .await
        .unwrap();
    assert!(answer.text.contains("Read it."));
}

#[tokio::test]
async fn removed_skills_are_reported_as_stale_once_offered() {
    let registry = two().await;
    registry
        .register(Registered::new(skill("pdf", "Reads."), "Read it."))
        .unwrap();
    let live = LiveTools::new(registry.clone(), ToolOptions::default());
    live.current();
    registry.unregister("pdf");
    let answer = live
        .call("read_skill", &json!({"id": "pdf"}))
        .await
        .unwrap();
    let expected = "The skill `pdf` is not there any more. Go on without it.";
    assert_eq!(
        (answer.code, answer.text.as_str(), answer.is_error),
        (ToolStatus::Stale, expected, true)
    );
    // A model that was never offered the skill gets the text for an unknown one.
    live.current();
    let answer = live
        .call("read_skill", &json!({"id": "pdf"}))
        .await
        .unwrap();
    assert_eq!(answer.code, ToolStatus::Unknown);
}

#[tokio::test]
async fn skills_added_after_the_offer_are_readable() {
    let registry = two().await;
    let live = LiveTools::new(registry.clone(), ToolOptions::default());
    registry
        .register(Registered::new(skill("pdf", "Reads."), "Read it."))
        .unwrap();
    let answer = live
        .call("read_skill", &json!({"id": "pdf"}))
        .await
        .unwrap();
    assert_eq!(answer.code, ToolStatus::Ok);
}
