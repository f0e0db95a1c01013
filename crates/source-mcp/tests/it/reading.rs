//! When what is asked for, and what is kept.

use std::time::Duration;

use repertoire_core::{Id, Source, SourceErrorKind};
use repertoire_source_mcp::McpSource;
use serde_json::json;

use crate::scripted::{Wares, With, scripted, unknown};
use crate::served::served;

fn id(name: &str) -> Id {
    name.parse().unwrap()
}

/// M-22: a listing costs the pages of the list; a body costs a read of that file, and a list of files one question.
#[tokio::test]
async fn nothing_is_read_ahead() {
    let served = served(true).await;
    for name in ["a", "b", "c"] {
        served
            .shop
            .put(
                name,
                "SKILL.md",
                format!("---\nname: {name}\ndescription: Sorts.\n---\nSort.\n"),
            )
            .await;
        served.shop.put(name, "notes.md", "Notes.\n").await;
    }
    let source = served.source("acme");
    let listing = source.list().await.unwrap();
    assert_eq!((listing.len(), listing.diagnostics().len()), (3, 0));
    assert_eq!(served.shop.asked(), ["skills/list", "skills/list"]);
    source.body(&id("b")).await.unwrap();
    source
        .resource(&id("b"), &"notes.md".parse().unwrap())
        .await
        .unwrap();
    source.resources(&id("c")).await.unwrap();
    let expected = [
        "skills/list",
        "skills/list",
        "resources/read skill://b/SKILL.md",
        "resources/read skill://b/notes.md",
        "skills/get skill://c/SKILL.md",
    ];
    assert_eq!(served.shop.asked(), expected);
}

#[tokio::test]
async fn a_source_reads_without_a_listing() {
    let served = Wares::one().served().await;
    assert_eq!(
        served
            .source("acme")
            .body(&id("tidy"))
            .await
            .unwrap()
            .text
            .as_ref(),
        "Sort it.\n"
    );
    assert_eq!(
        served.asked(),
        ["skills/list", "resources/read skill://tidy/SKILL.md"]
    );
}

/// An unreachable server is reported, and retried with increasing delays.
#[tokio::test]
async fn reconnects_wait_longer_each_time() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    let source = McpSource::new("acme", repertoire_source_mcp::McpOptions::url(url)).unwrap();
    let mut errors = Vec::new();
    for _ in 0..3 {
        let error = source.list().await.unwrap_err();
        assert_eq!(error.kind(), SourceErrorKind::Unavailable);
        errors.push(error.to_string());
    }
    assert!(
        errors[0].contains("Connection refused") && errors[1].contains("Connection refused"),
        "{errors:?}"
    );
    assert!(
        errors[2].starts_with("the server is tried again in 0."),
        "{errors:?}"
    );
    assert!(errors[2].contains("Connection refused"), "{errors:?}");
    let listing_is_due = source.changed(repertoire_core::Revision(0));
    tokio::time::timeout(Duration::from_secs(20), listing_is_due)
        .await
        .expect("it says when to look again");
}

#[tokio::test]
async fn answers_have_a_time_limit() {
    let served = scripted(|method, params| match method {
        "skills/list" => {
            // Longer than anybody waits here.
            std::thread::sleep(Duration::from_millis(400));
            unknown()
        }
        _ => Wares::one().answer(method, params),
    });
    let options = served.await.options().with(|options| options.call_ms = 50);
    let error = McpSource::new("acme", options)
        .unwrap()
        .list()
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (
            SourceErrorKind::Unavailable,
            "the server has not answered within 0.1 s"
        )
    );
}

/// A server that knows only the protocol without a handshake.
#[tokio::test]
async fn a_server_without_handshake_is_supported() {
    let served = scripted(|method, params| match method {
        "initialize" => Err((-32601, "no method `initialize`".to_owned())),
        "server/discover" => Ok(json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": { "resources": {}, "extensions": { "io.modelcontextprotocol/skills": {} } },
            "serverInfo": { "name": "scripted", "version": "1" },
            "ttlMs": 0,
            "cacheScope": "private",
        })),
        _ => Wares::one().answer(method, params),
    });
    let served = served.await;
    let source = served.source("acme");
    assert_eq!(source.list().await.unwrap().len(), 1);
    assert_eq!(served.asked(), ["server/discover", "skills/list"]);
}
