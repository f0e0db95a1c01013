//! The OpenAPI document.

use std::sync::LazyLock;

use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Value, json};
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, ResponseBuilder, SecurityRequirement};

use super::entity::Entity;
use super::problem::{PROBLEM_JSON, Problem};
use super::{agent_routes, events, operator_routes, registry_routes};
use crate::agents::AgentRequest;

/// The routes below `/api/v1`.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "repertoire gateway",
        description = "The registries of a gateway, and requests to it."
    ),
    paths(
        registry_routes::skills,
        registry_routes::skill,
        registry_routes::body,
        registry_routes::files,
        registry_routes::file,
        registry_routes::workflows,
        registry_routes::workflow,
        registry_routes::agents,
        registry_routes::agent,
        agent_routes::records,
        agent_routes::record,
        agent_routes::spawn,
        agent_routes::cancel,
        agent_routes::explain,
        agent_routes::orphans,
        registry_routes::mcp_servers,
        registry_routes::mcp_server,
        registry_routes::search,
        registry_routes::why,
        registry_routes::diagnostics,
        operator_routes::status,
        operator_routes::reload,
        openapi,
        events::events,
    ),
    components(schemas(Problem))
)]
struct ApiDocument;

/// The errors that every route may return.
const COMMON_ERRORS: [(&str, &str); 4] = [
    ("401", "The token is missing, wrong or expired"),
    (
        "403",
        "The token does not allow this, or the host or the origin is not allowed",
    ),
    (
        "429",
        "There are too many requests, or too many wrong tokens",
    ),
    (
        "503",
        "The gateway does not run, or has too many requests at once",
    ),
];

/// Returns this document.
#[utoipa::path(get, path = "/api/v1/openapi.json", tag = "gateway",
    responses((status = 200, description = "The OpenAPI document", body = Value)))]
pub(super) async fn openapi(headers: HeaderMap) -> Response {
    static DOCUMENT: LazyLock<Entity> = LazyLock::new(|| Entity::json(&document()));
    DOCUMENT.clone().respond(&headers)
}

fn document() -> Value {
    let mut document = ApiDocument::openapi();
    let token = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
    if let Some(components) = &mut document.components {
        components.add_security_scheme("token", SecurityScheme::Http(token));
    }
    // Programs of this machine need no token until there are tokens.
    let requirements = [
        SecurityRequirement::default(),
        SecurityRequirement::new("token", Vec::<String>::new()),
    ];
    document.security = Some(requirements.to_vec());
    let mut document = json!(document);
    document["components"]["schemas"]["AgentRequest"] = AgentRequest::schema();
    let paths = document["paths"].as_object_mut();
    let methods = paths
        .into_iter()
        .flat_map(|paths| paths.values_mut())
        .filter_map(Value::as_object_mut)
        .flat_map(|path| path.values_mut());
    for method in methods {
        for (status, description) in COMMON_ERRORS {
            let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem")));
            let response = ResponseBuilder::new()
                .description(description)
                .content(PROBLEM_JSON, content.build());
            method["responses"][status] = json!(response.build());
        }
    }
    document
}
