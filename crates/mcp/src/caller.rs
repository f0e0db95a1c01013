//! The party that sent a request.

use std::sync::Arc;

use rmcp::model::Extensions;

/// The party that sent a request, as the check of its token found it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Caller {
    /// A client that needed no token.
    Anonymous,
    /// A client that may only read.
    Reader,
    /// The operator, or a client of the operator over a pipe.
    Operator,
    /// An agent, which acts for itself alone.
    Agent {
        /// The id of the agent.
        id: Arc<str>,
        /// The epoch of the agent when it got its token.
        epoch: u64,
    },
}

impl Caller {
    /// Returns the caller that sent a message.
    #[cfg(feature = "http")]
    pub(crate) fn of(message: &Extensions) -> Caller {
        use crate::http::request_parts;

        match request_parts::extension(message) {
            Some(caller) => Caller::clone(caller),
            None if request_parts::is_http(message) => Caller::Anonymous,
            None => Caller::Operator,
        }
    }

    /// Returns the caller that sent a message over a pipe.
    #[cfg(not(feature = "http"))]
    pub(crate) fn of(_: &Extensions) -> Caller {
        Caller::Operator
    }
}
