//! `list`, `show` and `why`.

use repertoire_cli::Exit;
use snapbox::{assert_data_eq, str};

use crate::test_env::TestEnv;

/// Two folders that both have `review`, one broken file, and flags.
fn two_folders() -> TestEnv {
    let env = TestEnv::new();
    env.skill("near", "review", "Near copy.")
        .skill("far", "review", "Far copy.")
        .skill("far", "notes", "Takes notes.");
    env.file(
        "near/copy/SKILL.md",
        "---\nname: notes\ndescription: Takes notes.\n---\nBody of notes.\n",
    );
    env.file("far/broken/SKILL.md", "no front matter\n");
    env.file(
        "far/deploy/SKILL.md",
        "---\nname: deploy\ndescription: Ships it.\ndisable-model-invocation: true\nallowed-tools: Read, Bash(git *)\n\
         surface: tool-only\nlicense: MIT\n---\nShip.\n",
    );
    env.file(
        "far/lore/SKILL.md",
        "---\nname: lore\ndescription: Knows it.\nuser-invocable: false\n---\nKnow.\n",
    );
    env
}

const BOTH: [&str; 5] = ["--root", "near", "--root", "far", "--no-defaults"];

fn with_both(arguments: &[&'static str]) -> Vec<&'static str> {
    BOTH.into_iter().chain(arguments.iter().copied()).collect()
}

#[test]
fn the_plain_list_shows_winners() {
    let ran = two_folders().run(&with_both(&["list"]));
    assert_eq!(ran.exit, Exit::Success);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
name    source  tier  trust    surface    tokens  flags
notes   near    user  trusted  tool-only       6  1 shadow
review  near    user  trusted  tool-only       6  1 shadow
deploy  far     user  trusted  tool-only       6  manual
lore    far     user  trusted  tool-only       6  model-only

"#]]
    );
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: 1 error, 2 warnings; run `repertoire check` for details

"#]]
    );
}

#[test]
fn list_all_includes_shadows_and_broken_files() {
    let ran = two_folders().run(&with_both(&["list", "--all"]));
    assert_data_eq!(
        ran.stdout,
        str![[r#"
name        source  tier  trust    surface    tokens  flags
notes       near    user  trusted  tool-only       6  1 shadow
far:notes   far     user  trusted  tool-only       6  same as near:notes
review      near    user  trusted  tool-only       6  1 shadow
far:review  far     user  trusted  tool-only       6  shadow of near:review
deploy      far     user  trusted  tool-only       6  manual
lore        far     user  trusted  tool-only       6  model-only

not loaded           source  reason
far/broken/SKILL.md  far     no-front-matter: the file must start with YAML frontmatter, found `no front matter`

"#]]
    );
}

#[test]
fn the_model_decides_undeclared_surfaces() {
    let env = two_folders();
    let surfaces = |model: &str| {
        let ran = env.run(&["list", "far", "--model", model]);
        let column = |line: &str| line.split_whitespace().nth(4).map(str::to_owned);
        ran.stdout
            .lines()
            .skip(1)
            .filter_map(column)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        surfaces("anthropic/claude-sonnet-4-5"),
        ["tool-only", "both", "both", "both"]
    );
    assert_eq!(surfaces("openai/gpt-5"), ["tool-only"; 4]);
}

#[test]
fn show_prints_every_field_of_a_winner() {
    let env = two_folders();
    let ran = env.run(&with_both(&[
        "show",
        "review",
        "--model",
        "anthropic/claude-sonnet-4-5",
    ]));
    assert_data_eq!(
        ran.data(),
        str![[r#"
name          review
description   Near copy.
full name     near:review
source        near, user tier, trusted
location      near/review/SKILL.md
surface       both, decided by rule claude-3.5-or-later
catalog       6 tokens
files         0
digest        sha256:4c775b472c6a7656776e932191c45faf1293f85701fd85d8e9a9eb950d26607a
shadows       far:review

"#]]
    );
    let ran = env.run(&["show", "deploy", "--root", "far", "--no-defaults"]);
    assert_data_eq!(
        ran.data(),
        str![[r#"
name          deploy
description   Ships it.
full name     far:deploy
source        far, user tier, trusted
location      far/deploy/SKILL.md
surface       tool-only, decided by skill
allowed-tools Read, Bash(git *) (pre-approved, not a restriction)
flags         manual
catalog       6 tokens
files         0
digest        sha256:0dcafa93a921bfd7478bb69b99a816ea1aa71edf2dce8db9348c86e4205877bc

other fields
  disable-model-invocation: true
  surface: tool-only
  license: MIT

"#]]
    );
}

#[test]
fn show_reaches_a_loser_by_its_full_name() {
    let ran = two_folders().run(&with_both(&["show", "far:review"]));
    assert_data_eq!(
        ran.data(),
        str![[r#"
name          review
description   Far copy.
full name     far:review
source        far, user tier, trusted
location      far/review/SKILL.md
surface       tool-only, decided by fallback
catalog       6 tokens
files         0
digest        sha256:8c51ea1811316fdeee2ca4fe412870d58a81150fc18f43bb762f15da9ff3b84e
shadow of     near:review

"#]]
    );
}

#[test]
fn why_names_the_reason_of_each_loser() {
    let env = two_folders();
    assert_data_eq!(
        env.run(&with_both(&["why", "review"])).data(),
        str![[r#"
#  skill        tier  trust    path                  reason
1  near:review  user  trusted  near/review/SKILL.md  wins
2  far:review   user  trusted  far/review/SKILL.md   `far` is composed after `near`

"#]]
    );
    assert_data_eq!(
        env.run(&with_both(&["why", "far:notes"])).stdout,
        str![[r#"
#  skill       tier  trust    path                reason
1  near:notes  user  trusted  near/copy/SKILL.md  wins
2  far:notes   user  trusted  far/notes/SKILL.md  `far` is composed after `near`; same content

"#]]
    );
    assert_data_eq!(
        env.run(&with_both(&["why", "lore"])).data(),
        str![[r#"
#  skill     tier  trust    path               reason          flags
1  far:lore  user  trusted  far/lore/SKILL.md  only candidate  model-only

"#]]
    );
}

#[test]
fn why_names_the_rule_that_decided() {
    let env = two_folders();
    env.file(
        "repertoire.toml",
        r#"
[[source]]
kind = "fs"
name = "shipped"
tier = "builtin"
roots = ["far"]

[[source]]
kind = "fs"
name = "mine"
roots = ["near"]

[[source]]
kind = "fs"
name = "waiting"
tier = "builtin"
trust = "pending"
roots = ["near"]

[prefer]
notes = "mine"
"#,
    );
    let why = |name| {
        env.run(&["--config", "repertoire.toml", "why", name])
            .stdout
    };
    assert_data_eq!(
        why("review"),
        str![[r#"
#  skill           tier     trust    path                  reason
1  shipped:review  builtin  trusted  far/review/SKILL.md   wins
2  mine:review     user     trusted  near/review/SKILL.md  the user tier comes after the builtin tier
3  waiting:review  builtin  pending  near/review/SKILL.md  `waiting` waits for admission

"#]]
    );
    assert_data_eq!(
        why("notes"),
        str![[r#"
#  skill          tier     trust    path                reason
1  mine:notes     user     trusted  near/copy/SKILL.md  wins
2  shipped:notes  builtin  trusted  far/notes/SKILL.md  `mine` is preferred for this id; same content
3  waiting:notes  builtin  pending  near/copy/SKILL.md  `waiting` waits for admission; same content

"#]]
    );
}

#[test]
fn an_unknown_name_is_a_failure_that_helps() {
    let env = two_folders();
    assert_data_eq!(
        env.run(&with_both(&["show", "reveiw"])).failure(),
        str![[r#"
error: no skill `reveiw`
 |
 = help: did you mean `review`?

"#]]
    );
    assert_data_eq!(
        env.run(&with_both(&["body", "nothing-like-it"])).failure(),
        str![[r#"
error: no skill `nothing-like-it`
 |
 = help: run `repertoire list --all` to see every name

"#]]
    );
}

#[test]
fn long_names_shift_only_their_row() {
    let env = TestEnv::new();
    env.skill("root", "short", "Brief.")
        .skill("root", &"long".repeat(10), "Wide.");
    assert_data_eq!(
        env.run(&["list", "root"]).stdout,
        str![[r#"
name                              source  tier  trust    surface    tokens  flags
longlonglonglonglonglonglonglonglonglong  root    user  trusted  tool-only       7
short                             root    user  trusted  tool-only       5

"#]]
    );
}

#[test]
fn files_over_a_limit_are_not_counted() {
    let env = TestEnv::new();
    env.skill("root", "big", "Many files.")
        .file("root/big/a", "a")
        .file("root/big/b", "b");
    let source = "fs:mine:roots = ['root'], limits = { resources = 1 }";
    let ran = env.run(&["show", "big", "--no-defaults", "--source", source]);
    assert_eq!(ran.exit, Exit::Success);
    assert!(
        ran.stdout.lines().any(|line| line == "files         1"),
        "{}",
        ran.stdout
    );
}

#[test]
fn an_empty_folder_names_hidden_folders() {
    let env = TestEnv::new();
    env.skill("root/.agents/skills", "hidden", "Behind a dot.");
    let note = "note: no skills found in `root`\nnote: hidden folders are searched only if given as arguments: `root/.agents/skills`\n";
    let ran = env.run(&["list", "root"]);
    assert_eq!(
        (ran.exit, ran.stdout.as_str(), ran.stderr.as_str()),
        (Exit::Success, "", note)
    );
    // Where that is not the reason, nothing is said of it.
    env.file("broken/nodesc/SKILL.md", "---\nname: nodesc\n---\n");
    let ran = env.run(&["check", "broken"]);
    assert_eq!(
        (ran.exit, ran.stderr.as_str()),
        (Exit::Problems, "note: no skills found in `broken`\n")
    );
}

#[test]
fn nothing_found_is_a_note() {
    let ran = TestEnv::new().run(&["list", "--no-defaults"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (Exit::Success, ""));
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: no skills found; run `repertoire roots` to see the folders searched

"#]]
    );
    assert_data_eq!(
        TestEnv::new().run(&["list"]).stderr,
        str![[r#"
note: no skills found except built-in ones; run `repertoire roots` to see the folders searched

"#]]
    );
}

#[test]
fn missing_requirements_are_shown() {
    let env = TestEnv::new();
    env.file(
        "near/pages/SKILL.md",
        "---\nname: pages\ndescription: Counts pages.\nrequired_tools: [ocr]\nmetadata:\n  openclaw:\n    requires:\n      \
         bins: [ls, no-such-program]\n      env: [NO_SUCH_VARIABLE]\n---\nCount.\n",
    );
    let near = ["--root", "near", "--no-defaults"];
    let listed = env.run(&[&near[..], &["list"]].concat());
    assert!(listed.stdout.contains("  not-ready\n"), "{}", listed.stdout);
    let shown = env.run(&[&near[..], &["show", "pages"]].concat()).stdout;
    let needs: Vec<_> = shown
        .lines()
        .filter_map(|line| line.strip_prefix("needs"))
        .map(str::trim)
        .collect();
    assert_eq!(
        needs,
        [
            "the program `ls`",
            "the program `no-such-program` (missing)",
            "the environment variable `NO_SUCH_VARIABLE` (missing)",
            "the tool `ocr` (unknown here)"
        ]
    );
    let stand_in = "---\nname: spare\ndescription: Stands in.\nmetadata: {hermes: {fallback_for_tools: [press]}}\n---\nCount.\n";
    let shown = env
        .file("near/spare/SKILL.md", stand_in)
        .run(&[&near[..], &["show", "spare"]].concat())
        .stdout;
    assert!(
        shown.contains("\ninstead of    the tool `press` (unknown here)\n")
            && !shown.contains("needs"),
        "{shown}"
    );
    let json = env
        .run(&[&near[..], &["show", "pages", "--format", "json"]].concat())
        .stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        json["readiness"]["missing"][1],
        serde_json::json!({"kind": "variable", "one_of": ["NO_SUCH_VARIABLE"]})
    );
}

#[test]
fn skills_without_an_audience_are_unreachable() {
    let env = TestEnv::new();
    let front =
        "name: idle\ndescription: Waits.\ndisable-model-invocation: true\nuser-invocable: false";
    env.file("root/idle/SKILL.md", format!("---\n{front}\n---\nWait.\n"));
    let list = env.run(&["list", "root", "--json"]).stdout;
    let list: serde_json::Value = serde_json::from_str(&list).expect("one JSON document");
    assert_eq!(
        list["skills"][0]["flags"],
        serde_json::json!(["unreachable"])
    );
    let check = env.run(&["check", "root"]).stdout;
    assert!(
        check.starts_with("warning[unreachable]: neither a model nor a user reaches the skill"),
        "{check}"
    );
}

#[test]
fn a_truncated_list_has_a_note() {
    let env = TestEnv::new();
    for name in ["one", "two", "three"] {
        env.skill("root", name, "A skill.");
    }
    let source = "fs:mine:roots = ['root'], limits = { folders = 2 }";
    let ran = env.run(&["list", "--no-defaults", "--source", source]);
    let note = "note: skills below `root` may be missing from the list: more than 2 folders; the rest is not searched; name a folder further \
                down as a root, or raise `limits.folders`: write `limits = { folders = 20 }` for the source\n";
    assert!(ran.stderr.starts_with(note), "{}", ran.stderr);
    let raised = source.replace("2 }", "20 }");
    let ran = env.run(&["list", "--no-defaults", "--source", &raised]);
    assert_eq!((ran.stdout.lines().count(), ran.stderr.as_str()), (4, ""));
}
