//! Servers behind encryption, and whom is trusted.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use repertoire_core::{Source, SourceErrorKind};
use repertoire_source_mcp::{McpOptions, McpSource};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::PrivateKeyDer;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::again;
use crate::scripted::{Scripted, Wares, With, opened};

/// A certificate authority that no system trusts.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Authority {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Authority(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    /// A server of one skill that shows a certificate for `name`.
    async fn server(&self, name: &str) -> Scripted {
        let key = KeyPair::generate().unwrap();
        let own = CertificateParams::new([name.to_owned()])
            .unwrap()
            .signed_by(&key, &self.0)
            .unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()));
        let config = config
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = config
            .with_single_cert(vec![own.der().clone()], key)
            .unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}/mcp", tcp.local_addr().unwrap());
        let listener = Encrypted {
            tcp,
            tls: TlsAcceptor::from(Arc::new(config)),
        };
        opened(listener, url, |method, params| {
            Wares::one().answer(method, params)
        })
    }

    fn write(&self, file: &Path) {
        std::fs::write(file, self.0.pem()).unwrap();
    }
}

struct Encrypted {
    tcp: TcpListener,
    tls: TlsAcceptor,
}

impl axum::serve::Listener for Encrypted {
    type Io = TlsStream<TcpStream>;
    type Addr = std::net::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (stream, address) = self.tcp.accept().await.unwrap();
            // A client that does not trust the certificate closes the connection.
            if let Ok(stream) = self.tls.accept(stream).await {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        self.tcp.local_addr()
    }
}

fn source(options: McpOptions) -> McpSource {
    McpSource::new("acme", options).unwrap()
}

#[tokio::test]
async fn only_named_authorities_are_trusted() {
    let (authority, folder) = (Authority::new(), tempfile::tempdir().unwrap());
    let file = folder.path().join("authority.pem");
    authority.write(&file);
    let served = authority.server("127.0.0.1").await;
    let trusting = source(
        served
            .options()
            .with(|options| options.ca_file = Some(file.clone())),
    );
    assert_eq!(trusting.list().await.unwrap().len(), 1);
    let body = trusting.body(&"tidy".parse().unwrap()).await.unwrap();
    assert_eq!(body.text.as_ref(), "Sort it.\n");

    let asked = served.asked();
    Authority::new().write(&file);
    for options in [
        served.options(),
        served
            .options()
            .with(|options| options.ca_file = Some(file.clone())),
    ] {
        let error = source(options).list().await.unwrap_err();
        assert_eq!(error.kind(), SourceErrorKind::Unavailable);
        assert!(
            error.to_string().contains("invalid peer certificate"),
            "{error}"
        );
    }
    assert_eq!(
        served.asked(),
        asked,
        "nothing is asked of who is not trusted"
    );
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused() {
    let (authority, folder) = (Authority::new(), tempfile::tempdir().unwrap());
    let file = folder.path().join("authority.pem");
    authority.write(&file);
    let served = authority.server("skills.acme.test").await;
    let error = source(
        served
            .options()
            .with(|options| options.ca_file = Some(file.clone())),
    )
    .list()
    .await
    .unwrap_err();
    assert!(
        error.to_string().contains("certificate not valid for name"),
        "{error}"
    );
}

#[tokio::test]
async fn certificate_files_without_certificates_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("authority.pem");
    let refused = async || {
        source(
            McpOptions::url("https://127.0.0.1:1/")
                .with(|options| options.ca_file = Some(file.clone())),
        )
        .list()
        .await
        .unwrap_err()
    };
    let shown = file.display();
    assert_eq!(
        refused().await.to_string(),
        format!("the authorities in `{shown}` cannot be read")
    );
    std::fs::write(&file, "nothing\n").unwrap();
    assert_eq!(
        refused().await.to_string(),
        format!("`{shown}` does not contain a certificate")
    );
}

/// Covers the variable that programs on Linux read to find the system's certificate authorities.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn the_certificate_variable_is_used() {
    if let Some(url) = again::url() {
        match source(McpOptions::url(url)).list().await {
            Ok(listing) => println!("listed: {}", listing.len()),
            Err(error) => println!("refused: {error}"),
        }
        return;
    }
    let (authority, folder) = (Authority::new(), tempfile::tempdir().unwrap());
    let file = folder.path().join("authority.pem");
    authority.write(&file);
    let served = authority.server("127.0.0.1").await;
    let run = |variables: &[(&str, &OsStr)]| {
        let test = "tls::the_certificate_variable_is_used";
        tokio::task::block_in_place(|| again::rerun(test, &served.url, variables))
    };
    let trusted = run(&[("SSL_CERT_FILE", file.as_os_str())]);
    assert!(trusted.contains("listed: 1\n"), "{trusted}");
    Authority::new().write(&file);
    let refused = run(&[("SSL_CERT_FILE", file.as_os_str())]);
    assert!(
        refused.contains("refused: ") && refused.contains("invalid peer certificate"),
        "{refused}"
    );
}

/// This crate selects the features of `reqwest` and `rustls`. A program that links it and uses either with its defaults, as
/// here, gets one that works.
#[test]
fn tls_works_beside_other_crypto_providers() {
    assert!(rustls::crypto::CryptoProvider::get_default().is_none());
    let _ = reqwest::Client::new();
    let _ = rustls::ClientConfig::builder().with_root_certificates(rustls::RootCertStore::empty());
}
