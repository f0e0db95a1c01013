use super::*;

fn matches(glob: &str, path: &str) -> bool {
    let globs = PathGlobs::new(vec![glob.to_owned()]);
    assert_eq!(globs.fault(0), None, "{glob}");
    globs.matches(path) == [0]
}

#[test]
fn paths_match_as_in_ignore_files() {
    for (glob, path, expected) in [
        ("src/api/**/*.ts", "src/api/x.ts", true),
        ("src/api/**/*.ts", "src/api/v1/deep/x.ts", true),
        ("src/api/**/*.ts", "src/x.ts", false),
        ("*.ts", "x.ts", true),
        ("*.ts", "a/b/x.ts", true),
        ("*.ts", "a/x.tsx", false),
        ("src/*/x.ts", "src/a/x.ts", true),
        ("src/*/x.ts", "src/a/b/x.ts", false),
        ("src/**", "src/a", true),
        ("src/**", "src/a/b", true),
        ("src/**", "a/b/x.ts", false),
        ("src/**", "lib/src/a", false),
        ("a?.ts", "ab.ts", true),
        ("a?.ts", "a.ts", false),
        ("a?b", "a/b", false),
        ("a.b+(1)", "a.b+(1)", true),
        ("a.b", "axb", false),
        ("app/[slug]/page.tsx", "app/[slug]/page.tsx", true),
        ("app/[slug]/page.tsx", "app/s/page.tsx", false),
        ("SRC/*", "src/a", false),
        ("src/*", "src/.env", true),
        ("*.{ts,tsx}", "a/x.tsx", true),
        ("/Makefile", "Makefile", true),
        ("./Makefile", "sub/Makefile", false),
        ("docs/", "docs/a/b.md", true),
        ("docs/", "site/docs/b.md", true),
        ("/docs/", "site/docs/b.md", false),
    ] {
        assert_eq!(matches(glob, path), expected, "{glob} on {path}");
    }
}

#[test]
fn a_star_in_a_tool_glob_matches_slashes() {
    let globs = ToolGlobs::new(vec!["Bash".into(), "mcp__github__*".into(), "n8n/*".into()]);
    for (tool, expected) in [
        ("mcp__github__create_issue", &[1][..]),
        ("mcp__github__a/b", &[1]),
        ("mcp__gitlab__x", &[]),
        ("my_mcp__github__x", &[]),
        ("n8n/a/b", &[2]),
        ("Bash", &[0]),
        ("bash", &[]),
    ] {
        assert_eq!(globs.matches(tool), expected, "{tool}");
    }
}

#[test]
fn an_invalid_glob_reports_why_and_is_skipped() {
    let globs = PathGlobs::new(vec!["!src/**".into(), "*.rs".into(), "{a".into()]);
    let faults: Vec<Option<&str>> = (0..3).map(|number| globs.fault(number)).collect();
    assert_eq!(
        faults[..2],
        [
            Some("a glob that takes away has nothing to take from"),
            None
        ]
    );
    assert!(
        faults[2].is_some_and(|fault| fault.contains("unclosed alternate group")),
        "{faults:?}"
    );
    assert_eq!(globs.matches("x.rs"), [1]);
}
