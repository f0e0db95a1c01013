//! The records that an agent owes before it ends.

use repertoire_agents::*;
use serde_json::{Value, json};

use crate::stores::{advance, agent_in, on_every_store, profile, put_worker, write_back};

fn faults(result: Result<impl std::fmt::Debug, StoreError>) -> Vec<String> {
    match result {
        Err(StoreError::Writeback(faults)) => faults.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_empty_writeback_lacks_nine_fields() {
    on_every_store(|store| {
        put_worker(store);
        let agent = agent_in(store, AgentState::Busy, "1", 0);
        assert_eq!(
            faults(advance(store, &agent, AgentState::Terminated, 1)),
            [
                "`task.status`: missing; expected `done`, `cancelled` or `blocked`",
                "`task.progress`: missing; expected a whole number from 0 to 100",
                "`task.summary`: missing; expected text that is not blank",
                "`thought.task_id`: missing; expected `task 1`",
                "`thought.type`: missing; expected `reflection`",
                "`thought.branch`: missing; expected `feature/task-1`",
                "`thought.commit_sha`: missing; expected 7 to 64 hexadecimal digits",
                "`thought.tests_run`: missing; expected a list of texts",
                "`thought.blockers`: missing; expected a list of texts",
            ]
        );
        assert_eq!(store.agent(&agent.id).unwrap(), agent);
        assert_eq!(store.owed(&agent.id).unwrap().len(), 9);
        write_back(store, &agent, "done", 2);
        assert_eq!(store.owed(&agent.id).unwrap(), []);
    });
}

#[test]
fn each_field_has_a_rule() {
    on_every_store(|store| {
        put_worker(store);
        let agent = agent_in(store, AgentState::Busy, "1", 0);
        let check = |kind, record: Value, expected: &[&str]| {
            let result = store.write_back(&agent.id, 1, kind, &record, 1);
            match expected {
                [] => result.unwrap(),
                _ => assert_eq!(faults(result), expected, "{record}"),
            }
        };
        let task = |status: &str, progress: Value| json!({ "status": status, "progress": progress, "summary": "s" });
        let number = "`task.progress`: expected a whole number from 0 to 100";
        for progress in [json!(101), json!(-1), json!(1.5), json!("100")] {
            check(WritebackKind::TaskUpdate, task("done", progress), &[number]);
        }
        check(
            WritebackKind::TaskUpdate,
            task("done", json!(99)),
            &["`task.progress`: expected 100 for `done`, found 99"],
        );
        check(
            WritebackKind::TaskUpdate,
            json!({ "status": "finished", "progress": 3, "summary": " \n" }),
            &[
                "`task.status`: expected `done`, `cancelled` or `blocked`",
                "`task.summary`: expected text that is not blank",
            ],
        );
        check(WritebackKind::TaskUpdate, task("blocked", json!(40)), &[]);
        check(
            WritebackKind::ThoughtRecord,
            json!({
                "task_id": "task 2", "type": "plan", "branch": "main", "commit_sha": "none",
                "tests_run": "all", "blockers": [],
            }),
            &[
                "`thought.task_id`: expected `task 1`",
                "`thought.type`: expected `reflection`",
                "`thought.branch`: expected `feature/task-1`",
                "`thought.commit_sha`: expected 7 to 64 hexadecimal digits",
                "`thought.tests_run`: expected a list of texts",
                "`thought.blockers`: expected at least one for `blocked`",
            ],
        );
        check(
            WritebackKind::MemoryPack,
            json!({}),
            &["`memory.session_id`: missing; expected text that is not blank"],
        );
        check(
            WritebackKind::MemoryPack,
            json!({ "session_id": "s1" }),
            &[],
        );
    });
}

#[test]
fn a_reader_may_have_no_commit() {
    on_every_store(|store| {
        let reader = profile(json!({ "agent_type": "reader" }));
        store.put_profile("reader", &reader).unwrap();
        let agent = agent_in(store, AgentState::Busy, "1", 0);
        let thought = json!({
            "task_id": "task 1", "type": "reflection", "branch": agent.branch, "commit_sha": "none",
            "tests_run": [], "blockers": [],
        });
        let kind = WritebackKind::ThoughtRecord;
        store.write_back(&agent.id, 1, kind, &thought, 1).unwrap();
    });
}

#[test]
fn a_contract_that_warns_flags_the_orphan() {
    on_every_store(|store| {
        put_worker(store);
        let pool = PoolSettings {
            contract: WritebackContract::Warn,
            ..PoolSettings::default()
        };
        store.put_pool(AgentPool::Implementation, pool).unwrap();
        let orphan = agent_in(store, AgentState::Busy, "1", 0);
        let orphan = advance(store, &orphan, AgentState::Terminated, 1).unwrap();
        assert!(orphan.orphaned);
        // It ended in order, and nothing states that its task failed.
        let worker = store.profiles().unwrap().remove(0).1;
        assert_eq!(
            serde_json::to_value(worker).unwrap()["history"],
            json!({ "successes": 1.0, "failures": 0.0, "cancelled": 0, "total_ms": 1.0 })
        );
        // A second agent of the same task does not hide the first.
        let same = AllocationRequest::new(&orphan.task_id, AgentPool::Implementation, "2");
        let mut other = crate::stores::reserve(store, &same, 2);
        for next in [
            AgentState::Initializing,
            AgentState::Ready,
            AgentState::Busy,
        ] {
            other = advance(store, &other, next, 2).unwrap();
        }
        write_back(store, &other, "done", 3);
        assert!(
            !advance(store, &other, AgentState::Terminated, 4)
                .unwrap()
                .orphaned
        );
        // A reservation that was cancelled owes nothing.
        agent_in(store, AgentState::Terminated, "3", 5);
        let report = store.orphans(6).unwrap();
        let ids = vec![orphan.id.clone()];
        assert_eq!((&report.orphans, &report.alerts), (&ids, &ids));
        assert_eq!(store.reap(6).unwrap(), report);
        let again = store.reap(7).unwrap();
        assert_eq!((again.orphans, again.alerts), (ids, Vec::new()));
    });
}

#[test]
fn each_task_needs_a_writeback_of_its_own() {
    on_every_store(|store| {
        put_worker(store);
        let agent = agent_in(store, AgentState::Busy, "1", 0);
        write_back(store, &agent, "done", 1);
        let agent = advance(store, &agent, AgentState::Ready, 2).unwrap();
        let early = json!({ "status": "done", "progress": 100, "summary": "s" });
        let early = store.write_back(&agent.id, 1, WritebackKind::TaskUpdate, &early, 3);
        assert!(matches!(early, Err(StoreError::StateConflict { .. })));
        let assign = crate::stores::transition(AgentState::Ready, AgentState::Busy)
            .unwrap()
            .on_task("Next: one");
        let agent = store.advance(&agent.id, 1, &assign, 4).unwrap();
        assert_eq!(
            (agent.task_id.as_str(), agent.branch.as_str()),
            ("Next: one", "feature/next-one")
        );
        assert_eq!(
            faults(advance(store, &agent, AgentState::Terminated, 5)).len(),
            9
        );
        write_back(store, &agent, "cancelled", 6);
        advance(store, &agent, AgentState::Terminated, 7).unwrap();
    });
}

#[test]
fn a_profile_for_one_task_ends_after_it() {
    on_every_store(|store| {
        let once = profile(json!({ "agent_type": "once" }));
        store.put_profile("once", &once).unwrap();
        let agent = agent_in(store, AgentState::Busy, "1", 0);
        write_back(store, &agent, "done", 1);
        let again = advance(store, &agent, AgentState::Ready, 2);
        assert_eq!(
            again.unwrap_err().to_string(),
            "the profile `once` is not reusable"
        );
        advance(store, &agent, AgentState::Terminated, 3).unwrap();
    });
}
