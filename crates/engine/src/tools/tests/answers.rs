//! The answers to lists, searches and wrong calls.

use super::*;

#[tokio::test]
async fn lists_come_in_pages() {
    let skills = ["d", "b", "a", "c", "e"].map(|id| (skill(id, "One of five."), "-"));
    let registry = SkillRegistry::builder()
        .user(source("home", skills))
        .load()
        .await
        .unwrap();
    let options = ToolOptions::default();
    let mut pages = Vec::new();
    let mut arguments = json!({"limit": 2});
    loop {
        let (_, text) = answered(&registry, &options, "list_skills", arguments.clone()).await;
        let page = parsed(&text);
        let ids: Vec<String> = page["skills"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["id"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(page["total"], 5);
        pages.push(ids);
        let Some(cursor) = page.get("next_cursor") else {
            break;
        };
        arguments["cursor"] = cursor.clone();
    }
    assert_eq!(pages, [vec!["a", "b"], vec!["c", "d"], vec!["e"]]);
    let (code, text) = answered(
        &registry,
        &options,
        "list_skills",
        json!({"cursor": "gone"}),
    )
    .await;
    assert_eq!(
        (code, text.as_str()),
        (
            ToolStatus::Stale,
            "The list has changed and has no `gone` any more: list from the start."
        )
    );
}

#[tokio::test]
async fn lists_filter_by_query_and_searches_rank() {
    let skills = [
        ("pdf", "Reads files."),
        ("mail", "Writes letters."),
        ("forms", "Fills in a pdf."),
    ];
    let skills = skills.map(|(id, about)| (skill(id, about), "-"));
    let registry = SkillRegistry::builder()
        .user(source("home", skills))
        .load()
        .await
        .unwrap();
    let rows = json!([{"id": "pdf", "description": "Reads files."}, {"id": "forms", "description": "Fills in a pdf."}]);
    let (_, listed) = answered(
        &registry,
        &ToolOptions::default(),
        "list_skills",
        json!({"query": "PDF"}),
    )
    .await;
    assert_eq!(parsed(&listed), json!({"skills": rows, "total": 2}));
    let (_, found) = answered(
        &registry,
        &ToolOptions::default(),
        "search_skills",
        json!({"query": "PDF"}),
    )
    .await;
    assert_eq!(parsed(&found), json!({"query": "PDF", "matches": rows}));
    let (_, none) = answered(
        &registry,
        &ToolOptions::default(),
        "search_skills",
        json!({"query": "zebra"}),
    )
    .await;
    let note = "No skill fits. Go on without one, or search again in other words.";
    assert_eq!(
        parsed(&none),
        json!({"query": "zebra", "matches": [], "note": note})
    );
}

#[tokio::test]
async fn an_unknown_name_is_an_error_that_helps() {
    let registry = hidden().await;
    let options = without_off();
    for (name, expected) in [
        (
            "release-ntoes",
            "Unknown skill `release-ntoes`. Did you mean `release-notes`? `list_skills` tells which there are.",
        ),
        (
            "weather",
            "Unknown skill `weather`. The skills are `release-notes`. `list_skills` tells which there are.",
        ),
        (
            "../etc/passwd",
            "Unknown skill `../etc/passwd`. The skills are `release-notes`. `list_skills` tells which there are.",
        ),
        (
            "__proto__",
            "Unknown skill `__proto__`. The skills are `release-notes`. `list_skills` tells which there are.",
        ),
        (
            "a\n`b\u{202E}",
            "Unknown skill `a 'b`. The skills are `release-notes`. `list_skills` tells which there are.",
        ),
    ] {
        let (code, text) = answered(&registry, &options, "read_skill", json!({"id": name})).await;
        assert_eq!(
            (code, text.as_str()),
            (ToolStatus::Unknown, expected),
            "{name}"
        );
    }
}

/// Every tool, every way to write the name: hidden skills are unknown skills, and the host gets the reason.
#[tokio::test]
async fn hidden_skills_are_answered_as_unknown() {
    let registry = hidden().await;
    for (name, why) in [
        ("release-by-hand", "only the user may invoke it"),
        ("home:release-off", "it is disabled"),
        ("release-clone", "its source is not trusted yet"),
        ("clone:release-clone", "its source is not trusted yet"),
    ] {
        for (tool, path) in [("read_skill", None), ("read_skill_resource", Some("a.md"))] {
            let arguments = |name: &str| json!({"id": name, "path": path});
            let (shown, other) = (name, name.replace("release", "xxxxxxx"));
            let answer = call(&registry, &without_off(), tool, arguments(shown)).await;
            let unknown = call(&registry, &without_off(), tool, arguments(&other)).await;
            let start = answer.text.split_once(shown).map(|(before, _)| before);
            assert_eq!(
                (answer.code, unknown.code),
                (ToolStatus::Refused, ToolStatus::Unknown),
                "{name}"
            );
            assert_eq!(
                (start, unknown.text.starts_with("Unknown skill `")),
                (Some("Unknown skill `"), true),
                "{name}"
            );
            assert!(!answer.text.contains(why), "{}", answer.text);
            assert!(
                answer.operator_note.is_some_and(|note| note.contains(why)),
                "{name}"
            );
        }
    }
}

/// Covers the values that models and hosts write for numbers and for omitted arguments.
#[tokio::test]
async fn blank_arguments_and_numeric_text_are_accepted() {
    let registry = two().await;
    let options = ToolOptions::default();
    let plain = answered(&registry, &options, "read_skill", json!({"id": "billing"})).await;
    let list = answered(&registry, &options, "list_skills", json!({})).await;
    for blank in [
        json!(""),
        json!(" "),
        json!(null),
        json!(0),
        json!(0.0),
        json!("0"),
        json!("0.0"),
        json!(-0.0),
    ] {
        let arguments = json!({"id": "billing", "offset": blank});
        assert_eq!(
            answered(&registry, &options, "read_skill", arguments).await,
            plain,
            "{blank}"
        );
    }
    for arguments in [
        json!({"limit": ""}),
        json!({"limit": 50.0}),
        json!({"limit": "50.0"}),
        json!({"limit": 5e1}),
        json!({"cursor": ""}),
        json!({"cursor": " ", "query": ""}),
    ] {
        assert_eq!(
            answered(&registry, &options, "list_skills", arguments.clone()).await,
            list,
            "{arguments}"
        );
    }
    for (wrong, found) in [
        (json!(2.5), "2.5"),
        (json!(-1), "-1"),
        (json!(1e300), "1e300"),
        (json!("five"), "five"),
        (json!([]), "[]"),
        (json!(true), "true"),
    ] {
        let (code, text) =
            answered(&registry, &options, "list_skills", json!({"limit": wrong})).await;
        let expected = format!(
            "The arguments do not fit: `limit` is a whole number from 0 on; found `{found}`."
        );
        assert_eq!(
            (code, text.replace("1e+300", "1e300")),
            (ToolStatus::BadArguments, expected)
        );
    }
    for (tool, arguments) in [
        ("read_skill", json!({"id": ""})),
        ("read_skill", json!({"id": " "})),
        ("read_skill_resource", json!({"id": "billing", "path": ""})),
    ] {
        let (code, text) = answered(&registry, &options, tool, arguments).await;
        assert!(
            code == ToolStatus::BadArguments && text.contains("is missing"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn ambiguous_names_list_visible_full_names() {
    let namespaced = |name: &str| {
        Mount::plugin(source(name, [(skill("deploy", "Deploys."), "Go.")])).namespaced()
    };
    let builder = || {
        SkillRegistry::builder()
            .mount(namespaced("acme"))
            .mount(namespaced("umbrella"))
    };
    let registry = builder().load().await.unwrap();
    let (code, text) = answered(
        &registry,
        &ToolOptions::default(),
        "read_skill",
        json!({"id": "deploy"}),
    )
    .await;
    let expected =
        "Several skills are called `deploy`. Give a full name: `acme:deploy`, `umbrella:deploy`.";
    assert_eq!((code, text.as_str()), (ToolStatus::Ambiguous, expected));
    let one = ToolOptions::default()
        .modes(VisibilityPolicy::default().with("umbrella:*".parse().unwrap(), Exposure::Off));
    let (code, _) = answered(&registry, &one, "read_skill", json!({"id": "deploy"})).await;
    assert_eq!(code, ToolStatus::Ok);
    let none = ToolOptions::default()
        .modes(VisibilityPolicy::default().with("deploy".parse().unwrap(), Exposure::Off));
    assert!(Toolset::new(&registry.snapshot(), &none).tools().is_empty());
}

#[tokio::test]
async fn calling_a_skill_as_a_tool_explains_reading() {
    let registry = two().await;
    let tools = Toolset::new(&registry.snapshot(), &ToolOptions::default());
    let answer = tools.call("billing", &json!({}), &registry).await.unwrap();
    let expected = "`billing` is a skill, not a tool. Call `read_skill` with {\"id\":\"billing\"}, and follow it.";
    assert_eq!(
        (answer.code, answer.text.as_str(), answer.is_error),
        (ToolStatus::NotATool, expected, true)
    );
    // Unknown tools are not answered, and hidden skills count as unknown.
    for (registry, tool) in [
        (registry, "bash"),
        (hidden().await, "release-by-hand"),
        (hidden().await, "release-clone"),
    ] {
        let tools = Toolset::new(&registry.snapshot(), &ToolOptions::default());
        assert!(
            tools.call(tool, &json!({}), &registry).await.is_none(),
            "{tool}"
        );
    }
}

#[tokio::test]
async fn invalid_arguments_report_the_problem() {
    let registry = two().await;
    for (tool, arguments, expected) in [
        (
            "read_skill",
            json!({}),
            "The arguments do not fit: `id` is missing: give the name of a skill.",
        ),
        (
            "read_skill",
            json!("billing"),
            "The arguments do not fit: `id` is missing: give the name of a skill.",
        ),
        (
            "read_skill",
            json!({"id": 7}),
            "The arguments do not fit: `id` is a text; found `7`.",
        ),
        (
            "read_skill",
            json!({"id": "billing", "offset": -1}),
            "The arguments do not fit: `offset` is a whole number from 0 on; found `-1`.",
        ),
        (
            "search_skills",
            json!({"query": null}),
            "The arguments do not fit: `query` is missing: say in a few words what you need.",
        ),
        (
            "read_skill_resource",
            json!({"id": "billing"}),
            "The arguments do not fit: `path` is missing: give the path of a file of the skill.",
        ),
    ] {
        let (code, text) =
            answered(&registry, &ToolOptions::default(), tool, arguments.clone()).await;
        assert_eq!(
            (code, text.as_str()),
            (ToolStatus::BadArguments, expected),
            "{arguments}"
        );
    }
}

/// Puts one skill first, or fails.
#[derive(Debug)]
struct Favourite(Option<&'static str>);

#[async_trait]
impl Ranker for Favourite {
    async fn rank(
        &self,
        _: &str,
        _: usize,
    ) -> Result<Vec<repertoire_core::Id>, Box<dyn std::error::Error + Send + Sync>> {
        Ok(vec![self.0.ok_or("no network")?.parse()?])
    }
}

#[tokio::test]
async fn ranker_failures_are_reported_to_the_operator() {
    let registry = two().await;
    let search = |favourite| {
        let options = ToolOptions::default().ranker(Arc::new(Favourite(favourite)));
        let registry = registry.clone();
        async move {
            call(
                &registry,
                &options,
                "search_skills",
                json!({"query": "bills"}),
            )
            .await
        }
    };
    let answer = search(Some("refund")).await;
    assert_eq!(parsed(&answer.text)["matches"][1]["id"], "refund");
    let answer = search(None).await;
    assert_eq!(parsed(&answer.text)["matches"].as_array().unwrap().len(), 1);
    assert_eq!(
        answer.operator_note.as_deref(),
        Some("skills were ranked by words alone: no network")
    );
}
