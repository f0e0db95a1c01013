//! The rights of requests, by their tokens.

use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode};

use repertoire_mcp::Caller;

use super::{AGENT_RECORDS, ResourceServer};
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

/// The tokens that a server accepts, and the requests without one.
pub(super) struct AccessCheck {
    pub(super) tokens: TokenStore,
    pub(super) agents: Option<GatewayAgents>,
    pub(super) oauth: Option<ResourceServer>,
    pub(super) anonymous: Anonymous,
}

impl AccessCheck {
    /// Checks the token of a request, and adds its caller to the extensions.
    pub(super) async fn check(&self, request: &mut Parts) -> Result<(), StatusCode> {
        let Some(header) = request.headers.get(AUTHORIZATION) else {
            let caller = match (self.anonymous, &self.oauth) {
                (Anonymous::Allowed, _) => Caller::Operator,
                (Anonymous::UntilTokensExist, None) if !self.tokens.is_required() => {
                    Caller::Anonymous
                }
                _ => return Err(StatusCode::UNAUTHORIZED),
            };
            request.extensions.insert(caller);
            return Ok(());
        };
        let token = bearer(header).ok_or(StatusCode::UNAUTHORIZED)?;
        let of_agent = || self.agents.as_ref()?.scope(token);
        let scope = match (self.tokens.scope(token).or_else(of_agent), &self.oauth) {
            (Some(scope), _) => scope,
            (None, Some(oauth)) => oauth.scope(token).await?,
            (None, None) => return Err(StatusCode::UNAUTHORIZED),
        };
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
}

/// Returns the name of the least scope that allows a request.
pub(super) fn needed_scope(request: &Parts) -> &'static str {
    match allows(&TokenScope::Read, &request.method, request.uri.path()) {
        true => "read",
        false => "operate",
    }
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
