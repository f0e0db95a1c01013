//! The features that each client sees.

use repertoire::Mount;
use repertoire_mcp::{McpFeatures, ServerOptions};

use crate::client::{Client, code};
use crate::fixture::{home, serve, serve_with};

pub(crate) fn instructions(client: &Client) -> String {
    client
        .peer
        .peer_info()
        .and_then(|info| info.instructions.clone())
        .unwrap_or_default()
}

#[tokio::test]
async fn everything_that_is_declared_is_true() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let client = Client::of(&server).await;
    let info = client.peer.peer_info().expect("introduced");
    assert_eq!(
        serde_json::to_value(&info.capabilities).unwrap(),
        serde_json::json!({
            "completions": {},
            "extensions": {"io.modelcontextprotocol/skills": {"directoryRead": true}},
            "logging": {},
            "prompts": {"listChanged": true},
            "resources": {"subscribe": true, "listChanged": true},
            "tools": {"listChanged": true},
        })
    );
    assert_eq!(
        info.server_info.as_ref().map(|server| server.name.as_str()),
        Some("repertoire")
    );
}

#[tokio::test]
async fn a_feature_that_is_off_is_not_served() {
    let options = ServerOptions::default().features(McpFeatures::TOOLS);
    let server = serve_with(Mount::user(home(&[("tidy", "Sort it.\n")])), options).await;
    let client = Client::of(&server).await;
    let capabilities = &client.peer.peer_info().expect("introduced").capabilities;
    assert!(
        capabilities.prompts.is_none()
            && capabilities.resources.is_none()
            && capabilities.extensions.is_none()
    );
    assert_eq!(instructions(&client), "");
    assert_eq!(client.peer.list_all_tools().await.unwrap().len(), 4);
    assert_eq!(code(client.peer.list_prompts(None).await).0, -32601);
    assert_eq!(code(client.peer.list_resources(None).await).0, -32601);
    assert_eq!(code(client.peer.list_skills(None).await).0, -32601);
    assert_eq!(
        code(crate::resources::read(&client, "skill://home/tidy/SKILL.md").await).0,
        -32601
    );
}

#[tokio::test]
async fn a_known_client_gets_its_features() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let zed = Client::without_extension("Zed", &server).await;
    let capabilities = &zed.peer.peer_info().expect("introduced").capabilities;
    assert!(capabilities.resources.is_none() && capabilities.extensions.is_none());
    assert!(capabilities.tools.is_some() && capabilities.prompts.is_some());
    assert_eq!(code(zed.peer.list_resources(None).await).0, -32601);
    // Every client with the extension gets it.
    let zed = Client::called("Zed", &server).await;
    let capabilities = &zed.peer.peer_info().expect("introduced").capabilities;
    assert!(capabilities.extensions.is_some() && capabilities.resources.is_some());
}

#[tokio::test]
async fn instructions_depend_on_the_extension() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let with = instructions(&Client::of(&server).await);
    assert!(
        with.contains("`repertoire`") && with.contains("skills/list") && !with.contains("tidy"),
        "{with}"
    );
    let without = instructions(&Client::without_extension("some-client", &server).await);
    assert!(
        without.contains("`repertoire`")
            && without.contains("`read_skill`")
            && without.contains("tidy"),
        "{without}"
    );
}

#[tokio::test]
async fn instructions_name_no_disabled_feature() {
    let options =
        ServerOptions::default().features(McpFeatures::ALL.without(McpFeatures::EXTENSION));
    let server = serve_with(Mount::user(home(&[("tidy", "Sort it.\n")])), options).await;
    let text = instructions(&Client::of(&server).await);
    assert!(
        !text.contains("skills/list") && text.contains("`read_skill`") && text.contains("tidy"),
        "{text}"
    );
}

#[tokio::test]
async fn the_catalog_stays_within_its_budget() {
    let ids: Vec<String> = (0..500).map(|at| format!("skill-{at:03}")).collect();
    let skills: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), "Do it.\n")).collect();
    let server = serve(home(&skills)).await;
    let text = instructions(&Client::without_extension("some-client", &server).await);
    let tokens = repertoire::CatalogOptions::default()
        .budget(repertoire::Budget::Tokens(0))
        .count(&text);
    assert!((100..600).contains(&tokens), "{tokens}");
}
