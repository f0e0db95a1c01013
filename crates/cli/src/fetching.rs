//! Fetching references for the commands that install skills.

use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use clap::Args;
use repertoire::skill::text::terminal_line;
use repertoire_install::{Fetched, Fetcher, GitProgram, HttpSettings, Reference};

use crate::Environment;
use crate::compose::PROGRESS_DELAY;
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
        match &environment.home {
            Some(home) => fetcher.home(home),
            None => fetcher,
        }
    }
}

/// Fetches a reference, and shows a progress line while it runs.
///
/// The line appears on a terminal only, after [`PROGRESS_DELAY`].
pub(crate) fn fetch(
    fetcher: &Fetcher,
    reference: &Reference,
    environment: &mut Environment<'_>,
) -> Result<Fetched, Failure> {
    if !environment.stderr.is_terminal() {
        return fetcher.fetch(reference).map_err(Failure::of_install);
    }
    let fetched = thread::scope(|scope| {
        let (running, ended) = mpsc::channel::<()>();
        let worker = scope.spawn(move || {
            let fetched = fetcher.fetch(reference);
            drop(running);
            fetched
        });
        if ended.recv_timeout(PROGRESS_DELAY) == Err(RecvTimeoutError::Timeout) {
            let line = format!("fetching {} ...", terminal_line(&reference.to_string()));
            environment.write_stderr(&line);
            // Fails when the other end is dropped.
            let _ = ended.recv();
            environment.write_stderr(&format!("\r{:1$}\r", "", line.len()));
        }
        worker.join().unwrap_or_else(|panic| resume_unwind(panic))
    });
    fetched.map_err(Failure::of_install)
}
