//! The vectors of agentfootprint's two tools, and of mirai's `find-skills`.

use super::*;

#[tokio::test]
async fn the_agentfootprint_preset_has_two_tools() {
    let registry = two().await;
    let options = preset(ToolPreset::AGENTFOOTPRINT);
    let tools = Toolset::new(&registry.snapshot(), &options);
    let [list, read] = tools.tools() else {
        panic!("two tools")
    };
    assert_eq!(
        (list.name.as_ref(), read.name.as_ref()),
        ("list_skills", "read_skill")
    );
    assert_eq!(
        list.input_schema,
        json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false})
    );
    assert_eq!(read.input_schema["required"], json!(["id"]));
    assert_eq!(
        read.input_schema["properties"]["id"]["enum"],
        json!(["billing", "refund"])
    );
    let again = Toolset::new(&registry.snapshot(), &options);
    assert_eq!(again.tools(), tools.tools());

    let (_, listed) = answered(&registry, &options, "list_skills", json!({})).await;
    let rows = json!([{"id": "billing", "description": "Writes bills."}, {"id": "refund", "description": "Pays money back."}]);
    assert_eq!(listed, format!("{rows:#}"));
    let (_, body) = answered(&registry, &options, "read_skill", json!({"id": "billing"})).await;
    assert_eq!(body, "Write the bill.");
    for id in ["nonexistent", "__proto__"] {
        let (code, text) = answered(&registry, &options, "read_skill", json!({"id": id})).await;
        assert_eq!(code, ToolStatus::Unknown);
        assert_eq!(
            text,
            format!(
                "Unknown skill `{id}`. The skills are `billing`, `refund`. `list_skills` tells which there are."
            )
        );
    }
}

#[tokio::test]
async fn missing_descriptions_are_marked_and_long_ones_complete() {
    let long: String = "long ".repeat(200).trim_end().to_owned();
    let registry = SkillRegistry::builder().load().await.unwrap();
    registry
        .register(skill("mute", ""))
        .unwrap()
        .register(skill("long", &long))
        .unwrap();
    let (_, listed) = answered(
        &registry,
        &preset(ToolPreset::AGENTFOOTPRINT),
        "list_skills",
        json!({}),
    )
    .await;
    let rows = json!([{"id": "mute", "description": "(no description)"}, {"id": "long", "description": long}]);
    assert_eq!(parsed(&listed), rows);
}

/// mirai's registry: eight descriptors in the order of its list.
async fn eight() -> SkillRegistry {
    let registry = SkillRegistry::builder().load().await.unwrap();
    let about = [
        "Finds skills.",
        "Runs code.",
        "Answers with retrieval (rag).",
        "Queries.",
        "Mails.",
        "Draws.",
        "Plans.",
        "Keeps storage.",
    ];
    let names = [
        "find-skills",
        "execution",
        "retrieval",
        "database",
        "mail",
        "charts",
        "planning",
        "archive",
    ];
    for (name, about) in names.into_iter().zip(about) {
        let text = format!(
            "---\nname: {name}\ndescription: {about}\ntools: [run_{name}]\nreferences: [how to.md]\n---\n"
        );
        let site = repertoire_core::skill_md::FileContext::new("SKILL.md").in_directory(name);
        let skill = repertoire_core::skill_md::parse(text.as_bytes(), site)
            .skill
            .unwrap();
        registry.register(Registered::new(skill, "Do it.")).unwrap();
    }
    registry
}

fn names<'a>(rows: &'a Value, key: &str) -> Vec<&'a str> {
    rows[key]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn find_skills_lists_all_in_their_order() {
    let registry = eight().await;
    let (_, text) = answered(
        &registry,
        &preset(ToolPreset::FIND_SKILLS),
        "list_skills",
        json!({}),
    )
    .await;
    let listed = parsed(&text);
    let expected = [
        "find-skills",
        "execution",
        "retrieval",
        "database",
        "mail",
        "charts",
        "planning",
        "archive",
    ];
    assert_eq!(names(&listed, "skills"), expected);
    assert_eq!(
        listed["skills"][1],
        json!({"name": "execution", "description": "Runs code."})
    );
    assert!(
        text.starts_with("{\n  \"skills\": [\n    {\n"),
        "indented by two"
    );
}

#[tokio::test]
async fn find_skills_matches_whole_words() {
    let registry = eight().await;
    let search = |query: &'static str| {
        let registry = registry.clone();
        async move {
            parsed(
                &answered(
                    &registry,
                    &preset(ToolPreset::FIND_SKILLS),
                    "search_skills",
                    json!({"query": query}),
                )
                .await
                .1,
            )
        }
    };
    let found = search("RAG").await;
    // `storage` has the same letters, and is no match.
    assert_eq!(
        (found["query"].as_str(), names(&found, "matches")),
        (Some("RAG"), vec!["retrieval"])
    );
    // Nothing is in everything.
    assert_eq!(names(&search("").await, "matches").len(), 8);
}

#[tokio::test]
async fn find_skills_returns_instructions_or_an_error() {
    let registry = eight().await;
    let options = preset(ToolPreset::FIND_SKILLS);
    let read = |name: &'static str| {
        let (registry, options) = (registry.clone(), options.clone());
        async move {
            call(
                &registry,
                &options,
                "load_skill_instructions",
                json!({"skill_name": name}),
            )
            .await
        }
    };
    let given = read("database").await;
    let expected = json!({"name": "database", "instructions": "Do it.", "tools": ["run_database"], "references": ["how to.md"]});
    assert_eq!(
        (given.code, given.text),
        (ToolStatus::Ok, format!("{expected:#}"))
    );
    let unknown = read("nope").await;
    let expected = json!({"error": "unknown_skill", "skill_name": "nope"});
    assert_eq!(
        (unknown.code, unknown.is_error, unknown.text),
        (ToolStatus::Unknown, true, format!("{expected:#}"))
    );
}

#[tokio::test]
async fn registering_a_duplicate_name_is_rejected() {
    let registry = eight().await;
    assert_eq!(
        registry.get("mail").unwrap().item().description.as_ref(),
        "Mails."
    );
    assert!(registry.get("nope").is_none());
    assert!(registry.register(skill("mail", "Another.")).is_err());
    assert_eq!(
        (
            registry.list().len(),
            registry.get("mail").unwrap().item().description.as_ref()
        ),
        (8, "Mails.")
    );
    // Readers share immutable items. A caller can only change its own clone.
    let held = registry.snapshot();
    let mut copy = held.get("mail").unwrap().item().clone();
    copy.description = "Changed.".into();
    assert_eq!(
        held.get("mail").unwrap().item().description.as_ref(),
        "Mails."
    );
}

#[tokio::test]
async fn resources_that_are_not_listed_are_rejected() {
    let registry = eight().await;
    for path in ["../../etc/passwd", "how to.md"] {
        let arguments = json!({"id": "database", "path": path});
        let (code, _) = answered(
            &registry,
            &ToolOptions::default(),
            "read_skill_resource",
            arguments,
        )
        .await;
        assert_eq!(code, ToolStatus::NoResource, "{path}");
    }
}

#[tokio::test]
async fn every_preset_reads_by_its_own_names() {
    let registry = two().await;
    for (preset, tool, parameter) in [
        (ToolPreset::CORTEX, "load_skill", "name"),
        (ToolPreset::GEMINI_CLI, "activate_skill", "name"),
        (ToolPreset::OPENCODE, "skill", "name"),
        (ToolPreset::GOOSE, "load_skill", "name"),
        (ToolPreset::AGENT_FRAMEWORK, "load_skill", "skillName"),
    ] {
        let answer = call(
            &registry,
            &self::preset(preset),
            tool,
            json!({parameter: "refund"}),
        )
        .await;
        assert!(
            !answer.is_error && answer.text.contains("\nPay it back.\n"),
            "{}",
            answer.text
        );
    }
    let own = ToolPreset::DEFAULT
        .read_tool("use_skill", "id")
        .unwrap()
        .without("search_skills");
    for name in ["", "use skill", "use.skill", "1st", &"x".repeat(65)] {
        assert!(
            ToolPreset::DEFAULT.list_tool(name.to_owned()).is_err(),
            "{name}"
        );
    }
    let tools = Toolset::new(&registry.snapshot(), &preset(own));
    let names: Vec<&str> = tools
        .tools()
        .iter()
        .map(|tool| tool.name.as_ref())
        .collect();
    assert_eq!(names, ["list_skills", "use_skill", "read_skill_resource"]);
}
