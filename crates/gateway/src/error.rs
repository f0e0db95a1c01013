//! The states of a gateway, and its error.

use std::fmt;
use std::sync::Arc;

use repertoire::config::ConfigurationError;
use repertoire::registry::RegistryError;
use serde::Serialize;
use tokio::sync::watch;

/// A state of a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GatewayState {
    /// It was never started, or a start failed.
    Created,
    /// The registries are filled for the first time.
    Starting,
    /// The registries are published.
    Running,
    /// The registries are published, and nothing new begins.
    Paused,
    /// The registries are closed.
    Stopping,
    /// It does not start again.
    Stopped,
}

impl GatewayState {
    pub(crate) fn has_registries(self) -> bool {
        matches!(self, GatewayState::Running | GatewayState::Paused)
    }

    /// Changes the state if `is_allowed` returns `true` for the present one.
    pub(crate) fn change(
        states: &watch::Sender<GatewayState>,
        request: &'static str,
        next: GatewayState,
        is_allowed: impl Fn(GatewayState) -> bool,
    ) -> Result<(), GatewayError> {
        let mut before = GatewayState::Created;
        let has_changed = states.send_if_modified(|state| {
            before = *state;
            let is_allowed = is_allowed(before);
            if is_allowed {
                *state = next;
            }
            is_allowed
        });
        if has_changed {
            Ok(())
        } else {
            Err(GatewayError::State {
                request,
                state: before,
            })
        }
    }
}

impl fmt::Display for GatewayState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            GatewayState::Created => "created",
            GatewayState::Starting => "starting",
            GatewayState::Running => "running",
            GatewayState::Paused => "paused",
            GatewayState::Stopping => "stopping",
            GatewayState::Stopped => "stopped",
        })
    }
}

/// The error returned when a gateway refuses a request. Clones share the cause.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum GatewayError {
    /// The request does not fit the state.
    #[error("{request}: the gateway is {state}")]
    State {
        /// The refused request, in words.
        request: &'static str,
        /// The state at that time.
        state: GatewayState,
    },
    /// The configuration cannot be used. Everything stays as it was.
    #[error(transparent)]
    Configuration(Arc<ConfigurationError>),
    /// A registry refuses its composition. Everything stays as it was.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The store of agents refuses the pools or profiles. The registries are as the request wants them.
    #[error("the store of agents failed: {0}")]
    Agents(Arc<str>),
    /// The access tokens of the issuer in the configuration cannot be checked.
    #[error("access tokens cannot be checked: {0}")]
    #[doc(hidden)]
    OAuth(Arc<str>),
    /// The runtime of the gateway ended.
    #[error("the runtime of the gateway has ended")]
    RuntimeEnded,
}

impl From<ConfigurationError> for GatewayError {
    fn from(error: ConfigurationError) -> GatewayError {
        GatewayError::Configuration(Arc::new(error))
    }
}
