//! The kinds `http` and `oci`.

use std::sync::Arc;

use repertoire_core::{ConfigError, Skill, Source};
use repertoire_registry::{SourceConfig, SourceKind, inventory};
use repertoire_source_remote::{RemoteOptions, RemoteSource};

inventory::submit! {
    SourceKind::foreign("http", "the skills of a web server: an index at a well-known address, or an archive", |config| {
        let options: RemoteOptions = config.options()?;
        match options.url.is_web() {
            true => source(config, options),
            false => Err(misplaced(&options, "on a web server; write `https://HOST` or the URL of an archive")),
        }
    })
    .namespaced()
    .connecting()
}

inventory::submit! {
    SourceKind::foreign("oci", "the skills of an OCI registry: an artifact, or a collection", |config| {
        let options: RemoteOptions = config.options()?;
        match options.url.oci() {
            Some(_) => source(config, options),
            None => Err(misplaced(&options, "in an OCI registry; write `oci://HOST/NAME:TAG`")),
        }
    })
    .namespaced()
    .connecting()
}

fn source(
    config: &SourceConfig,
    mut options: RemoteOptions,
) -> Result<Arc<dyn Source<Skill>>, ConfigError> {
    options.variables = config.variables.to_vec();
    options.cache = config.state.as_ref().map(|state| state.join("remote"));
    let source = RemoteSource::new(config.name.as_str(), options);
    Ok(Arc::new(source?))
}

fn misplaced(options: &RemoteOptions, expected: &str) -> ConfigError {
    let message = format!("`{}` is not {expected}", options.url);
    ConfigError::in_option("url", message)
}
