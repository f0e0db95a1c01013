//! `repertoire store`.

use clap::{Args, Subcommand};
use repertoire_install::Store;
use serde::Serialize;

use crate::Environment;
use crate::diagnostics::counted;
use crate::failure::Failure;
use crate::installation::{store_folder, used_digests};
use crate::output::Output;

/// Manage the store of installed skills.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire store gc")]
pub(crate) struct StoreCommand {
    #[command(subcommand)]
    action: StoreAction,
}

#[derive(Debug, Subcommand)]
enum StoreAction {
    /// Remove the content that no lock of a known project states.
    Gc,
}

/// The result of a garbage collection.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct StoreOutput {
    /// The folder of the store.
    store: String,
    /// The number of removed skills.
    removed: usize,
    /// The number of skills that stay.
    kept: usize,
}

impl StoreCommand {
    pub(super) fn run(
        &self,
        environment: &Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let StoreAction::Gc = self.action;
        let folder = store_folder(environment)?;
        let collected = Store::collect(&folder, used_digests)?;
        let output = StoreOutput {
            store: folder.to_string_lossy().into_owned(),
            removed: collected.removed,
            kept: collected.kept,
        };
        if !out.write_json(&output) {
            let removed = counted(output.removed, "skill");
            out.line(format!("removed {removed}; {} stay", output.kept));
        }
        Ok(())
    }
}
