//! Agents and MCP servers as a configuration defines them.

use std::collections::BTreeMap;
use std::fmt;

use repertoire_core::{Id, Item};
use repertoire_mcp_servers::{ServerValue, ToolOffer, ToolRules};
use repertoire_registry::{ConfigError, Target};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

/// An agent that a gateway can start or call.
#[derive(Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct AgentDefinition {
    /// The id.
    pub id: Id,
    /// The purpose of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The way to reach it.
    pub runtime: AgentRuntime,
    /// The time that it lives.
    pub lifecycle: Lifecycle,
    /// The program to start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The arguments of the program.
    pub args: Vec<String>,
    /// The address of a running agent. It is serialized without user and query.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "bare_url")]
    pub url: Option<String>,
    /// The environment variables of the program. Only their names are shown and serialized.
    #[serde(serialize_with = "names")]
    pub env: BTreeMap<String, ServerValue>,
    /// The type, which several agents may share; by default the id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    /// The skills that it has; without any, it has all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// The rights: patterns of `tools` and `deny`, `write-access` and `admin-access`. Other keys are for the runtime.
    pub permissions: Map<String, Value>,
    /// The limits: `max-concurrent-tasks`, `token-budget` and `timeout-ms`. Other keys are for the runtime.
    pub limits: Map<String, Value>,
    /// Everything else that is known about it.
    pub metadata: Map<String, Value>,
}

/// The way in which an agent is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum AgentRuntime {
    /// A program that gets its task once.
    #[default]
    Process,
    /// The Agent Client Protocol, over a program or a URL.
    Acp,
}

/// The time that an agent lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Lifecycle {
    /// The lifetime of the gateway.
    Resident,
    /// For one task.
    #[default]
    Ephemeral,
}

/// An MCP server that a gateway supervises.
#[derive(Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct ServerDefinition {
    /// The id.
    pub id: Id,
    /// The purpose of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The way to reach it.
    pub transport: ServerTransport,
    /// The program to start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The arguments of the program.
    pub args: Vec<String>,
    /// The working directory of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The URL of a server over HTTP. It is serialized without user and query.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "bare_url")]
    pub url: Option<String>,
    /// The environment variables of the program. Only their names are shown and serialized.
    #[serde(serialize_with = "names")]
    pub env: BTreeMap<String, ServerValue>,
    /// The headers of requests. Only their names are shown and serialized.
    #[serde(serialize_with = "names")]
    pub headers: BTreeMap<String, ServerValue>,
    /// The time at which it is started.
    pub start: ServerStart,
    /// The time limit of a start, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_ms: Option<u64>,
    /// The time limit of a call, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_ms: Option<u64>,
    /// The limit of the program's address space in MiB. Linux only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u64>,
    /// The rules about its tools.
    #[serde(flatten)]
    pub tools: ToolRules,
}

/// The way in which an MCP server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(transform = crate::schema::spelled(&[("http", "streamable-http"), ("http", "streamableHttp")]))
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ServerTransport {
    /// Standard input and output of a program.
    Stdio,
    /// Streamable HTTP.
    #[serde(alias = "streamable-http", alias = "streamableHttp")]
    Http,
    /// HTTP with server-sent events, as before the protocol of 2025-03-26.
    Sse,
}

/// The time at which an MCP server is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ServerStart {
    /// When one of its tools is needed.
    #[default]
    OnDemand,
    /// With the gateway.
    AtOnce,
}

fn names<S: Serializer, V>(values: &BTreeMap<String, V>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.keys())
}

/// Serializes a URL without the parts that may be secrets.
fn bare_url<S: Serializer>(url: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    let url = url.as_deref().unwrap_or_default();
    let url = url.split(['?', '#']).next().unwrap_or_default();
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let host = host.rsplit('@').next().unwrap_or_default();
            serializer.collect_str(&format_args!("{scheme}://{host}{path}"))
        }
        None => serializer.serialize_str(url),
    }
}

impl Item for AgentDefinition {
    const KIND: &'static str = "agent";

    fn id(&self) -> &Id {
        &self.id
    }

    fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }
}

impl Item for ServerDefinition {
    const KIND: &'static str = "mcp-server";

    fn id(&self) -> &Id {
        &self.id
    }

    fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }
}

impl fmt::Debug for AgentDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentDefinition")
            .field("id", &self.id)
            .field("runtime", &self.runtime)
            .field("lifecycle", &self.lifecycle)
            .field("env", &self.env.keys())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ServerDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerDefinition")
            .field("id", &self.id)
            .field("transport", &self.transport)
            .field("env", &self.env.keys())
            .field("headers", &self.headers.keys())
            .finish_non_exhaustive()
    }
}

/// An agent that a gateway can start or call.
#[derive(Default, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "Agent",
        transform = crate::schema::spelled(&[("agent-type", "agentType")])
    )
)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct AgentRow {
    /// The id; in a table of agents it is the key.
    id: Option<Id>,
    /// The purpose of the agent.
    description: Option<String>,
    runtime: AgentRuntime,
    lifecycle: Lifecycle,
    /// The program to start.
    command: Option<String>,
    args: Vec<String>,
    /// The address of a running agent.
    url: Option<String>,
    /// The environment variables of the program.
    env: BTreeMap<String, ServerValue>,
    /// The type, which several agents may share. Default: the id.
    #[serde(rename = "agent-type", alias = "agentType")]
    agent_type: Option<String>,
    /// The skills that the agent has. Default: all.
    skills: Vec<String>,
    /// The rights: patterns of `tools` and `deny`, `write-access` and `admin-access`. Other keys are for the runtime.
    permissions: Map<String, Value>,
    /// The limits: `max-concurrent-tasks`, `token-budget` and `timeout-ms`. Other keys are for the runtime.
    limits: Map<String, Value>,
    metadata: Map<String, Value>,
}

/// The rights that a gateway reads.
#[derive(Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[derive(Default)]
struct AgentRights {
    tools: Vec<String>,
    deny: Vec<String>,
    #[serde(alias = "writeAccess", alias = "write_access")]
    write_access: bool,
    #[serde(alias = "adminAccess", alias = "admin_access")]
    admin_access: bool,
}

/// The limits that a gateway reads.
#[derive(Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[derive(Default)]
struct AgentLimits {
    #[serde(alias = "maxConcurrentTasks", alias = "max_concurrent_tasks")]
    max_concurrent_tasks: u32,
    #[serde(alias = "tokenBudget", alias = "token_budget")]
    token_budget: u64,
    #[serde(alias = "timeoutMs", alias = "timeout_ms")]
    timeout_ms: u64,
}

impl AgentRow {
    /// Checks the rights and limits that a gateway reads.
    fn check_rights(&self) -> Result<(), ConfigError> {
        let checked = [
            ("permissions", typed::<AgentRights>(&self.permissions)),
            ("limits", typed::<AgentLimits>(&self.limits)),
        ];
        for (key, result) in checked {
            result.map_err(|error| ConfigError::in_option(key, error.to_string()))?;
        }
        Ok(())
    }
}

fn typed<T: DeserializeOwned>(values: &Map<String, Value>) -> Result<(), serde_json::Error> {
    T::deserialize(values).map(drop)
}

/// An MCP server that a gateway supervises.
#[derive(Default, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "McpServer",
        transform = crate::schema::spelled(&[("transport", "type"), ("directory", "cwd")])
    )
)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ServerRow {
    /// The id; in a table of servers it is the key.
    id: Option<Id>,
    /// The purpose of the server.
    description: Option<String>,
    /// By default `stdio` with a command, and `http` with a URL.
    #[serde(alias = "type")]
    transport: Option<ServerTransport>,
    /// The program to start.
    command: Option<String>,
    args: Vec<String>,
    /// The working directory of the program.
    #[serde(alias = "cwd")]
    directory: Option<String>,
    /// The URL of a server over HTTP.
    url: Option<String>,
    /// The environment variables of the program.
    env: BTreeMap<String, ServerValue>,
    /// The headers of requests.
    headers: BTreeMap<String, ServerValue>,
    start: ServerStart,
    /// The time limit of a start, in milliseconds. Default 15,000.
    #[serde(rename = "start-ms")]
    start_ms: Option<u64>,
    /// The time limit of a call, in milliseconds. Default 60,000.
    #[serde(rename = "call-ms")]
    call_ms: Option<u64>,
    /// The limit of the program's address space in MiB. Linux only.
    #[serde(rename = "memory-mib")]
    memory_mib: Option<u64>,
    /// The clients that are offered its tools.
    tools: ToolOffer,
    /// The tools that may be offered, by name; `*` is any text. Default: all.
    allow: Vec<String>,
    /// The tools that are never offered or called; `*` is any text, and letter case makes no difference.
    deny: Vec<String>,
    /// The skills that bring its tools although their source is not trusted: `source:skill` or `source:*`.
    #[serde(rename = "grant-to")]
    grant_to: Vec<Target>,
}

impl TryFrom<AgentRow> for AgentDefinition {
    type Error = ConfigError;

    fn try_from(row: AgentRow) -> Result<AgentDefinition, ConfigError> {
        row.check_rights()?;
        let id = row
            .id
            .ok_or_else(|| ConfigError::new("missing field `id`"))?;
        match (row.runtime, &row.command, &row.url) {
            (_, Some(_), Some(_)) => {
                let message = "an agent is a `command` or a `url`, and not both";
                return Err(ConfigError::in_option("url", message));
            }
            (AgentRuntime::Process, _, Some(_)) => {
                let message = "a process has a `command`; write `runtime = \"acp\"` for a URL";
                return Err(ConfigError::in_option("url", message));
            }
            (_, None, None) => {
                let message = format!("agent `{id}` has no `command` and no `url`");
                return Err(ConfigError::new(message));
            }
            _ => {}
        }
        Ok(AgentDefinition {
            id,
            description: row.description,
            runtime: row.runtime,
            lifecycle: row.lifecycle,
            command: row.command,
            args: row.args,
            url: row.url,
            env: row.env,
            agent_type: row.agent_type,
            skills: row.skills,
            permissions: row.permissions,
            limits: row.limits,
            metadata: row.metadata,
        })
    }
}

impl ServerRow {
    /// Checks the rules about tools.
    fn check_tools(&self) -> Result<(), ConfigError> {
        for (key, patterns) in [("allow", &self.allow), ("deny", &self.deny)] {
            if patterns.iter().any(|pattern| pattern.trim().is_empty()) {
                return Err(ConfigError::in_option(key, "expected a name or a pattern"));
            }
        }
        // Each source can have a skill with a bare id.
        let bare = self
            .grant_to
            .iter()
            .find(|target| matches!(target, Target::Id(id) if !id.as_str().contains(':')));
        match bare {
            Some(id) => {
                let message = format!("`{id}` names no source; write `source:{id}`");
                Err(ConfigError::in_option("grant-to", message))
            }
            None => Ok(()),
        }
    }
}

impl TryFrom<ServerRow> for ServerDefinition {
    type Error = ConfigError;

    fn try_from(row: ServerRow) -> Result<ServerDefinition, ConfigError> {
        row.check_tools()?;
        let id = row
            .id
            .ok_or_else(|| ConfigError::new("missing field `id`"))?;
        let transport = match (row.transport, &row.command, &row.url) {
            (_, Some(_), Some(_)) => {
                let message = "a server is a `command` or a `url`, and not both";
                return Err(ConfigError::in_option("url", message));
            }
            (_, None, None) => {
                let message = format!("server `{id}` has no `command` and no `url`");
                return Err(ConfigError::new(message));
            }
            (Some(ServerTransport::Stdio), None, _) => {
                let message = "the transport `stdio` needs a `command`";
                return Err(ConfigError::in_option("transport", message));
            }
            (Some(ServerTransport::Http | ServerTransport::Sse), _, None) => {
                let message = "a transport over HTTP needs a `url`";
                return Err(ConfigError::in_option("transport", message));
            }
            (Some(transport), ..) => transport,
            (None, Some(_), _) => ServerTransport::Stdio,
            (None, None, Some(_)) => ServerTransport::Http,
        };
        Ok(ServerDefinition {
            id,
            description: row.description,
            transport,
            command: row.command,
            args: row.args,
            directory: row.directory,
            url: row.url,
            env: row.env,
            headers: row.headers,
            start: row.start,
            start_ms: row.start_ms,
            call_ms: row.call_ms,
            memory_mib: row.memory_mib,
            tools: ToolRules::new(row.tools)
                .allow(row.allow)
                .deny(row.deny)
                .grant_to(row.grant_to),
        })
    }
}
