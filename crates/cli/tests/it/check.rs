//! `check`.

use repertoire_cli::Exit;
use serde_json::Value;
use snapbox::{assert_data_eq, str};

use crate::test_env::TestEnv;

fn broken() -> TestEnv {
    let env = TestEnv::new();
    env.file("root/broken/SKILL.md", "---\nname: broken\n");
    env.file(
        "root/spot-me/SKILL.md",
        "---\nname: spot-me\ndescription: Collects run data: progress, errors.\n---\nA.\n",
    );
    env.file(
        "root/bytes/SKILL.md",
        b"---\nname: bytes\ndescription: \xff\n---\n",
    );
    env.skill("root", "steady", "A plain, valid neighbour.");
    env.skill("clean", "steady", "A plain, valid neighbour.");
    env.file(
        "warned/surveyor/SKILL.md",
        "---\nname: Surveyor\ndescription: Case differs.\n---\nA\n",
    );
    env
}

#[test]
fn diagnostics_are_shown_with_their_lines() {
    let ran = broken().run(&["check", "root"]);
    assert_eq!((ran.exit, ran.stderr.as_str()), (Exit::Problems, ""));
    assert_data_eq!(
        ran.stdout,
        str![[r#"
error[unclosed-front-matter]: frontmatter is not properly closed: no closing `---` line
 --> root/broken/SKILL.md:1:1
  |
1 | ---
  | ^^^
  |
  = help: put a line `---` between the fields and the body

error[not-utf8]: the file is not UTF-8: byte 29 is 0xff
 --> root/bytes/SKILL.md:3:14
  |
3 | description: �
  |              ^
  |
  = help: save the file as UTF-8

error[invalid-description]: invalid YAML in `description`: an unquoted value cannot contain a colon followed by a space; it was read as plain text
 --> root/spot-me/SKILL.md:3:31
  |
3 | description: Collects run data: progress, errors.
  |                               ^
  |
  = help: quote this value: `description: "Collects run data: progress, errors."`

2 skills checked: 3 errors

"#]]
    );
}

#[test]
fn warnings_fail_only_a_strict_check() {
    let env = broken();
    assert_eq!(env.run(&["check", "warned"]).exit, Exit::Success);
    assert_eq!(
        env.run(&["check", "--strict", "warned"]).exit,
        Exit::Problems
    );
    assert_data_eq!(
        env.run(&["check", "clean"]).data(),
        str![[r#"
1 skill checked: no problems

"#]]
    );
    assert_data_eq!(
        env.run(&["validate", "--strict", "clean"]).data(),
        str![[r#"
1 skill checked: no problems

"#]]
    );
}

#[test]
fn the_strict_verdict_is_the_reference_validators() {
    let env = TestEnv::new();
    env.file(
        "root/tidy/SKILL.md",
        "---\nname: tidy\ndescription: Sorts.\nflavour: sweet\n---\nSort.\n",
    );
    assert_data_eq!(
        env.run(&["check", "root"]).data(),
        str![[r#"
1 skill checked: no problems

"#]]
    );
    let ran = env.run(&["check", "--strict", "root"]);
    assert_eq!(ran.exit, Exit::Problems);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
error[unexpected-fields]: unexpected fields in frontmatter: `flavour`; only `allowed-tools`, `compatibility`, `description`, `license`, `metadata`, `name` are allowed
 --> root/tidy/SKILL.md:4:1
  |
4 | flavour: sweet
  | ^^^^^^^

1 skill checked: 1 error

"#]]
    );
}

#[test]
fn shadows_are_diagnostics_too() {
    let env = TestEnv::new();
    env.skill("project", "review", "Project copy.")
        .skill("user", "review", "User copy.");
    assert_data_eq!(
        env.run(&["check", "project", "user"]).data(),
        str![[r#"
warning[shadowed]: skill `review` is hidden by the one from user source `project`
--> user/review/SKILL.md
::: project/review/SKILL.md
 = help: ask for it as `user:review`, rename it, or prefer its source

1 skill checked: 1 warning

"#]]
    );
}

#[test]
fn two_files_of_one_name_are_both_shown() {
    let env = TestEnv::new();
    env.skill("root", "review", "First.");
    env.file(
        "root/zz/SKILL.md",
        "---\nname: review\ndescription: Second.\n---\n",
    );
    let ran = env.run(&["check", "root"]);
    let found = ran
        .stdout
        .split("\n\n")
        .find(|diagnostic| diagnostic.contains("duplicate-id"));
    assert_eq!(
        found,
        Some(
            "warning[duplicate-id]: skill `review` is defined twice; the first one is used\n\
             --> root/zz/SKILL.md\n\
             ::: root/review/SKILL.md\n\
             \x20= help: rename one of them"
        )
    );
}

#[test]
fn counts_agree_with_the_list() {
    let ran = broken().run(&["check", "--format", "json", "root"]);
    assert_eq!((ran.exit, ran.stderr.as_str()), (Exit::Problems, ""));
    let document: Value = serde_json::from_str(&ran.stdout).expect("one JSON document");
    let diagnostics = document["diagnostics"].as_array().expect("a list");
    let count = |severity: &str| {
        diagnostics
            .iter()
            .filter(|diagnostic| diagnostic["severity"] == severity)
            .count()
    };
    assert_eq!(document["errors"], count("error"));
    assert_eq!(document["warnings"], count("warning"));
    assert_eq!((count("error"), count("warning")), (3, 0));
    assert_eq!(document["skills"], 2);
}

#[test]
fn invalid_descriptions_are_errors() {
    let env = TestEnv::new();
    env.file(
        "root/tidy/SKILL.md",
        "---\nname: tidy\ndescription: Sorts: files.\n---\nSort.\n",
    );
    let ran = env.run(&["check", "root"]);
    assert_eq!(ran.exit, Exit::Problems);
    assert!(
        ran.stdout.ends_with("1 skill checked: 1 error\n"),
        "{}",
        ran.stdout
    );
    assert_eq!(
        env.run(&["body", "tidy", "--root", "root", "--no-defaults"])
            .data(),
        "Sort.\n"
    );
    env.file(
        "root/tidy/SKILL.md",
        "---\nname: tidy\ndescription: Sorts.\nargument-hint: [a] [b]\n---\nSort.\n",
    );
    assert_eq!(
        env.run(&["check", "root"]).exit,
        Exit::Success,
        "another field harms the description of no client here"
    );
}

#[test]
fn the_caret_covers_the_whole_value() {
    let env = TestEnv::new();
    env.file(
        "root/notes/SKILL.md",
        "---\nname: Release Notes\ndescription: Notes.\n---\n",
    );
    env.file(
        "root/other/SKILL.md",
        "---\nname: \"It's \\\"mine\\\"\"\ndescription: Notes.\n---\n",
    );
    let ran = env.run(&["check", "root"]);
    let carets = |line: &str| {
        let mut lines = ran
            .stdout
            .lines()
            .skip_while(|shown| !shown.ends_with(line));
        lines.nth(1).map(|carets| carets.matches('^').count())
    };
    assert_eq!(
        carets("name: Release Notes"),
        Some("Release Notes".len()),
        "{}",
        ran.stdout
    );
    assert_eq!(
        carets("name: \"It's \\\"mine\\\"\""),
        Some("\"It's \\\"mine\\\"\"".len()),
        "{}",
        ran.stdout
    );
}

#[test]
fn extension_field_faults_have_lines() {
    let env = TestEnv::new();
    let fields = "triggers:\n  - keybord: x\n  - regex: '('\nrequired_tools: [Read]\nworkflow:\n  - {step: Run, tool: Bash}\n  \
                  - {step: Go, params: {a: '!`ls`'}}\nverification:\n  - {run: make}\ntier: 9\ncategory: rwa\n\
                  functional-tier: own\nreferences: [guide.md, gone.md, ../../etc/passwd, 'https://example.org/x']\n\
                  allowed_tools: Read";
    env.file(
        "root/tidy/SKILL.md",
        format!("---\nname: tidy\ndescription: Sorts.\n{fields}\n---\nSort.\n"),
    );
    env.file("root/tidy/references/guide.md", "Guide.\n");
    let document: Value = serde_json::from_str(&env.run(&["check", "--json", "root"]).stdout)
        .expect("one JSON document");
    let found: Vec<_> = document["diagnostics"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| format!("{} {}", one["code"].as_str().unwrap(), one["line"]))
        .collect();
    assert_eq!(
        found,
        [
            "misspelt-limit 17",
            "bad-trigger 5",
            "bad-trigger 6",
            "bad-verification 12",
            "unknown-level 13",
            "misspelt-limit 14",
            "unknown-tier 15",
            "bad-workflow 8",
            "bad-workflow 8",
            "missing-reference 16",
            "missing-reference 16",
        ]
    );
    env.skill("root", "tidy", "Sorts.");
    assert_eq!(
        env.run(&["check", "root"]).data(),
        "1 skill checked: no problems\n"
    );
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_is_not_quoted() {
    let env = TestEnv::new();
    env.file(
        "../home/.git-credentials",
        "https://ada:hunter2@example.com\n",
    )
    .skill("../elsewhere", "clean", "Fine.");
    env.file(
        "../elsewhere/clean/SKILL.md",
        "---\nname: clean\ndescription: Fine.\nhunter2: hunter2\n---\n",
    );
    env.link(
        "../../../../home/.git-credentials",
        ".agents/skills/a/SKILL.md",
    );
    env.link("/proc/self/environ", ".agents/skills/b/SKILL.md");
    env.link("../../../elsewhere/clean", ".agents/skills/c");
    for arguments in [&["check"][..], &["check", ".agents/skills"]] {
        for more in [
            &[][..],
            &["--strict"],
            &["--format", "json"],
            &["--format", "sarif"],
        ] {
            let ran = env.run(&[arguments, more].concat());
            let said = format!("{}{}", ran.stdout, ran.stderr);
            assert!(
                !said.contains("hunter2") && !said.contains("PATH="),
                "{arguments:?} {more:?}: {said}"
            );
            assert!(
                said.contains("a/SKILL.md") && said.contains("b/SKILL.md"),
                "{said}"
            );
            assert_eq!(ran.exit, Exit::Problems);
        }
    }
}

#[test]
fn check_searches_skill_folders_of_agents() {
    let env = TestEnv::new();
    env.skill("repo/templates", "plain", "In the open.");
    let folders = [
        ".agents/skills",
        ".apm/skills",
        ".claude/skills",
        ".github/skills",
        ".opencode/skill",
        "pkg/.kiro/skills",
    ];
    for folder in folders {
        let skill = format!("s{}", folder.len());
        env.file(
            &format!("repo/{folder}/{skill}/SKILL.md"),
            format!("---\nname: {skill}\n---\n"),
        );
    }
    // The same skill for two clients is no fault of either.
    env.skill("repo/.agents/skills", "same", "Copied.").skill(
        "repo/.claude/skills",
        "same",
        "Copied.",
    );
    env.skill("repo/.git/skills", "never", "Of a tool.");
    let ran = env.run(&["check", "repo", "--format", "json"]);
    let checked: Value = serde_json::from_str(&ran.stdout).expect("an answer in JSON");
    let found = checked["diagnostics"].as_array().expect("a list");
    let root = "[WORLD]/here";
    let mut about: Vec<_> = found
        .iter()
        .map(|found| {
            (
                found["path"].as_str().unwrap_or_default().replace(root, ""),
                found["code"].as_str().unwrap_or_default(),
            )
        })
        .filter(|(_, code)| *code != "shadowed-identical")
        .collect();
    about.sort();
    let mut expected: Vec<_> = folders
        .iter()
        .map(|folder| {
            (
                format!("/repo/{folder}/s{}/SKILL.md", folder.len()),
                "missing-description",
            )
        })
        .collect();
    expected.sort();
    assert_eq!((about, &checked["skills"]), (expected, &Value::from(2)));
    assert_eq!((ran.exit, ran.stderr.as_str()), (Exit::Problems, ""));
}

#[test]
fn plugins_of_a_marketplace_may_use_one_name() {
    let env = TestEnv::new();
    let marketplace = r#"{"name": "m", "plugins": [{"name": "one", "source": "./kits/one"}, {"name": "all", "source": "./"}]}"#;
    env.file("repo/.claude-plugin/marketplace.json", marketplace);
    env.file(
        "repo/own/two/.claude-plugin/plugin.json",
        r#"{"name": "two", "skills": "./more"}"#,
    );
    for folder in [
        "kits/one/skills",
        "own/two/more",
        "plugins/three/skills",
        "plugins/[four]/skills",
        "skills",
    ] {
        env.skill(
            &format!("repo/{folder}"),
            "review",
            &format!("From {folder}."),
        );
    }
    let ran = env.run(&["check", "repo"]);
    assert_data_eq!(ran.data(), "5 skills checked: no problems\n");
}

#[test]
fn broken_plugin_files_are_reported_with_their_position() {
    let env = TestEnv::new();
    env.file(
        "repo/.claude-plugin/marketplace.json",
        "{\n  \"plugins\": [,]\n}\n",
    );
    env.file("repo/kit/.claude-plugin/plugin.json", "{\"name\": 7}")
        .skill("repo/kit/skills", "own", "Own.");
    let ran = env.run(&["check", "repo"]);
    assert_data_eq!(
        ran.data(),
        str![[r#"
warning[client-plugin]: `marketplace.json` is not used: expected value
--> repo/.claude-plugin/marketplace.json:2:15
 = help: correct the JSON at this place

warning[client-plugin]: `plugin.json` is not used: a field has a wrong type
--> repo/kit/.claude-plugin/plugin.json:1:10
 = help: correct the JSON at this place

1 skill checked: 2 warnings

"#]]
    );
}

#[test]
fn named_text_links_are_reported_with_a_fix() {
    let env = TestEnv::new();
    env.skill("src", "a", "A.")
        .file("linked", "src\n")
        .file("repo/.agents", "../src/..")
        .file("notes", "One\nTwo\n");
    for (named, file) in [("linked", "linked"), ("linked/a", "linked")] {
        let ran = env.run(&["check", named]);
        assert_eq!(ran.exit, Exit::Problems);
        assert_data_eq!(
            ran.stdout + &ran.stderr,
            format!(
                "error[link-as-text]: expected a link to `src`, found a text file that holds this path: Git could not make the \
                 link\n--> {file}\n = help: run `git config core.symlinks true`, on Windows with developer mode on, then \
                 `git checkout -- {file}` in its folder\n\n0 skills checked: 1 error\nnote: no skills found in `{named}`\n"
            )
        );
    }
    let failure = env.run(&["check", "notes"]).failure();
    assert!(
        failure.starts_with("error: `notes` is not a SKILL.md"),
        "{failure}"
    );
}

#[test]
fn truncated_walks_are_reported_first() {
    let env = TestEnv::new();
    env.file("root/aaa/SKILL.md", "---\nname: aaa\n---\n")
        .skill("root/b", "deep", "Too deep.");
    let source = "fs:mine:roots = ['root'], limits = { depth = 1 }";
    let ran = env.run(&["check", "--no-defaults", "--source", source]);
    let heads: Vec<_> = ran
        .stdout
        .lines()
        .filter(|line| line.contains("]: "))
        .map(|line| line.split(':').next())
        .collect();
    assert_eq!(
        heads,
        [
            Some("warning[walk-truncated]"),
            Some("error[missing-description]")
        ]
    );
}

#[cfg(feature = "gateway")]
#[test]
fn skills_that_the_servers_cannot_serve_are_reported() {
    let env = TestEnv::new();
    let servers =
        "[[registries.mcp-servers]]\nid = \"time\"\ncommand = \"time\"\ndeny = [\"set\"]\n";
    let config =
        format!("[[source]]\nkind = \"fs\"\nname = \"home\"\nroots = [\"root\"]\n\n{servers}");
    env.file("repertoire.toml", config);
    for (name, tool) in [("clock", "now"), ("setter", "set")] {
        let text = format!(
            "---\nname: {name}\ndescription: Does {name}.\nrequired_tools: [mcp__time__{tool}]\n---\nDo it.\n"
        );
        env.file(&format!("root/{name}/SKILL.md"), text);
    }
    let ran = env.run(&["check", "--config", "repertoire.toml"]);
    assert_eq!((ran.exit, ran.stderr.as_str()), (Exit::Success, ""));
    assert_data_eq!(
        ran.stdout,
        str![[r#"
warning[not-ready]: the skill `setter` is not ready: needs the tool `mcp__time__set`, which is denied: the rule `deny = "set"` of the server `time`
--> root/setter/SKILL.md
 = help: change the rules of the server `time`

2 skills checked: 1 warning

"#]]
    );
}
