//! `repertoire kinds`.

use std::io;

use clap::Args;
use repertoire::registry::SourceKind;
use serde::Serialize;

use crate::Stream;
use crate::output::CommandOutput;
use crate::table::Table;

/// List the supported source types.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire kinds")]
pub(crate) struct Kinds {}

/// The supported source types.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Known {
    kinds: Vec<Kind>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SourceKind"))]
struct Kind {
    name: &'static str,
    about: &'static str,
}

impl Kinds {
    pub(super) fn run(&self) -> Known {
        let kinds = SourceKind::all().into_iter().map(|kind| Kind { name: kind.name(), about: kind.about() });
        Known { kinds: kinds.collect() }
    }
}

impl CommandOutput for Known {
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let mut table = Table::new(&["kind", "about"]);
        for Kind { name, about } in &self.kinds {
            table.row([name.into(), about.into()]);
        }
        table.write(out)
    }
}
