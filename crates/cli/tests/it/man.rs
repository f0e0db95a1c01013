//! `man` and `completions`.

use serde_json::Value;
use snapbox::{assert_data_eq, str};

use crate::test_env::TestEnv;

#[test]
fn every_command_has_a_man_page() {
    let env = TestEnv::new();
    let whole: Value =
        serde_json::from_str(&env.run(&["man", "--json"]).data()).expect("one JSON document");
    assert_eq!(whole["page"], "repertoire");
    let commands = whole["commands"].as_array().expect("a list");
    assert!(commands.contains(&"man".into()), "{commands:?}");
    for command in commands {
        let command = command.as_str().expect("a name");
        let page = env.run(&["man", command]).data();
        assert!(
            page.contains(&format!(".TH repertoire-{command} 1 ")),
            "{page}"
        );
        assert!(page.contains(".SH SYNOPSIS\n\\fBrepertoire "), "{page}");
    }
    assert_eq!(
        env.run(&["man", "validate"]),
        env.run(&["man", "check"]),
        "another name has the same page"
    );
}

#[test]
fn an_unknown_command_has_no_page() {
    let said = TestEnv::new().run(&["man", "lst"]).failure();
    assert_data_eq!(
        said,
        str![[r#"
error: unrecognized command `lst`
 |
 = help: expected one of status, list, show, why, search, match, eval, roots, observed, budget, diff, check, watch, catalog, tools, simulate, serve, gateway, workflow, mcp, body, render, directives, approve, approvals, files, add, remove, update, outdated, sync, installed, accept, store, cache, lock, verify, new, fmt, plugin, source, kinds, agents, completions, man

"#]]
    );
}
