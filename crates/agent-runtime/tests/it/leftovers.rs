//! Processes that an agent starts and leaves: none lives when its row has a final state.

use repertoire_agents::FailReason;
use serde_json::json;

use crate::bed::{TestBed, TestHost, is_alive, put_profile, request, run_script, spawn};

fn processes(bed: &TestBed) -> Vec<String> {
    let listed = std::fs::read_to_string(bed.work().join("forked")).unwrap();
    listed.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn no_forked_process_outlives_its_agent() {
    for how in ["child", "session", "double", "naked", "bomb"] {
        for end in ["exit=0", "exit=7", "signal=-KILL"] {
            let bed = TestBed::new(TestHost::default());
            let fork = format!("fork={how}");
            run_script(&bed, &["ready", &fork, end]).await;
            let alive: Vec<_> = processes(&bed)
                .into_iter()
                .filter(|one| is_alive(one))
                .collect();
            assert!(alive.is_empty(), "{how} {end}: {alive:?}");
        }
    }
}

#[tokio::test]
async fn a_cancelled_agent_leaves_nothing() {
    let bed = TestBed::new(TestHost::default());
    let runner = bed.start().await;
    let steps = json!(["ready", "ignore-term", "fork=double", "hang"]);
    let ticket = spawn(&runner, request("T-1", steps)).await;
    while !bed.work().join("forked").exists() || processes(&bed).len() < 2 {
        tokio::task::yield_now().await;
    }
    let ended = runner.cancel(&ticket.agent_id).await.unwrap();
    assert_eq!(ended.fail_reason, Some(FailReason::Cancelled));
    assert!(!processes(&bed).iter().any(|one| is_alive(one)));
}

#[tokio::test]
async fn a_killed_supervisor_saves_no_process() {
    for attack in ["kill-parent", "stop-parent"] {
        let bed = TestBed::new(TestHost::default());
        put_profile(&*bed.store, json!({ "limits": { "timeout_ms": 1000 } }));
        run_script(&bed, &["ready", "fork=double", attack, "hang"]).await;
        assert!(!processes(&bed).iter().any(|one| is_alive(one)), "{attack}");
    }
}

#[tokio::test]
async fn without_a_supervisor_marked_processes_end() {
    let mut bed = TestBed::new(TestHost::default());
    bed.options.supervisor.clear();
    for how in ["child", "session", "double", "bomb"] {
        let _ = std::fs::remove_file(bed.work().join("forked"));
        let fork = format!("fork={how}");
        let runner = bed.start().await;
        let mut events = runner.events();
        let ticket = spawn(&runner, request(how, json!(["ready", fork, "exit=0"]))).await;
        crate::bed::until_ended(&runner, &mut events, &ticket.agent_id).await;
        assert!(!processes(&bed).iter().any(|one| is_alive(one)), "{how}");
    }
}

#[tokio::test]
async fn an_agent_of_a_different_host_lives_on() {
    let bed = TestBed::new(TestHost::default());
    let runner = bed.start().await;
    let ticket = spawn(&runner, request("T-1", json!(["ready", "hang"]))).await;
    // Two stores give the same id to tasks of the same name in the same millisecond.
    let mut foreign = std::process::Command::new("sleep")
        .arg("1000")
        .env("REPERTOIRE_AGENT", &ticket.agent_id)
        .env("REPERTOIRE_AGENT_HOST", "other:/state")
        .spawn()
        .unwrap();
    runner.cancel(&ticket.agent_id).await.unwrap();
    let lives = is_alive(&foreign.id().to_string());
    foreign.kill().unwrap();
    foreign.wait().unwrap();
    assert!(lives);
}
