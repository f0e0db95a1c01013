//! `repertoire kinds`.

use std::io;

use clap::Args;
use repertoire::SourceKind;
use serde::Serialize;
use serde_json::Value;

use crate::Stream;
use crate::answer::{Answer, json};
use crate::table::Table;

/// List the kinds of sources that this program knows.
#[derive(Debug, Args)]
pub(crate) struct Kinds {}

/// The kinds of sources that this program knows.
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
    pub(crate) fn answer(&self) -> impl Answer + use<> {
        let kinds = SourceKind::all().into_iter().map(|kind| Kind { name: kind.name(), about: kind.about() });
        Known { kinds: kinds.collect() }
    }
}

impl Answer for Known {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let mut table = Table::new(&["kind", "about"]);
        for Kind { name, about } in &self.kinds {
            table.row([name.into(), about.into()]);
        }
        let coloured = out.is_coloured();
        table.write(out, coloured)
    }
}
