use super::*;

#[test]
fn resold_models_have_makers_and_base_names() {
    #[rustfmt::skip]
    let rows = [
        ("anthropic/claude-sonnet-4-5", Some("anthropic"), Some("claude-sonnet-4-5")),
        ("Anthropic/claude-sonnet-4-5", Some("anthropic"), Some("claude-sonnet-4-5")),
        ("openai/gpt-4o", Some("openai"), Some("gpt-4o")),
        ("gemini/gemini-2.5-pro", Some("google"), Some("gemini-2.5-pro")),
        // Amazon Bedrock: vendors, regions, versions, ARNs.
        ("bedrock/anthropic.claude-3-haiku-20240307-v1:0", Some("anthropic"), Some("claude-3-haiku-20240307-v1:0")),
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", Some("anthropic"), Some("claude-sonnet-4-5-20250929-v1:0")),
        ("amazon-bedrock/global.anthropic.claude-opus-4-1", Some("anthropic"), Some("claude-opus-4-1")),
        ("amazon_bedrock/us-gov.anthropic.claude-opus-4-1", Some("anthropic"), Some("claude-opus-4-1")),
        ("bedrock/converse/us.anthropic.claude-opus-4-1", Some("anthropic"), Some("claude-opus-4-1")),
        ("bedrock/arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-opus-4-1", Some("anthropic"), Some("claude-opus-4-1")),
        ("bedrock/meta.llama3-1-8b-instruct-v1:0", Some("meta"), Some("llama3-1-8b-instruct-v1:0")),
        ("bedrock/amazon.nova-pro-v1:0", Some("amazon"), Some("nova-pro-v1:0")),
        ("bedrock/acme.model", None, Some("acme.model")),
        // Google Vertex AI: versions and resource names.
        ("vertex/claude-sonnet-4-5@20250929", Some("anthropic"), Some("claude-sonnet-4-5@20250929")),
        ("vertex_ai/claude-opus-4-1", Some("anthropic"), Some("claude-opus-4-1")),
        ("google-vertex/publishers/anthropic/models/claude-opus-4-1", Some("anthropic"), Some("claude-opus-4-1")),
        ("vertex/projects/p/locations/l/publishers/google/models/gemini-2.5-pro", Some("google"), Some("gemini-2.5-pro")),
        // OpenRouter: vendors and variants.
        ("openrouter/anthropic/claude-sonnet-4.5", Some("anthropic"), Some("claude-sonnet-4.5")),
        ("openrouter/anthropic/claude-3.7-sonnet:thinking", Some("anthropic"), Some("claude-3.7-sonnet:thinking")),
        ("openrouter/meta-llama/llama-3.1-70b", Some("meta"), Some("llama-3.1-70b")),
        ("openrouter/x-ai/grok-4", Some("xai"), Some("grok-4")),
        ("openrouter/auto", None, Some("auto")),
        // Azure: deployments, whose names the customer chooses.
        ("azure/gpt-4o", Some("openai"), Some("gpt-4o")),
        ("azure/o3-mini", Some("openai"), Some("o3-mini")),
        ("azure-ai-foundry/claude-sonnet-4-5", Some("anthropic"), Some("claude-sonnet-4-5")),
        ("azure/deployments/gpt-5", Some("openai"), Some("gpt-5")),
        ("azure/our-assistant", None, Some("our-assistant")),
        // The name decides nothing where no known provider sells it.
        ("claude-sonnet-4-5", None, Some("claude-sonnet-4-5")),
        ("vendor-x/claude-sonnet-4-5", None, Some("claude-sonnet-4-5")),
        ("anthropic/", Some("anthropic"), None),
        ("bedrock/", None, None),
        ("", None, None),
    ];
    for (text, maker, base) in rows {
        let model = Model::from(text);
        assert_eq!((model.maker(), model.base_name()), (maker, base), "{text}");
    }
}

#[test]
fn blank_parts_count_as_unknown() {
    assert_eq!(Model::from(" / "), Model::unknown());
    assert_eq!(
        Model::new(" gpt-5 ").with_provider(" \t"),
        Model::new("gpt-5")
    );
    let router = Model::from("openrouter/anthropic/claude-3.5-sonnet");
    assert_eq!(
        (router.provider(), router.name()),
        (Some("openrouter"), Some("anthropic/claude-3.5-sonnet"))
    );
}
