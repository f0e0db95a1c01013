use std::ffi::c_void;
use std::ptr;

use serde_json::json;

use super::*;
use crate::message::{DocumentBody, DocumentListing, DocumentRow};
use crate::{Open, abi};

struct Moody;

#[derive(serde::Deserialize)]
struct Options {
    #[serde(default)]
    open: bool,
}

impl Open for Moody {
    fn open(config: &PluginConfig) -> Result<Moody, SourceError> {
        assert!(config.options::<Options>()?.open, "not today");
        Ok(Moody)
    }
}

impl Documents for Moody {
    const FEATURES: &'static str = "changes";

    fn list(&self) -> Result<DocumentListing, SourceError> {
        Ok(DocumentListing::new(
            7,
            [DocumentRow::new("a", "1", "---\n")],
        ))
    }

    fn body(&self, key: &str) -> Result<DocumentBody, SourceError> {
        Err(
            SourceError::new(SourceErrorKind::NotFound, format!("no `{key}`"))
                .caused_by(std::fmt::Error),
        )
    }

    fn cancel(&self) {
        panic!("nothing is to be cancelled");
    }
}

impl Drop for Moody {
    fn drop(&mut self) {
        panic!("no end");
    }
}

static TABLE: RepertoireTable = RepertoireTable::new::<Moody>();

fn slice(bytes: &[u8]) -> RepertoireSlice {
    RepertoireSlice {
        ptr: bytes.as_ptr(),
        len: bytes.len(),
    }
}

/// Returns the content of a reply, and frees its buffer.
fn taken(reply: RepertoireBuffer) -> serde_json::Value {
    // SAFETY: the table above made the buffer.
    let bytes = unsafe { std::slice::from_raw_parts(reply.ptr, reply.len) }.to_vec();
    // SAFETY: once.
    unsafe { TABLE.free_buffer.unwrap()(reply) };
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn create(request: &serde_json::Value) -> (i32, *mut c_void, serde_json::Value) {
    let (mut made, mut reply) = (ptr::null_mut(), RepertoireBuffer::EMPTY);
    let request = request.to_string();
    // SAFETY: all three pointers are valid for the length of the call.
    let status = unsafe { TABLE.create.unwrap()(slice(request.as_bytes()), &mut made, &mut reply) };
    (status, made, taken(reply))
}

fn call(
    call: Option<abi::RepertoireCall>,
    source: *mut c_void,
    request: &str,
) -> (i32, serde_json::Value) {
    let mut reply = RepertoireBuffer::EMPTY;
    // SAFETY: the source was made by the table and is not destroyed yet.
    let status = unsafe { call.unwrap()(source, slice(request.as_bytes()), &mut reply) };
    (status, taken(reply))
}

#[test]
fn no_panic_leaves_the_table() {
    let (status, source, _) =
        create(&json!({"schema": 1, "source": "m", "abi": [1, 0], "options": {"open": true}}));
    assert_eq!((status, source.is_null()), (0, false));
    let (status, listed) = call(TABLE.list, source, "");
    assert_eq!(
        (status, &listed["revision"], &listed["skills"][0]["key"]),
        (0, &json!(7), &json!("a"))
    );
    let (status, failure) = call(
        TABLE.body,
        source,
        r#"{"schema": 1, "key": "x", "later": true}"#,
    );
    let message = "no `x`: an error occurred when formatting an argument";
    assert_eq!(
        (status, failure),
        (
            1,
            json!({"schema": 1, "kind": "not-found", "message": message})
        )
    );
    let (status, failure) = call(TABLE.resources, source, r#"{"schema": 1, "key": "x"}"#);
    assert_eq!((status, &failure["kind"]), (1, &json!("unsupported")));
    // SAFETY: as above, and never used again after `destroy`.
    unsafe {
        TABLE.cancel.unwrap()(source);
        TABLE.destroy.unwrap()(source);
    }
}

#[test]
fn a_panic_is_an_error() {
    let (status, source, failure) =
        create(&json!({"schema": 1, "source": "m", "abi": [1, 0], "options": {}}));
    assert_eq!((status, source.is_null()), (1, true));
    assert_eq!(
        failure,
        json!({"schema": 1, "kind": "other", "message": "it panicked: not today"})
    );
}

#[test]
fn a_request_of_a_later_schema_is_refused() {
    let (status, _, failure) = create(&json!({"schema": 2}));
    let message = "expected messages of schema 1, found 2";
    assert_eq!(
        (status, failure),
        (
            1,
            json!({"schema": 1, "kind": "invalid", "message": message})
        )
    );
}

#[test]
fn a_reply_may_be_empty() {
    // SAFETY: the empty buffer owns no memory.
    unsafe { TABLE.free_buffer.unwrap()(RepertoireBuffer::EMPTY) };
}

/// Panics wherever it is asked, with something that is no text.
struct Panicking;

impl Open for Panicking {
    fn open(_: &PluginConfig) -> Result<Panicking, SourceError> {
        Ok(Panicking)
    }
}

impl Documents for Panicking {
    const FEATURES: &'static str = "resources changes";

    fn list(&self) -> Result<DocumentListing, SourceError> {
        std::panic::panic_any(7)
    }

    fn body(&self, _: &str) -> Result<DocumentBody, SourceError> {
        std::panic::panic_any(7)
    }

    fn resources(&self, _: &str) -> Result<Vec<repertoire_core::Resource>, SourceError> {
        std::panic::panic_any(7)
    }

    fn resource(&self, _: &str, _: &ResourcePath) -> Result<Vec<u8>, SourceError> {
        std::panic::panic_any(7)
    }

    fn wait(&self, _: u64, _: Duration, _: &Pause) -> Result<u64, SourceError> {
        std::panic::panic_any(7)
    }
}

#[test]
fn no_call_lets_a_panic_out() {
    static PANICKING: RepertoireTable = RepertoireTable::new::<Panicking>();
    let (mut source, mut reply) = (ptr::null_mut(), RepertoireBuffer::EMPTY);
    let request = r#"{"schema": 1, "source": "p", "abi": [1, 0], "options": {}}"#;
    // SAFETY: all three pointers are valid for the length of the call.
    let status =
        unsafe { PANICKING.create.unwrap()(slice(request.as_bytes()), &mut source, &mut reply) };
    assert_eq!(status, 0);
    let request = r#"{"schema": 1, "key": "k", "path": "p", "since": 0, "patience_ms": 1}"#;
    for door in [
        PANICKING.list,
        PANICKING.body,
        PANICKING.resources,
        PANICKING.resource,
        PANICKING.wait,
    ] {
        let (status, failure) = call(door, source, request);
        assert_eq!(
            (status, &failure["message"]),
            (1, &json!("it panicked without a message"))
        );
    }
    // SAFETY: never used again.
    unsafe { PANICKING.destroy.unwrap()(source) };
}
