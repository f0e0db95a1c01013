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
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["approved", "changed", "missing", "refused", "writable"])))]
    state: &'static str,
    /// The libraries that the system loads with it, whose content no digest covers.
    needed: Vec<String>,
    /// The folders in which the system looks for those first.
    run_path: Vec<String>,
}

impl List {
    pub(crate) fn answer(&self, approvals: &Approvals) -> impl Answer + use<> {
        let row = |approval: &repertoire::Approval| {
            let found = Inspection::of(&approval.path);
            let state = match &found {
                Ok(found) if found.digest == approval.digest => "approved",
                Err(PluginError::Unreadable { .. }) => "missing",
                Err(PluginError::Writable { .. }) => "writable",
                Err(PluginError::Dependency { .. }) => "refused",
                Ok(_) | Err(_) => "changed",
            };
            let (path, digest) = (approval.path.clone(), approval.digest);
            let (needed, run_path) = found.map(|found| (found.needed, found.run_path)).unwrap_or_default();
            let (name, version) = (approval.name.clone(), approval.version.clone());
            Row { path, name, version, digest, state, needed, run_path }
        };
        Approved { action: "list", plugins: approvals.iter().map(row).collect() }
    }
}

impl Answer for Approved {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let mut table = Table::new(&["name", "version", "state", "path", "needs"]);
        for Row { name, version, state, path, needed, .. } in &self.plugins {
            let needs = needed.join(" ");
            table.row([name.into(), version.into(), state.into(), path.to_string_lossy().into(), needs.into()]);
        }
        let coloured = out.is_coloured();
        table.write(out, coloured)
    }

    fn notes(&self) -> Vec<String> {
        if self.plugins.is_empty() { vec!["no plugin is approved".to_owned()] } else { Vec::new() }
    }
}
