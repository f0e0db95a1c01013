//! A broken rule is a compile error that names the rule.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use super::external::Package;

/// Returns the messages of the compiler about each program, as text.
fn messages(package: &Package) -> BTreeMap<String, String> {
    let mut cargo = package.cargo();
    cargo.args(["--keep-going", "--message-format", "json"]);
    let output = cargo.output().expect("cargo runs");
    assert!(!output.status.success());
    let text = String::from_utf8(output.stdout).expect("cargo prints UTF-8");
    let mut messages = BTreeMap::<String, String>::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("cargo prints JSON");
        let message = &line["message"];
        // The one without a place counts the others.
        let is_placed = message["spans"].as_array().is_some_and(|at| !at.is_empty());
        let kind = &line["target"]["kind"][0];
        if let (true, "bin", Some(rendered)) = (
            is_placed,
            kind.as_str().unwrap_or_default(),
            message["rendered"].as_str(),
        ) {
            let program = line["target"]["name"].as_str().expect("a bin has a name");
            let of_program = messages.entry(program.to_owned()).or_default();
            of_program.push_str(rendered);
        }
    }
    messages
}

#[test]
fn broken_rules_do_not_compile() {
    let package = Package::of_checkout("refused");
    let messages = messages(&package);
    let folder = package.folder.join("src/bin");
    let mut programs = Vec::new();
    for entry in fs::read_dir(&folder).expect("there are programs") {
        let path = entry.expect("folders can be read").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.file_stem().and_then(|stem| stem.to_str());
            programs.push(name.expect("plain names").to_owned());
        }
    }
    programs.sort();
    assert_eq!(programs, messages.keys().cloned().collect::<Vec<_>>());
    let assert = snapbox::Assert::new().action_env(snapbox::assert::DEFAULT_ACTION_ENV);
    for (program, text) in messages {
        let expected = folder.join(program).with_extension("stderr");
        // In these texts a backslash is not a part of a path.
        let expected = snapbox::Data::read_from(&expected, None).raw();
        assert.eq(format!("{}\n", text.trim_end()), expected);
    }
}
