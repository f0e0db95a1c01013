use super::*;

#[test]
fn faces_are_read_as_they_are_written() {
    let some = McpFeatures::NONE.with(McpFeature::Prompts).with(McpFeature::Tools);
    assert_eq!(some.to_string(), "prompts,tools");
    assert_eq!("tools, prompts".parse(), Ok(some));
    assert_eq!("all".parse(), Ok(McpFeatures::ALL));
    assert_eq!(McpFeatures::ALL.to_string().parse(), Ok(McpFeatures::ALL));
    assert_eq!(
        "tool".parse::<McpFeatures>().unwrap_err().to_string(),
        "unknown feature `tool`: expected `all`, or some of `extension`, `resources`, `prompts`, `tools` and `instructions`"
    );
}

#[test]
fn the_extension_brings_the_resources_along() {
    let extension = McpFeatures::NONE.with(McpFeature::Extension);
    assert!(extension.contains(McpFeature::Resources));
    assert!(!extension.without(McpFeature::Extension).contains(McpFeature::Resources));
}

#[test]
fn clients_are_recognised_by_name_prefix() {
    let known = |name: &str| ClientPreset::ALL.iter().find(|preset| preset.is(name)).map(|preset| preset.name);
    assert_eq!(known("cursor-vscode"), Some("cursor"));
    assert_eq!(known("Visual Studio Code - Insiders"), Some("vscode"));
    assert_eq!(known("Zed"), Some("zed"));
    assert_eq!(known("claude-ai (via mcp-remote 0.1.37)"), Some("claude-desktop"));
    assert_eq!(known("codex-mcp-client"), Some("codex"));
    assert_eq!(known("Codex"), Some("codex"));
    assert_eq!(known("gemini-cli-mcp-client-acme"), Some("gemini"));
    assert_eq!(known("zedi"), None);
    assert_eq!(known("somebody"), None);
    assert_eq!(known(""), None);
}
