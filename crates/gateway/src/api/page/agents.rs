//! The views of agents.

use askama::Template;
use axum::extract::{Path, State};

use super::frame::{Answer, Frame, encoded, show};
use super::rows::{AgentAuditRow, AgentRow, RecordRow};
use crate::api::ApiState;
use crate::api::agent_routes::{RequestCaller, caller_of};
use crate::api::problem::Problem;
use crate::clock::now;

#[derive(Template)]
#[template(path = "agents.html")]
struct AgentsPage {
    frame: Frame,
    rows: Vec<AgentRow>,
    records: Result<Vec<RecordRow>, String>,
}

#[derive(Template)]
#[template(path = "agent.html")]
struct AgentPage {
    frame: Frame,
    record: RecordRow,
    audit: Vec<AgentAuditRow>,
}

pub(super) async fn agents(State(api): State<ApiState>, caller: RequestCaller) -> Answer {
    let snapshot = api.gateway.registries()?.agents.snapshot();
    let now = now();
    let records = match api.gateway.agents() {
        Some(agents) => agents
            .list(&caller_of(caller))
            .await
            .map_err(|refusal| refusal.message),
        None => Err("The gateway has no store of agents.".to_owned()),
    };
    let records = records.map(|records| {
        let latest = records.iter().rev();
        latest.map(|record| RecordRow::of(record, now)).collect()
    });
    let entries = snapshot.entries().iter();
    show(&AgentsPage {
        frame: Frame::of("/agents").polled(),
        rows: entries.map(|entry| AgentRow::of(entry)).collect(),
        records,
    })
}

pub(super) async fn agent(
    State(api): State<ApiState>,
    caller: RequestCaller,
    Path(id): Path<String>,
) -> Answer {
    api.gateway.registries()?;
    let agents = api.gateway.agents();
    let agents = agents.ok_or_else(|| Problem::not_found("the gateway has no store of agents"))?;
    let audited = agents.audited(&caller_of(caller), &id).await?;
    let now = now();
    show(&AgentPage {
        frame: Frame::at("/agents", format!("/agents/{}", encoded(&id))).polled(),
        record: RecordRow::of(&audited.agent, now),
        audit: audited
            .audit
            .iter()
            .map(|row| AgentAuditRow::of(row, now))
            .collect(),
    })
}
