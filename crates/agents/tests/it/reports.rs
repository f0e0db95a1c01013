//! The reports of a host about its agents: phases, folders and heartbeats.

use repertoire_agents::*;

use crate::stores::{
    advance, agent_in, events, on_every_store, path_to, put_worker, request, reserve,
};

#[test]
fn a_busy_agent_reports_its_phases() {
    on_every_store(|store| {
        put_worker(store);
        let ready = agent_in(store, AgentState::Ready, "1", 0);
        let early = store.checkpoint(&ready.id, 1, AgentPhase::Gather, "", 1);
        assert!(matches!(early, Err(StoreError::StateConflict { .. })));
        let agent = advance(store, &ready, AgentState::Busy, 2).unwrap();
        for (at, phase) in (3..).zip(AgentPhase::ALL) {
            store
                .checkpoint(&agent.id, 1, phase, "it's \u{1f980}", at)
                .unwrap();
        }
        let stale = store.checkpoint(&agent.id, 2, AgentPhase::Plan, "", 8);
        assert!(matches!(stale, Err(StoreError::StaleEpoch { .. })));
        let ended = advance(store, &agent, AgentState::Failed, 9).unwrap();
        let late = store.checkpoint(&ended.id, 1, AgentPhase::Plan, "", 10);
        assert!(matches!(late, Err(StoreError::StateConflict { .. })));
        let stored = store.checkpoints(&agent.id).unwrap();
        let stored = stored.iter().map(|one| {
            assert_eq!((&*one.task_id, &*one.note), ("task 1", "it's \u{1f980}"));
            format!("{} {}", one.at, one.phase)
        });
        assert_eq!(
            stored.collect::<Vec<_>>(),
            ["3 GATHER", "4 ANALYZE", "5 PLAN", "6 APPLY", "7 VERIFY"]
        );
        let events = events(store, &agent.id);
        assert_eq!(events[3], "1 agent rejected READY -");
        assert_eq!(events[5], "3 agent checkpoint BUSY BUSY");
        assert_eq!(events[10], "8 agent rejected BUSY -");
        store.verify_audit().unwrap();
    });
}

#[test]
fn a_worktree_is_known_before_it_is_made() {
    on_every_store(|store| {
        put_worker(store);
        let mut ask = request("1");
        ask.host = Some("host a".to_owned());
        let agent = reserve(store, &ask, 0);
        assert_eq!(
            (agent.host.as_deref(), agent.worktree),
            (Some("host a"), None)
        );
        let record = |epoch| store.record_worktree(&agent.id, epoch, "feature/x", "/w/x", 1);
        let recorded = record(1).unwrap();
        assert_eq!(
            (recorded.branch.as_str(), recorded.worktree.as_deref()),
            ("feature/x", Some("/w/x"))
        );
        assert!(matches!(record(2), Err(StoreError::StaleEpoch { .. })));
        let mut agent = recorded;
        for next in path_to(AgentState::Busy) {
            agent = advance(store, &agent, *next, 2).unwrap();
        }
        assert_eq!(agent.branch, "feature/x");
        assert!(matches!(record(1), Err(StoreError::StateConflict { .. })));
        advance(store, &agent, AgentState::Failed, 3).unwrap();
        assert!(matches!(record(1), Err(StoreError::AgentEnded(_))));
        assert_eq!(
            events(store, &agent.id)[1],
            "1 parent worktree PENDING PENDING"
        );
    });
}

#[test]
fn hostile_names_are_refused_alike() {
    on_every_store(|store| {
        put_worker(store);
        let agent = agent_in(store, AgentState::Busy, "1", 0);
        let before = store.agents().unwrap();
        for name in ["", "a\0b", "a\nb", "\u{9b}31m", &"x".repeat(1025)] {
            let pool = AgentPool::Implementation;
            let refused = [
                store.put_profile(name, &store.profiles().unwrap()[0].1),
                store
                    .allocate(&AllocationRequest::new(name, pool, "2"), 1)
                    .map(drop),
                store
                    .allocate(&AllocationRequest::new("T", pool, name), 1)
                    .map(drop),
                store.record_worktree(&agent.id, 1, "b", name, 1).map(drop),
            ];
            for result in refused {
                assert!(matches!(result, Err(StoreError::Refused(_))), "{result:?}");
            }
            let unknown = store.agent(name);
            assert!(matches!(unknown, Err(StoreError::UnknownAgent(_))));
            assert!(store.audit(name).unwrap().is_empty());
            assert!(store.checkpoints(name).unwrap().is_empty());
        }
        let note = store.checkpoint(&agent.id, 1, AgentPhase::Plan, "\0", 1);
        assert!(matches!(note, Err(StoreError::Refused(_))));
        let mut child = request("3");
        child.parent = Some("'; DROP TABLE agents; --".to_owned());
        assert!(matches!(
            store.allocate(&child, 1),
            Err(StoreError::UnknownAgent(_))
        ));
        // Everything else is only text.
        let odd = "'; DROP TABLE agents; -- $1 ?1 \u{202e}\u{1f980} ../..";
        let odd = AllocationRequest::new(odd, AgentPool::Review, odd);
        let agent = reserve(store, &odd, 1);
        assert_eq!(agent.branch, "feature/drop-table-agents-1-1");
        assert_eq!(store.agent(&agent.id).unwrap(), agent);
        assert_eq!(store.agents().unwrap().len(), before.len() + 1);
        store.verify_audit().unwrap();
    });
}

#[test]
fn a_pool_sets_the_length_of_leases() {
    on_every_store(|store| {
        put_worker(store);
        let pool = PoolSettings {
            lease_ms: 70,
            ..PoolSettings::default()
        };
        store.put_pool(AgentPool::Implementation, pool).unwrap();
        assert_eq!(store.pool(AgentPool::Implementation).unwrap(), pool);
        let agent = agent_in(store, AgentState::Busy, "1", 100);
        assert_eq!(agent.lease_expires_at, Some(170));
        store.heartbeat(&agent.id, 1, 150).unwrap();
        let agent = store.agent(&agent.id).unwrap();
        assert_eq!(agent.lease_expires_at, Some(220));
    });
}
