//! `repertoire mcp config`.

mod client;

use clap::{Args, Subcommand};
use serde::Serialize;

use repertoire_profiles::AgentProfile;

use self::client::{McpClient, ServerAddress};
use crate::Environment;
use crate::agents::Agents;
use crate::diagnostics::joined;
use crate::failure::Failure;
use crate::output::Output;

/// Generate MCP client configuration.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire mcp config --agent claude-code")]
pub(crate) struct McpCommand {
    #[command(subcommand)]
    action: McpAction,
}

#[derive(Debug, Subcommand)]
enum McpAction {
    Config(ConfigCommand),
}

/// Print the configuration snippet for an MCP client.
///
/// The client will start `repertoire serve` with the arguments after `--`, or connect to a running server (--url). Clients:
/// `claude-desktop`, `claude-code`, `cursor`, `copilot-vscode`, `codex`, `gemini-cli`, `zed` and `goose`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  repertoire mcp config --agent claude-code -- --trust-project
  repertoire mcp config --agent cursor --url http://127.0.0.1:8321/mcp")]
struct ConfigCommand {
    /// URL of a running server, e.g. `http://127.0.0.1:8321/mcp`.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Environment variable with the bearer token for --url.
    #[arg(long, value_name = "VARIABLE", requires = "url")]
    token_env: Option<String>,
    /// Program that the client starts.
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
pub(super) struct McpOutput {
    client: &'static str,
    /// The path of the file, as the client's documentation writes it.
    file: &'static str,
    /// The language of the text.
    language: &'static str,
    text: String,
}

impl McpCommand {
    pub(super) fn run(
        &self,
        agents: &[String],
        environment: &Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let McpAction::Config(config) = &self.action;
        let known = format!(
            "choose {}",
            joined(McpClient::ALL.map(|client| client.name))
        );
        let [name] = agents else {
            return Err(Failure::new("expected one `--agent`").help(known));
        };
        let agents = Agents::of(environment);
        let profile = agents.profiles().get(name);
        let name = profile.map_or(name.as_str(), AgentProfile::name);
        let client = McpClient::ALL
            .into_iter()
            .find(|client| client.name == name);
        let client = client.ok_or_else(|| {
            Failure::new(format!("the configuration of `{name}` is unknown")).help(known)
        })?;
        let server = match &config.url {
            Some(url) => ServerAddress::Remote {
                url,
                token: config.token_env.as_deref(),
            },
            None => {
                let arguments =
                    std::iter::once("serve").chain(config.arguments.iter().map(String::as_str));
                ServerAddress::Local {
                    program: &config.program,
                    arguments: arguments.collect(),
                }
            }
        };
        let text = client.text(&config.name, &server)?;
        let snippet = McpOutput {
            client: client.name,
            file: client.file,
            language: client.language.name(),
            text,
        };
        if out.write_json(&snippet) {
            return Ok(());
        }
        out.bytes(&snippet.text);
        out.note(format!(
            "add this to `{}`, keeping the existing entries",
            snippet.file
        ));
        if let Some(variable) = config
            .token_env
            .as_ref()
            .filter(|_| !client.expands_variables())
        {
            out.note(format!("replace `${{{variable}}}` with the token itself"));
        }
        Ok(())
    }
}
