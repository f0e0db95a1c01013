use proptest::prelude::*;

use super::*;

/// The folders among `folders` that `patterns` select, walked as the source walks: only where the cursor leads.
fn selected<'a>(patterns: &[&str], folders: &[&'a str]) -> Vec<&'a str> {
    let patterns = Patterns::new(patterns).expect("the patterns are good");
    let selects = |folder: &&&str| {
        patterns
            .cursor(Path::new(folder))
            .is_some_and(|cursor| patterns.selects(&cursor))
    };
    folders.iter().filter(selects).copied().collect()
}

fn starts(pattern: &str) -> Vec<String> {
    let patterns = Patterns::new(&[pattern]).expect("the pattern is good");
    patterns
        .starts()
        .into_iter()
        .map(|start| start.to_str().unwrap().to_owned())
        .collect()
}

fn fault(pattern: &str) -> (String, Option<String>) {
    let (_, bad) = Patterns::new(&[pattern]).expect_err("the pattern is bad");
    (bad.message, bad.help)
}

#[test]
fn only_two_stars_match_several_folders() {
    let folders = ["", "a", "b", "ab", "a/b", "a/x/b", "c/d/e"];
    let check = |pattern: &str, expected: &[&str]| {
        assert_eq!(selected(&[pattern], &folders), expected, "{pattern}")
    };
    check("SKILL.md", &[""]);
    check("./SKILL.md", &[""]);
    check("*/SKILL.md", &["a", "b", "ab"]);
    check("**/SKILL.md", &folders);
    check("a/**/SKILL.md", &["a", "a/b", "a/x/b"]);
    check("a/**/b/SKILL.md", &["a/b", "a/x/b"]);
    check("**/b/SKILL.md", &["b", "a/b", "a/x/b"]);
    check("**/**/b/**/SKILL.md", &["b", "a/b", "a/x/b"]);
    check("?/SKILL.md", &["a", "b"]);
    check("[ab]/SKILL.md", &["a", "b"]);
    check("[!a]/SKILL.md", &["b"]);
    check("a*/SKILL.md", &["a", "ab"]);
    check("{a,c/d}/{b,e}/SKILL.md", &["a/b", "c/d/e"]);
    check("{a{,/x},c}/*/SKILL.md", &["a/b", "a/x/b"]);
    check("a/{b/SKILL.md,x/*/SKILL.md}", &["a/b", "a/x/b"]);
}

#[test]
fn backslashes_and_classes_escape_wildcards() {
    let folders = ["*", "a", "{a,b}", "[", "a]"];
    assert_eq!(selected(&[r"\*/SKILL.md"], &folders), ["*"]);
    assert_eq!(selected(&[r"\{a,b\}/SKILL.md"], &folders), ["{a,b}"]);
    assert_eq!(selected(&["[[]/SKILL.md"], &folders), ["["]);
    assert_eq!(selected(&["[{]a,b[}]/SKILL.md"], &folders), ["{a,b}"]);
    assert_eq!(selected(&["a[]]/SKILL.md"], &folders), ["a]"]);
}

#[test]
fn a_search_starts_before_the_first_wildcard() {
    assert_eq!(starts("**/SKILL.md"), [""]);
    assert_eq!(starts("skills/**/SKILL.md"), ["skills"]);
    assert_eq!(starts("skills/a*/SKILL.md"), ["skills"]);
    assert_eq!(starts("skills/?/SKILL.md"), ["skills"]);
    assert_eq!(starts("skills/[ab]/SKILL.md"), ["skills"]);
    assert_eq!(starts("skills/{a,b}/SKILL.md"), ["skills/a", "skills/b"]);
    assert_eq!(starts("{x,y/z}/*/SKILL.md"), ["x", "y/z"]);
    assert_eq!(starts(".claude/skills/**/SKILL.md"), [".claude/skills"]);
    assert_eq!(starts(r"a\*b/*/SKILL.md"), ["a*b"]);
    assert_eq!(starts("{a,a}/SKILL.md"), ["a"]);
}

#[test]
fn wildcards_skip_hidden_and_skipped_folders() {
    let folders = [
        ".x",
        "a/.x",
        "node_modules",
        "node_modules/a",
        "dist",
        "dist/a",
        "a",
    ];
    assert_eq!(selected(&["**/SKILL.md"], &folders), ["dist", "a"]);
    assert_eq!(selected(&["*/SKILL.md"], &folders), ["dist", "a"]);
    assert_eq!(selected(&["**/.x/SKILL.md"], &folders), [".x", "a/.x"]);
    assert_eq!(selected(&[".*/SKILL.md"], &folders), [".x"]);
    assert_eq!(
        selected(&["node_modules/**/SKILL.md"], &folders),
        ["node_modules", "node_modules/a"]
    );
    assert_eq!(
        selected(&["dist/**/SKILL.md"], &folders),
        ["dist", "dist/a"]
    );
}

#[test]
fn negative_patterns_apply_at_any_position() {
    let folders = ["a", "b", "b/c", "b/.c"];
    assert_eq!(
        selected(&["!b/**/SKILL.md", "**/SKILL.md"], &folders),
        ["a"]
    );
    assert_eq!(
        selected(&["**/SKILL.md", "!b/SKILL.md"], &folders),
        ["a", "b/c"]
    );
    assert_eq!(
        selected(&["**/{c,.c}/SKILL.md", "!**/SKILL.md"], &folders),
        [""; 0]
    );
}

#[test]
fn folders_that_no_pattern_reaches_are_not_entered() {
    let patterns =
        Patterns::new(&["skills/*/SKILL.md", "**/x/SKILL.md", "!big/**/SKILL.md"]).unwrap();
    let leads = |folder: &str| patterns.cursor(Path::new(folder)).is_some();
    assert!(leads("skills/a") && leads("other/deep"));
    assert!(!leads("big"), "all below is taken away");
    let patterns = Patterns::new(&["skills/*/SKILL.md"]).unwrap();
    let leads = |folder: &str| patterns.cursor(Path::new(folder)).is_some();
    assert!(leads("skills/a"));
    assert!(!leads("other") && !leads("skills/a/b"));
}

#[test]
fn invalid_patterns_are_reported_with_a_fix() {
    let check = |pattern: &str, message: &str, help: Option<&str>| {
        assert_eq!(
            fault(pattern),
            (message.to_owned(), help.map(str::to_owned)),
            "{pattern}"
        );
    };
    check(
        "skills/*",
        "`skills/*` does not end in `SKILL.md`",
        Some("write `skills/*/SKILL.md`"),
    );
    check(
        "skills/**/*.md",
        "`skills/**/*.md` does not end in `SKILL.md`",
        Some("write `skills/**/SKILL.md`"),
    );
    check(
        "skills/skill.md",
        "`skills/skill.md` does not end in `SKILL.md`",
        Some("write `skills/SKILL.md`"),
    );
    check(
        "!drafts/",
        "`drafts/` does not end in `SKILL.md`",
        Some("write `drafts/SKILL.md`"),
    );
    check(
        "",
        "`` does not end in `SKILL.md`",
        Some("write `SKILL.md`"),
    );
    check(
        "../a/SKILL.md",
        "`../a/SKILL.md` climbs out of its root",
        Some("name the folder above as a root"),
    );
    check(
        "/a/SKILL.md",
        "`/a/SKILL.md` is absolute; expected a pattern relative to a root",
        Some("name the folder as a root"),
    );
    check("{a/SKILL.md", "`{a/SKILL.md` has a `{` without `}`", None);
    check("a}/SKILL.md", "`a}/SKILL.md` has a `}` without `{`", None);
    check(
        &format!("{}/SKILL.md", "{a,b}".repeat(12)),
        &format!(
            "`{}/SKILL.md` stands for more than 1000 patterns",
            "{a,b}".repeat(12)
        ),
        None,
    );
    assert!(fault("[a/SKILL.md").0.contains("character class"));
}

proptest! {
    /// Folder by folder, the chains match what globset matches in the whole path, without hidden and skipped names.
    #[test]
    fn chains_agree_with_globset(
        parts in prop::collection::vec(prop::sample::select(vec!["a", "b", "*", "?", "**", "a*", "{a,b/a}", "[ab]"]), 0..4),
        folder in prop::collection::vec(prop::sample::select(vec!["a", "b", "ab", "c"]), 0..5),
    ) {
        let pattern = parts.iter().map(|part| format!("{part}/")).collect::<String>() + FILE_NAME;
        let folder = folder.join("/");
        let path = if folder.is_empty() { FILE_NAME.to_owned() } else { format!("{folder}/{FILE_NAME}") };
        let oracle = GlobBuilder::new(&pattern).literal_separator(true).build().unwrap().compile_matcher();
        let ours = !selected(&[&pattern], &[&folder]).is_empty();
        prop_assert_eq!(ours, oracle.is_match(&path), "{} on {}", pattern, path);
    }

    #[test]
    fn no_pattern_panics(pattern in "[a*?!{},/\\[\\]\\\\.]{0,12}(/SKILL\\.md)?", folder in "[a./{]{0,8}") {
        if let Ok(patterns) = Patterns::new(&[&pattern]) {
            let _ = patterns.cursor(Path::new(&folder)).map(|cursor| patterns.selects(&cursor));
        }
    }
}
