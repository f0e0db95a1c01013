//! The tools in the requests of providers.
//!
//! Each fixture is written from what the provider documents of its requests:
//! - `anthropic.json`: Messages, `tools`: <https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use>
//! - `openai-chat.json`: Chat Completions, `tools`: <https://platform.openai.com/docs/api-reference/chat/create>
//! - `openai-responses.json`: Responses, `tools`: <https://platform.openai.com/docs/api-reference/responses/create>
//! - `gemini.json`: `generateContent`, `tools`: <https://ai.google.dev/api/caching#FunctionDeclaration>, whose types are
//!   those of <https://ai.google.dev/api/caching#Schema>

use super::*;

#[tokio::test]
async fn tool_formats_match_the_documented_schemas() {
    let tools = Toolset::new(&two().await.snapshot(), &preset(ToolPreset::AGENTFOOTPRINT));
    for (format, fixture) in [
        (
            ToolFormat::Anthropic,
            include_str!("../fixtures/anthropic.json"),
        ),
        (
            ToolFormat::OpenAiChat,
            include_str!("../fixtures/openai-chat.json"),
        ),
        (
            ToolFormat::OpenAiResponses,
            include_str!("../fixtures/openai-responses.json"),
        ),
        (ToolFormat::Gemini, include_str!("../fixtures/gemini.json")),
    ] {
        assert_eq!(format.tools(tools.tools()), parsed(fixture), "{format:?}");
        assert_eq!(format.tools(&[]), json!([]), "{format:?}");
    }
}

#[tokio::test]
async fn gemini_schemas_use_only_supported_types_and_keywords() {
    let tools = Toolset::new(&two().await.snapshot(), &ToolOptions::default());
    let declared = ToolFormat::Gemini.tools(tools.tools());
    let parameters = &declared[0]["functionDeclarations"][3]["parameters"];
    assert_eq!(parameters["type"], "OBJECT");
    assert_eq!(parameters["properties"]["offset"]["type"], "INTEGER");
    assert_eq!(parameters["required"], json!(["id", "path"]));
    assert!(!declared.to_string().contains("additionalProperties"));
}

#[tokio::test]
async fn names_are_such_that_every_provider_takes_them() {
    let snapshot = two().await.snapshot();
    for preset in ToolPreset::ALL {
        for tool in Toolset::new(&snapshot, &self::preset(preset.clone())).tools() {
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            assert!(
                tool.name.len() <= 64 && tool.name.chars().all(fits),
                "{}",
                tool.name
            );
        }
    }
}
