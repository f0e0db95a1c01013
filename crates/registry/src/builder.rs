//! Composing a registry.

use std::collections::{BTreeMap, BTreeSet};

use repertoire_core::{Id, Item, Source, SurfacePolicy};
use tokio::runtime::Handle;

use crate::composition::Composition;
use crate::{Closed, MemorySource, Mount, Registry, Rules, Tier};

/// Composes sources into a [`Registry`]. Inside a tier, what is composed first wins.
#[derive(Debug, Clone)]
pub struct Builder<T: Item> {
    mounts: Vec<Mount<T>>,
    preferred: BTreeMap<String, BTreeSet<Id>>,
    registered: Tier,
    rules: Rules,
    base: Option<Registry<T>>,
    pub(crate) surface: SurfacePolicy,
}

/// Why a registry cannot be composed, or not be composed anew.
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
    #[error("source name `{}` cannot be used: {reason}", repertoire_core::text::terminal_line(name))]
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
    /// No source has the name of the one to take out or to replace.
    #[error("no source is called `{name}`; known: {}", known.join(", "))]
    NotComposed {
        /// The name.
        name: String,
        /// The composed sources.
        known: Vec<String>,
    },
    /// The source to take out or to replace is none that was composed.
    #[error("source `{name}` holds the entries registered in code, and stays")]
    Stays {
        /// The name.
        name: String,
    },
    /// The registry was closed.
    #[error(transparent)]
    Closed(#[from] Closed),
}

impl<T: Item> Default for Builder<T> {
    fn default() -> Builder<T> {
        Builder {
            mounts: Vec::new(),
            preferred: BTreeMap::new(),
            registered: Tier::Builtin,
            rules: Rules::default(),
            base: None,
            surface: SurfacePolicy::default(),
        }
    }
}

impl<T: Item> Builder<T> {
    /// Composes over `base`, with its surface cascade.
    pub(crate) fn over(base: Registry<T>) -> Builder<T> {
        Builder { surface: base.composition().surface.clone(), base: Some(base), ..Builder::default() }
    }

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

    /// What is switched off; [`Registry::set_rules`] changes it later.
    #[must_use]
    pub fn rules(mut self, rules: Rules) -> Builder<T> {
        self.rules = rules;
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
    ///
    /// # Panics
    /// When `runtime` was built without time. Close the registry before that runtime ends: what is asked of it later finds no
    /// clock and panics.
    pub async fn start(self, runtime: &Handle) -> Result<Registry<T>, ComposeError> {
        let registry = self.compose()?;
        registry.set_runtime(runtime);
        registry.list_all().await;
        registry.watch_on(runtime);
        Ok(registry)
    }

    fn compose(self) -> Result<Registry<T>, ComposeError> {
        let base = self.base.clone();
        let memory = MemorySource::named(match base.as_ref().map(Registry::depth) {
            None => Registry::<T>::REGISTERED.to_owned(),
            Some(0) => Registry::<T>::SESSION.to_owned(),
            Some(depth) => format!("{}-{}", Registry::<T>::SESSION, depth + 1),
        });
        let (mut composition, rules) = self.composition(Mount::builtin(memory.clone()));
        let view = base.as_ref().map(Registry::snapshot);
        composition.check(|name| view.as_ref().is_some_and(|view| view.layer(name).is_some()))?;
        composition.mounts.iter_mut().for_each(Mount::begin);
        Ok(Registry::of(composition, &rules, memory, base))
    }

    /// What is composed here, and before it the mount of the entries registered in code; under which rules.
    pub(crate) fn composition(self, registered: Mount<T>) -> (Composition<T>, Rules) {
        let mounts = std::iter::once(registered.at(self.registered)).chain(self.mounts).collect();
        (Composition { mounts, preferred: self.preferred, surface: self.surface }, self.rules)
    }
}
