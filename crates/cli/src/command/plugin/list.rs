//! `repertoire plugin list`.

use std::io;
use std::path::PathBuf;

use clap::Args;
use repertoire::{Approvals, Digest, Inspection, PluginError};
use serde::Serialize;
use serde_json::Value;

use crate::Stream;
use crate::answer::{Answer, json};
use crate::table::Table;

/// List the plugins that were approved, and whether their files are still what they were.
#[derive(Debug, Args)]
pub(crate) struct List {}

/// The plugins that were approved.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ApprovedPlugins"))]
pub(in crate::command) struct Approved {
    #[cfg_attr(feature = "schema", schemars(extend("const" = "list")))]
    action: &'static str,
    plugins: Vec<Row>,
}

/// One of them.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ApprovedPlugin"))]
struct Row {
    path: PathBuf,
    name: String,
    version: String,
    digest: Digest,
    /// Whether the file still holds what was approved.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["approved", "changed", "missing", "writable"])))]
    state: &'static str,
}

impl List {
    pub(crate) fn answer(&self, approvals: &Approvals) -> impl Answer + use<> {
        let row = |approval: &repertoire::Approval| {
            let state = match Inspection::of(&approval.path) {
                Ok(found) if found.digest == approval.digest => "approved",
                Err(PluginError::Unreadable { .. }) => "missing",
                Err(PluginError::Writable { .. }) => "writable",
                Ok(_) | Err(_) => "changed",
            };
            let (path, digest) = (approval.path.clone(), approval.digest);
            Row { path, name: approval.name.clone(), version: approval.version.clone(), digest, state }
        };
        Approved { action: "list", plugins: approvals.iter().map(row).collect() }
    }
}

impl Answer for Approved {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let mut table = Table::new(&["name", "version", "state", "path"]);
        for Row { name, version, state, path, .. } in &self.plugins {
            table.row([name.into(), version.into(), state.into(), path.to_string_lossy().into()]);
        }
        let coloured = out.is_coloured();
        table.write(out, coloured)
    }

    fn notes(&self) -> Vec<String> {
        if self.plugins.is_empty() { vec!["no plugin is approved".to_owned()] } else { Vec::new() }
    }
}
