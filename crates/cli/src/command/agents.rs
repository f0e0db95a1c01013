//! `repertoire agents`.

mod rows;

use std::panic::resume_unwind;
use std::path::PathBuf;
use std::time::SystemTime;

use clap::{Args, Subcommand, ValueEnum};
#[cfg(feature = "postgres")]
use repertoire_agents::PostgresAgentStore;
use repertoire_agents::{
    AgentPool, AgentStore, AllocationRequest, OrphanReport, SqliteAgentStore, StoreError,
};

pub(super) use self::rows::{
    AgentAuditOutput, AgentExplainOutput, AgentListOutput, AgentOrphansOutput, AgentShowOutput,
};
use self::rows::{AgentRow, AuditRow, RatingRow};
use crate::Environment;
use crate::failure::Failure;
use crate::output::Output;
use crate::table::TextTable;

/// Show stored agents, explain allocations and check the audit log.
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
    /// Show an agent and its rows of the audit log.
    #[command(
        after_help = "Example:\n  repertoire agents show 01890a5d-ac96-774b-bcce-b302099a8057"
    )]
    Show {
        /// Id of the agent.
        id: String,
    },
    /// Show which profile a request would get, and why not the others.
    #[command(after_help = "Example:\n  repertoire agents explain review --skill code-review")]
    Explain(ExplainArguments),
    /// Report lost agents; nothing is changed.
    #[command(after_help = "Example:\n  repertoire agents orphans")]
    Orphans,
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

#[derive(Debug, Args)]
struct ExplainArguments {
    /// Pool that the agent enters.
    pool: PoolName,
    /// Type that the agent must have.
    #[arg(long, value_name = "TYPE")]
    agent_type: Option<String>,
    /// Requesting agent; its rights limit those of the new one.
    #[arg(long, value_name = "ID")]
    parent: Option<String>,
    /// Skill that the agent must have; repeatable.
    #[arg(long = "skill", value_name = "NAME")]
    skills: Vec<String>,
    /// Tool that the agent must be permitted to use; repeatable.
    #[arg(long = "tool", value_name = "NAME")]
    tools: Vec<String>,
    /// The task changes files.
    #[arg(long)]
    needs_write: bool,
    /// The task needs the rights of an administrator.
    #[arg(long)]
    needs_admin: bool,
    /// Tokens to reserve.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    tokens: u64,
    /// Expected duration in milliseconds.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    duration_ms: u64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PoolName {
    Research,
    Implementation,
    Verification,
    Review,
}

impl From<PoolName> for AgentPool {
    fn from(name: PoolName) -> Self {
        match name {
            PoolName::Research => Self::Research,
            PoolName::Implementation => Self::Implementation,
            PoolName::Verification => Self::Verification,
            PoolName::Review => Self::Review,
        }
    }
}

impl AgentsCommand {
    pub(super) fn run(
        &self,
        environment: &Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let place = self.place(environment)?;
        // A store blocks, which that of Postgres refuses in a thread of a runtime.
        std::thread::scope(|scope| {
            let ended = scope.spawn(|| self.run_on(place.open()?.as_ref(), out));
            ended.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    fn run_on(&self, store: &dyn AgentStore, out: &mut Output) -> Result<(), Failure> {
        match &self.action {
            AgentsAction::List => list(store, out),
            AgentsAction::Show { id } => show(store, id, out),
            AgentsAction::Explain(arguments) => explain(store, arguments, out),
            AgentsAction::Orphans => orphans(store, out),
            AgentsAction::Audit(AuditAction::Verify { expect }) => {
                verify(store, expect.as_deref(), out)
            }
        }
    }

    fn place(&self, environment: &Environment<'_>) -> Result<StorePlace, Failure> {
        let variable = environment.variable(STORE_VARIABLE).map(PathBuf::from);
        let Some(named) = self.store.clone().or(variable) else {
            let Some(state) = environment.own_state() else {
                let failure = Failure::new("there is no state folder");
                return Err(failure.help("name a file with `--store FILE`"));
            };
            return Ok(StorePlace::File(state.join("agents.db")));
        };
        match named.to_str() {
            Some(address) if is_postgres(address) => StorePlace::postgres(address),
            _ => Ok(StorePlace::File(environment.cwd.join(named))),
        }
    }
}

/// The variable with the place of the agents. Other users do not see a password in it.
const STORE_VARIABLE: &str = "REPERTOIRE_AGENTS_STORE";

enum StorePlace {
    File(PathBuf),
    #[cfg(feature = "postgres")]
    Postgres(String),
}

fn is_postgres(address: &str) -> bool {
    ["postgres://", "postgresql://"]
        .iter()
        .any(|scheme| address.starts_with(scheme))
}

impl StorePlace {
    fn open(&self) -> Result<Box<dyn AgentStore>, Failure> {
        match self {
            StorePlace::File(path) if !path.exists() => {
                let failure = Failure::new(format!("no agents at `{}`", path.display()));
                Err(failure.help("name the file of your host with `--store FILE`"))
            }
            StorePlace::File(path) => Ok(Box::new(SqliteAgentStore::open(path)?)),
            #[cfg(feature = "postgres")]
            StorePlace::Postgres(address) => Ok(Box::new(PostgresAgentStore::connect(address)?)),
        }
    }

    #[cfg(feature = "postgres")]
    fn postgres(address: &str) -> Result<StorePlace, Failure> {
        Ok(StorePlace::Postgres(address.to_owned()))
    }

    #[cfg(not(feature = "postgres"))]
    fn postgres(_: &str) -> Result<StorePlace, Failure> {
        let failure = Failure::new("this program was built without Postgres");
        Err(failure.help("build it with `--features postgres`"))
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
    let shown = AgentShowOutput {
        agent: store.agent(id)?.into(),
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

fn explain(
    store: &dyn AgentStore,
    arguments: &ExplainArguments,
    out: &mut Output,
) -> Result<(), Failure> {
    let ratings = store.explain(&arguments.request())?;
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

fn orphans(store: &dyn AgentStore, out: &mut Output) -> Result<(), Failure> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_millis());
    let OrphanReport {
        orphans,
        alerts,
        lapsed,
        stale_reservations,
        ..
    } = store.orphans(u64::try_from(now).unwrap_or(u64::MAX))?;
    let found = AgentOrphansOutput {
        orphans,
        alerts,
        lapsed,
        stale_reservations,
    };
    let lists = [
        (&found.orphans, "ended without writeback"),
        (&found.lapsed, "lease expired"),
        (&found.stale_reservations, "reservation expired"),
    ];
    out.found_problems(lists.iter().any(|(ids, _)| !ids.is_empty()));
    if out.write_json(&found) {
        return Ok(());
    }
    let mut table = TextTable::new(&["problem", "agent"]);
    for (ids, problem) in lists {
        ids.iter()
            .for_each(|id| table.row([problem.into(), id.into()]));
    }
    table.write(out);
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

impl ExplainArguments {
    fn request(&self) -> AllocationRequest {
        let mut request = AllocationRequest::new("", self.pool.into(), "");
        request.agent_type.clone_from(&self.agent_type);
        request.parent.clone_from(&self.parent);
        request.required_skills = self.skills.iter().cloned().collect();
        request.required_tools = self.tools.iter().cloned().collect();
        request.needs_write = self.needs_write;
        request.needs_admin = self.needs_admin;
        request.est_tokens = self.tokens;
        request.expected_ms = self.duration_ms;
        request
    }
}
