//! Serving one client over a pipe.

use std::pin::pin;

use rmcp::service::{QuitReason, ServerInitializeError, serve_server_with_ct};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::client_session::ClientSession;
use crate::line_transport::LineTransport;
use crate::{ServeError, Server};

impl Server {
    /// Serves one client over standard input and output, until it disconnects or `end` completes. Then it answers the requests in
    /// progress. Nothing else may write to standard output.
    ///
    /// # Errors
    /// As [`serve`](Server::serve).
    pub async fn serve_stdio(&self, end: impl Future<Output = ()>) -> Result<(), ServeError> {
        // On Linux these streams are asynchronous: a blocked read would keep its thread after the end.
        let (read, write) = rmcp::transport::io::stdio_pipes();
        self.serve_until(read, write, end).await
    }

    /// Serves one client over a pipe with one message on each line, until it disconnects. A line that is not a message gets an error.
    ///
    /// Must be called within a tokio runtime, where it spawns the tasks of the connection.
    ///
    /// # Errors
    /// [`ServeError::Initialize`] when the client did not complete `initialize`, and [`ServeError::Ended`] when a task of the
    /// connection failed.
    ///
    /// # Cancel safety
    /// Dropping the future closes the connection.
    pub async fn serve(
        &self,
        read: impl AsyncRead + Unpin + Send + 'static,
        write: impl AsyncWrite + Unpin + Send + 'static,
    ) -> Result<(), ServeError> {
        self.serve_until(read, write, std::future::pending()).await
    }

    async fn serve_until(
        &self,
        read: impl AsyncRead + Unpin + Send + 'static,
        write: impl AsyncWrite + Unpin + Send + 'static,
        end: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let transport = LineTransport::new(read, write);
        let stop = CancellationToken::new();
        // Dropping this future ends the spawned tasks.
        let _guard = stop.clone().drop_guard();
        let serving = async {
            let serving = match serve_server_with_ct(
                ClientSession::new(self.clone()).asking_for_roots(),
                transport,
                stop.clone(),
            )
            .await
            {
                Err(ServerInitializeError::Cancelled) => return Ok(()),
                other => other.map_err(|error| ServeError::Initialize(Box::new(error)))?,
            };
            match serving.waiting().await {
                Ok(QuitReason::JoinError(error)) | Err(error) => Err(ServeError::Ended(error)),
                Ok(_) => Ok(()),
            }
        };
        let mut serving = pin!(serving);
        tokio::select! {
            served = &mut serving => served,
            () = end => {
                stop.cancel();
                serving.await
            }
        }
    }
}
