//! The same over MCP: every feature, as a client sees it.

use repertoire_mcp::{Server, ServerOptions};
use rmcp::ServiceExt;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, CompleteRequestParams,
    GetPromptRequestParams, GetSkillRequestParams, Implementation,
    ReadResourceDirectoryRequestParams, ReadResourceRequestParams, Reference, SKILLS_EXTENSION_ID,
    SubscribeRequestParams,
};
use rmcp::service::{RoleClient, RunningService, ServiceError};

use super::*;

type Client = RunningService<RoleClient, ClientConfig>;

/// Connects a client, with or without the skills extension.
async fn client(env: &TestEnv, has_extension: bool) -> Client {
    let server = Server::new(
        env.registry.clone(),
        ServerOptions::default().modes(env.modes.clone()),
    );
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(async move { server.serve(read, write).await });
    let mut capabilities = ClientCapabilities::default();
    if has_extension {
        capabilities
            .extensions
            .get_or_insert_default()
            .insert(SKILLS_EXTENSION_ID.to_owned(), Default::default());
    }
    ClientConfig::new(capabilities, Implementation::new("some-client", "1"))
        .serve(ours)
        .await
        .unwrap()
}

/// Returns the hidden names in `text`, which shows whole front matter and so contains parts of them as keys.
fn leaked(text: &str, audience: Audience) -> Vec<&'static str> {
    let hidden = HIDDEN
        .iter()
        .filter(|(.., from)| from.contains(&audience))
        .map(|(id, ..)| *id);
    hidden.filter(|id| text.contains(id)).collect()
}

/// Returns an answer or an error as text.
fn text<T: std::fmt::Debug>(answer: Result<T, ServiceError>) -> String {
    match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => format!("error: {error}"),
    }
}

async fn call(client: &Client, tool: &'static str, arguments: serde_json::Value) -> String {
    let arguments = arguments.as_object().cloned().unwrap();
    text(
        client
            .call_tool(CallToolRequestParams::new(tool).with_arguments(arguments))
            .await,
    )
}

/// Returns the output of every feature without a name, and whether it lists. Prompts are for users, all others for models.
async fn listed(env: &TestEnv) -> Vec<(Audience, String, bool, String)> {
    let mut outputs = Vec::new();
    for has_extension in [true, false] {
        let client = client(env, has_extension).await;
        let mut at = |audience, interface: &str, lists, text| {
            outputs.push((
                audience,
                format!("{interface} (extension: {has_extension})"),
                lists,
                text,
            ));
        };
        let instructions = client
            .peer_info()
            .and_then(|info| info.instructions.clone())
            .unwrap();
        at(Model, "instructions", !has_extension, instructions);
        at(Model, "skills", true, text(client.list_all_skills().await));
        at(
            Model,
            "resources",
            true,
            text(client.list_all_resources().await),
        );
        at(
            Model,
            "templates",
            false,
            text(client.list_all_resource_templates().await),
        );
        at(Model, "tools", false, text(client.list_all_tools().await));
        at(
            Model,
            "list_skills",
            true,
            call(&client, "list_skills", json!({})).await,
        );
        at(
            Model,
            "search_skills",
            false,
            call(&client, "search_skills", json!({"query": "release"})).await,
        );
        at(
            Model,
            "read_skill",
            false,
            call(&client, "read_skill", json!({"id": "release"})).await,
        );
        let folder = ReadResourceDirectoryRequestParams::new("skill://home");
        at(
            Model,
            "folder",
            false,
            text(client.read_resource_directory(folder).await),
        );
        at(User, "prompts", true, text(client.list_all_prompts().await));
        at(
            User,
            "prompt",
            false,
            text(
                client
                    .get_prompt(GetPromptRequestParams::new("release"))
                    .await,
            ),
        );
        let argument =
            serde_json::from_value(json!({"name": "arguments", "value": "release"})).unwrap();
        let completed = CompleteRequestParams::new(Reference::for_prompt("release"), argument);
        at(
            User,
            "completions",
            false,
            text(client.complete(completed).await),
        );
        let argument = serde_json::from_value(json!({"name": "skill", "value": ""})).unwrap();
        let template = Reference::for_resource("skill://{source}/{skill}/{+path}");
        let completed = CompleteRequestParams::new(template, argument);
        at(
            Model,
            "completions of the template",
            true,
            text(client.complete(completed).await),
        );
    }
    outputs
}

#[expect(
    deprecated,
    reason = "clients that begin with a handshake subscribe in this way"
)]
async fn subscribed(client: &Client, uri: &str) -> String {
    text(client.subscribe(SubscribeRequestParams::new(uri)).await)
}

/// Returns the answers to every request that names the skill `id` of `source`.
async fn named(client: &Client, source: &str, id: &str) -> Vec<(Audience, &'static str, String)> {
    let (root, mut outputs) = (format!("skill://{source}/{id}"), Vec::new());
    let file = format!("{root}/SKILL.md");
    outputs.push((
        Model,
        "get",
        text(client.get_skill(GetSkillRequestParams::new(&file)).await),
    ));
    outputs.push((
        Model,
        "read",
        text(
            client
                .read_resource(ReadResourceRequestParams::new(&file))
                .await,
        ),
    ));
    let folder = ReadResourceDirectoryRequestParams::new(&root);
    outputs.push((
        Model,
        "folder",
        text(client.read_resource_directory(folder).await),
    ));
    outputs.push((Model, "subscribe", subscribed(client, &file).await));
    for name in [id.to_owned(), format!("{source}:{id}")] {
        outputs.push((
            User,
            "prompt",
            text(client.get_prompt(GetPromptRequestParams::new(&name)).await),
        ));
    }
    outputs
}

#[tokio::test]
async fn no_mcp_feature_names_a_hidden_skill() {
    for (audience, interface, _, text) in listed(&TestEnv::with_hidden().await).await {
        assert_eq!(
            leaked(&text, audience),
            [""; 0],
            "{audience:?} at {interface}: {text}"
        );
    }
}

#[tokio::test]
async fn the_same_mcp_features_name_visible_skills() {
    for (audience, interface, lists, text) in listed(&TestEnv::open().await).await {
        if lists {
            let all = leaked(&HIDDEN.map(|(id, ..)| id).concat(), audience);
            assert_eq!(
                leaked(&text, audience),
                all,
                "{audience:?} at {interface}: {text}"
            );
        }
    }
}

/// A request for a hidden skill gets the answer for an unknown one.
#[tokio::test]
async fn mcp_answers_hidden_and_unknown_alike() {
    let client = client(&TestEnv::with_hidden().await, true).await;
    for (id, reason, from) in HIDDEN {
        let source = if reason == HiddenReason::Pending {
            "clone"
        } else {
            "home"
        };
        let none = named(&client, source, "release-zzzzzz").await;
        for ((audience, interface, answer), (.., none)) in
            named(&client, source, id).await.into_iter().zip(none)
        {
            // A subscription to an unknown skill waits for it, as one to a hidden skill does.
            assert!(
                interface == "subscribe" || none.starts_with("error: "),
                "{interface}: {none}"
            );
            if from.contains(&audience) {
                assert_eq!(
                    answer.replace(id, "release-zzzzzz"),
                    none,
                    "{audience:?}: {interface} of {id}"
                );
            } else {
                assert!(
                    !answer.starts_with("error: "),
                    "{audience:?}: {interface} of {id}: {answer}"
                );
            }
        }
        let read = call(&client, "read_skill", json!({"id": id})).await;
        assert_eq!(
            read.contains("inside"),
            !from.contains(&Model),
            "{id}: {read}"
        );
        assert!(
            !from.contains(&Model) || !read.contains(&reason.to_string()),
            "{id}: {read}"
        );
    }
    // A hidden claim to the id of a visible skill.
    for (audience, interface, answer) in named(&client, "clone", OPEN).await {
        let is_winners = interface == "prompt" && !answer.contains("clone");
        assert!(
            answer.starts_with("error: ") || is_winners || interface == "subscribe",
            "{audience:?}: {interface} of clone:{OPEN}: {answer}"
        );
    }
}
