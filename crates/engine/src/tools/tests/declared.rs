//! The texts and schemas of the tools.

use std::path::Path;

use super::*;

fn names(tools: &Toolset) -> Vec<&str> {
    tools
        .tools()
        .iter()
        .map(|tool| tool.name.as_ref())
        .collect()
}

#[tokio::test]
async fn tools_are_omitted_without_visible_skills() {
    let empty = SkillRegistry::builder().load().await.unwrap();
    let off = ToolOptions::default()
        .modes(VisibilityPolicy::default().with("*".parse().unwrap(), Exposure::Off));
    for preset in ToolPreset::ALL {
        assert_eq!(
            names(&Toolset::new(
                &empty.snapshot(),
                &self::preset(preset.clone())
            )),
            [""; 0]
        );
    }
    let tools = Toolset::new(&two().await.snapshot(), &off);
    assert_eq!(names(&tools), [""; 0]);
    let answer = tools
        .call("read_skill", &json!({"id": "billing"}), &empty)
        .await
        .unwrap();
    assert_eq!(
        (answer.code, answer.text.as_str()),
        (
            ToolStatus::Refused,
            "Unknown skill `billing`. There are none."
        )
    );
    let answer = tools.call("list_skills", &json!({}), &empty).await.unwrap();
    assert_eq!(parsed(&answer.text), json!({"skills": [], "total": 0}));
}

#[tokio::test]
async fn the_tools_are_these() {
    let tools = Toolset::new(&two().await.snapshot(), &ToolOptions::default());
    let expected: Value = serde_json::from_str(include_str!("../fixtures/default.json")).unwrap();
    assert_eq!(serde_json::to_value(tools.tools()).unwrap(), expected);
}

#[tokio::test]
async fn schemas_omit_names_beyond_the_provider_limit() {
    let names = |count: usize| async move {
        let skills =
            (0..count).map(|number| (skill(&format!("skill-{number}"), "One of many."), "-"));
        let registry = SkillRegistry::builder()
            .user(source("home", skills))
            .load()
            .await
            .unwrap();
        let tools = Toolset::new(&registry.snapshot(), &ToolOptions::default());
        tools.tools()[2].input_schema["properties"]["id"]["enum"]
            .as_array()
            .map(Vec::len)
    };
    assert_eq!((names(250).await, names(251).await), (Some(250), None));
}

#[tokio::test]
async fn hidden_skills_are_omitted_from_tool_texts() {
    let registry = hidden().await;
    for preset in ToolPreset::ALL {
        let catalog = CatalogOptions::default().format(CatalogFormat::Bullets);
        let tools = Toolset::new(
            &registry.snapshot(),
            &without_off().preset(preset.clone()).catalog(catalog),
        );
        let text = serde_json::to_string(tools.tools()).unwrap();
        assert!(text.contains("release-notes"), "{text}");
        for name in ["release-by-hand", "release-off", "release-clone"] {
            assert!(!text.contains(name), "{text}");
        }
    }
}

#[tokio::test]
async fn tool_descriptions_include_the_catalog_on_request() {
    let catalog = CatalogOptions::default()
        .format(CatalogFormat::Bullets)
        .budget(Budget::Characters(500));
    let options = preset(ToolPreset::CORTEX).catalog(catalog);
    let tools = Toolset::new(&two().await.snapshot(), &options);
    let [tool] = tools.tools() else {
        panic!("one tool")
    };
    assert_eq!(tool.name.as_ref(), "load_skill");
    assert!(
        tool.description
            .ends_with("\n\n- billing: Writes bills.\n- refund: Pays money back."),
        "{}",
        tool.description
    );
}

#[tokio::test]
async fn tool_texts_remain_identical_after_calls() {
    let registry = two().await;
    let tools = Toolset::new(&registry.snapshot(), &ToolOptions::default());
    let before = serde_json::to_string(tools.tools()).unwrap();
    tools
        .call("read_skill", &json!({"id": "refund"}), &registry)
        .await
        .unwrap();
    registry.register(skill("later", "Later.")).unwrap();
    assert_eq!(serde_json::to_string(tools.tools()).unwrap(), before);
    let (_, listed) = {
        let answer = tools
            .call("list_skills", &json!({}), &registry)
            .await
            .unwrap();
        (answer.code, answer.text)
    };
    assert!(!listed.contains("later"), "a snapshot stays what it was");
}

#[tokio::test]
async fn toolsets_return_the_folders_of_visible_skills() {
    let at = |id: &str, place: &str| (skill(id, "-").from_location(place), "-");
    let mut by_hand = at("by-hand", "/me/by-hand/SKILL.md");
    by_hand.0.disable_model_invocation = true;
    let skills = [
        at("b", "/me/b/SKILL.md"),
        by_hand,
        (skill("compiled-in", "-"), "-"),
        at("a", "/me/x/SKILL.md"),
    ];
    let registry = SkillRegistry::builder()
        .user(source("home", skills))
        .load()
        .await
        .unwrap();
    let tools = Toolset::new(&registry.snapshot(), &ToolOptions::default());
    assert_eq!(
        tools.folders().collect::<Vec<_>>(),
        [Path::new("/me/x"), Path::new("/me/b")]
    );
}
