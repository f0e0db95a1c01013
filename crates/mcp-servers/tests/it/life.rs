//! Starting, restarting, pausing and ending servers.

use std::time::{Duration, Instant};

use futures_util::FutureExt;
use repertoire_mcp_servers::{
    CallError, ServerState, SupervisedServer, ToolAccess, ToolProvider, ToolRules,
};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Map, json};

use crate::programs::{call, names, object, shell, supervising, until, until_state};

fn process(text: &str) -> Pid {
    Pid::from_raw(text.parse().unwrap()).unwrap()
}

/// Waits until the process is gone.
async fn ended(process: Pid) {
    let begun = Instant::now();
    while test_kill_process(process).is_ok() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{process:?}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn the_first_listing_starts_servers_on_demand() {
    let supervisor = supervising(vec![shell("one")]).await;
    let status = supervisor.status();
    assert_eq!(
        (status[0].state, status[0].tools),
        (ServerState::Stopped, None)
    );
    assert_eq!(names(&supervisor), [""; 0]);
    let status = until_state(&supervisor, ServerState::Running).await;
    assert_eq!((status.tools, status.restarts), (Some(4), 0));
    let expected = ["crash", "hang", "more", "process"].map(|tool| format!("mcp__one__{tool}"));
    assert_eq!(names(&supervisor), expected);
    supervisor.stop().await;
}

#[tokio::test]
async fn a_known_table_starts_no_server() {
    let supervisor = supervising(vec![shell("one")]).await;
    let access = ToolAccess::new(std::sync::Arc::new(supervisor.clone()));
    let rules = ToolRules::default;
    access.set_rules([("one", rules())]);
    access.table();
    until_state(&supervisor, ServerState::Running).await;
    supervisor.apply(vec![shell("one"), shell("two")]).await;
    access.set_rules([("one", rules()), ("two", rules())]);
    assert_eq!(access.known_table().tools().count(), 4);
    // A server that was needed would be started before these calls are answered.
    for _ in 0..10 {
        call(&supervisor, "one", "process").await;
    }
    assert_eq!(supervisor.status()[1].state, ServerState::Stopped);
    access.table();
    until(&supervisor, |status| {
        *status.id == *"two" && status.state == ServerState::Running
    })
    .await;
    assert_eq!(access.known_table().tools().count(), 8);
}

#[tokio::test]
async fn a_server_that_failed_lists_nothing() {
    let mut server = SupervisedServer::program("dead", "/none/dead", [""; 0]);
    server.starts_at_once = true;
    let supervisor = supervising(vec![server]).await;
    let mut revision = supervisor.revision();
    until(&supervisor, |status| status.last_error.is_some()).await;
    // It is started again, and nothing is expected of it in between.
    while supervisor.status()[0].restarts < 3 {
        revision.borrow_and_update();
        assert!(!supervisor.is_listing("dead"), "{supervisor:?}");
        revision.changed().await.unwrap();
    }
}

#[tokio::test]
async fn a_call_starts_a_server_on_demand() {
    let supervisor = supervising(vec![shell("one")]).await;
    let first = call(&supervisor, "one", "process").await;
    assert_eq!(call(&supervisor, "one", "process").await, first);
    assert_eq!(
        call(&supervisor, "one", "nothing").await,
        "the MCP server `one` has no tool `nothing`"
    );
    assert_eq!(
        call(&supervisor, "two", "process").await,
        "there is no MCP server `two`"
    );
    supervisor.stop().await;
    ended(process(&first)).await;
    assert_eq!(
        call(&supervisor, "one", "process").await,
        "there is no MCP server `one`"
    );
}

#[tokio::test]
async fn an_idle_server_stops_and_keeps_its_tools() {
    let mut server = shell("one");
    server.idle = Duration::from_millis(1);
    let supervisor = supervising(vec![server]).await;
    let first = call(&supervisor, "one", "process").await;
    let status = until_state(&supervisor, ServerState::Stopped).await;
    assert_eq!((status.tools, status.last_error), (Some(4), None));
    ended(process(&first)).await;
    assert_ne!(call(&supervisor, "one", "process").await, first);
}

#[tokio::test]
async fn changes_of_the_tools_are_followed() {
    let supervisor = supervising(vec![shell("one")]).await;
    assert_eq!(call(&supervisor, "one", "more").await, "more");
    until(&supervisor, |status| status.tools == Some(5)).await;
    assert!(names(&supervisor).contains(&"mcp__one__added".to_owned()));
}

#[tokio::test]
async fn the_call_after_a_crash_restarts() {
    let supervisor = supervising(vec![shell("one")]).await;
    let first = call(&supervisor, "one", "process").await;
    assert_eq!(
        call(&supervisor, "one", "crash").await,
        "the MCP server `one` ended before `crash` answered: the server closed the connection; \
         the last line of its standard error: out of paper"
    );
    assert_ne!(call(&supervisor, "one", "process").await, first);
    let status = until_state(&supervisor, ServerState::Running).await;
    assert_eq!(status.restarts, 1);
    assert_eq!(
        status.last_error.as_deref(),
        Some("the server closed the connection; the last line of its standard error: out of paper")
    );
}

#[tokio::test]
async fn a_server_at_once_restarts_by_itself() {
    let mut server = shell("one");
    server.starts_at_once = true;
    let supervisor = supervising(vec![server]).await;
    until_state(&supervisor, ServerState::Running).await;
    let first = call(&supervisor, "one", "process").await;
    kill_process(process(&first), Signal::KILL).unwrap();
    until(&supervisor, |status| {
        status.restarts == 1 && status.state == ServerState::Running
    })
    .await;
    assert_ne!(call(&supervisor, "one", "process").await, first);
    assert!(supervisor.restart("one"));
    until(&supervisor, |status| {
        status.restarts == 2 && status.state == ServerState::Running
    })
    .await;
    assert!(!supervisor.restart("two"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_waits_long_for_killed_servers() {
    const KILLS: usize = 100;
    const CALLERS: usize = 4;
    let supervisor = supervising(vec![shell("one")]).await;
    call(&supervisor, "one", "process").await;
    let (done, ended) = tokio::sync::watch::channel(false);
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let (supervisor, ended) = (supervisor.clone(), ended.clone());
            tokio::spawn(async move {
                let (mut longest, mut answers, mut errors) = (Duration::ZERO, 0, 0);
                while !*ended.borrow() {
                    let begun = Instant::now();
                    match supervisor.call("one", "process", Map::new()).await {
                        Ok(_) => answers += 1,
                        Err(CallError::Ended { .. } | CallError::NotRunning { .. }) => errors += 1,
                        Err(error) => panic!("{error}"),
                    }
                    longest = longest.max(begun.elapsed());
                }
                (longest, answers, errors)
            })
        })
        .collect();
    let mut killed = 0;
    while killed < KILLS {
        if let Ok(answer) = supervisor.call("one", "process", Map::new()).await {
            let id = answer["content"][0]["text"].as_str().unwrap().to_owned();
            killed += usize::from(kill_process(process(&id), Signal::KILL).is_ok());
        }
    }
    done.send_replace(true);
    for caller in callers {
        let (longest, answers, errors) = caller.await.unwrap();
        eprintln!("longest {longest:?}, {answers} answers, {errors} errors");
        assert!(longest < Duration::from_secs(5), "{longest:?}");
        assert!(answers > 0);
    }
    assert!(supervisor.status()[0].restarts >= 99, "{supervisor:?}");
}

#[tokio::test]
async fn only_a_changed_server_restarts() {
    let servers = || vec![shell("one"), shell("two"), shell("three")];
    let supervisor = supervising(servers()).await;
    let mut before = Vec::new();
    for id in ["one", "two", "three"] {
        before.push(call(&supervisor, id, "process").await);
    }
    let mut changed = servers();
    changed[1].env.insert("COLOUR".into(), "blue".into());
    let applied = supervisor.apply(changed.clone()).await;
    assert_eq!(
        (
            applied.added,
            applied.restarted,
            applied.removed,
            applied.kept
        ),
        (0, 1, 0, 2)
    );
    let mut after = Vec::new();
    for id in ["one", "two", "three"] {
        after.push(call(&supervisor, id, "process").await);
    }
    let same: Vec<_> = before.iter().zip(&after).map(|(a, b)| a == b).collect();
    assert_eq!(same, [true, false, true]);
    ended(process(&before[1])).await;
    changed.truncate(1);
    let applied = supervisor.apply(changed).await;
    assert_eq!((applied.removed, applied.kept), (2, 1));
    ended(process(&after[1])).await;
    ended(process(&after[2])).await;
    assert_eq!(call(&supervisor, "one", "process").await, before[0]);
}

#[tokio::test]
async fn nothing_begins_during_a_pause() {
    let supervisor = supervising(vec![shell("one"), shell("two")]).await;
    let running = call(&supervisor, "one", "process").await;
    supervisor.pause();
    let refused = supervisor.call("one", "process", Map::new()).await;
    assert_eq!(
        refused.unwrap_err().to_string(),
        "the MCP server `one` is running: nothing begins during a pause; `process` was not called"
    );
    let refused = call(&supervisor, "two", "process").await;
    assert!(
        refused.contains("nothing begins during a pause"),
        "{refused}"
    );
    supervisor.resume();
    assert_eq!(call(&supervisor, "one", "process").await, running);
    call(&supervisor, "two", "process").await;
}

#[tokio::test]
async fn dropping_the_supervisor_ends_its_servers() {
    let supervisor = supervising(vec![shell("one")]).await;
    let running = call(&supervisor, "one", "process").await;
    drop(supervisor);
    ended(process(&running)).await;
}

#[tokio::test(start_paused = true)]
async fn the_supervisor_gives_up_and_tries_again() {
    let server = SupervisedServer::program("one", "/no/such/program", [""; 0]);
    let supervisor = supervising(vec![server]).await;
    names(&supervisor);
    let status = until_state(&supervisor, ServerState::Failed).await;
    let error = "`/no/such/program` cannot be started: No such file or directory (os error 2)";
    assert_eq!(
        (status.restarts, status.last_error.as_deref()),
        (7, Some(error))
    );
    assert_eq!(
        call(&supervisor, "one", "process").await,
        format!("the MCP server `one` is failed: {error}; `process` was not called")
    );
    supervisor.restart("one");
    until(&supervisor, |status| status.restarts >= 8).await;
}

#[tokio::test]
async fn a_dropped_call_leaves_whole_lines() {
    let supervisor = supervising(vec![shell("sh")]).await;
    let before = call(&supervisor, "sh", "process").await;
    // More than a pipe takes at once.
    let large = object(json!({"text": "x".repeat(1 << 20)}));
    let dropped = supervisor.call("sh", "hang", large).now_or_never();
    assert!(dropped.is_none());
    assert_eq!(call(&supervisor, "sh", "process").await, before);
}
