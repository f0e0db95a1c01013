//! The options in configuration files.

use std::path::Path;
use std::time::Duration;

use repertoire_source_fs::{FsLimits, FsOptions, FsSource, WatchBy, WatchOptions};

use crate::tree::Tree;

fn parse(json: &str) -> Result<FsOptions, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

fn refused(json: &str) -> (Option<String>, String) {
    let error =
        FsSource::from_options("test", Path::new("/base"), parse(json).unwrap()).unwrap_err();
    (error.key, error.message)
}

#[test]
fn default_options_find_skills_below_the_base() {
    let options = parse("{}").unwrap();
    assert_eq!(options, FsOptions::default());
    assert_eq!(options.patterns, ["**/SKILL.md"]);
    assert_eq!(
        parse(r#"{ "limits": {} }"#).unwrap().limits,
        FsLimits::default()
    );
}

#[test]
fn an_unknown_key_is_a_named_error() {
    assert!(
        parse(r#"{ "pattern": [] }"#)
            .unwrap_err()
            .contains("`pattern`")
    );
    assert!(
        parse(r#"{ "limits": { "file_bytes": 1 } }"#)
            .unwrap_err()
            .contains("`file_bytes`")
    );
}

#[test]
fn an_error_names_the_key_and_the_fix() {
    let check = |json: &str, key: &str, message: &str| {
        assert_eq!(
            refused(json),
            (Some(key.to_owned()), message.to_owned()),
            "{json}"
        );
    };
    check(
        r#"{ "patterns": ["**/SKILL.md", "skills/*"] }"#,
        "patterns[1]",
        "`skills/*` does not end in `SKILL.md`; write `skills/*/SKILL.md`",
    );
    check(
        r#"{ "patterns": [] }"#,
        "patterns",
        "no pattern selects anything; add one without `!`: `**/SKILL.md`",
    );
    check(
        r#"{ "roots": [] }"#,
        "roots",
        "no root is given; name at least one folder, or leave the key out",
    );
    check(
        r#"{ "roots": ["a", "~/skills"] }"#,
        "roots[1]",
        "the home folder is not known here; give an absolute path; for a folder that is called `~`, write `./~`",
    );
}

#[tokio::test]
async fn roots_report_existence_and_skill_count() {
    let tree = Tree::of(&["a/x/one", "a/y/two", "a/y/three"]);
    let source = tree.with(r#"{ "roots": ["a", "b"], "patterns": ["{x,y}/*/SKILL.md"] }"#);
    let roots = source.roots().await.unwrap();
    let rows: Vec<_> = roots
        .iter()
        .map(|root| (root.path.clone(), root.exists, root.skills))
        .collect();
    let expected = [
        ("a/x", true, 1),
        ("a/y", true, 2),
        ("b/x", false, 0),
        ("b/y", false, 0),
    ];
    assert_eq!(
        rows,
        expected.map(|(path, exists, skills)| (tree.path(path), exists, skills))
    );
}

#[test]
fn options_configure_the_watcher() {
    let json = r#"{ "by": "polling", "poll-ms": 500, "debounce-ms": 0 }"#;
    let options: WatchOptions = serde_json::from_str(json).unwrap();
    let mut expected = WatchOptions::default();
    (expected.by, expected.poll, expected.debounce) =
        (WatchBy::Polling, Duration::from_millis(500), Duration::ZERO);
    assert_eq!(options, expected);
    assert!(parse(&format!(r#"{{ "watch": {json} }}"#)).is_ok());
    assert!(parse(r#"{ "watch": { "poll-ms": -1 } }"#).is_err());
}
