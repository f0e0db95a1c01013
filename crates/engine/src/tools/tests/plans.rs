//! The tool that returns plans.

use super::*;

const PLANNED: &str = "required_tools: [mcp__ci__build]\narguments: [version]\nworkflow:\n  - {id: b, step: Build., tool: mcp__ci__build, params: {version: $version}}\n  - Look at it.\nverification:\n  - It runs.\n  - {kind: file-exists, path: out.txt}";

async fn registry(rows: &[(&str, &str)]) -> SkillRegistry {
    let home = MemorySource::new("home");
    for (name, more) in rows {
        let text = format!("---\nname: {name}\ndescription: Does it.\n{more}\n---\n");
        let context = repertoire_core::skill_md::FileContext::new("SKILL.md");
        let skill = repertoire_core::skill_md::parse(text.as_bytes(), context).skill;
        home.register(Registered::new(skill.unwrap(), "Do it.\n"))
            .unwrap();
    }
    SkillRegistry::builder().user(home).load().await.unwrap()
}

fn planning() -> ToolOptions {
    preset(ToolPreset::DEFAULT.plan_tool("plan_skill").unwrap())
}

#[tokio::test]
async fn a_plan_has_steps_and_checks() {
    let registry = registry(&[("ship", PLANNED), ("tea", "tags: [x]")]).await;
    let arguments = json!({"id": "ship", "arguments": "1.2"});
    let (_, answer) = answered(&registry, &planning(), "plan_skill", arguments).await;
    assert_eq!(
        parsed(&answer),
        json!({
            "id": "ship",
            "steps": [
                {"number": 1, "id": "b", "step": "Build.", "tool": "mcp__ci__build", "on_error": "fail", "params": {"version": "1.2"}},
                {"number": 2, "step": "Look at it."},
            ],
            "verification": ["It runs.", {"kind": "file-exists", "path": "out.txt"}],
        })
    );
    let (_, answer) = answered(&registry, &planning(), "plan_skill", json!({"id": "tea"})).await;
    assert_eq!(
        answer,
        "The skill `tea` has no plan: follow its instructions.\n"
    );
}

#[tokio::test]
async fn it_is_offered_for_skills_with_plans() {
    let named = |registry: &SkillRegistry, options: ToolOptions| {
        let tools = Toolset::new(&registry.snapshot(), &options);
        let tool = tools
            .tools()
            .iter()
            .find(|tool| *tool.name == *"plan_skill");
        tool.map(|tool| tool.input_schema["properties"]["id"]["enum"].clone())
    };
    let both = registry(&[("ship", PLANNED), ("tea", "tags: [x]")]).await;
    assert_eq!(named(&both, planning()), Some(json!(["ship"])));
    assert_eq!(named(&both, ToolOptions::default()), None);
    let without = registry(&[("tea", "tags: [x]")]).await;
    assert_eq!(named(&without, planning()), None);
    let removed = ToolPreset::DEFAULT.plan_tool("plan_skill").unwrap();
    assert_eq!(named(&both, preset(removed.without("plan_skill"))), None);
}

#[tokio::test]
async fn a_broken_plan_names_its_faults() {
    let registry = registry(&[("ship", "workflow: [{step: Build., tool: Bash}]")]).await;
    let arguments = json!({"id": "ship"});
    let (code, answer) = answered(&registry, &planning(), "plan_skill", arguments).await;
    let text = "The plan of the skill `ship` is not valid: step 1 calls `Bash`, which is not among the `required_tools`.";
    assert_eq!((code, answer.trim_end()), (ToolStatus::Unreadable, text));
}
