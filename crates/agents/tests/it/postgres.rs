//! The database: its triggers, its versions and its connections.

use postgres::{Client, Config};
use repertoire_agents::*;

use crate::stores::{Database, path_to, put_worker, request, transition};

fn reserve(store: &PostgresAgentStore, key: &str) -> String {
    crate::stores::reserve(store, &request(key), 0).id
}

fn insert(raw: &mut Client, id: &str, state: AgentState) -> Result<u64, postgres::Error> {
    let reason = (state == AgentState::Failed).then_some("crash");
    raw.execute(
        "INSERT INTO agents (id, profile, pool, status, task_id, epoch, branch_name, permissions, est_tokens, \
         fail_reason, idempotency_key, created_at, updated_at) \
         VALUES ($1, 'p', 'review', $2, 't', 1, 'b', '{}', 0, $3, $1, 0, 0)",
        &[&id, &state.to_string(), &reason],
    )
}

fn move_to(raw: &mut Client, id: &str, state: AgentState) -> Result<u64, postgres::Error> {
    let reason = (state == AgentState::Failed).then_some("crash");
    raw.execute(
        "UPDATE agents SET status = $2, fail_reason = $3 WHERE id = $1",
        &[&id, &state.to_string(), &reason],
    )
}

#[test]
fn raw_sql_makes_only_legal_transitions() {
    let Some(database) = Database::create() else {
        return;
    };
    database.store();
    let mut raw = database.client();
    for from in AgentState::ALL {
        for to in AgentState::ALL {
            let id = format!("{from} {to}");
            insert(&mut raw, &id, AgentState::Pending).unwrap();
            for state in path_to(from) {
                move_to(&mut raw, &id, *state).unwrap();
            }
            let is_legal = transition(from, to).is_some();
            let moved = move_to(&mut raw, &id, to);
            assert_eq!(moved.is_ok(), is_legal, "{id}: {moved:?}");
        }
    }
}

#[test]
fn raw_sql_cannot_rewrite_the_past() {
    let Some(database) = Database::create() else {
        return;
    };
    let store = database.store();
    put_worker(&store);
    let id = reserve(&store, "1");
    let mut raw = database.client();
    for state in AgentState::ALL {
        let begun = insert(&mut raw, &state.to_string(), state);
        assert_eq!(begun.is_ok(), state == AgentState::Pending);
    }
    for statement in [
        "UPDATE audit_log SET detail = '{}'",
        "DELETE FROM audit_log",
        "TRUNCATE audit_log",
        "INSERT INTO audit_log SELECT * FROM audit_log ON CONFLICT (seq) DO UPDATE SET detail = '{}'",
        "INSERT INTO audit_log SELECT seq + 2, at, agent_id, actor, event, NULL, NULL, detail, '', '' FROM audit_log",
        "DELETE FROM agents",
        "TRUNCATE agents CASCADE",
        "INSERT INTO agents SELECT * FROM agents ON CONFLICT (id) DO UPDATE SET status = 'BUSY'",
        "UPDATE agents SET id = 'x'",
        "UPDATE agents SET pool = 'other'",
        "UPDATE agents SET epoch = 0",
        "INSERT INTO agent_transitions VALUES ('PENDING', 'BUSY')",
        "UPDATE agent_transitions SET to_state = 'BUSY'",
        "DELETE FROM agent_transitions",
        "TRUNCATE agent_transitions",
        "INSERT INTO checkpoints (agent_id, task_id, epoch, phase, note, at) SELECT id, task_id, 1, 'PLAN', '', 0 FROM agents",
        "TRUNCATE checkpoints",
        "INSERT INTO audit_head VALUES (2, 1, '')",
        "UPDATE audit_head SET seq = 0, hash = ''",
        "UPDATE audit_head SET seq = seq + 1",
        "DELETE FROM audit_head",
        "TRUNCATE audit_head",
    ] {
        assert!(raw.batch_execute(statement).is_err(), "{statement}");
    }
    assert_eq!(store.agent(&id).unwrap().state, AgentState::Pending);
    assert_eq!(store.verify_audit().unwrap().len(), 1);
}

#[test]
fn verification_names_the_first_bad_row() {
    for (statement, bad) in [
        ("UPDATE audit_log SET detail = '{}' WHERE seq = 3", 3),
        ("UPDATE audit_log SET hash = prev_hash WHERE seq = 4", 4),
        ("DELETE FROM audit_log WHERE seq = 2", 2),
        ("DELETE FROM audit_log WHERE seq >= 3", 3),
        ("DELETE FROM audit_log", 1),
        ("DELETE FROM audit_head", 5),
    ] {
        let Some(database) = Database::create() else {
            return;
        };
        let store = database.store();
        put_worker(&store);
        (1..=4).for_each(|key| drop(reserve(&store, &key.to_string())));
        assert_eq!(store.verify_audit().unwrap().len(), 4);
        let mut raw = database.client();
        let drop = "DROP TRIGGER audit_is_kept ON audit_log; DROP TRIGGER audit_head_is_kept ON audit_head";
        raw.batch_execute(drop).unwrap();
        raw.batch_execute(statement).unwrap();
        let found = store.verify_audit();
        assert!(
            matches!(found, Err(StoreError::Tampered { seq }) if seq == bad),
            "{statement}: {found:?}"
        );
    }
}

#[test]
fn databases_that_are_not_ours_are_refused() {
    let Some(database) = Database::create() else {
        return;
    };
    database.store();
    let mut raw = database.client();
    let refuse = || PostgresAgentStore::connect(&database.address()).unwrap_err();
    raw.batch_execute("INSERT INTO schema_versions VALUES (3)")
        .unwrap();
    assert_eq!(
        refuse().to_string(),
        "expected a database of version 2 or older, found version 3"
    );
    raw.batch_execute("DROP TABLE schema_versions").unwrap();
    assert_eq!(
        refuse().to_string(),
        "expected the schema `repertoire_agents` to be one of agents"
    );
}

#[test]
fn an_older_schema_is_copied_and_migrated() {
    let Some(database) = Database::create() else {
        return;
    };
    let mut raw = database.client();
    raw.batch_execute("CREATE SCHEMA repertoire_agents")
        .unwrap();
    raw.batch_execute(include_str!("../../src/postgres/version_1.sql"))
        .unwrap();
    raw.batch_execute("INSERT INTO schema_versions VALUES (1)")
        .unwrap();
    insert(&mut raw, "old", AgentState::Pending).unwrap();
    let store = database.store();
    assert_eq!(store.agent("old").unwrap().task_id, "t");
    put_worker(&store);
    reserve(&store, "1");
    assert_eq!(store.verify_audit().unwrap().len(), 1);
    let copied = "SELECT id FROM repertoire_agents_v1.agents";
    let copied: Vec<String> = raw
        .query(copied, &[])
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert_eq!(copied, ["old"]);
    database.store();
}

#[test]
fn a_lost_connection_fails_only_its_call() {
    let Some(database) = Database::create() else {
        return;
    };
    let store = database.store();
    put_worker(&store);
    // The milliseconds are the longest wait for the end of a connection; without them, the signal is only sent.
    let end = "SELECT pg_terminate_backend(pid, 120000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    database.client().batch_execute(end).unwrap();
    let _ = store.agents();
    assert_eq!(store.agents().unwrap(), []);
    let id = reserve(&store, "1");
    assert_eq!(store.agents().unwrap()[0].id, id);
}

#[test]
fn a_runtime_may_drop_the_store() {
    let Some(database) = Database::create() else {
        return;
    };
    let store = database.store();
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(async move { drop(store) });
}

/// Returns the port and the certificate of a server with TLS.
fn tls_server() -> Option<(String, String)> {
    let folder = std::env::var("REPERTOIRE_TEST_POSTGRES").ok()?;
    let Ok(port) = std::env::var("REPERTOIRE_TEST_POSTGRES_PORT") else {
        eprintln!("SKIPPED, not checked: `REPERTOIRE_TEST_POSTGRES_PORT` names no port with TLS");
        return None;
    };
    Some((port, format!("{folder}/server.crt")))
}

#[test]
fn only_valid_certificates_are_accepted() {
    let (Some(database), Some((port, certificate))) = (Database::create(), tls_server()) else {
        return;
    };
    let rest = database.on_port(&port);
    let other = tempfile::NamedTempFile::new().unwrap();
    let others = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(other.path(), others.cert.pem()).unwrap();
    let other = other.path().display();
    for (parameters, is_encrypted) in [
        (
            format!("host=localhost sslmode=require sslrootcert={certificate}"),
            Some(true),
        ),
        (
            format!("host=localhost sslmode=verify-full sslrootcert={certificate}"),
            Some(true),
        ),
        (
            format!("host=localhost sslrootcert={certificate}"),
            Some(true),
        ),
        ("host=localhost sslmode=disable".to_owned(), Some(false)),
        // Its authority is unknown to the system.
        ("host=localhost".to_owned(), None),
        ("host=localhost sslmode=require".to_owned(), None),
        (
            format!("host=localhost sslmode=require sslrootcert={other}"),
            None,
        ),
        // The certificate is for a different name.
        (
            format!("host=127.0.0.1 sslmode=require sslrootcert={certificate}"),
            None,
        ),
        (
            "host=localhost sslmode=require sslrootcert=/missing.pem".to_owned(),
            None,
        ),
    ] {
        let address = format!("{parameters} {rest} application_name=probe");
        let store = PostgresAgentStore::connect(&address);
        let sql = "SELECT s.ssl FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE a.application_name = 'probe' AND a.datname = current_database()";
        let encrypted = database.client().query(sql, &[]).unwrap();
        let encrypted: Vec<bool> = encrypted.iter().map(|row| row.get(0)).collect();
        assert_eq!(
            encrypted,
            Vec::from_iter(is_encrypted),
            "{parameters}: {store:?}"
        );
        if let Ok(store) = store {
            assert_eq!(store.agents().unwrap(), []);
        }
    }
}

#[test]
fn a_server_without_encryption_is_refused_if_required() {
    let Some(database) = Database::create() else {
        return;
    };
    let address = format!("{} sslmode=require", database.address());
    let refused = PostgresAgentStore::connect(&address).unwrap_err();
    let reason = std::error::Error::source(&refused).unwrap();
    assert!(
        format!("{reason:?}").contains("does not support TLS"),
        "{reason:?}"
    );
}

#[test]
fn the_password_is_in_no_text() {
    let config: Config = "host=/nowhere user=u password=canary".parse().unwrap();
    assert!(!format!("{config:?}").contains("canary"));
    let failed = PostgresAgentStore::connect("host=/nowhere user=u password=canary");
    let error = failed.unwrap_err();
    assert!(!format!("{error} {error:?}").contains("canary"));
}
