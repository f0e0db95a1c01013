//! The kinds `fs` and `client-plugins`.

use std::sync::Arc;

use repertoire_core::{Skill, Source};
use repertoire_registry::{ConfigError, SourceConfig, SourceKind, inventory};
use repertoire_source_fs::{FsOptions, FsSource, InstalledPluginOptions};

inventory::submit! {
    SourceKind::new("fs", "folders of skills", |config| Ok(Arc::new(configured_folders(config)?)))
}

inventory::submit! {
    SourceKind::several("client-plugins", "folders of plugins that a client installed", |config| {
        let options: InstalledPluginOptions = config.options()?;
        let found = options.find(&config.base);
        let plugins = found.plugins.iter().map(|plugin| -> Arc<dyn Source<Skill>> {
            Arc::new(options.source(plugin, plugin.name.as_str()))
        });
        let mut sources: Vec<_> = plugins.collect();
        sources.push(options.diagnostics_source(config.name.as_str(), &config.base, found));
        Ok(sources)
    })
}

/// Returns the source of the kind `fs` with its own type, for hosts that need more than a [`Source`].
///
/// # Errors
/// [`ConfigError`] for options other than [`FsOptions`], and for invalid values.
pub fn configured_folders(config: &SourceConfig) -> Result<FsSource, ConfigError> {
    let options: FsOptions = config.options()?;
    let has_roots = options.roots != FsOptions::default().roots;
    let source = FsSource::from_options(config.name.as_str(), &config.base, options)?;
    if !has_roots {
        let message = "is missing; name the folders to search, as in `roots = [\"skills\"]`, or `roots = [\".\"]` for all";
        return Err(ConfigError::in_option(
            "roots",
            format!("`roots` {message}"),
        ));
    }
    Ok(source)
}
