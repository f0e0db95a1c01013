//! Connections.

use std::pin::pin;
use std::sync::Arc;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::Limits;
use super::gate::Peer;

/// Bytes of the head of a request.
const HEAD: usize = 64 * 1024;

/// Lets clients in until `end` comes, then closes the listener. What it gives back closes the connections.
pub(super) async fn accept(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    end: impl Future<Output = ()>,
) -> GracefulShutdown {
    let mut end = pin!(end);
    let open = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(limits.connections.clamp(1, Semaphore::MAX_PERMITS)));
    loop {
        let next = async {
            let place = Arc::clone(&room).acquire_owned().await.expect("nobody closes it");
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            biased;
            () = &mut end => return open,
            next = next => next,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Of a connection that broke already, or of this process, which has no more files: that passes when one closes.
                tracing::warn!(error = &error as &dyn std::error::Error, "a connection could not be accepted");
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                continue;
            }
        };
        // Not a layer: that would make every route anew for every connection.
        let routes = TowerToHyperService::new(router.clone());
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(Peer(address));
            routes.call(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.head)
            .max_buf_size(HEAD)
            .serve_connection(TokioIo::new(stream), service);
        let connection = open.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error = &error as &dyn std::error::Error, "a connection ended badly");
            }
            drop(place);
        });
    }
}
