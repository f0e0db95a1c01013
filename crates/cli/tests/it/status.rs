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
