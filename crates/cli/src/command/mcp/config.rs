//! `repertoire mcp config`.

mod client;

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use self::client::{Client, Server};
use crate::Stream;
use crate::answer::{Answer, json};
use crate::failure::Failure;

/// Print what to paste into the configuration of the client that `--client` names.
///
/// The client then starts `repertoire serve` with what stands behind `--`, or connects to a server that runs. Clients:
/// `claude-desktop`, `claude-code`, `cursor`, `vscode`, `codex`, `gemini`, `zed` and `goose`.
#[derive(Debug, Args)]
pub(crate) struct Config {
    /// The address of a server that runs, as in `http://127.0.0.1:8321/mcp`.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The environment variable with the token of that server.
    #[arg(long, value_name = "VARIABLE", requires = "url")]
    token_env: Option<String>,
    /// The program that the client starts.
    #[arg(long, value_name = "PATH", default_value = "repertoire")]
    program: String,
    /// What the client calls the server.
    #[arg(long, value_name = "NAME", default_value = "repertoire")]
    name: String,
    /// Arguments of `serve`.
    #[arg(last = true, value_name = "ARGS", conflicts_with = "url")]
    arguments: Vec<String>,
}

/// What to paste, and where.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Snippet {
    client: &'static str,
    /// The file, as the client's documentation names it.
    file: &'static str,
    /// The language of the text.
    language: &'static str,
    text: String,
    /// A variable that the client would not read.
    #[serde(skip)]
    unread: Option<String>,
}

impl Config {
    pub(crate) fn answer(&self, clients: &[String]) -> Result<Snippet, Failure> {
        let known = || Client::ALL.map(|client| client.name).join(", ");
        let [name] = clients else {
            return Err(Failure::new("name one client with `--client`").help(format!("known: {}", known())));
        };
        let client = Client::ALL.into_iter().find(|client| client.name == name);
        let client = client
            .ok_or_else(|| Failure::new(format!("unknown client `{name}`")).help(format!("known: {}", known())))?;
        let server = match &self.url {
            Some(url) => Server::Remote { url, token: self.token_env.as_deref() },
            None => {
                let arguments = std::iter::once("serve").chain(self.arguments.iter().map(String::as_str));
                Server::Local { program: &self.program, arguments: arguments.collect() }
            }
        };
        let text = client.text(&self.name, &server)?;
        let unread = self.token_env.clone().filter(|_| !client.reads_variables());
        Ok(Snippet { client: client.name, file: client.file, language: client.language.name(), text, unread })
    }
}

impl Answer for Snippet {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        out.write_all(self.text.as_bytes())
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![format!("for `{}`, beside what is there", self.file)];
        notes
            .extend(self.unread.iter().map(|variable| format!("write the token itself in place of `${{{variable}}}`")));
        notes
    }
}
