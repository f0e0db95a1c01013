//! `check --format sarif`.

use repertoire_cli::Exit;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

use crate::test_env::{TestEnv, checkout};

fn env() -> TestEnv {
    let env = TestEnv::new();
    env.file("a b/broken/SKILL.md", "---\nname: broken\n");
    env.file(
        "a b/größe/SKILL.md",
        "---\nname: größe\ndescription: Über: alles.\n---\nA.\n",
    );
    env.skill("a b", "review", "Near.")
        .skill("../far", "review", "Far.");
    env
}

/// The log of a run, which is what the standard's own schema says.
fn log(env: &TestEnv, arguments: &[&str]) -> (Exit, Value) {
    let ran = env.run(&[arguments, &["--format", "sarif"]].concat());
    assert_eq!(ran.stderr, "");
    let root = env.here();
    let text = ran.stdout.replace(
        "[WORLD]",
        root.with_file_name("")
            .to_string_lossy()
            .trim_end_matches('/'),
    );
    let log: Value = serde_json::from_str(&text).expect("one JSON document");
    let schema = std::fs::read_to_string(checkout("crates/cli/tests/data/sarif-schema-2.1.0.json"))
        .expect("it is there");
    // The one expression with a bracket too many, which a later edition has mended.
    let schema = schema.replace(
        "^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$",
        "^[a-zA-Z]{2}(-[a-zA-Z]{2})?$",
    );
    let schema: Value = serde_json::from_str(&schema).expect("the schema is JSON");
    let validator = jsonschema::draft7::new(&schema).expect("the schema is one");
    let faults: Vec<_> = validator
        .iter_errors(&log)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!(faults, Vec::<String>::new());
    (ran.exit, log)
}

#[test]
fn every_finding_is_a_result_at_its_place() {
    let env = env();
    let (exit, log) = log(&env, &["check", "a b", "../far"]);
    assert_eq!(exit, Exit::Problems);
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["runs"].as_array().map(Vec::len), Some(1));
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let far = env.here().with_file_name("far");
    assert_eq!(
        run["results"],
        json!([
            {
                "ruleId": "unclosed-front-matter",
                "ruleIndex": index(&log, "unclosed-front-matter"),
                "level": "error",
                "message": { "text": "frontmatter is not properly closed: no closing `---` line\n\nhelp: put a line `---` between the fields and the body" },
                "locations": [{ "physicalLocation": {
                    "artifactLocation": { "uri": "a%20b/broken/SKILL.md", "uriBaseId": "%SRCROOT%" },
                    "region": { "startLine": 1, "startColumn": 1 },
                } }],
                "properties": { "source": "a b" },
            },
            {
                "ruleId": "invalid-description",
                "ruleIndex": index(&log, "invalid-description"),
                "level": "error",
                "message": { "text": "invalid YAML in `description`: an unquoted value cannot contain a colon followed by a space; it was read as plain text\n\nhelp: quote this value: `description: \"Über: alles.\"`" },
                "locations": [{ "physicalLocation": {
                    "artifactLocation": { "uri": "a%20b/gr%C3%B6%C3%9Fe/SKILL.md", "uriBaseId": "%SRCROOT%" },
                    "region": { "startLine": 3, "startColumn": 18 },
                } }],
                "properties": { "source": "a b" },
            },
            {
                "ruleId": "shadowed",
                "ruleIndex": index(&log, "shadowed"),
                "level": "warning",
                "message": { "text": "skill `review` is hidden by the one from user source `a b`\n\nhelp: ask for it as `far:review`, rename it, or prefer its source" },
                "locations": [{ "physicalLocation": {
                    "artifactLocation": { "uri": format!("file://{}/review/SKILL.md", far.display()) },
                } }],
                "relatedLocations": [{ "physicalLocation": {
                    "artifactLocation": { "uri": "a%20b/review/SKILL.md", "uriBaseId": "%SRCROOT%" },
                } }],
                "properties": { "source": "far" },
            },
        ])
    );
}

fn index(log: &Value, rule: &str) -> Option<usize> {
    log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()?
        .iter()
        .position(|one| one["id"] == rule)
}

#[test]
fn every_code_is_a_sarif_rule() {
    let (exit, log) = log(&TestEnv::new(), &["check"]);
    assert_eq!(exit, Exit::Success);
    assert_eq!(log["runs"][0]["results"], json!([]));
    let driver = &log["runs"][0]["tool"]["driver"];
    assert_eq!(
        (&driver["name"], &driver["semanticVersion"]),
        (&"repertoire".into(), &env!("CARGO_PKG_VERSION").into())
    );
    let rules = driver["rules"].as_array().expect("a list");
    let codes: Vec<_> = repertoire::skill::Code::ALL
        .iter()
        .map(|code| Value::from(code.name()))
        .collect();
    assert_eq!(
        rules
            .iter()
            .map(|rule| rule["id"].clone())
            .collect::<Vec<_>>(),
        codes
    );
    assert_eq!(
        rules[0],
        json!({
            "id": "duplicate-id",
            "shortDescription": { "text": "One source defines an id twice; the first stays." },
            "help": { "text": "One source defines an id twice; the first stays. Severity: warning; with `--strict`, error." },
            "defaultConfiguration": { "level": "warning" },
        })
    );
}

#[test]
fn sarif_results_reflect_strict_severities() {
    let (exit, log) = log(&env(), &["check", "a b/größe", "--strict"]);
    assert_eq!(exit, Exit::Problems);
    let results = log["runs"][0]["results"].as_array().expect("a list").iter();
    let reported: Vec<_> = results
        .map(|result| (result["ruleId"].clone(), result["level"].clone()))
        .collect();
    assert_eq!(reported, [("invalid-description".into(), "error".into())]);
}

#[test]
fn only_checks_print_sarif() {
    let env = TestEnv::new();
    assert_data_eq!(
        env.run(&["new", "tidy-up", "--format", "sarif"]).failure(),
        str![[r#"
error: `--format sarif` works only with `check` and `eval`
 |
 = help: use `--format json`

"#]]
    );
    assert!(!env.here().join(".agents").exists());
}
