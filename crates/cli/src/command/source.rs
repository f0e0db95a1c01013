//! `repertoire source`.

use std::path::Path;

use clap::{Args, Subcommand};
use repertoire::registry::SourceKind;

use super::scaffold::{CrateOptions, CrateTemplate};
use crate::failure::Failure;
use crate::output::Output;

/// Scaffold source types.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire source new acme")]
pub(crate) struct SourceCommand {
    #[command(subcommand)]
    action: SourceAction,
}

#[derive(Debug, Subcommand)]
enum SourceAction {
    /// Scaffold a crate with a source type, the conformance tests, and a binary: this command line with the new type.
    #[command(after_help = "Example:\n  repertoire source new acme")]
    New(CrateOptions),
}

const TEMPLATE: CrateTemplate = CrateTemplate {
    kind: "source",
    files: &[
        (
            "Cargo.toml",
            include_str!("../../template/source/Cargo.toml.template"),
        ),
        (
            "src/lib.rs",
            include_str!("../../template/source/src/lib.rs"),
        ),
        (
            "src/main.rs",
            include_str!("../../template/source/src/main.rs"),
        ),
        (
            "tests/it.rs",
            include_str!("../../template/source/tests/it.rs"),
        ),
    ],
};

impl SourceCommand {
    pub(super) fn run(&self, cwd: &Path, out: &mut Output) -> Result<(), Failure> {
        let SourceAction::New(options) = &self.action;
        if let Ok(kind) = SourceKind::find(&options.name) {
            let failure = Failure::new(format!(
                "the source type `{}` exists: {}",
                kind.name(),
                kind.about()
            ));
            return Err(failure.help("choose a different name"));
        }
        options.run(&TEMPLATE, cwd, out)
    }
}
