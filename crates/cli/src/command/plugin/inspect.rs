//! `repertoire plugin inspect`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use repertoire::{Digest, Inspection};
use serde::Serialize;
use serde_json::Value;

use super::{approvals, inspected};
use crate::Stream;
use crate::answer::{Answer, json};
use crate::failure::Failure;
use crate::shown::shown;

/// Show what the file of a plugin says of itself, without running any of it.
#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// The library.
    path: PathBuf,
}

/// What the file of a plugin says of itself.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "InspectedPlugin"))]
pub(in crate::command) struct Seen {
    #[cfg_attr(feature = "schema", schemars(extend("const" = "inspect")))]
    action: &'static str,
    path: PathBuf,
    name: String,
    version: String,
    /// The boundary it was built for, as in `1.0`.
    abi: String,
    architecture: String,
    size: u64,
    digest: Digest,
    /// Whether what the file holds is approved.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["approved", "changed", "none"])))]
    approval: &'static str,
    /// The libraries that the system loads with it, whose content no digest covers.
    needed: Vec<String>,
    /// The folders in which the system looks for those first.
    run_path: Vec<String>,
    /// The names it exports.
    symbols: Vec<String>,
}

impl Inspect {
    pub(crate) fn answer(&self, cwd: &Path, state: Option<&Path>) -> Result<impl Answer + use<>, Failure> {
        let Inspection { path, name, version, abi, architecture, size, digest, symbols, needed, run_path, .. } =
            inspected(cwd, &self.path)?;
        let approved = state.map(|state| approvals(Some(state))).transpose()?;
        let approval = match approved.as_ref().and_then(|approvals| approvals.of(&path)) {
            Some(approval) if approval.digest == digest => "approved",
            Some(_) => "changed",
            None => "none",
        };
        let action = "inspect";
        Ok(Seen { action, path, name, version, abi, architecture, size, digest, approval, needed, run_path, symbols })
    }
}

impl Answer for Seen {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let size = format!("{} bytes", self.size);
        for (name, value) in [
            ("path", &*self.path.to_string_lossy()),
            ("name", &self.name),
            ("version", &self.version),
            ("boundary", &self.abi),
            ("machine", &self.architecture),
            ("size", &size),
            ("digest", &self.digest.to_string()),
            ("approval", self.approval),
        ] {
            writeln!(out, "{name:<9} {}", shown(value))?;
        }
        let lists = [("needs", &self.needed), ("run path", &self.run_path), ("exports", &self.symbols)];
        for (name, values) in lists {
            for value in values {
                writeln!(out, "{name:<9} {}", shown(value))?;
            }
        }
        Ok(())
    }
}
