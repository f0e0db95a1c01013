//! What a configuration says about a server.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use reqwest::Url;
use serde::Deserialize;

use crate::{McpLimits, Token};

/// Which server, how it is reached, and what is taken from it.
///
/// The command or the address comes from whoever writes the configuration, and from nowhere else: nothing that a server
/// or a skill says is ever started or connected to.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct McpOptions {
    /// The program that is started and spoken to over its standard streams.
    #[serde(default)]
    pub command: Option<PathBuf>,
    /// What the program is given on its command line.
    #[serde(default)]
    pub args: Vec<String>,
    /// Variables of the program's environment, beside the few that it gets from the host's.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The folder that the program runs in.
    #[serde(default)]
    pub directory: Option<PathBuf>,
    /// Address space of the program, in MiB, where the system can limit it (Linux).
    #[serde(default)]
    pub memory_mib: Option<u64>,
    /// The address of a server that is reached over streamable HTTP.
    #[serde(default)]
    pub url: Option<String>,
    /// The file that holds the bearer token; read for each connection.
    #[serde(default)]
    pub token_file: Option<PathBuf>,
    /// The variable that holds the bearer token.
    #[serde(default)]
    pub token_env: Option<String>,
    /// The file with the certificates, in PEM, of authorities that are trusted beside the system's; read for each connection.
    #[serde(default)]
    pub ca_file: Option<PathBuf>,
    /// How long a connection may take to be made, in milliseconds. Default 15,000.
    #[serde(default = "fifteen_seconds")]
    pub start_ms: u64,
    /// How long an answer may take, in milliseconds. Default 10,000.
    #[serde(default = "ten_seconds")]
    pub call_ms: u64,
    /// How long all pages of a list may take together, in milliseconds. Default 25,000.
    #[serde(default = "twenty_five_seconds")]
    pub list_ms: u64,
    /// How often a server that does not tell of changes is asked, in milliseconds. Default 30,000.
    #[serde(default = "thirty_seconds")]
    pub poll_ms: u64,
    /// What becomes of skills whose content the server gives no digest of.
    #[serde(default)]
    pub unverified: Unverified,
    /// Bounds on what is taken from the server.
    #[serde(default)]
    pub limits: McpLimits,
    /// The token itself, from wherever the host has it.
    #[serde(skip)]
    pub token: Option<Token>,
    /// Variables of the host that the program gets.
    #[serde(skip)]
    pub inherited: Vec<(OsString, OsString)>,
    /// The command line of a program that runs the one behind it, and ends with it whatever that started. None by default:
    /// then a process that leaves the group of the program lives on.
    ///
    /// It gets bytes of address space or a `-`, the program and its arguments. On the signal `TERM` it ends them.
    #[serde(skip)]
    pub keeper: Vec<OsString>,
}

/// What becomes of skills whose content the server gives no digest of: nobody can tell whether it is what was listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Unverified {
    /// They are listed, with a finding.
    #[default]
    Listed,
    /// They are left out, with a finding.
    LeftOut,
}

/// Options that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct InvalidOption {
    /// Which option.
    pub key: &'static str,
    /// What is wrong with it.
    pub message: String,
}

fn ten_seconds() -> u64 {
    10_000
}

fn fifteen_seconds() -> u64 {
    15_000
}

fn twenty_five_seconds() -> u64 {
    25_000
}

fn thirty_seconds() -> u64 {
    30_000
}

/// How a server is reached.
#[derive(Debug, Clone)]
pub(crate) enum Reach {
    Command(PathBuf),
    Url(Url),
}

impl McpOptions {
    /// The variables that a program gets from a host's environment: what it needs to find programs and its own files, and
    /// nothing that could be a secret. The same that the official clients pass on.
    pub const INHERITED: &'static [&'static str] = if cfg!(windows) {
        &[
            "APPDATA",
            "HOMEDRIVE",
            "HOMEPATH",
            "LOCALAPPDATA",
            "PATH",
            "PATHEXT",
            "PROCESSOR_ARCHITECTURE",
            "SYSTEMDRIVE",
            "SYSTEMROOT",
            "TEMP",
            "USERNAME",
            "USERPROFILE",
        ]
    } else {
        &["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"]
    };

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
            start_ms: fifteen_seconds(),
            call_ms: ten_seconds(),
            list_ms: twenty_five_seconds(),
            poll_ms: thirty_seconds(),
            unverified: Unverified::default(),
            limits: McpLimits::default(),
            token: None,
            inherited: Vec::new(),
            keeper: Vec::new(),
        }
    }

    /// The server that `command` is when it is started with `args`.
    pub fn command(command: impl Into<PathBuf>, args: impl IntoIterator<Item = impl Into<String>>) -> McpOptions {
        let args = args.into_iter().map(Into::into).collect();
        McpOptions { command: Some(command.into()), args, ..McpOptions::new() }
    }

    /// The server at `url`, over streamable HTTP.
    pub fn url(url: impl Into<String>) -> McpOptions {
        McpOptions { url: Some(url.into()), ..McpOptions::new() }
    }

    /// The same server, told who asks.
    #[must_use]
    pub fn with_token(mut self, token: Token) -> McpOptions {
        self.token = Some(token);
        self
    }

    /// The same server, whose certificate may also be from an authority in the file `path`.
    #[must_use]
    pub fn trusting(mut self, path: impl Into<PathBuf>) -> McpOptions {
        self.ca_file = Some(path.into());
        self
    }

    /// The same program, with these variables of the host's environment.
    #[must_use]
    pub fn inheriting(mut self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> McpOptions {
        self.inherited = variables.into_iter().collect();
        self
    }

    /// The same program with a keeper: `repertoire-helper hold`, or another program that does this.
    #[must_use]
    pub fn kept_by(mut self, keeper: impl IntoIterator<Item = OsString>) -> McpOptions {
        self.keeper = keeper.into_iter().collect();
        self
    }

    /// The same server within other bounds.
    #[must_use]
    pub fn within(mut self, limits: McpLimits) -> McpOptions {
        self.limits = limits;
        self
    }

    /// The same server, asked so often whether something changed if it does not tell.
    #[must_use]
    pub fn polled_every(mut self, time: Duration) -> McpOptions {
        self.poll_ms = millis(time);
        self
    }

    /// The same server, each of whose answers may take so long.
    #[must_use]
    pub fn answering_within(mut self, time: Duration) -> McpOptions {
        self.call_ms = millis(time);
        self
    }

    /// How the server is reached, if that is said, once, and soundly.
    pub(crate) fn reach(&self) -> Result<Reach, InvalidOption> {
        let invalid = |key, message: &str| InvalidOption { key, message: message.to_owned() };
        if self.poll_ms == 0 {
            return Err(invalid("poll-ms", "expected at least 1 millisecond"));
        }
        match (&self.command, &self.url) {
            (Some(_), Some(_)) => Err(invalid("url", "a server is a `command` or a `url`, and not both")),
            (None, None) => Err(invalid("command", "expected the `command` of a server, or its `url`")),
            (Some(command), None) => {
                if self.token_file.is_some() || self.token_env.is_some() || self.token.is_some() {
                    return Err(invalid("token-file", "a program is sent no token; give it one through `env`"));
                }
                if self.ca_file.is_some() {
                    return Err(invalid("ca-file", "a program shows no certificate"));
                }
                Ok(Reach::Command(command.clone()))
            }
            (None, Some(url)) => self.address(url).map(Reach::Url),
        }
    }

    fn address(&self, url: &str) -> Result<Url, InvalidOption> {
        let invalid = |key, message: String| InvalidOption { key, message };
        let url = Url::parse(url).map_err(|error| invalid("url", format!("`{url}` is no address: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(invalid("url", format!("expected an address that begins with `https://`, found `{url}`")));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(invalid(
                "url",
                "an address holds no password; give it in `token-file` or `token-env`".to_owned(),
            ));
        }
        if self.token_env.is_some() && self.token.is_none() {
            return Err(invalid("token-env", "the variable is not set, or holds no token".to_owned()));
        }
        if self.ca_file.is_some() && url.scheme() == "http" {
            let message = "only a server at an address with `https://` shows a certificate".to_owned();
            return Err(invalid("ca-file", message));
        }
        let has_token = self.token.is_some() || self.token_file.is_some();
        if has_token && url.scheme() == "http" && !is_loopback(&url) {
            let message =
                "a token is sent to this machine or over `https://`, else others on the way read it".to_owned();
            return Err(invalid("url", message));
        }
        Ok(url)
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

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests;
