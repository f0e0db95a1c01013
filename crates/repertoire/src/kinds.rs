//! The source kinds of this workspace, for configuration files.

use std::sync::Arc;

use repertoire_registry::{ConfigError, SourceConfig, SourceKind, inventory};
use repertoire_source_fs::FsSource;

inventory::submit! {
    SourceKind::new("fs", "folders of skills", |config| Ok(Arc::new(configured_folders(config)?)))
}

/// What the kind `fs` makes of its configuration, for those who want more of it than a [`Source`](crate::Source).
///
/// # Errors
/// [`ConfigError`] for options other than [`FsOptions`](crate::FsOptions), and for values that cannot be used.
pub fn configured_folders(config: &SourceConfig) -> Result<FsSource, ConfigError> {
    FsSource::from_options(config.name.as_str(), &config.base, config.options()?).map_err(|error| {
        let help = error.help.map(|help| format!("; {help}")).unwrap_or_default();
        ConfigError::in_option(error.key, error.message + &help)
    })
}
