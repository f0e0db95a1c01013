use super::super::client::ServerAddress;
use super::*;

fn merged(client: &str, before: &str) -> Result<String, String> {
    let client = McpClient::ALL
        .into_iter()
        .find(|known| known.name == client);
    let client = client.expect("a client");
    let server = ServerAddress::Local {
        program: "/bin/repertoire",
        arguments: vec!["serve"],
    };
    let texts = client
        .fields("mine", &server)
        .ok()
        .zip(client.text("mine", &server).ok());
    let (fields, alone) = texts.expect("a server that is started has a form");
    let server = NewServer {
        name: "mine",
        fields: &fields,
        alone: &alone,
    };
    client.merged(before, &server)
}

#[test]
fn comments_and_order_stay_in_json() {
    let before = "// Mine.\n{\n  \"theme\": \"One\", // dark\n  \"context_servers\": {\n    \"z\": {\"command\": \"z\"}\n  }\n}\n";
    let after = merged("zed", before).expect("it can be changed");
    let (start, entry) = after
        .split_once(",\n    \"mine\": {")
        .expect("an entry after the others");
    assert_eq!(start, before.trim_end_matches("\n  }\n}\n"));
    let entry: String = entry.split_whitespace().collect();
    assert_eq!(
        entry,
        "\"command\":\"/bin/repertoire\",\"args\":[\"serve\"]}}}"
    );
    assert_eq!(merged("zed", &after), Ok(after));
}

#[test]
fn comments_and_order_stay_in_toml() {
    let before = "# Mine.\nmodel = \"x\" # new\n\n[mcp_servers.z]\ncommand = \"z\"\n";
    let after = format!(
        "{before}\n[mcp_servers.mine]\ncommand = \"/bin/repertoire\"\nargs = [\"serve\"]\n"
    );
    assert_eq!(merged("codex", before), Ok(after.clone()));
    assert_eq!(merged("codex", &after), Ok(after));
}

#[test]
fn comments_and_order_stay_in_yaml() {
    let entry = "    mine:\n      name: \"mine\"\n      type: \"stdio\"\n      cmd: \"/bin/repertoire\"\n      args: [\"serve\"]\n      \
        enabled: true\n      timeout: 300\n";
    let before = "# Mine.\nextensions: # all\n    z:\n        cmd: z\nmodel: x\n";
    let after = format!("# Mine.\nextensions: # all\n    z:\n        cmd: z\n{entry}model: x\n");
    assert_eq!(merged("goose", before), Ok(after.clone()));
    assert_eq!(merged("goose", &after), Ok(after));
    let old = "extensions:\n    mine:\n        cmd: old\n        # gone\n    z:\n        cmd: z\n";
    let new = format!("extensions:\n{entry}    z:\n        cmd: z\n");
    assert_eq!(merged("goose", old), Ok(new));
    assert!(
        merged("goose", "model: x").is_ok_and(|text| text.starts_with("model: x\nextensions:\n"))
    );
}

#[test]
fn a_file_that_is_not_understood_is_refused() {
    for (client, before) in [
        ("cursor", "{\"mcpServers\": "),
        ("cursor", "[]"),
        ("cursor", "{\"mcpServers\": []}"),
        ("cursor", "{mcpServers: {}}"),
        ("codex", "a = "),
        ("codex", "mcp_servers = 1"),
        ("goose", "extensions: ["),
        ("goose", "extensions: [a]\n"),
        ("goose", "extensions: { z: { cmd: z } }\n"),
    ] {
        assert!(merged(client, before).is_err(), "{client}: {before}");
    }
}
