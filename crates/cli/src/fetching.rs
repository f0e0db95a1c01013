//! Fetching references for the commands that install skills.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};

use clap::Args;
use repertoire::skill::text::terminal_line;
use repertoire_install::{Fetched, Fetcher, GitProgram, HttpSettings, Reference};
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
        let fetcher = match docker_config(environment) {
            Some(file) => fetcher.docker_config(file),
            None => fetcher,
        };
        match &environment.home {
            Some(home) => fetcher.home(home),
            None => fetcher,
        }
    }
}

/// Returns the file that Docker writes logins into.
fn docker_config(environment: &Environment<'_>) -> Option<PathBuf> {
    let folder = environment.variable("DOCKER_CONFIG").map(PathBuf::from);
    let folder = folder.or_else(|| Some(environment.home.as_ref()?.join(".docker")));
    Some(folder?.join("config.json"))
}

/// Fetches a reference, and shows a progress line while it runs.
pub(crate) async fn fetch(
    fetcher: &Fetcher,
    reference: &Reference,
    environment: &mut Environment<'_>,
) -> Result<Fetched, Failure> {
    let line = format!("fetching {}", terminal_line(&reference.to_string()));
    let (fetcher, reference) = (fetcher.clone(), reference.clone());
    let work = spawn_blocking(move || fetcher.fetch(&reference));
    let fetched = with_progress(&line, work, environment).await;
    let fetched = fetched.unwrap_or_else(|error| resume_unwind(error.into_panic()));
    fetched.map_err(Failure::of_install)
}
