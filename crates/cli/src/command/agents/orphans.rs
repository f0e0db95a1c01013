//! `repertoire agents orphans`.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::Args;
use repertoire_agents::{AgentStore, OrphanReport};

use super::rows::AgentOrphansOutput;
use super::store_place::StorePlace;
use crate::Environment;
use crate::diagnostics::counted;
use crate::failure::Failure;
use crate::output::Output;
use crate::table::TextTable;

#[derive(Debug, Args)]
pub(super) struct OrphansArguments {
    /// End the lost agents, give up unused reservations and mark orphans as reported, after a question. Worktrees stay.
    #[arg(long)]
    fix: bool,
    /// Do not ask.
    #[arg(long, requires = "fix")]
    yes: bool,
    /// Folder of the worktrees [default: `worktrees` beside the file].
    #[arg(long, value_name = "DIR")]
    worktrees: Option<PathBuf>,
}

impl OrphansArguments {
    pub(super) fn run(
        &self,
        place: &StorePlace,
        environment: &mut Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let folders = self.worktrees(place, environment)?;
        let (mut report, worktrees) = place.with_store(|store| {
            let unused = unused(folders, store)?;
            Ok((store.orphans(now())?, unused))
        })?;
        let is_fixed = self.fix && self.confirm(&report, environment)?;
        if is_fixed {
            report = place.with_store(|store| Ok(store.reap(now())?))?;
        }
        let OrphanReport {
            orphans,
            alerts,
            lapsed,
            stale_reservations,
            ..
        } = report;
        let found = AgentOrphansOutput {
            orphans,
            alerts,
            lapsed,
            stale_reservations,
            worktrees,
            fixed: is_fixed,
        };
        write(&found, out);
        Ok(())
    }

    /// Asks before anything is changed. Without a lost agent there is nothing to change.
    fn confirm(
        &self,
        report: &OrphanReport,
        environment: &mut Environment<'_>,
    ) -> Result<bool, Failure> {
        let (lapsed, stale) = (report.lapsed.len(), report.stale_reservations.len());
        if lapsed + stale + report.alerts.len() == 0 {
            return Ok(false);
        }
        let question = format!(
            "End {}, give up {} and mark {} as reported?",
            counted(lapsed, "lost agent"),
            counted(stale, "reservation"),
            counted(report.alerts.len(), "orphan"),
        );
        match self
            .yes
            .then_some(true)
            .or_else(|| environment.ask(&question))
        {
            Some(is_confirmed) => Ok(is_confirmed),
            None => {
                let failure = Failure::new("cannot prompt: standard input is not a terminal");
                Err(failure.help("read the report without `--fix`, then pass `--yes`"))
            }
        }
    }

    /// Returns the folders of all worktrees.
    fn worktrees(
        &self,
        place: &StorePlace,
        environment: &Environment<'_>,
    ) -> Result<Vec<PathBuf>, Failure> {
        let beside = match place {
            StorePlace::File(file) => file.parent().map(|folder| folder.join("worktrees")),
            #[cfg(feature = "postgres")]
            StorePlace::Postgres(_) => None,
        };
        let named = self.worktrees.as_ref();
        let Some(root) = named.map(|folder| environment.cwd.join(folder)).or(beside) else {
            return Ok(Vec::new());
        };
        match folders(&root) {
            Err(error) if error.kind() == ErrorKind::NotFound && named.is_none() => Ok(Vec::new()),
            read => read
                .map_err(|error| Failure::io(format!("cannot read `{}`", root.display()), &error)),
        }
    }
}

/// Returns the folders whose names are not ids of living agents.
fn unused(mut folders: Vec<PathBuf>, store: &dyn AgentStore) -> Result<Vec<String>, Failure> {
    if folders.is_empty() {
        return Ok(Vec::new());
    }
    let mut agents = store.agents()?;
    agents.retain(|agent| !agent.state.is_final());
    folders.retain(|folder| {
        let name = folder.file_name().and_then(|name| name.to_str());
        !agents.iter().any(|agent| Some(agent.id.as_str()) == name)
    });
    let shown = folders.iter().map(|folder| folder.display().to_string());
    Ok(shown.collect())
}

fn folders(root: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(entry.path());
        }
    }
    folders.sort();
    Ok(folders)
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_millis());
    u64::try_from(now).unwrap_or(u64::MAX)
}

fn write(found: &AgentOrphansOutput, out: &mut Output) {
    let lists = [
        (&found.orphans, "ended without writeback"),
        (&found.lapsed, "lease expired"),
        (&found.stale_reservations, "reservation expired"),
        (&found.worktrees, "worktree without agent"),
    ];
    let is_lost = lists.iter().any(|(ids, _)| !ids.is_empty());
    out.found_problems(is_lost && !found.fixed);
    if out.write_json(found) {
        return;
    }
    let mut table = TextTable::new(&["problem", "agent"]);
    for (ids, problem) in lists {
        ids.iter()
            .for_each(|id| table.row([problem.into(), id.into()]));
    }
    table.write(out);
    let fixed = found.fixed.then(|| "lost agents were ended".to_owned());
    out.notes(fixed);
}
