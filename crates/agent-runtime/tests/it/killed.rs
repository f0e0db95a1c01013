//! Hosts that are killed: after the next start, every agent is accounted for.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use repertoire_agent_runtime::{AgentRunner, RunnerError, RunnerOptions, Worktrees};
use repertoire_agents::{AgentState, AgentStore, FailReason, SqliteAgentStore};
use serde_json::json;
use tempfile::TempDir;

use crate::bed::{TestBed, TestHost, is_alive, put_profile, request, scripted_agent, spawn};
use crate::worktrees::{git, repository};

/// The place of hosts that are killed one after the other.
struct Scene {
    folder: TempDir,
    repository: PathBuf,
    root: PathBuf,
    store: Arc<SqliteAgentStore>,
    next_task: u32,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let repository = repository(folder.path());
        let root = folder.path().canonicalize().unwrap().join("worktrees");
        let store = Arc::new(SqliteAgentStore::open(folder.path().join("agents.db")).unwrap());
        put_profile(&*store, json!({}));
        Self {
            folder,
            repository,
            root,
            store,
            next_task: 0,
        }
    }

    /// Starts a host that runs `count` agents.
    fn host(&mut self, count: u32, at: &str) -> Child {
        let first = self.next_task;
        self.next_task += count;
        let program = scripted_agent().with_file_name("killed_host");
        let folder = self.folder.path();
        Command::new(program)
            .arg(folder.join("agents.db"))
            .args([&self.repository, &self.root, &folder.join("state")])
            .arg(scripted_agent())
            .args([first.to_string(), count.to_string(), at.to_owned()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Starts the next host in this process, and checks that everything is accounted for.
    async fn recover(&self, what: &str) {
        let mut options = RunnerOptions::new(self.folder.path().join("state"), "/");
        let variables: Arc<[_]> = std::env::vars_os().collect();
        let worktrees = Worktrees::new(&self.repository, &self.root).with_variables(variables);
        options.worktrees = Some(worktrees);
        options.supervisor = vec![scripted_agent().into(), "supervise".into()];
        let (store, host) = (Arc::clone(&self.store), Arc::new(TestHost::default()));
        let runner = AgentRunner::start(store, host, options).await.unwrap();
        self.store.verify_audit().unwrap();
        for agent in self.store.agents().unwrap() {
            assert!(agent.state.is_final(), "{what}: {agent:?}");
            let has_reason = agent.fail_reason.is_some() == (agent.state == AgentState::Failed);
            assert!(has_reason, "{what}: {agent:?}");
            let audit = self.store.audit(&agent.id).unwrap();
            assert_eq!(audit[0].event, "allocated");
            // Each row follows the one before it, and the last one has the present state.
            let mut state = audit[0].to.clone();
            for row in &audit[1..] {
                assert!(
                    row.event == "rejected" || row.from == state,
                    "{what}: {row:?}"
                );
                state = row.to.clone().or(state);
            }
            assert_eq!(state, Some(agent.state.to_string()), "{what}");
        }
        for worktree in runner.worktrees().await.unwrap() {
            assert!(worktree.agent_id.is_some(), "{what}: {worktree:?}");
        }
        let alive = self.living();
        assert!(alive.is_empty(), "{what}: {alive:?}");
    }

    /// Returns the processes that agents forked and that live.
    fn living(&self) -> Vec<String> {
        let worktrees = self.root.read_dir().into_iter().flatten().flatten();
        let lists = worktrees.map(|one| std::fs::read_to_string(one.path().join("forked")));
        let lists = lists.map(Result::unwrap_or_default).collect::<Vec<_>>();
        let processes = lists.iter().flat_map(|list| list.lines());
        processes
            .filter(|one| is_alive(one))
            .map(str::to_owned)
            .collect()
    }
}

#[tokio::test]
async fn a_second_runner_is_refused() {
    let bed = TestBed::new(TestHost::default());
    let _first = bed.start().await;
    let (store, host) = (Arc::clone(&bed.store), Arc::clone(&bed.host));
    let second = AgentRunner::start(store, host, bed.options.clone()).await;
    assert!(matches!(second, Err(RunnerError::InUse(_))));
}

#[tokio::test]
async fn a_dropped_runner_is_recovered() {
    let bed = TestBed::new(TestHost::default());
    let runner = bed.start().await;
    let steps = json!(["ready", "fork=double", "hang"]);
    let ticket = spawn(&runner, request("T-1", steps)).await;
    let list = bed.work().join("forked");
    while std::fs::read_to_string(&list)
        .unwrap_or_default()
        .is_empty()
    {
        tokio::task::yield_now().await;
    }
    drop(runner);
    let runner = bed.start().await;
    assert_eq!(
        runner.recovered().failed,
        std::slice::from_ref(&ticket.agent_id)
    );
    let record = bed.store.agent(&ticket.agent_id).unwrap();
    assert_eq!(
        (record.fail_reason, record.epoch),
        (Some(FailReason::LeaseExpired), 2)
    );
    let forked = std::fs::read_to_string(&list).unwrap();
    assert!(!forked.lines().any(is_alive));
}

mod slow {
    use super::*;

    /// The environment variable with the number of random kills.
    const KILLS: &str = "REPERTOIRE_TEST_KILLS";

    #[tokio::test]
    async fn a_host_killed_at_any_step_is_recovered() {
        let mut scene = Scene::new();
        for at in 1.. {
            let mut host = scene.host(1, &at.to_string());
            let output = host.stdout.take().unwrap();
            let lines: Vec<_> = BufReader::new(output).lines().map(Result::unwrap).collect();
            let status = host.wait().unwrap();
            scene
                .recover(&format!("killed at call {at} after {lines:?}"))
                .await;
            if status.success() {
                println!("a run has {} steps at which a host can be killed", at - 1);
                assert!(at > 10, "{lines:?}");
                break;
            }
        }
        let mut host = scene.host(1, "0,1");
        assert!(!host.wait().unwrap().success());
        scene.recover("killed after the process started").await;
        // The branches of all of them are still there.
        let branches = git(&scene.repository, &["branch", "--list", "feature/*"]);
        assert!(branches.lines().count() > 10, "{branches}");
    }

    #[tokio::test]
    async fn a_host_killed_at_random_is_recovered() {
        let kills = std::env::var(KILLS).map_or(50, |kills| kills.parse().unwrap());
        let mut scene = Scene::new();
        for kill in 0..kills {
            let mut host = scene.host(4, "0");
            let mut output = BufReader::new(host.stdout.take().unwrap()).lines();
            let seen = fastrand::usize(0..24);
            let seen = output.by_ref().take(seen).map(Result::unwrap).last();
            // Between two lines, any place is as likely.
            for _ in 0..fastrand::u32(0..2000) {
                std::thread::yield_now();
            }
            host.kill().unwrap();
            host.wait().unwrap();
            scene.recover(&format!("kill {kill} after {seen:?}")).await;
        }
        let agents = scene.store.agents().unwrap();
        let lost = agents
            .iter()
            .filter(|one| one.fail_reason.is_some())
            .count();
        println!(
            "{kills} kills, {} agents, {lost} of them failed",
            agents.len()
        );
        assert!(lost > 0);
    }
}
