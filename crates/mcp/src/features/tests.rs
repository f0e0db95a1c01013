use super::*;

#[test]
fn features_are_parsed_as_written() {
    let some: McpFeatures = "tools, prompts".parse().unwrap();
    assert_eq!(
        some,
        McpFeatures(McpFeatures::PROMPTS.0 | McpFeatures::TOOLS.0)
    );
    assert_eq!(some.to_string(), "prompts,tools");
    for text in ["all".to_owned(), McpFeatures::ALL.to_string()] {
        assert_eq!(text.parse::<McpFeatures>().unwrap(), McpFeatures::ALL);
    }
    assert_eq!(
        "tool".parse::<McpFeatures>().unwrap_err().to_string(),
        "unknown feature `tool`: expected `all`, or some of `extension`, `resources`, `prompts`, `tools` and `instructions`"
    );
}

#[test]
fn the_extension_includes_the_resources() {
    assert!(McpFeatures::EXTENSION.contains(McpFeatures::RESOURCES));
    assert!(!McpFeatures::TOOLS.contains(McpFeatures::RESOURCES));
}

#[test]
fn clients_are_recognised_by_name_prefix() {
    for (name, expected) in [
        ("cursor-vscode", Some("cursor")),
        ("Visual Studio Code - Insiders", Some("visual studio code")),
        ("Zed", Some("zed")),
        ("claude-ai (via mcp-remote 0.1.37)", Some("claude-ai")),
        ("codex-mcp-client", Some("codex")),
        ("Codex", Some("codex")),
        ("gemini-cli-mcp-client-acme", Some("gemini-cli")),
        ("zedi", None),
        ("some-client", None),
        ("", None),
    ] {
        assert_eq!(
            ClientPreset::find(name).map(|preset| preset.name),
            expected,
            "{name}"
        );
    }
}
