//! Traces, as a collector receives them.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

use prost::Message;
use serde_json::{Value, json};

use crate::gateway::{Running, gateway};
use crate::gateway_lists::McpClient;
use crate::test_env::TestEnv;

/// The fields of `ExportTraceServiceRequest` that are compared, by the numbers of opentelemetry-proto.
#[derive(Clone, PartialEq, Message)]
struct ExportRequest {
    #[prost(message, repeated, tag = "1")]
    resource_spans: Vec<ResourceSpans>,
}

#[derive(Clone, PartialEq, Message)]
struct ResourceSpans {
    #[prost(message, optional, tag = "1")]
    resource: Option<Attributes>,
    #[prost(message, repeated, tag = "2")]
    scope_spans: Vec<ScopeSpans>,
}

#[derive(Clone, PartialEq, Message)]
struct Attributes {
    #[prost(message, repeated, tag = "1")]
    attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct ScopeSpans {
    #[prost(message, repeated, tag = "2")]
    spans: Vec<ExportedSpan>,
}

#[derive(Clone, PartialEq, Message)]
struct ExportedSpan {
    #[prost(bytes = "vec", tag = "4")]
    parent: Vec<u8>,
    #[prost(string, tag = "5")]
    name: String,
    #[prost(message, repeated, tag = "9")]
    attributes: Vec<KeyValue>,
    #[prost(message, optional, tag = "15")]
    status: Option<Status>,
}

#[derive(Clone, PartialEq, Message)]
struct Status {
    #[prost(int32, tag = "3")]
    code: i32,
}

#[derive(Clone, PartialEq, Message)]
struct KeyValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct AnyValue {
    #[prost(string, optional, tag = "1")]
    text: Option<String>,
    #[prost(bool, optional, tag = "2")]
    truth: Option<bool>,
}

/// Returns attributes as JSON, without the digest of a skill.
fn shown(attributes: &[KeyValue]) -> BTreeMap<&str, Value> {
    let shown = attributes.iter().map(|attribute| {
        let value = attribute.value.as_ref().expect("a value");
        let text = value
            .text
            .as_ref()
            .map(|text| match attribute.key.as_str() {
                "repertoire.skill.digest" => json!(text.len()),
                _ => json!(text),
            });
        let value = text.or(value.truth.map(Value::Bool)).unwrap_or_default();
        (attribute.key.as_str(), value)
    });
    shown.collect()
}

/// A collector, which sends the bodies of the requests for traces.
fn collector() -> (String, Receiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it listens");
    let (sender, bodies) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.expect("a client"));
            let (mut head, mut line) = (String::new(), String::new());
            while stream.read_line(&mut line).expect("text") > 2 {
                head.push_str(&line.to_ascii_lowercase());
                line.clear();
            }
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .and_then(|length| length.parse().ok())
                .expect("a length");
            let mut body = vec![0; length];
            stream.read_exact(&mut body).expect("a body");
            assert!(head.starts_with("post /v1/traces "), "{head}");
            assert!(
                head.contains("content-type: application/x-protobuf"),
                "{head}"
            );
            // The gateway ends after the answer, and then the test reads.
            sender.send(body).expect("the test reads");
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            stream
                .get_mut()
                .write_all(answer.as_bytes())
                .expect("it reads");
        }
    });
    (format!("http://{address}"), bodies)
}

#[test]
fn a_collector_gets_loaded_skills_with_reasons() {
    let env = TestEnv::new();
    env.file("repertoire.toml", "[gateway]\nwatch = false\n")
        .skill("skills", "review", "A canary describes it.")
        .file("skills/review/notes.md", "Notes.\n");
    let (address, bodies) = collector();
    let variables = [("OTEL_EXPORTER_OTLP_ENDPOINT", address.as_str())];
    let mut started = Running::start_with(&env, &["--http", "127.0.0.1:0"], &variables);
    let mut client = McpClient::connect(&started.address());
    let mut call = |tool: &str, arguments: Value| {
        client.call("tools/call", json!({"name": tool, "arguments": arguments}));
    };
    call("list_skills", json!({}));
    call("read_skill", json!({"id": "review"}));
    call(
        "read_skill_resource",
        json!({"id": "review", "path": "notes.md"}),
    );
    call("read_skill", json!({"id": "none"}));
    client.call("prompts/get", json!({"name": "review"}));
    client.call(
        "resources/read",
        json!({"uri": "skill://project/review/SKILL.md"}),
    );
    gateway(&env, "stop");
    let (code, log) = started.end();
    assert_eq!(code, Some(0), "{log}");
    let mut spans = BTreeMap::new();
    for body in bodies.try_iter() {
        let request = ExportRequest::decode(body.as_slice()).expect("protobuf");
        for group in request.resource_spans {
            let resource = group.resource.expect("a resource").attributes;
            assert_eq!(shown(&resource)["service.name"], json!("repertoire"));
            for span in group.scope_spans.iter().flat_map(|scope| &scope.spans) {
                assert_eq!(span.parent, b"", "{span:?}");
                let code = span.status.as_ref().map_or(0, |status| status.code);
                spans.insert(span.name.clone(), json!([code, shown(&span.attributes)]));
            }
        }
    }
    let loaded = |trigger: &str, more: Value| {
        let mut attributes = json!({
            "gen_ai.skill.name": "review",
            "gen_ai.skill.source.uri": "skill://project/review/SKILL.md",
            "repertoire.skill.digest": 71,
            "repertoire.skill.shadowed": false,
            "repertoire.skill.tier": "user",
            "repertoire.skill.trigger": trigger,
        });
        let attributes_of = attributes.as_object_mut().expect("an object");
        attributes_of.extend(more.as_object().expect("an object").clone());
        json!([0, attributes])
    };
    let tool =
        |name: &str| json!({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name});
    let with = |mut first: Value, second: Value| {
        let object = first.as_object_mut().expect("an object");
        object.extend(second.as_object().expect("an object").clone());
        first
    };
    let surface =
        json!({"repertoire.skill.surface": "tool-only", "repertoire.skill.decided_by": "fallback"});
    let expected = BTreeMap::from([
        (
            "execute_tool list_skills".to_owned(),
            json!([0, tool("list_skills")]),
        ),
        (
            "execute_tool read_skill review".to_owned(),
            loaded("model", with(tool("read_skill"), surface.clone())),
        ),
        (
            "execute_tool read_skill_resource review notes.md".to_owned(),
            loaded(
                "model",
                with(
                    tool("read_skill_resource"),
                    json!({"gen_ai.skill.resource.name": "notes.md"}),
                ),
            ),
        ),
        (
            "execute_tool read_skill".to_owned(),
            json!([
                2,
                with(tool("read_skill"), json!({"error.type": "tool_error"}))
            ]),
        ),
        (
            "prompts/get review review".to_owned(),
            loaded(
                "user",
                with(
                    json!({"mcp.method.name": "prompts/get", "gen_ai.prompt.name": "review"}),
                    surface,
                ),
            ),
        ),
        (
            "resources/read skill://project/review/SKILL.md review SKILL.md".to_owned(),
            loaded(
                "client",
                json!({
                    "mcp.method.name": "resources/read",
                    "mcp.resource.uri": "skill://project/review/SKILL.md",
                    "gen_ai.skill.resource.name": "SKILL.md",
                }),
            ),
        ),
    ]);
    assert_eq!(spans, expected);
}
