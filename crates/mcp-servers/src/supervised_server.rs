//! The definition of a supervised server.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::ServerValue;

/// The definition of a server to supervise: a program, or a URL over streamable HTTP. Debug output shows no value of a variable.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SupervisedServer {
    /// The id, which is part of the full names of the tools.
    pub id: Arc<str>,
    /// The program. A name without a folder is searched in `PATH`.
    pub command: Option<PathBuf>,
    /// The arguments of the program. They are visible to other users of the machine, so they have no references to secrets.
    pub args: Vec<String>,
    /// The working directory of the program, relative to the folder of the supervisor.
    pub directory: Option<PathBuf>,
    /// The environment variables of the program, in addition to those that [programs inherit](crate::SupervisorOptions::variables).
    pub env: BTreeMap<String, ServerValue>,
    /// The limit of the address space of the program in MiB. Linux only.
    pub memory_mib: Option<u64>,
    /// The URL.
    pub url: Option<String>,
    /// The headers of each request to the URL.
    pub headers: BTreeMap<String, ServerValue>,
    /// The reason for which it cannot be started, of a definition that this crate does not support.
    pub refusal: Option<Arc<str>>,
    /// `true` if it is started at once and again after each end. Otherwise the first listing of tools and calls start it.
    pub starts_at_once: bool,
    /// The time limit of a start. Default 15 s.
    pub start: Duration,
    /// The time limit of a call. Default 60 s.
    pub call: Duration,
    /// The time without a call after which a server that was started on demand is stopped. Default 10 minutes.
    pub idle: Duration,
}

impl SupervisedServer {
    /// Creates a server that is a program, started on demand.
    pub fn program(
        id: impl Into<Arc<str>>,
        command: impl Into<PathBuf>,
        args: impl IntoIterator<Item = impl Into<String>>,
    ) -> SupervisedServer {
        SupervisedServer {
            command: Some(command.into()),
            args: args.into_iter().map(Into::into).collect(),
            ..SupervisedServer::new(id.into())
        }
    }

    /// Creates a server at a URL, connected to on demand.
    pub fn at_url(id: impl Into<Arc<str>>, url: impl Into<String>) -> SupervisedServer {
        SupervisedServer {
            url: Some(url.into()),
            ..SupervisedServer::new(id.into())
        }
    }

    fn new(id: Arc<str>) -> SupervisedServer {
        SupervisedServer {
            id,
            command: None,
            args: Vec::new(),
            directory: None,
            env: BTreeMap::new(),
            memory_mib: None,
            url: None,
            headers: BTreeMap::new(),
            refusal: None,
            starts_at_once: false,
            start: Duration::from_secs(15),
            call: Duration::from_secs(60),
            idle: Duration::from_secs(600),
        }
    }
}

impl fmt::Debug for SupervisedServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SupervisedServer")
            .field("id", &self.id)
            .field("command", &self.command)
            .field("url", &self.url)
            .field("env", &self.env.keys())
            .field("headers", &self.headers.keys())
            .finish_non_exhaustive()
    }
}
