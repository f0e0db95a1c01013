//! Pools with a maximum, and their queues.

use repertoire_agents::*;
use serde_json::json;

use crate::stores::{advance, on_every_store, profile, put_worker, request, reserve};

fn settings(max: u32, queue_max: u32, strategy: AllocationStrategy) -> PoolSettings {
    PoolSettings {
        max,
        queue_max,
        strategy,
        ..PoolSettings::default()
    }
}

fn placed(store: &dyn AgentStore, now: u64) -> Vec<String> {
    let agents = store.place_waiting(AgentPool::Implementation, now).unwrap();
    agents.into_iter().map(|agent| agent.task_id).collect()
}

#[test]
fn a_full_pool_queues_then_refuses() {
    on_every_store(|store| {
        put_worker(store);
        let pool = settings(1, 2, AllocationStrategy::Fifo);
        store.put_pool(AgentPool::Implementation, pool).unwrap();
        let first = reserve(store, &request("1"), 0);
        for key in ["2", "3", "2"] {
            assert_eq!(store.allocate(&request(key), 1).unwrap(), None);
        }
        assert!(matches!(
            store.allocate(&request("4"), 1),
            Err(StoreError::PoolFull(AgentPool::Implementation))
        ));
        advance(store, &first, AgentState::Terminated, 2).unwrap();
        // A newer request does not overtake those that wait.
        assert_eq!(store.allocate(&request("5"), 3).unwrap(), None);
        assert_eq!(reserve(store, &request("2"), 4).task_id, "task 2");
        // Other pools have places of their own.
        let other = AllocationRequest::new("task 6", AgentPool::Review, "6");
        assert_eq!(reserve(store, &other, 5).pool, AgentPool::Review);
    });
}

#[test]
fn a_request_that_must_wait_blocks_no_other() {
    on_every_store(|store| {
        for name in ["rare", "common"] {
            let limits = json!({ "max_concurrent_tasks": if name == "rare" { 1 } else { 9 } });
            let one = profile(json!({ "agent_type": name, "limits": limits }));
            store.put_profile(name, &one).unwrap();
        }
        let pool = settings(2, 9, AllocationStrategy::Fifo);
        store.put_pool(AgentPool::Implementation, pool).unwrap();
        let ask = |key: &str, agent_type: &str| {
            let mut request = request(key);
            request.agent_type = Some(agent_type.to_owned());
            request
        };
        reserve(store, &ask("1", "rare"), 0);
        let second = reserve(store, &ask("2", "common"), 0);
        for (key, agent_type) in [("3", "rare"), ("4", "rare"), ("5", "common")] {
            let answer = store.allocate(&ask(key, agent_type), 1).unwrap();
            assert_eq!(answer, None);
        }
        advance(store, &second, AgentState::Terminated, 2).unwrap();
        assert_eq!(placed(store, 3), ["task 5"]);
        assert_eq!(placed(store, 4), [""; 0]);
    });
}

#[test]
fn priority_goes_first_and_rises_with_time() {
    on_every_store(|store| {
        put_worker(store);
        let pool = settings(1, 9, AllocationStrategy::PriorityQueue);
        store.put_pool(AgentPool::Implementation, pool).unwrap();
        let mut last = reserve(store, &request("1"), 0);
        // One minute counts as one priority.
        for (key, priority, since) in [("low", 0, 0), ("high", 2, 0), ("late", 5, 360_000)] {
            let mut request = request(key);
            request.priority = priority;
            assert_eq!(store.allocate(&request, since).unwrap(), None);
        }
        let mut order = Vec::new();
        for _ in 0..3 {
            advance(store, &last, AgentState::Terminated, 360_001).unwrap();
            let mut agents = store
                .place_waiting(AgentPool::Implementation, 360_001)
                .unwrap();
            last = agents.pop().expect("one place is free");
            order.push(last.task_id.clone());
        }
        assert_eq!(order, ["task high", "task low", "task late"]);
    });
}

#[test]
fn requests_of_an_ended_parent_leave_the_queue() {
    on_every_store(|store| {
        put_worker(store);
        let pool = settings(1, 1, AllocationStrategy::Fifo);
        store.put_pool(AgentPool::Implementation, pool).unwrap();
        let parent = reserve(store, &request("1"), 0);
        let mut child = request("2");
        child.parent = Some(parent.id.clone());
        assert_eq!(store.allocate(&child, 1).unwrap(), None);
        advance(store, &parent, AgentState::Terminated, 2).unwrap();
        assert_eq!(placed(store, 3), [""; 0]);
        assert!(matches!(
            store.allocate(&child, 4),
            Err(StoreError::AgentEnded(AgentState::Terminated))
        ));
        assert_eq!(reserve(store, &request("3"), 5).task_id, "task 3");
    });
}
