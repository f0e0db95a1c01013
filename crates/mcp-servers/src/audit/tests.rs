use std::fs;
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::{AuditEvent, AuditKind, AuditLog, AuditStore};

fn log() -> (TempDir, AuditLog) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = AuditLog::open(folder.path().join("audit.jsonl")).expect("a fresh file");
    (folder, log)
}

/// The rows without times, processes and digests, and whether all are chained.
fn rows(folder: &TempDir) -> (Vec<Value>, bool) {
    let rows = AuditLog::read(folder.path().join("audit.jsonl")).expect("it is readable");
    let is_chained = rows.iter().all(|row| row.is_chained);
    let rows = rows.into_iter().map(|row| {
        let mut fields = row.fields;
        for key in ["at", "process", "previous"] {
            fields.remove(key);
        }
        fields.into()
    });
    (rows.collect(), is_chained)
}

fn call(tool: &str) -> AuditEvent {
    let arguments = Map::from_iter([("key".to_owned(), json!("canary"))]);
    AuditEvent::new(AuditKind::Called)
        .fact("tool", tool)
        .fact("session", None::<String>)
        .arguments(&arguments)
}

#[test]
fn rows_are_chained_and_have_no_arguments() {
    let (folder, log) = log();
    log.record(AuditEvent::new(AuditKind::Started));
    log.record(call("now"));
    log.clone().with_arguments().record(call("then"));
    let expected = vec![
        json!({"event": "started"}),
        json!({"event": "called", "tool": "now"}),
        json!({"event": "called", "tool": "then", "arguments": {"key": "canary"}}),
    ];
    assert_eq!(rows(&folder), (expected, true));
    assert_eq!(log.lost(), None);
}

#[cfg(unix)]
#[test]
fn only_the_owner_reads_the_file() {
    use std::os::unix::fs::PermissionsExt;

    let (folder, _log) = log();
    let metadata = fs::metadata(folder.path().join("audit.jsonl")).expect("it exists");
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_changed_line_breaks_the_chain() {
    let (folder, log) = log();
    for tool in ["a", "b", "c"] {
        log.record(call(tool));
    }
    let path = folder.path().join("audit.jsonl");
    let text = fs::read_to_string(&path).expect("text");
    for changed in [
        text.replace("\"b\"", "\"x\""),
        text.lines()
            .filter(|line| !line.contains("\"b\""))
            .map(|line| format!("{line}\n"))
            .collect(),
    ] {
        fs::write(&path, changed).expect("it is ours");
        let rows = AuditLog::read(&path).expect("it is readable");
        let last = rows.last().expect("two are left");
        assert_eq!(
            (&last.fields["tool"], last.is_chained),
            (&json!("c"), false)
        );
    }
}

#[test]
fn several_writers_make_one_chain() {
    let (folder, log) = log();
    let path = folder.path().join("audit.jsonl");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let own = AuditLog::open(&path).expect("it exists");
            scope.spawn(move || (0..50).for_each(|_| own.record(call("now"))));
        }
        (0..50).for_each(|_| log.record(call("now")));
    });
    let expected = vec![json!({"event": "called", "tool": "now"}); 250];
    assert_eq!(rows(&folder), (expected, true));
}

#[test]
fn a_full_file_is_moved_aside() {
    let (folder, log) = log();
    let other = AuditLog::open(folder.path().join("audit.jsonl")).expect("it exists");
    let long = "x".repeat(1 << 20);
    for number in 0..18 {
        let log = if number % 2 == 0 { &log } else { &other };
        let event = AuditEvent::new(AuditKind::Denied).fact("number", number);
        log.record(event.fact("reason", long.as_str()));
    }
    let (rows, is_chained) = rows(&folder);
    let numbers: Vec<_> = rows.iter().map(|row| row["number"].as_u64()).collect();
    assert_eq!(numbers, (0..18).map(Some).collect::<Vec<_>>());
    assert!(is_chained);
    for name in ["audit.jsonl", "audit.jsonl.1"] {
        let metadata = fs::metadata(folder.path().join(name)).expect("it exists");
        assert!(metadata.len() <= 16 << 20, "{name}");
    }
}

#[test]
fn a_torn_line_is_ended() {
    let (folder, log) = log();
    let path = folder.path().join("audit.jsonl");
    log.record(call("a"));
    let text = fs::read_to_string(&path).expect("text");
    fs::write(&path, format!("{text}{}", &text[..20])).expect("it is ours");
    log.record(call("b"));
    let called = |tool| json!({"event": "called", "tool": tool});
    let (rows, is_chained) = rows(&folder);
    assert_eq!(rows, [called("a"), json!({}), called("b")]);
    assert!(!is_chained);
}

/// A store that refuses the rows with a reason.
#[derive(Clone, Default)]
struct Picky(Arc<Mutex<Vec<Value>>>);

impl AuditStore for Picky {
    fn append(&self, mut row: Map<String, Value>) -> io::Result<()> {
        row.retain(|key, _| key != "at" && key != "process");
        match row.contains_key("reason") {
            true => Err(io::Error::other("refused")),
            false => {
                self.0.lock().push(row.into());
                Ok(())
            }
        }
    }
}

#[test]
fn a_store_gets_each_row() {
    let store = Picky::default();
    let log = AuditLog::stored_by(store.clone());
    log.record(call("a"));
    log.record(call("b").fact("reason", "none"));
    assert_eq!(log.lost(), Some((1, "refused".into())));
    log.record(call("c"));
    let expected = [
        json!({"event": "called", "tool": "a"}),
        json!({"event": "called", "tool": "c", "lost": 1}),
    ];
    assert_eq!((&**store.0.lock(), log.lost()), (&expected[..], None));
}

#[test]
fn lost_rows_are_counted() {
    let (folder, log) = log();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).expect("a fresh folder");
    let inside = AuditLog::open(inner.join("audit.jsonl")).expect("a fresh file");
    fs::remove_dir_all(&inner).expect("it is ours");
    inside.record(call("a"));
    inside.record(call("b"));
    assert_eq!(inside.lost().map(|(count, _)| count), Some(2));
    fs::create_dir(&inner).expect("it is gone");
    inside.record(call("c"));
    assert_eq!(inside.lost(), None);
    let rows = AuditLog::read(inner.join("audit.jsonl")).expect("it is readable");
    assert_eq!(rows[0].fields["lost"], 2);
    drop(log);
}
