//! The file: its triggers, its versions and its log.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rusqlite::Connection;
use tempfile::TempDir;

use super::{SqliteAgentStore, schema};
use crate::{
    Actor, AgentPool, AgentState, AgentStore, AllocationRequest, CapabilityProfile, Lifecycle,
    PoolSettings, StoreError,
};

fn file() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("agents.db");
    (folder, path)
}

fn put_worker(store: &SqliteAgentStore) {
    let text = r#"{ "agent_type": "worker", "limits": { "max_concurrent_tasks": 99999 } }"#;
    let worker: CapabilityProfile = serde_json::from_str(text).unwrap();
    store.put_profile("worker", &worker).unwrap();
}

fn reserve(store: &SqliteAgentStore, key: &str) -> String {
    let request = AllocationRequest::new("T", AgentPool::Research, key);
    let agent = store.allocate(&request, 0).unwrap();
    agent.expect("the pool has places").id
}

fn insert(raw: &Connection, id: &str, state: AgentState) -> rusqlite::Result<usize> {
    let reason = (state == AgentState::Failed).then_some("crash");
    raw.execute(
        "INSERT INTO agents (id, profile, pool, status, task_id, epoch, branch_name, permissions, est_tokens, \
         fail_reason, idempotency_key, created_at, updated_at) \
         VALUES (?1, 'p', 'review', ?2, 't', 1, 'b', '{}', 0, ?3, ?1, 0, 0)",
        (id, state.as_str(), reason),
    )
}

fn move_to(raw: &Connection, id: &str, state: AgentState) -> rusqlite::Result<usize> {
    let reason = (state == AgentState::Failed).then_some("crash");
    raw.execute(
        "UPDATE agents SET status = ?2, fail_reason = ?3 WHERE id = ?1",
        (id, state.as_str(), reason),
    )
}

#[test]
fn raw_sql_makes_only_legal_transitions() {
    let (_folder, path) = file();
    SqliteAgentStore::open(&path).unwrap();
    let raw = Connection::open(&path).unwrap();
    let path_to = |state| match state {
        AgentState::Pending => &[][..],
        AgentState::Initializing => &[AgentState::Initializing],
        AgentState::Ready => &[AgentState::Initializing, AgentState::Ready],
        AgentState::Busy => &[
            AgentState::Initializing,
            AgentState::Ready,
            AgentState::Busy,
        ],
        AgentState::Terminated => &[AgentState::Terminated],
        AgentState::Failed => &[AgentState::Failed],
    };
    let actors = [Actor::Parent, Actor::Agent, Actor::Scheduler];
    for from in AgentState::ALL {
        for to in AgentState::ALL {
            let id = format!("{from} {to}");
            insert(&raw, &id, AgentState::Pending).unwrap();
            for state in path_to(from) {
                move_to(&raw, &id, *state).unwrap();
            }
            let legal =
                actors.map(|actor| Lifecycle::default().transition(from, to, actor).is_ok());
            assert_eq!(
                move_to(&raw, &id, to).is_ok(),
                legal.contains(&true),
                "{id}"
            );
        }
    }
}

#[test]
fn raw_sql_cannot_rewrite_the_past() {
    let (_folder, path) = file();
    let store = SqliteAgentStore::open(&path).unwrap();
    put_worker(&store);
    let id = reserve(&store, "1");
    let raw = Connection::open(&path).unwrap();
    for state in AgentState::ALL {
        let begun = insert(&raw, state.as_str(), state);
        assert_eq!(begun.is_ok(), state == AgentState::Pending);
    }
    for statement in [
        "UPDATE audit_log SET detail = '{}'",
        "DELETE FROM audit_log",
        "INSERT OR REPLACE INTO audit_log SELECT * FROM audit_log",
        "INSERT INTO audit_log SELECT seq + 2, at, agent_id, actor, event, NULL, NULL, detail, '', '' FROM audit_log",
        "DELETE FROM agents",
        "INSERT OR REPLACE INTO agents SELECT * FROM agents",
        "UPDATE agents SET id = 'x'",
        "UPDATE agents SET pool = 'other'",
        "UPDATE agents SET epoch = 'text'",
        "INSERT INTO agent_transitions VALUES ('PENDING', 'BUSY')",
        "UPDATE agent_transitions SET to_state = 'BUSY'",
        "DELETE FROM agent_transitions",
        "INSERT INTO checkpoints (agent_id, task_id, epoch, phase, note, at) SELECT id, task_id, 1, 'PLAN', '', 0 FROM agents",
        "INSERT INTO audit_head VALUES (2, 1, '')",
        "INSERT OR REPLACE INTO audit_head VALUES (1, 0, '')",
        "UPDATE audit_head SET seq = 0, hash = ''",
        "UPDATE audit_head SET seq = seq + 1",
        "DELETE FROM audit_head",
    ] {
        assert!(raw.execute(statement, []).is_err(), "{statement}");
    }
    assert_eq!(store.agent(&id).unwrap().state, AgentState::Pending);
    assert_eq!(store.verify_audit().unwrap().len(), 1);
}

#[test]
fn verification_names_the_first_bad_row() {
    for (statement, bad) in [
        ("UPDATE audit_log SET detail = '{}' WHERE seq = 3", 3),
        ("UPDATE audit_log SET at = 1 WHERE seq = 1", 1),
        ("UPDATE audit_log SET hash = prev_hash WHERE seq = 4", 4),
        ("DELETE FROM audit_log WHERE seq = 2", 2),
        ("UPDATE audit_log SET to_state = NULL WHERE seq >= 2", 2),
        ("DELETE FROM audit_log WHERE seq >= 3", 3),
        ("DELETE FROM audit_log", 1),
        ("UPDATE audit_head SET seq = 2", 3),
        ("UPDATE audit_head SET hash = ''", 4),
        ("DELETE FROM audit_head", 5),
    ] {
        let (_folder, path) = file();
        let store = SqliteAgentStore::open(&path).unwrap();
        put_worker(&store);
        (1..=4).for_each(|key| drop(reserve(&store, &key.to_string())));
        assert_eq!(store.verify_audit().unwrap().len(), 4);
        let raw = Connection::open(&path).unwrap();
        raw.execute_batch(
            "DROP TRIGGER audit_is_not_updated; DROP TRIGGER audit_is_not_deleted; \
             DROP TRIGGER audit_head_is_the_last_row; DROP TRIGGER audit_head_is_not_deleted",
        )
        .unwrap();
        raw.execute(statement, []).unwrap();
        let found = store.verify_audit();
        assert!(
            matches!(found, Err(StoreError::Tampered { seq }) if seq == bad),
            "{statement}: {found:?}"
        );
    }
}

#[test]
fn a_shortened_log_takes_no_rows() {
    let (_folder, path) = file();
    let store = SqliteAgentStore::open(&path).unwrap();
    put_worker(&store);
    (1..=3).for_each(|key| drop(reserve(&store, &key.to_string())));
    let raw = Connection::open(&path).unwrap();
    raw.execute_batch("DROP TRIGGER audit_is_not_deleted; DELETE FROM audit_log WHERE seq > 1")
        .unwrap();
    let request = AllocationRequest::new("T", AgentPool::Research, "4");
    let refused = store.allocate(&request, 0);
    assert!(
        matches!(refused, Err(StoreError::Tampered { seq: 2 })),
        "{refused:?}"
    );
}

#[test]
fn an_older_file_is_copied_and_migrated() {
    let (folder, path) = file();
    let mut raw = Connection::open(&path).unwrap();
    schema::migrate_to(&mut raw, 1).unwrap();
    insert(&raw, "old", AgentState::Pending).unwrap();
    drop(raw);
    let store = SqliteAgentStore::open(&path).unwrap();
    assert_eq!(store.agent("old").unwrap().task_id, "t");
    put_worker(&store);
    reserve(&store, "1");
    let backup = Connection::open(folder.path().join("agents.db.v1.bak")).unwrap();
    let count = |sql: &str| {
        backup
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    assert_eq!(count("SELECT count(*) FROM agents"), 1);
    assert_eq!(count("PRAGMA user_version"), 1);
    // A current file is not copied.
    drop((store, backup));
    SqliteAgentStore::open(&path).unwrap();
    let copies = std::fs::read_dir(folder.path()).unwrap().flatten();
    let copies = copies.filter(|one| one.file_name().to_string_lossy().ends_with(".bak"));
    assert_eq!(copies.count(), 1);
}

#[test]
fn files_that_are_not_ours_are_refused() {
    let (folder, path) = file();
    SqliteAgentStore::open(&path).unwrap();
    let raw = Connection::open(&path).unwrap();
    raw.pragma_update(None, "user_version", 4).unwrap();
    let refuse = |path| SqliteAgentStore::open(path).unwrap_err().to_string();
    assert_eq!(
        refuse(&path),
        "expected a database of version 3 or older, found version 4"
    );
    let other = folder.path().join("other.db");
    let raw = Connection::open(&other).unwrap();
    raw.execute("CREATE TABLE t (x)", []).unwrap();
    let text = folder.path().join("text.db");
    std::fs::write(&text, "not a database, only text ".repeat(40)).unwrap();
    for foreign in [&other, &text] {
        assert_eq!(refuse(foreign), "expected a database of agents");
    }
}

#[test]
fn a_damaged_log_never_passes_for_intact() {
    let (_folder, path) = file();
    let store = SqliteAgentStore::open(&path).unwrap();
    put_worker(&store);
    (1..=4).for_each(|key| drop(reserve(&store, &key.to_string())));
    let rows = store.verify_audit().unwrap();
    drop(store);
    let intact = std::fs::read(&path).unwrap();
    let mut random = fastrand::Rng::with_seed(1);
    let mut noticed = 0;
    for round in 0..80 {
        let mut bytes = intact.clone();
        match round % 3 {
            0 => bytes.truncate(random.usize(..bytes.len())),
            1 => (0..40).for_each(|_| {
                let at = random.usize(..bytes.len());
                bytes[at] = random.u8(..);
            }),
            _ => {
                let at = random.usize(..bytes.len() / 4096) * 4096;
                bytes[at..at + 4096].fill(0);
            }
        }
        std::fs::write(&path, bytes).unwrap();
        let checked = SqliteAgentStore::open(&path).and_then(|store| {
            let _ = (store.agents(), store.profiles(), store.reap(100_000));
            store.verify_audit()
        });
        match checked {
            Ok(found) if found.is_empty() => {}
            Ok(found) => assert_eq!(found[..4], rows[..]),
            Err(_) => noticed += 1,
        }
        for rest in ["db-wal", "db-shm", "db.v1.bak", "db.v2.bak"] {
            let _ = std::fs::remove_file(path.with_extension(rest));
        }
    }
    assert!(noticed > 20, "{noticed}");
}

/// A disk of 1 MB, which only a privileged user can make.
struct SmallDisk(TempDir);

impl SmallDisk {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        if mount(folder.path(), "size=1m") {
            return Some(Self(folder));
        }
        eprintln!("SKIPPED, not checked: this user cannot mount a small disk");
        None
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

fn mount(folder: &Path, options: &str) -> bool {
    let mut mount = Command::new("mount");
    let mount = mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]);
    let done = mount.arg(folder).stderr(Stdio::null()).status();
    done.is_ok_and(|status| status.success())
}

#[test]
fn a_full_disk_loses_no_stored_agent() {
    let Some(disk) = SmallDisk::new() else {
        return;
    };
    let path = disk.0.path().join("agents.db");
    let store = SqliteAgentStore::open(&path).unwrap();
    put_worker(&store);
    let pool = PoolSettings {
        max: u32::MAX,
        ..PoolSettings::default()
    };
    store.put_pool(AgentPool::Research, pool).unwrap();
    let mut stored = Vec::new();
    let allocate = |number: usize| {
        let task = format!("{number:0>900}");
        let request = AllocationRequest::new(task, AgentPool::Research, number.to_string());
        store.allocate(&request, 0)
    };
    let full = loop {
        match allocate(stored.len()) {
            Ok(agent) => stored.push(agent.expect("the pool has places")),
            Err(error) => break error,
        }
    };
    assert!(matches!(full, StoreError::Database(_)), "{full:?}");
    assert!(stored.len() > 10, "{}", stored.len());
    assert_eq!(store.agents().unwrap().len(), stored.len());
    assert_eq!(store.verify_audit().unwrap().len(), stored.len());
    assert!(mount(disk.0.path(), "remount,size=8m"));
    assert!(allocate(stored.len()).is_ok());
    drop(store);
    let store = SqliteAgentStore::open(&path).unwrap();
    assert_eq!(store.agents().unwrap().len(), stored.len() + 1);
}

#[test]
fn a_read_only_file_is_refused_and_kept() {
    let Some(disk) = SmallDisk::new() else {
        return;
    };
    let path = disk.0.path().join("agents.db");
    let store = SqliteAgentStore::open(&path).unwrap();
    put_worker(&store);
    let id = reserve(&store, "1");
    drop(store);
    assert!(mount(disk.0.path(), "remount,ro"));
    let refused = SqliteAgentStore::open(&path).unwrap_err();
    let expected = format!(
        "expected a file that can be written, and `{}` is read-only",
        path.display()
    );
    assert_eq!(refused.to_string(), expected);
    let other = SqliteAgentStore::open(disk.0.path().join("other.db"));
    assert!(matches!(other, Err(StoreError::Database(_))), "{other:?}");
    assert!(mount(disk.0.path(), "remount,rw"));
    let store = SqliteAgentStore::open(&path).unwrap();
    assert_eq!(store.agents().unwrap()[0].id, id);
    assert_eq!(store.verify_audit().unwrap().len(), 1);
}

#[test]
fn two_stores_on_a_file_share_its_places() {
    let (_folder, path) = file();
    let stores = [(); 2].map(|()| SqliteAgentStore::open(&path).unwrap());
    put_worker(&stores[0]);
    std::thread::scope(|scope| {
        for (at, store) in stores.iter().enumerate() {
            scope.spawn(move || {
                for number in 0..20 {
                    let key = format!("{at} {number}");
                    let request = AllocationRequest::new("T", AgentPool::Research, key);
                    store.allocate(&request, 0).map(drop).or_else(full).unwrap();
                }
            });
        }
    });
    assert_eq!(stores[1].agents().unwrap().len(), 4);
    assert_eq!(stores[0].verify_audit().unwrap().len(), 4);
}

fn full(error: StoreError) -> Result<(), StoreError> {
    match error {
        StoreError::PoolFull(_) => Ok(()),
        error => Err(error),
    }
}
