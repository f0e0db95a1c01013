//! Requests for agents, as models and programs write them.

use std::collections::BTreeMap;

use repertoire_agents::{AgentPool, AllocationRequest};
use repertoire_mcp::Caller;
use serde_json::map::Entry;
use serde_json::{Map, Value, json};

use super::fields::{self, ArgumentField, FieldKind};
use super::{AgentRefusal, RefusalKind};

/// A request for an agent, before it is bound to its caller.
#[derive(Debug, Clone)]
pub(crate) struct AgentRequest {
    /// The checked fields of the allocation.
    fields: Map<String, Value>,
    /// The skills by name and digest, besides those that are required by name.
    skills: Value,
    /// The facts that the agent gets with its ticket.
    context: Value,
}

/// A request of a caller.
pub(super) struct BoundRequest {
    pub(super) allocation: AllocationRequest,
    /// The key as the caller knows it.
    pub(super) key: String,
    pub(super) skills: Value,
    pub(super) context: Value,
}

const KEY: &str = "idempotency_key";

/// The names of all pools.
const POOLS: &[&str] = &{
    let mut names = [""; AgentPool::ALL.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = AgentPool::ALL[place].as_str();
        place += 1;
    }
    names
};

/// The fields of a skill in `skill_refs`.
const SKILL_FIELDS: &[ArgumentField] = &[
    ArgumentField::required("name", FieldKind::Text, "The name of the skill."),
    ArgumentField::optional(
        "digest",
        FieldKind::Digest,
        "The digest of its content; by default the present one.",
    ),
];

/// The fields of a request.
pub(crate) const SPAWN_FIELDS: &[ArgumentField] = &[
    ArgumentField::required("task_id", FieldKind::Text, "The task."),
    ArgumentField::required("pool", FieldKind::Word(POOLS), "The pool of the agent."),
    ArgumentField::optional("agent_type", FieldKind::Text, "The type of agent."),
    ArgumentField::optional(
        "context_snapshot",
        FieldKind::Object,
        "The facts that the agent gets.",
    ),
    ArgumentField::optional(
        "skill_refs",
        FieldKind::Objects(SKILL_FIELDS),
        "Skills as `{name, digest}`; a skill with a different content is refused.",
    ),
    ArgumentField::optional(
        "required_skills",
        FieldKind::Texts,
        "The skills that the agent must have.",
    ),
    ArgumentField::optional(
        "required_tools",
        FieldKind::Texts,
        "The tools that the agent must be permitted to use.",
    ),
    ArgumentField::optional("needs_write", FieldKind::Flag, "The task changes files."),
    ArgumentField::optional(
        "needs_admin",
        FieldKind::Flag,
        "The task needs the rights of an administrator.",
    ),
    ArgumentField::optional("est_tokens", FieldKind::Count, "The tokens to reserve."),
    ArgumentField::optional(
        "expected_ms",
        FieldKind::Count,
        "The expected duration in milliseconds.",
    ),
    ArgumentField::optional(
        "priority",
        FieldKind::Integer,
        "The priority in a queue; a higher number goes first.",
    ),
    ArgumentField::optional(
        "idempotency_key",
        FieldKind::Text,
        "A second request with the same key gets the same agent.",
    ),
    ArgumentField::optional(
        "retry_of",
        FieldKind::Text,
        "The failed agent whose task is tried again.",
    ),
    ArgumentField::optional("parent", FieldKind::Text, "The agent that asks."),
];

impl AgentRequest {
    /// Returns the JSON schema of a request.
    pub(crate) fn schema() -> Value {
        fields::schema(SPAWN_FIELDS)
    }

    /// Reads a request. The seed's `pool_config` is a pool, or an object with further fields.
    ///
    /// # Errors
    /// Every fault, by the path at which the caller wrote the field.
    pub(crate) fn read(mut given: Map<String, Value>) -> Result<AgentRequest, AgentRefusal> {
        given.retain(|_, value| !value.is_null());
        let moved = flatten_pool(&mut given);
        let faults = fields::faults(SPAWN_FIELDS, &given).into_iter();
        let faults: Vec<_> = faults
            .map(|(path, problem)| (written_path(path, &moved), problem))
            .collect();
        if !faults.is_empty() {
            return Err(AgentRefusal::invalid(faults));
        }
        Ok(AgentRequest {
            skills: given.remove("skill_refs").unwrap_or_else(|| json!([])),
            context: given.remove("context_snapshot").unwrap_or_default(),
            fields: given,
        })
    }

    /// Returns the request as the caller may make it, and its key as the caller knows it. The parent of an agent's agent is itself, and its keys are its own.
    ///
    /// Without `idempotency_key`, each request is a new one.
    ///
    /// # Errors
    /// An agent names a different agent as the parent.
    pub(super) fn bind(mut self, caller: &Caller) -> Result<BoundRequest, AgentRefusal> {
        let key = match self.fields.remove(KEY) {
            Some(Value::String(key)) => key,
            _ => fresh_key()?,
        };
        let mut full_key = key.clone();
        if let Caller::Agent { id, .. } = caller {
            let parent = self.fields.insert("parent".to_owned(), json!(id));
            if parent.is_some_and(|parent| parent != json!(id)) {
                let message = "the token names a different agent than `parent`";
                return Err(AgentRefusal::forbidden(message));
            }
            full_key = format!("{id}/{key}");
        }
        self.fields.insert(KEY.to_owned(), full_key.into());
        let allocation = serde_json::from_value(Value::Object(self.fields));
        let allocation = allocation.map_err(|error| {
            let fault = ("request".to_owned(), error.to_string());
            AgentRefusal::invalid(vec![fault])
        })?;
        Ok(BoundRequest {
            allocation,
            key,
            skills: self.skills,
            context: self.context,
        })
    }
}

/// Moves the fields of `pool_config` beside it; returns the path of each field that was moved.
fn flatten_pool(given: &mut Map<String, Value>) -> BTreeMap<String, String> {
    let fields = match given.remove("pool_config") {
        Some(Value::Object(fields)) => fields
            .into_iter()
            .map(|(name, value)| (format!("pool_config.{name}"), name, value))
            .collect(),
        Some(pool) => vec![("pool_config".to_owned(), "pool".to_owned(), pool)],
        None => Vec::new(),
    };
    let mut moved = BTreeMap::new();
    for (path, name, value) in fields {
        if let (Entry::Vacant(place), false) = (given.entry(name.as_str()), value.is_null()) {
            place.insert(value);
            moved.insert(name, path);
        }
    }
    moved
}

/// Returns the path at which the caller wrote a field.
fn written_path(path: String, moved: &BTreeMap<String, String>) -> String {
    let name = path.split('.').next().unwrap_or_default();
    match moved.get(name) {
        Some(prefix) => format!("{prefix}{}", &path[name.len()..]),
        None => path,
    }
}

fn fresh_key() -> Result<String, AgentRefusal> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        let message = format!("no random numbers: {error}");
        AgentRefusal::new(RefusalKind::Unavailable, message)
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
