//! Requests with parameters of a wrong form.

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

use crate::client::PATIENCE;
use crate::fixture::{home, serve, skill};
use crate::http::{Listening, introduction_of, listen};
use repertoire::Registered;
use repertoire_mcp::{McpFeatures, Server, ServerOptions};

/// A client that is nothing but lines.
pub(crate) struct Raw {
    read: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
}

impl Raw {
    pub(crate) fn of(server: &Server) -> Raw {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (server, (read, write)) = (server.clone(), tokio::io::split(theirs));
        tokio::spawn(async move { server.serve(read, write).await });
        let (read, write) = tokio::io::split(ours);
        Raw {
            read: BufReader::new(read).lines(),
            write,
        }
    }

    /// One that has introduced itself in this version of the protocol.
    pub(crate) async fn introduced(server: &Server, version: &str) -> Raw {
        let mut raw = Raw::of(server);
        raw.send(introduction_of(version)).await;
        assert_eq!(raw.next().await["result"]["protocolVersion"], version);
        raw.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        raw
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.write(&message.to_string()).await;
    }

    pub(crate) async fn write(&mut self, line: &str) {
        self.write
            .write_all(format!("{line}\n").as_bytes())
            .await
            .expect("heard");
    }

    pub(crate) async fn next(&mut self) -> Value {
        serde_json::from_str(&self.line().await).expect("a document")
    }

    pub(crate) async fn line(&mut self) -> String {
        let line = tokio::time::timeout(PATIENCE, self.read.next_line())
            .await
            .expect("in time");
        line.expect("a line").expect("more to say")
    }
}

/// Params that do not fit, and what is said of them.
fn forms() -> Vec<(&'static str, Option<Value>, &'static str)> {
    vec![
        ("tools/call", None, "`tools/call`: there are no `params`"),
        (
            "tools/call",
            Some(json!([])),
            "`tools/call`: `params` are not an object",
        ),
        (
            "tools/call",
            Some(json!({})),
            "`tools/call`: missing field 'name'",
        ),
        (
            "tools/call",
            Some(json!({"name": 1})),
            "`tools/call`: invalid type: integer '1', expected a string",
        ),
        (
            "tools/call",
            Some(json!({"name": "read_skill", "arguments": "x"})),
            "`tools/call`: invalid type: string \"x\", expected a map",
        ),
        (
            "tools/call",
            Some(json!({"name": "read_skill", "arguments": ["x"]})),
            "`tools/call`: invalid type: sequence, expected a map",
        ),
        (
            "tools/call",
            Some(json!({"name": "read_skill", "arguments": 5})),
            "`tools/call`: invalid type: integer '5', expected a map",
        ),
        (
            "resources/read",
            None,
            "`resources/read`: there are no `params`",
        ),
        (
            "resources/read",
            Some(json!({})),
            "`resources/read`: missing field 'uri'",
        ),
        (
            "resources/read",
            Some(json!({"uri": 5})),
            "`resources/read`: invalid type: integer '5', expected a string",
        ),
        (
            "resources/read",
            Some(json!({"uri": ["x"]})),
            "`resources/read`: invalid type: sequence, expected a string",
        ),
        (
            "prompts/get",
            Some(json!({})),
            "`prompts/get`: missing field 'name'",
        ),
        (
            "prompts/get",
            Some(json!({"name": "tidy", "arguments": []})),
            "`prompts/get`: invalid type: sequence, expected a map",
        ),
        (
            "prompts/get",
            Some(json!({"name": "tidy", "arguments": "x"})),
            "`prompts/get`: invalid type: string \"x\", expected a map",
        ),
        (
            "completion/complete",
            None,
            "`completion/complete`: there are no `params`",
        ),
        (
            "completion/complete",
            Some(json!({"ref": 1})),
            "`completion/complete`: ",
        ),
        ("skills/get", None, "`skills/get`: there are no `params`"),
        (
            "skills/get",
            Some(json!({"uri": {}})),
            "`skills/get`: invalid type: map, expected a string",
        ),
        (
            "resources/directory/read",
            Some(json!({"uri": 1})),
            "`resources/directory/read`: invalid type: integer",
        ),
        (
            "tools/list",
            Some(json!({"cursor": 5})),
            "`tools/list`: invalid type: integer '5', expected a string",
        ),
        (
            "tools/list",
            Some(json!([1])),
            "`tools/list`: `params` are not an object",
        ),
        (
            "prompts/list",
            Some(json!({"cursor": {}})),
            "`prompts/list`: invalid type: map, expected a string",
        ),
        (
            "resources/list",
            Some(json!({"cursor": true})),
            "`resources/list`: invalid type: boolean",
        ),
        (
            "resources/templates/list",
            Some(json!({"cursor": 1})),
            "`resources/templates/list`: invalid type: integer",
        ),
        (
            "skills/list",
            Some(json!({"cursor": []})),
            "`skills/list`: invalid type: sequence, expected a string",
        ),
        (
            "resources/subscribe",
            None,
            "`resources/subscribe`: there are no `params`",
        ),
        (
            "resources/unsubscribe",
            Some(json!({"uri": 1})),
            "`resources/unsubscribe`: invalid type: integer",
        ),
        (
            "tools/call",
            Some(json!({"name": "read_skill", "_meta": 5})),
            "`tools/call`: `_meta` is not an object",
        ),
    ]
}

fn request(id: u64, method: &str, params: Option<Value>) -> Value {
    let mut request = json!({"jsonrpc": "2.0", "id": id, "method": method});
    if let Some(params) = params {
        request["params"] = params;
    }
    request
}

/// A request of 2026-07-28, where its params can hold what that asks for.
fn newer(id: u64, method: &str, params: Option<Value>) -> Option<Value> {
    let mut params = params.unwrap_or_else(|| json!({}));
    let fields = params
        .as_object_mut()
        .filter(|fields| !fields.contains_key("_meta"))?;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "some-client", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    fields.insert("_meta".to_owned(), meta);
    Some(request(id, method, Some(params)))
}

#[track_caller]
fn is_refused(answer: &Value, id: u64, message: &str, shown: &str) {
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!(id), &json!(-32602)),
        "{shown}: {answer}"
    );
    let said = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(
        said.starts_with(message),
        "{shown}: expected {message}, found {said}"
    );
}

#[tokio::test]
async fn malformed_params_are_invalid_params() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut raw = Raw::introduced(&server, version).await;
        for (id, (method, params, message)) in (10..).zip(forms()) {
            let request = request(id, method, params);
            raw.send(request.clone()).await;
            is_refused(
                &raw.next().await,
                id,
                message,
                &format!("{version} {request}"),
            );
        }
        for method in ["no/such", "tools/cal", ""] {
            raw.send(request(90, method, Some(json!({"name": 1}))))
                .await;
            assert_eq!(
                raw.next().await["error"]["code"],
                -32601,
                "{version} {method}"
            );
        }
        // And goes on.
        raw.send(request(91, "tools/list", None)).await;
        assert_eq!(
            raw.next().await["result"]["tools"].as_array().map(Vec::len),
            Some(4)
        );
    }
}

#[tokio::test]
async fn malformed_params_without_sessions() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let mut raw = Raw::of(&server);
    let mut count = 0;
    for (id, (method, params, message)) in (10..).zip(forms()) {
        let Some(request) = newer(id, method, params.clone()) else {
            continue;
        };
        raw.send(request.clone()).await;
        let answer = raw.next().await;
        if ["resources/subscribe", "resources/unsubscribe"].contains(&method) {
            assert_eq!(answer["error"]["code"], -32601, "{request}: {answer}");
        } else {
            // It has params: those that every request has.
            let message = if params.is_none() { "`" } else { message };
            is_refused(&answer, id, message, &request.to_string());
            count += 1;
        }
    }
    assert!(count > 15, "{count}");
    raw.send(
        newer(
            90,
            "subscriptions/listen",
            Some(json!({"notifications": 1})),
        )
        .unwrap(),
    )
    .await;
    is_refused(
        &raw.next().await,
        90,
        "`subscriptions/listen`: invalid type",
        "listen",
    );
}

async fn session(listening: &Listening, version: &str) -> String {
    let (status, head, _) = listening
        .post("", introduction_of(version).to_string().as_bytes())
        .await;
    assert_eq!(status, 200, "{head}");
    let session = head
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "))
        .expect("a session");
    format!("mcp-session-id: {session}\r\nmcp-protocol-version: {version}\r\n")
}

/// The message in the body of an answer.
fn message(body: &str) -> Value {
    let data = body
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .find(|data| data.starts_with(['{', '[']));
    // A body of unknown length comes in pieces.
    serde_json::from_str(data.unwrap_or(body)).unwrap_or_else(|error| panic!("{error}: {body}"))
}

#[tokio::test]
async fn malformed_params_over_http() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let listening = listen(&server, Default::default()).await;
    let headers = session(&listening, "2025-06-18").await;
    for (id, (method, params, expected)) in (10..).zip(forms()) {
        let request = request(id, method, params.clone());
        let (status, _, body) = listening
            .post(&headers, request.to_string().as_bytes())
            .await;
        // A request that cannot be read at all is refused ahead of its session.
        let is_read = params
            .as_ref()
            .is_none_or(|params| params.is_object() && params.get("_meta").is_none());
        assert_eq!(status, if is_read { 200 } else { 400 }, "{request}: {body}");
        is_refused(&message(&body), id, expected, &request.to_string());
        let Some(newer) = newer(id, method, params) else {
            continue;
        };
        let headers = format!("mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n");
        let (_, _, body) = listening.post(&headers, newer.to_string().as_bytes()).await;
        // Some headers must say what a request that is malformed does not; no answer is that there is no such method.
        let is_session_method = ["resources/subscribe", "resources/unsubscribe"].contains(&method);
        assert_eq!(
            message(&body)["error"]["code"] == -32601,
            is_session_method,
            "{newer}: {body}"
        );
    }
    let (_, _, body) = listening
        .post(
            &headers,
            request(99, "no/such", None).to_string().as_bytes(),
        )
        .await;
    assert_eq!(message(&body)["error"]["code"], -32601, "{body}");
    listening.end().await;
}

/// A client that gets -32601 may conclude that the server has no such method, so only disabled features return it.
#[tokio::test]
async fn methods_of_faces_that_are_off_are_unknown() {
    let options = ServerOptions::default().features(McpFeatures::ALL.without(McpFeatures::TOOLS));
    let server = crate::fixture::serve_with(
        repertoire::Mount::user(home(&[("tidy", "Sort it.\n")])),
        options,
    )
    .await;
    let mut raw = Raw::introduced(&server, "2025-06-18").await;
    for params in [None, Some(json!({"name": 1})), Some(json!({"cursor": 5}))] {
        for method in ["tools/call", "tools/list"] {
            raw.send(request(7, method, params.clone())).await;
            assert_eq!(
                raw.next().await["error"]["code"],
                -32601,
                "{method} {params:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_malformed_initialize_can_be_repeated() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let mut raw = Raw::of(&server);
    for params in [
        None,
        Some(json!([])),
        Some(json!({})),
        Some(json!({"protocolVersion": 1})),
    ] {
        raw.send(request(3, "initialize", params)).await;
        is_refused(&raw.next().await, 3, "`initialize`: ", "initialize");
    }
    raw.send(introduction_of("2025-06-18")).await;
    assert_eq!(raw.next().await["result"]["protocolVersion"], "2025-06-18");
    let listening = listen(&server, Default::default()).await;
    let (status, _, body) = listening
        .post("", request(3, "initialize", None).to_string().as_bytes())
        .await;
    assert_eq!(status, 400, "{body}");
    is_refused(
        &message(&body),
        3,
        "`initialize`: there are no `params`",
        "initialize",
    );
    listening.end().await;
}

/// Hosts fill optional arguments in with empty texts.
#[tokio::test]
async fn an_empty_cursor_is_none() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let mut raw = Raw::introduced(&server, "2025-06-18").await;
    for method in [
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "skills/list",
    ] {
        for params in [json!({"cursor": ""}), json!({"cursor": null}), json!({})] {
            raw.send(request(1, method, Some(params.clone()))).await;
            assert!(raw.next().await["result"].is_object(), "{method} {params}");
        }
    }
    raw.send(request(
        1,
        "resources/directory/read",
        Some(json!({"uri": "skill://home/tidy", "cursor": ""})),
    ))
    .await;
    assert!(raw.next().await["result"].is_object());
}

/// Every request gets an answer, whatever its id is.
#[tokio::test]
async fn an_odd_id_is_answered_by_itself() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let listening = listen(&server, Default::default()).await;
    let headers = session(&listening, "2025-06-18").await;
    let mut raw = Raw::introduced(&server, "2025-06-18").await;
    for (id, expected) in [
        ("1.5", "\"id\":1.5"),
        ("-0.25", "\"id\":-0.25"),
        ("18446744073709551617", "\"id\":18446744073709551617"),
        ("-99999999999999999999", "\"id\":-99999999999999999999"),
        ("1e400", "\"id\":null"),
        ("null", "\"id\":null"),
        ("{}", "\"id\":null"),
        ("[1]", "\"id\":null"),
        ("true", "\"id\":null"),
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        raw.write(&line).await;
        let answer = tokio::time::timeout(PATIENCE, raw.read.next_line())
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        assert!(
            answer.contains(expected) && answer.contains("\"code\":-32"),
            "{id}: {answer}"
        );
        let (status, _, answer) = listening.post(&headers, line.as_bytes()).await;
        assert!(
            status == 400 && answer.contains(expected) && answer.contains("\"code\":-32"),
            "{id}: {answer}"
        );
    }
    for id in ["7", "7.0", "9223372036854775807", "\"a\""] {
        raw.write(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#))
            .await;
        assert_eq!(raw.next().await["result"], json!({}), "{id}");
    }
    listening.end().await;
}

/// A batch, and what is answered: sorted by id, as they may be answered in any order.
async fn batch(raw: &mut Raw, batch: Value) -> Vec<Value> {
    raw.send(batch).await;
    let mut answers = raw.next().await.as_array().expect("a batch").clone();
    answers.sort_by_key(|answer| answer["id"].to_string());
    answers
}

#[tokio::test]
async fn each_request_of_a_batch_is_answered() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let requests = json!([
        request(1, "ping", None),
        request(2, "tools/list", Some(json!({"cursor": 5}))),
        {"jsonrpc": "2.0", "method": "notifications/unknown"},
        request(3, "no/such", None),
        request(4, "resources/read", Some(json!({"uri": "skill://home/tidy/SKILL.md"}))),
        request(5, "initialize", introduction_of("2025-03-26").get("params").cloned()),
        {"jsonrpc": "2.0", "id": 6.5, "method": "ping"},
        {"jsonrpc": "2.0", "id": 7, "method": 1},
        request(8, "tools/call", Some(json!({"name": "read_skill", "arguments": {"id": "tidy"}}))),
    ]);
    let mut raw = Raw::introduced(&server, "2025-03-26").await;
    let of_lines = batch(&mut raw, requests.clone()).await;
    let outcomes: Vec<_> = of_lines
        .iter()
        .map(|answer| (answer["id"].clone(), answer["error"]["code"].clone()))
        .collect();
    assert_eq!(
        json!(outcomes),
        json!([
            [1, null],
            [2, -32602],
            [3, -32601],
            [4, null],
            [5, -32600],
            [6.5, -32600],
            [7, -32600],
            [8, null]
        ])
    );
    assert!(
        of_lines[7]["result"]["content"][0]["text"]
            .as_str()
            .is_some_and(|text| text.contains("Sort it."))
    );

    let listening = listen(&server, Default::default()).await;
    let headers = session(&listening, "2025-03-26").await;
    let (status, head, body) = listening
        .post(&headers, requests.to_string().as_bytes())
        .await;
    assert!(
        status == 200 && head.contains("content-type: application/json"),
        "{head}"
    );
    let mut of_http = message(&body).as_array().expect("a batch").clone();
    of_http.sort_by_key(|answer| answer["id"].to_string());
    assert_eq!(of_http, of_lines);
    let quiet = json!([{"jsonrpc": "2.0", "method": "notifications/unknown"}]).to_string();
    assert_eq!(listening.post(&headers, quiet.as_bytes()).await.0, 202);
    let (status, _, body) = listening.post(&headers, b"[]").await;
    assert_eq!(
        (status, message(&body)["error"]["code"].clone()),
        (400, json!(-32600))
    );
    listening.end().await;
}

#[tokio::test]
async fn a_batch_skips_notifications() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let mut raw = Raw::introduced(&server, "2025-03-26").await;
    // One id twice: the second is an error, and the first an answer.
    let answers = batch(
        &mut raw,
        json!([request(1, "ping", None), request(1, "tools/list", None)]),
    )
    .await;
    assert_eq!(
        answers
            .iter()
            .filter(|answer| answer["error"]["code"] == -32600)
            .count(),
        1,
        "{answers:?}"
    );
    assert_eq!(
        answers
            .iter()
            .filter(|answer| answer["result"] == json!({}))
            .count(),
        1,
        "{answers:?}"
    );
    // Of notifications alone nothing is said.
    raw.send(json!([{"jsonrpc": "2.0", "method": "notifications/unknown"}]))
        .await;
    // What is given up costs the others nothing.
    let given_up =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}});
    let answers = batch(
        &mut raw,
        json!([request(2, "ping", None), request(3, "ping", None), given_up]),
    )
    .await;
    assert_eq!(answers[0]["id"], 2, "{answers:?}");
    raw.send(request(4, "ping", None)).await;
    assert_eq!(raw.next().await["id"], 4);
}

#[tokio::test]
async fn batches_are_refused_by_newer_protocols() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let pings = json!([request(1, "ping", None), request(2, "ping", None)]);
    let listening = listen(&server, Default::default()).await;
    for version in ["2025-06-18", "2025-11-25"] {
        let mut raw = Raw::introduced(&server, version).await;
        raw.send(pings.clone()).await;
        let answer = raw.next().await;
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&Value::Null, &json!(-32600)),
            "{answer}"
        );
        let headers = session(&listening, version).await;
        let (status, _, body) = listening.post(&headers, pings.to_string().as_bytes()).await;
        assert_eq!(
            (status, message(&body)["error"]["code"].clone()),
            (400, json!(-32600)),
            "{body}"
        );
    }
    let (status, ..) = listening.post("", pings.to_string().as_bytes()).await;
    assert_eq!(status, 400);
    listening.end().await;
}

/// A message of nothing but small values would be hundreds of megabytes once it is parsed.
#[tokio::test]
async fn a_message_with_many_values_is_refused() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let many = |values: usize| {
        let values = vec![json!({"": 0}); values];
        request(
            5,
            "tools/call",
            Some(json!({"name": "read_skill", "arguments": {"id": "tidy", "more": values}})),
        )
    };
    let listening = listen(&server, Default::default()).await;
    let headers = session(&listening, "2025-06-18").await;
    let mut raw = Raw::introduced(&server, "2025-06-18").await;
    let message_of = "a message has at most 4096 values, and an object counts as four";
    for values in [1_000, 100_000] {
        raw.send(many(values)).await;
        let answer = raw.next().await;
        assert_eq!(
            (&answer["error"]["code"], &answer["error"]["message"]),
            (&json!(-32600), &json!(message_of))
        );
        let (status, _, body) = listening
            .post(&headers, many(values).to_string().as_bytes())
            .await;
        assert_eq!(
            (status, &message(&body)["error"]["message"]),
            (400, &json!(message_of)),
            "{values}"
        );
    }
    raw.send(many(500)).await;
    assert_eq!(raw.next().await["id"], 5);
    listening.end().await;
}

#[tokio::test]
async fn an_answer_has_a_type_that_was_accepted() {
    let home = home(&[("tidy", "Sort it.\n")]);
    home.register(Registered::new(skill("greet", "Greets."), "Hello.\n"))
        .unwrap();
    let listening = listen(&serve(home).await, Default::default()).await;
    for (accept, kind) in [
        ("", "text/event-stream"),
        ("accept: */*\r\n", "text/event-stream"),
        ("accept: application/*, text/*\r\n", "text/event-stream"),
        ("accept: application/json, */*\r\n", "text/event-stream"),
        (
            "accept: application/json\r\naccept: text/event-stream\r\n",
            "text/event-stream",
        ),
        ("accept: text/event-stream\r\n", "text/event-stream"),
        ("accept: application/json\r\n", "application/json"),
        ("accept: application/*\r\n", "application/json"),
        (
            "accept: application/json, text/event-stream;q=0\r\n",
            "application/json",
        ),
    ] {
        let introduced = listening
            .post_with(accept, introduction_of("2025-06-18").to_string().as_bytes())
            .await;
        let is_answer = |(status, head, body): &(u16, String, String), of: &str| {
            assert_eq!(*status, 200, "{accept}: {head}");
            assert!(
                head.contains(&format!("content-type: {kind}")),
                "{accept}: {head}"
            );
            assert_eq!(
                body.trim_start().starts_with('{'),
                kind == "application/json",
                "{accept}: {body}"
            );
            assert!(body.contains(of), "{accept}: {body}");
        };
        is_answer(&introduced, "protocolVersion");
        let session = introduced
            .1
            .lines()
            .find(|line| line.starts_with("mcp-session-id: "))
            .expect("a session");
        let headers = format!("{accept}{session}\r\n");
        let list = request(2, "tools/list", None).to_string();
        is_answer(
            &listening.post_with(&headers, list.as_bytes()).await,
            "read_skill",
        );
        let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
        assert_eq!(
            listening.post_with(&headers, begun.as_bytes()).await.0,
            202,
            "{accept}"
        );
        let newer_headers =
            format!("{accept}mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/list\r\n");
        let newer = newer(3, "tools/list", None).unwrap().to_string();
        is_answer(
            &listening.post_with(&newer_headers, newer.as_bytes()).await,
            "read_skill",
        );
    }
    for accept in ["accept: text/html\r\n", "accept: application/json;q=0\r\n"] {
        let (status, ..) = listening
            .post_with(accept, introduction_of("2025-06-18").to_string().as_bytes())
            .await;
        assert_eq!(status, 406, "{accept}");
    }
    // A stream of what is to come is events, and nothing else.
    let listen = newer(
        3,
        "subscriptions/listen",
        Some(json!({"notifications": {}})),
    )
    .unwrap()
    .to_string();
    let headers = "accept: application/json\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: subscriptions/listen\r\n";
    assert_eq!(listening.post_with(headers, listen.as_bytes()).await.0, 406);
    let (status, ..) = listening
        .get("/mcp", "host: localhost\r\naccept: application/json\r\n")
        .await;
    assert_eq!(status, 406);
    for accept in ["", "accept: */*\r\n", "accept: text/*\r\n"] {
        // There is no session, which is another matter.
        let (status, ..) = listening
            .get("/mcp", &format!("host: localhost\r\n{accept}"))
            .await;
        assert_ne!(status, 406, "{accept}");
    }
    listening.end().await;
}
