use super::*;

/// A skill with these front-matter lines.
fn skill(lines: &str) -> Skill {
    let text = format!("---\nname: tidy-up\ndescription: Sorts a folder.\n{lines}\n---\n");
    crate::skill_md::parse(
        text.as_bytes(),
        crate::skill_md::FileContext::new("SKILL.md"),
    )
    .skill
    .unwrap()
}

#[test]
fn texts_of_the_standard_are_read_as_written() {
    let skill = skill(
        "license: MIT\ncompatibility: Needs git 2.40\nmetadata:\n  version: 1.0\nwhen_to_use: After a merge",
    );
    assert_eq!(skill.text("license"), Some("MIT"));
    assert_eq!(skill.text("compatibility"), Some("Needs git 2.40"));
    assert_eq!(
        skill.metadata().and_then(|map| map.get("version")),
        Some(&Value::plain("1.0"))
    );
    assert_eq!(skill.when_to_use(), Some("After a merge"));
}

#[test]
fn a_value_of_another_shape_counts_as_absent() {
    let skill = skill(
        "license: [MIT]\ncompatibility: {a: b}\nmetadata: text\ntier: [1]\nworkflow: {a: b}\ntriggers:",
    );
    assert_eq!(
        (
            skill.text("license"),
            skill.text("compatibility"),
            skill.metadata()
        ),
        (None, None, None)
    );
    assert_eq!(
        (skill.functional_tier(), skill.invoke_level()),
        (None, InvokeLevel::Executor)
    );
    assert_eq!((skill.workflow(), skill.triggers()), (vec![], vec![]));
}

#[test]
fn name_lists_are_read_in_both_forms() {
    assert_eq!(
        skill("arguments: issue branch").arguments(),
        ["issue", "branch"]
    );
    assert_eq!(
        skill("arguments: [issue, branch]").arguments(),
        ["issue", "branch"]
    );
    assert_eq!(skill("").arguments(), [""; 0]);
    assert_eq!(
        skill("paths: \"src/**, a b/*.rs\"").paths(),
        ["src/**", "a b/*.rs"]
    );
    assert_eq!(
        skill("paths:\n  - src/**\n  - tests/*.rs").paths(),
        ["src/**", "tests/*.rs"]
    );
    assert_eq!(
        skill("required_tools: [gsd_run, 'mcp__github__*']").required_tools(),
        ["gsd_run", "mcp__github__*"]
    );
    assert_eq!(
        skill("required-tools: gsd_run").required_tools(),
        ["gsd_run"]
    );
}

#[test]
fn extensions_are_read_from_metadata() {
    let skill = skill(
        "metadata:\n  triggers: [merge]\n  required-tools: [git]\n  functional-tier: infrastructure\n  category: raw",
    );
    assert_eq!(skill.triggers(), [SkillTrigger::Keyword("merge".into())]);
    assert_eq!(skill.required_tools(), ["git"]);
    assert_eq!(
        skill.functional_tier(),
        Some(FunctionalTier::new("infrastructure"))
    );
    assert!(skill.is_raw());
}

#[test]
fn plain_triggers_get_their_kind() {
    use SkillTrigger::{Command, Keyword, Path, Task, Tool};
    for (written, expected) in [
        ("mcp__github__*", vec![Tool("mcp__github__*".into())]),
        ("mcp__github__list", vec![Tool("mcp__github__list".into())]),
        ("'*_test'", vec![Tool("*_test".into())]),
        ("tool:Bash", vec![Tool("Bash".into())]),
        ("'task: code review'", vec![Task("code review".into())]),
        ("keyword:mcp__x", vec![Keyword("mcp__x".into())]),
        ("/release", vec![Command("release".into())]),
        ("src/**/*.rs", vec![Path("src/**/*.rs".into())]),
        ("path:docs", vec![Path("docs".into())]),
        ("/etc/passwd", vec![Keyword("/etc/passwd".into())]),
        ("and/or", vec![Keyword("and/or".into())]),
        ("2 * 3", vec![Keyword("2 * 3".into())]),
        ("note:well", vec![Keyword("note:well".into())]),
        ("'task:'", vec![Keyword("task:".into())]),
        (
            "plan, sprint",
            vec![Keyword("plan".into()), Keyword("sprint".into())],
        ),
        (
            "'plan, /sprint,, mcp__jira__*,'",
            vec![
                Keyword("plan".into()),
                Command("sprint".into()),
                Tool("mcp__jira__*".into()),
            ],
        ),
    ] {
        assert_eq!(
            skill(&format!("triggers: {written}")).triggers(),
            expected,
            "{written}"
        );
        assert_eq!(
            skill(&format!("triggers:\n  - {written}")).triggers(),
            expected,
            "- {written}"
        );
    }
}

#[test]
fn triggers_are_keywords_or_of_a_stated_kind() {
    let skill = skill(
        "triggers:\n  - release notes\n  - keyword: changelog\n  - task: docs\n  - tool: mcp__github__*\n  - path: src/**\n  \
         - command: release\n  - regex: 'v\\d+'\n  - always: true\n  - always: false\n  - other: x\n  - [a]\n  - ''",
    );
    use SkillTrigger::{Always, Command, Keyword, Path, Regex, Task, Tool};
    assert_eq!(
        skill.triggers(),
        [
            Keyword("release notes".into()),
            Keyword("changelog".into()),
            Task("docs".into()),
            Tool("mcp__github__*".into()),
            Path("src/**".into()),
            Command("release".into()),
            Regex("v\\d+".into()),
            Always,
        ]
    );
}

#[test]
fn a_workflow_is_a_list_of_steps() {
    let skill = skill(
        "workflow:\n  - step: Collect\n    tool: git_log\n    params: {since: v1.0}\n    on_error: skip\n    id: a\n  \
         - Group them\n  - tool: nothing\nverification:\n  - The list is complete\n  - {id: t, kind: command, run: make}\n  - {run: x}",
    );
    assert_eq!(
        skill.workflow(),
        [
            WorkflowStep {
                id: Some("a".into()),
                step: "Collect".into(),
                tool: Some("git_log".into()),
                params: Some(Value::Map(vec![("since".into(), Value::plain("v1.0"))])),
                on_error: OnError::Skip,
            },
            WorkflowStep {
                id: None,
                step: "Group them".into(),
                tool: None,
                params: None,
                on_error: OnError::Fail
            },
        ]
    );
    let field = |key: &str, value| (key.into(), Value::plain(value));
    let item = Value::Map(vec![
        field("id", "t"),
        field("kind", "command"),
        field("run", "make"),
    ]);
    assert_eq!(
        skill.verification(),
        [
            Check::Text("The list is complete".into()),
            Check::Typed {
                id: Some("t".into()),
                kind: "command".into(),
                item
            }
        ]
    );
}

#[test]
fn functional_tiers_are_read_in_both_spellings() {
    for (text, kebab) in [
        ("PM & Orchestration", "pm-orchestration"),
        ("Task & Roadmap", "task-roadmap"),
        ("GSD & Execution", "gsd-execution"),
        ("Audit & Proof", "audit-proof"),
        ("Infrastructure", "infrastructure"),
        ("Integration", "integration"),
    ] {
        let tier = FunctionalTier::new(text);
        assert_eq!(tier.as_str(), kebab);
        assert_eq!(FunctionalTier::new(kebab), tier);
        assert_eq!(FunctionalTier::new(&text.to_uppercase()), tier);
    }
    assert_eq!(FunctionalTier::new(" Design ").as_str(), "Design");
    assert_eq!(
        skill("tier: audit-proof").functional_tier(),
        Some(FunctionalTier::new("audit-proof"))
    );
}

#[test]
fn a_numeric_tier_is_a_level_of_invocation() {
    for (lines, level, tier) in [
        ("", InvokeLevel::Executor, None),
        ("tier: 1", InvokeLevel::Any, None),
        ("invoke-level: 3", InvokeLevel::Top, None),
        ("invoke-level: 9", InvokeLevel::Executor, None),
        (
            "tier: integration",
            InvokeLevel::Executor,
            Some(FunctionalTier::new("integration")),
        ),
    ] {
        let skill = skill(lines);
        assert_eq!(
            (skill.invoke_level(), skill.functional_tier()),
            (level, tier),
            "{lines}"
        );
    }
    assert!(InvokeLevel::Any < InvokeLevel::Executor && InvokeLevel::Executor < InvokeLevel::Top);
}

#[test]
fn an_unknown_category_counts_as_raw() {
    for (lines, is_raw) in [
        ("license: MIT", false),
        ("category: standard", false),
        ("category: [Standard, ' STANDARD ']", false),
        ("category: raw", true),
        ("category: rwa", true),
        ("category: productivity", true),
        ("category: [standard, raw]", true),
        ("category: ''", true),
        ("category:", false),
        ("category: {standard: true}", true),
        ("metadata: {category: raw}\ncategory: standard", true),
        ("metadata: {category: raw, category: standard}", true),
    ] {
        assert_eq!(skill(lines).is_raw(), is_raw, "{lines}");
    }
}

#[test]
fn tools_and_references_are_read() {
    let skill = skill("tools: [run_query, drop_table]\nreferences:\n  - how to.md");
    assert_eq!(skill.tools(), ["run_query", "drop_table"]);
    assert_eq!(skill.references(), ["how to.md"]);
}

#[test]
fn a_skill_is_printed_as_data() {
    let skill = skill("allowed-tools: Read\nmetadata: {version: 1.0, n: 7}")
        .from_location("skills/tidy-up");
    assert_eq!(
        serde_json::to_value(skill).unwrap(),
        serde_json::json!({
            "id": "tidy-up",
            "description": "Sorts a folder.",
            "surface": null,
            "allowed_tools": ["Read"],
            "disable_model_invocation": false,
            "user_invocable": true,
            "allowed_workflows": null,
            "location": "skills/tidy-up",
            "fields": [
                ["name", "tidy-up"],
                ["description", "Sorts a folder."],
                ["allowed-tools", "Read"],
                ["metadata", {"version": 1.0, "n": 7}],
            ],
        })
    );
}
