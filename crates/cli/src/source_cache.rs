//! The sources of a run, reused when the configuration is reloaded.

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(feature = "gateway")]
use repertoire::config::Configuration;
use repertoire::config::{ConfigurationError, ConfiguredSource};
use repertoire::registry::ConfigError;
use repertoire::source::configured_folders;
use repertoire::source::fs::{
    FsOptions, InstalledPlugin, InstalledPluginOptions, InstalledPlugins, Root,
};
use repertoire::{FsSource, Mount, Skill};
use serde_json::{Map, Value};

use crate::{Environment, builtin};

/// A cache of sources by their settings: a reload reuses those whose settings did not change.
#[derive(Debug, Default)]
pub(crate) struct SourceCache {
    is_read_only: bool,
    /// The folder in which sources save their first scan, and the build of the program.
    saved_scans: Option<(PathBuf, String)>,
    before: HashMap<String, Vec<CachedSource>>,
    now: HashMap<String, Vec<CachedSource>>,
}

/// A source, and the same source as a [`FsSource`] if it searches folders.
#[derive(Debug, Clone)]
pub(crate) struct CachedSource {
    /// The source before its tier and trust are set.
    pub(crate) mount: Mount<Skill>,
    pub(crate) folders: Option<Arc<FsSource>>,
}

impl SourceCache {
    /// Returns a cache that refuses sources that start a program, load a library or open a connection.
    pub(crate) fn read_only() -> SourceCache {
        SourceCache {
            is_read_only: true,
            ..SourceCache::default()
        }
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Makes sources that search folders save their first scan in the user's cache.
    pub(crate) fn save_scans(&mut self, environment: &Environment<'_>) {
        let folder = environment.saved_scans();
        self.saved_scans = folder.map(|folder| (folder, environment.build()));
    }

    pub(crate) fn begin_reload(&mut self) {
        self.before.extend(self.now.drain());
    }

    /// Drops the sources that were not requested since [`begin_reload`](SourceCache::begin_reload).
    pub(crate) fn finish_reload(&mut self) {
        self.before.clear();
    }

    pub(crate) fn builtin(&mut self) -> Mount<Skill> {
        self.get("builtin".to_owned(), || CachedSource {
            mount: builtin::mount(),
            folders: None,
        })
        .mount
    }

    pub(crate) fn folder(&mut self, name: &str, path: &Path) -> CachedSource {
        self.fs(format!("folder {name} {}", path.display()), || {
            FsSource::new(name, path)
        })
    }

    pub(crate) fn search(&mut self, name: &str, folder: &Path, options: FsOptions) -> CachedSource {
        self.fs(
            format!("search {name} {} {options:?}", folder.display()),
            || {
                let source = FsSource::from_options(name, folder, options);
                source.expect("the roots are absolute and the patterns are escaped")
            },
        )
    }

    pub(crate) fn standard(&mut self, name: &str, root: &Root) -> CachedSource {
        let mut root = root.clone();
        name.clone_into(&mut root.name);
        self.fs(format!("standard {root:?}"), || root.source())
    }

    pub(crate) fn plugin(
        &mut self,
        name: &str,
        plugin: &InstalledPlugin,
        options: &InstalledPluginOptions,
    ) -> CachedSource {
        self.fs(format!("plugin {name} {plugin:?} {options:?}"), || {
            options.source(plugin, name)
        })
    }

    /// Returns a source called `name` that reports the diagnostics of the folders of plugins.
    pub(crate) fn plugin_diagnostics(
        &mut self,
        name: &str,
        base: &Path,
        options: &InstalledPluginOptions,
        found: &InstalledPlugins,
    ) -> CachedSource {
        self.get(
            format!("diagnostics {name} {base:?} {options:?} {found:?}"),
            || {
                let source = options.diagnostics_source(name, base, found.clone());
                CachedSource {
                    mount: Mount::plugin(source),
                    folders: None,
                }
            },
        )
    }

    pub(crate) fn configured(
        &mut self,
        source: &ConfiguredSource,
    ) -> Result<Vec<CachedSource>, ConfigurationError> {
        let (kind, config) = (source.kind(), source.config());
        let options: Map<String, Value> =
            config.options().map_err(|error| source.locate(&error))?;
        let key = serde_json::json!([kind.name(), config.name, config.base, options]).to_string();
        let scans = self.saved_scans.clone();
        let sources = self.get_all(key, || match kind.name() {
            "fs" => {
                let source = configured_folders(config)?;
                Ok::<_, ConfigError>(vec![CachedSource::of_folders(source, scans)])
            }
            _ => {
                let built = kind.build(config)?.into_iter();
                Ok(built
                    .map(|source| CachedSource {
                        mount: Mount::user(source),
                        folders: None,
                    })
                    .collect())
            }
        });
        sources.map_err(|error| source.locate(&error))
    }

    /// Returns the source of the skills of the project, if `config` defines a gateway.
    #[cfg(feature = "gateway")]
    pub(crate) fn project(
        &mut self,
        config: &Configuration,
    ) -> Result<Option<CachedSource>, ConfigurationError> {
        if !config.is_of_gateway() {
            return Ok(None);
        }
        let registries = config.registries();
        let key = format!(
            "project {} {:?}",
            registries.project.display(),
            registries.skills
        );
        let scans = self.saved_scans.clone();
        let sources = self.get_all(key, || {
            let source = repertoire_gateway::project_skills(config)?;
            let source = source.map(|source| CachedSource::of_folders(source, scans));
            Ok::<_, ConfigurationError>(source.into_iter().collect())
        });
        Ok(sources?.pop())
    }

    fn fs(&mut self, key: String, make: impl FnOnce() -> FsSource) -> CachedSource {
        let scans = self.saved_scans.clone();
        self.get(key, || CachedSource::of_folders(make(), scans))
    }

    fn get(&mut self, key: String, make: impl FnOnce() -> CachedSource) -> CachedSource {
        let Ok(mut sources) = self.get_all(key, || Ok::<_, Infallible>(vec![make()]));
        sources.pop().expect("one source was made")
    }

    fn get_all<E>(
        &mut self,
        key: String,
        make: impl FnOnce() -> Result<Vec<CachedSource>, E>,
    ) -> Result<Vec<CachedSource>, E> {
        let sources = match self
            .before
            .remove(&key)
            .or_else(|| self.now.get(&key).cloned())
        {
            Some(sources) => sources,
            None => make()?,
        };
        self.now.insert(key, sources.clone());
        Ok(sources)
    }
}

impl CachedSource {
    fn of_folders(source: FsSource, scans: Option<(PathBuf, String)>) -> CachedSource {
        let source = Arc::new(match scans {
            Some((folder, build)) => source.saving_scans(folder, build),
            None => source,
        });
        CachedSource {
            mount: Mount::user(Arc::clone(&source)),
            folders: Some(source),
        }
    }
}
