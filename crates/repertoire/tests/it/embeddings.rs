//! The example `embeddings` ranks with the answers of an endpoint, here a local one.

use std::sync::{Arc, Mutex};

use repertoire::registry::{MemorySource, Registered};
use repertoire::search::{LiveIndex, Query};
use repertoire::{Skill, SkillRegistry};
use serde_json::{Value, json};

#[path = "../../examples/embeddings.rs"]
#[allow(dead_code, reason = "it has a `main` of its own")]
mod example;

/// The texts of each request.
type Requests = Arc<Mutex<Vec<Vec<String>>>>;

/// An embedding with one dimension for each of two meanings.
fn embedding(text: &str) -> [f32; 2] {
    let has = |words: &[&str]| f32::from(words.iter().any(|word| text.contains(word)));
    [has(&["pay", "salary"]), has(&["holiday", "leave"])]
}

/// Serves embeddings, the last text first, to see that indices are read.
async fn endpoint(requests: Requests) -> String {
    let answer = move |headers: axum::http::HeaderMap, body: String| {
        let request: Value = serde_json::from_str(&body).expect("a request is JSON");
        let key = headers["authorization"].to_str().ok();
        assert_eq!(
            (request["model"].as_str(), key),
            (Some("tiny"), Some("Bearer key"))
        );
        let texts = request["input"].as_array().expect("a list of texts").iter();
        let texts: Vec<String> = texts
            .map(|text| text.as_str().expect("a text").to_owned())
            .collect();
        let rows = texts.iter().enumerate().rev();
        let rows =
            rows.map(|(index, text)| json!({ "index": index, "embedding": embedding(text) }));
        let answer = json!({ "data": rows.collect::<Vec<_>>() }).to_string();
        requests.lock().expect("no holder panics").push(texts);
        async { answer }
    };
    let router = axum::Router::new().route("/v1/embeddings", axum::routing::post(answer));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}/v1")
}

async fn index() -> LiveIndex {
    let source = MemorySource::new("home");
    for (id, about) in [
        ("payroll", "Computes a salary."),
        ("absence", "Plans a holiday."),
        ("tidy", "Sorts files."),
    ] {
        let skill = Skill::new(id.parse().expect("a valid id"), about);
        source
            .register(Registered::new(skill, "-"))
            .expect("a new id");
    }
    let registry = SkillRegistry::builder().user(source).load().await;
    LiveIndex::new(registry.expect("one source composes"))
}

#[tokio::test]
async fn the_example_finds_what_shares_no_word() {
    let (index, requests) = (index().await, Requests::default());
    let base = endpoint(requests.clone()).await;
    let ranker = example::EmbeddingRanker::new(index.clone(), &base, "tiny", "key");
    let ranker = Arc::new(ranker);
    let question = "when may i leave";
    assert!(
        index.search(&Query::new(question)).is_empty(),
        "no skill has these words"
    );
    for _ in 0..2 {
        let found = example::search(&index, ranker.clone(), question)
            .await
            .expect("the endpoint answers");
        assert_eq!(found[0].as_str(), "absence");
    }
    let asked: Vec<usize> = requests
        .lock()
        .expect("no holder panics")
        .iter()
        .map(Vec::len)
        .collect();
    assert_eq!(asked, [4], "each text is sent once");
}

#[tokio::test]
async fn an_endpoint_that_fails_is_an_error() {
    let index = index().await;
    let base = endpoint(Requests::default()).await;
    let ranker =
        example::EmbeddingRanker::new(index.clone(), &format!("{base}/none"), "tiny", "key");
    let error = example::search(&index, Arc::new(ranker), "pay")
        .await
        .expect_err("there is no such path");
    assert!(error.to_string().contains("404"), "{error}");
}
