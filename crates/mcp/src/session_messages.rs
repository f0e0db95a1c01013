//! Log messages to a session.

#![expect(
    deprecated,
    reason = "clients with sessions know no other message without a request"
)]

use std::sync::atomic::{AtomicU8, Ordering};

use rmcp::ServiceError;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::{Peer, RoleServer};
use serde_json::Value;

/// The least level of the log messages that a client gets. By default it gets all.
#[derive(Debug, Default)]
pub(crate) struct MessageLevel(AtomicU8);

impl MessageLevel {
    pub(crate) fn set(&self, level: LoggingLevel) {
        self.0.store(level as u8, Ordering::Relaxed);
    }

    /// Sends a notice of the host, if the client gets notices.
    pub(crate) async fn notify(
        &self,
        peer: &Peer<RoleServer>,
        message: Value,
    ) -> Result<(), ServiceError> {
        self.send(peer, LoggingLevel::Notice, message).await
    }

    /// Sends a warning, if the client gets warnings.
    pub(crate) async fn warn(
        &self,
        peer: &Peer<RoleServer>,
        message: Value,
    ) -> Result<(), ServiceError> {
        self.send(peer, LoggingLevel::Warning, message).await
    }

    async fn send(
        &self,
        peer: &Peer<RoleServer>,
        level: LoggingLevel,
        message: Value,
    ) -> Result<(), ServiceError> {
        // The levels are declared from the least to the most severe.
        if (level as u8) < self.0.load(Ordering::Relaxed) {
            return Ok(());
        }
        let message = LoggingMessageNotificationParam::new(level, message);
        peer.notify_logging_message(message).await
    }
}
