//! Several processes on one store, one of which is killed.

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};

use repertoire_agents::*;

#[cfg(feature = "postgres")]
use crate::stores::Database;
use crate::stores::{put_worker, transition};

const PLACES: u32 = 2;
const ADDRESS: &str = "REPERTOIRE_TEST_DATABASE";

/// Opens the file or the database that a host shares.
fn open(address: &str) -> Box<dyn AgentStore> {
    #[cfg(feature = "postgres")]
    if address.starts_with("host=") {
        return Box::new(PostgresAgentStore::connect(address).unwrap());
    }
    Box::new(SqliteAgentStore::open(address).unwrap())
}

/// Reserves and releases places until it is killed. Only a process that the other tests start does something.
#[test]
fn allocating_host() {
    let Ok(address) = std::env::var(ADDRESS) else {
        return;
    };
    let store = open(&address);
    for number in 0.. {
        let key = format!("{} {number}", std::process::id());
        let request = AllocationRequest::new("T", AgentPool::Research, key);
        match store.allocate(&request, 0) {
            Ok(Some(agent)) => {
                let end = transition(AgentState::Pending, AgentState::Terminated).unwrap();
                match store.advance(&agent.id, agent.epoch, &end, 1) {
                    // The other test found the reservation stale.
                    Ok(_) | Err(StoreError::StateConflict { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
            }
            Ok(None) | Err(StoreError::PoolFull(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

fn start_host(address: &str) -> Child {
    let program = std::env::current_exe().unwrap();
    Command::new(program)
        .args(["--exact", "hosts::allocating_host"])
        .env(ADDRESS, address)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn sqlite_gives_no_place_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agents.db");
    kill_hosts(path.to_str().unwrap());
}

#[cfg(feature = "postgres")]
#[test]
fn postgres_gives_no_place_twice() {
    if let Some(database) = Database::create() {
        kill_hosts(&database.address());
    }
}

/// Kills a host again and again while two of them reserve places.
fn kill_hosts(address: &str) {
    let store = open(address);
    let store = store.as_ref();
    put_worker(store);
    let pool = PoolSettings {
        max: PLACES,
        queue_max: 0,
        ..PoolSettings::default()
    };
    store.put_pool(AgentPool::Research, pool).unwrap();
    let mut second = start_host(address);
    for _ in 0..10 {
        let before = store.verify_audit().unwrap().len();
        let mut killed = start_host(address);
        while store.verify_audit().unwrap().len() < before + 50 {
            std::thread::yield_now();
        }
        killed.kill().unwrap();
        killed.wait().unwrap();
        // Places of a killed host are free again once their reservation is stale.
        store.reap(60_001).unwrap();
    }
    second.kill().unwrap();
    second.wait().unwrap();
    let mut living = BTreeSet::new();
    for agent in store.agents().unwrap() {
        for entry in store.audit(&agent.id).unwrap() {
            living.insert((entry.seq, entry.to, agent.id.clone()));
        }
    }
    let mut open = BTreeSet::new();
    for (seq, to, id) in living {
        match to.as_deref() {
            Some("PENDING") => open.insert(id),
            _ => open.remove(&id),
        };
        assert!(open.len() <= PLACES as usize, "at row {seq}: {open:?}");
    }
    store.verify_audit().unwrap();
}
