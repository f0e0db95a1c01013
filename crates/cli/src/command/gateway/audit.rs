//! `repertoire gateway audit`.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use repertoire::config::Configuration;
use repertoire_mcp_servers::AuditLog;
use serde::Serialize;
use serde_json::{Map, Value};

#[cfg(feature = "agents")]
use super::stored_audit::{StoredAudit, StoredRows};
#[cfg(feature = "agents")]
use super::{CONFIGURATION, named_store};
use crate::Environment;
#[cfg(feature = "agents")]
use crate::configuration_file::host_settings;
use crate::failure::Failure;
use crate::options::{FolderOption, SourceOptions};
use crate::output::Output;
use crate::utc::utc;

/// Show the audit log: activations, calls, denials, approvals and reloads.
///
/// It is a file of the state folder, or a part of the store of agents that the configuration file or REPERTOIRE_AGENTS_STORE names.
/// Fails if a row was changed or removed.
#[derive(Debug, Args)]
pub(super) struct AuditCommand {
    #[command(flatten)]
    folder: FolderOption,
    /// Show only the events of this time until now, such as `30m`, `12h` or `7d`.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    since: Option<Duration>,
}

/// The rows of an audit log.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::command) struct AuditOutput {
    /// `true` if each row names the digest of the row before it.
    is_intact: bool,
    /// The rows, each with `at` (milliseconds since 1970), `event`, `process` and its facts.
    rows: Vec<Map<String, Value>>,
}

impl AuditCommand {
    pub(super) fn run(
        &self,
        options: &SourceOptions,
        environment: &Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let path = audit_path(&self.folder.path(environment)?);
        let rows = AuditLog::read(&path);
        let rows =
            rows.map_err(|error| Failure::io(format!("cannot read `{}`", path.display()), &error))?;
        let broken = (1..).zip(&rows).filter(|(_, row)| !row.is_chained);
        let broken: Vec<String> = broken
            .map(|(number, _)| {
                format!(
                    "row {number} does not follow the one before: a line was changed or removed"
                )
            })
            .collect();
        let mut rows: Vec<_> = rows.into_iter().map(|row| row.fields).collect();
        #[cfg(feature = "agents")]
        let broken = {
            let mut broken = broken;
            if let Some(stored) = StoredRows::read(named_store(
                configuration(options, environment)?.as_ref(),
                environment,
            )?)? {
                rows.extend(stored.rows);
                broken.extend(stored.first_bad.map(|seq| {
                    format!("row {seq} of the store of the agents is missing or was changed")
                }));
            }
            broken
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let first = self
            .since
            .zip(now.ok())
            .map(|(since, now)| now.saturating_sub(since).as_millis());
        rows.retain(|row| is_after(row, first));
        let output = AuditOutput {
            is_intact: broken.is_empty(),
            rows,
        };
        out.found_problems(!output.is_intact);
        if !out.write_json(&output) {
            for row in &output.rows {
                out.line(line(row));
            }
        }
        out.notes(broken);
        Ok(())
    }
}

/// Returns the configuration file, if there is one.
#[cfg(feature = "agents")]
fn configuration(
    options: &SourceOptions,
    environment: &Environment<'_>,
) -> Result<Option<Configuration>, Failure> {
    let file = match &options.config {
        Some(file) => file.as_path(),
        None if environment.cwd.join(CONFIGURATION).exists() => Path::new(CONFIGURATION),
        None => return Ok(None),
    };
    let read = Configuration::read(file, &host_settings(environment));
    read.map(Some)
        .map_err(|error| Failure::of_configuration(&error))
}

/// Opens the audit log of the state folder at `folder`: the store of agents that the operator names, otherwise a file.
pub(in crate::command) fn open_audit(
    folder: &Path,
    configuration: &Configuration,
    environment: &Environment<'_>,
) -> Result<AuditLog, Failure> {
    #[cfg(feature = "agents")]
    if let Some(place) = named_store(Some(configuration), environment)? {
        return Ok(AuditLog::stored_by(StoredAudit::open(place)?));
    }
    #[cfg(not(feature = "agents"))]
    let _ = (configuration, environment);
    let path = audit_path(folder);
    AuditLog::open(&path)
        .map_err(|error| Failure::io(format!("cannot open `{}`", path.display()), &error))
}

/// Returns the path of the audit log in the state folder at `folder`.
fn audit_path(folder: &Path) -> PathBuf {
    folder.join("audit.jsonl")
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let expected = "expected a number with `s`, `m`, `h` or `d`";
    let unit = text.chars().last().ok_or(expected)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        _ => return Err(expected.to_owned()),
    };
    let number: u32 = text[..text.len() - 1].parse().map_err(|_| expected)?;
    Ok(Duration::from_secs(u64::from(number) * seconds))
}

fn is_after(row: &Map<String, Value>, first: Option<u128>) -> bool {
    let at = time(row).map(u128::from);
    first.is_none_or(|first| at.is_none_or(|at| at >= first))
}

fn time(row: &Map<String, Value>) -> Option<u64> {
    row.get("at").and_then(Value::as_u64)
}

fn line(row: &Map<String, Value>) -> String {
    let at = time(row).map_or_else(|| "?".to_owned(), utc);
    let event = row.get("event").and_then(Value::as_str).unwrap_or("?");
    let mut line = format!("{at}  {event:<11}");
    for (name, value) in row {
        if ["at", "event", "process", "previous"].contains(&name.as_str()) {
            continue;
        }
        match value.as_str() {
            Some(text) => line.push_str(&format!(" {name}={text}")),
            None => line.push_str(&format!(" {name}={value}")),
        }
    }
    line
}
