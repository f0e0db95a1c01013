//! The same over MCP: every feature, as a client of its own hears it.

use repertoire_mcp::{Server, ServerOptions};
use rmcp::ServiceExt;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, CompleteRequestParams, GetPromptRequestParams,
    GetSkillRequestParams, Implementation, ReadResourceDirectoryRequestParams, ReadResourceRequestParams, Reference,
    SKILLS_EXTENSION_ID, SubscribeRequestParams,
};
use rmcp::service::{RoleClient, RunningService, ServiceError};

use super::*;

type Client = RunningService<RoleClient, ClientConfig>;

/// A client of `world`, with the skills extension or without it.
async fn client(world: &World, has_extension: bool) -> Client {
    let server = Server::new(world.registry.clone(), ServerOptions::default().modes(world.modes.clone()));
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(async move { server.serve_lines(read, write).await });
    let mut capabilities = ClientCapabilities::default();
    if has_extension {
        capabilities.extensions.get_or_insert_default().insert(SKILLS_EXTENSION_ID.to_owned(), Default::default());
    }
    ClientConfig::new(capabilities, Implementation::new("somebody", "1")).serve(ours).await.unwrap()
}

/// The hidden names that occur in `text`, which shows whole front matter, and so has parts of them as keys.
fn told(text: &str, audience: Audience) -> Vec<&'static str> {
    let hidden = VEILED.iter().filter(|(.., from)| from.contains(&audience)).map(|(id, ..)| *id);
    hidden.filter(|id| text.contains(id)).collect()
}

/// An answer or an error, as text.
fn text<T: std::fmt::Debug>(answer: Result<T, ServiceError>) -> String {
    match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => format!("error: {error}"),
    }
}

async fn call(client: &Client, tool: &'static str, arguments: serde_json::Value) -> String {
    let arguments = arguments.as_object().cloned().unwrap();
    text(client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await)
}

/// What the features tell of their own accord, and whether they list; tools, skills and resources are for models, prompts for users.
async fn listed(world: &World) -> Vec<(Audience, String, bool, String)> {
    let mut said = Vec::new();
    for has_extension in [true, false] {
        let client = client(world, has_extension).await;
        let mut at = |audience, door: &str, lists, text| {
            said.push((audience, format!("{door} (extension: {has_extension})"), lists, text));
        };
        let instructions = client.peer_info().and_then(|info| info.instructions.clone()).unwrap();
        at(Model, "instructions", !has_extension, instructions);
        at(Model, "skills", true, text(client.list_all_skills().await));
        at(Model, "resources", true, text(client.list_all_resources().await));
        at(Model, "templates", false, text(client.list_all_resource_templates().await));
        at(Model, "tools", false, text(client.list_all_tools().await));
        at(Model, "list_skills", true, call(&client, "list_skills", json!({})).await);
        at(Model, "search_skills", false, call(&client, "search_skills", json!({"query": "release"})).await);
        at(Model, "read_skill", false, call(&client, "read_skill", json!({"id": "release"})).await);
        let folder = ReadResourceDirectoryRequestParams::new("skill://home");
        at(Model, "folder", false, text(client.read_resource_directory(folder).await));
        at(User, "prompts", true, text(client.list_all_prompts().await));
        at(User, "prompt", false, text(client.get_prompt(GetPromptRequestParams::new("release")).await));
        let argument = serde_json::from_value(json!({"name": "arguments", "value": "release"})).unwrap();
        let completed = CompleteRequestParams::new(Reference::for_prompt("release"), argument);
        at(User, "completions", false, text(client.complete(completed).await));
        let argument = serde_json::from_value(json!({"name": "skill", "value": ""})).unwrap();
        let template = Reference::for_resource("skill://{source}/{skill}/{+path}");
        let completed = CompleteRequestParams::new(template, argument);
        at(Model, "completions of the template", true, text(client.complete(completed).await));
    }
    said
}

#[expect(deprecated, reason = "clients that begin with a handshake subscribe in this way")]
async fn subscribed(client: &Client, uri: &str) -> String {
    text(client.subscribe(SubscribeRequestParams::new(uri)).await)
}

/// What is answered to who names the skill `id` of `source` in every way there is: the audience, the door and the text.
async fn named(client: &Client, source: &str, id: &str) -> Vec<(Audience, &'static str, String)> {
    let (root, mut said) = (format!("skill://{source}/{id}"), Vec::new());
    let file = format!("{root}/SKILL.md");
    said.push((Model, "get", text(client.get_skill(GetSkillRequestParams::new(&file)).await)));
    said.push((Model, "read", text(client.read_resource(ReadResourceRequestParams::new(&file)).await)));
    let folder = ReadResourceDirectoryRequestParams::new(&root);
    said.push((Model, "folder", text(client.read_resource_directory(folder).await)));
    said.push((Model, "subscribe", subscribed(client, &file).await));
    for name in [id.to_owned(), format!("{source}:{id}")] {
        said.push((User, "prompt", text(client.get_prompt(GetPromptRequestParams::new(&name)).await)));
    }
    said
}

#[tokio::test]
async fn what_is_hidden_is_named_by_no_face() {
    for (audience, door, _, text) in listed(&World::veiled().await).await {
        assert_eq!(told(&text, audience), [""; 0], "{audience:?} at {door}: {text}");
    }
}

#[tokio::test]
async fn what_is_not_hidden_is_named_by_the_same_faces() {
    for (audience, door, lists, text) in listed(&World::open().await).await {
        if lists {
            let all = told(&VEILED.map(|(id, ..)| id).concat(), audience);
            assert_eq!(told(&text, audience), all, "{audience:?} at {door}: {text}");
        }
    }
}

/// By its name, what is hidden is not told from what is not there.
#[tokio::test]
async fn what_is_hidden_is_to_every_face_as_what_is_not_there() {
    let client = client(&World::veiled().await, true).await;
    for (id, reason, from) in VEILED {
        let source = if reason == Hidden::Pending { "clone" } else { "home" };
        let none = named(&client, source, "release-zzzzzz").await;
        for ((audience, door, answer), (.., none)) in named(&client, source, id).await.into_iter().zip(none) {
            // Whoever subscribes to nothing waits for it, as for what is hidden.
            assert!(door == "subscribe" || none.starts_with("error: "), "{door}: {none}");
            if from.contains(&audience) {
                assert_eq!(answer.replace(id, "release-zzzzzz"), none, "{audience:?}: {door} of {id}");
            } else {
                assert!(!answer.starts_with("error: "), "{audience:?}: {door} of {id}: {answer}");
            }
        }
        let read = call(&client, "read_skill", json!({"id": id})).await;
        assert_eq!(read.contains("inside"), !from.contains(&Model), "{id}: {read}");
        assert!(!from.contains(&Model) || !read.contains(&reason.to_string()), "{id}: {read}");
    }
    // A hidden claim to the id of a visible skill.
    for (audience, door, answer) in named(&client, "clone", OPEN).await {
        let is_winners = door == "prompt" && !answer.contains("clone");
        assert!(
            answer.starts_with("error: ") || is_winners || door == "subscribe",
            "{audience:?}: {door} of clone:{OPEN}: {answer}"
        );
    }
}
