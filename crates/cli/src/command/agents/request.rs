//! The requirements of a request for an agent.

use clap::{Args, ValueEnum};
use repertoire_agents::{AgentPool, AllocationRequest};
use serde_json::{Value, json};

#[derive(Debug, Args)]
pub(super) struct RequestArguments {
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

impl RequestArguments {
    pub(super) fn allocation(&self) -> AllocationRequest {
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

    /// Returns the request as the API of a gateway reads it, without task and key.
    pub(super) fn json(&self) -> Value {
        let mut request = json!(self.allocation());
        if let Some(request) = request.as_object_mut() {
            request.retain(|name, value| {
                !["task_id", "idempotency_key"].contains(&name.as_str()) && !value.is_null()
            });
        }
        request
    }
}
