use serde_json::{Value, json};

use super::parse;
use crate::DirectiveAction;

/// The path and the arguments, and what is left.
fn parsed(text: &str) -> Result<(String, Value, &str), &'static str> {
    let (action, length) = parse(text)?;
    let DirectiveAction::Script { path, arguments } = action else {
        panic!("a script was read")
    };
    Ok((path.to_string(), Value::Object(arguments), &text[length..]))
}

#[test]
fn scripts_are_read_with_typed_values() {
    for (text, path, arguments) in [
        ("!{script: scripts/test.mjs}", "scripts/test.mjs", json!({})),
        ("!{script:a.sh}", "a.sh", json!({})),
        (
            "!{script: a.py, limit: 5, deep: true, none: null, name: x y }",
            "a.py",
            json!({"limit": 5, "deep": true, "none": null, "name": "x y"}),
        ),
        (
            "!{script: a.py, limit: \"5\", list: \"1,2,3\", end: '}'}",
            "a.py",
            json!({"limit": "5", "list": "1,2,3", "end": "}"}),
        ),
        (
            "!{script: a.py, url: http://x/y}",
            "a.py",
            json!({"url": "http://x/y"}),
        ),
        (
            "!{script: a.py, version: 1.50, code: 007}",
            "a.py",
            json!({"version": "1.50", "code": "007"}),
        ),
        (
            "!{script: \"with, comma.sh\", q: \"a \\\" b \\\\ c \\n\"}",
            "with, comma.sh",
            json!({"q": "a \" b \\ c \\n"}),
        ),
        ("!{script: ..foo/x.sh}", "..foo/x.sh", json!({})),
    ] {
        assert_eq!(parsed(text), Ok((path.to_owned(), arguments, "")), "{text}");
    }
    assert_eq!(
        parsed("!{script: a.sh} after").map(|(_, _, rest)| rest),
        Ok(" after")
    );
}

#[test]
fn invalid_scripts_report_why() {
    for (text, why) in [
        ("!{script: ../x.mjs}", "the path leads out of the skill"),
        ("!{script: /etc/passwd}", "the path leads out of the skill"),
        ("!{script: }", "a value is missing"),
        ("!{script: a.sh", "it is not closed on its line"),
        ("!{script: a.sh,\n k: v}", "expected `key: value`"),
        ("!{script: a.sh, v}", "expected `key: value`"),
        ("!{script: a.sh, k: v, k: w}", "a key is written twice"),
        (
            "!{script: a.sh, k: \"v}",
            "a quote is not closed on its line",
        ),
        ("!{script: \"a.sh\" k: v}", "expected `,` or `}`"),
    ] {
        assert_eq!(parsed(text), Err(why), "{text}");
    }
    let long = format!("!{{script: a.sh, k: {}}}", "v".repeat(5000));
    assert_eq!(parsed(&long), Err("it is not closed on its line"));
}
