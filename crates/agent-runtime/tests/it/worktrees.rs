//! Worktrees and branches of agents in real repositories.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use repertoire_agent_runtime::{AgentLifetime, LaunchError, SpawnError, Worktrees};
use repertoire_agents::{AgentState, AgentStore, FailReason};
use serde_json::{Value, json};

use crate::bed::{TestBed, TestHost, request, spawn, until_ended};
use crate::fake::fake_bed;

pub(crate) fn git(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
        .args(args)
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Makes a repository with one commit, whose hooks leave a trace.
pub(crate) fn repository(folder: &Path) -> PathBuf {
    let path = folder.join("repository");
    std::fs::create_dir(&path).unwrap();
    git(&path, &["init", "--quiet", "--initial-branch=main"]);
    std::fs::write(path.join("file"), "text\n").unwrap();
    git(&path, &["add", "."]);
    git(&path, &["commit", "--quiet", "--message=first"]);
    let hook = path.join(".git/hooks/post-checkout");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\necho ran >> ../hooked\n").unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&hook, executable).unwrap();
    path
}

fn with_worktrees(bed: &mut TestBed) -> (PathBuf, PathBuf) {
    let repository = repository(bed.folder.path());
    let root = bed.folder.path().canonicalize().unwrap().join("worktrees");
    let variables: Arc<[_]> = std::env::vars_os().collect();
    let worktrees = Worktrees::new(&repository, &root).with_variables(variables);
    bed.options.worktrees = Some(worktrees);
    (repository, root)
}

#[tokio::test]
async fn branches_are_slugs_of_tasks() {
    let (mut bed, _agents) = fake_bed(AgentLifetime::Ephemeral);
    let (_, root) = with_worktrees(&mut bed);
    let runner = bed.start().await;
    for (task, branch) in [
        ("Fix: ../../etc & rm", "feature/fix-etc-rm"),
        ("--upload-pack=x", "feature/upload-pack-x"),
        ("T-1.lock", "feature/t-1-lock"),
        ("日本", "feature/task-cf2abf0c"),
        ("@{-1}~^:?*[\\", "feature/1"),
    ] {
        let ticket = spawn(&runner, request(task, Value::Null)).await;
        let path = ticket.worktree_path.unwrap();
        assert_eq!(ticket.branch_name, branch);
        assert_eq!(path, root.join(&ticket.agent_id));
        assert_eq!(git(&path, &["branch", "--show-current"]), branch);
    }
    assert!(!bed.folder.path().join("hooked").exists());
    assert!(!root.join("hooked").exists());
}

#[tokio::test]
async fn a_taken_branch_gets_a_suffix() {
    let (mut bed, _agents) = fake_bed(AgentLifetime::Ephemeral);
    let (repository, _) = with_worktrees(&mut bed);
    git(&repository, &["branch", "feature/t-1"]);
    // A branch below excludes one of this name.
    git(&repository, &["branch", "feature/t-2/part"]);
    let runner = bed.start().await;
    for task in ["T-1", "T-2"] {
        let ticket = spawn(&runner, request(task, Value::Null)).await;
        let id = &ticket.agent_id;
        let branch = format!("feature/{}-{}", task.to_lowercase(), &id[id.len() - 8..]);
        assert_eq!(ticket.branch_name, branch);
        assert_eq!(bed.store.agent(id).unwrap().branch, branch);
    }
}

#[tokio::test]
async fn a_failed_worktree_is_a_spawn_error() {
    let (mut bed, _agents) = fake_bed(AgentLifetime::Ephemeral);
    let (repository, _) = with_worktrees(&mut bed);
    // No branch can be below this one.
    git(&repository, &["branch", "feature"]);
    let runner = bed.start().await;
    let error = runner.spawn(request("T-1", Value::Null)).await.unwrap_err();
    let SpawnError::Failed {
        agent_id,
        cause: LaunchError::Worktree(cause),
    } = error
    else {
        panic!("{error}");
    };
    assert!(
        cause.to_string().starts_with("`git worktree add` failed: "),
        "{cause}"
    );
    let record = bed.store.agent(&agent_id).unwrap();
    assert_eq!(record.fail_reason, Some(FailReason::SpawnError));
}

#[tokio::test]
async fn a_worktree_stays_after_its_agent() {
    let mut bed = TestBed::new(TestHost::default());
    let (_, root) = with_worktrees(&mut bed);
    let runner = bed.start().await;
    let mut events = runner.events();
    let ticket = spawn(
        &runner,
        request("T-1", json!(["ready", "file=result", "exit=1"])),
    )
    .await;
    until_ended(&runner, &mut events, &ticket.agent_id).await;
    let path = root.join(&ticket.agent_id);
    assert_eq!(
        std::fs::read_to_string(path.join("result")).unwrap(),
        "changed\n"
    );
    std::fs::create_dir(root.join("stray")).unwrap();
    std::os::unix::fs::symlink("/etc", root.join("zlink")).unwrap();
    let found = runner.worktrees().await.unwrap();
    let found: Vec<_> = found
        .into_iter()
        .map(|one| (one.path, one.agent_id, one.state))
        .collect();
    let owned = (path, Some(ticket.agent_id), Some(AgentState::Failed));
    let stray = |name: &str| (root.join(name), None, None);
    assert_eq!(found, [owned, stray("stray"), stray("zlink")]);
    assert!(root.join("stray").exists() && root.join("zlink").exists());
}

#[tokio::test]
async fn each_task_has_its_branch() {
    let (mut bed, mut agents) = fake_bed(AgentLifetime::Resident);
    let (repository, root) = with_worktrees(&mut bed);
    git(&repository, &["branch", "feature/t-3"]);
    let runner = bed.start().await;
    let ticket = spawn(&runner, request("T-1", Value::Null)).await;
    let mut agent = agents.recv().await.unwrap();
    agent.begin().await;
    crate::residents::complete(&mut agent, "T-1").await;
    runner.assign(&ticket.agent_id, "T-2").await.unwrap();
    let path = root.join(&ticket.agent_id);
    assert_eq!(git(&path, &["branch", "--show-current"]), "feature/t-2");
}
