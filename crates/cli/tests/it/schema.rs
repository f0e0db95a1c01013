//! The JSON format is what `docs/schema/repertoire-1.json` says.

use jsonschema::Validator;
use serde_json::Value;

use crate::test_env::{TestEnv, checkout};

#[test]
fn every_answer_conforms_to_the_schema() {
    let root = checkout("").to_string_lossy().into_owned();
    let env = TestEnv::new();
    env.skill("a", "review", "Near.")
        .skill("b", "review", "Far.")
        .file("a/review/notes.md", "Notes.\n");
    env.skill("b", "copy", "Same.")
        .skill("c", "copy", "Same.")
        .file("b/broken/SKILL.md", "nothing\n");
    env.file(
        "a/odd/SKILL.md",
        "---\nname: odd\ndescription: a: b\nallowed-tools: Read\nallowedWorkflows: x\n---\n",
    );
    env.library("libhello.so");
    env.file(
        "a/clock/SKILL.md",
        "---\nname: clock\ndescription: Tells.\n---\n!`date`\n!{script: x.sh}\n",
    )
    .file("a/clock/x.sh", "")
    .file("workflows/manual.workflow.yaml", "steps: [Look.]\n")
    .file("gateway.toml", "")
    .file(
        "prompts.jsonl",
        "{\"prompt\": \"copy it\", \"expected_skill\": \"review\"}\n",
    )
    .file(
        "turns.yaml",
        include_str!("../../../../examples/turns.yaml"),
    );
    env.run(&["approve", "clock", "--root", "a", "--yes"])
        .data();
    let agent = crate::agents::write_store(&env);
    let examples = checkout("examples/skills");
    let examples = examples.to_str().expect("a path");
    let schema = Schema::load();
    let mut seen = Vec::new();
    let mut forged = 0;
    env.skill(".agents/skills", "tidy", "Sorts files.").skill(
        ".claude/skills",
        "tidy",
        "Sorts files, too.",
    );
    for arguments in [
        &["status", "--agent", "codex", "--agent", "claude-code"][..],
        &["list", "--agent", "codex", "--agent", "cursor"],
        &["list", "a", "b", "c"],
        &["list", "a", "--model", "anthropic/claude-sonnet-4-5"],
        &["show", "review", "--root", "a"],
        &["show", "odd", "--root", "a"],
        &["show", "b:review", "--root", "a", "--root", "b"],
        &["why", "copy", "--root", "b", "--root", "c"],
        &["why", "tidy", "--agent", "codex", "--agent", "cursor"],
        &["why", "review", "--root", "a", "--root", "b"],
        &["search", "review", "--root", "a"],
        &[
            "search",
            "revew",
            "--root",
            "a",
            "--root",
            "b",
            "--seen-by",
            "model",
            "--limit",
            "1",
        ],
        &["match", "review", "$copy", "--root", "a", "--root", "b"],
        &["eval", "prompts.jsonl", "--root", "a", "--root", "b"],
        &["roots"],
        &["observed", "--agent", "claude-code", "--agent", "codex"],
        &["budget", "--agent", "claude-code", "--agent", "zed"],
        &["diff", "claude-code", "codex"],
        &["check", "a", "b", "c"],
        &["check", "a", "b", "c", "--strict"],
        &["catalog", "a", "b"],
        &["catalog", "a", "b", "--tokens", "30"],
        &["catalog", "a", "b", "--chars", "90"],
        &["catalog", "a", "b", "--window", "9000"],
        &["tools", "a", "--provider", "anthropic"],
        &[
            "tools",
            "a",
            "--provider",
            "openai-responses",
            "--preset",
            "cortex",
        ],
        &["simulate", "--script", "turns.yaml", "--root", examples],
        &["gateway", "status", "--state-dir", "state"],
        &["gateway", "audit", "--state-dir", "state"],
        &[
            "gateway",
            "token",
            "issue",
            "monitor",
            "--scope",
            "read",
            "--expires",
            "1d",
            "--state-dir",
            "state",
        ],
        &["workflow", "plan", "manual", "--config", "gateway.toml"],
        &["mcp", "config", "--agent", "cursor"],
        &["mcp", "config", "--agent", "cursor", "--write"],
        &[
            "mcp",
            "config",
            "--agent",
            "codex",
            "--url",
            "http://127.0.0.1:8321/mcp",
        ],
        &["body", "review", "--root", "a"],
        &["render", "clock", "words", "--root", "a"],
        &[
            "render",
            "clock",
            "--root",
            "a",
            "--allow-commands",
            "--sandbox",
        ],
        &["directives", "clock", "--root", "a"],
        &["approve", "clock", "--root", "a", "--yes"],
        &["approvals"],
        &["approvals", "revoke", "a:clock"],
        &["files", "review", "--root", "a"],
        &["files", "review", "notes.md", "--root", "a"],
        &[
            "add",
            "./.agents/skills/tidy",
            "--agent",
            "codex",
            "--scope",
            "user",
            "--yes",
        ],
        &["remove", "tidy", "--scope", "user", "--dry-run"],
        &["update", "--scope", "user", "--check"],
        &["outdated", "--scope", "user"],
        &["sync", "--scope", "user", "--frozen"],
        &["installed", "--scope", "user"],
        &["accept", "tidy", "--scope", "user", "--yes"],
        &["store", "gc"],
        &["cache", "clean"],
        &["lock", "a", "b"],
        &["verify", "a", "c"],
        &["new", "fresh", "--dir", "d"],
        &["fmt", "a", "b", "d", "--check"],
        &["fmt", "a", "b", "d"],
        &["plugin", "list"],
        &["plugin", "inspect", "libhello.so"],
        &["plugin", "approve", "libhello.so", "--yes"],
        &["plugin", "list"],
        &["plugin", "inspect", "libhello.so"],
        &["plugin", "revoke", "libhello.so"],
        &["plugin", "new", "acme", "--checkout", &root],
        &["source", "new", "mine"],
        &["kinds"],
        &["agents", "list", "--store", "agents.db"],
        &["agents", "show", &agent, "--store", "agents.db"],
        &["agents", "explain", "review", "--store", "agents.db"],
        &["agents", "orphans", "--store", "agents.db"],
        &["agents", "audit", "verify", "--store", "agents.db"],
        &["completions", "bash"],
        &["man"],
        &["man", "list"],
    ] {
        let ran = env.run(&[arguments, &["--json"]].concat());
        assert_eq!(ran.stderr, "", "{arguments:?}");
        let document: Value = serde_json::from_str(&ran.stdout).expect("one JSON document");
        let faults = schema.faults(&document);
        assert!(
            faults.is_empty(),
            "{arguments:?}: {faults:#?}\n{document:#}"
        );
        for (what, forgery) in forgeries(&document) {
            assert!(
                !schema.faults(&forgery).is_empty(),
                "{arguments:?}: {what} is not refused\n{forgery:#}"
            );
            forged += 1;
        }
        seen.push(
            document["command"]
                .as_str()
                .expect("checked above")
                .to_owned(),
        );
    }
    seen.dedup();
    // That one goes on until it is stopped: it has its own tests.
    let answered: Vec<_> = schema
        .commands()
        .into_iter()
        .filter(|command| *command != "watch")
        .collect();
    assert_eq!(
        seen, answered,
        "the schema knows the commands that there are"
    );
    assert!(forged > 1000, "{forged} forgeries");
}

/// Fields that may be left out.
const OPTIONAL: [&str; 11] = [
    "identical",
    "path",
    "line",
    "column",
    "other",
    "help",
    "sandbox",
    "cleanup",
    "because",
    "fix",
    "or_named",
];

/// Numbers that may have a fraction.
const FRACTIONS: [&str; 7] = [
    "score",
    "margin",
    "share",
    "reliability",
    "capacity",
    "speed",
    "fit",
];

/// Texts of which the schema knows every one.
const LISTED: [&str; 18] = [
    "schema",
    "command",
    "tier",
    "trust",
    "mode",
    "severity",
    "outcome",
    "outcome",
    "cleanup",
    "difference",
    "lock",
    "fit",
    "provider",
    "is",
    "side",
    "listed",
    "scope",
    "unit",
];

/// `document` with one thing wrong, in every way, and what that is.
fn forgeries(document: &Value) -> Vec<(String, Value)> {
    let mut forgeries = Vec::new();
    visit(document, &mut String::new(), &mut |at, value| {
        let mut forge = |what: String, change: &dyn Fn(&mut Value)| {
            let mut forgery = document.clone();
            change(forgery.pointer_mut(at).expect("it was visited"));
            forgeries.push((format!("`{at}`: {what}"), forgery));
        };
        let Value::Object(rows) = value else { return };
        forge("an unknown field".to_owned(), &|value| {
            value["zz"] = 1.into()
        });
        for (key, field) in rows {
            let without =
                |value: &mut Value| drop(value.as_object_mut().expect("a map").remove(key));
            // A winner that tells of no shadows looks like a shadow.
            let is_optional =
                OPTIONAL.contains(&key.as_str()) || at == "/skill" && key == "shadows";
            if !is_optional {
                forge(format!("no `{key}`"), &without);
            } else if !["path", "shadows"].contains(&key.as_str()) {
                forge(format!("null for `{key}`"), &|value| {
                    value[key] = Value::Null
                });
            }
            if LISTED.contains(&key.as_str()) && field.is_string() {
                forge(format!("an unknown `{key}`"), &|value| {
                    value[key] = "zz".into()
                });
            }
            if !FRACTIONS.contains(&key.as_str()) {
                forge(format!("a number with a fraction for `{key}`"), &|value| {
                    value[key] = 0.5.into()
                });
            }
        }
    });
    forgeries
}

/// Calls `see` with every value of a document and its place; what authors, installers and models write is theirs, and what
/// providers ask for.
fn visit(value: &Value, at: &mut String, see: &mut impl FnMut(&str, &Value)) {
    see(at, value);
    let length = at.len();
    let mut below = |step: &str, value: &Value| {
        at.push_str(&format!("/{}", step.replace('~', "~0").replace('/', "~1")));
        visit(value, at, see);
        at.truncate(length);
    };
    match value {
        Value::Object(rows) => {
            rows.iter()
                .filter(|(key, _)| {
                    !["arguments", "fields", "github", "tools"].contains(&key.as_str())
                })
                .for_each(|(key, value)| below(key, value));
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(at, value)| below(&at.to_string(), value)),
        _ => {}
    }
}

#[test]
fn a_forged_lock_is_refused() {
    let env = TestEnv::new();
    env.skill("a", "review", "Near.")
        .file("a/review/notes.md", "Notes.\n");
    env.run(&["lock", "a"]);
    let text =
        std::fs::read_to_string(env.here().join("repertoire.lock.json")).expect("it was written");
    let lock: Value = serde_json::from_str(&text).expect("one JSON document");
    let schema = Schema::of("repertoire-lock-2");
    assert_eq!(faults(&schema.whole, &lock), Vec::<String>::new());
    let forgeries = forgeries(&lock);
    assert!(forgeries.len() > 20, "{} forgeries", forgeries.len());
    // A lock that only `add` wrote has no `skills`.
    let forgeries = forgeries
        .into_iter()
        .filter(|(_, forgery)| forgery.get("skills").is_some());
    for (what, forgery) in forgeries {
        assert_ne!(
            faults(&schema.whole, &forgery),
            Vec::<String>::new(),
            "{what} is not refused"
        );
    }
}

#[test]
fn the_schema_rejects_unknown_or_missing_fields() {
    let schema = Schema::load();
    let answer = |extra: &str| {
        let text = format!(r#"{{"schema": "repertoire/1", "command": "kinds", {extra}}}"#);
        schema.faults(&serde_json::from_str(&text).expect("it is JSON"))
    };
    assert_eq!(answer(r#""kinds": []"#), Vec::<String>::new());
    assert_ne!(answer(r#""kinds": [], "more": 1"#), Vec::<String>::new());
    assert_ne!(answer(r#""kinds": [{"name": "fs"}]"#), Vec::<String>::new());
    assert_ne!(
        answer(r#""kinds": [{"name": "fs", "about": 1}]"#),
        Vec::<String>::new()
    );
}

/// A schema of `docs/schema`.
pub(crate) struct Schema {
    whole: Validator,
    /// The name of a command, and the documents that it may answer with.
    branches: Vec<(String, Validator)>,
}

impl Schema {
    pub(crate) fn load() -> Schema {
        Schema::of("repertoire-1")
    }

    pub(crate) fn of(name: &str) -> Schema {
        let path = checkout(&format!("docs/schema/{name}.json"));
        let text = std::fs::read_to_string(path).expect("the schema is there");
        let schema: Value = serde_json::from_str(&text).expect("the schema is JSON");
        let branch = |branch: &Value| {
            let command = branch["properties"]["command"]["const"]
                .as_str()
                .expect("each is of a command")
                .to_owned();
            let mut branch = branch.clone();
            branch["$defs"] = schema["$defs"].clone();
            (command, validator(&branch))
        };
        let branches = schema["oneOf"]
            .as_array()
            .into_iter()
            .flatten()
            .map(branch)
            .collect();
        Schema {
            whole: validator(&schema),
            branches,
        }
    }

    /// Checks a document that this schema describes as a whole.
    #[track_caller]
    pub(crate) fn assert_fits(&self, text: &str) {
        let document = serde_json::from_str(text).expect("it is JSON");
        assert_eq!(faults(&self.whole, &document), Vec::<String>::new());
    }

    fn commands(&self) -> Vec<&str> {
        let mut names: Vec<_> = self
            .branches
            .iter()
            .map(|(command, _)| command.as_str())
            .collect();
        names.dedup();
        names
    }

    /// Returns the schema violations of `document`. Of the branches, the one for its command is tried: its faults say more than
    /// that none fits.
    pub(crate) fn faults(&self, document: &Value) -> Vec<String> {
        let branches = self
            .branches
            .iter()
            .filter(|(command, _)| document["command"] == **command);
        let tried = branches.map(|(_, branch)| faults(branch, document));
        tried
            .min_by_key(Vec::len)
            .unwrap_or_else(|| vec!["no branch for this command".to_owned()])
    }
}

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::new(schema).expect("the schema is one")
}

fn faults(validator: &Validator, document: &Value) -> Vec<String> {
    validator
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}
