//! Access tokens of an authorization server: the gateway is a resource server of OAuth 2.1.

mod key_cache;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::Path;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use jsonwebtoken::{AlgorithmFamily, Validation, decode, decode_header};
use repertoire::config::{Configuration, OAuthSettings};
use repertoire_mcp::HttpOptions;
use serde::Deserialize;
use serde_json::{Value, json};

use self::key_cache::KeyCache;
use crate::{GatewayError, TokenScope};

/// The path of the metadata of a protected resource, by RFC 9728. The path of the resource may follow.
const METADATA: &str = "/.well-known/oauth-protected-resource";

/// The difference between the clocks of the issuer and of this machine that has no effect.
const LEEWAY: Duration = Duration::from_secs(30);

/// A resource server of OAuth 2.1: it checks the access tokens of one issuer. Clones share the keys of the issuer.
#[derive(Clone)]
pub(super) struct ResourceServer {
    settings: Arc<OAuthSettings>,
    keys: Arc<KeyCache>,
}

/// The reason why a token is refused.
#[derive(Debug, thiserror::Error)]
enum TokenFault {
    #[error("its signature is not that of a public key")]
    Symmetric,
    #[error("it names no key")]
    NoKeyId,
    #[error("the issuer has no key of its name")]
    UnknownKey,
    #[error("its algorithm is not that of its key")]
    OtherAlgorithm,
    #[error(transparent)]
    Invalid(#[from] jsonwebtoken::errors::Error),
}

/// The claims that have the scopes. Issuers spell them as `scope` with spaces (RFC 9068), or as `scp`.
#[derive(Debug, Deserialize)]
struct Claims {
    #[serde(default)]
    scope: Value,
    #[serde(default)]
    scp: Value,
}

impl ResourceServer {
    /// Creates the server that a configuration has, if it has one.
    pub(super) fn of(
        configuration: &Configuration,
    ) -> Result<Option<ResourceServer>, GatewayError> {
        let Some(settings) = &configuration.gateway().oauth else {
            return Ok(None);
        };
        // A different crate of the program may enable a second provider, and then there is no default.
        let _ = jsonwebtoken::crypto::aws_lc::DEFAULT_PROVIDER.install_default();
        let keys = KeyCache::new(&settings.jwks_uri);
        let keys = keys.map_err(|error| GatewayError::OAuth(error.to_string().into()))?;
        Ok(Some(ResourceServer {
            settings: Arc::new(settings.clone()),
            keys: Arc::new(keys),
        }))
    }

    /// Returns the scope of an access token: `Err(401)` for a token that is not valid here, and `Err(403)` for one without a scope
    /// of this server.
    pub(super) async fn scope(&self, token: &str) -> Result<TokenScope, StatusCode> {
        let claims = self.verify(token).await.map_err(|fault| {
            tracing::info!(%fault, "an access token was refused");
            StatusCode::UNAUTHORIZED
        })?;
        match (claims.has("operate"), claims.has("read")) {
            (true, _) => Ok(TokenScope::Operate),
            (false, true) => Ok(TokenScope::Read),
            (false, false) => Err(StatusCode::FORBIDDEN),
        }
    }

    async fn verify(&self, token: &str) -> Result<Claims, TokenFault> {
        let header = decode_header(token)?;
        // A public key is known to everyone, so it must never be used as a shared secret.
        match header.alg.family() {
            AlgorithmFamily::Rsa | AlgorithmFamily::Ec | AlgorithmFamily::Ed => {}
            AlgorithmFamily::Hmac => return Err(TokenFault::Symmetric),
        }
        let id = header.kid.as_deref().ok_or(TokenFault::NoKeyId)?;
        let key = self.keys.find(id).await.ok_or(TokenFault::UnknownKey)?;
        if key.algorithm.is_some_and(|own| own != header.alg) {
            return Err(TokenFault::OtherAlgorithm);
        }
        let mut validation = Validation::new(header.alg);
        validation.leeway = LEEWAY.as_secs();
        validation.validate_nbf = true;
        validation.set_audience(&[&self.settings.resource]);
        validation.set_issuer(&[&self.settings.issuer]);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        Ok(decode::<Claims>(token, &key.key, &validation)?.claims)
    }

    /// Adds the metadata and the challenges for clients, and the host that they use, to `options`.
    pub(super) fn protect(
        &self,
        options: HttpOptions,
        needed_scope: fn(&Parts) -> &'static str,
    ) -> HttpOptions {
        let server = self.clone();
        options
            .host(self.host())
            .public_routes(self.routes())
            .challenge(move |request, status| {
                server.challenge(request, status, needed_scope(request))
            })
    }

    /// Returns the routes of the metadata, which need no token.
    fn routes(&self) -> Router {
        let document = json!({
            "resource": self.settings.resource,
            "authorization_servers": [self.settings.issuer],
            "scopes_supported": ["read", "operate"],
            "bearer_methods_supported": ["header"],
            "resource_name": "repertoire",
        });
        let whole = Json(document);
        let (server, below) = (self.clone(), whole.clone());
        let of_path = async move |Path(path): Path<String>| -> Response {
            match server.path().trim_start_matches('/') == path {
                true => below.into_response(),
                false => StatusCode::NOT_FOUND.into_response(),
            }
        };
        Router::new()
            .route(METADATA, get(async move || whole))
            .route(&format!("{METADATA}/{{*path}}"), get(of_path))
    }

    /// Returns the header `WWW-Authenticate` for a request that was refused and needs `scope`.
    fn challenge(&self, request: &Parts, status: StatusCode, scope: &'static str) -> HeaderValue {
        let error = match status {
            StatusCode::FORBIDDEN => "error=\"insufficient_scope\", ",
            _ if request.headers.contains_key(AUTHORIZATION) => "error=\"invalid_token\", ",
            _ => "",
        };
        let (resource, path) = (&self.settings.resource, self.path());
        let origin = resource.strip_suffix(path).unwrap_or(resource);
        let path = path.trim_end_matches('/');
        let header = format!(
            "Bearer {error}scope=\"{scope}\", resource_metadata=\"{origin}{METADATA}{path}\""
        );
        HeaderValue::try_from(header)
            .expect("the configuration refuses addresses with other characters")
    }

    /// Returns the host of the resource, with its port if it has one.
    fn host(&self) -> &str {
        let resource = &self.settings.resource;
        let origin = resource.strip_suffix(self.path()).unwrap_or(resource);
        origin.split_once("://").map_or(origin, |(_, host)| host)
    }

    /// Returns the path of the resource, which is empty without a slash after the host.
    fn path(&self) -> &str {
        let resource = &self.settings.resource;
        let host = resource.find("://").map_or(0, |at| at + 3);
        let at = resource[host..]
            .find('/')
            .map_or(resource.len(), |at| host + at);
        &resource[at..]
    }
}

impl Claims {
    fn has(&self, scope: &str) -> bool {
        let is_in = |claim: &Value| match claim {
            Value::String(scopes) => scopes.split(' ').any(|given| given == scope),
            Value::Array(scopes) => scopes.iter().any(|given| given == scope),
            _ => false,
        };
        is_in(&self.scope) || is_in(&self.scp)
    }
}
