//! `docs/schema/configuration.json` says what the command line reads: what one refuses, the other does too.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::config::GOOD;
use crate::test_env::{TestEnv, checkout};

fn schema() -> Value {
    let text = std::fs::read_to_string(checkout("docs/schema/configuration.json"))
        .expect("the schema is there");
    serde_json::from_str(&text).expect("the schema is JSON")
}

/// Returns whether a configuration file with this text is valid under the schema.
fn fits(text: &str) -> bool {
    let document: Value = toml_edit::de::from_str(text).expect("it is TOML");
    jsonschema::draft202012::new(&schema())
        .expect("the schema is one")
        .is_valid(&document)
}

/// The names that the command line offers in place of `zz`.
fn offered(text: &str) -> BTreeSet<String> {
    let env = TestEnv::new();
    env.file("repertoire.toml", text);
    let said = env
        .run(&["list", "--connect", "--config", "repertoire.toml"])
        .failure();
    let message = said.lines().next().expect("a failure has a message");
    let (_, names) = message
        .split_once("expected")
        .unwrap_or_else(|| panic!("nothing is offered: {said}"));
    names
        .split('`')
        .skip(1)
        .step_by(2)
        .map(|name| name.trim_matches(['[', ']']).to_owned())
        .collect()
}

/// The keys of the schema at `pointer`, or its values if it lists some.
fn known(pointer: &str) -> BTreeSet<String> {
    let schema = schema();
    match schema
        .pointer(pointer)
        .unwrap_or_else(|| panic!("the schema has no `{pointer}`"))
    {
        Value::Object(properties) => properties.keys().cloned().collect(),
        Value::Array(values) => values.iter().flat_map(names).collect(),
        other => panic!("{other} lists nothing"),
    }
}

/// Returns the names of one value or several: a text, a schema of one text, or the only keys of an object's schema.
fn names(value: &Value) -> Vec<String> {
    match (value, &value["const"], &value["properties"]) {
        (Value::String(text), ..) | (_, Value::String(text), _) => vec![text.clone()],
        (.., Value::Object(properties)) => properties.keys().cloned().collect(),
        _ => panic!("{value} names nothing"),
    }
}

const SOURCE: &str = "[[source]]\nkind = \"fs\"\nname = \"a\"\n";
const RULE: &str = "[[surface.rules]]\nid = \"a\"\nmode = \"both\"\n";

#[test]
fn the_schema_knows_keys_and_values() {
    let check = |pointer: &str, text: &str| {
        assert_eq!(offered(text), known(pointer), "{pointer}");
        assert!(!fits(text), "{text}");
    };
    check("/properties", "zz = 1");
    check(
        "/$defs/FsLimits/properties",
        &format!("{SOURCE}limits = {{ zz = 1 }}"),
    );
    check("/$defs/Tier/oneOf", &format!("{SOURCE}tier = \"zz\""));
    check("/$defs/Trust/oneOf", &format!("{SOURCE}trust = \"zz\""));
    check("/$defs/Surface/properties", "[surface]\nzz = 1");
    check(
        "/$defs/Surface/properties/mode/enum",
        "[surface]\nmode = \"zz\"",
    );
    check("/$defs/Rules/properties", "[rules]\nzz = 1");
    check("/$defs/Rule/properties", &format!("{RULE}zz = 1"));
    check(
        "/$defs/ModelPattern/oneOf",
        &format!("{RULE}model = \"zz\""),
    );
    check(
        "/$defs/SurfaceMode/oneOf",
        "[[surface.rules]]\nid = \"a\"\nmode = \"zz\"",
    );
}

#[test]
fn the_schema_knows_options_of_linked_kinds() {
    let kinds: Value = serde_json::from_str(&TestEnv::new().run(&["kinds", "--json"]).data())
        .expect("one JSON document");
    let common = known("/$defs/linked/properties");
    for kind in kinds["kinds"].as_array().expect("a list") {
        let kind = kind["name"].as_str().expect("a name");
        let mut options = offered(&format!(
            "[[source]]\nkind = \"{kind}\"\nname = \"a\"\nzz = 1"
        ));
        options.extend(common.clone());
        assert_eq!(
            options,
            known(&format!("/$defs/{kind}/properties")),
            "{kind}"
        );
    }
}

#[test]
fn the_schema_agrees_with_the_parser() {
    assert!(fits(GOOD));
    let page = std::fs::read_to_string(checkout("docs/cli.md")).expect("the page is there");
    let examples: Vec<_> = page
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(examples.len() > 1, "the page has examples");
    examples
        .iter()
        .for_each(|example| assert!(fits(example), "{example}"));
    assert!(
        fits("[[source]]\nkind = \"haiku\"\nname = \"a\"\nseasons = [\"spring\"]"),
        "options of other kinds are theirs"
    );
    for text in [
        "[[source]]\nkind = \"fs\"",
        "[[source]]\nname = \"a\"",
        "[[source]]\nkind = \"fs\"\nname = \"a:b\"",
        "[[source]]\nkind = \"fs\"\nname = \" \"",
        "[[source]]\nkind = \"fs\"\nname = \"a\"\nnamespaced = \"yes\"",
        "[[source]]\nkind = \"fs\"\nname = \"a\"\nroots = []",
        "[[source]]\nkind = \"fs\"\nname = \"a\"\nroots = [1]",
        "[[source]]\nkind = \"fs\"\nname = \"a\"\npatterns = [\"*.md\"]",
        "[[source]]\nkind = \"plugin\"\nname = \"a\"",
        "[[source]]\nkind = \"plugin\"\nname = \"a\"\npath = \"b\"\ntier = \"builtin\"",
        "[[source]]\nkind = \"plugin\"\nname = \"a\"\npath = \"b\"\ndigest = \"sha256:0\"",
        "[[source]]\nkind = \"process\"\nname = \"a\"\npath = \"b\"\nmemory-mib = \"1\"",
        "[[surface.rules]]\nid = \"a\"",
        "[[surface.rules]]\nid = \"a\"\nmode = \"both\"\nmodel = { prefix = 1 }",
        "source = 1",
        "surface = \"both\"",
        "[prefer]\na = 1",
    ] {
        assert!(!fits(text), "{text}");
        let env = TestEnv::new();
        env.file("repertoire.toml", text);
        env.run(&["list", "--connect", "--config", "repertoire.toml"])
            .failure();
    }
}

#[test]
fn spellings_of_clients_fit_too() {
    let text = "[gateway]\nwatchRegistries = false\ndrainMs = 1\n\n[registries]\nmcpFiles = []\n\n[registries.mcpServers.docs]\ntype = \"streamable-http\"\nurl = \"https://docs.example/mcp\"\n\n[registries.mcpServers.time]\ntype = \"stdio\"\ncommand = \"time\"\ncwd = \"/\"\n";
    assert!(fits(text));
    let env = TestEnv::new();
    env.file("repertoire.toml", text);
    let read = env.run(&["list", "--config", "repertoire.toml"]);
    assert_eq!(read.exit, repertoire_cli::Exit::Success, "{}", read.stderr);
}
