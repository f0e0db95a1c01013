//! The sources that were made, so that places read again keep those that stay.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use repertoire::{
    ClientPlugin, ClientPluginsOptions, ConfigError, FsOptions, FsSource, Mount, Root, Skill, SourceConfig, SourceKind,
    WatchOptions, configured_folders,
};
use serde_json::{Map, Value};

use crate::builtin;
use crate::config::Plugins;

/// The sources that were made, so that places read again keep those that stay.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    watching: bool,
    reading: bool,
    before: HashMap<String, Vec<Made>>,
    now: HashMap<String, Vec<Made>>,
}

/// A source.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    /// The source as yet without tier and trust.
    pub(crate) mount: Mount<Skill>,
    /// The same source, if it searches folders.
    pub(crate) folders: Option<Arc<FsSource>>,
}

impl Pool {
    /// For sources that keep up with what they read.
    pub(crate) fn watching() -> Pool {
        Pool { watching: true, ..Pool::default() }
    }

    /// For a command that only reads: no source starts a program, loads a library or opens a connection.
    pub(crate) fn reading() -> Pool {
        Pool { reading: true, ..Pool::default() }
    }

    /// Returns whether sources that do more than read are refused.
    pub(crate) fn is_reading(&self) -> bool {
        self.reading
    }

    /// Begins anew: what is not asked for again is gone in the end.
    pub(crate) fn turn(&mut self) {
        self.before.extend(self.now.drain());
    }

    /// Lets go of what was not asked for since the last [`turn`](Pool::turn).
    pub(crate) fn settle(&mut self) {
        self.before.clear();
    }

    /// The skills that come with the program.
    pub(crate) fn builtin(&mut self) -> Mount<Skill> {
        self.one("builtin".to_owned(), || Made { mount: builtin::mount(), folders: None }).mount
    }

    /// A source over one folder.
    pub(crate) fn folder(&mut self, name: &str, path: &Path) -> Made {
        let watching = self.watching;
        let key = format!("folder {name} {}", path.display());
        self.one(key, || Made::folders(FsSource::new(name, path), watching))
    }

    /// Makes a source that searches `folder` by `options`, called `name`.
    pub(crate) fn search(&mut self, name: &str, folder: &Path, options: FsOptions) -> Made {
        let watching = self.watching;
        let key = format!("search {name} {} {options:?}", folder.display());
        self.one(key, || {
            let source = FsSource::from_options(name, folder, options);
            Made::folders(source.expect("the roots are absolute and the patterns are escaped"), watching)
        })
    }

    /// Makes a source over a standard folder, called `name`.
    pub(crate) fn standard(&mut self, name: &str, root: &Root) -> Made {
        let watching = self.watching;
        let mut root = root.clone();
        name.clone_into(&mut root.name);
        let key = format!("standard {root:?}");
        self.one(key, || Made::folders(root.source(), watching))
    }

    /// A source over the skills of a plugin, called `name`.
    pub(crate) fn plugin(&mut self, name: &str, plugin: &ClientPlugin, options: &ClientPluginsOptions) -> Made {
        let watching = self.watching;
        let key = format!("plugin {name} {plugin:?} {options:?}");
        self.one(key, || Made::folders(options.source(plugin, name), watching))
    }

    /// The source that tells what is wrong or odd where plugins are.
    pub(crate) fn findings(&mut self, name: &str, plugins: &Plugins) -> Made {
        let key = format!("findings {name} {plugins:?}");
        self.one(key, || Made { mount: Mount::plugin(plugins.findings(name)), folders: None })
    }

    /// The sources of any kind.
    pub(crate) fn configured(
        &mut self,
        kind: &SourceKind,
        config: &SourceConfig,
        options: &Map<String, Value>,
    ) -> Result<Vec<Made>, ConfigError> {
        let watching = self.watching;
        let key = serde_json::json!([kind.name(), config.name, config.base, options]).to_string();
        self.get(key, || match kind.name() {
            "fs" => Ok(vec![Made::folders(configured_folders(config)?, watching)]),
            _ => {
                let built = kind.build(config)?.into_iter();
                Ok(built.map(|source| Made { mount: Mount::user(source), folders: None }).collect())
            }
        })
    }

    fn one(&mut self, key: String, make: impl FnOnce() -> Made) -> Made {
        let made = self.get(key, || Ok(vec![make()]));
        made.expect("nothing is configured").pop().expect("one was made")
    }

    fn get(
        &mut self,
        key: String,
        make: impl FnOnce() -> Result<Vec<Made>, ConfigError>,
    ) -> Result<Vec<Made>, ConfigError> {
        let made = match self.before.remove(&key).or_else(|| self.now.get(&key).cloned()) {
            Some(made) => made,
            None => make()?,
        };
        self.now.insert(key, made.clone());
        Ok(made)
    }
}

impl Made {
    fn folders(source: FsSource, watching: bool) -> Made {
        let is_watched = source.is_watching();
        let source = Arc::new(if watching && !is_watched { source.watching(WatchOptions::default()) } else { source });
        Made { mount: Mount::user(Arc::clone(&source)), folders: Some(source) }
    }
}
