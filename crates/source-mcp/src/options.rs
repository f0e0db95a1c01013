//! The options of an MCP source.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use repertoire_core::{ConfigError, SourceError};
use repertoire_mcp_servers::{ServerEndpoint, ServerProgram, ServerUrl};
use reqwest::Url;
use serde::Deserialize;

use crate::error::unavailable;

/// The options of an MCP source: the server, the way to reach it, and the limits of what is read from it.
///
/// The command or the address comes from the configuration alone. Nothing that a server or a skill contains is started or
/// connected to.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    default = "McpOptions::new",
    deny_unknown_fields,
    rename_all = "kebab-case"
)]
#[non_exhaustive]
pub struct McpOptions {
    /// The program to start. Messages go over its standard input and output.
    pub command: Option<PathBuf>,
    /// The arguments of the program.
    pub args: Vec<String>,
    /// Environment variables of the program, in addition to the few that it inherits.
    pub env: BTreeMap<String, String>,
    /// The working directory of the program.
    pub directory: Option<PathBuf>,
    /// The limit of the program's address space in MiB. Linux only.
    pub memory_mib: Option<u64>,
    /// The URL of a server over streamable HTTP.
    pub url: Option<String>,
    /// The file with the bearer token. It is read for each connection.
    pub token_file: Option<PathBuf>,
    /// The environment variable with the bearer token.
    pub token_env: Option<String>,
    /// The file with certificates in PEM of authorities to trust in addition to the system's. It is read for each connection.
    pub ca_file: Option<PathBuf>,
    /// The time limit of a connection attempt, in milliseconds. Default 15,000.
    pub start_ms: u64,
    /// The time limit of an answer, in milliseconds. Default 10,000.
    pub call_ms: u64,
    /// The time limit of all pages of a list together, in milliseconds. Default 25,000.
    pub list_ms: u64,
    /// The interval, in milliseconds, at which a server is polled that does not send notifications. Default 30,000.
    pub poll_ms: u64,
    /// The treatment of skills for which the server lists no digests.
    pub unverified: Unverified,
    /// The limits of what is read from the server.
    pub limits: McpLimits,
    /// The only addresses that are connected to for the host of `url`; empty to resolve its name. They are not part of a
    /// configuration file.
    #[serde(skip)]
    pub addresses: Vec<SocketAddr>,
    /// The bearer token. It is not part of a configuration file.
    #[serde(skip)]
    pub token: Option<BearerToken>,
    #[serde(skip)]
    inherited: Vec<(OsString, OsString)>,
    /// The command line of a supervisor, which starts the program and ends everything that it started. Empty by default: then a
    /// process that leaves the program's process group is not ended.
    ///
    /// Its further arguments are the limit of the address space in bytes or `-`, the program and its arguments. On the signal
    /// `TERM` it ends them.
    #[serde(skip)]
    pub supervisor: Vec<OsString>,
}

/// The treatment of skills for which the server lists no digests, so that nothing proves that what is read was listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Unverified {
    /// They are listed, with a diagnostic.
    #[default]
    Listed,
    /// They are omitted, with a diagnostic.
    LeftOut,
}

#[derive(Debug, Clone)]
pub(crate) enum Endpoint {
    Command(PathBuf),
    Url(Url),
}

impl McpOptions {
    /// Lets the program inherit the variables of the host that it needs to find programs and its own files. None of them is a
    /// secret. The official MCP clients pass on the same ones. `variable` returns the value of a variable, if it is set.
    pub fn inherit<'v>(&mut self, variable: impl Fn(&str) -> Option<&'v OsStr>) {
        let inherited = ServerProgram::INHERITED.iter();
        let inherited =
            inherited.filter_map(|name| Some((OsString::from(name), variable(name)?.to_owned())));
        self.inherited = inherited.collect();
    }

    fn new() -> McpOptions {
        McpOptions {
            command: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            directory: None,
            memory_mib: None,
            url: None,
            token_file: None,
            token_env: None,
            ca_file: None,
            start_ms: 15_000,
            call_ms: 10_000,
            list_ms: 25_000,
            poll_ms: 30_000,
            unverified: Unverified::default(),
            limits: McpLimits::default(),
            addresses: Vec::new(),
            token: None,
            inherited: Vec::new(),
            supervisor: Vec::new(),
        }
    }

    /// Returns options for a server that is the program `command` with the arguments `args`.
    pub fn command(
        command: impl Into<PathBuf>,
        args: impl IntoIterator<Item = impl Into<String>>,
    ) -> McpOptions {
        let args = args.into_iter().map(Into::into).collect();
        McpOptions {
            command: Some(command.into()),
            args,
            ..McpOptions::new()
        }
    }

    /// Returns options for the server at `url`, over streamable HTTP.
    pub fn url(url: impl Into<String>) -> McpOptions {
        McpOptions {
            url: Some(url.into()),
            ..McpOptions::new()
        }
    }

    pub(crate) fn endpoint(&self) -> Result<Endpoint, ConfigError> {
        if self.poll_ms == 0 {
            return Err(ConfigError::in_option(
                "poll-ms",
                "expected at least 1 millisecond",
            ));
        }
        match (&self.command, &self.url) {
            (Some(_), Some(_)) => Err(ConfigError::in_option(
                "url",
                "a server is a `command` or a `url`, and not both",
            )),
            (None, None) => Err(ConfigError::in_option(
                "command",
                "expected the `command` of a server, or its `url`",
            )),
            (Some(command), None) => {
                if self.token_file.is_some() || self.token_env.is_some() || self.token.is_some() {
                    return Err(ConfigError::in_option(
                        "token-file",
                        "a program gets no token from this option; pass it in `env`",
                    ));
                }
                if self.ca_file.is_some() {
                    return Err(ConfigError::in_option(
                        "ca-file",
                        "`ca-file` is for servers at a URL: a program has no certificate",
                    ));
                }
                Ok(Endpoint::Command(command.clone()))
            }
            (None, Some(url)) => self.address(url).map(Endpoint::Url),
        }
    }

    fn address(&self, url: &str) -> Result<Url, ConfigError> {
        let url = Url::parse(url).map_err(|error| {
            ConfigError::in_option("url", format!("`{url}` is not a URL: {error}"))
        })?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(ConfigError::in_option(
                "url",
                format!("expected an address that begins with `https://`, found `{url}`"),
            ));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(ConfigError::in_option(
                "url",
                "expected an address without a password; use `token-file` or `token-env`"
                    .to_owned(),
            ));
        }
        if self.token_env.is_some() && self.token.is_none() {
            return Err(ConfigError::in_option(
                "token-env",
                "the variable is not set or does not contain a token".to_owned(),
            ));
        }
        if self.ca_file.is_some() && url.scheme() == "http" {
            let message =
                "`ca-file` is for `https://` addresses: a server at `http://` has no certificate"
                    .to_owned();
            return Err(ConfigError::in_option("ca-file", message));
        }
        let has_token = self.token.is_some() || self.token_file.is_some();
        if has_token && url.scheme() == "http" && !ServerUrl::is_loopback(&url) {
            let message =
                "a token is sent over `https://` only, or to this machine: on the way others could read it".to_owned();
            return Err(ConfigError::in_option("url", message));
        }
        Ok(url)
    }

    /// Returns the server at `endpoint`, with the token of the file.
    pub(crate) fn server(&self, endpoint: Endpoint) -> Result<ServerEndpoint, SourceError> {
        match endpoint {
            Endpoint::Command(command) => {
                let mut program = ServerProgram::new(command);
                program.args.clone_from(&self.args);
                program.env.clone_from(&self.inherited);
                let own = self.env.iter();
                program
                    .env
                    .extend(own.map(|(name, value)| (name.into(), value.into())));
                program.directory.clone_from(&self.directory);
                program.memory = self.memory_mib.map(|mib| mib.saturating_mul(1 << 20));
                program.supervisor.clone_from(&self.supervisor);
                Ok(ServerEndpoint::Program(program))
            }
            Endpoint::Url(url) => {
                let mut server = ServerUrl::new(url);
                server.token = self.token()?.map(|token| token.expose_secret().to_owned());
                server.authorities.clone_from(&self.ca_file);
                server.addresses.clone_from(&self.addresses);
                Ok(ServerEndpoint::Url(server))
            }
        }
    }

    fn token(&self) -> Result<Option<BearerToken>, SourceError> {
        let Some(path) = &self.token_file else {
            return Ok(self.token.clone());
        };
        let shown = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| {
            unavailable(format!("the token in `{shown}` cannot be read")).caused_by(error)
        })?;
        BearerToken::new(&text)
            .map(Some)
            .ok_or_else(|| unavailable(format!("`{shown}` does not contain a token")))
    }

    pub(crate) fn call(&self) -> Duration {
        Duration::from_millis(self.call_ms)
    }

    pub(crate) fn start(&self) -> Duration {
        Duration::from_millis(self.start_ms)
    }

    pub(crate) fn listing(&self) -> Duration {
        Duration::from_millis(self.list_ms)
    }

    pub(crate) fn poll(&self) -> Duration {
        Duration::from_millis(self.poll_ms)
    }
}

/// The limits of what is read from a server. A message or diagnostic names the limit that was exceeded.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct McpLimits {
    /// Bytes of one message. Default 32 MiB, so that a file of 16 MiB in base64 fits. A message may hold one JSON value for each 16
    /// bytes of the limit, where an object counts as four. A message with more is not parsed.
    pub message_bytes: usize,
    /// Pages of one list. Default 1,000.
    pub pages: usize,
    /// Skills of one list. Default 100,000.
    pub skills: usize,
    /// Bytes of all front matter and file lists of one list together. Default 64 MiB.
    pub list_bytes: usize,
    /// Files of one skill. Default 512, which the skills extension asks every client to accept.
    pub files: usize,
    /// Bytes of the files of one skill together. Default 16 MiB, which the skills extension asks every client to accept.
    pub skill_bytes: u64,
    /// Bytes of a `SKILL.md`. Default 1 MiB.
    pub file_bytes: u64,
}

impl Default for McpLimits {
    fn default() -> McpLimits {
        McpLimits {
            message_bytes: 32 << 20,
            pages: 1000,
            skills: 100_000,
            list_bytes: 64 << 20,
            files: 512,
            skill_bytes: 16 << 20,
            file_bytes: 1 << 20,
        }
    }
}

/// A bearer token. Neither debug output nor errors show it.
#[derive(Clone, PartialEq, Eq)]
pub struct BearerToken(Arc<str>);

impl BearerToken {
    /// Creates a token from the text of a file or a variable. Returns `None` if the trimmed text cannot be a token.
    pub fn new(text: &str) -> Option<BearerToken> {
        let text = text.trim();
        let is_sound = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_sound.then(|| BearerToken(text.into()))
    }

    pub(crate) fn expose_secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BearerToken(..)")
    }
}

#[cfg(test)]
mod tests;
