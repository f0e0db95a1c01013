use proptest::prelude::*;

use super::*;

fn pattern(text: &str) -> ToolPattern {
    text.parse().unwrap()
}

#[test]
fn patterns_cover_only_certain_matches() {
    for (text, tool, argument, covers) in [
        ("Read", "Read", "any/file", true),
        ("Read", "ReadAll", "", false),
        ("read", "Read", "", false),
        ("mcp__github__*", "mcp__github__get", "", true),
        ("mcp__github__*", "mcp__gitlab__get", "", false),
        ("Bash(*)", "Bash", "rm -rf /", true),
        ("Bash(git status)", "Bash", "git  status", true),
        ("Bash(git status)", "Bash", "git status -s", false),
        ("Bash(git:*)", "Bash", "git", true),
        ("Bash(git:*)", "Bash", "git log --oneline", true),
        ("Bash(git:*)", "Bash", "gitk", false),
        ("Bash(git *)", "Bash", "git log", true),
        ("Bash(git log *)", "Bash", "git push", false),
        ("Bash(git:*)", "Bash", "git log; rm -rf .", false),
        ("Bash(git:*)", "Bash", "git log && rm -rf .", false),
        ("Bash(git:*)", "Bash", "git log | sh", false),
        ("Bash(git:*)", "Bash", "git log > ~/.profile", false),
        ("Bash(git:*)", "Bash", "git log $(rm -rf .)", false),
        ("Bash(git:*)", "Bash", "git log `rm -rf .`", false),
        ("Bash(git:*)", "Bash", "git log\nrm -rf .", false),
        ("Bash(git:*)", "Bash", "PAGER=sh git log", false),
        ("Bash(git:*)", "Read", "git", false),
        ("Read(docs/*.md)", "Read", "docs/a/b.md", true),
        ("Read(docs/*.md)", "Read", "docs/b.txt", false),
        ("Read(docs/*.md)", "Read", "docs/../../secret.md", false),
        ("Bash(git diff:*)", "Bash", "git diff a..b", true),
    ] {
        assert_eq!(
            pattern(text).covers(tool, argument),
            covers,
            "{text} on {tool}({argument})"
        );
    }
}

#[test]
fn patterns_touch_more_than_they_cover() {
    for (text, argument, touches) in [
        ("Bash(git push *)", "git push", true),
        ("Bash(git push *)", "git push --force", true),
        ("Bash(git push *)", "cd x && git push --force", true),
        ("Bash(git push *)", "echo $(git push)", true),
        ("Bash(git push *)", "A=1 B=2 git push", true),
        ("Bash(git push *)", "true\ngit push", true),
        ("Bash(git push *)", "git pull", false),
        ("Bash", "whatever", true),
    ] {
        assert_eq!(
            pattern(text).touches("Bash", argument),
            touches,
            "{text} on {argument}"
        );
    }
}

#[test]
fn ambiguous_patterns_are_refused() {
    for text in [
        "",
        "*",
        "mcp__*",
        "Ba*",
        "Bash(",
        "Bash()",
        "Bash( )",
        "Bash(git",
        "Bash(git))",
        "Bash git",
        "Bash(:*)",
        "Bash(* --version)",
        "Bash(**)",
        "Bash(git:* log)",
        "Bash(git; rm:*)",
        "Bash(${HOME}/x:*)",
        "Bash(git {a,b})",
        "Read(src/[ab].rs)",
        "Read(src/?.rs)",
        "\"Read\"",
        "Bash(a\nb *)",
    ] {
        let error = text.parse::<ToolPattern>().unwrap_err().to_string();
        assert!(
            error.starts_with("cannot read the tool pattern `"),
            "{text}: {error}"
        );
    }
}

#[test]
fn a_server_without_a_tool_is_not_read() {
    for text in ["mcp__gh", "mcp__gh__", "mcp__gh_x", "mcp__"] {
        assert!(text.parse::<ToolPattern>().is_err(), "{text}");
    }
    for text in ["mcp__gh__get", "mcp__gh__*", "mcpx"] {
        assert!(text.parse::<ToolPattern>().is_ok(), "{text}");
    }
}

#[test]
fn the_folder_of_the_skill_is_resolved() {
    let at = "/home/me/.agents/skills/go/SKILL.md";
    for (rule, location, resolved) in [
        (
            "Bash(${SKILL_DIR}/go.sh:*)",
            Some(at),
            Some("Bash(/home/me/.agents/skills/go/go.sh:*)"),
        ),
        (
            "Bash(${CLAUDE_SKILL_DIR}/x/*)",
            Some(at),
            Some("Bash(/home/me/.agents/skills/go/x/*)"),
        ),
        (
            "Bash(sh ${SKILL_DIR}/a ${SKILL_DIR}/b)",
            Some("C:/s/SKILL.md"),
            Some("Bash(sh C:/s/a C:/s/b)"),
        ),
        ("Read", None, Some("Read")),
        // Nothing else is, and no folder that a pattern cannot have.
        ("Bash(${PROJECT_DIR}/go.sh)", Some(at), None),
        ("Bash($SKILL_DIR/go.sh)", Some(at), None),
        ("Bash(${SKILL_DIR}/$ARGUMENTS)", Some(at), None),
        ("Bash(${SKILL_DIR}/go.sh)", None, None),
        ("Bash(${SKILL_DIR}/go.sh)", Some("skills/go/SKILL.md"), None),
        ("Bash(${SKILL_DIR}/go.sh)", Some("/SKILL.md"), None),
        (
            "Bash(${SKILL_DIR}/go.sh)",
            Some("/my skills/go/SKILL.md"),
            None,
        ),
        ("Bash(${SKILL_DIR}/go.sh)", Some("/a*b/SKILL.md"), None),
        ("Bash(${SKILL_DIR}/go.sh)", Some("/a;b/SKILL.md"), None),
        ("Bash(${SKILL_DIR}/go.sh)", Some("/a/../b/SKILL.md"), None),
        ("Bash(${SKILL_DIR}/go.sh)", Some("https://x/SKILL.md"), None),
    ] {
        let read = ToolPattern::in_skill(rule, location)
            .ok()
            .map(|pattern| pattern.to_string());
        assert_eq!(read.as_deref(), resolved, "{rule} at {location:?}");
    }
    let pattern = ToolPattern::in_skill("Bash(${SKILL_DIR}/go.sh:*)", Some(at)).unwrap();
    assert!(pattern.covers("Bash", "/home/me/.agents/skills/go/go.sh now"));
    assert!(!pattern.covers("Bash", "/home/me/.agents/skills/go/go.sh; rm x"));
    let error = ToolPattern::in_skill("Bash(${SKILL_DIR}/[a])", Some(at))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("`Bash(${SKILL_DIR}/[a])`"),
        "the rule as it is written: {error}"
    );
}

proptest! {
    /// A denial of the very pattern that a skill asks for always finds the call.
    #[test]
    fn every_covered_call_is_also_touched(
        said in "(git|A=1 git|x) ?(push|log)?( \\*|:\\*|\\*b)?",
        argument in "(git|A=1 git|x) {0,2}(push|log)?( |;|\n|&&|\\.\\.|/|b|\\$\\(git\\)){0,3}",
    ) {
        if let Ok(pattern) = format!("Bash({said})").parse::<ToolPattern>() {
            let (covers, touches) = (pattern.covers("Bash", &argument), pattern.touches("Bash", &argument));
            prop_assert!(!covers || touches, "{pattern} on {argument:?}");
        }
    }

    /// A wildcard grants nothing behind a sign that joins, redirects or substitutes.
    #[test]
    fn no_wildcard_covers_a_second_command(before in "[a-z ]{0,6}", sign in "[;&|<>`\n]|\\$\\(", after in "[a-z ]{0,6}") {
        let argument = format!("git {before}{sign}{after}");
        for said in ["Bash(git:*)", "Bash(git *)", "Bash(g*)", "Bash(git *x)"] {
            let covers = pattern(said).covers("Bash", &argument);
            // A sign at the very end that is white space is none.
            prop_assert!(!covers || argument.trim().len() < argument.len() && sign == "\n" && after.trim().is_empty(), "{said} on {argument:?}");
        }
    }
}
