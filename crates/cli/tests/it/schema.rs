//! The JSON format is what `docs/schema/repertoire-1.json` says.

use serde_json::Value;

use crate::world::{World, checkout};

#[test]
fn every_answer_is_what_the_schema_says() {
    let world = World::new();
    world.skill("a", "review", "Near.").skill("b", "review", "Far.").file("a/review/notes.md", "Notes.\n");
    world.skill("b", "copy", "Same.").skill("c", "copy", "Same.").file("b/broken/SKILL.md", "nothing\n");
    world.file("a/odd/SKILL.md", "---\nname: odd\ndescription: a: b\nallowed-tools: Read\nallowedWorkflows: x\n---\n");
    world.library("libhello.so");
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
        &["plugin", "list"],
        &["plugin", "inspect", "libhello.so"],
        &["plugin", "approve", "libhello.so"],
        &["plugin", "list"],
        &["plugin", "inspect", "libhello.so"],
        &["plugin", "revoke", "libhello.so"],
        &["plugin", "new", "acme"],
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

/// A schema of `docs/schema`.
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
        assert_eq!(faults(&self.0, &document), Vec::<String>::new());
    }

    fn commands(&self) -> Vec<&str> {
        let branches = self.0["oneOf"].as_array().expect("a branch to a command").iter();
        let mut names: Vec<_> = branches.filter_map(|one| one["properties"]["command"]["const"].as_str()).collect();
        names.dedup();
        names
    }

    /// What of `document` is not as the schema says. Of the branches, the one for its command is tried: its faults tell more than
    /// that none fits.
    fn faults(&self, document: &Value) -> Vec<String> {
        let branches = self.0["oneOf"].as_array().expect("a branch to a command").iter();
        let branches = branches.filter(|one| one["properties"]["command"]["const"] == document["command"]);
        let tried = branches.map(|branch| {
            let mut branch = branch.clone();
            branch["$defs"] = self.0["$defs"].clone();
            faults(&branch, document)
        });
        tried.min_by_key(Vec::len).unwrap_or_else(|| vec!["no branch for this command".to_owned()])
    }
}

fn faults(schema: &Value, document: &Value) -> Vec<String> {
    let validator = jsonschema::draft202012::new(schema).expect("the schema is one");
    validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect()
}
