//! The runner of systems that cannot run agents.

use std::path::PathBuf;

use repertoire_agents::{AgentRecord, WritebackKind};
use serde_json::Value;

use super::request::BoundRequest;
use crate::TokenScope;

use super::{AgentRefusal, GatewayAgents};

impl GatewayAgents {
    pub(super) async fn run(
        &self,
        _: &BoundRequest,
    ) -> Option<Result<Option<AgentRecord>, AgentRefusal>> {
        None
    }

    pub(super) async fn end(&self, _: &str) -> Option<Result<AgentRecord, AgentRefusal>> {
        None
    }

    pub(super) async fn worktrees(&self) -> Result<Vec<PathBuf>, AgentRefusal> {
        Ok(Vec::new())
    }

    pub(super) async fn deliver_record(
        &self,
        _: &str,
        _: u64,
        _: WritebackKind,
        _: &Value,
    ) -> Option<Result<(), AgentRefusal>> {
        None
    }

    pub(super) async fn deliver_message(
        &self,
        _: &str,
        _: u64,
        _: Value,
    ) -> Option<Result<(), AgentRefusal>> {
        None
    }

    pub(crate) fn scope(&self, _: &str) -> Option<TokenScope> {
        None
    }

    pub(super) async fn stop_runner(&self) {}
}
