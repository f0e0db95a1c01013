//! The registries of a gateway in a configuration file.

use std::fs;

use repertoire_config::{
    AgentRuntime, Configuration, ConfigurationError, HostSettings, Lifecycle, RegistrySettings,
    ServerStart, ServerTransport,
};
use repertoire_mcp_servers::ServerValue;
use snapbox::{IntoData, assert_data_eq, str};

fn parse(text: &str) -> Result<Configuration, ConfigurationError> {
    Configuration::parse("repertoire.toml", text, &HostSettings::new("/host"))
}

fn registries(text: &str) -> RegistrySettings {
    parse(text).expect("the file is valid").registries().clone()
}

#[test]
fn the_globs_have_defaults() {
    let workflows = "workflows/**/*.workflow.{ts,mts,yaml,yml,toml,json}";
    for (text, expected) in [
        ("", (vec![workflows], vec!["skills/**/SKILL.md"])),
        (
            "[registries.workflows]\nglob = \"flows/*.ts\"\n[registries.skills]\nglob = [\"a/**/SKILL.md\", \"!a/b/**/SKILL.md\"]\n",
            (
                vec!["flows/*.ts"],
                vec!["a/**/SKILL.md", "!a/b/**/SKILL.md"],
            ),
        ),
        (
            "[[source]]\nkind = \"words\"\nname = \"a\"\nwords = []\n",
            (vec![workflows], vec![]),
        ),
    ] {
        let read = registries(text);
        let found = (
            read.workflows.iter().map(String::as_str).collect(),
            read.skills.iter().map(String::as_str).collect(),
        );
        assert_eq!(found, expected, "{text}");
        assert_eq!(read.project, std::path::Path::new("/host"));
    }
}

#[test]
fn agents_and_servers_are_read_in_every_shape() {
    let read = registries(
        r#"
[[registries.agents]]
id = "coder"
runtime = "acp"
lifecycle = "resident"
command = "claude-code-acp"
args = ["--quiet"]
env = { TOKEN = "${env:CODER_TOKEN}" }
permissions = { tools = ["read"] }
limits = { turns = 4 }
metadata = { team = "core" }
"#,
    );
    let [agent] = read.agents.as_slice() else {
        panic!("one agent is expected");
    };
    assert_eq!(
        (agent.id.as_str(), agent.runtime, agent.lifecycle),
        ("coder", AgentRuntime::Acp, Lifecycle::Resident)
    );
    assert_eq!(agent.env["TOKEN"], ServerValue::from("${env:CODER_TOKEN}"));
    assert!(!format!("{agent:?}").contains("CODER_TOKEN"));

    for text in [
        "[[registries.mcp-servers]]\nid = \"time\"\ncommand = \"mcp-time\"\nstart = \"at-once\"\n",
        "[registries.mcpServers.time]\ncommand = \"mcp-time\"\nstart = \"at-once\"\n",
    ] {
        let read = registries(text);
        let [server] = read.mcp_servers.as_slice() else {
            panic!("one server is expected");
        };
        assert_eq!(
            (server.id.as_str(), server.transport, server.start),
            ("time", ServerTransport::Stdio, ServerStart::AtOnce)
        );
    }
}

#[test]
fn files_of_clients_define_servers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("mcp.json");
    fs::write(
        &file,
        r#"{"mcpServers": {
            "files": {"command": "npx", "args": ["files"], "env": {"KEY": "secret"}, "autoApprove": []},
            "docs": {"type": "streamable-http", "url": "https://docs.example/mcp"}
        }}"#,
    )
    .expect("a fresh file");
    let settings = HostSettings::new(folder.path());
    let text = "[registries]\nmcp-files = [\"mcp.json\"]\n";
    let read = Configuration::parse("repertoire.toml", text, &settings).expect("it is valid");
    let servers = &read.registries().mcp_servers;
    let rows: Vec<_> = servers
        .iter()
        .map(|server| (server.id.as_str(), server.transport))
        .collect();
    assert_eq!(
        rows,
        [
            ("files", ServerTransport::Stdio),
            ("docs", ServerTransport::Http)
        ]
    );
    let shown = serde_json::to_string(servers).expect("it has no keys but texts");
    assert!(
        shown.contains("\"KEY\"") && !shown.contains("secret"),
        "{shown}"
    );

    fs::write(&file, "{\n  \"mcpServers\": ?\n}").expect("the same file");
    let error = Configuration::parse("repertoire.toml", text, &settings).expect_err("bad JSON");
    assert_eq!((error.file(), error.line()), (Some("mcp.json"), Some(2)));

    let both = "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"b\",\n      \"url\": \"c\"\n    }\n  }\n}";
    fs::write(&file, both).expect("the same file");
    let error = Configuration::parse("repertoire.toml", text, &settings).expect_err("both");
    assert_eq!((error.file(), error.line()), (Some("mcp.json"), Some(5)));
}

#[test]
fn a_url_is_shown_without_secrets() {
    for (url, shown) in [
        (
            "https://ann:canary@docs.example/mcp?key=canary#canary",
            "https://docs.example/mcp",
        ),
        ("https://docs.example?key=canary", "https://docs.example"),
        ("http://127.0.0.1:1/a@b", "http://127.0.0.1:1/a@b"),
    ] {
        let text = format!(
            "[registries.mcp-servers.a]\nurl = {url:?}\n[registries.agents.b]\nruntime = \"acp\"\nurl = {url:?}\n"
        );
        let read = registries(&text);
        assert_eq!(read.mcp_servers[0].url.as_deref(), Some(url));
        let server = serde_json::to_value(&read.mcp_servers[0]).expect("it has text keys");
        let agent = serde_json::to_value(&read.agents[0]).expect("it has text keys");
        assert_eq!(
            (&server["url"], &agent["url"]),
            (&shown.into(), &shown.into())
        );
    }
}

#[test]
fn no_error_quotes_a_secret() {
    for text in [
        "[[registries.agents]]\nid = \"a\"\ncommand = \"b\"\nenv = { KEY = \"canary\"\n",
        "[[registries.agents]]\nid = \"a\"\ncommand = \"b\"\nenv = \"canary\"\n",
        "[registries.mcpServers.a]\ncommand = \"b\"\nenvs = { KEY = \"canary\" }\n",
        "[registries.mcpServers.a]\ncommand = \"b\"\n[registries.mcpServers.a.env]\nKEY = \"canary\n",
        "[registries.mcpServers.a]\nurl = \"b\"\nheaders = [\"canary\"]\n",
        "[registries.mcpServers]\na = \"canary\"\n",
        "[registries]\nmcpServers = \"canary\"\n",
    ] {
        let error = parse(text).expect_err("the file is invalid");
        assert!(error.line().is_some(), "{text}");
        let shown = format!("{error:#} {}", error.message());
        let is_quoted = text.contains("env") || text.contains("headers");
        assert!(!is_quoted || !shown.contains("canary"), "{shown}");
        assert!(!error.message().contains("canary"), "{shown}");
    }
}

#[test]
fn an_error_points_to_its_line() {
    for (text, expected) in [
        (
            "[registries]\nworkflow = 1\n",
            str![[r#"
repertoire.toml:2:1: unknown key `workflow`; expected `workflows`, `skills`, `agents`, `agent-folders`, `mcp-servers` or `mcp-files`
workflow = 1
^^^^^^^^^^^^"#]],
        ),
        (
            "[registries.workflows]\nglobs = \"a\"\n",
            str![[r#"
repertoire.toml:2:1: unknown field `globs`, expected `glob`
globs = "a"
^^^^^^^^^^^"#]],
        ),
        (
            "[[registries.agents]]\nid = \"a\"\ncommand = \"b\"\nruntime = \"c\"\n",
            str![[r#"
repertoire.toml:4:1: unknown variant `c`, expected `process` or `acp`
runtime = "c"
^^^^^^^^^^^^^"#]],
        ),
        (
            "[[registries.agents]]\nid = \"a\"\ncommand = \"b\"\n[[registries.agents]]\nid = \"a\"\ncommand = \"b\"\n",
            str![[r#"
repertoire.toml:4:1: two definitions of the agent `a`
[[registries.agents]]
^^^^^^^^^^^^^^^^^^^^^"#]],
        ),
        (
            "[registries.mcp-servers.a]\ncommand = \"b\"\nurl = \"c\"\n",
            str![[r#"
repertoire.toml:3:1: a server is a `command` or a `url`, and not both
url = "c"
^^^^^^^^^"#]],
        ),
        (
            "[gateway]\nlisten = \"nowhere\"\n",
            str![[r#"
repertoire.toml:2:1: invalid socket address syntax
listen = "nowhere"
^^^^^^^^^^^^^^^^^^"#]],
        ),
    ] {
        let error = parse(text).expect_err("the file is invalid");
        assert_data_eq!(format!("{error:#}"), expected.raw());
    }
}

#[test]
fn values_are_texts_or_files() {
    let parse = |env: &str| {
        parse(&format!(
            "[registries.mcp-servers.a]\ncommand = \"b\"\nstart-ms = 5\nenv = {{ {env} }}\n"
        ))
    };
    let read = parse("A = \"${env:B}\", C = { file = \"key.txt\" }").expect("it is valid");
    let server = &read.registries().mcp_servers[0];
    assert_eq!(server.start_ms, Some(5));
    let values: Vec<_> = server.env.values().cloned().collect();
    let expected = [
        ServerValue::Text("${env:B}".to_owned()),
        ServerValue::File("key.txt".into()),
    ];
    assert_eq!(values, expected);
    assert!(!format!("{server:?} {values:?}").contains("key.txt"));
    for wrong in ["A = { file = \"a\", mode = \"b\" }", "A = 7"] {
        let error = parse(wrong).expect_err(wrong).to_string();
        assert!(error.starts_with("repertoire.toml:4:"), "{error}");
    }
}

#[test]
fn folders_of_clients_define_agents() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let agents = folder.path().join(".claude/agents");
    fs::create_dir_all(&agents).expect("a fresh folder");
    for (file, text) in [
        (
            "b.md",
            "---\nname: reviewer\ndescription: Reviews.\ntools: Read, Grep\n---\nReview.\n",
        ),
        ("a.md", "---\ndisallowedTools: [Bash]\n---\nDo it.\n"),
        ("notes.txt", "not an agent"),
    ] {
        fs::write(agents.join(file), text).expect("a fresh file");
    }
    let settings = HostSettings::new(folder.path());
    let text = "[[registries.agent-folders]]\nfolder = \".claude/agents\"\nruntime = \"acp\"\n\
                command = \"client\"\nargs = [\"--agent={name}\"]\n";
    let read = Configuration::parse("repertoire.toml", text, &settings).expect("it is valid");
    let rows = read.registries().agents.iter().map(|agent| {
        let rights = serde_json::to_string(&agent.permissions).expect("it has text keys");
        (
            agent.id.as_str(),
            agent.description.as_deref(),
            agent.args.join(" "),
            rights,
        )
    });
    let rows: Vec<_> = rows.collect();
    assert_eq!(
        rows,
        [
            (
                "a",
                None,
                "--agent=a".to_owned(),
                r#"{"tools":["*"],"deny":["Bash"]}"#.to_owned()
            ),
            (
                "reviewer",
                Some("Reviews."),
                "--agent=reviewer".to_owned(),
                r#"{"tools":["Read","Grep"]}"#.to_owned()
            ),
        ]
    );
    fs::write(agents.join("c.md"), "no front matter\n").expect("a fresh file");
    let error = Configuration::parse("repertoire.toml", text, &settings).expect_err("a fault");
    assert!(
        error.to_string().contains("the front matter has a fault"),
        "{error}"
    );
}

#[test]
fn rights_and_limits_are_checked() {
    for (rights, key) in [
        ("permissions = { tools = \"Read\" }", "permissions"),
        ("permissions = { writeAccess = 1 }", "permissions"),
        ("limits = { max-concurrent-tasks = -1 }", "limits"),
    ] {
        let text = format!("[[registries.agents]]\nid = \"a\"\ncommand = \"b\"\n{rights}\n");
        let error = Configuration::parse("repertoire.toml", &text, &HostSettings::new("/"));
        let error = error.expect_err("a fault").to_string();
        assert!(error.starts_with("repertoire.toml:4:"), "{key}: {error}");
    }
}

#[test]
fn pools_are_spelled_as_the_store_reads_them() {
    let text = "[gateway.agents]\nscan-ms = 1\n[gateway.agents.pools.review]\nqueueMax = 2\n\
                strategy = \"round-robin\"\ncontract = \"warn\"\n";
    let read = Configuration::parse("repertoire.toml", text, &HostSettings::new("/"));
    let read = read.expect("it is valid");
    let settings = &read.gateway().agents;
    let expected = serde_json::json!({
        "review": { "queue_max": 2, "strategy": "round-robin", "contract": "warn" },
    });
    assert_eq!(serde_json::Value::Object(settings.pools()), expected);
    assert_eq!(
        settings.scan_interval(),
        std::time::Duration::from_millis(100)
    );
    let text = "[gateway.agents.pools.reviews]\nmax = 2\n";
    let error = Configuration::parse("repertoire.toml", text, &HostSettings::new("/"));
    let error = error.expect_err("an unknown pool").to_string();
    assert!(error.contains("unknown variant `reviews`"), "{error}");
}

#[test]
fn tokens_of_an_issuer_need_addresses() {
    let read = |resource: &str, issuer: &str, keys: &str| {
        let text = format!(
            "[gateway.oauth]\nresource = \"{resource}\"\nissuer = \"{issuer}\"\njwks-uri = \"{keys}\"\n"
        );
        Configuration::parse("repertoire.toml", &text, &HostSettings::new("/"))
            .map_err(|error| error.to_string())
    };
    let (resource, issuer) = ("https://skills.example/mcp", "https://login.example/");
    for keys in [
        "https://login.example:8443/keys",
        "http://127.0.0.1:80/keys",
        "http://localhost/keys",
        "http://[::1]:9/keys",
    ] {
        let read = read(resource, issuer, keys).expect("it is valid");
        let oauth = read.gateway().oauth.clone().expect("the table is there");
        let texts = [oauth.resource, oauth.issuer, oauth.jwks_uri];
        assert_eq!(texts, [resource, issuer, keys]);
    }
    for keys in [
        "",
        "https://",
        "https:///keys",
        "http://login.example/keys",
        "http://localhost@login.example/keys",
        "http://localhost.login.example/keys",
        "https://login.example/keys?a=b",
        "https://login.example/a b",
        "file:///keys",
    ] {
        let error = read(resource, issuer, keys).expect_err(keys);
        assert!(error.starts_with("repertoire.toml:4:"), "{keys}: {error}");
        assert!(error.contains("begins with `https://`"), "{keys}: {error}");
    }
    let error = Configuration::parse(
        "repertoire.toml",
        "[gateway.oauth]\nissuer = \"https://login.example\"\n",
        &HostSettings::new("/"),
    );
    let error = error.expect_err("two keys are missing").to_string();
    assert!(error.contains("missing field `resource`"), "{error}");
}
