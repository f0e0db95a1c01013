//! Acceptance of connections.

use std::io;
use std::net::SocketAddr;
#[cfg(unix)]
use std::net::{IpAddr, Ipv4Addr};
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};
use tokio::time::Instant;

use super::HttpLimits;
use super::access_control::{Peer, sender};
use super::connection_slots::ConnectionSlots;

const MAX_HEAD_BYTES: usize = 64 * 1024;

#[cfg(unix)]
const RESERVED_DESCRIPTORS: u64 = 64;

const WARNING_INTERVAL: Duration = Duration::from_secs(1);

/// A listener for the connections of clients.
pub(super) trait ClientListener {
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// Waits for a connection, and returns it with the address of the client.
    fn accept(&self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>> + Send;

    fn set_up(&self, stream: &Self::Stream) -> io::Result<()>;
}

impl ClientListener for TcpListener {
    type Stream = tokio::net::TcpStream;

    fn accept(&self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>> + Send {
        TcpListener::accept(self)
    }

    fn set_up(&self, stream: &Self::Stream) -> io::Result<()> {
        // An event that follows its head in a packet of its own would otherwise wait for an acknowledgement, which clients delay.
        stream.set_nodelay(true)
    }
}

#[cfg(unix)]
impl ClientListener for UnixListener {
    type Stream = UnixStream;

    async fn accept(&self) -> io::Result<(UnixStream, SocketAddr)> {
        let (stream, _) = UnixListener::accept(self).await?;
        // Its clients are programs of this machine.
        Ok((stream, (IpAddr::V4(Ipv4Addr::LOCALHOST), 0).into()))
    }

    fn set_up(&self, _: &UnixStream) -> io::Result<()> {
        Ok(())
    }
}

pub(super) async fn accept(
    listener: impl ClientListener,
    router: Router,
    limits: HttpLimits,
    end: impl Future<Output = ()>,
) -> GracefulShutdown {
    let mut end = pin!(end);
    let open = GracefulShutdown::new();
    let most = limits.connections.min(descriptors());
    let slots = ConnectionSlots::new(most, limits.connections - limits.connections / 4);
    let mut warnings = WarningInterval::default();
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut end => return open,
            accepted = listener.accept() => accepted,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // The connection is broken already, or the process has no descriptors left until one closes.
                if warnings.is_due() {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "a connection could not be accepted"
                    );
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
                continue;
            }
        };
        if let Err(error) = listener.set_up(&stream) {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "a connection failed"
            );
            continue;
        }
        let Some(slot) = slots.acquire(sender(address)) else {
            if warnings.is_due() {
                tracing::warn!("there are too many connections: new clients are rejected");
            }
            continue;
        };
        let closed = slot.closed();
        // A layer would build every route again for each connection.
        let routes = TowerToHyperService::new(router.clone());
        let service = service_fn({
            let slot = slot.clone();
            move |mut request: Request<Incoming>| {
                request.extensions_mut().insert(Peer(address));
                request.extensions_mut().insert(slot.clone());
                routes.call(request)
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.head)
            .max_buf_size(MAX_HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), service);
        let connection = open.watch(connection);
        tokio::spawn(async move {
            let _place = slot;
            log_end(closed.run_until_cancelled(connection).await);
        });
    }
}

/// The time of the last warning, so that a flood of connections does not flood the log.
#[derive(Debug, Default)]
struct WarningInterval(Option<Instant>);

impl WarningInterval {
    fn is_due(&mut self) -> bool {
        let is_due = self.0.is_none_or(|last| last.elapsed() >= WARNING_INTERVAL);
        if is_due {
            self.0 = Some(Instant::now());
        }
        is_due
    }
}

fn log_end<E: std::error::Error + 'static>(end: Option<Result<(), E>>) {
    match end {
        Some(Ok(())) => {}
        Some(Err(error)) => {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "a connection failed"
            );
        }
        None => tracing::debug!("an idle connection was closed to make room for a new one"),
    }
}

#[cfg(unix)]
fn descriptors() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    limit.map_or(usize::MAX, |limit| {
        usize::try_from(available(limit)).unwrap_or(usize::MAX)
    })
}

#[cfg(not(unix))]
fn descriptors() -> usize {
    usize::MAX
}

#[cfg(unix)]
fn available(limit: u64) -> u64 {
    limit
        .saturating_sub(RESERVED_DESCRIPTORS.max(limit / 4))
        .max(limit / 2)
}

#[cfg(all(test, unix))]
mod tests;
