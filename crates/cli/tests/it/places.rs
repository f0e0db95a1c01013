//! The folders that are searched, and the visibility of their skills for a model.

use repertoire_cli::Exit;
use snapbox::{assert_data_eq, str};

use crate::test_env::TestEnv;

/// A repository with skills at two levels, and a home.
fn repository() -> TestEnv {
    let env = TestEnv::new();
    env.file("repo/.git/HEAD", "ref: refs/heads/main\n");
    env.skill("repo/.agents/skills", "rootwide", "At the top.")
        .skill("repo/.agents/skills", "both", "Top copy.");
    env.skill("repo/pkg/app/.agents/skills", "both", "Near copy.")
        .skill(".agents/skills", "above", "Outside.");
    env.skill("../home/.agents/skills", "steady", "From home.")
        .skill("../home/.claude/skills", "habit", "Of one client.");
    env
}

#[test]
fn standard_folders_end_with_home() {
    let env = repository();
    let ran = env.run_in("repo/pkg/app", &["list", "--all", "--agent", "repertoire"]);
    assert_eq!(ran.exit, Exit::Success);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
name            source     tier     trust    surface    tokens  flags
use-repertoire  builtin    builtin  trusted  tool-only      57
write-a-skill   builtin    builtin  trusted  tool-only      52
write-a-source  builtin    builtin  trusted  tool-only      55
both            project    user     pending  tool-only       6  1 shadow
project-3:both  project-3  user     pending  tool-only       6  shadow of project:both
rootwide        project-3  user     pending  tool-only       8
steady          home       user     trusted  tool-only       6

"#]]
    );
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: 2 skills are untrusted, so no model sees them; pass --trust-project to trust `.agents/skills`, `[WORLD]/here/repo/.agents/skills`
note: 1 warning; run `repertoire check` for details

"#]]
    );
}

#[test]
fn roots_shows_every_folder_that_was_looked_at() {
    let ran = repository().run_in(
        "repo/pkg/app",
        &["roots", "--agent", "claude", "--trust-project"],
    );
    assert_data_eq!(
        ran.data(),
        str![[r#"
source            tier     trust       skills  path
builtin           builtin  trusted          3
project           user     trusted          1  .agents/skills
project-claude    user     trusted  not found  .claude/skills
project-2         user     trusted  not found  [WORLD]/here/repo/pkg/.agents/skills
project-claude-2  user     trusted  not found  [WORLD]/here/repo/pkg/.claude/skills
project-3         user     trusted          2  [WORLD]/here/repo/.agents/skills
project-claude-3  user     trusted  not found  [WORLD]/here/repo/.claude/skills
home              user     trusted          1  [WORLD]/home/.agents/skills
home-claude       user     trusted          1  [WORLD]/home/.claude/skills

"#]]
    );
}

#[test]
fn models_see_only_trusted_projects() {
    let env = repository();
    let catalog = |arguments: &[&str]| env.run_in("repo/pkg/app", arguments).stdout;
    assert_data_eq!(
        catalog(&["catalog", "--style", "bullets"]),
        str![[r#"
- use-repertoire: Finds out which Agent Skills exist, which one wins and what is wrong with them, with the repertoire command line. Use to list, compare, validate or debug skills, when one is missing or shadowed, or to write a repertoire.toml.
- write-a-skill: Writes and improves Agent Skills (folders with a SKILL.md). Use to create, improve or review a skill, when one never triggers, or to keep a procedure that was just explained for next time.
- write-a-source: Implements sources of Agent Skills in Rust with the repertoire library. Use to load skills from a database, a service, an archive or code, to embed them in a program, or to debug a Source or a SourceKind.
- steady: From home.

"#]]
    );
    assert_data_eq!(
        catalog(&["catalog", "--style", "bullets", "--trust-project"]),
        str![[r#"
- use-repertoire: Finds out which Agent Skills exist, which one wins and what is wrong with them, with the repertoire command line. Use to list, compare, validate or debug skills, when one is missing or shadowed, or to write a repertoire.toml.
- write-a-skill: Writes and improves Agent Skills (folders with a SKILL.md). Use to create, improve or review a skill, when one never triggers, or to keep a procedure that was just explained for next time.
- write-a-source: Implements sources of Agent Skills in Rust with the repertoire library. Use to load skills from a database, a service, an archive or code, to embed them in a program, or to debug a Source or a SourceKind.
- both: Near copy.
- rootwide: At the top.
- steady: From home.

"#]]
    );
}

#[test]
fn named_folders_are_exclusive_and_trusted() {
    let env = repository();
    assert_data_eq!(
        env.run(&["list", "repo/.agents/skills"]).data(),
        str![[r#"
name      source  tier  trust    surface    tokens  flags
both      skills  user  trusted  tool-only       6
rootwide  skills  user  trusted  tool-only       8

"#]]
    );
}

#[test]
fn roots_precede_standard_folders() {
    let env = repository();
    env.skill("extra", "steady", "Mine.");
    let ran = env.run_in(
        "repo",
        &[
            "list",
            "--root",
            "../extra",
            "--root",
            "../extra/../extra",
            "--trust-project",
        ],
    );
    assert_data_eq!(
        ran.stdout,
        str![[r#"
name            source   tier     trust    surface    tokens  flags
use-repertoire  builtin  builtin  trusted  tool-only      57
write-a-skill   builtin  builtin  trusted  tool-only      52
write-a-source  builtin  builtin  trusted  tool-only      55
steady          extra    user     trusted  tool-only       5  1 shadow
both            project  user     trusted  tool-only       6
rootwide        project  user     trusted  tool-only       8

"#]]
    );
    let ran = env.run_in(
        "repo",
        &["roots", "--root", ".agents/skills", "--no-defaults"],
    );
    assert_data_eq!(
        ran.data(),
        str![[r#"
source  tier  trust    skills  path
skills  user  trusted       2  .agents/skills

"#]]
    );
}

#[test]
fn folders_of_one_name_are_numbered() {
    let env = TestEnv::new();
    env.skill("a/skills", "one", "One.")
        .skill("b/skills", "two", "Two.");
    assert_data_eq!(
        env.run(&[
            "roots",
            "--no-defaults",
            "--root",
            "a/skills",
            "--root",
            "b/skills"
        ])
        .data(),
        str![[r#"
source    tier  trust    skills  path
skills    user  trusted       1  a/skills
skills-2  user  trusted       1  b/skills

"#]]
    );
}

#[test]
fn a_missing_folder_is_a_failure() {
    let env = TestEnv::new();
    env.skill("root", "one", "One.");
    for arguments in [
        &["check", "missing"],
        &["list", "missing"],
        &["catalog", "missing"],
    ] {
        assert_data_eq!(
            env.run(arguments).failure(),
            str![[r#"
error: cannot read the folder `missing`: No such file or directory (os error 2)

"#]]
        );
    }
    env.file("root/one/notes.md", "Notes.");
    assert_data_eq!(
        env.run(&["list", "--root", "root/one/notes.md"]).failure(),
        str![[r#"
error: `root/one/notes.md` is not a SKILL.md
 |
 = help: pass a SKILL.md or a folder of skills

"#]]
    );
}

#[test]
fn a_skill_file_selects_its_folder() {
    let env = TestEnv::new();
    env.skill("root", "one", "One.")
        .skill("root", "two", "Two.");
    assert_data_eq!(
        env.run(&["list", "root/one/SKILL.md"]).data(),
        str![[r#"
name  source  tier  trust    surface    tokens  flags
one   one     user  trusted  tool-only       5

"#]]
    );
}

#[test]
fn an_unknown_agent_is_a_failure() {
    let failure = |name| TestEnv::new().run(&["list", "--agent", name]).failure();
    assert_eq!(
        failure("cloude"),
        "error: unknown agent `cloude`\n |\n = help: did you mean `claude`?\n"
    );
    let far = failure("nonsense");
    assert!(
        far.contains("help: choose amp, antigravity, claude-code, cline"),
        "{far}"
    );
    assert!(far.ends_with("zed, `repertoire` or `all`\n"), "{far}");
}

#[test]
fn a_profile_of_the_user_adds_an_agent() {
    let env = TestEnv::new();
    let profile = "name = \"mine\"\ntitle = \"Mine\"\nversions = \"1\"\n\n\
        [sources]\nown = { text = \"myself\", date = \"2026-11-29\" }\n\n\
        [[roots]]\npath = \"~/.mine/skills\"\nscope = \"personal\"\nsource = \"own\"\n";
    env.file("../home/.config/repertoire/agents/mine.toml", profile)
        .skill("../home/.mine/skills", "tidy", "Sorts.");
    let ran = env.run(&["list", "--agent", "mine"]);
    assert!(ran.stdout.contains("tidy"), "{ran:?}");
    env.file("../home/.config/repertoire/agents/mine.toml", "name = 5\n");
    let failure = env.run(&["list", "--agent", "zed"]).failure();
    assert!(
        failure.starts_with("error: profile `[WORLD]/home/.config/repertoire/agents/mine.toml`"),
        "{failure}"
    );
}

#[test]
fn a_source_of_any_kind_can_be_named() {
    let env = repository();
    let ran = env.run(&[
        "list",
        "--no-defaults",
        "--source",
        "fs:mine:roots = [\"repo/.agents/skills\"], trust = \"restricted\"",
    ]);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
name      source  tier  trust       surface    tokens  flags
both      mine    user  restricted  tool-only       6
rootwide  mine    user  restricted  tool-only       8

"#]]
    );
    let ran = env.run(&[
        "catalog",
        "--no-defaults",
        "--source",
        "fs:home:roots = ['~/.agents/skills']",
    ]);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
<available_skills>
<skill><name>steady</name><description>From home.</description></skill>
</available_skills>

"#]]
    );
}

#[test]
fn an_invalid_source_option_shows_its_syntax() {
    let env = TestEnv::new();
    assert_data_eq!(
        env.run(&["list", "--source", "fs"]).failure(),
        str![[r#"
error: `--source fs` does not name a source
 |
 = help: write `--source KIND:NAME` or `--source 'KIND:NAME:key = value, key = value'`, values as in TOML

"#]]
    );
    let nameless = env.run(&["list", "--source", "fs:"]).failure();
    assert!(
        nameless.starts_with("error: `--source fs:` does not name a source\n"),
        "{nameless}"
    );
    assert_data_eq!(
        env.run(&["list", "--source", "git:mine"]).failure(),
        str![[r#"
error: unknown source kind `git`; known: client-plugins, fs, http, mcp, oci, plugin, process, static
 --> --source:1:13
  |
1 | source = [{ kind = "git", name = "mine" }]
  |             ^^^^^^^^^^^^

"#]]
    );
    assert_data_eq!(
        env.run(&["list", "--source", "fs:mine:roots"]).failure(),
        str![[r#"
error: invalid literal string, expected `'`
 --> --source:1:47
  |
1 | source = [{ kind = "fs", name = "mine", roots }]
  |                                               ^
  |
  = help: write `--source KIND:NAME` or `--source 'KIND:NAME:key = value, key = value'`, values as in TOML

"#]]
    );
    assert_data_eq!(
        env.run(&["list", "--source", "fs:mine:rots = []"])
            .failure(),
        str![[r#"
error: unknown field `rots`, expected one of `roots`, `patterns`, `limits`, `watch`
 --> --source:1:41
  |
1 | source = [{ kind = "fs", name = "mine", rots = [] }]
  |                                         ^^^^^^^^^

"#]]
    );
}

#[test]
fn an_unreadable_folder_is_not_missing() {
    let env = TestEnv::new();
    env.file(".agents/skills", "a file where a folder is expected");
    let ran = env.run(&["roots"]);
    assert_data_eq!(
        ran.data(),
        str![[r#"
source   tier     trust        skills  path
builtin  builtin  trusted           3
project  user     pending  unreadable  .agents/skills
home     user     trusted   not found  [WORLD]/home/.agents/skills

"#]]
    );
}

#[test]
fn a_source_is_named_after_its_folder() {
    let env = TestEnv::new();
    for (folder, arguments, name) in [
        ("plain", ["list", "plain"], "plain"),
        ("a:b", ["list", "a:b"], "a-b"),
        ("up/down", ["list", "up/down/.."], "up"),
        ("a..b", ["list", "a..b"], "root"),
        ("two\nlines", ["list", "two\nlines"], "root"),
        ("\u{202e}turned", ["list", "\u{202e}turned"], "root"),
    ] {
        env.skill(folder, "tidy", "Tidies.");
        let ran = env.run(&arguments);
        let row = ran.stdout.lines().nth(1).unwrap_or_default();
        assert_eq!(
            row.split_whitespace().nth(1),
            Some(name),
            "{folder:?}: {ran:?}"
        );
    }
}

#[test]
fn home_skills_are_trusted_in_the_home_folder() {
    let env = TestEnv::new();
    env.skill("../home/.agents/skills", "steady", "From home.")
        .file("../home/.git/HEAD", "ref: refs/heads/main\n");
    for folder in ["../home", "../home/notes"] {
        env.file(&format!("{folder}/note.md"), "A note.");
        let ran = env.run_in(folder, &["list", "--format", "json"]);
        assert_eq!((ran.exit, ran.stderr.as_str()), (Exit::Success, ""));
        let listed: serde_json::Value =
            serde_json::from_str(&ran.stdout).expect("an answer in JSON");
        let steady = listed["skills"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|skill| skill["id"] == "steady");
        let steady = steady.unwrap_or_else(|| panic!("{listed:#}"));
        assert_eq!(
            (&steady["source"], &steady["trust"]),
            (&"home".into(), &"trusted".into())
        );
    }
}

#[cfg(unix)]
#[test]
fn a_linked_skill_is_listed_once() {
    let env = TestEnv::new();
    for name in ["tdd", "review"] {
        env.skill("../home/.agents/skills", name, "Shared by links.");
        env.link(
            &format!("../../.agents/skills/{name}"),
            &format!("../home/.claude/skills/{name}"),
        );
    }
    env.link("../../../home/.agents/skills/tdd", ".agents/skills/tdd");
    let ran = env.run(&["list", "--all", "--agent", "claude", "--trust-project"]);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
name            source   tier     trust    surface    tokens  flags
use-repertoire  builtin  builtin  trusted  tool-only      57
write-a-skill   builtin  builtin  trusted  tool-only      52
write-a-source  builtin  builtin  trusted  tool-only      55
review          home     user     trusted  tool-only       7
tdd             home     user     trusted  tool-only       7

"#]]
    );
    let ran = env.run(&["check", "--agent", "claude", "--trust-project"]);
    let message = "warning[link-leads-out]: it leads to `[WORLD]/home/.agents/skills/tdd`, out of the folder that may be searched";
    assert!(ran.stdout.starts_with(message), "{}", ran.stdout);
    assert!(
        ran.stdout.ends_with("\n5 skills checked: 1 warning\n"),
        "{}",
        ran.stdout
    );
}

#[cfg(unix)]
#[test]
fn a_folder_of_another_user_is_never_admitted() {
    let env = TestEnv::new();
    env.file("repo/.git/HEAD", "")
        .skill("repo/.agents/skills", "tidy", "Own.");
    let theirs = env.here().join("repo/.agents");
    if let Err(error) = std::os::unix::fs::chown(&theirs, Some(65534), Some(65534)) {
        return eprintln!("SKIPPED: only root can give files to another user: {error}");
    }
    let ran = env.run_in("repo", &["list", "--trust-project", "--format", "json"]);
    let listed: serde_json::Value = serde_json::from_str(&ran.stdout).expect("an answer in JSON");
    let tidy = listed["skills"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|skill| skill["id"] == "tidy");
    assert_eq!(tidy.map(|tidy| &tidy["trust"]), Some(&"pending".into()));
    assert_data_eq!(
        env.run_in("repo", &["list", "--trust-project"]).stderr,
        str![[r#"
note: 1 skill is untrusted, so no model sees it; --trust-project does not trust `.agents/skills`, as `[WORLD]/here/repo/.agents` belongs to another user (65534): use `--root`

"#]]
    );
    let ran = env.run_in(
        "repo",
        &["list", "--root", ".agents/skills", "--no-defaults"],
    );
    assert_data_eq!(
        ran.data(),
        str![[r#"
name  source  tier  trust    surface    tokens  flags
tidy  skills  user  trusted  tool-only       5

"#]]
    );
}
