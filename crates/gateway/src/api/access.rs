//! The rights of requests, by their tokens.

use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode};

use repertoire_mcp::Caller;

use super::AGENT_RECORDS;
use crate::agents::GatewayAgents;
use crate::{TokenScope, TokenStore};

/// The requests that need no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anonymous {
    /// None: other machines can connect.
    Refused,
    /// All, unless the store requires tokens: programs of this machine connect.
    UntilTokensExist,
    /// All: the permissions of a file decide who connects.
    Allowed,
}

/// Checks the token of a request, and adds its caller to the extensions.
pub(super) fn check(
    tokens: &TokenStore,
    agents: Option<&GatewayAgents>,
    anonymous: Anonymous,
    request: &mut Parts,
) -> Result<(), StatusCode> {
    let Some(header) = request.headers.get(AUTHORIZATION) else {
        let caller = match anonymous {
            Anonymous::Allowed => Caller::Operator,
            Anonymous::UntilTokensExist if !tokens.is_required() => Caller::Anonymous,
            _ => return Err(StatusCode::UNAUTHORIZED),
        };
        request.extensions.insert(caller);
        return Ok(());
    };
    let of_agent = |token| agents?.scope(token);
    let scope = bearer(header).and_then(|token| tokens.scope(token).or_else(|| of_agent(token)));
    let scope = scope.ok_or(StatusCode::UNAUTHORIZED)?;
    if !allows(&scope, &request.method, request.uri.path()) {
        return Err(StatusCode::FORBIDDEN);
    }
    request.extensions.insert(match scope {
        TokenScope::Read => Caller::Reader,
        TokenScope::Operate => Caller::Operator,
        TokenScope::Agent { agent, epoch } => Caller::Agent { id: agent, epoch },
    });
    Ok(())
}

fn bearer(header: &HeaderValue) -> Option<&str> {
    let (scheme, token) = header.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

/// Returns whether `scope` allows a request. It is compared with the path as it was sent, so that no spelling of a path gives more.
fn allows(scope: &TokenScope, method: &Method, path: &str) -> bool {
    let is_reading = [Method::GET, Method::HEAD].contains(method);
    match scope {
        TokenScope::Operate => true,
        TokenScope::Read => is_reading && path != "/mcp",
        TokenScope::Agent { agent, .. } => {
            let own = path.strip_prefix(AGENT_RECORDS);
            let own = own.and_then(|rest| rest.strip_prefix('/'));
            path == "/mcp" || is_reading && own == Some(&**agent)
        }
    }
}
