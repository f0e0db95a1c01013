//! Encryption for servers elsewhere.

use std::sync::Arc;

use rustls::client::WantsClientCert;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};
use rustls_platform_verifier::BuilderVerifierExt;

/// For servers whose certificates the system trusts. Nothing is set for the whole process.
pub(crate) fn verifying() -> Result<ClientConfig, rustls::Error> {
    Ok(without_client_certificate(begin()?.with_platform_verifier()?))
}

/// For connections that are not encrypted.
pub(crate) fn trusting_nobody() -> Result<ClientConfig, rustls::Error> {
    Ok(without_client_certificate(begin()?.with_root_certificates(RootCertStore::empty())))
}

fn begin() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, rustls::Error> {
    ClientConfig::builder_with_provider(Arc::new(default_provider())).with_safe_default_protocol_versions()
}

fn without_client_certificate(builder: ConfigBuilder<ClientConfig, WantsClientCert>) -> ClientConfig {
    builder.with_no_client_auth()
}
