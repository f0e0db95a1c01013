//! The kind `http`.

use std::sync::Arc;

use repertoire_registry::{SourceKind, inventory};
use repertoire_source_remote::{RemoteOptions, RemoteSource};

inventory::submit! {
    SourceKind::foreign("http", "the skills of a web server: an index at a well-known address, or an archive", |config| {
        let mut options: RemoteOptions = config.options()?;
        options.variables = config.variables.to_vec();
        options.cache = config.state.as_ref().map(|state| state.join("remote"));
        let source = RemoteSource::new(config.name.as_str(), options);
        Ok(Arc::new(source?))
    })
    .namespaced()
    .connecting()
}
