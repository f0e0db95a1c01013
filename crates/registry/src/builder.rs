//! Composing a registry.

use std::collections::{BTreeMap, BTreeSet};

use repertoire_core::{Id, InvalidId, Item, Source, SurfacePolicy};
use tokio::runtime::Handle;

use crate::{MemorySource, Mount, Registry, Tier};

/// Composes sources into a [`Registry`]. Inside a tier, what is composed first wins.
#[derive(Debug)]
pub struct Builder<T: Item> {
    mounts: Vec<Mount<T>>,
    preferred: BTreeMap<String, BTreeSet<Id>>,
    registered: Tier,
    pub(crate) surface: SurfacePolicy,
}

/// Why a registry cannot be composed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ComposeError {
    /// Two sources share a name.
    #[error("two sources are called `{name}`; give each its own name")]
    DuplicateSource {
        /// The name.
        name: String,
    },
    /// A name that could not stand before the colon of a qualified id.
    #[error("source name `{}` cannot be used: {reason}", name.escape_debug())]
    SourceName {
        /// The name.
        name: String,
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// A preference names nobody.
    #[error("`{id}` is preferred from `{source_name}`, but no source is called that; known: {}", known.join(", "))]
    UnknownSource {
        /// The preferred id.
        id: Id,
        /// The unknown source.
        source_name: String,
        /// The composed sources.
        known: Vec<String>,
    },
}

impl<T: Item> Default for Builder<T> {
    fn default() -> Builder<T> {
        Builder {
            mounts: Vec::new(),
            preferred: BTreeMap::new(),
            registered: Tier::Builtin,
            surface: SurfacePolicy::default(),
        }
    }
}

impl<T: Item> Builder<T> {
    /// Composes a trusted source at the builtin tier.
    #[must_use]
    pub fn builtin(self, source: impl Source<T>) -> Builder<T> {
        self.mount(Mount::builtin(source))
    }

    /// Composes a trusted source at the user tier. Nearest project first, home last.
    #[must_use]
    pub fn user(self, source: impl Source<T>) -> Builder<T> {
        self.mount(Mount::user(source))
    }

    /// Composes a restricted source at the plugin tier.
    #[must_use]
    pub fn plugin(self, source: impl Source<T>) -> Builder<T> {
        self.mount(Mount::plugin(source))
    }

    /// Composes a source in any way.
    #[must_use]
    pub fn mount(mut self, mount: Mount<T>) -> Builder<T> {
        self.mounts.push(mount);
        self
    }

    /// Lets `source` win `id` against every other admitted source. Reported as a finding.
    #[must_use]
    pub fn prefer(mut self, id: Id, source: &str) -> Builder<T> {
        self.preferred.entry(source.to_owned()).or_default().insert(id);
        self
    }

    /// The tier of entries registered in code; builtin by default. They come first inside it.
    #[must_use]
    pub fn registered_at(mut self, tier: Tier) -> Builder<T> {
        self.registered = tier;
        self
    }

    /// Lists every source once. No task is started: later changes show after [`Registry::refresh`].
    ///
    /// A source that fails is an empty layer with a finding.
    ///
    /// # Errors
    /// [`ComposeError`] for source names that are not unique, hold a colon or could be no [`Id`], and for preferences
    /// of unknown sources.
    pub async fn load(self) -> Result<Registry<T>, ComposeError> {
        let registry = self.compose()?;
        registry.list_all().await;
        Ok(registry)
    }

    /// As [`load`](Builder::load), and keeps up with changes in one task on `runtime` until
    /// [`Registry::close`] or until the last handle is dropped. This is the consent to spawn.
    ///
    /// # Errors
    /// As [`load`](Builder::load).
    pub async fn start(self, runtime: &Handle) -> Result<Registry<T>, ComposeError> {
        let registry = self.load().await?;
        registry.watch_on(runtime);
        Ok(registry)
    }

    fn compose(self) -> Result<Registry<T>, ComposeError> {
        let memory = MemorySource::named(Registry::<T>::REGISTERED);
        let mut mounts = vec![Mount::new(self.registered, memory.clone())];
        mounts.extend(self.mounts);
        let mut names = BTreeSet::new();
        for mount in &mounts {
            let name = mount.origin().source.to_string();
            if let Some(reason) = name_fault(&name) {
                return Err(ComposeError::SourceName { name, reason });
            }
            if !names.insert(name.clone()) {
                return Err(ComposeError::DuplicateSource { name });
            }
        }
        if let Some((source, ids)) = self.preferred.iter().find(|(source, _)| !names.contains(*source)) {
            let id = ids.first().expect("a source enters the map with its first id").clone();
            let known = names.into_iter().collect();
            return Err(ComposeError::UnknownSource { id, source_name: source.clone(), known });
        }
        Ok(Registry::of(mounts, self.preferred, memory, self.surface))
    }
}

/// Why `name` cannot be a source's: `source:id` must be an id, and must come apart at its first colon.
fn name_fault(name: &str) -> Option<&'static str> {
    match Id::new(name) {
        Err(InvalidId::Blank) => Some("it is blank"),
        Err(InvalidId::Invisible { .. }) => Some("it holds an invisible character"),
        Err(_) => Some("a name is not a path"),
        Ok(_) if name.contains(':') => Some("it holds a colon"),
        Ok(id) if id.as_str() != name => Some("it has blanks at an end, or is not in Unicode's NFKC form"),
        Ok(_) => None,
    }
}
