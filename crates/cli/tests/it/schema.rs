//! The JSON format is what `docs/schema/repertoire-1.json` says.

use serde_json::Value;

use crate::world::{World, checkout};

#[test]
fn every_answer_is_what_the_schema_says() {
    let world = World::new();
    world.skill("a", "review", "Near.").skill("b", "review", "Far.").file("a/review/notes.md", "Notes.\n");
    world.skill("b", "copy", "Same.").skill("c", "copy", "Same.").file("b/broken/SKILL.md", "nothing\n");
    world.file("a/odd/SKILL.md", "---\nname: odd\ndescription: a: b\nallowed-tools: Read\nallowedWorkflows: x\n---\n");
    let schema = Schema::load();
    let mut seen = Vec::new();
    for arguments in [
        &["list", "a", "b", "c"][..],
        &["list", "a", "--model", "anthropic/claude-sonnet-4-5"],
        &["show", "review", "--root", "a"],
        &["show", "odd", "--root", "a"],
        &["show", "b:review", "--root", "a", "--root", "b"],
        &["which", "copy", "--root", "b", "--root", "c"],
        &["which", "review", "--root", "a", "--root", "b"],
        &["roots"],
        &["check", "a", "b", "c"],
        &["check", "a", "b", "c", "--strict"],
        &["catalog", "a", "b"],
        &["catalog", "a", "b", "--tokens", "30"],
        &["catalog", "a", "b", "--chars", "90"],
        &["catalog", "a", "b", "--window", "9000"],
        &["body", "review", "--root", "a"],
        &["files", "review", "--root", "a"],
        &["files", "review", "notes.md", "--root", "a"],
        &["lock", "a", "b"],
        &["verify", "a", "c"],
        &["new", "fresh", "--in", "d"],
        &["fmt", "a", "b", "d", "--check"],
        &["fmt", "a", "b", "d"],
        &["kinds"],
        &["completions", "bash"],
        &["man"],
        &["man", "list"],
    ] {
        let ran = world.run(&[arguments, &["--json"]].concat());
        assert_eq!(ran.stderr, "", "{arguments:?}");
        let document: Value = serde_json::from_str(&ran.stdout).expect("one JSON document");
        let faults = schema.faults(&document);
        assert!(faults.is_empty(), "{arguments:?}: {faults:#?}\n{document:#}");
        seen.push(document["command"].as_str().expect("checked above").to_owned());
    }
    seen.dedup();
    assert_eq!(seen, schema.commands(), "the schema knows the commands that there are");
}

#[test]
fn the_schema_refuses_what_it_does_not_say() {
    let schema = Schema::load();
    let answer = |extra: &str| {
        let text = format!(r#"{{"schema": "repertoire/1", "command": "kinds", {extra}}}"#);
        schema.faults(&serde_json::from_str(&text).expect("it is JSON"))
    };
    assert_eq!(answer(r#""kinds": []"#), Vec::<String>::new());
    assert_ne!(answer(r#""kinds": [], "more": 1"#), Vec::<String>::new());
    assert_ne!(answer(r#""kinds": [{"name": "fs"}]"#), Vec::<String>::new());
    assert_ne!(answer(r#""kinds": [{"name": "fs", "about": 1}]"#), Vec::<String>::new());
}

/// As much of JSON Schema as this one uses; any other word in it is an error.
pub(crate) struct Schema(Value);

impl Schema {
    fn load() -> Schema {
        Schema::of("repertoire-1")
    }

    pub(crate) fn of(name: &str) -> Schema {
        let path = checkout(&format!("docs/schema/{name}.json"));
        let text = std::fs::read_to_string(path).expect("the schema is there");
        Schema(serde_json::from_str(&text).expect("the schema is JSON"))
    }

    /// Checks a document that this schema describes as a whole.
    #[track_caller]
    pub(crate) fn assert_fits(&self, text: &str) {
        let document = serde_json::from_str(text).expect("it is JSON");
        assert_eq!(self.check(&self.0, &document, "$"), Vec::<String>::new());
    }

    fn commands(&self) -> Vec<&str> {
        let branches = self.0["oneOf"].as_array().expect("a branch to a command").iter();
        let mut names: Vec<_> = branches.filter_map(|one| one["properties"]["command"]["const"].as_str()).collect();
        names.dedup();
        names
    }

    /// What of `document` is not as the schema says. Of the branches, the one for its command is tried.
    fn faults(&self, document: &Value) -> Vec<String> {
        let branches = self.0["oneOf"].as_array().expect("a branch to a command").iter();
        let branches = branches.filter(|one| one["properties"]["command"]["const"] == document["command"]);
        let tried: Vec<_> = branches.map(|branch| self.check(branch, document, "$")).collect();
        let best = tried.into_iter().min_by_key(Vec::len);
        best.unwrap_or_else(|| vec!["no branch for this command".to_owned()])
    }

    fn check(&self, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        let mut faults = Vec::new();
        for (word, rule) in schema.as_object().expect("a schema is an object") {
            match word.as_str() {
                "$schema" | "$id" | "$defs" | "description" | "title" | "required" | "additionalProperties" => {}
                "$ref" => {
                    let name =
                        rule.as_str().and_then(|path| path.strip_prefix("#/$defs/")).expect("a reference within");
                    faults.extend(self.check(&self.0["$defs"][name], value, at));
                }
                "type" => {
                    let allowed: Vec<_> = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
                    if !allowed.iter().any(|name| is_of(name.as_str().expect("a type is a text"), value)) {
                        faults.push(format!("{at}: expected {rule}, found {value}"));
                    }
                }
                "const" if rule != value => faults.push(format!("{at}: expected {rule}, found {value}")),
                "const" => {}
                "enum" if !rule.as_array().expect("a list").contains(value) => {
                    faults.push(format!("{at}: expected one of {rule}, found {value}"));
                }
                "enum" => {}
                "minimum" => {
                    if value.as_i64() < rule.as_i64() && value.is_number() {
                        faults.push(format!("{at}: expected at least {rule}, found {value}"));
                    }
                }
                "minLength" => {
                    if value.as_str() == Some("") {
                        faults.push(format!("{at}: expected text"));
                    }
                }
                "pattern" => {
                    let prefix = match rule.as_str() {
                        Some("^sha256:[0-9a-f]{64}$") => "sha256:",
                        Some("^[0-9a-f]{64}$") => "",
                        other => panic!("the schema uses the pattern {other:?}, which this test does not know"),
                    };
                    let hex = value.as_str().and_then(|text| text.strip_prefix(prefix)).unwrap_or_default();
                    if hex.len() != 64 || !hex.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f')) {
                        faults.push(format!("{at}: expected a digest, found {value}"));
                    }
                }
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        faults.extend(self.check(rule, item, &format!("{at}[{index}]")));
                    }
                }
                "properties" => faults.extend(self.check_fields(schema, value, at)),
                "oneOf" => {
                    let branches = rule.as_array().expect("a list");
                    let fits = branches.iter().filter(|branch| self.check(branch, value, at).is_empty()).count();
                    if fits != 1 {
                        faults.push(format!("{at}: {fits} of {rule} fit {value}"));
                    }
                }
                other => panic!("the schema uses `{other}`, which this test does not know"),
            }
        }
        faults
    }

    fn check_fields(&self, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        let Some(fields) = value.as_object() else { return Vec::new() };
        let mut faults = Vec::new();
        for name in schema["required"].as_array().into_iter().flatten() {
            if !fields.contains_key(name.as_str().expect("a name is a text")) {
                faults.push(format!("{at}: {name} is missing"));
            }
        }
        for (name, field) in fields {
            match schema["properties"].get(name) {
                Some(rule) => faults.extend(self.check(rule, field, &format!("{at}.{name}"))),
                None if schema["additionalProperties"] == false => faults.push(format!("{at}.{name} is unknown")),
                None if schema["additionalProperties"].is_object() => {
                    faults.extend(self.check(&schema["additionalProperties"], field, &format!("{at}.{name}")));
                }
                None => {}
            }
        }
        faults
    }
}

fn is_of(name: &str, value: &Value) -> bool {
    match name {
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        other => panic!("the schema uses the type `{other}`, which this test does not know"),
    }
}
