//! From what a person types to a skill.

use repertoire_cli::Exit;
use snapbox::{assert_data_eq, str};

use crate::test_env::TestEnv;

#[test]
fn every_command_finds_a_name_as_typed() {
    let env = TestEnv::new();
    env.file(
        "skills/list/SKILL.md",
        "---\nname: na\u{ef}ve-list\ndescription: Lists.\n---\nList $ARGUMENTS.\n",
    );
    env.file("skills/list/notes.md", "Notes.\n");
    let root = ["--root", "skills", "--no-defaults"];
    for typed in [
        "na\u{ef}ve-list",
        "nai\u{308}ve-list",
        " na\u{ef}ve-list ",
        "skills:nai\u{308}ve-list",
        "\u{ff4e}a\u{ef}ve-list",
    ] {
        for command in [
            &["show", typed][..],
            &["why", typed],
            &["body", typed],
            &["files", typed],
            &["files", typed, "notes.md"],
            &["render", typed],
            &["directives", typed],
            &["approve", typed, "--yes"],
        ] {
            let ran = env.run(&[command, &root].concat());
            assert_eq!(ran.exit, Exit::Success, "{command:?}: {}", ran.stderr);
        }
    }
    for typed in [
        "nai\u{308}ve-list",
        "skills:nai\u{308}ve-list",
        "\u{ff4e}a\u{ef}ve-list",
    ] {
        let list = env
            .run(&[&["list", "--disable", typed][..], &root].concat())
            .stdout;
        assert!(list.contains("disabled"), "{typed}: {list}");
    }
}

#[test]
fn a_tip_is_never_the_question() {
    let env = TestEnv::new();
    env.skill("skills", "deploy", "D.");
    let said = |typed: &str| env.run(&["show", typed, "--root", "skills"]).failure();
    assert_data_eq!(
        said("DEPLOY"),
        str![[r#"
error: no skill `DEPLOY`
 |
 = help: did you mean `deploy`?

"#]]
    );
    assert_data_eq!(
        said("nothing-like-it"),
        str![[r#"
error: no skill `nothing-like-it`
 |
 = help: run `repertoire list --all` to see every name

"#]]
    );
}

#[test]
fn a_file_that_gives_no_skill_is_known() {
    let env = TestEnv::new();
    env.file("skills/db-migrate/SKILL.md", "---\nname: db-migrate\n")
        .skill("skills", "db-migrated", "D.");
    for command in ["show", "why", "body"] {
        for typed in ["db-migrate", "skills:db-migrate"] {
            let failure = env.run(&[command, typed, "--root", "skills"]).failure();
            let help = " = help: `skills/db-migrate/SKILL.md` could not be loaded: unclosed-front-matter: \
                        frontmatter is not properly closed: no closing `---` line";
            assert_eq!(failure.lines().nth(2), Some(help), "{failure}");
        }
    }
}

#[test]
fn diagnostics_and_limits_are_shown() {
    let env = TestEnv::new();
    env.file(
        "skills/deploy/SKILL.md",
        "---\nname: Deploy\ndescription: D.\ndisable-model-invocation: true\nallowedWorkflows: [build]\n---\nDo it.\n",
    );
    let run = |command: &str| env.run(&[command, "Deploy", "--root", "skills", "--no-defaults"]);
    let which = run("why");
    assert_data_eq!(
        which.stdout,
        str![[r#"
#  skill          tier  trust    path                    reason          flags
1  skills:Deploy  user  trusted  skills/deploy/SKILL.md  only candidate  manual, waits-for-workflow

"#]]
    );
    assert_eq!(
        which.stderr,
        "note: `skills:Deploy`: 2 diagnostics; run `repertoire show skills:Deploy` for details\n"
    );
    let show = run("show").data();
    let diagnostics: Vec<_> = show
        .lines()
        .filter(|line| line.starts_with("diagnostic"))
        .collect();
    assert_eq!(diagnostics.len(), 2, "{show}");
    assert!(
        diagnostics[0].starts_with("diagnostic    line 2: warning["),
        "{show}"
    );
    assert!(
        show.contains("flags         manual, waits-for-workflow"),
        "{show}"
    );
}

#[test]
fn the_reason_is_the_rule_that_decided() {
    let env = TestEnv::new();
    env.skill("agent", "built", "A.")
        .skill("home", "built", "H.")
        .skill("home", "kit:slides", "H.");
    env.skill("kit", "slides", "K.")
        .skill("acme", "acme:tidy", "A.")
        .skill("stranger", "home:built", "S.");
    env.file(
        "repertoire.toml",
        r#"
[[source]]
kind = "fs"
name = "agent"
tier = "builtin"
roots = ["agent"]

[[source]]
kind = "fs"
name = "home"
roots = ["home"]

[[source]]
kind = "fs"
name = "kit"
tier = "plugin"
namespaced = true
roots = ["kit"]

[[source]]
kind = "fs"
name = "acme"
tier = "plugin"
namespaced = true
roots = ["acme"]

[[source]]
kind = "fs"
name = "stranger"
tier = "plugin"
roots = ["stranger"]
"#,
    );
    let which = |arguments: &[&str]| {
        let json = env
            .run(
                &[
                    &["why", "--json", "--config", "repertoire.toml"][..],
                    arguments,
                ]
                .concat(),
            )
            .data();
        let json: serde_json::Value = serde_json::from_str(&json).expect("one JSON document");
        let link = |link: &serde_json::Value| {
            format!("{}: {}", link["qualified_id"], link["why"]).replace('"', "")
        };
        json["candidates"]
            .as_array()
            .expect("a list")
            .iter()
            .map(link)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        which(&["built"]),
        [
            "agent:built: wins",
            "home:built: the user tier comes after the builtin tier"
        ]
    );
    assert_eq!(
        which(&["built", "--disable", "agent:built"]),
        [
            "home:built: wins",
            "agent:built: the one from `agent` is disabled"
        ]
    );
    assert_eq!(
        which(&["kit:slides"]),
        [
            "home:kit:slides: wins",
            "kit:kit:slides: the plugin tier comes after the user tier"
        ]
    );
    assert_eq!(which(&["acme:tidy"]), ["acme:tidy: only candidate"]);
    assert_eq!(which(&["acme:acme:tidy"]), which(&["tidy"]));
    let body = |name: &str, more: &[&str]| {
        env.run(&[&["body", name, "--config", "repertoire.toml"][..], more].concat())
            .data()
    };
    assert_eq!(body("kit:kit:slides", &[]), "Body of slides.\n");
    assert_eq!(body("home:built", &[]), "Body of built.\n");
    assert_eq!(body("stranger:home:built", &[]), "Body of home:built.\n");
    assert_eq!(
        body("home:built", &["--disable", "home:built"]),
        "Body of built.\n",
        "the name stays with its source"
    );
    let check = env.run(&["check", "--config", "repertoire.toml"]).stdout;
    assert!(
        check.contains("skill `home:built` of the plugin source `stranger` is written like one of the source `home`"),
        "{check}"
    );
}

#[test]
fn shadowed_skills_count_as_found() {
    let env = TestEnv::new();
    env.skill("../home/.agents/skills", "write-a-skill", "Mine.");
    let ran = env.run(&["list"]);
    assert!(ran.stdout.contains("1 shadow"), "{}", ran.stdout);
    assert!(!ran.stderr.contains("no skills found"), "{}", ran.stderr);
}

#[test]
fn show_prints_the_plan_of_a_workflow() {
    let env = TestEnv::new();
    let fields = "required_tools: [Bash]\nworkflow:\n  - Read the request.\n  \
                  - {id: test, step: Run the tests., tool: Bash, params: {command: make}, on_error: continue}";
    env.file(
        "skills/tidy/SKILL.md",
        format!("---\nname: tidy\ndescription: D.\n{fields}\n---\nDo it.\n"),
    );
    let show = || {
        env.run(&["show", "tidy", "--root", "skills", "--no-defaults"])
            .data()
    };
    let steps = |show: &str| {
        show.lines()
            .filter(|line| line.starts_with("step "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let plan = [
        "step          1. Read the request.",
        "step          2. Run the tests.; Bash {\"command\":\"make\"}; on error continue",
    ];
    let shown = show();
    assert_eq!(steps(&shown), plan);
    assert!(
        !shown.contains("diagnostic") && !shown.contains("\n  workflow:"),
        "{shown}"
    );

    let fields = fields.replace("[Bash]", "Read\nverification: [{run: make}]");
    env.file(
        "skills/tidy/SKILL.md",
        format!("---\nname: tidy\ndescription: D.\n{fields}\n---\nDo it.\n"),
    );
    let shown = show();
    assert_eq!(steps(&shown), plan);
    let diagnostics: Vec<_> = shown
        .lines()
        .filter(|line| line.starts_with("diagnostic"))
        .collect();
    assert!(
        diagnostics[0].starts_with("diagnostic    line 5: warning[bad-verification]: "),
        "{shown}"
    );
    assert!(
        diagnostics[1].starts_with("diagnostic    line 6: warning[bad-workflow]: "),
        "{shown}"
    );
    let ran = env.run(&[
        "show",
        "tidy",
        "--root",
        "skills",
        "--no-defaults",
        "--json",
    ]);
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one JSON document");
    assert_eq!(document["workflow"]["steps"][1]["on_error"], "continue");
    assert_eq!(
        document["workflow"]["faults"].as_array().map(Vec::len),
        Some(1),
        "{document}"
    );
}

#[test]
fn one_severity_is_printed_everywhere() {
    let env = TestEnv::new();
    env.file(
        "skills/tidy/SKILL.md",
        "---\nname: tidy\ndescription: Sorts: files.\n---\nSort.\n",
    );
    let root = ["--root", "skills", "--no-defaults"];
    let show = env.run(&[&["show", "tidy"][..], &root].concat()).data();
    let check = env.run(&[&["check"][..], &root].concat()).stdout;
    let list = env.run(&[&["list"][..], &root].concat()).stderr;
    assert!(
        show.contains("\ndiagnostic    line 3: error[invalid-description]: "),
        "{show}"
    );
    assert!(check.starts_with("error[invalid-description]: "), "{check}");
    assert!(list.starts_with("note: 1 error; "), "{list}");
}

#[test]
fn a_rule_that_grants_nothing_is_reported_alike() {
    let env = TestEnv::new();
    let rules = [
        "Bash(* --version)",
        "Bash(ls [ab]*)",
        "Bash(a ? b)",
        "mcp__gh",
    ];
    let fields = format!(
        "allowed-tools: [{}]\ntriggers: [{{keyword: sort}}]",
        rules.map(|rule| format!("'{rule}'")).join(", ")
    );
    env.file(
        "skills/tidy/SKILL.md",
        format!("---\nname: tidy\ndescription: D.\n{fields}\n---\nDo it.\n"),
    );
    env.file(
        "turns.yaml",
        "turns:\n  - user: sort\n    activate: [tidy]\n",
    );
    let root = ["--root", "skills", "--no-defaults"];
    let run = |command: &[&str]| env.run(&[command, &root].concat()).stdout;
    let (check, show) = (run(&["check"]), run(&["show", "tidy"]));
    let simulate = run(&["simulate", "--script", "turns.yaml"]);
    assert!(check.starts_with("warning[unreadable-rule]: "), "{check}");
    for rule in rules {
        assert!(check.contains(&format!("`{rule}`")), "{rule}: {check}");
        assert!(
            show.contains(&format!("\nunread rule   {rule} (grants nothing)\n")),
            "{rule}: {show}"
        );
        let notice = format!(
            "\nnotice: the rule `{rule}` in `allowed-tools` of `skills:tidy` grants nothing\n"
        );
        assert!(simulate.contains(&notice), "{rule}: {simulate}");
    }
}
