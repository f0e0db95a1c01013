//! The state of the gateway, and requests to it.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::ApiState;
use super::entity::Entity;
use super::problem::Problem;
use super::schemas::{GatewayStatusSchema, ReloadedSchema};
use crate::GatewayError;

/// Returns the state of the gateway, the number of its items, and the status of each MCP server.
#[utoipa::path(get, path = "/api/v1/status", tag = "gateway",
    responses((status = 200, description = "The status", body = GatewayStatusSchema)))]
pub(super) async fn status(State(api): State<ApiState>, headers: HeaderMap) -> Response {
    Entity::json(&api.gateway.status()).respond(&headers)
}

/// Reads the configuration file and the sources again.
///
/// All of it is applied, or nothing is. Needs a token with the scope `operate` if tokens are required.
#[utoipa::path(post, path = "/api/v1/reload", tag = "gateway",
    responses(
        (status = 200, description = "The changes", body = ReloadedSchema),
        (status = 409, description = "The gateway does not run", body = Problem,
            content_type = "application/problem+json"),
        (status = 422, description = "The configuration cannot be used; everything stays as it was",
            body = Problem, content_type = "application/problem+json")))]
pub(super) async fn reload(
    State(api): State<ApiState>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let reloaded = api
        .gateway
        .reload(None)
        .await
        .map_err(|error| match error {
            error @ GatewayError::State { .. } => {
                Problem::new(StatusCode::CONFLICT, error.to_string())
            }
            error => Problem::from(error),
        })?;
    Ok(Entity::json(&reloaded).respond(&headers))
}

pub(super) async fn unknown_route() -> Problem {
    Problem::not_found("there is no such route; `/api/v1/openapi.json` has all of them")
}

pub(super) async fn wrong_method() -> Problem {
    let status = StatusCode::METHOD_NOT_ALLOWED;
    Problem::new(status, "the route has a different method")
}
