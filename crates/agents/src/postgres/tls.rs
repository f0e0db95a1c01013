//! Encrypted connections.

use std::fs::File;
use std::future::Future;
use std::io::{self, BufReader};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use postgres::Socket;
use postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, InvalidDnsNameError, ServerName};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::{TlsConnector, client};

use super::address::RootCertificates;
use crate::StoreError;

/// A maker of encrypted connections to servers whose certificate is valid.
///
/// If the authorities of the system cannot be read, each handshake fails with the error. Other connections need none.
#[derive(Clone)]
pub(super) struct VerifyingTls(Result<Arc<ClientConfig>, rustls::Error>);

impl VerifyingTls {
    pub(super) fn new(roots: &RootCertificates) -> Result<Self, StoreError> {
        let provider = Arc::new(default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(unusable)?;
        let builder = match roots {
            RootCertificates::System => match Verifier::new(provider) {
                // rustls calls each verifier but its own `dangerous`. This one asks the system.
                Ok(verifier) => builder
                    .dangerous()
                    .with_custom_certificate_verifier(Arc::new(verifier)),
                Err(error) => return Ok(Self(Err(error))),
            },
            RootCertificates::File(path) => builder.with_root_certificates(read_roots(path)?),
        };
        Ok(Self(Ok(Arc::new(builder.with_no_client_auth()))))
    }
}

fn read_roots(path: &str) -> Result<RootCertStore, StoreError> {
    let unreadable = |reason: String| {
        StoreError::Refused(format!("cannot read certificates from `{path}`: {reason}"))
    };
    let file = File::open(path).map_err(|error| unreadable(error.to_string()))?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_reader_iter(BufReader::new(file)) {
        let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
        let added = roots.add(certificate);
        added.map_err(|error| unreadable(error.to_string()))?;
    }
    match roots.is_empty() {
        true => Err(unreadable("it contains none".to_owned())),
        false => Ok(roots),
    }
}

fn unusable(error: rustls::Error) -> StoreError {
    StoreError::Database(error.into())
}

impl MakeTlsConnect<Socket> for VerifyingTls {
    type Stream = EncryptedSocket;
    type TlsConnect = ServerTls;
    type Error = InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<ServerTls, InvalidDnsNameError> {
        // A Unix socket has no name, and its server never asks for encryption.
        let server = match host {
            "" => None,
            host => Some(ServerName::try_from(host)?.to_owned()),
        };
        Ok(ServerTls {
            connector: self.0.clone().map(TlsConnector::from),
            server,
        })
    }
}

/// A handshake with one server.
pub(super) struct ServerTls {
    connector: Result<TlsConnector, rustls::Error>,
    server: Option<ServerName<'static>>,
}

impl TlsConnect<Socket> for ServerTls {
    type Stream = EncryptedSocket;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<EncryptedSocket>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move {
            let Some(server) = self.server else {
                return Err(io::Error::other("expected the name of a host"));
            };
            let connector = self.connector.map_err(io::Error::other)?;
            let stream = connector.connect(server, socket).await?;
            Ok(EncryptedSocket(stream))
        })
    }
}

pub(super) struct EncryptedSocket(client::TlsStream<Socket>);

impl TlsStream for EncryptedSocket {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for EncryptedSocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for EncryptedSocket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
