//! Rows of the audit log that are not about agents.

use serde_json::json;

use crate::stores::{on_every_store, put_worker, request, reserve};

#[test]
fn events_of_other_parties_join_the_log() {
    on_every_store(|store| {
        put_worker(store);
        let agent = reserve(store, &request("1"), 0);
        let events = [
            (5, "called".to_owned(), json!({ "tool": "now" })),
            (6, "stopped".to_owned(), json!({})),
        ];
        store.record_events("gateway", &events).unwrap();
        let rows = store.audit("gateway").unwrap();
        let rows: Vec<_> = rows
            .iter()
            .map(|row| (row.seq, row.at, &*row.event, &*row.detail))
            .collect();
        let expected = [
            (2, 5, "called", r#"{"tool":"now"}"#),
            (3, 6, "stopped", "{}"),
        ];
        assert_eq!(rows, expected);
        assert_eq!(store.audit(&agent.id).unwrap().len(), 1);
        store.verify_audit().unwrap();
    });
}
