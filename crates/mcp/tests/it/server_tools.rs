//! Tools of servers, which skills bring.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use repertoire::catalog::Tokenizer;
use repertoire::config::{Configuration, HostSettings};
use repertoire::permission::{Exposure, PermissionPolicy, VisibilityPolicy};
use repertoire::{MemorySource, Mount, Registered, Skill, SkillRegistry, Trust};
use repertoire_mcp::{Server, ServerOptions};
use repertoire_mcp_servers::{
    AuditLog, CallError, ServerState, ServerTool, ToolAccess, ToolOffer, ToolProvider, ToolRules,
};
use rmcp::model::{CallToolRequestParams, CallToolResponse, GetPromptRequestParams};
use serde_json::{Map, Value, json};
use tokio::sync::{Semaphore, watch};

use crate::client::{Client, Notified, PATIENCE, code};
use crate::features::instructions;
use crate::fixture::skill;
use crate::http::listen;
use crate::modern::request;
use crate::tools::call;

/// Servers that answer each call with its arguments.
#[derive(Debug)]
struct FakeServers {
    tools: Mutex<Arc<[ServerTool]>>,
    revision: watch::Sender<u64>,
    calls: Mutex<Vec<String>>,
    /// Each call takes one.
    permits: Semaphore,
    /// `true` while no server has listed its tools.
    are_starting: AtomicBool,
}

#[async_trait]
impl ToolProvider for FakeServers {
    fn tools(&self) -> Arc<[ServerTool]> {
        self.tools.lock().unwrap().clone()
    }

    fn is_listing(&self, _: &str) -> bool {
        self.are_starting.load(Ordering::Relaxed)
    }

    fn revision(&self) -> watch::Receiver<u64> {
        self.revision.subscribe()
    }

    async fn call(
        &self,
        server: &str,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, CallError> {
        let call = format!("{server} {tool} {}", Value::Object(arguments));
        self.calls.lock().unwrap().push(call.clone());
        self.permits.acquire().await.unwrap().forget();
        if tool == "broken" {
            let (server, tool) = (server.into(), tool.into());
            let (state, reason) = (ServerState::BackingOff, "it ended".into());
            return Err(CallError::NotRunning {
                server,
                tool,
                state,
                reason,
            });
        }
        Ok(json!({"content": [{"type": "text", "text": call}], "isError": tool == "fails"}))
    }
}

impl FakeServers {
    fn new(names: &[(&str, &str)]) -> Arc<FakeServers> {
        let servers = FakeServers {
            tools: Mutex::default(),
            revision: watch::Sender::new(0),
            calls: Mutex::default(),
            permits: Semaphore::new(1000),
            are_starting: AtomicBool::new(false),
        };
        servers.set(names);
        Arc::new(servers)
    }

    fn set(&self, names: &[(&str, &str)]) {
        let schema = json!({"type": "object", "properties": {"zone": {"type": "string"}}});
        let schema = Arc::new(schema.as_object().unwrap().clone());
        let tools = names.iter().map(|(server, name)| {
            ServerTool::new(*server, *name, format!("Does {name}."), Arc::clone(&schema))
        });
        *self.tools.lock().unwrap() = tools.collect();
        self.revision.send_modify(|revision| *revision += 1);
    }

    fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }
}

/// Returns the rules of a server that a configuration defines.
fn server_rules(id: &str, rules: &str) -> Vec<(String, ToolRules)> {
    let text = format!("[[registries.mcp-servers]]\nid = \"{id}\"\ncommand = \"{id}\"\n{rules}\n");
    let settings = HostSettings::new("/");
    let configuration = Configuration::parse("repertoire.toml", &text, &settings).unwrap();
    let servers = &configuration.registries().mcp_servers;
    let rules = servers.iter();
    rules
        .map(|server| (server.id.to_string(), server.tools.clone()))
        .collect()
}

fn needing(id: &str, tools: &[&str]) -> Registered<Skill> {
    let skill = skill(id, &format!("Does {id}."));
    Registered::new(
        skill.with_field("required_tools", tools.to_vec()),
        "Do it.\n",
    )
}

fn source(
    name: &str,
    skills: impl IntoIterator<Item = Registered<Skill>>,
) -> Arc<MemorySource<Skill>> {
    let source = MemorySource::new(name);
    for skill in skills {
        source.register(skill).unwrap();
    }
    Arc::new(source)
}

async fn serve(mounts: impl IntoIterator<Item = Mount<Skill>>, options: ServerOptions) -> Server {
    let builder = mounts
        .into_iter()
        .fold(SkillRegistry::builder(), |builder, mount| {
            builder.mount(mount)
        });
    let registry = builder.start(&tokio::runtime::Handle::current()).await;
    Server::new(registry.unwrap(), options)
}

/// Serves skills of a trusted source, with the tools of `servers`.
async fn serve_home(
    home: &Arc<MemorySource<Skill>>,
    servers: &Arc<FakeServers>,
) -> (Server, ToolAccess) {
    let access = ToolAccess::new(servers.clone());
    let options = ServerOptions::default().server_tools(access.clone());
    (serve([Mount::user(home.clone())], options).await, access)
}

async fn names(client: &Client) -> Vec<String> {
    let tools = client.peer.list_all_tools().await.unwrap();
    tools.iter().map(|tool| tool.name.to_string()).collect()
}

/// Returns the names of listed tools of servers.
async fn brought(client: &Client) -> Vec<String> {
    let names = names(client).await.into_iter();
    names.filter(|name| name.starts_with("mcp__")).collect()
}

async fn read(client: &Client, id: &str) -> String {
    call(client, "read_skill", json!({"id": id})).await.text
}

/// Calls a tool whose name is not known when the test is compiled.
async fn call_named(client: &Client, name: &str, arguments: Value) -> Result<Value, (i32, String)> {
    let mut request = CallToolRequestParams::new(name.to_owned());
    request.arguments = arguments.as_object().cloned();
    match client.peer.call_tool_once(request).await {
        Ok(CallToolResponse::Complete(result)) => Ok(json!(result)),
        other => Err(code(other)),
    }
}

fn text(answer: &Value) -> &str {
    answer["content"][0]["text"].as_str().unwrap()
}

/// Waits for the list of tools to change.
async fn tools_change(client: &mut Client) {
    while client.next().await != Notified::Tools {}
}

const OWN: [&str; 5] = [
    "list_skills",
    "search_skills",
    "read_skill",
    "read_skill_resource",
    "call_tool",
];

#[tokio::test]
async fn an_active_skill_brings_its_tools() {
    let servers = FakeServers::new(&[("time", "now"), ("time", "zones"), ("fs", "read")]);
    let home = source("home", [needing("clock", &["mcp__time__now"])]);
    let (server, _) = serve_home(&home, &servers).await;
    let mut client = Client::of(&server).await;
    let mut other = Client::of(&server).await;
    assert_eq!(names(&client).await, OWN);

    let answer = read(&client, "clock").await;
    assert!(
        answer.contains("there are the tools `mcp__time__now`"),
        "{answer}"
    );
    assert_eq!(client.next().await, Notified::Tools);
    let listed = [&OWN[..], &["deactivate_skill", "mcp__time__now"]].concat();
    assert_eq!(names(&client).await, listed);
    let answer = call_named(&client, "mcp__time__now", json!({"zone": "UTC"})).await;
    assert_eq!(text(&answer.unwrap()), r#"time now {"zone":"UTC"}"#);

    // A different session has its own list.
    other.is_not_notified().await;
    assert_eq!(names(&other).await, OWN);
    let refused = call_named(&other, "mcp__time__now", json!({})).await;
    let expected = "no tool `mcp__time__now` now; read a skill that brings it before you call it";
    assert_eq!(refused, Err((-32602, expected.to_owned())));

    call(&client, "deactivate_skill", json!({"id": "clock"})).await;
    assert_eq!(client.next().await, Notified::Tools);
    assert_eq!(names(&client).await, OWN);
    assert!(
        call_named(&client, "mcp__time__now", json!({}))
            .await
            .is_err()
    );
    assert_eq!(servers.calls(), [r#"time now {"zone":"UTC"}"#]);
}

#[tokio::test]
async fn prompts_activate_and_resources_do_not() {
    let servers = FakeServers::new(&[("time", "now")]);
    let mut clock = skill("clock", "Does clock.");
    clock.allowed_tools = Some(vec!["Read".into(), "mcp__time__now".into()]);
    let clock = clock.with_field("disable-model-invocation", true);
    let home = source(
        "home",
        [
            Registered::new(clock, "Do it.\n"),
            needing("other", &["mcp__time__now"]),
        ],
    );
    let (server, _) = serve_home(&home, &servers).await;
    let client = Client::of(&server).await;
    crate::resources::read(&client, "skill://home/other/SKILL.md")
        .await
        .unwrap();
    assert_eq!(brought(&client).await, [""; 0]);
    let prompt = GetPromptRequestParams::new("clock");
    client.peer.get_prompt_once(prompt).await.unwrap();
    assert_eq!(brought(&client).await, ["mcp__time__now"]);
}

#[tokio::test]
async fn tools_leave_with_their_skill() {
    let servers = FakeServers::new(&[("time", "now")]);
    let home = source("home", []);
    let (server, _) = serve_home(&home, &servers).await;
    let id: repertoire::Id = "clock".parse().unwrap();
    let hidden = || {
        let hidden = skill("clock", "Hidden.").with_field("disable-model-invocation", true);
        Registered::new(
            hidden.with_field("required_tools", ["mcp__time__now"]),
            "Do it.\n",
        )
    };
    let changes: [&dyn Fn(); 3] = [
        &|| {
            home.unregister("clock");
        },
        &|| {
            home.replace(&id, hidden()).unwrap();
        },
        &|| {
            home.replace(&id, needing("clock", &[])).unwrap();
        },
    ];
    for (at, change) in changes.into_iter().enumerate() {
        home.register(needing("clock", &["mcp__time__now"]))
            .unwrap();
        server.registry().refresh().await.unwrap();
        let mut client = Client::of(&server).await;
        read(&client, "clock").await;
        tools_change(&mut client).await;
        assert_eq!(brought(&client).await, ["mcp__time__now"], "{at}");
        change();
        tools_change(&mut client).await;
        assert_eq!(brought(&client).await, [""; 0], "{at}");
        assert!(
            call_named(&client, "mcp__time__now", json!({}))
                .await
                .is_err()
        );
        home.unregister("clock");
        server.registry().refresh().await.unwrap();
    }
    assert_eq!(servers.calls(), [""; 0]);
}

#[tokio::test]
async fn tools_leave_with_trust() {
    let servers = FakeServers::new(&[("time", "now")]);
    let home = source("home", [needing("clock", &["mcp__time__now"])]);
    let (server, _) = serve_home(&home, &servers).await;
    let mut client = Client::of(&server).await;
    read(&client, "clock").await;
    tools_change(&mut client).await;
    assert_eq!(brought(&client).await, ["mcp__time__now"]);
    let restricted = Mount::user(home).trust(Trust::Restricted);
    let composition = SkillRegistry::builder().mount(restricted);
    server.registry().recompose(composition).await.unwrap();
    tools_change(&mut client).await;
    assert_eq!(brought(&client).await, [""; 0]);
    let tool = "mcp__time__now";
    for (name, arguments) in [
        (tool, json!({})),
        ("call_tool", json!({"tool": tool})),
        ("call_tool", json!({"skill": "clock", "tool": tool})),
    ] {
        let refused = call_named(&client, name, arguments).await;
        assert!(refused.is_err_and(|(code, _)| code == -32602), "{name}");
    }
    assert_eq!(servers.calls(), [""; 0]);
}

#[tokio::test]
async fn call_tool_needs_no_session() {
    let servers = FakeServers::new(&[("time", "now")]);
    let home = source("home", [needing("clock", &["mcp__time__now"])]);
    let (server, _) = serve_home(&home, &servers).await;
    let listening = listen(&server, Default::default()).await;
    let post = async |arguments: Value| {
        let params = json!({"name": "call_tool", "arguments": arguments});
        let body = request(1, "tools/call", params).to_string();
        let headers =
            "mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: call_tool\r\n";
        let (_, head, text) = listening.post(headers, body.as_bytes()).await;
        assert!(!head.contains("\r\nmcp-session-id:"), "{head}");
        let lines = text.lines();
        let mut messages = lines.filter_map(|line| {
            let message = line.strip_prefix("data: ").unwrap_or(line);
            serde_json::from_str::<Value>(message).ok()
        });
        messages.find(|message| message["id"] == 1).unwrap()
    };
    let given = json!({"skill": "clock", "tool": "mcp__time__now", "arguments": {"zone": "UTC"}});
    let answer = post(given).await;
    assert_eq!(text(&answer["result"]), r#"time now {"zone":"UTC"}"#);
    // The skill was active for that call alone.
    let answer = post(json!({"tool": "mcp__time__now"})).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(servers.calls().len(), 1);
}

#[tokio::test]
async fn the_instructions_mark_unready_skills() {
    let servers = FakeServers::new(&[("time", "now")]);
    let skills = [
        needing("clock", &["mcp__time__now"]),
        needing("diary", &["mcp__time__none"]),
    ];
    let (server, _) = serve_home(&source("home", skills), &servers).await;
    let marked = async || {
        let text = instructions(&Client::without_extension("some-client", &server).await);
        let lines = text.lines().filter(|line| line.starts_with("<skill>"));
        let marked = lines.map(|line| line.contains("<not_ready>yes</not_ready>"));
        marked.collect::<Vec<_>>()
    };
    assert_eq!(marked().await, [false, true]);
    servers.set(&[("time", "none")]);
    assert_eq!(marked().await, [true, false]);
}

#[tokio::test]
async fn call_tool_needs_no_list() {
    let servers = FakeServers::new(&[("time", "now"), ("time", "fails"), ("time", "broken")]);
    let home = source("home", [needing("clock", &["mcp__time__*"])]);
    let (server, _) = serve_home(&home, &servers).await;
    let client = Client::of(&server).await;
    let tool = "mcp__time__now";
    let refused = call_named(&client, "call_tool", json!({"tool": tool})).await;
    assert!(refused.is_err(), "{refused:?}");

    // A named skill counts for this call alone.
    let given = json!({"skill": "clock", "tool": tool, "arguments": {"zone": "UTC"}});
    let answer = call_named(&client, "call_tool", given).await.unwrap();
    assert_eq!(text(&answer), r#"time now {"zone":"UTC"}"#);
    assert_eq!(names(&client).await, OWN);
    let list = call(&client, "call_tool", json!({"skill": "clock"}))
        .await
        .text;
    let list: Value = serde_json::from_str(&list).unwrap();
    assert_eq!(list["tools"][2]["name"], "mcp__time__now");
    assert_eq!(
        list["tools"][2]["inputSchema"]["properties"]["zone"]["type"],
        "string"
    );

    read(&client, "clock").await;
    let fails = json!({"tool": "mcp__time__fails"});
    let answer = call_named(&client, "call_tool", fails).await.unwrap();
    assert_eq!(
        (text(&answer), &answer["isError"]),
        ("time fails {}", &json!(true))
    );
    let broken = call(&client, "call_tool", json!({"tool": "mcp__time__broken"})).await;
    let expected = "the MCP server `time` is backing off: it ended; `broken` was not called";
    assert_eq!((broken.text.as_str(), broken.is_error), (expected, true));
}

#[tokio::test]
async fn restricted_skills_need_a_grant() {
    let raw = || {
        let raw = skill("raw", "Does raw.").with_field("category", "raw");
        let raw = raw.with_field("required_tools", ["mcp__time__now"]);
        Registered::new(raw, "Do it.\n")
    };
    for (grants, expected) in [
        ("", [false, false, false]),
        ("grant-to = [\"club:clock\"]", [true, false, false]),
        ("grant-to = [\"club:*\"]", [true, true, false]),
        (
            "grant-to = [\"other:clock\", \"home:raw\"]",
            [false, false, true],
        ),
        ("tools = \"always\"", [true, true, true]),
    ] {
        let servers = FakeServers::new(&[("time", "now")]);
        let access = ToolAccess::new(servers);
        access.set_rules(server_rules("time", grants));
        let club = source(
            "club",
            [
                needing("clock", &["mcp__time__now"]),
                needing("home:raw", &["mcp__time__now"]),
            ],
        );
        let mounts = [
            Mount::user(club).trust(Trust::Restricted),
            Mount::user(source("home", [raw()])),
        ];
        let options = ServerOptions::default().server_tools(access);
        let server = serve(mounts, options).await;
        let mut found = Vec::new();
        for id in ["club:clock", "club:home:raw", "home:raw"] {
            let client = Client::of(&server).await;
            let answer = read(&client, id).await;
            let has_tool = !brought(&client).await.is_empty();
            assert_eq!(answer.contains("has not granted"), !has_tool, "{answer}");
            found.push(has_tool);
        }
        assert_eq!(found, expected, "{grants}");
    }
}

#[tokio::test]
async fn the_operator_chooses_tools() {
    let all = ["mcp__fs__Delete_all", "mcp__fs__list", "mcp__fs__read"];
    for (rules, at_start, with_skill) in [
        ("", &[][..], &all[..]),
        ("tools = \"always\"", &all, &all),
        ("tools = \"never\"", &[], &[]),
        ("deny = [\"delete_*\"]", &[], &all[1..]),
        ("allow = [\"*e*\"]\ndeny = [\"*L*\"]", &[], &all[2..]),
        ("allow = [\"list\"]", &[], &all[1..2]),
        ("tools = \"always\"\ndeny = [\"*\"]", &[], &[]),
    ] {
        let servers = FakeServers::new(&[("fs", "Delete_all"), ("fs", "list"), ("fs", "read")]);
        let home = source("home", [needing("files", &["mcp__fs__*"])]);
        let (server, access) = serve_home(&home, &servers).await;
        access.set_rules(server_rules("fs", rules));
        let client = Client::of(&server).await;
        assert_eq!(brought(&client).await, at_start, "{rules}");
        read(&client, "files").await;
        assert_eq!(brought(&client).await, with_skill, "{rules}");
        for name in all {
            let is_called = call_named(&client, name, json!({})).await.is_ok();
            assert_eq!(is_called, with_skill.contains(&name), "{rules}: {name}");
        }
    }
}

#[tokio::test]
async fn permissions_decide_about_offers_and_calls() {
    let servers = FakeServers::new(&[("fs", "read"), ("fs", "write")]);
    let policy = PermissionPolicy::new([("reader", vec!["mcp__fs__read"])], "reader").unwrap();
    let access = ToolAccess::new(servers.clone()).permitted_by(Arc::new(policy));
    let home = source(
        "home",
        [needing("files", &["mcp__fs__read", "mcp__fs__write"])],
    );
    let options = ServerOptions::default().server_tools(access);
    let server = serve([Mount::user(home)], options).await;
    let client = Client::of(&server).await;
    let answer = read(&client, "files").await;
    let note = "[The skill is not ready: needs the tool `mcp__fs__write`, which is denied: permissions deny it.]";
    assert!(answer.ends_with(note), "{answer}");
    assert_eq!(brought(&client).await, ["mcp__fs__read"]);
    assert!(
        call_named(&client, "mcp__fs__write", json!({}))
            .await
            .is_err()
    );
    assert!(
        call_named(&client, "mcp__fs__read", json!({}))
            .await
            .is_ok()
    );
    assert_eq!(servers.calls(), ["fs read {}"]);
}

/// Returns what each list says about the readiness of the only skill.
async fn readiness(client: &Client) -> Vec<Value> {
    let list = call(client, "list_skills", json!({})).await.text;
    let list: Value = serde_json::from_str(&list).unwrap();
    let found = call(client, "search_skills", json!({"query": "clock"}))
        .await
        .text;
    let found: Value = serde_json::from_str(&found).unwrap();
    let skills = client.peer.list_skills(None).await.unwrap();
    let resources = client.peer.list_all_resources().await.unwrap();
    let prompts = client.peer.list_all_prompts().await.unwrap();
    let meta = "repertoire/not-ready";
    vec![
        list["skills"][0]["not_ready"].clone(),
        found["matches"][0]["not_ready"].clone(),
        json!(skills)["skills"][0]["_meta"][meta].clone(),
        json!(resources)[0]["_meta"][meta].clone(),
        json!(prompts)[0]["_meta"][meta].clone(),
    ]
}

#[tokio::test]
async fn missing_tools_make_a_skill_not_ready() {
    let servers = FakeServers::new(&[]);
    let home = source("home", [needing("clock", &["mcp__time__now", "Bash"])]);
    let (server, access) = serve_home(&home, &servers).await;
    let mut client = Client::of(&server).await;
    let needs = "needs the tool `mcp__time__now`";
    let is = |reason: &str| vec![json!(format!("{needs}, {reason}")); 5];
    assert_eq!(
        readiness(&client).await,
        is("and there is no MCP server `time`")
    );

    access.set_rules(server_rules("time", ""));
    let mut notified = vec![client.next().await, client.next().await];
    notified.extend(client.so_far().await);
    assert_eq!(notified, [Notified::Prompts, Notified::Resources]);
    assert_eq!(
        readiness(&client).await,
        is("and the server `time` lists no tools")
    );

    servers.set(&[("time", "zones")]);
    assert_eq!(
        readiness(&client).await,
        is("which the server `time` does not have")
    );
    servers.set(&[("time", "now")]);
    assert_eq!(readiness(&client).await, [const { Value::Null }; 5]);
    access.set_rules(server_rules("time", "deny = [\"now\"]"));
    let denied = "which is denied: the rule `deny = \"now\"` of the server `time`";
    assert_eq!(readiness(&client).await, is(denied));
}

#[tokio::test]
async fn a_server_that_starts_makes_no_skill_unready() {
    let servers = FakeServers::new(&[]);
    servers.are_starting.store(true, Ordering::Relaxed);
    let home = source("home", [needing("clock", &["mcp__time__now"])]);
    let (server, access) = serve_home(&home, &servers).await;
    access.set_rules(server_rules("time", ""));
    let client = Client::of(&server).await;
    assert_eq!(readiness(&client).await, [const { Value::Null }; 5]);
    access.set_rules(server_rules("time", "deny = [\"now\"]"));
    assert_ne!(readiness(&client).await, [const { Value::Null }; 5]);
    access.set_rules(server_rules("time", ""));
    servers.are_starting.store(false, Ordering::Relaxed);
    servers.set(&[]);
    let reason = "needs the tool `mcp__time__now`, and the server `time` lists no tools";
    assert_eq!(readiness(&client).await, vec![json!(reason); 5]);
}

#[tokio::test]
async fn allowed_tools_of_other_hosts_are_ready() {
    let servers = FakeServers::new(&[("time", "now")]);
    let mut clock = skill("clock", "Does clock.");
    let rules = [
        "mcp__ide__open",
        "mcp__time__now(x)",
        "mcp__time",
        "mcp__time__none",
    ];
    clock.allowed_tools = Some(rules.into_iter().map(Into::into).collect());
    let home = source("home", [Registered::new(clock, "Do it.\n")]);
    let (server, _) = serve_home(&home, &servers).await;
    let client = Client::of(&server).await;
    let answer = read(&client, "clock").await;
    let note = "[The skill is not ready: needs the tool `mcp__time__none`, which the server `time` does not have.]";
    assert!(answer.ends_with(note), "{answer}");
    assert_eq!(brought(&client).await, [""; 0]);
}

#[tokio::test]
async fn no_skill_selects_all_servers() {
    let servers = FakeServers::new(&[("time", "now"), ("a__b", "c"), ("a", "x")]);
    let greedy = [
        "*",
        "mcp__*",
        "mcp__*__now",
        "mcp__time",
        "mcp__{time,a}__now",
        "mcp__a__b__c",
        "mcp__Time__now",
        "mcp__tіme__now",
    ];
    let home = source("home", [needing("greedy", &greedy)]);
    let (server, _) = serve_home(&home, &servers).await;
    let client = Client::of(&server).await;
    read(&client, "greedy").await;
    assert_eq!(brought(&client).await, [""; 0]);
    for name in ["mcp__time__now", "mcp__a__b__c", "mcp__a__x"] {
        let given = json!({"skill": "greedy", "tool": name});
        let refused = call_named(&client, "call_tool", given).await;
        assert_eq!(refused, call_named(&client, name, json!({})).await);
        assert!(refused.is_err_and(|(code, _)| code == -32602));
    }
    assert_eq!(servers.calls(), [""; 0]);
}

#[tokio::test]
async fn hidden_skills_bring_nothing() {
    let servers = FakeServers::new(&[("time", "now")]);
    let access = ToolAccess::new(servers.clone());
    let modes = VisibilityPolicy::default().with("hidden".parse().unwrap(), Exposure::Off);
    let options = ServerOptions::default()
        .server_tools(access.clone())
        .modes(modes);
    let missing = needing("hidden", &["mcp__none__tool", "mcp__time__now"]);
    let home = source("home", [missing, needing("seen", &[])]);
    let server = serve([Mount::user(home)], options).await;
    let mut client = Client::of(&server).await;
    let hidden = json!({"skill": "hidden", "tool": "mcp__time__now"});
    let unknown = json!({"skill": "nobody", "tool": "mcp__time__now"});
    let hidden = call_named(&client, "call_tool", hidden).await.unwrap();
    let unknown = call_named(&client, "call_tool", unknown).await.unwrap();
    assert_eq!(text(&hidden).replace("hidden", "nobody"), text(&unknown));
    access.set_rules(server_rules("none", ""));
    client.is_not_notified().await;
    assert_eq!(servers.calls(), [""; 0]);
}

#[tokio::test]
async fn names_that_clients_refuse_are_shortened() {
    let long = "x".repeat(80);
    let servers = FakeServers::new(&[("fs", "read.file"), ("fs", "read_file"), ("fs", &long)]);
    let home = source("home", [needing("files", &["mcp__fs__*"])]);
    let (server, _) = serve_home(&home, &servers).await;
    let client = Client::of(&server).await;
    read(&client, "files").await;
    let listed = brought(&client).await;
    let is_accepted = |name: &String| {
        name.len() <= 64
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
    };
    assert!(
        listed.len() == 3 && listed.iter().all(is_accepted),
        "{listed:?}"
    );
    let mut answers = Vec::new();
    for name in listed
        .iter()
        .map(String::as_str)
        .chain(["mcp__fs__read.file"])
    {
        let answer = call_named(&client, name, json!({})).await.unwrap();
        answers.push(text(&answer).to_owned());
    }
    let expected = [
        "fs read_file {}",
        "fs read.file {}",
        &format!("fs {long} {{}}"),
        "fs read.file {}",
    ];
    assert_eq!(answers, expected);
}

#[tokio::test]
async fn skill_tools_win_a_clash() {
    let servers = FakeServers::new(&[("time", "now"), ("time", "zones")]);
    let access = ToolAccess::new(servers.clone());
    access.set_rules(server_rules("time", "tools = \"always\""));
    let preset = repertoire::tools::ToolPreset::DEFAULT
        .read_tool("mcp__time__now", "id")
        .unwrap();
    let preset = preset.list_tool("call_tool").unwrap();
    // A skill with the name of a tool does not answer in its place.
    let home = source("home", [needing("mcp__time__zones", &[])]);
    let options = ServerOptions::default().server_tools(access).tools(preset);
    let server = serve([Mount::user(home)], options).await;
    let client = Client::of(&server).await;
    let expected = [
        "call_tool",
        "search_skills",
        "mcp__time__now",
        "read_skill_resource",
        "mcp__time__zones",
    ];
    assert_eq!(names(&client).await, expected);
    let body = call_named(&client, "mcp__time__now", json!({"id": "mcp__time__zones"})).await;
    assert!(text(&body.unwrap()).contains("Do it."));
    let answer = call_named(&client, "mcp__time__zones", json!({})).await;
    assert_eq!(text(&answer.unwrap()), "time zones {}");
}

#[tokio::test]
async fn a_running_call_outlives_its_tool() {
    let servers = FakeServers::new(&[("time", "now")]);
    servers.permits.forget_permits(1000);
    let home = source("home", [needing("clock", &["mcp__time__now"])]);
    let (server, _) = serve_home(&home, &servers).await;
    let mut client = Client::of(&server).await;
    read(&client, "clock").await;
    tools_change(&mut client).await;
    let peer = client.peer.peer().clone();
    let running = tokio::spawn(async move {
        peer.call_tool_once(CallToolRequestParams::new("mcp__time__now"))
            .await
    });
    tokio::time::timeout(PATIENCE, async {
        while servers.calls().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
    servers.set(&[("time", "later")]);
    tools_change(&mut client).await;
    assert_eq!(brought(&client).await, [""; 0]);
    assert!(
        call_named(&client, "mcp__time__now", json!({}))
            .await
            .is_err()
    );
    servers.permits.add_permits(1);
    let Ok(CallToolResponse::Complete(answer)) = running.await.unwrap() else {
        panic!("the call is answered")
    };
    assert_eq!(text(&json!(answer)), "time now {}");
}

#[tokio::test]
async fn pages_are_of_one_list() {
    let servers = FakeServers::new(&[("time", "a"), ("time", "b"), ("time", "c")]);
    let home = source("home", [needing("clock", &["mcp__time__*"])]);
    let access = ToolAccess::new(servers.clone());
    let options = ServerOptions::default().server_tools(access).page(4);
    let server = serve([Mount::user(home)], options).await;
    let client = Client::of(&server).await;
    read(&client, "clock").await;
    assert_eq!(names(&client).await.len(), OWN.len() + 4);
    let first = client.peer.list_tools(None).await.unwrap();
    let next =
        || rmcp::model::PaginatedRequestParams::default().with_cursor(first.next_cursor.clone());
    assert!(client.peer.list_tools(Some(next())).await.is_ok());
    servers.set(&[("time", "a"), ("time", "b")]);
    let (status, _) = code(client.peer.list_tools(Some(next())).await);
    assert_eq!(status, -32602);
}

#[tokio::test]
async fn the_audit_log_has_calls_and_denials() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let servers = FakeServers::new(&[("time", "now")]);
    let access = ToolAccess::new(servers).audited_by(AuditLog::open(&path).unwrap());
    let home = source("home", [needing("clock", &["mcp__time__now"])]);
    let options = ServerOptions::default().server_tools(access.clone());
    let server = serve([Mount::user(home)], options).await;
    let client = Client::of(&server).await;
    read(&client, "clock").await;
    call_named(&client, "mcp__time__now", json!({"zone": "canary"}))
        .await
        .unwrap();
    call(&client, "deactivate_skill", json!({"id": "home:clock"})).await;
    let rows = AuditLog::read(&path).unwrap();
    let facts = rows.into_iter().map(|row| {
        let mut fields = row.fields;
        fields.retain(|key, _| !["at", "process", "previous"].contains(&key.as_str()));
        fields
    });
    let expected = [
        json!({"event": "activated", "skill": "home:clock"}),
        json!({"event": "called", "server": "time", "tool": "now"}),
        json!({"event": "deactivated", "skill": "home:clock"}),
    ];
    let facts: Vec<_> = facts.map(Value::Object).collect();
    assert_eq!(facts, expected);
}

/// Returns the tokens of `tools/list`.
async fn list_tokens(client: &Client) -> usize {
    let tools = client.peer.list_all_tools().await.unwrap();
    Tokenizer::O200K.estimate(&json!({ "tools": tools }).to_string())
}

#[tokio::test]
async fn ten_servers_cost_little_at_the_start() {
    let ids: Vec<_> = (0..10).map(|number| format!("server-{number}")).collect();
    let tools: Vec<_> = (0..30).map(|number| format!("tool_{number}")).collect();
    let names = ids
        .iter()
        .flat_map(|id| tools.iter().map(move |tool| (id.as_str(), tool.as_str())));
    let servers = FakeServers::new(&names.collect::<Vec<_>>());
    let home = source("home", [needing("clock", &["mcp__server-1__*"])]);
    let (server, access) = serve_home(&home, &servers).await;
    let client = Client::of(&server).await;
    let start = list_tokens(&client).await;
    read(&client, "clock").await;
    let active = list_tokens(&client).await;
    let rules = ToolRules::new(ToolOffer::Always);
    access.set_rules(ids.iter().map(|id| (id.as_str(), rules.clone())));
    let all = list_tokens(&client).await;
    eprintln!("tokens of `tools/list`: {start} at the start, {active} with a skill, {all} of all");
    assert!(
        start * 10 <= all && active * 5 <= all,
        "{start}, {active}, {all}"
    );
}
