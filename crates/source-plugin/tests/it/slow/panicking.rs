//! A panic in each call of a plugin in Rust, really loaded: an error of that call, and nothing else.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use repertoire_core::{Id, ResourcePath, Source, SourceError, SourceErrorKind};
use repertoire_source_plugin::{PluginOptions, PluginSource};
use serde_json::json;

use super::external::built_outside;
use crate::library::{Where, options, pinned, soon, source};

/// `tests/external/panicking`, built once.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| built_outside("panicking"))
}

fn in_call(call: &str, trace: &Path) -> PluginOptions {
    pinned(library()).with_options(options(json!({ "call": call, "trace": trace })))
}

/// Returns the answers of a source to each request, in the order of `CALLS`.
async fn answers(plugin: &PluginSource) -> [Result<(), SourceError>; 4] {
    let (id, path): (Id, ResourcePath) = ("fine".parse().unwrap(), "note.md".parse().unwrap());
    [
        soon(plugin.list()).await.map(drop),
        soon(plugin.body(&id)).await.map(drop),
        soon(plugin.resources(&id)).await.map(drop),
        soon(plugin.resource(&id, &path)).await.map(drop),
    ]
}

const CALLS: [&str; 4] = ["list", "body", "resources", "resource"];

fn panicked(call: &str) -> Result<(), (SourceErrorKind, String)> {
    Err((SourceErrorKind::Other, format!("it panicked: in {call}")))
}

#[tokio::test]
async fn a_panic_is_an_error_of_its_call() {
    let folder = tempfile::tempdir().unwrap();
    for at in [Where::Here, Where::There] {
        for panicking in CALLS {
            let plugin = source(at, in_call(panicking, &folder.path().join("trace")));
            // More than once: what panicked is asked again, and answers again.
            for _ in 0..2 {
                for (call, answer) in CALLS.iter().zip(answers(&plugin).await) {
                    let found = answer.map_err(|error| (error.kind(), error.to_string()));
                    // Without a listing there is no skill, so every call fails as the listing does.
                    let fails = *call == panicking || panicking == "list";
                    let expected = if fails { panicked(panicking) } else { Ok(()) };
                    assert_eq!(
                        found, expected,
                        "{at:?}: a panic in {panicking}, asked for {call}"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn a_panic_in_create_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for at in [Where::Here, Where::There] {
        let plugin = source(at, in_call("create", &folder.path().join("trace")));
        let made = soon(plugin.start())
            .await
            .map_err(|error| (error.kind(), error.to_string()));
        assert_eq!(made, panicked("create"), "{at:?}");
    }
}

/// Waits for the trace that `call` writes before it panics.
async fn traced(trace: &Path) {
    soon(async {
        while !trace.exists() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_panic_in_wait_loses_the_change() {
    for at in [Where::Here, Where::There] {
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("trace");
        let plugin = source(at, in_call("wait", &trace));
        let listing = soon(plugin.list()).await.unwrap();
        tokio::select! {
            () = plugin.changed(listing.revision()) => panic!("{at:?}: nothing changed"),
            () = traced(&trace) => {}
        }
        assert!(answers(&plugin).await.iter().all(Result::is_ok), "{at:?}");
    }
}

/// In the process of the host; one of its own is killed instead of being asked.
#[tokio::test]
async fn a_panic_at_its_end_ends_nothing_else() {
    for call in ["cancel", "destroy"] {
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("trace");
        let plugin = source(Where::Here, in_call(call, &trace));
        soon(plugin.list()).await.unwrap();
        drop(plugin);
        traced(&trace).await;
        let again = source(Where::Here, in_call("none", &trace));
        assert!(answers(&again).await.iter().all(Result::is_ok), "{call}");
    }
}
