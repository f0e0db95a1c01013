use serde_json::{Value, json};

use super::*;

fn row(key: &str, stamp: &str, description: &str) -> Value {
    json!({"key": key, "stamp": stamp, "document": format!("---\nname: {key}\ndescription: {description}\n---\nBody.\n")})
}

fn read(reader: &mut ListingReader, skills: Vec<Value>) -> ReadListing {
    reader
        .read(
            json!({"schema": 1, "revision": 4, "skills": skills})
                .to_string()
                .as_bytes(),
        )
        .unwrap()
}

#[test]
fn unchanged_rows_are_not_parsed_again() {
    let mut reader = ListingReader::new("acme");
    let old = read(&mut reader, vec![row("a", "1", "A."), row("b", "1", "B.")]).rows;
    let new = read(
        &mut reader,
        vec![
            row("a", "1", "A."),
            row("b", "2", "B."),
            row("c", "1", "C."),
        ],
    )
    .rows;
    assert!(Arc::ptr_eq(&old[0].item, &new[0].item));
    assert_eq!(old[0], new[0]);
    assert!(
        old[1].is_modified_by(&new[1]),
        "another stamp is another content"
    );
    let bodies = [&old[1].stamp, &new[1].stamp].map(|stamp| *stamp);
    assert_eq!(bodies, [stamp("1"), stamp("2")], "as bodies have them");
}

#[test]
fn front_matter_changes_are_detected_despite_equal_stamps() {
    let mut reader = ListingReader::new("acme");
    read(&mut reader, vec![row("a", "1", "A.")]);
    let new = read(&mut reader, vec![row("a", "1", "Another.")]).rows;
    assert_eq!(new[0].item.description.as_ref(), "Another.");
}

#[test]
fn skills_are_identified_by_their_key() {
    let mut reader = ListingReader::new("acme");
    let document = "---\nname: Big Name\ndescription: One.\n---\n";
    read(
        &mut reader,
        vec![json!({"key": "rows/17", "stamp": "1", "document": document})],
    );
    assert_eq!(reader.key(&"Big Name".parse().unwrap()), Some("rows/17"));
    assert_eq!(reader.key(&"17".parse().unwrap()), None);
}

#[test]
fn only_front_matter_is_stored() {
    let mut reader = ListingReader::new("acme");
    let body = "x".repeat(2 << 20);
    let document = format!("---\nname: a\ndescription: A.\n---\n{body}");
    let read = read(
        &mut reader,
        vec![json!({"key": "a", "stamp": "1", "document": document})],
    );
    assert_eq!((read.rows.len(), read.diagnostics), (1, Vec::new()));
}

#[test]
fn overlong_keys_and_stamps_are_omitted() {
    let mut reader = ListingReader::new("acme");
    let read = read(
        &mut reader,
        vec![
            row(&"k".repeat(5000), "1", "K."),
            row("a", &"s".repeat(5000), "A."),
        ],
    );
    let codes: Vec<_> = read
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect();
    assert_eq!((read.rows.len(), codes), (0, vec![Code::PLUGIN_ENTRY; 2]));
}

#[test]
fn diagnostics_are_limited_and_retain_known_codes() {
    let diagnostic = |code: &str| json!({"severity": "info", "code": code, "message": "m"});
    let mut diagnostics = vec![diagnostic("invalid-yaml")];
    diagnostics.extend((0..2000).map(|_| diagnostic("acme")));
    let message = json!({"schema": 1, "skills": [], "diagnostics": diagnostics}).to_string();
    let read = ListingReader::new("acme").read(message.as_bytes()).unwrap();
    assert_eq!(
        (read.diagnostics[0].code, read.diagnostics[0].severity),
        (Code::INVALID_YAML, Severity::Info)
    );
    assert_eq!(read.diagnostics.len(), MAX_DIAGNOSTICS + 1);
    assert_eq!(
        read.diagnostics.last().unwrap().message,
        "the plugin has 1001 more diagnostics"
    );
}
