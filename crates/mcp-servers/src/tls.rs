//! TLS configurations.

use std::path::Path;
use std::sync::Arc;

use repertoire_core::SourceError;
use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};
use rustls_platform_verifier::Verifier;

use crate::error::unavailable;

pub(crate) fn system_roots(more: Option<&Path>) -> Result<ClientConfig, SourceError> {
    let more = more.map_or(Ok(Vec::new()), authorities)?;
    let verifier = Verifier::new_with_extra_roots(more, provider()).map_err(unusable)?;
    // rustls calls each verifier but its own `dangerous`. This one asks the system.
    Ok(builder()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth())
}

pub(crate) fn no_roots() -> Result<ClientConfig, SourceError> {
    Ok(builder()?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth())
}

fn authorities(file: &Path) -> Result<Vec<CertificateDer<'static>>, SourceError> {
    let shown = file.display();
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let found = read.map_err(|error| {
        unavailable(format!("the authorities in `{shown}` cannot be read")).caused_by(error)
    })?;
    if found.is_empty() {
        Err(unavailable(format!(
            "`{shown}` does not contain a certificate"
        )))
    } else {
        Ok(found)
    }
}

fn builder() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, SourceError> {
    ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(unusable)
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(default_provider())
}

fn unusable(error: rustls::Error) -> SourceError {
    unavailable("TLS cannot be used").caused_by(error)
}
