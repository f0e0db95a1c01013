//! `repertoire cache`.

use clap::{Args, Subcommand};
use repertoire::source::fs::remove_saved_scans;
use serde::Serialize;

use crate::Environment;
use crate::diagnostics::counted;
use crate::failure::Failure;
use crate::output::Output;

/// Manage the cache of skills that were read.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire cache clean")]
pub(crate) struct CacheCommand {
    #[command(subcommand)]
    action: CacheAction,
}

#[derive(Debug, Subcommand)]
enum CacheAction {
    /// Remove the cache; the next command reads every skill again.
    Clean,
}

/// The result of cleaning the cache.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct CacheOutput {
    /// The folder of the cache.
    cache: String,
    /// The number of removed files.
    removed: usize,
    /// The size of these files, in bytes.
    bytes: u64,
}

impl CacheCommand {
    pub(super) fn run(
        &self,
        environment: &Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let CacheAction::Clean = self.action;
        let Some(folder) = environment.saved_scans() else {
            let failure = Failure::new("the cache folder of the user is unknown");
            return Err(failure.help("set the variable `HOME` or `XDG_CACHE_HOME`"));
        };
        let (removed, bytes) = remove_saved_scans(&folder).map_err(|error| {
            let message = format!("cannot remove the cache `{}`", folder.display());
            Failure::io(message, &error)
        })?;
        let output = CacheOutput {
            cache: folder.to_string_lossy().into_owned(),
            removed,
            bytes,
        };
        if !out.write_json(&output) {
            let removed = counted(output.removed, "file");
            out.line(format!("removed {removed} of {} bytes", output.bytes));
        }
        Ok(())
    }
}
