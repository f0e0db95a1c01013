//! What a configuration says about a server.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use serde::Deserialize;

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
    pub supervisor: Vec<OsString>,
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

#[derive(Debug, Clone)]
pub(crate) enum Endpoint {
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
            supervisor: Vec::new(),
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

    pub(crate) fn endpoint(&self) -> Result<Endpoint, InvalidOption> {
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
                Ok(Endpoint::Command(command.clone()))
            }
            (None, Some(url)) => self.address(url).map(Endpoint::Url),
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

pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Bounds on what is taken from a server. Each is reported by name when it is met.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct McpLimits {
    /// Bytes of one message. Default 32 MiB: a file of 16 MiB in base64 fits. A message may hold a value for 16 of them, and an
    /// object counts as four values; a message with more is not parsed.
    pub message_bytes: usize,
    /// Pages of one list. Default 1,000.
    pub pages: usize,
    /// Skills of one list. Default 100,000.
    pub skills: usize,
    /// Bytes of all front matters and lists of files of one list together. Default 64 MiB.
    pub list_bytes: usize,
    /// Files of one skill. Default 512, which every client has to accept.
    pub files: usize,
    /// Bytes of one skill's files together. Default 16 MiB, which every client has to accept.
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

/// A bearer token. Never shown: not in debug output, not in an error.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(Arc<str>);

impl Token {
    /// The token that a file or a variable holds, without the blanks around it; nothing, if that cannot be a token.
    pub fn new(text: &str) -> Option<Token> {
        let text = text.trim();
        let is_sound = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_sound.then(|| Token(text.into()))
    }

    pub(crate) fn expose_secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests;
