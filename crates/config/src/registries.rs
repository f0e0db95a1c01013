//! The registries of a gateway, and its settings.

use std::fs;
use std::net::SocketAddr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use repertoire_core::{Id, Item};
use repertoire_registry::{ConfigError, SourceConfig};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

use crate::client_agents::ClientAgentFolder;
use crate::definition::{AgentRow, ServerRow};
use crate::document::Section;
use crate::{
    AgentDefinition, AgentSettings, ConfigurationError, HostSettings, OAuthSettings,
    ServerDefinition,
};

/// The settings of a gateway: the table `[gateway]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "Gateway",
        transform = crate::schema::spelled(&[("watch", "watchRegistries"), ("drain-ms", "drainMs")])
    )
)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct GatewaySettings {
    /// The address of the HTTP server. Default: no HTTP server.
    pub listen: Option<SocketAddr>,
    /// `true` if folders are watched. Otherwise they are read at a start and at a reload. Default true.
    #[serde(alias = "watchRegistries")]
    pub watch: bool,
    /// The time in which requests in progress are answered at a stop, in milliseconds. Default 10,000.
    #[serde(alias = "drainMs")]
    drain_ms: u64,
    /// The agents.
    pub agents: AgentSettings,
    /// The authorization server whose access tokens are accepted. Default: none.
    #[doc(hidden)]
    pub oauth: Option<OAuthSettings>,
}

impl Default for GatewaySettings {
    fn default() -> GatewaySettings {
        GatewaySettings {
            listen: None,
            watch: true,
            drain_ms: 10_000,
            agents: AgentSettings::default(),
            oauth: None,
        }
    }
}

impl GatewaySettings {
    /// Returns the time in which requests in progress are answered at a stop.
    pub fn drain(&self) -> Duration {
        Duration::from_millis(self.drain_ms)
    }
}

/// The definitions of the registries of a gateway: the table `[registries]`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RegistrySettings {
    /// The folder that patterns and ids of workflows are relative to: that of the configuration file.
    pub project: PathBuf,
    /// The patterns that select workflow files.
    pub workflows: Vec<String>,
    /// The patterns that select skills of the project, in addition to the sources.
    pub skills: Vec<String>,
    /// The agents in the order of the file, then those of the folders of clients.
    pub agents: Vec<AgentDefinition>,
    /// The MCP servers in the order of the file, then those of the files of clients.
    pub mcp_servers: Vec<ServerDefinition>,
}

const WORKFLOWS: &str = "workflows/**/*.workflow.{ts,mts,yaml,yml,toml,json}";
const SKILLS: &str = "skills/**/SKILL.md";

impl RegistrySettings {
    pub(crate) fn defaults(project: &Path) -> RegistrySettings {
        RegistrySettings {
            project: project.to_owned(),
            workflows: vec![WORKFLOWS.to_owned()],
            skills: vec![SKILLS.to_owned()],
            agents: Vec::new(),
            mcp_servers: Vec::new(),
        }
    }
}

/// The files that a registry searches.
#[derive(Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Glob")
)]
#[serde(deny_unknown_fields)]
struct GlobSection {
    /// The patterns, relative to the folder of the file.
    glob: Globs,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a pattern, or a list of patterns")]
enum Globs {
    One(String),
    Several(Vec<String>),
}

/// The registries of a gateway.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(
    rename = "Registries",
    rename_all = "kebab-case",
    deny_unknown_fields,
    transform = crate::schema::spelled(&[("mcp-servers", "mcpServers"), ("mcp-files", "mcpFiles"), ("agent-folders", "agentFolders")])
)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct RegistriesSection {
    /// Default: `workflows/**/*.workflow.{ts,mts,yaml,yml,toml,json}`.
    workflows: Option<GlobSection>,
    /// Default: `skills/**/SKILL.md`, or nothing if the file has sources.
    skills: Option<GlobSection>,
    agents: Option<Definitions<AgentRow>>,
    /// Folders of clients with agents as Markdown files, such as `.claude/agents`, with the program that runs them.
    agent_folders: Option<Vec<AgentFolderSection>>,
    mcp_servers: Option<Definitions<ServerRow>>,
    /// Files of clients with `mcpServers`, as JSON.
    mcp_files: Option<Vec<String>>,
}

/// A folder of a client with agents as Markdown files, and the keys that all of them share.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(rename = "AgentFolder")]
#[expect(dead_code, reason = "only its schema is used")]
struct AgentFolderSection {
    /// The folder. `{name}` in arguments is the name of an agent.
    folder: String,
    #[schemars(flatten)]
    template: AgentRow,
}

#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum Definitions<T> {
    List(Vec<T>),
    Table(std::collections::BTreeMap<String, T>),
}

/// Reads the table `[registries]`.
pub(crate) fn read(
    section: &Section<'_>,
    base: &Path,
    settings: &HostSettings,
) -> Result<RegistrySettings, ConfigurationError> {
    let values = settings.expand(section.values.clone());
    let (mut read, clients) = values
        .and_then(|values| read_values(values, base))
        .map_err(|error| section.locate(&error))?;
    let ClientDefinitions { files, folders } = clients;
    for (at, folder) in folders.iter().enumerate() {
        let agents = folder.agents(base)?;
        add(&format!("agent-folders[{at}]"), &mut read.agents, agents)
            .map_err(|error| section.locate(&error))?;
    }
    for (at, file) in files.iter().enumerate() {
        let servers = client_servers(file, base)?;
        add(&format!("mcp-files[{at}]"), &mut read.mcp_servers, servers)
            .map_err(|error| section.locate(&error))?;
    }
    Ok(read)
}

/// The definitions of clients that a table names.
#[derive(Default)]
struct ClientDefinitions {
    files: Vec<String>,
    folders: Vec<ClientAgentFolder>,
}

/// Returns the definitions of the table, and those of clients that it names.
fn read_values(
    values: Map<String, Json>,
    base: &Path,
) -> Result<(RegistrySettings, ClientDefinitions), ConfigError> {
    let mut read = RegistrySettings::defaults(base);
    let mut clients = ClientDefinitions::default();
    for (key, value) in values {
        let key = key.as_str();
        match key {
            "workflows" => read.workflows = globs(key, value)?,
            "skills" => read.skills = globs(key, value)?,
            "agents" => read.agents = definitions::<AgentRow, _>(key, value)?,
            "mcp-servers" | "mcpServers" => {
                let servers = definitions::<ServerRow, _>(key, value)?;
                add(key, &mut read.mcp_servers, servers)?;
            }
            "mcp-files" | "mcpFiles" => {
                clients.files = serde_json::from_value(value)
                    .map_err(|error| ConfigError::in_option(key, error.to_string()))?;
            }
            "agent-folders" | "agentFolders" => {
                clients.folders = ClientAgentFolder::read_all(key, value)?;
            }
            _ => {
                let message = format!(
                    "unknown key `{key}`; expected `workflows`, `skills`, `agents`, `agent-folders`, `mcp-servers` or `mcp-files`"
                );
                return Err(ConfigError::in_option(key, message));
            }
        }
    }
    Ok((read, clients))
}

fn globs(key: &str, value: Json) -> Result<Vec<String>, ConfigError> {
    let Json::Object(values) = value else {
        let message = format!("`{key}`: expected a table with `glob`, found {value}");
        return Err(ConfigError::in_option(key, message));
    };
    let GlobSection { glob } = typed(key, values)?;
    Ok(match glob {
        Globs::One(glob) => vec![glob],
        Globs::Several(globs) => globs,
    })
}

/// Reads a list of tables, or a table whose keys are ids.
fn definitions<R, T>(key: &str, value: Json) -> Result<Vec<T>, ConfigError>
where
    R: DeserializeOwned,
    T: Item + TryFrom<R, Error = ConfigError>,
{
    let rows: Vec<(String, Option<String>, Json)> = match value {
        Json::Array(rows) => (0..)
            .zip(rows)
            .map(|(at, row): (usize, Json)| (format!("{key}[{at}]"), None, row))
            .collect(),
        Json::Object(rows) => rows
            .into_iter()
            .map(|(id, row)| (format!("{key}.{id}"), Some(id), row))
            .collect(),
        _ => {
            let message = format!("expected tables `[[registries.{key}]]`");
            return Err(ConfigError::in_option(key, message));
        }
    };
    let mut all = Vec::with_capacity(rows.len());
    for (path, id, row) in rows {
        let Json::Object(mut values) = row else {
            return Err(ConfigError::in_option(path, "expected a table"));
        };
        if let Some(id) = id {
            values.insert("id".to_owned(), id.into());
        }
        let row: R = typed(&path, values)?;
        let definition = T::try_from(row).map_err(|error| below(&path, error))?;
        add(&path, &mut all, vec![definition])?;
    }
    Ok(all)
}

fn add<T: Item>(path: &str, all: &mut Vec<T>, more: Vec<T>) -> Result<(), ConfigError> {
    for definition in more {
        let id: &Id = definition.id();
        if all.iter().any(|other| other.id() == id) {
            let message = format!("two definitions of the {} `{id}`", T::KIND);
            return Err(ConfigError::in_option(path, message));
        }
        all.push(definition);
    }
    Ok(())
}

fn typed<T: DeserializeOwned>(path: &str, values: Map<String, Json>) -> Result<T, ConfigError> {
    let read = SourceConfig::new("", "", values).options();
    read.map_err(|error| below(path, error))
}

fn below(path: &str, error: ConfigError) -> ConfigError {
    let key = match error.key {
        Some(key) => format!("{path}.{key}"),
        None => path.to_owned(),
    };
    let of_values = ["env", "headers"].map(|secret| format!("{path}.{secret}"));
    if of_values.iter().any(|secret| key.starts_with(secret)) {
        // The message could have a value.
        return ConfigError::in_option(key, "expected a table with a text for each name");
    }
    ConfigError::in_option(key, error.message)
}

/// Reads the servers of a client's file: the object `mcpServers`, or `servers`. Keys that only clients know are skipped.
fn client_servers(file: &str, base: &Path) -> Result<Vec<ServerDefinition>, ConfigurationError> {
    const KNOWN: [&str; 9] = [
        "type",
        "transport",
        "command",
        "args",
        "cwd",
        "url",
        "env",
        "headers",
        "description",
    ];
    let path = base.join(file);
    let text = fs::read_to_string(&path).map_err(|error| {
        ConfigurationError::new(format!("cannot read `{file}`")).caused_by(error)
    })?;
    let value: Json = serde_json::from_str(&text).map_err(|error| {
        let lines = text.split_inclusive('\n');
        let start: usize = lines
            .take(error.line().saturating_sub(1))
            .map(str::len)
            .sum();
        let at = (start + error.column().saturating_sub(1)).min(text.len());
        let at = text.floor_char_boundary(at);
        let message = format!("invalid JSON: {error}");
        // A line may have values of `env`.
        ConfigurationError::new(message).at(file, &text, at..at, false)
    })?;
    let servers = value.get("mcpServers").or_else(|| value.get("servers"));
    let Some(Json::Object(servers)) = servers else {
        let message = format!("`{file}` has no object `mcpServers`");
        return Err(ConfigurationError::new(message));
    };
    let mut servers = servers.clone();
    for server in servers.values_mut().filter_map(Json::as_object_mut) {
        server.retain(|key, _| KNOWN.contains(&key.as_str()));
    }
    definitions::<ServerRow, _>("mcpServers", Json::Object(servers)).map_err(|error| {
        let place = error.key.unwrap_or_default();
        let message = format!("`{place}`: {}", error.message);
        let at = nearest_key(&text, &place);
        ConfigurationError::new(message).at(file, &text, at, false)
    })
}

/// Returns the place of the last key of `path` that occurs after the keys before it in JSON text. Ids with a dot are not found.
fn nearest_key(text: &str, path: &str) -> Range<usize> {
    let mut found = 0..0;
    for key in path.split('.') {
        let key = key.split_once('[').map_or(key, |(key, _)| key);
        let quoted = format!("\"{key}\"");
        if let Some(at) = text[found.end..].find(&quoted) {
            let start = found.end + at;
            found = start..start + quoted.len();
        }
    }
    found
}
