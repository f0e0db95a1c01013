use super::*;

/// The document as a parser of its language reads it.
fn read(client: &McpClient, text: &str) -> Value {
    match client.language {
        Language::Json => serde_json::from_str(text).expect("JSON"),
        Language::Toml => toml_edit::de::from_str(text).expect("TOML"),
        Language::Yaml => {
            let file = format!("---\nname: x\ndescription: x\n{text}---\nx\n");
            let parsed = repertoire::skill::skill_md::parse(
                file.as_bytes(),
                repertoire::skill::skill_md::FileContext::new("SKILL.md"),
            );
            let skill = parsed
                .skill
                .unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
            let (key, value) = skill.fields.last().expect("a field").clone();
            json!({key.as_ref(): value.json()})
        }
    }
}

fn snippet(name: &str, server: &ServerAddress<'_>) -> Value {
    let client = McpClient::ALL
        .iter()
        .find(|client| client.name == name)
        .expect("a client");
    read(
        client,
        &client
            .text("re: \"x\"", server)
            .unwrap_or_else(|failure| panic!("{}", failure.message())),
    )
}

#[test]
fn each_client_gets_the_shape_that_it_reads() {
    let local = ServerAddress::Local {
        program: "C:\\re: \"p\"",
        arguments: vec!["serve", "--root", "a #b"],
    };
    let remote = ServerAddress::Remote {
        url: "http://127.0.0.1:8321/mcp",
        token: Some("TOKEN"),
    };
    let (program, arguments) = ("C:\\re: \"p\"", json!(["serve", "--root", "a #b"]));
    let (url, plain) = (
        "http://127.0.0.1:8321/mcp",
        json!({"Authorization": "Bearer ${TOKEN}"}),
    );
    let of_env = json!({"Authorization": "Bearer ${env:TOKEN}"});
    let started = json!({"command": program, "args": arguments});
    let typed = json!({"type": "stdio", "command": program, "args": arguments});
    for (name, key, expected_local, expected_remote) in [
        ("claude-desktop", "mcpServers", started.clone(), None),
        (
            "claude-code",
            "mcpServers",
            typed.clone(),
            Some(json!({"type": "http", "url": url, "headers": plain})),
        ),
        (
            "cursor",
            "mcpServers",
            started.clone(),
            Some(json!({"url": url, "headers": of_env})),
        ),
        (
            "copilot-vscode",
            "servers",
            typed,
            Some(json!({"type": "http", "url": url, "headers": of_env})),
        ),
        (
            "codex",
            "mcp_servers",
            started.clone(),
            Some(json!({"url": url, "bearer_token_env_var": "TOKEN"})),
        ),
        (
            "gemini-cli",
            "mcpServers",
            started.clone(),
            Some(json!({"httpUrl": url, "headers": plain})),
        ),
        (
            "zed",
            "context_servers",
            started,
            Some(json!({"url": url, "headers": plain})),
        ),
        (
            "goose",
            "extensions",
            json!({
                "name": "re: \"x\"", "type": "stdio", "cmd": program, "args": arguments, "enabled": true,
                "timeout": 300,
            }),
            Some(json!({
                "name": "re: \"x\"", "type": "streamable_http", "uri": url, "enabled": true, "timeout": 300,
                "headers": plain, "env_keys": ["TOKEN"],
            })),
        ),
    ] {
        let named = |fields: Value| json!({key: {"re: \"x\"": fields}});
        assert_eq!(snippet(name, &local), named(expected_local), "{name}");
        match expected_remote {
            Some(expected) => assert_eq!(snippet(name, &remote), named(expected), "{name}"),
            None => {
                let client = McpClient::ALL
                    .iter()
                    .find(|client| client.name == name)
                    .expect("a client");
                assert!(client.text("x", &remote).is_err(), "{name}");
            }
        }
    }
}
