//! Fetching references for the commands that install skills.

use std::panic::resume_unwind;
use std::path::Path;

use clap::Args;
use repertoire::skill::text::terminal_line;
#[cfg(feature = "mcp")]
use repertoire::source::mcp::{McpOptions, McpSource};
use repertoire_install::{
    Fetched, Fetcher, GitProgram, HttpSettings, InstallError, Reference, docker_config_file,
};
use tokio::task::spawn_blocking;

use crate::Environment;
use crate::compose::with_progress;
use crate::failure::Failure;

/// The options of commands that fetch references.
#[derive(Debug, Args)]
pub(crate) struct FetchOptions {
    /// Allow downloads from a host with a private address.
    #[arg(long = "allow-host", value_name = "HOST")]
    hosts: Vec<String>,
}

impl FetchOptions {
    /// Returns a fetcher for references that are relative to `base`.
    pub(crate) fn fetcher(&self, environment: &Environment<'_>, base: &Path) -> Fetcher {
        let variables = &environment.variables;
        let http = HttpSettings::new(variables.iter().cloned());
        let hosts = self.hosts.iter();
        let http = hosts.fold(http, |http, host| http.allow_host(host));
        let git = GitProgram::new("git", variables.iter().cloned());
        let fetcher = Fetcher::new(git, base).http(http);
        let folder = environment.variable("DOCKER_CONFIG");
        let fetcher = match docker_config_file(folder, environment.home.as_deref()) {
            Some(file) => fetcher.docker_config(file),
            None => fetcher,
        };
        match &environment.home {
            Some(home) => fetcher.home(home),
            None => fetcher,
        }
    }
}

/// Fetches a reference, and shows a progress line while it runs.
pub(crate) async fn fetch(
    fetcher: &Fetcher,
    reference: &Reference,
    environment: &mut Environment<'_>,
) -> Result<Fetched, Failure> {
    let line = format!("fetching {}", terminal_line(&reference.to_string()));
    with_progress(&line, read(fetcher, reference), environment).await
}

async fn read(fetcher: &Fetcher, reference: &Reference) -> Result<Fetched, Failure> {
    #[cfg(feature = "mcp")]
    if let Some(url) = reference.mcp_url() {
        return read_server(fetcher, url, reference).await;
    }
    let (fetcher, reference) = (fetcher.clone(), reference.clone());
    in_background(move || fetcher.fetch(&reference)).await
}

/// Reads the skills of an MCP server. Only addresses that were checked are connected to.
#[cfg(feature = "mcp")]
async fn read_server(
    fetcher: &Fetcher,
    url: &str,
    reference: &Reference,
) -> Result<Fetched, Failure> {
    let mut options = McpOptions::url(url);
    let (fetcher, url) = (fetcher.clone(), url.to_owned());
    options.addresses = in_background(move || fetcher.addresses(&url)).await?;
    let server = McpSource::new("server", options).map_err(|error| Failure::of(&error))?;
    let fetched = Fetched::from_source(&server, reference).await;
    fetched.map_err(Failure::of_install)
}

async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, InstallError> + Send + 'static,
) -> Result<T, Failure> {
    let done = spawn_blocking(work).await;
    let done = done.unwrap_or_else(|error| resume_unwind(error.into_panic()));
    done.map_err(Failure::of_install)
}
