//! The resource server of programs without the feature `oauth`.

use axum::http::StatusCode;
use axum::http::request::Parts;
use repertoire::config::Configuration;
use repertoire_mcp::HttpOptions;

use crate::{GatewayError, TokenScope};

/// A resource server, which does not exist.
#[derive(Debug, Clone)]
pub(super) enum ResourceServer {}

impl ResourceServer {
    /// Refuses a configuration with an issuer, whose tokens cannot be checked.
    pub(super) fn of(
        configuration: &Configuration,
    ) -> Result<Option<ResourceServer>, GatewayError> {
        match configuration.gateway().oauth {
            None => Ok(None),
            Some(_) => {
                let reason = "`[gateway.oauth]` needs a program with the feature `oauth`";
                Err(GatewayError::OAuth(reason.into()))
            }
        }
    }

    pub(super) async fn scope(&self, _: &str) -> Result<TokenScope, StatusCode> {
        match *self {}
    }

    pub(super) fn protect(&self, _: HttpOptions, _: fn(&Parts) -> &'static str) -> HttpOptions {
        match *self {}
    }
}
