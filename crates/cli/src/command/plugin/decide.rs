//! `repertoire plugin approve` and `repertoire plugin revoke`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use repertoire::{Approvals, Digest};
use serde::Serialize;
use serde_json::Value;

use super::inspected;
use crate::Stream;
use crate::answer::{Answer, json};
use crate::failure::Failure;
use crate::shown::shown;

/// Approve what the file of a plugin holds now: configured sources may run it, until it changes.
#[derive(Debug, Args)]
pub(crate) struct Approve {
    /// The library.
    path: PathBuf,
}

/// Take the approval of a plugin back.
#[derive(Debug, Args)]
pub(crate) struct Revoke {
    /// The library; it need not be there any more.
    path: PathBuf,
}

/// What was decided about a plugin.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DecidedPlugin"))]
pub(in crate::command) struct Decision {
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["approve", "revoke"])))]
    action: &'static str,
    path: PathBuf,
    name: String,
    version: String,
    digest: Digest,
    /// What was approved at the same path before.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<Digest>,
    /// Of one that was approved, the libraries that the system loads with it, whose content no digest covers.
    needed: Vec<String>,
    /// The folders in which the system looks for those first.
    run_path: Vec<String>,
}

impl Approve {
    pub(crate) fn answer(&self, cwd: &Path, mut approvals: Approvals) -> Result<impl Answer + use<>, Failure> {
        let inspected = inspected(cwd, &self.path)?;
        let previous = approvals.approve(&inspected).map_err(|error| Failure::of(&error))?;
        Ok(Decision {
            action: "approve",
            previous: previous.map(|old| old.digest).filter(|old| *old != inspected.digest),
            path: inspected.path,
            name: inspected.name,
            version: inspected.version,
            digest: inspected.digest,
            needed: inspected.needed,
            run_path: inspected.run_path,
        })
    }
}

impl Revoke {
    pub(crate) fn answer(&self, cwd: &Path, mut approvals: Approvals) -> Result<impl Answer + use<>, Failure> {
        let path = cwd.join(&self.path);
        // One that is gone is known by the path that was typed.
        let real = path.canonicalize().unwrap_or(path);
        let Some(old) = approvals.revoke(&real).map_err(|error| Failure::of(&error))? else {
            let failure = Failure::new(format!("no plugin `{}` is approved", real.display()));
            return Err(failure.help("`repertoire plugin list` shows those that are"));
        };
        let (path, name, version, digest) = (old.path, old.name, old.version, old.digest);
        let (needed, run_path) = (Vec::new(), Vec::new());
        Ok(Decision { action: "revoke", path, name, version, digest, previous: None, needed, run_path })
    }
}

impl Answer for Decision {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        writeln!(out, "{} {}  {}", shown(&self.name), shown(&self.version), self.digest)?;
        for (name, values) in [("needs", &self.needed), ("run path", &self.run_path)] {
            for value in values {
                writeln!(out, "{name:<9} {}", shown(value))?;
            }
        }
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        self.previous.iter().map(|old| format!("it takes the place of {old}")).collect()
    }
}
