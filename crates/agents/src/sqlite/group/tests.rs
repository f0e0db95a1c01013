//! Changes of several threads in one transaction.

use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::Connection;
use tempfile::TempDir;

use super::GroupedConnection;
use crate::StoreError;

const THREADS: usize = 8;

struct TestFile {
    folder: TempDir,
    shared: GroupedConnection,
}

impl TestFile {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let connection = Connection::open(folder.path().join("db")).unwrap();
        connection
            .pragma_update(None, "journal_mode", "WAL")
            .unwrap();
        connection
            .execute_batch("CREATE TABLE numbers (number INTEGER, filler TEXT)")
            .unwrap();
        Self {
            folder,
            shared: GroupedConnection::new(connection),
        }
    }

    /// Reads what is committed, over a connection of its own.
    fn committed(&self) -> Vec<i64> {
        let reader = Connection::open(self.folder.path().join("db")).unwrap();
        let sql = "SELECT number FROM numbers ORDER BY number";
        let mut rows = reader.prepare(sql).unwrap();
        let numbers = rows.query_map([], |row| row.get(0)).unwrap();
        numbers.collect::<Result<_, _>>().unwrap()
    }

    /// Runs `change` once on each thread, all in one transaction; a panic gives `None`.
    fn together(
        &self,
        change: impl Fn(&Connection, usize) -> Result<(), StoreError> + Sync,
    ) -> Vec<Option<Result<(), String>>> {
        let begun = AtomicBool::new(false);
        let run = |number| {
            let result = self.shared.grouped(&mut |connection| {
                // The first change goes on when all other threads wait.
                if !begun.swap(true, Ordering::SeqCst) {
                    while self.shared.waiting.load(Ordering::SeqCst) < THREADS - 1 {
                        std::thread::yield_now();
                    }
                }
                change(connection, number)
            });
            result.map_err(|error| format!("{error:?}"))
        };
        std::thread::scope(|scope| {
            let run = &run;
            let threads: Vec<_> = (0..THREADS)
                .map(|number| scope.spawn(move || run(number)))
                .collect();
            let ended = threads.into_iter().map(|thread| thread.join().ok());
            ended.collect()
        })
    }
}

fn insert(connection: &Connection, number: usize) -> Result<(), StoreError> {
    let sql = "INSERT INTO numbers VALUES (?1, NULL)";
    connection.execute(sql, [number as i64])?;
    Ok(())
}

#[test]
fn waiting_changes_share_one_commit() {
    let file = TestFile::new();
    let results = file.together(|connection, number| {
        assert_eq!(file.committed(), [0; 0], "an earlier commit");
        insert(connection, number)
    });
    assert_eq!(results, [const { Some(Ok(())) }; THREADS]);
    assert_eq!(file.committed(), [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_refused_change_takes_no_other_back() {
    let file = TestFile::new();
    let results = file.together(|connection, number| {
        insert(connection, number)?;
        match number % 2 {
            0 => Ok(()),
            _ => Err(StoreError::Refused(format!("number {number}"))),
        }
    });
    let expected = (0..THREADS).map(|number| match number % 2 {
        0 => Some(Ok(())),
        _ => Some(Err(format!("Refused(\"number {number}\")"))),
    });
    assert_eq!(results, expected.collect::<Vec<_>>());
    assert_eq!(file.committed(), [0, 2, 4, 6]);
}

#[test]
fn a_panic_takes_no_other_change_back() {
    let file = TestFile::new();
    let results = file.together(|connection, number| {
        insert(connection, number)?;
        assert_ne!(number % 3, 0, "this change panics");
        Ok(())
    });
    let expected = (0..THREADS).map(|number| (number % 3 != 0).then_some(Ok(())));
    assert_eq!(results, expected.collect::<Vec<_>>());
    assert_eq!(file.committed(), [1, 2, 4, 5, 7]);
}

#[test]
fn a_full_disk_fails_lost_changes() {
    let file = TestFile::new();
    let limit = |connection: &mut Connection| {
        let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
        connection.pragma_update_and_check(None, "max_page_count", pages + 8, |_| Ok(()))?;
        Ok(())
    };
    file.shared.alone(limit).unwrap();
    let filler = "x".repeat(8192);
    let results = file.together(|connection, number| {
        let sql = "INSERT INTO numbers VALUES (?1, ?2)";
        connection.execute(sql, (number as i64, &filler))?;
        Ok(())
    });
    let committed = file.committed();
    for (number, result) in results.iter().enumerate() {
        let is_full = |text: &String| text.contains("database or disk is full");
        match result {
            Some(Ok(())) => assert!(committed.contains(&(number as i64))),
            Some(Err(error)) => assert!(is_full(error), "{error}"),
            None => panic!("a thread panicked"),
        }
    }
    let lost = results.iter().filter(|one| **one != Some(Ok(()))).count();
    assert!(lost > 0 && lost + committed.len() == THREADS, "{results:?}");
    // The connection works again once there is space.
    file.shared
        .alone(|connection| Ok(connection.execute_batch("DELETE FROM numbers")?))
        .unwrap();
    file.shared
        .grouped(&mut |connection| insert(connection, 9))
        .unwrap();
    assert_eq!(file.committed(), [9]);
}
