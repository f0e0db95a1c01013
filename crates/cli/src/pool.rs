//! The sources that were made, so that places read again keep those that stay.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use repertoire::{ConfigError, FsSource, Mount, Skill, SourceConfig, SourceKind, WatchOptions, configured_folders};
use serde_json::{Map, Value};

use crate::builtin;

/// The sources that were made, so that places read again keep those that stay.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    watching: bool,
    before: HashMap<String, Made>,
    now: HashMap<String, Made>,
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
        let made = || Ok(Made { mount: builtin::mount(), folders: None });
        self.get("builtin".to_owned(), made).expect("nothing can be wrong with what was compiled").mount
    }

    /// A source over one folder.
    pub(crate) fn folder(&mut self, name: &str, path: PathBuf) -> Made {
        let watching = self.watching;
        let made = || Ok(Made::folders(FsSource::new(name, path.clone()), watching));
        self.get(format!("folder {name} {}", path.display()), made).expect("every path can be searched")
    }

    /// A source of any kind.
    pub(crate) fn configured(
        &mut self,
        kind: &SourceKind,
        config: &SourceConfig,
        options: &Map<String, Value>,
    ) -> Result<Made, ConfigError> {
        let watching = self.watching;
        let key = serde_json::json!([kind.name(), config.name, config.base, options]).to_string();
        self.get(key, || match kind.name() {
            "fs" => Ok(Made::folders(configured_folders(config)?, watching)),
            _ => Ok(Made { mount: Mount::user(kind.build(config)?), folders: None }),
        })
    }

    fn get(&mut self, key: String, make: impl FnOnce() -> Result<Made, ConfigError>) -> Result<Made, ConfigError> {
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
