//! `repertoire agents`.

mod gateway_client;
mod orphans;
mod request;
mod rows;
mod spawn;
mod store_place;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use repertoire_agents::{AgentStore, StoreError};

use self::orphans::OrphansArguments;
use self::request::RequestArguments;
pub(super) use self::rows::{
    AgentAuditOutput, AgentExplainOutput, AgentListOutput, AgentShowOutput,
};
#[cfg(feature = "schema")]
pub(super) use self::rows::{AgentOrphansOutput, AgentSpawnOutput};
use self::rows::{AgentRow, AuditRow, CheckpointRow, RatingRow};
use self::spawn::{CancelArguments, SpawnArguments};
#[cfg(feature = "gateway")]
pub(super) use self::store_place::STORE_FILE;
pub(super) use self::store_place::StorePlace;
use crate::Environment;
use crate::failure::Failure;
use crate::output::Output;
use crate::table::TextTable;

/// Show, start and end agents, explain allocations and check the audit log.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire agents list --store agents.db")]
pub(crate) struct AgentsCommand {
    #[command(subcommand)]
    action: AgentsAction,
    /// SQLite file of the agents, or address of a Postgres database that begins with `postgres://` [default: the variable
    /// REPERTOIRE_AGENTS_STORE, then `agents.db` in the state folder of repertoire].
    #[arg(long, value_name = "FILE", global = true)]
    store: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum AgentsAction {
    /// List all agents with their states.
    #[command(after_help = "Example:\n  repertoire agents list")]
    List,
    /// Show an agent, the phases of its task with their checks, and its rows of the audit log.
    #[command(
        after_help = "Example:\n  repertoire agents show 01890a5d-ac96-774b-bcce-b302099a8057"
    )]
    Show {
        /// Id of the agent.
        id: String,
    },
    /// Show which profile a request would get, and why not the others.
    #[command(after_help = "Example:\n  repertoire agents explain review --skill code-review")]
    Explain(RequestArguments),
    /// Start an agent through the running gateway.
    #[command(
        after_help = "Examples:\n  repertoire agents spawn implementation T-1 --needs-write --wait\n  repertoire agents spawn review T-2 --context '{\"commit\": \"4f2a91c\"}'"
    )]
    Spawn(SpawnArguments),
    /// End an agent through the running gateway; its worktree stays.
    #[command(
        after_help = "Example:\n  repertoire agents cancel 01890a5d-ac96-774b-bcce-b302099a8057"
    )]
    Cancel(CancelArguments),
    /// Report lost agents, and worktrees without a living agent.
    #[command(
        after_help = "Examples:\n  repertoire agents orphans\n  repertoire agents orphans --fix"
    )]
    Orphans(OrphansArguments),
    /// Check the audit log.
    #[command(subcommand, after_help = "Example:\n  repertoire agents audit verify")]
    Audit(AuditAction),
}

#[derive(Debug, Subcommand)]
enum AuditAction {
    /// Check the hash of every row, and name the first bad one.
    #[command(after_help = "Example:\n  repertoire agents audit verify")]
    Verify {
        /// Hash of a row that an earlier check printed; a log without it was replaced.
        #[arg(long, value_name = "HASH")]
        expect: Option<String>,
    },
}

impl AgentsCommand {
    pub(super) fn run(
        &self,
        environment: &mut Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let is_of_gateway = matches!(
            self.action,
            AgentsAction::Spawn(_) | AgentsAction::Cancel(_)
        );
        if is_of_gateway && self.store.is_some() {
            let failure = Failure::new("`--store` has no effect: the gateway has a store");
            return Err(failure.help("name the gateway with `--state-dir`"));
        }
        match &self.action {
            AgentsAction::Spawn(spawn) => return spawn.run(environment, out),
            AgentsAction::Cancel(cancel) => return cancel.run(environment, out),
            _ => {}
        }
        let place = StorePlace::of(self.store.as_deref(), environment)?;
        match &self.action {
            AgentsAction::Orphans(orphans) => orphans.run(&place, environment, out),
            action => place.with_store(|store| action.run_on(store, out)),
        }
    }
}

impl AgentsAction {
    fn run_on(&self, store: &dyn AgentStore, out: &mut Output) -> Result<(), Failure> {
        match self {
            AgentsAction::List => list(store, out),
            AgentsAction::Show { id } => show(store, id, out),
            AgentsAction::Explain(arguments) => explain(store, arguments, out),
            AgentsAction::Audit(AuditAction::Verify { expect }) => {
                verify(store, expect.as_deref(), out)
            }
            AgentsAction::Spawn(_) | AgentsAction::Cancel(_) | AgentsAction::Orphans(_) => Ok(()),
        }
    }
}

fn list(store: &dyn AgentStore, out: &mut Output) -> Result<(), Failure> {
    let agents = store.agents()?.into_iter().map(AgentRow::from);
    let found = AgentListOutput {
        agents: agents.collect(),
    };
    if out.write_json(&found) {
        return Ok(());
    }
    let mut table = TextTable::new(&["state", "pool", "profile", "task", "remark", "agent"]);
    for agent in &found.agents {
        let remark = match (&agent.fail_reason, agent.orphaned) {
            (Some(reason), _) => reason,
            (None, true) => "orphaned",
            (None, false) => "",
        };
        table.row([
            (&agent.state).into(),
            (&agent.pool).into(),
            (&agent.profile).into(),
            (&agent.task).into(),
            remark.into(),
            (&agent.id).into(),
        ]);
    }
    table.write(out);
    out.notes(found.agents.is_empty().then(|| "no agents".to_owned()));
    Ok(())
}

fn show(store: &dyn AgentStore, id: &str, out: &mut Output) -> Result<(), Failure> {
    let checkpoints = store.checkpoints(id)?.into_iter();
    let shown = AgentShowOutput {
        agent: store.agent(id)?.into(),
        checkpoints: checkpoints.map(CheckpointRow::from).collect(),
        audit: store.audit(id)?.into_iter().map(AuditRow::from).collect(),
    };
    if out.write_json(&shown) {
        return Ok(());
    }
    let agent = &shown.agent;
    for (name, value) in [
        ("agent", Some(&agent.id)),
        ("state", Some(&agent.state)),
        ("reason", agent.fail_reason.as_ref()),
        ("pool", Some(&agent.pool)),
        ("profile", Some(&agent.profile)),
        ("task", Some(&agent.task)),
        ("branch", Some(&agent.branch)),
        ("parent", agent.parent.as_ref()),
        ("retry of", agent.retry_of.as_ref()),
    ] {
        if let Some(value) = value {
            out.line(format!("{name:<9} {value}"));
        }
    }
    out.line("");
    write_checkpoints(&shown.checkpoints, out);
    let mut table = TextTable::new(&[">row", ">time", "actor", "event", "from", "to", "detail"]);
    for row in &shown.audit {
        table.row([
            row.seq.to_string().into(),
            row.at.to_string().into(),
            (&row.actor).into(),
            (&row.event).into(),
            row.from.as_deref().unwrap_or_default().into(),
            row.to.as_deref().unwrap_or_default().into(),
            (&row.detail).into(),
        ]);
    }
    table.write(out);
    Ok(())
}

/// Writes a row for each line of a note.
fn write_checkpoints(checkpoints: &[CheckpointRow], out: &mut Output) {
    if checkpoints.is_empty() {
        return;
    }
    let mut table = TextTable::new(&[">time", "task", "phase", "note"]);
    for checkpoint in checkpoints {
        let mut lines = checkpoint.note.lines();
        table.row([
            checkpoint.at.to_string().into(),
            (&checkpoint.task).into(),
            (&checkpoint.phase).into(),
            lines.next().unwrap_or_default().into(),
        ]);
        lines.for_each(|line| table.row(["".into(), "".into(), "".into(), line.into()]));
    }
    table.write(out);
    out.line("");
}

fn explain(
    store: &dyn AgentStore,
    arguments: &RequestArguments,
    out: &mut Output,
) -> Result<(), Failure> {
    let ratings = store.explain(&arguments.allocation())?;
    let best = ratings.first().filter(|best| best.reasons.is_empty());
    let explained = AgentExplainOutput {
        chosen: best.map(|best| best.profile.clone()),
        ratings: ratings.into_iter().map(RatingRow::from).collect(),
    };
    if out.write_json(&explained) {
        return Ok(());
    }
    let mut table = TextTable::new(&[
        "profile",
        ">score",
        ">reliability",
        ">capacity",
        ">speed",
        ">fit",
        "not eligible because",
    ]);
    for row in &explained.ratings {
        table.row([
            (&row.profile).into(),
            format!("{:.4}", row.score).into(),
            format!("{:.4}", row.reliability).into(),
            format!("{:.4}", row.capacity).into(),
            format!("{:.4}", row.speed).into(),
            format!("{:.4}", row.fit).into(),
            row.reasons.join("; ").into(),
        ]);
    }
    table.write(out);
    out.notes(
        explained
            .chosen
            .is_none()
            .then(|| "no profile is eligible".to_owned()),
    );
    Ok(())
}

fn verify(store: &dyn AgentStore, expected: Option<&str>, out: &mut Output) -> Result<(), Failure> {
    let checked = match store.verify_audit() {
        Ok(rows) => AgentAuditOutput {
            rows: Some(rows.len() as u64),
            first_bad: None,
            last_hash: rows.last().map(|row| row.hash.clone()),
            expected_found: expected.map(|hash| rows.iter().any(|row| row.hash == hash)),
        },
        Err(StoreError::Tampered { seq }) => AgentAuditOutput {
            rows: None,
            first_bad: Some(seq),
            last_hash: None,
            expected_found: None,
        },
        Err(error) => return Err(error.into()),
    };
    let is_replaced = checked.expected_found == Some(false);
    out.found_problems(checked.first_bad.is_some() || is_replaced);
    if out.write_json(&checked) {
        return Ok(());
    }
    match (checked.first_bad, checked.rows) {
        (Some(seq), _) => out.line(format!("row {seq} is missing or was changed")),
        (None, _) if is_replaced => out.line("no row has the expected hash"),
        (None, rows) => out.line(format!("{} rows are intact", rows.unwrap_or_default())),
    }
    if let Some(hash) = checked.last_hash {
        out.line(format!("the hash of the last row is {hash}"));
    }
    Ok(())
}
