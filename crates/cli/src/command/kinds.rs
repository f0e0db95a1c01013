//! `repertoire kinds`.

use clap::Args;
use repertoire::registry::SourceKind;
use serde::Serialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::table::TextTable;

/// List the supported source types.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire kinds")]
pub(crate) struct KindsCommand {}

/// The supported source types.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct KindsOutput {
    kinds: Vec<KindRow>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct KindRow {
    name: &'static str,
    about: &'static str,
}

impl KindsCommand {
    pub(super) fn run(&self, out: &mut Output) -> Result<(), Failure> {
        let linked = SourceKind::all().map_err(|error| Failure::new(error.to_string()))?;
        let kinds = linked.into_iter().map(|kind| KindRow {
            name: kind.name(),
            about: kind.about(),
        });
        let found = KindsOutput {
            kinds: kinds.collect(),
        };
        if out.write_json(&found) {
            return Ok(());
        }
        let mut table = TextTable::new(&["kind", "about"]);
        found
            .kinds
            .iter()
            .for_each(|KindRow { name, about }| table.row([name.into(), about.into()]));
        table.write(out);
        Ok(())
    }
}
