//! The suite that every store passes: its harness, and the promises about single agents.

use std::cell::RefCell;
use std::sync::Barrier;

use repertoire_agents::*;
use serde_json::json;

/// Runs a test on an empty store of each kind.
pub(crate) fn on_every_store(test: impl Fn(&dyn AgentStore)) {
    test(&MemoryAgentStore::default());
    #[cfg(feature = "sqlite")]
    {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = SqliteAgentStore::open(folder.path().join("agents.db"));
        test(&store.expect("an empty folder takes a store"));
    }
    #[cfg(feature = "postgres")]
    if let Some(database) = Database::create() {
        test(&database.store());
    }
}

/// A database of the server whose socket is in `REPERTOIRE_TEST_POSTGRES`, dropped at the end.
#[cfg(feature = "postgres")]
pub(crate) struct Database {
    server: String,
    name: String,
}

#[cfg(feature = "postgres")]
impl Database {
    /// Creates an empty database; `None` if the tests have no server.
    pub(crate) fn create() -> Option<Database> {
        let Ok(folder) = std::env::var("REPERTOIRE_TEST_POSTGRES") else {
            eprintln!(
                "SKIPPED, not checked: `REPERTOIRE_TEST_POSTGRES` names no folder of a server's socket"
            );
            return None;
        };
        let port = std::env::var("REPERTOIRE_TEST_POSTGRES_PORT");
        let port = port.unwrap_or_else(|_| "5432".to_owned());
        let server = format!("host={folder} port={port} user=agents");
        let name = format!("suite_{}", fastrand::u64(..));
        let database = Database { server, name };
        database.execute_on_server(&format!("CREATE DATABASE {}", database.name));
        Some(database)
    }

    /// Returns the parts of an address for TCP: the port and the database.
    pub(crate) fn on_port(&self, port: &str) -> String {
        format!("port={port} user=agents dbname={}", self.name)
    }

    pub(crate) fn address(&self) -> String {
        format!("{} dbname={}", self.server, self.name)
    }

    pub(crate) fn store(&self) -> PostgresAgentStore {
        let store = PostgresAgentStore::connect(&self.address());
        store.expect("an empty database takes a store")
    }

    /// Returns a connection that sees the tables.
    pub(crate) fn client(&self) -> postgres::Client {
        let mut client = postgres::Client::connect(&self.address(), postgres::NoTls).unwrap();
        let path = "SET search_path TO repertoire_agents";
        client.batch_execute(path).unwrap();
        client
    }

    fn execute_on_server(&self, statement: &str) {
        let address = format!("{} dbname=postgres", self.server);
        let mut client = postgres::Client::connect(&address, postgres::NoTls).unwrap();
        client.batch_execute(statement).unwrap();
    }
}

#[cfg(feature = "postgres")]
impl Drop for Database {
    fn drop(&mut self) {
        self.execute_on_server(&format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}

pub(crate) fn profile(value: serde_json::Value) -> CapabilityProfile {
    serde_json::from_value(value).expect("a profile")
}

/// Adds one profile without limits that matter.
pub(crate) fn put_worker(store: &dyn AgentStore) {
    let worker = profile(json!({
        "agent_type": "worker",
        "reusable": true,
        "permissions": { "tools": ["*"], "write_access": true },
        "limits": { "max_concurrent_tasks": 1000 },
    }));
    store.put_profile("worker", &worker).unwrap();
}

pub(crate) fn request(key: &str) -> AllocationRequest {
    AllocationRequest::new(format!("task {key}"), AgentPool::Implementation, key)
}

pub(crate) fn reserve(
    store: &dyn AgentStore,
    request: &AllocationRequest,
    now: u64,
) -> AgentRecord {
    let agent = store.allocate(request, now).unwrap();
    agent.unwrap_or_else(|| panic!("{request:?} waits"))
}

/// Returns the transition by whichever actor may make it.
pub(crate) fn transition(from: AgentState, to: AgentState) -> Option<Transition> {
    let actors = [Actor::Parent, Actor::Agent, Actor::Scheduler];
    let mut found = actors
        .into_iter()
        .filter_map(|actor| Lifecycle::default().transition(from, to, actor).ok());
    found.next()
}

pub(crate) fn advance(
    store: &dyn AgentStore,
    agent: &AgentRecord,
    to: AgentState,
    now: u64,
) -> Result<AgentRecord, StoreError> {
    let mut step = transition(agent.state, to).expect("a legal pair");
    if to == AgentState::Failed {
        step = step.because(FailReason::Crash);
    }
    store.advance(&agent.id, agent.epoch, &step, now)
}

/// Returns the states from the reservation to `state`.
pub(crate) fn path_to(state: AgentState) -> &'static [AgentState] {
    use AgentState::{Busy, Failed, Initializing, Pending, Ready, Terminated};
    match state {
        Pending => &[],
        Initializing => &[Initializing],
        Ready => &[Initializing, Ready],
        Busy => &[Initializing, Ready, Busy],
        Terminated => &[Terminated],
        Failed => &[Failed],
    }
}

/// Reserves an agent and brings it to the state.
pub(crate) fn agent_in(
    store: &dyn AgentStore,
    state: AgentState,
    key: &str,
    now: u64,
) -> AgentRecord {
    let mut agent = reserve(store, &request(key), now);
    for next in path_to(state) {
        agent = advance(store, &agent, *next, now).unwrap();
    }
    agent
}

/// Stores the two records that the agent owes.
pub(crate) fn write_back(store: &dyn AgentStore, agent: &AgentRecord, status: &str, now: u64) {
    let progress = if status == "done" { 100 } else { 40 };
    let task = json!({ "status": status, "progress": progress, "summary": "moved the parser" });
    let thought = json!({
        "task_id": agent.task_id,
        "type": "reflection",
        "branch": agent.branch,
        "commit_sha": "0123abc",
        "tests_run": ["unit"],
        "blockers": if status == "blocked" { json!(["no access"]) } else { json!([]) },
    });
    for (kind, record) in [
        (WritebackKind::TaskUpdate, &task),
        (WritebackKind::ThoughtRecord, &thought),
    ] {
        store
            .write_back(&agent.id, agent.epoch, kind, record, now)
            .unwrap();
    }
}

pub(crate) fn events(store: &dyn AgentStore, id: &str) -> Vec<String> {
    let entries = store.audit(id).unwrap().into_iter();
    entries
        .map(|entry| {
            let state = |state: Option<String>| state.unwrap_or_else(|| "-".to_owned());
            format!(
                "{} {} {} {} {}",
                entry.at,
                entry.actor,
                entry.event,
                state(entry.from),
                state(entry.to)
            )
        })
        .collect()
}

#[test]
fn all_pairs_of_states_on_every_store() {
    on_every_store(|store| {
        put_worker(store);
        let pool = PoolSettings {
            max: 100,
            ..PoolSettings::default()
        };
        store.put_pool(AgentPool::Implementation, pool).unwrap();
        let mut legal = 0;
        for from in AgentState::ALL {
            for to in AgentState::ALL {
                let agent = agent_in(store, from, &format!("{from} {to}"), 0);
                if from == AgentState::Busy {
                    write_back(store, &agent, "done", 1);
                }
                if transition(from, to).is_some() {
                    legal += 1;
                    assert_eq!(advance(store, &agent, to, 2).unwrap().state, to);
                }
                // No transition that starts elsewhere moves the agent.
                let agent = store.agent(&agent.id).unwrap();
                for other in AgentState::ALL {
                    let step = transition(other, to).map(|step| step.because(FailReason::Crash));
                    let Some(step) = step.filter(|_| other != agent.state) else {
                        continue;
                    };
                    let refused = store.advance(&agent.id, agent.epoch, &step, 3);
                    assert!(matches!(
                        refused,
                        Err(StoreError::StateConflict { expected, found })
                            if expected == other && found == agent.state
                    ));
                    assert_eq!(store.agent(&agent.id).unwrap(), agent);
                }
            }
        }
        assert_eq!(legal, 11);
        store.verify_audit().unwrap();
    });
}

#[test]
fn a_life_leaves_its_rows_in_the_log() {
    on_every_store(|store| {
        put_worker(store);
        let agent = agent_in(store, AgentState::Busy, "1", 10);
        let early = advance(store, &agent, AgentState::Terminated, 11);
        assert!(matches!(early, Err(StoreError::Writeback(_))));
        write_back(store, &agent, "done", 12);
        let agent = advance(store, &agent, AgentState::Terminated, 13).unwrap();
        assert_eq!(
            events(store, &agent.id),
            [
                "10 allocator allocated - PENDING",
                "10 parent transition PENDING INITIALIZING",
                "10 agent transition INITIALIZING READY",
                "10 scheduler transition READY BUSY",
                "11 agent rejected BUSY -",
                "12 agent recorded BUSY BUSY",
                "12 agent recorded BUSY BUSY",
                "13 agent transition BUSY TERMINATED",
            ]
        );
        assert_eq!(store.verify_audit().unwrap().len(), 8);
    });
}

#[test]
fn stores_agree_on_every_value() {
    let lives = RefCell::new(Vec::new());
    on_every_store(|store| {
        put_worker(store);
        let busy = agent_in(store, AgentState::Busy, "1", 10);
        write_back(store, &busy, "blocked", 20);
        advance(store, &busy, AgentState::Ready, 30).unwrap();
        agent_in(store, AgentState::Initializing, "2", 40);
        agent_in(store, AgentState::Failed, "3", 50);
        let report = store.reap(100_000).unwrap();
        lives.borrow_mut().push((
            store.agents().unwrap(),
            store.profiles().unwrap(),
            store.audit(&busy.id).unwrap(),
            report,
        ));
    });
    let lives = lives.into_inner();
    assert!(
        lives.windows(2).all(|pair| pair[0] == pair[1]),
        "{lives:#?}"
    );
}

#[test]
fn one_key_gets_one_agent() {
    on_every_store(|store| {
        put_worker(store);
        let first = reserve(store, &request("1"), 0);
        let second = reserve(store, &request("1"), 9);
        assert_eq!(first, second);
        assert_eq!(
            events(store, &first.id),
            ["0 allocator allocated - PENDING"]
        );
    });
}

#[test]
fn a_hundred_allocators_share_two_places() {
    on_every_store(|store| {
        put_worker(store);
        let pool = PoolSettings {
            max: 2,
            queue_max: 0,
            ..PoolSettings::default()
        };
        store.put_pool(AgentPool::Implementation, pool).unwrap();
        let start = Barrier::new(100);
        let reserved = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..100)
                .map(|number| {
                    let start = &start;
                    scope.spawn(move || {
                        start.wait();
                        match store.allocate(&request(&number.to_string()), 0) {
                            Ok(Some(_)) => 1,
                            Err(StoreError::PoolFull(_)) => 0,
                            other => panic!("{other:?}"),
                        }
                    })
                })
                .collect();
            let counts = threads.into_iter().map(|thread| thread.join().unwrap());
            counts.sum::<u32>()
        });
        assert_eq!((reserved, store.agents().unwrap().len()), (2, 2));
        assert_eq!(store.verify_audit().unwrap().len(), 2);
    });
}

#[test]
fn a_lost_agent_cannot_write() {
    on_every_store(|store| {
        put_worker(store);
        let agent = agent_in(store, AgentState::Busy, "1", 0);
        store.heartbeat(&agent.id, 1, 10_000).unwrap();
        assert_eq!(store.orphans(40_000).unwrap(), OrphanReport::default());
        let report = store.orphans(40_001).unwrap();
        assert_eq!(report.lapsed, std::slice::from_ref(&agent.id));
        assert_eq!(store.reap(40_001).unwrap(), report);
        assert_eq!(store.reap(40_002).unwrap(), OrphanReport::default());
        let lost = store.agent(&agent.id).unwrap();
        assert_eq!(
            (lost.state, lost.epoch, lost.fail_reason),
            (AgentState::Failed, 2, Some(FailReason::LeaseExpired))
        );
        let end = transition(AgentState::Busy, AgentState::Terminated).unwrap();
        for late in [
            store.heartbeat(&agent.id, 1, 40_003),
            store.advance(&agent.id, 1, &end, 40_003).map(drop),
            store.write_back(&agent.id, 1, WritebackKind::TaskUpdate, &json!({}), 40_003),
        ] {
            assert!(matches!(
                late,
                Err(StoreError::StaleEpoch {
                    given: 1,
                    current: 2
                })
            ));
        }
    });
}

#[test]
fn a_stale_reservation_frees_its_place() {
    on_every_store(|store| {
        put_worker(store);
        let agent = reserve(store, &request("1"), 0);
        assert_eq!(store.reap(60_000).unwrap(), OrphanReport::default());
        assert_eq!(
            store.reap(60_001).unwrap().stale_reservations,
            std::slice::from_ref(&agent.id)
        );
        let state = store.agent(&agent.id).unwrap().state;
        assert_eq!(state, AgentState::Terminated);
    });
}

#[test]
fn a_failure_needs_a_reason() {
    on_every_store(|store| {
        put_worker(store);
        let agent = reserve(store, &request("1"), 0);
        let step = transition(AgentState::Pending, AgentState::Failed).unwrap();
        let refused = store.advance(&agent.id, 1, &step, 1);
        assert_eq!(
            refused.unwrap_err().to_string(),
            "expected a reason for the state `FAILED`"
        );
        assert_eq!(store.agent(&agent.id).unwrap(), agent);
    });
}
