//! Requests that no client should send.

use std::time::Duration;

use proptest::prelude::*;
use repertoire_mcp::{HttpLimits, HttpOptions, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::client::PATIENCE;
use crate::fixture::{home, serve};
use crate::http::{introduction, listen};

/// Sends these lines in order; returns the answers until the server has sent all of them.
async fn answers(server: &Server, lines: &[u8]) -> Vec<Value> {
    let (ours, theirs) = tokio::io::duplex(1 << 22);
    let (server, (read, write)) = (server.clone(), tokio::io::split(theirs));
    let serving = tokio::spawn(async move { server.serve(read, write).await });
    let (read, mut write) = tokio::io::split(ours);
    write.write_all(lines).await.expect("heard");
    write.shutdown().await.expect("heard");
    let mut read = BufReader::new(read).lines();
    let mut answers = Vec::new();
    let all = async {
        while let Some(line) = read.next_line().await.expect("lines are text") {
            answers.push(serde_json::from_str(&line).expect("every line is one document"));
        }
    };
    tokio::time::timeout(PATIENCE, all).await.expect("it ends");
    // Whatever was sent, it neither panics nor goes on for ever.
    let ended = tokio::time::timeout(PATIENCE, serving)
        .await
        .expect("it ends")
        .expect("no panic");
    assert!(
        !matches!(ended, Err(repertoire_mcp::ServeError::Ended(_))),
        "{ended:?}"
    );
    answers
}

fn code(answer: &Value) -> Option<i64> {
    answer["error"]["code"].as_i64()
}

fn ping(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
}

const TOO_LONG: usize = (1 << 20) + 1;

#[tokio::test]
async fn garbage_gets_an_error() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let deep = "[".repeat(100_000);
    for (line, expected) in [
        (b"{".as_slice(), Some(-32700)),
        (b"\xff\xfe", Some(-32700)),
        (b"nonsense", Some(-32700)),
        (b"\0", Some(-32700)),
        (deep.as_bytes(), Some(-32600)),
        (&[b'x'; TOO_LONG], Some(-32600)),
        (b"[]", Some(-32600)),
        (b"1", Some(-32600)),
        (b"null", Some(-32600)),
        (b"{}", Some(-32600)),
        (
            br#"{"jsonrpc": "1.0", "id": 7, "method": "ping"}"#,
            Some(-32602),
        ),
        (
            br#"{"jsonrpc": "2.0", "id": {}, "method": "ping"}"#,
            Some(-32600),
        ),
        (br#"{"jsonrpc": "2.0", "id": 7, "method": 1}"#, Some(-32600)),
        (br#"{"jsonrpc": "2.0", "id": 7}"#, Some(-32600)),
        (
            br#"{"jsonrpc": "2.0", "id": 7, "method": "ping", "result": {}}"#,
            Some(-32602),
        ),
        (
            br#"[{"jsonrpc": "2.0", "id": 7, "method": "ping"}]"#,
            Some(-32600),
        ),
        (b"", None),
        (b" \r", None),
        (
            br#"{"jsonrpc": "2.0", "method": "notifications/unknown", "params": {}}"#,
            None,
        ),
        (
            br#"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 1}"#,
            None,
        ),
        (br#"{"jsonrpc": "2.0", "id": 7, "result": {}}"#, None),
        (br#"{"jsonrpc": "2.0", "id": 7, "error": 1}"#, None),
    ] {
        for is_introduced in [false, true] {
            let mut lines = Vec::new();
            if is_introduced {
                lines.extend(format!("{}\n", introduction()).bytes());
            }
            lines.extend_from_slice(line);
            lines.extend(format!("\n{}\n", ping(9)).bytes());
            let answers = answers(&server, &lines).await;
            let shown = String::from_utf8_lossy(&line[..line.len().min(80)]);
            let errors: Vec<_> = answers.iter().filter_map(code).collect();
            assert_eq!(
                errors,
                Vec::from_iter(expected),
                "{shown} {is_introduced}: {answers:?}"
            );
            let pong = answers
                .iter()
                .find(|answer| answer["id"] == 9)
                .unwrap_or_else(|| panic!("{shown}: {answers:?}"));
            assert_eq!(pong["result"], json!({}), "{shown}");
        }
    }
}

#[tokio::test]
async fn a_malformed_request_is_an_error() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let requests = [
        ("no/such", json!({})),
        ("", json!({})),
        ("tools/call", json!({})),
        ("tools/call", json!({"name": 1})),
        ("tools/call", json!({"name": "read_skill", "arguments": []})),
        ("tools/call", json!({"name": "nobody"})),
        (
            "prompts/get",
            json!({"name": "tidy", "arguments": {"arguments": {}}}),
        ),
        ("resources/read", json!({"uri": 1})),
        ("resources/read", json!({"uri": "x".repeat(100_000)})),
        ("skills/get", json!({"uri": "skill://home/tidy/SKILL.md\0"})),
        ("skills/list", json!({"cursor": "x"})),
        (
            "resources/directory/read",
            json!({"uri": "skill://home/tidy", "cursor": "x"}),
        ),
        ("tools/list", json!(1)),
    ];
    let mut lines = format!("{}\n", introduction());
    for (id, (method, params)) in (10..).zip(&requests) {
        lines.push_str(&format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        ));
    }
    let answers = answers(&server, lines.as_bytes()).await;
    for (id, (method, params)) in (10..).zip(&requests) {
        let answer = answers
            .iter()
            .find(|answer| answer["id"] == id)
            .unwrap_or_else(|| panic!("no answer to {method} {params}"));
        let message = answer["error"]["message"]
            .as_str()
            .unwrap_or_else(|| panic!("{method} {params}: {answer}"));
        assert!(message.len() < 2_000, "{method}: {} bytes", message.len());
    }
}

/// A client that sends requests without reading is blocked, and costs no memory.
#[tokio::test]
async fn slow_clients_cause_backpressure() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let (ours, theirs) = tokio::io::duplex(4096);
    let (read, write) = tokio::io::split(theirs);
    let serving = tokio::spawn(async move { server.serve(read, write).await });
    let (read, mut write) = tokio::io::split(ours);
    let questions = 2_000;
    let writing = tokio::spawn(async move {
        let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        write
            .write_all(format!("{}\n{begun}\n", introduction()).as_bytes())
            .await
            .expect("heard");
        for id in 2..questions {
            let question = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
            write
                .write_all(format!("{question}\n").as_bytes())
                .await
                .expect("heard");
        }
        write
    });
    // The server waits, although the client does not read.
    let mut turns = 0;
    while turns < 1000 {
        tokio::task::yield_now().await;
        turns += 1;
    }
    assert!(!writing.is_finished());
    let mut read = BufReader::new(read).lines();
    let mut heard = std::collections::BTreeSet::new();
    let all = async {
        while heard.len() + 1 < questions {
            let line = read.next_line().await.expect("text").expect("a line");
            heard.insert(serde_json::from_str::<Value>(&line).expect("a document")["id"].as_u64());
        }
    };
    tokio::time::timeout(PATIENCE, all)
        .await
        .expect("all is answered");
    drop((writing.await.expect("no panic"), read));
    tokio::time::timeout(PATIENCE, serving)
        .await
        .expect("it ends")
        .expect("no panic")
        .expect("served");
}

#[tokio::test]
async fn a_closed_output_ends_the_connection() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    // Its own direction stays open.
    let (mut ask, requests) = tokio::io::duplex(4096);
    let (answers, output) = tokio::io::duplex(4096);
    let serving = tokio::spawn(async move { server.serve(requests, answers).await });
    let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    ask.write_all(format!("{}\n{begun}\n", introduction()).as_bytes())
        .await
        .expect("heard");
    let mut output = BufReader::new(output).lines();
    output.next_line().await.expect("text").expect("an answer");
    drop(output);
    ask.write_all(format!("{}\n", ping(2)).as_bytes())
        .await
        .expect("heard");
    tokio::time::timeout(PATIENCE, serving)
        .await
        .expect("it ends")
        .expect("no panic")
        .expect("served");
}

#[tokio::test]
async fn http_garbage_gets_a_status() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let mut limits = HttpLimits::default();
    limits.head = Duration::from_millis(200);
    let listening = listen(&server, HttpOptions::default().limits(limits)).await;
    let deep = "[".repeat(100_000);
    for body in [
        b"".as_slice(),
        b"{",
        b"\xff",
        b"[]",
        b"null",
        b"{}",
        deep.as_bytes(),
        br#"{"jsonrpc":"2.0","id":1,"method":1}"#,
    ] {
        let shown = String::from_utf8_lossy(&body[..body.len().min(40)]);
        let (status, head, answer) = listening.post("", body).await;
        assert_eq!(status, 400, "{shown}: {head}");
        // As over lines.
        let answer: Value =
            serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{shown}: {answer}"));
        assert!(
            [Some(-32700), Some(-32600)].contains(&code(&answer)),
            "{shown}: {answer}"
        );
    }
    let request = "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: application/json, text/event-stream\r\n\
                   content-type: text/plain\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
    assert_eq!(listening.raw(request.as_bytes()).await.0, 415);
    let marked = [
        b"\xef\xbb\xbf ".as_slice(),
        introduction().to_string().as_bytes(),
        b"\n",
    ]
    .concat();
    assert_eq!(listening.post("", &marked).await.0, 200);
    for bytes in [
        b"\r\n\r\n".as_slice(),
        b"GARBAGE\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01",
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\nx",
        b"PUT /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
        b"GET /../etc/passwd HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
    ] {
        let (status, head, _) = listening.raw(bytes).await;
        assert!(status == 0 || (400..500).contains(&status), "{}: {head}", String::from_utf8_lossy(bytes));
    }
    let (status, _, body) = listening
        .post("", introduction().to_string().as_bytes())
        .await;
    assert!(status == 200 && body.contains("protocolVersion"), "{body}");
}

/// Lines of all kinds: messages, messages gone wrong, and noise.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let method = prop_oneof![
        Just("initialize"),
        Just("ping"),
        Just("server/discover"),
        Just("tools/list"),
        Just("tools/call"),
        Just("prompts/get"),
        Just("resources/read"),
        Just("resources/subscribe"),
        Just("resources/directory/read"),
        Just("skills/list"),
        Just("skills/get"),
        Just("subscriptions/listen"),
        Just("notifications/initialized"),
        Just("notifications/cancelled"),
        Just("x"),
    ];
    let params = prop_oneof![
        Just(json!({})),
        Just(introduction()["params"].clone()),
        "\\PC{0,12}"
            .prop_map(|text| json!({"uri": text, "name": text, "cursor": text, "requestId": 3})),
        Just(
            json!({"uri": "skill://home/tidy/SKILL.md", "name": "read_skill", "arguments": {"id": "tidy"}})
        ),
        Just(json!([1, null])),
        Just(Value::Null),
    ];
    let message = (method, params, 0u64..4).prop_map(|(method, params, id)| {
        let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        if id > 0 {
            message["id"] = id.into();
        }
        message.to_string().into_bytes()
    });
    let broken = (message.clone(), any::<prop::sample::Index>(), any::<u8>()).prop_map(
        |(mut bytes, at, byte)| {
            let at = at.index(bytes.len());
            bytes[at] = byte;
            bytes
        },
    );
    prop_oneof![4 => message, 2 => broken, 1 => prop::collection::vec(any::<u8>(), 0..64)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn each_line_of_output_is_a_message(
        is_introduced in any::<bool>(),
        lines in prop::collection::vec(line(), 0..12),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let sent = runtime.block_on(async {
            let server = serve(home(&[("tidy", "Sort it.\n")])).await;
            let mut bytes = Vec::new();
            if is_introduced {
                bytes.extend(format!("{}\n", introduction()).bytes());
            }
            for line in &lines {
                bytes.extend_from_slice(line);
                bytes.push(b'\n');
            }
            answers(&server, &bytes).await
        });
        runtime.shutdown_timeout(Duration::from_secs(1));
        for answer in sent {
            prop_assert_eq!(&answer["jsonrpc"], "2.0");
            let is_message = answer.get("method").is_some() || answer.get("result").is_some() || answer.get("error").is_some();
            prop_assert!(is_message, "{}", answer);
        }
    }
}
