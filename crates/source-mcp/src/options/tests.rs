use super::*;

fn refusal(options: &McpOptions) -> (String, String) {
    let error = options.endpoint().unwrap_err();
    (error.key.unwrap_or_default(), error.message)
}

#[test]
fn a_server_is_a_command_or_an_address() {
    let none: McpOptions = serde_json::from_str("{}").unwrap();
    assert_eq!(refusal(&none).0, "command");
    let both: McpOptions = serde_json::from_str(r#"{"command": "a", "url": "http://b/"}"#).unwrap();
    assert_eq!(
        refusal(&both),
        (
            "url".to_owned(),
            "a server is a `command` or a `url`, and not both".to_owned()
        )
    );
    assert!(serde_json::from_str::<McpOptions>(r#"{"command": "a", "comand": "b"}"#).is_err());
    assert!(McpOptions::command("a", ["b"]).endpoint().is_ok());
}

#[test]
fn addresses_require_http_without_credentials() {
    for url in ["ftp://a/", "file:///etc", "nothing", "http:"] {
        assert_eq!(refusal(&McpOptions::url(url)).0, "url", "{url}");
    }
    assert_eq!(refusal(&McpOptions::url("https://me:secret@a/")).0, "url");
}

#[test]
fn a_token_is_never_sent_in_clear() {
    let token = || BearerToken::new(" secret\n").unwrap();
    for url in ["http://a.example/mcp", "http://10.0.0.1/mcp"] {
        assert_eq!(
            refusal(&with_token(McpOptions::url(url), token())).0,
            "url",
            "{url}"
        );
    }
    for url in [
        "https://a.example/mcp",
        "http://127.0.0.1:1/mcp",
        "http://[::1]/mcp",
        "http://localhost/mcp",
    ] {
        assert!(
            with_token(McpOptions::url(url), token()).endpoint().is_ok(),
            "{url}"
        );
    }
    assert_eq!(
        refusal(&with_token(McpOptions::command("a", ["b"]), token())).0,
        "token-file"
    );
    let unset = McpOptions {
        token_env: Some("NOT_SET".to_owned()),
        ..McpOptions::url("https://a/")
    };
    assert_eq!(refusal(&unset).0, "token-env");
}

#[test]
fn a_token_is_never_shown() {
    let options = with_token(
        McpOptions::url("https://a/"),
        BearerToken::new("secret").unwrap(),
    );
    assert!(!format!("{options:?}").contains("secret"));
    assert_eq!(BearerToken::new("two words"), None);
    assert_eq!(BearerToken::new("line\r\nbreak"), None);
    assert_eq!(BearerToken::new(" "), None);
}

fn with_token(mut options: McpOptions, token: BearerToken) -> McpOptions {
    options.token = Some(token);
    options
}
