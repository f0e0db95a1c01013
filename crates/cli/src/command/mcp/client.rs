//! The configuration formats of MCP clients, as data.

use serde_json::{Map, Value, json};

use crate::failure::Failure;

/// An MCP client: its configuration file, and the format of a server in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct McpClient {
    pub(super) name: &'static str,
    /// The path, as the documentation of the client writes it.
    pub(super) file: &'static str,
    pub(super) language: Language,
    /// The real path, as a template of a place; relative to the project.
    pub(super) path: &'static str,
    /// The key of the map of servers.
    pub(super) servers: &'static str,
    shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Json,
    Toml,
    Yaml,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// `command` and `args`; no form for a running server.
    CommandOnly,
    /// `command` and `args`, or `url` and `headers`.
    Plain,
    /// The same with `type`: `stdio` or `http`.
    Typed,
    /// `command` and `args`, or `url` and `bearer_token_env_var`.
    Codex,
    /// `command` and `args`, or `httpUrl` and `headers`.
    Gemini,
    /// `cmd` and `args`, or `uri` and `headers`, with `type`: `stdio` or `streamable_http`.
    Goose,
}

/// The server to configure.
pub(super) enum ServerAddress<'a> {
    /// A program that the client starts.
    Local {
        program: &'a str,
        arguments: Vec<&'a str>,
    },
    /// A running server, and the variable that holds its token.
    Remote {
        url: &'a str,
        token: Option<&'a str>,
    },
}

const CLAUDE_DESKTOP: &str = if cfg!(target_os = "macos") {
    "~/Library/Application Support/Claude/claude_desktop_config.json"
} else if cfg!(windows) {
    "${APPDATA}/Claude/claude_desktop_config.json"
} else {
    "${XDG_CONFIG_HOME:-~/.config}/Claude/claude_desktop_config.json"
};

const GOOSE: &str = if cfg!(windows) {
    "${APPDATA}/Block/goose/config/config.yaml"
} else {
    "${XDG_CONFIG_HOME:-~/.config}/goose/config.yaml"
};

const fn client(
    name: &'static str,
    (file, path): (&'static str, &'static str),
    language: Language,
    servers: &'static str,
    shape: Shape,
) -> McpClient {
    McpClient {
        name,
        file,
        path,
        language,
        servers,
        shape,
    }
}

impl McpClient {
    /// Every supported client, as documented in November 2026:
    ///
    /// - Claude Desktop: <https://modelcontextprotocol.io/docs/develop/connect-local-servers>
    /// - Claude Code: <https://code.claude.com/docs/en/mcp>
    /// - Cursor: <https://cursor.com/docs/context/mcp>
    /// - VS Code: <https://code.visualstudio.com/docs/copilot/reference/mcp-configuration>
    /// - Codex: <https://developers.openai.com/codex/mcp>
    /// - Gemini CLI: <https://geminicli.com/docs/tools/mcp-server>
    /// - Zed: <https://zed.dev/docs/ai/mcp>
    /// - goose: <https://block.github.io/goose/docs/guides/config-files>
    pub(super) const ALL: [McpClient; 8] = [
        client(
            "claude-desktop",
            ("claude_desktop_config.json", CLAUDE_DESKTOP),
            Language::Json,
            "mcpServers",
            Shape::CommandOnly,
        ),
        client(
            "claude-code",
            (".mcp.json", ".mcp.json"),
            Language::Json,
            "mcpServers",
            Shape::Typed,
        ),
        client(
            "cursor",
            ("~/.cursor/mcp.json", "~/.cursor/mcp.json"),
            Language::Json,
            "mcpServers",
            Shape::Plain,
        ),
        client(
            "copilot-vscode",
            (".vscode/mcp.json", ".vscode/mcp.json"),
            Language::Json,
            "servers",
            Shape::Typed,
        ),
        client(
            "codex",
            (
                "~/.codex/config.toml",
                "${CODEX_HOME:-~/.codex}/config.toml",
            ),
            Language::Toml,
            "mcp_servers",
            Shape::Codex,
        ),
        client(
            "gemini-cli",
            (
                "~/.gemini/settings.json",
                "${GEMINI_CLI_HOME:-~}/.gemini/settings.json",
            ),
            Language::Json,
            "mcpServers",
            Shape::Gemini,
        ),
        client(
            "zed",
            (
                "~/.config/zed/settings.json",
                "${XDG_CONFIG_HOME:-~/.config}/zed/settings.json",
            ),
            Language::Json,
            "context_servers",
            Shape::Plain,
        ),
        client(
            "goose",
            ("~/.config/goose/config.yaml", GOOSE),
            Language::Yaml,
            "extensions",
            Shape::Goose,
        ),
    ];

    pub(super) fn text(&self, name: &str, server: &ServerAddress<'_>) -> Result<String, Failure> {
        let fields = self.fields(name, server)?;
        let document = json!({self.servers: {name: fields}});
        Ok(match self.language {
            Language::Json => format!("{document:#}\n"),
            Language::Toml => toml(&document)?,
            Language::Yaml => yaml(&document, 0),
        })
    }

    pub(super) fn fields(
        &self,
        name: &str,
        server: &ServerAddress<'_>,
    ) -> Result<Map<String, Value>, Failure> {
        let fields = match (self.shape, server) {
            (Shape::CommandOnly, ServerAddress::Remote { .. }) => {
                let failure = Failure::new(format!(
                    "`{}` does not read server URLs from its configuration file",
                    self.name
                ));
                return Err(
                    failure.help("add a connector in the app's settings, or leave `--url` out")
                );
            }
            (Shape::Goose, ServerAddress::Local { program, arguments }) => json!({
                "name": name, "type": "stdio", "cmd": program, "args": arguments, "enabled": true, "timeout": 300,
            }),
            (Shape::Goose, ServerAddress::Remote { url, .. }) => {
                json!({"name": name, "type": "streamable_http", "uri": url, "enabled": true, "timeout": 300})
            }
            (Shape::Typed, ServerAddress::Local { program, arguments }) => {
                json!({"type": "stdio", "command": program, "args": arguments})
            }
            (Shape::Typed, ServerAddress::Remote { url, .. }) => {
                json!({"type": "http", "url": url})
            }
            (_, ServerAddress::Local { program, arguments }) => {
                json!({"command": program, "args": arguments})
            }
            (Shape::Gemini, ServerAddress::Remote { url, .. }) => json!({"httpUrl": url}),
            (_, ServerAddress::Remote { url, .. }) => json!({"url": url}),
        };
        let Value::Object(mut fields) = fields else {
            unreachable!("each of these is a map")
        };
        if let ServerAddress::Remote {
            token: Some(variable),
            ..
        } = server
        {
            match self.shape {
                Shape::Codex => {
                    drop(fields.insert("bearer_token_env_var".to_owned(), (*variable).into()))
                }
                _ => {
                    let value = format!("Bearer {}", self.variable(variable));
                    fields.insert("headers".to_owned(), json!({"Authorization": value}));
                    if self.shape == Shape::Goose {
                        // The client reads only the variables that are listed here.
                        fields.insert("env_keys".to_owned(), json!([variable]));
                    }
                }
            }
        }
        Ok(fields)
    }

    pub(super) fn expands_variables(&self) -> bool {
        self.name != "zed"
    }

    fn variable(&self, name: &str) -> String {
        match self.name {
            "cursor" | "copilot-vscode" => format!("${{env:{name}}}"),
            _ => format!("${{{name}}}"),
        }
    }
}

impl Language {
    pub(super) fn name(self) -> &'static str {
        match self {
            Language::Json => "json",
            Language::Toml => "toml",
            Language::Yaml => "yaml",
        }
    }
}

fn toml(document: &Value) -> Result<String, Failure> {
    let document = toml_edit::ser::to_string_pretty(document);
    document.map_err(|error| Failure::new(format!("cannot write the snippet as TOML: {error}")))
}

fn yaml(value: &Value, depth: usize) -> String {
    let Value::Object(rows) = value else {
        return format!(" {value}\n");
    };
    let rows = rows.iter().map(|(key, value)| {
        let key = if key
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        {
            key.clone()
        } else {
            Value::from(key.as_str()).to_string()
        };
        let line_end = if value.is_object() { "\n" } else { "" };
        format!(
            "{:1$}{key}:{line_end}{2}",
            "",
            depth * 2,
            yaml(value, depth + 1)
        )
    });
    rows.collect()
}

#[cfg(test)]
mod tests;
