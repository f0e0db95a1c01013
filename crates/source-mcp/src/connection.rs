//! One connection to a server.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use repertoire_core::SourceError;
use repertoire_mcp_servers::{Connection, ConnectionOptions, FollowedList};
use rmcp::model::{
    ClientRequest, ReadResourceRequest, ReadResourceRequestParams, ResourceContents,
    ServerPeerInfo, ServerResult,
};

use crate::McpOptions;
use crate::error::excerpt;
use crate::revision_signal::{NotificationBatcher, RevisionSignal};

#[derive(Debug)]
pub(crate) struct ServerConnection {
    connection: Connection,
    /// Ends with the connection.
    _batcher: NotificationBatcher,
}

impl ServerConnection {
    pub(crate) async fn open(
        options: &McpOptions,
        signal: &Arc<RevisionSignal>,
    ) -> Result<ServerConnection, SourceError> {
        let endpoint = options
            .endpoint()
            .map_err(|error| SourceError::invalid(error.message))?;
        let endpoint = options.server(endpoint)?;
        let mut limits = ConnectionOptions::new(FollowedList::Resources);
        limits.start = options.start();
        limits.call = options.call();
        limits.message_bytes = options.limits.message_bytes;
        let batcher = NotificationBatcher::of(signal);
        let trigger = batcher.trigger();
        let connection = Connection::open(&endpoint, &limits, move || trigger.notify_one()).await?;
        Ok(ServerConnection {
            connection,
            _batcher: batcher,
        })
    }

    pub(crate) fn info(&self) -> Option<Arc<ServerPeerInfo>> {
        self.connection.info()
    }

    pub(crate) fn notifies(&self) -> bool {
        self.connection.notifies()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.connection.is_closed()
    }

    pub(crate) async fn ask(&self, request: ClientRequest) -> Result<ServerResult, SourceError> {
        self.connection.ask(request).await
    }

    pub(crate) async fn read(&self, uri: &str) -> Result<(Vec<u8>, String), SourceError> {
        let request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        let ServerResult::ReadResourceResult(mut result) = self
            .ask(ClientRequest::ReadResourceRequest(request))
            .await?
        else {
            return Err(SourceError::invalid(format!(
                "the server's answer for `{}` is not a resource",
                excerpt(uri)
            )));
        };
        match (result.contents.pop(), result.contents.len()) {
            (Some(ResourceContents::TextResourceContents { text, uri, .. }), 0) => {
                Ok((text.into_bytes(), uri))
            }
            (Some(ResourceContents::BlobResourceContents { blob, uri: own, .. }), 0) => {
                match STANDARD.decode(&blob) {
                    Ok(bytes) => Ok((bytes, own)),
                    Err(error) => {
                        let message = format!(
                            "the server's answer for `{}` is not in base64",
                            excerpt(uri)
                        );
                        Err(SourceError::invalid(message).caused_by(error))
                    }
                }
            }
            (_, more) => {
                let message = format!(
                    "expected one content for `{}`, found {}",
                    excerpt(uri),
                    more + 1
                );
                Err(SourceError::invalid(message))
            }
        }
    }
}
