//! The answers to clients that connect before the registries are filled.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use axum::serve::Listener;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::{Gateway, GatewayState};

/// The pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(10);

/// Answers every request but `/healthz` with the status 503, until `gateway` has started. Returns the listener, or `None` if `end` completes first.
pub(crate) async fn answer_until_started(
    listener: TcpListener,
    gateway: &Gateway,
    end: impl Future<Output = ()>,
) -> Option<TcpListener> {
    let mut states = gateway.states();
    if !is_before(*states.borrow_and_update()) {
        return Some(listener);
    }
    let listener = Arc::new(listener);
    // Connections that are still open are closed when the sender is dropped.
    let (_open, closed) = oneshot::channel::<()>();
    let serving = axum::serve(SharedListener(Arc::clone(&listener)), routes())
        .with_graceful_shutdown(async move { drop(closed.await) })
        .into_future();
    tokio::select! {
        biased;
        () = end => return None,
        _ = states.wait_for(|state| !is_before(*state)) => {}
        _ = serving => {}
    }
    Arc::into_inner(listener)
}

fn is_before(state: GatewayState) -> bool {
    matches!(state, GatewayState::Created | GatewayState::Starting)
}

fn routes() -> Router {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .fallback(|| async { (StatusCode::SERVICE_UNAVAILABLE, "starting\n") })
}

/// A listener that is needed again after the start.
struct SharedListener(Arc<TcpListener>);

impl Listener for SharedListener {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            match self.0.accept().await {
                Ok(accepted) => return accepted,
                // The connection is broken already, or the process has no descriptors left until one closes.
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}
