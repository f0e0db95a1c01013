//! `status`, `why`, `list` and `budget` for agents: whole screens.

use repertoire_cli::Exit;
use snapbox::{assert_data_eq, file};

use crate::agent_home::agent_home;
use crate::test_env::TestEnv;

#[test]
fn status_fits_60_80_and_140_columns() {
    let mut env = agent_home();
    env.set_columns(60);
    let narrow = env.run(&["status"]).data();
    assert_data_eq!(&narrow, file!["screens/status-60.txt"]);
    env.set_columns(80);
    let usual = env.run(&["status"]).data();
    assert_data_eq!(&usual, file!["screens/status-80.txt"]);
    env.set_columns(140);
    let wide = env.run(&["status"]).data();
    assert_data_eq!(&wide, file!["screens/status-140.txt"]);
    for (screen, columns) in [(narrow, 60), (usual, 80), (wide, 140)] {
        let long: Vec<_> = screen
            .lines()
            .filter(|line| line.chars().count() > columns)
            .collect();
        assert_eq!(long, Vec::<&str>::new(), "{columns} columns");
    }
}

#[test]
fn no_command_is_the_status() {
    let env = agent_home();
    assert_eq!(env.run(&[]), env.run(&["status"]));
    assert_eq!(env.run(&["doctor"]), env.run(&["status"]));
    assert_eq!(env.run(&["--json"]), env.run(&["status", "--json"]));
}

#[test]
fn problems_change_the_exit_code_on_request() {
    let env = agent_home();
    assert_eq!(env.run(&["status"]).exit, Exit::Success);
    assert_eq!(env.run(&["status", "--check"]).exit, Exit::Problems);
    let empty = TestEnv::new();
    assert_eq!(empty.run(&["status", "--check"]).exit, Exit::Success);
}

#[test]
fn changes_since_the_lock_are_listed() {
    let env = TestEnv::new();
    env.skill(".agents/skills", "kept", "Stays.")
        .skill(".agents/skills", "edited", "Before.");
    env.run(&["lock", ".agents/skills"]).data();
    let unchanged = env.run(&["status", "--agent", "codex", "--check"]);
    assert_eq!(unchanged.exit, Exit::Success);
    env.skill(".agents/skills", "edited", "After.")
        .skill(".agents/skills", "added", "Is new.");
    let ran = env.run(&["status", "--agent", "codex", "--check"]);
    assert_eq!(ran.exit, Exit::Problems);
    assert_data_eq!(ran.stdout, file!["screens/status-lock.txt"]);
}

#[test]
fn why_explains_each_file_for_each_agent() {
    let env = agent_home();
    let why = |arguments: &[&str]| env.run(&[&["why"], arguments].concat());
    assert_data_eq!(why(&["deploy"]).data(), file!["screens/why-deploy.txt"]);
    let lint = why(&["lint", "--agent", "claude-code", "--agent", "zed"]);
    assert_data_eq!(lint.data(), file!["screens/why-lint.txt"]);
    let half = why(&["half", "--agent", "codex"]);
    assert_data_eq!(half.data(), file!["screens/why-half.txt"]);
}

#[test]
fn a_wrong_name_suggests_and_lists_folders() {
    let env = agent_home();
    let failure = env.run(&["why", "lnt", "--agent", "codex"]).failure();
    assert_data_eq!(failure, file!["screens/why-wrong.txt"]);
    let failure = env.run(&["status", "--agent", "cursr"]).failure();
    assert_data_eq!(failure, file!["screens/agent-wrong.txt"]);
}

#[test]
fn list_has_a_row_for_each_file() {
    let mut env = agent_home();
    assert_data_eq!(env.run(&["list"]).stdout, file!["screens/list-80.txt"]);
    env.set_columns(140);
    let by_cost = env.run(&["list", "--sort", "cost", "--all"]).stdout;
    assert_data_eq!(by_cost, file!["screens/list-cost-140.txt"]);
    let codex = env.run(&["list", "--agent", "codex", "--sort", "source"]);
    assert_data_eq!(codex.stdout, file!["screens/list-codex.txt"]);
}

#[test]
fn diff_compares_agents_and_the_lock() {
    let env = agent_home();
    let agents = env.run(&["diff", "codex", "gemini-cli"]).data();
    assert_data_eq!(agents, file!["screens/diff-agents.txt"]);
    let alike = env.run(&["diff", "claude", "claude-code"]).data();
    assert!(alike.starts_with("0 differences; "), "{alike}");
    let many = env.run(&["diff", "all", "codex"]).failure();
    assert_eq!(many, "error: expected one agent, found `all`\n");
    env.run(&["lock", ".agents/skills"]);
    env.skill(".agents/skills/team", "audit", "Audits more.");
    let lock = env.run(&["diff", "codex", "lock"]).data();
    assert_data_eq!(lock, file!["screens/diff-lock.txt"]);
    let none = TestEnv::new().run(&["diff", "codex", "lock"]).failure();
    assert_data_eq!(none, file!["screens/diff-none.txt"]);
}

#[test]
fn diff_compares_the_lock_with_its_source() {
    let env = TestEnv::new();
    for name in ["edited", "gone", "kept", "longer"] {
        env.skill(".agents/skills", name, "Before.");
    }
    env.run(&["lock", ".agents/skills"]).data();
    let same = env.run(&["diff", "lock", "source"]).data();
    assert_eq!(same, "0 differences; 4 the same\n");
    env.skill(".agents/skills", "edited", "After.")
        .skill(".agents/skills", "new", "Is new.")
        .file(".agents/skills/longer/notes.md", "More.\n");
    std::fs::remove_dir_all(env.here().join(".agents/skills/gone")).expect("an own folder");
    let source = env.run(&["diff", "lock", "source"]).data();
    let folder = env.run(&["diff", "lock", ".agents/skills"]).data();
    let shown = format!("{source}---\n{folder}");
    assert_data_eq!(shown, file!["screens/diff-source.txt"]);
    let twice = env.run(&["diff", "lock", "lock"]).failure();
    assert_data_eq!(twice, file!["screens/diff-twice.txt"]);
}

#[test]
fn diff_reads_a_git_origin_on_this_machine() {
    let env = TestEnv::new();
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        let config = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
        command.args(config).args(arguments).current_dir(env.here());
        let output = command.output().expect("git is installed");
        assert!(output.status.success(), "{output:?}");
    };
    env.skill("up/skills", "kept", "Stays.")
        .skill("up/skills", "edited", "Is newer.")
        .skill("up/skills", "other", "Is not installed.");
    git(&["init", "--quiet", "--initial-branch=main", "up"]);
    git(&["-C", "up", "add", "."]);
    git(&["-C", "up", "commit", "--quiet", "--message=skills"]);
    git(&["clone", "--quiet", "--bare", "up", "origin.git"]);
    env.skill(".agents/skills", "kept", "Stays.")
        .skill(".agents/skills", "edited", "Is older.");
    let row = |source: &str, kind: &str| serde_json::json!({"source": source, "sourceType": kind, "computedHash": "0"});
    let rows = serde_json::json!({"version": 1, "skills": {
        "edited": row("./origin.git", "git"), "kept": row("acme/skills", "github"),
    }});
    env.file("skills-lock.json", rows.to_string());
    env.run(&["lock", ".agents/skills"]).data();
    let source = env.run(&["diff", "lock", "source"]);
    let bare = env.run(&["diff", "lock", "./origin.git"]).data();
    let shown = format!("{}{}---\n{bare}", source.stderr, source.stdout);
    assert_data_eq!(shown, file!["screens/diff-git.txt"]);
}

#[test]
fn budget_names_the_smallest_cut() {
    let env = agent_home();
    env.skill(
        "../home/.claude/skills",
        "lint-all",
        "Runs every linter and fixes what it can in all projects.",
    );
    env.skill(
        "../home/.claude/skills",
        "lint-one",
        "Runs every linter and fixes what it can in one project.",
    );
    let budget = env.run(&["budget", "--agent", "claude-code"]).data();
    assert_data_eq!(budget, file!["screens/budget.txt"]);
}

#[test]
fn a_missing_dependency_is_a_problem() {
    let env = TestEnv::new();
    env.skill(".claude/skills", "foreign", "Is read by Claude.");
    env.file(
        ".agents/skills/needy/SKILL.md",
        "---\nname: needy\ndescription: Needs.\nrequired_skills: [none, foreign, present]\n---\n",
    )
    .skill(".agents/skills", "present", "Is there.");
    let status = env.run(&["status", "--agent", "codex", "--json"]).data();
    let status: serde_json::Value = serde_json::from_str(&status).expect("JSON");
    let problems = status["problems"].as_array().expect("a list").iter();
    let shown: Vec<_> = problems
        .map(|problem| (&problem["message"], &problem["fix"]))
        .map(|(message, fix)| (message.as_str(), fix.as_str()))
        .collect();
    let expected = [
        (
            Some("needs the skill `none`, which is not loaded"),
            Some("install `none`, or remove it from the front matter"),
        ),
        (
            Some("needs the skill `foreign`, which is not loaded"),
            Some("run `repertoire why foreign`"),
        ),
    ];
    assert_eq!(shown, expected);
}
