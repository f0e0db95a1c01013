use std::fs;

use super::*;

#[test]
fn folders_are_called_as_the_tool_calls_them() {
    for (name, folder) in [
        ("../etc/passwd", "etc-passwd"),
        ("Convex Best Practices", "convex-best-practices"),
        ("vercel/next.js", "vercel-next.js"),
        ("skill日本語", "skill"),
        ("@#$%", "unnamed-skill"),
        ("a - b_c", "a-b_c"),
    ] {
        assert_eq!(folder_name(name), folder);
    }
    assert_eq!(folder_name(&"x".repeat(300)).len(), 255);
}

fn of_user(home: &Path, state: Option<&Path>) -> (SkillLock, Option<String>) {
    let agents = Agents::of(&crate::Environment::new(home));
    SkillLock::of_user(Some(home), state, &agents)
}

/// Returns the source that this lock file, in a home folder, names for the skill in a folder of the home.
fn source(lock: &str, folder: &str) -> (Option<String>, Option<String>) {
    let home = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir_all(home.path().join(".agents/skills")).expect("the folder can be made");
    fs::write(home.path().join(".agents/.skill-lock.json"), lock).expect("the file can be written");
    let (lock, unknown) = of_user(home.path(), None);
    let row = lock.row(&home.path().join(folder).join("SKILL.md"));
    let unknown = unknown.map(|text| text.replace(&*home.path().to_string_lossy(), "~"));
    (row.map(|row| row.source.clone()), unknown)
}

const LOCK: &str = r#"{ "version": 3, "skills": { "Tidy Up": { "source": "a/b", "sourceType": "github", "new": [] } }, "dismissed": {} }"#;

#[test]
fn rows_belong_to_skills_of_the_user() {
    for (folder, found) in [
        (".agents/skills/tidy-up", true),
        (".claude/skills/tidy-up", true),
        (".agents/skills/Tidy Up", true),
        (".agents/skills/tidy", false),
        ("work/.agents/skills/tidy-up", false),
        (".agents/skills/more/tidy-up", false),
    ] {
        assert_eq!(
            source(LOCK, folder),
            (found.then(|| "a/b".to_owned()), None),
            "{folder}"
        );
    }
}

#[test]
fn invalid_locks_report_unknown_origins() {
    for (lock, why) in [
        (
            r#"{ "version": 2, "skills": {} }"#,
            "`~/.agents/.skill-lock.json`: expected version 3, found 2",
        ),
        (
            "{}",
            "`~/.agents/.skill-lock.json`: expected version 3, found none",
        ),
        (
            r#"{ "version": 3 }"#,
            "`~/.agents/.skill-lock.json` is invalid: invalid type: null, expected a map",
        ),
        (
            "[",
            "`~/.agents/.skill-lock.json` is invalid: EOF while parsing a list",
        ),
    ] {
        let expected = format!("{why}; the origins of installed skills are unknown");
        assert_eq!(
            source(lock, ".agents/skills/tidy-up"),
            (None, Some(expected)),
            "{lock}"
        );
    }
}

#[test]
fn a_folder_for_state_has_the_lock() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let state = home.path().join("state");
    fs::create_dir_all(state.join("skills")).expect("the folder can be made");
    fs::write(state.join("skills/.skill-lock.json"), LOCK).expect("the file can be written");
    let location = home.path().join(".agents/skills/tidy-up/SKILL.md");
    let known = |state| of_user(home.path(), state).0.row(&location).is_some();
    assert_eq!((known(Some(state.as_path())), known(None)), (true, false));
}
