//! The lists that agents themselves write or print.

use repertoire_profiles::{AgentProfiles, ObservedList, ObservedSession};
use serde_json::{Value, json};

use crate::tree::Tree;

const CANARY: &str = "canary-7f3a";

fn session(agent: &str, records: &[Value]) -> ObservedSession {
    let profiles = AgentProfiles::built_in();
    let mut reader = profiles.get(agent).unwrap().transcript_reader().unwrap();
    reader.line("not json");
    for record in records {
        reader.line(&record.to_string());
    }
    reader.finish()
}

/// The name, description and path of a skill, and whether it is enabled.
type Row = (String, Option<String>, Option<String>, bool);

fn printed(agent: &str, text: &str) -> Option<Vec<Row>> {
    let profiles = AgentProfiles::built_in();
    let list = profiles.get(agent).unwrap().parse_list(text)?;
    Some(rows(&list))
}

fn rows(list: &ObservedList) -> Vec<Row> {
    let skills = list.skills.iter().cloned();
    skills
        .map(|skill| (skill.name, skill.description, skill.path, skill.is_enabled))
        .collect()
}

fn row(name: &str, description: Option<&str>, path: Option<&str>, is_enabled: bool) -> Row {
    (
        name.to_owned(),
        description.map(str::to_owned),
        path.map(str::to_owned),
        is_enabled,
    )
}

fn claude_records() -> Vec<Value> {
    let listing = |content: &str, names: &[&str], is_initial: bool, is_sidechain: bool| {
        json!({
            "type": "attachment", "isSidechain": is_sidechain, "cwd": "/srv/app", "timestamp": "2026-11-01T10:00:00.000Z",
            "attachment": {"type": "skill_listing", "content": content, "names": names, "isInitial": is_initial},
        })
    };
    vec![
        json!({"type": "user", "cwd": "/srv/app", "message": {"content": format!("{CANARY} my \"skill\"")}}),
        listing(
            "- tidy: Sorts files.\n- [ ] by name\n- tools:fmt: Formats.\n- bare",
            &["tidy", "tools:fmt", "bare"],
            true,
            false,
        ),
        listing("- other: Of a helper.", &["other"], true, true),
        listing(
            "- late: Added.\n- tidy: Sorts.",
            &["late", "tidy"],
            false,
            false,
        ),
        json!({"type": "assistant", "message": {"content": [
            {"type": "text", "text": CANARY},
            {"type": "tool_use", "name": "Skill", "input": {"skill": "tidy", "args": CANARY}},
            {"type": "tool_use", "name": "Bash", "input": {"command": CANARY}},
        ]}}),
        json!({"type": "user", "message": {"content": format!("<command-name>/note</command-name>{CANARY}")}}),
    ]
}

fn codex_records() -> Vec<Value> {
    let prompt = "<skills_instructions>\n## Skills\n- audit: Audits: all. (file: /r/.agents/skills/audit/SKILL.md)\n\
        - lint: Lints. (file: /h/.agents/skills/lint/SKILL.md)\n- not a skill\n</skills_instructions>";
    vec![
        json!({"type": "session_meta", "payload": {"cwd": "/r", "instructions": CANARY}}),
        json!({"timestamp": "2026-10-02T08:00:00Z", "type": "response_item", "payload": {
            "type": "message", "role": "developer", "content": [{"type": "input_text", "text": prompt}],
        }}),
        json!({"type": "response_item", "payload": {
            "type": "message", "role": "user", "content": [{"type": "input_text", "text": format!("{CANARY} SKILL.md")}],
        }}),
        json!({"type": "response_item", "payload": {
            "type": "function_call", "name": "shell",
            "arguments": json!({"command": ["cat", "/h/.agents/skills/lint/SKILL.md", CANARY]}).to_string(),
        }}),
    ]
}

#[test]
fn a_transcript_of_claude_has_the_list() {
    let session = session("claude-code", &claude_records());
    let list = session.list.unwrap();
    assert_eq!(session.folder.as_deref(), Some("/srv/app"));
    assert_eq!(list.date.as_deref(), Some("2026-11-01T10:00:00.000Z"));
    let expected = [
        row("tidy", Some("Sorts files.\n- [ ] by name"), None, true),
        row("tools:fmt", Some("Formats."), None, true),
        row("bare", None, None, true),
        row("late", Some("Added."), None, true),
    ];
    assert_eq!(rows(&list), expected);
    assert_eq!(
        session.used.into_iter().collect::<Vec<_>>(),
        ["note", "tidy"]
    );
}

#[test]
fn a_rollout_of_codex_has_the_list() {
    let session = session("codex", &codex_records());
    let list = session.list.unwrap();
    assert_eq!(session.folder.as_deref(), Some("/r"));
    assert_eq!(list.date.as_deref(), Some("2026-10-02T08:00:00Z"));
    let (audit, lint) = (
        "/r/.agents/skills/audit/SKILL.md",
        "/h/.agents/skills/lint/SKILL.md",
    );
    let expected = [
        row("audit", Some("Audits: all."), Some(audit), true),
        row("lint", Some("Lints."), Some(lint), true),
    ];
    assert_eq!(rows(&list), expected);
    assert_eq!(session.used.into_iter().collect::<Vec<_>>(), ["lint"]);
}

#[test]
fn only_skills_leave_a_transcript() {
    for (agent, records) in [
        ("claude-code", claude_records()),
        ("codex", codex_records()),
    ] {
        let shown = format!("{:?}", session(agent, &records));
        assert!(!shown.contains(CANARY), "{agent}: {shown}");
    }
}

#[test]
fn printed_lists_are_parsed() {
    let copilot = r#"[{"name":"a","description":"A.","source":"project","path":"/a/SKILL.md","enabled":true},{"name":"b","enabled":false}]"#;
    let both = [
        row("a", Some("A."), Some("/a/SKILL.md"), true),
        row("b", None, None, false),
    ];
    assert_eq!(printed("copilot-cli", copilot).unwrap(), both);
    let amp = r#"{"skills":[{"name":"a","description":"A.","baseDir":"file:///a"}],"errors":[]}"#;
    assert_eq!(
        printed("amp", amp).unwrap(),
        [row("a", Some("A."), Some("file:///a"), true)]
    );
    let opencode = r#"[{"name":"a","description":"A.","location":"/a/SKILL.md","content":"Do."}]"#;
    assert_eq!(printed("opencode", opencode).unwrap(), both[..1]);
    assert_eq!(printed("opencode", &opencode[..30]), None);
    let gemini = "\u{1b}[1mDiscovered Agent Skills:\u{1b}[22m\n\n\u{1b}[1ma\u{1b}[22m \u{1b}[32m[Enabled]\u{1b}[39m\n  \
        Description: A.\n  Location:    /a/SKILL.md\n\nb [Disabled] [Built-in]\n";
    assert_eq!(printed("gemini-cli", gemini).unwrap(), both);
    assert_eq!(
        printed("gemini-cli", "No skills discovered.\n").unwrap(),
        []
    );
    assert_eq!(printed("gemini-cli", "Please log in.\n"), None);
    let prompt = "<skills_instructions>\n- a: A. (file: /a/SKILL.md)\n</skills_instructions>";
    assert_eq!(printed("codex", prompt).unwrap(), both[..1]);
    let inside = json!([{"role": "developer", "content": [{"text": prompt}]}]).to_string();
    assert_eq!(printed("codex", &inside).unwrap(), both[..1]);
}

#[test]
fn differences_from_the_agent_have_a_reason() {
    let tree = Tree::golden();
    let view = tree.view("claude-code");
    let listing = json!({"type": "attachment", "attachment": {
        "type": "skill_listing", "content": "- deploy: D.\n- lint: L.\n- deep: M.\n- own: Built in.",
    }});
    let list = session("claude-code", &[listing]).list.unwrap();
    let found = view.differences(&list);
    let found: Vec<_> = found
        .iter()
        .map(|one| {
            let because = one
                .because
                .split_once("` ")
                .map_or(&*one.because, |(_, rest)| rest);
            (&*one.name, one.is_observed, because)
        })
        .collect();
    let added = "it was added or changed after the list, or the profile is wrong";
    let expected = [
        (
            "deep",
            true,
            "is not listed (too-deep): the profile is wrong, or the file changed",
        ),
        ("folder-a", false, added),
        ("note", false, added),
        (
            "own",
            true,
            "no file of this name was found: it is built in, or was removed",
        ),
        ("tools:fmt", false, added),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_different_file_is_a_difference() {
    let tree = Tree::golden();
    let view = tree.view("codex");
    let lint = view.skills.iter().find(|skill| *skill.name == *"lint");
    let right = lint.unwrap().path.clone();
    let found = |path: &std::path::Path| {
        let printed = json!([{"name": "lint", "path": path}]).to_string();
        let profiles = AgentProfiles::built_in();
        let list = profiles.get("copilot-cli").unwrap().parse_list(&printed);
        let mut found = view.differences(&list.unwrap());
        found.retain(|one| one.is_observed);
        found.into_iter().map(|one| one.because).collect::<Vec<_>>()
    };
    assert_eq!(found(&right), Vec::<String>::new());
    assert_eq!(found(right.parent().unwrap()), Vec::<String>::new());
    let expected = format!(
        "the agent reads `/old/lint/SKILL.md`, the profile expects `{}`: the profile is wrong, or a file was moved",
        right.display()
    );
    assert_eq!(found("/old/lint/SKILL.md".as_ref()), [expected]);
}
