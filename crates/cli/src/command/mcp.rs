//! `repertoire mcp config`.

mod client;
mod merge;
mod server_check;

use clap::{Args, Subcommand};
use repertoire_profiles::AgentProfile;
use serde::Serialize;
use serde_json::{Map, Value};

use self::client::{McpClient, ServerAddress};
use self::merge::NewServer;
use crate::Environment;
use crate::agents::Agents;
use crate::diagnostics::{counted, joined};
use crate::failure::Failure;
use crate::options::SourceOptions;
use crate::output::Output;
use crate::settings_file::{WrittenFile, rewrite};

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

/// Print or write the configuration of an MCP client.
///
/// The client starts `repertoire serve` with the source options that are given here and the arguments after `--`, or connects to a
/// running server (--url). Without --agent: the installed agents. Known are `claude-desktop`, `claude-code`, `cursor`,
/// `copilot-vscode`, `codex`, `gemini-cli`, `zed` and `goose`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  repertoire mcp config --agent claude-code --trust-project
  repertoire mcp config --agent codex --root ~/skills --check --write
  repertoire mcp config --agent cursor --url http://127.0.0.1:8321/mcp")]
struct ConfigCommand {
    /// URL of a running server, e.g. `http://127.0.0.1:8321/mcp`.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Environment variable with the bearer token for --url.
    #[arg(long, value_name = "VARIABLE", requires = "url")]
    token_env: Option<String>,
    /// Program that the client starts (default: the path of this one).
    #[arg(long, value_name = "PATH", conflicts_with = "url")]
    program: Option<String>,
    /// Name of the server in the client's configuration.
    #[arg(long, value_name = "NAME", default_value = "repertoire")]
    name: String,
    /// Merge into the client's file; the previous file is saved with the suffix `.bak`.
    #[arg(long)]
    write: bool,
    /// Start the server, or connect to it, and list its skills first.
    #[arg(long)]
    check: bool,
    /// Arguments of `serve`.
    #[arg(last = true, value_name = "ARGS", conflicts_with = "url")]
    arguments: Vec<String>,
}

/// The configurations of MCP clients.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct McpOutput {
    configurations: Vec<McpConfiguration>,
    /// The skills that the server lists; null without `--check`.
    skills: Option<Vec<String>>,
}

/// A server in the configuration file of an MCP client.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct McpConfiguration {
    agent: &'static str,
    /// The path of the file, as the client's documentation writes it.
    file: &'static str,
    /// The language of the text.
    language: &'static str,
    /// The text of a file with this server alone.
    text: String,
    /// Null without `--write`.
    written: Option<WrittenFile>,
}

impl McpCommand {
    pub(super) async fn run(
        &self,
        sources: &SourceOptions,
        environment: &mut Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let McpAction::Config(config) = &self.action;
        let agents = Agents::of(environment);
        let clients = known_clients(&agents, &sources.agents)?;
        let program = config.program(environment);
        let arguments = config.server_arguments(sources, environment)?;
        let server = match &config.url {
            Some(url) => ServerAddress::Remote {
                url,
                token: config.token_env.as_deref(),
            },
            None => ServerAddress::Local {
                program: &program,
                arguments: arguments.iter().map(String::as_str).collect(),
            },
        };
        let skills = match config.check {
            true => Some(server_check::skills(&server, environment).await?),
            false => None,
        };
        let mut configurations = Vec::new();
        for client in clients {
            let fields = client.fields(&config.name, &server)?;
            let text = client.text(&config.name, &server)?;
            let written = match config.write {
                true => Some(client.write(&config.name, &fields, &text, &agents)?),
                false => None,
            };
            configurations.push(McpConfiguration {
                agent: client.name,
                file: client.file,
                language: client.language.name(),
                text,
                written,
            });
        }
        let output = McpOutput {
            configurations,
            skills,
        };
        if !out.write_json(&output) {
            config.print(&output, out);
        }
        Ok(())
    }
}

impl ConfigCommand {
    fn program(&self, environment: &Environment<'_>) -> String {
        let own = || environment.program_path().to_string_lossy().into_owned();
        self.program.clone().unwrap_or_else(own)
    }

    /// Returns the arguments with which the client starts the server. It does so in a folder of its own, so paths are absolute.
    fn server_arguments(
        &self,
        sources: &SourceOptions,
        environment: &Environment<'_>,
    ) -> Result<Vec<String>, Failure> {
        let typed = sources.arguments(&environment.cwd);
        match (&self.url, typed.first()) {
            (Some(_), Some(option)) => Err(Failure::new(format!(
                "`{option}` has no effect with `--url`"
            ))
            .help("pass it to the running server")),
            _ => {
                let serve = std::iter::once("serve".to_owned());
                Ok(serve.chain(typed).chain(self.arguments.clone()).collect())
            }
        }
    }

    fn print(&self, output: &McpOutput, out: &mut Output) {
        for configuration in &output.configurations {
            let Some(written) = &configuration.written else {
                out.bytes(&configuration.text);
                out.note(format!(
                    "add this to `{}`, keeping the existing entries, or pass --write",
                    configuration.file
                ));
                continue;
            };
            let path = written.path.display();
            out.line(match (written.is_changed, &written.backup) {
                (false, _) => format!("`{path}` has this server already"),
                (true, None) => format!("created `{path}`"),
                (true, Some(backup)) => {
                    format!(
                        "changed `{path}`; the file before is `{}`",
                        backup.display()
                    )
                }
            });
        }
        if let Some(skills) = &output.skills {
            let names = joined(skills.iter().map(String::as_str));
            let count = counted(skills.len(), "skill");
            out.note(format!("the server lists {count}: {names}"));
        }
        let mut agents = output.configurations.iter().map(|one| one.agent);
        if let Some(variable) = &self.token_env
            && agents
                .any(|agent| !McpClient::named(agent).is_some_and(|one| one.expands_variables()))
        {
            out.note(format!("replace `${{{variable}}}` with the token itself"));
        }
    }
}

/// Returns the clients of these names; without names, those that are installed.
fn known_clients(agents: &Agents, names: &[String]) -> Result<Vec<McpClient>, Failure> {
    let mut clients: Vec<McpClient> = Vec::new();
    for name in names {
        let profile = agents.profiles().get(name).map(AgentProfile::name);
        match McpClient::named(profile.unwrap_or(name)) {
            Some(client) if clients.iter().any(|one| one.name == client.name) => {}
            Some(client) => clients.push(client),
            None => {
                let message = format!("no MCP configuration is known for `{name}`");
                return Err(Failure::new(message).help(client_choice()));
            }
        }
    }
    if names.is_empty() {
        let found = agents.chosen(&[])?.chosen.into_iter();
        clients.extend(found.filter_map(|profile| McpClient::named(profile.name())));
    }
    if clients.is_empty() {
        let failure = Failure::new("expected `--agent`: no agent was found on this machine");
        return Err(failure.help(client_choice()));
    }
    Ok(clients)
}

fn client_choice() -> String {
    format!(
        "choose {}",
        joined(McpClient::ALL.map(|client| client.name))
    )
}

impl McpClient {
    fn named(name: &str) -> Option<McpClient> {
        McpClient::ALL
            .into_iter()
            .find(|client| client.name == name)
    }

    /// Merges the server into the file of this client. A link to the file stays a link.
    fn write(
        &self,
        name: &str,
        fields: &Map<String, Value>,
        alone: &str,
        agents: &Agents,
    ) -> Result<WrittenFile, Failure> {
        let place = &agents.place;
        let path = place
            .expand(self.path, &place.folder)
            .ok_or_else(|| Failure::new(format!("the folder of `{}` is unknown", self.file)))?;
        let server = NewServer {
            name,
            fields,
            alone,
        };
        rewrite(path, |before| self.merged(before, &server))
    }
}
