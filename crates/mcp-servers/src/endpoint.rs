//! The two ways to reach a server.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use reqwest::Url;
use reqwest::header::HeaderMap;

/// A server to connect to.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ServerEndpoint {
    /// A program that is started. Messages go over its standard input and output.
    Program(ServerProgram),
    /// A URL, over streamable HTTP.
    Url(ServerUrl),
}

/// A server program. Debug output shows the names of its variables, and no value.
#[derive(Clone)]
#[non_exhaustive]
pub struct ServerProgram {
    /// The program.
    pub command: PathBuf,
    /// The arguments.
    pub args: Vec<String>,
    /// All environment variables that it gets.
    pub env: Vec<(OsString, OsString)>,
    /// The working directory.
    pub directory: Option<PathBuf>,
    /// The limit of its address space in bytes. Linux only.
    pub memory: Option<u64>,
    /// The command line of a supervisor, which starts the program and ends everything that it started. If it is empty, a process
    /// that leaves the process group of the program is not ended.
    pub supervisor: Vec<OsString>,
}

impl ServerProgram {
    /// The environment variables that a program inherits from a host: those that it needs to find programs and its own files. None
    /// of them is a secret. The official MCP clients pass on the same ones.
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
        &[
            "HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER",
        ]
    };

    /// Creates a program without arguments and environment.
    pub fn new(command: impl Into<PathBuf>) -> ServerProgram {
        ServerProgram {
            command: command.into(),
            args: Vec::new(),
            env: Vec::new(),
            directory: None,
            memory: None,
            supervisor: Vec::new(),
        }
    }
}

impl fmt::Debug for ServerProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsStr> = self.env.iter().map(|(name, _)| name.as_os_str()).collect();
        f.debug_struct("ServerProgram")
            .field("command", &self.command)
            .field("env", &names)
            .finish_non_exhaustive()
    }
}

/// The URL of a server. Debug output shows neither the token nor the value of a header.
#[derive(Clone)]
#[non_exhaustive]
pub struct ServerUrl {
    /// The URL.
    pub url: Url,
    /// The bearer token.
    pub token: Option<String>,
    /// Further headers of each request.
    pub headers: HeaderMap,
    /// The file with certificates in PEM of authorities to trust in addition to the system's.
    pub authorities: Option<PathBuf>,
    /// The only addresses that are connected to for the host; empty to resolve its name.
    pub addresses: Vec<SocketAddr>,
}

impl ServerUrl {
    /// Creates a server at `url` without a token.
    pub fn new(url: Url) -> ServerUrl {
        ServerUrl {
            url,
            token: None,
            headers: HeaderMap::new(),
            authorities: None,
            addresses: Vec::new(),
        }
    }

    /// Returns whether requests to `url` stay on this machine.
    pub fn is_loopback(url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        host == "localhost"
            || host
                .parse::<std::net::IpAddr>()
                .is_ok_and(|address| address.is_loopback())
    }
}

impl fmt::Debug for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.keys().map(|name| name.as_str()).collect();
        f.debug_struct("ServerUrl")
            .field("url", &self.url.as_str())
            .field("headers", &names)
            .finish_non_exhaustive()
    }
}
