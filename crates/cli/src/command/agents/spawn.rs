//! `repertoire agents spawn` and `repertoire agents cancel`.

use std::time::Duration;

use clap::Args;
use serde_json::Value;

use super::gateway_client::{GatewayClient, RECORDS};
use super::request::RequestArguments;
use super::rows::{AgentRow, AgentSpawnOutput};
use crate::Environment;
use crate::failure::Failure;
use crate::options::FolderOption;
use crate::output::Output;

/// The interval at which a command asks for the state of an agent.
const POLL: Duration = Duration::from_millis(100);

#[derive(Debug, Args)]
pub(super) struct SpawnArguments {
    #[command(flatten)]
    request: RequestArguments,
    /// Task that the agent works on.
    task: String,
    /// Key of the request; a second request with it gets the same agent.
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Priority in the queue of the pool; a higher number goes first.
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    priority: i32,
    /// Failed agent whose task is tried again.
    #[arg(long, value_name = "ID")]
    retry_of: Option<String>,
    /// Facts that the agent gets with its ticket: a JSON object.
    #[arg(long, value_name = "JSON", value_parser = read_context)]
    context: Option<Value>,
    /// Wait until the agent ends; exit with 1 if it fails.
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    folder: FolderOption,
}

#[derive(Debug, Args)]
pub(super) struct CancelArguments {
    /// Id of the agent.
    id: String,
    #[command(flatten)]
    folder: FolderOption,
}

fn read_context(text: &str) -> Result<Value, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(context)) => Ok(Value::Object(context)),
        Ok(_) => Err("expected a JSON object".to_owned()),
        Err(error) => Err(format!("expected a JSON object: {error}")),
    }
}

impl SpawnArguments {
    pub(super) fn run(
        &self,
        environment: &Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let client = GatewayClient::of(&self.folder, environment)?;
        let answer = client.call("POST", RECORDS, Some(&self.body()))?;
        let agent = read_agent(&answer)?;
        let key = answer["idempotency_key"].as_str();
        let key = key.filter(|_| agent.is_none()).map(str::to_owned);
        let mut spawned = AgentSpawnOutput { agent, key };
        if let (true, Some(agent)) = (self.wait, &spawned.agent) {
            let ended = wait(&client, &agent.id)?;
            out.found_problems(ended.state == "FAILED");
            spawned.agent = Some(ended);
        }
        if out.write_json(&spawned) {
            return Ok(());
        }
        match (&spawned.agent, &spawned.key) {
            (Some(agent), _) => write_agent(agent, out),
            (None, Some(key)) => out.line(format!(
                "the pool is full; the request waits: ask again with `--key {key}`"
            )),
            (None, None) => out.line("the pool is full; the request waits"),
        }
        Ok(())
    }

    fn body(&self) -> Value {
        let mut body = self.request.json();
        body["task_id"] = self.task.as_str().into();
        body["priority"] = self.priority.into();
        for (name, value) in [("idempotency_key", &self.key), ("retry_of", &self.retry_of)] {
            if let Some(value) = value {
                body[name] = value.as_str().into();
            }
        }
        if let Some(context) = &self.context {
            body["context_snapshot"] = context.clone();
        }
        body
    }
}

impl CancelArguments {
    pub(super) fn run(
        &self,
        environment: &Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let client = GatewayClient::of(&self.folder, environment)?;
        let answer = client.call("DELETE", &path(&self.id)?, None)?;
        let cancelled = AgentSpawnOutput {
            agent: read_agent(&answer)?,
            key: None,
        };
        if !out.write_json(&cancelled)
            && let Some(agent) = &cancelled.agent
        {
            write_agent(agent, out);
        }
        Ok(())
    }
}

fn wait(client: &GatewayClient, id: &str) -> Result<AgentRow, Failure> {
    let path = path(id)?;
    loop {
        let answer = client.call("GET", &path, None)?;
        match read_agent(&answer)? {
            Some(agent) if ["TERMINATED", "FAILED"].contains(&agent.state.as_str()) => {
                return Ok(agent);
            }
            _ => std::thread::sleep(POLL),
        }
    }
}

/// Returns the path of an agent, whose id must need no escape.
fn path(id: &str) -> Result<String, Failure> {
    let is_plain = id
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    match is_plain && !id.is_empty() {
        true => Ok(format!("{RECORDS}/{id}")),
        false => Err(Failure::new(format!("no agent `{id}`"))),
    }
}

/// Returns the agent of an answer; `None` if the request waits.
fn read_agent(answer: &Value) -> Result<Option<AgentRow>, Failure> {
    let agent = answer.get("agent").unwrap_or(answer);
    if agent.is_null() {
        return Ok(None);
    }
    serde_json::from_value(agent.clone())
        .map(Some)
        .map_err(|error| Failure::new(format!("the gateway sent no agent: {error}")))
}

fn write_agent(agent: &AgentRow, out: &mut Output) {
    let reason = agent.fail_reason.as_ref();
    let reason = reason.map(|reason| format!(" ({reason})"));
    out.line(format!(
        "{} {}{}",
        agent.id,
        agent.state,
        reason.unwrap_or_default()
    ));
}
