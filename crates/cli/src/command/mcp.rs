//! `repertoire mcp config`.

mod client;

use std::io::{self, Write};

use clap::{Args, Subcommand};
use serde::Serialize;

use self::client::{Client, Server};
use crate::Stream;
use crate::failure::Failure;
use crate::output::CommandOutput;

/// Generate MCP client configuration.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire mcp config --client claude-code")]
pub(crate) struct Mcp {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Config(Config),
}

/// Print the configuration snippet for an MCP client.
///
/// The client will start `repertoire serve` with the arguments after `--`, or connect to a running server (--url). Clients:
/// `claude-desktop`, `claude-code`, `cursor`, `vscode`, `codex`, `gemini`, `zed` and `goose`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  repertoire mcp config --client claude-code -- --trust-project
  repertoire mcp config --client cursor --url http://127.0.0.1:8321/mcp")]
struct Config {
    /// URL of a running server, e.g. `http://127.0.0.1:8321/mcp`.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Environment variable that holds the bearer token.
    #[arg(long, value_name = "VARIABLE", requires = "url")]
    token_env: Option<String>,
    /// Command the client should run.
    #[arg(long, value_name = "PATH", default_value = "repertoire")]
    program: String,
    /// Name of the server in the client's configuration.
    #[arg(long, value_name = "NAME", default_value = "repertoire")]
    name: String,
    /// Arguments of `serve`.
    #[arg(last = true, value_name = "ARGS", conflicts_with = "url")]
    arguments: Vec<String>,
}

/// A snippet for the configuration file of an MCP client.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Snippet {
    client: &'static str,
    /// The path of the file, as the client's documentation writes it.
    file: &'static str,
    /// The language of the text.
    language: &'static str,
    text: String,
    /// The variable that the user has to replace with its value, as the client does not expand variables.
    #[serde(skip)]
    unexpanded: Option<String>,
}

impl Mcp {
    pub(super) fn run(&self, clients: &[String]) -> Result<Snippet, Failure> {
        let Action::Config(config) = &self.action;
        let known = format!("choose {}", Client::ALL.map(|client| client.name).join(", "));
        let [name] = clients else {
            return Err(Failure::new("expected one `--client`").help(known));
        };
        let client = Client::ALL.into_iter().find(|client| client.name == name);
        let client = client.ok_or_else(|| Failure::new(format!("unknown client `{name}`")).help(known))?;
        let server = match &config.url {
            Some(url) => Server::Remote { url, token: config.token_env.as_deref() },
            None => {
                let arguments = std::iter::once("serve").chain(config.arguments.iter().map(String::as_str));
                Server::Local { program: &config.program, arguments: arguments.collect() }
            }
        };
        let text = client.text(&config.name, &server)?;
        let unexpanded = config.token_env.clone().filter(|_| !client.expands_variables());
        Ok(Snippet { client: client.name, file: client.file, language: client.language.name(), text, unexpanded })
    }
}

impl CommandOutput for Snippet {
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        out.write_all(self.text.as_bytes())
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![format!("add this to `{}`, keeping the existing entries", self.file)];
        notes.extend(self.unexpanded.iter().map(|variable| format!("replace `${{{variable}}}` with the token itself")));
        notes
    }
}
