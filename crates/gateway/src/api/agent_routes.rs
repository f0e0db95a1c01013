//! The routes of the agents in the store.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use repertoire_agents::{AgentRecord, AuditEntry, Checkpoint, ProfileRating};
use repertoire_mcp::Caller;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::ApiState;
use super::entity::Entity;
use super::problem::Problem;
use super::schemas::{
    AgentRecordSchema, AuditEntrySchema, CheckpointSchema, OrphanReportSchema, ProfileRatingSchema,
};
use crate::agents::{AgentRefusal, AgentRequest, AuditedAgent, GatewayAgents, RefusalKind};

type Answer = Result<Response, Problem>;

/// The caller that the check of the token found. A host that serves the routes without a check acts for the operator.
pub(super) type RequestCaller = Option<Extension<Caller>>;

/// The body of a request, or the reason why it is not an object in JSON.
type RequestBody = Result<Json<Map<String, Value>>, JsonRejection>;

/// The agents of the store.
#[derive(Serialize, ToSchema)]
pub(super) struct RecordList {
    #[schema(value_type = Vec<AgentRecordSchema>)]
    agents: Vec<AgentRecord>,
}

/// An agent of the store with its history.
#[derive(Serialize, ToSchema)]
pub(super) struct AuditedRecord {
    #[schema(value_type = AgentRecordSchema)]
    agent: AgentRecord,
    /// The boundaries of phases, oldest first. The note of `VERIFY` has a line for each check, also for those that were not run.
    #[schema(value_type = Vec<CheckpointSchema>)]
    checkpoints: Vec<Checkpoint>,
    #[schema(value_type = Vec<AuditEntrySchema>)]
    audit: Vec<AuditEntry>,
}

/// The answer to a request for an agent.
#[derive(Serialize, ToSchema)]
pub(super) struct SpawnAnswer {
    /// The agent; null while the request waits.
    #[schema(value_type = Option<AgentRecordSchema>)]
    agent: Option<AgentRecord>,
    /// The key of the request. A request that waits is sent again with it.
    idempotency_key: String,
}

/// The profiles for a request.
#[derive(Serialize, ToSchema)]
pub(super) struct RatingList {
    /// The profile that would be chosen first.
    #[schema(value_type = Vec<ProfileRatingSchema>)]
    ratings: Vec<ProfileRating>,
}

/// Lists the agents of the store in the order of their reservation.
#[utoipa::path(get, path = "/api/v1/agents/records", tag = "agents",
    responses(
        (status = 200, description = "The agents", body = RecordList),
        (status = 404, description = "The gateway has no store of agents", body = Problem,
            content_type = "application/problem+json")))]
pub(super) async fn records(
    State(api): State<ApiState>,
    caller: RequestCaller,
    headers: HeaderMap,
) -> Answer {
    let agents = agents_of(&api)?.list(&caller_of(caller)).await?;
    Ok(Entity::json(&RecordList { agents }).respond(&headers))
}

/// Returns an agent of the store with its checkpoints and its rows of the audit log.
#[utoipa::path(get, path = "/api/v1/agents/records/{id}", tag = "agents",
    params(("id" = String, Path, description = "The id")),
    responses(
        (status = 200, description = "The agent", body = AuditedRecord),
        (status = 404, description = "There is no such agent", body = Problem,
            content_type = "application/problem+json")))]
pub(super) async fn record(
    State(api): State<ApiState>,
    caller: RequestCaller,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer {
    let (agents, caller) = (agents_of(&api)?, caller_of(caller));
    let AuditedAgent {
        agent,
        checkpoints,
        audit,
    } = agents.audited(&caller, &id).await?;
    let audited = AuditedRecord {
        agent,
        checkpoints,
        audit,
    };
    Ok(Entity::json(&audited).respond(&headers))
}

/// Reserves an agent, or puts the request into the queue of its pool.
///
/// Needs a token with the scope `operate`, or the Unix socket of the gateway.
#[utoipa::path(post, path = "/api/v1/agents/records", tag = "agents",
    request_body(content = ref("#/components/schemas/AgentRequest"), content_type = "application/json"),
    responses(
        (status = 201, description = "The agent", body = SpawnAnswer),
        (status = 202, description = "The request waits", body = SpawnAnswer),
        (status = 404, description = "The gateway has no store of agents", body = Problem,
            content_type = "application/problem+json"),
        (status = 409, description = "No profile can serve the request, or the queue is full", body = Problem,
            content_type = "application/problem+json"),
        (status = 422, description = "The request has faults", body = Problem,
            content_type = "application/problem+json")))]
pub(super) async fn spawn(
    State(api): State<ApiState>,
    caller: RequestCaller,
    body: RequestBody,
) -> Answer {
    let (agents, request) = (agents_of(&api)?, request_of(body)?);
    let spawned = agents.spawn(&caller_of(caller), request).await?;
    let status = match spawned.agent {
        Some(_) => StatusCode::CREATED,
        None => StatusCode::ACCEPTED,
    };
    let answer = SpawnAnswer {
        agent: spawned.agent,
        idempotency_key: spawned.key,
    };
    Ok((status, Json(answer)).into_response())
}

/// Ends an agent before its task is done.
///
/// Needs a token with the scope `operate`, or the Unix socket of the gateway.
#[utoipa::path(delete, path = "/api/v1/agents/records/{id}", tag = "agents",
    params(("id" = String, Path, description = "The id")),
    responses(
        (status = 200, description = "The agent, which has ended", body = AgentRecordSchema),
        (status = 404, description = "There is no such agent", body = Problem,
            content_type = "application/problem+json"),
        (status = 409, description = "The agent has ended before", body = Problem,
            content_type = "application/problem+json")))]
pub(super) async fn cancel(
    State(api): State<ApiState>,
    caller: RequestCaller,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer {
    let agent = agents_of(&api)?.cancel(&caller_of(caller), &id).await?;
    Ok(Entity::json(&agent).respond(&headers))
}

/// Explains which profile a request would get, and why not the others. Nothing is reserved.
#[utoipa::path(post, path = "/api/v1/agents/explain", tag = "agents",
    request_body(content = ref("#/components/schemas/AgentRequest"), content_type = "application/json"),
    responses(
        (status = 200, description = "The profiles", body = RatingList),
        (status = 404, description = "The gateway has no store of agents, or the parent is unknown", body = Problem,
            content_type = "application/problem+json"),
        (status = 409, description = "The parent has ended", body = Problem,
            content_type = "application/problem+json"),
        (status = 422, description = "The request has faults", body = Problem,
            content_type = "application/problem+json")))]
pub(super) async fn explain(
    State(api): State<ApiState>,
    caller: RequestCaller,
    headers: HeaderMap,
    body: RequestBody,
) -> Answer {
    let (agents, request) = (agents_of(&api)?, request_of(body)?);
    let ratings = agents.explain(&caller_of(caller), request).await?;
    Ok(Entity::json(&RatingList { ratings }).respond(&headers))
}

/// Reports lost agents and worktrees. Nothing is changed.
#[utoipa::path(get, path = "/api/v1/agents/orphans", tag = "agents",
    responses(
        (status = 200, description = "The report", body = OrphanReportSchema),
        (status = 404, description = "The gateway has no store of agents", body = Problem,
            content_type = "application/problem+json")))]
pub(super) async fn orphans(State(api): State<ApiState>, headers: HeaderMap) -> Answer {
    let report = agents_of(&api)?.orphans().await?;
    Ok(Entity::json(&report).respond(&headers))
}

fn agents_of(api: &ApiState) -> Result<GatewayAgents, Problem> {
    // Before a start and after a stop, the store says nothing about agents that run.
    api.gateway.registries()?;
    let agents = api.gateway.agents();
    agents.ok_or_else(|| Problem::not_found("the gateway has no store of agents"))
}

pub(super) fn caller_of(caller: RequestCaller) -> Caller {
    caller.map_or(Caller::Operator, |Extension(caller)| caller)
}

fn request_of(body: RequestBody) -> Result<AgentRequest, Problem> {
    let Json(fields) =
        body.map_err(|error| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error.body_text()))?;
    Ok(AgentRequest::read(fields)?)
}

impl From<AgentRefusal> for Problem {
    fn from(refusal: AgentRefusal) -> Problem {
        let status = match refusal.kind {
            RefusalKind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
            RefusalKind::Forbidden => StatusCode::FORBIDDEN,
            RefusalKind::Unknown => StatusCode::NOT_FOUND,
            RefusalKind::Conflict => StatusCode::CONFLICT,
            RefusalKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        };
        Problem::new(status, refusal.message).with_faults(refusal.faults)
    }
}
