//! The placement of bodies for the model of each client.

use repertoire::permission::{Exposure, VisibilityPolicy};
use repertoire::skill::SurfacePolicy;
use repertoire::{MemorySource, Registered, SkillRegistry, SurfaceMode};
use repertoire_mcp::{Server, ServerOptions};
use rmcp::model::{CallToolRequestParams, GetPromptRequestParams};
use serde_json::{Value, json};

use crate::client::Client;
use crate::fixture::skill;

/// A server with a skill for each mode that can be declared, named for it.
async fn server(default: Option<SurfaceMode>) -> Server {
    let home = MemorySource::new("home");
    let modes = [
        None,
        Some(SurfaceMode::SystemPrompt),
        Some(SurfaceMode::ToolOnly),
        Some(SurfaceMode::Both),
    ];
    for mode in modes {
        let mut skill = skill(mode.map_or("auto", SurfaceMode::as_str), "Is one.");
        skill.surface = mode;
        home.register(Registered::new(skill, "Sort it.\n"))
            .expect("ids are unique");
    }
    let mut policy = SurfacePolicy::default();
    policy.default = default;
    let registry = SkillRegistry::builder()
        .user(home)
        .surface_policy(policy)
        .load()
        .await
        .expect("composed");
    Server::new(registry, ServerOptions::default())
}

/// Returns the placement that the tool and the prompt state; both have the body.
async fn placements(client: &Client, id: &str) -> [Value; 2] {
    let mut call = CallToolRequestParams::new("read_skill");
    call.arguments = json!({"id": id}).as_object().cloned();
    let tool = serde_json::to_value(client.peer.call_tool(call).await.expect("an answer"))
        .expect("a document");
    let prompt = client
        .peer
        .get_prompt(GetPromptRequestParams::new(id))
        .await
        .expect("an answer");
    let prompt = serde_json::to_value(prompt).expect("a document");
    [tool, prompt].map(|answer| {
        assert!(answer.to_string().contains("Sort it."), "{id}: {answer}");
        answer["_meta"]["repertoire/surface"].clone()
    })
}

#[tokio::test]
async fn every_method_returns_the_resolved_surface() {
    for (default, auto) in [
        (
            None,
            [
                ("claude-code", "both", "rule "),
                ("codex-mcp-client", "tool-only", ""),
                ("some-client", "tool-only", "fallback"),
            ],
        ),
        (
            Some(SurfaceMode::SystemPrompt),
            [
                ("claude-code", "system-prompt", "registry"),
                ("codex-mcp-client", "system-prompt", "registry"),
                ("some-client", "system-prompt", "registry"),
            ],
        ),
    ] {
        let server = server(default).await;
        for (name, mode, decided_by) in auto {
            // Codex has no prompts that are listed, and gets none.
            let client = Client::without_extension(name, &server).await;
            for declared in ["system-prompt", "tool-only", "both"] {
                for surface in placements_of(&client, name, declared).await {
                    assert_eq!(
                        surface,
                        json!({"mode": declared, "decidedBy": "skill"}),
                        "{name} {declared}"
                    );
                }
            }
            for surface in placements_of(&client, name, "auto").await {
                assert_eq!(surface["mode"], mode, "{name} {default:?}");
                let by = surface["decidedBy"].as_str().unwrap();
                assert!(by.starts_with(decided_by), "{name} {default:?}: {by}");
            }
        }
    }
}

/// The placements that a client is served with.
async fn placements_of(client: &Client, name: &str, id: &str) -> Vec<Value> {
    if !name.starts_with("codex") {
        return placements(client, id).await.to_vec();
    }
    let mut call = CallToolRequestParams::new("read_skill");
    call.arguments = json!({"id": id}).as_object().cloned();
    let tool = serde_json::to_value(client.peer.call_tool(call).await.expect("an answer"))
        .expect("a document");
    vec![tool["_meta"]["repertoire/surface"].clone()]
}

#[tokio::test]
async fn surfaces_depend_on_the_client() {
    let server = server(None).await;
    let claude = Client::without_extension("claude-ai", &server).await;
    let gemini = Client::without_extension("gemini-cli-mcp-client", &server).await;
    let surfaces = [
        placements(&claude, "auto").await,
        placements(&gemini, "auto").await,
    ]
    .map(|[tool, prompt]| {
        assert_eq!(tool, prompt);
        tool
    });
    assert_eq!(surfaces[0]["mode"], "both");
    assert_ne!(surfaces[0], surfaces[1]);
    // Of a client that nothing is known of, no provider is made up.
    let options = ServerOptions::default().ignore_presets();
    let plain = Server::new(server.registry().clone(), options);
    let claude = Client::without_extension("claude-ai", &plain).await;
    assert_eq!(
        placements(&claude, "auto").await[0],
        json!({"mode": "tool-only", "decidedBy": "fallback"})
    );
}

#[tokio::test]
async fn an_answer_without_a_body_has_no_surface() {
    let client = Client::without_extension("claude-ai", &server(None).await).await;
    for (tool, arguments) in [
        ("list_skills", json!({})),
        ("read_skill", json!({"id": "nobody"})),
    ] {
        let mut call = CallToolRequestParams::new(tool);
        call.arguments = arguments.as_object().cloned();
        assert_eq!(
            client.peer.call_tool(call).await.unwrap().meta,
            None,
            "{tool}"
        );
    }
}

#[tokio::test]
async fn skills_for_the_system_prompt_are_reported() {
    let server = server(None).await;
    let [diagnostic] = &server.surface_diagnostics()[..] else {
        panic!("one: {:?}", server.surface_diagnostics())
    };
    assert_eq!(diagnostic.code, repertoire::skill::Code::SURFACE_OVER_MCP);
    let message = "`home:system-prompt` declares `system-prompt`; over MCP its body is a tool's result or a prompt";
    assert_eq!(diagnostic.message, message);
    // A skill that is not served is unknown to clients.
    let modes =
        VisibilityPolicy::default().with("home:system-prompt".parse().unwrap(), Exposure::Off);
    let hidden = Server::new(
        server.registry().clone(),
        ServerOptions::default().modes(modes),
    );
    assert_eq!(hidden.surface_diagnostics(), []);
}
