//! Composing a registry.

use std::collections::{BTreeMap, BTreeSet};

use repertoire_core::{Id, Item, Skill, Source, SurfacePolicy};
use tokio::runtime::Handle;

use crate::composition::Composition;
use crate::follow::follow_sources;
use crate::{MemorySource, Mount, Registry, RegistryError, RuleStack};

/// A builder that composes sources into a [`Registry`]. Inside a tier, the source that is composed first wins.
#[derive(Debug, Clone)]
pub struct Builder<T: Item> {
    mounts: Vec<Mount<T>>,
    preferred: BTreeMap<String, BTreeSet<Id>>,
    rules: RuleStack,
    base: Option<Registry<T>>,
    pub(crate) surface: SurfacePolicy,
}

impl<T: Item> Default for Builder<T> {
    fn default() -> Builder<T> {
        Builder {
            mounts: Vec::new(),
            preferred: BTreeMap::new(),
            rules: RuleStack::default(),
            base: None,
            surface: SurfacePolicy::default(),
        }
    }
}

impl<T: Item> Builder<T> {
    pub(crate) fn over(base: Registry<T>) -> Builder<T> {
        Builder {
            surface: base.composition().surface.clone(),
            base: Some(base),
            ..Builder::default()
        }
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

    /// Composes a source as `mount` says.
    #[must_use]
    pub fn mount(mut self, mount: Mount<T>) -> Builder<T> {
        self.mounts.push(mount);
        self
    }

    /// Lets `source` win `id` against every other admitted source. A diagnostic reports it.
    #[must_use]
    pub fn prefer(mut self, id: Id, source: &str) -> Builder<T> {
        self.preferred
            .entry(source.to_owned())
            .or_default()
            .insert(id);
        self
    }

    /// Sets the rules. [`Registry::set_rules`] replaces them later.
    #[must_use]
    pub fn rules(mut self, rules: RuleStack) -> Builder<T> {
        self.rules = rules;
        self
    }

    /// Lists every source once, without starting a task. Later changes are visible after [`Registry::refresh`].
    ///
    /// A source that fails is an empty layer with a diagnostic.
    ///
    /// # Errors
    /// [`RegistryError`] for source names that are not unique, contain a colon or are not a valid [`Id`], and for preferences
    /// of unknown sources.
    ///
    /// # Cancel safety
    /// May be dropped at any point. No task runs, and a source may be composed again.
    pub async fn load(self) -> Result<Registry<T>, RegistryError> {
        let registry = self.compose()?;
        registry.list_all().await;
        Ok(registry)
    }

    /// Lists every source, and follows changes in one task on `runtime` until [`Registry::close`] or until the last handle is
    /// dropped.
    ///
    /// # Errors
    /// As [`load`](Builder::load).
    ///
    /// # Cancel safety
    /// As [`load`](Builder::load): the task starts when every source was listed.
    ///
    /// # Panics
    /// When `runtime` was built without time. Close the registry before that runtime ends: what is asked of it later finds no
    /// clock and panics.
    pub async fn start(self, runtime: &Handle) -> Result<Registry<T>, RegistryError> {
        let registry = self.compose()?;
        registry
            .0
            .runtime
            .set(runtime.clone())
            .expect("a registry is started once, by its builder");
        registry.list_all().await;
        follow_sources(&registry, runtime);
        Ok(registry)
    }

    fn compose(self) -> Result<Registry<T>, RegistryError> {
        let base = self.base.clone();
        let memory = MemorySource::new(match base.as_ref().map(Registry::depth) {
            None => Registry::<T>::REGISTERED.to_owned(),
            Some(0) => Registry::<T>::SESSION.to_owned(),
            Some(depth) => format!("{}-{}", Registry::<T>::SESSION, depth + 1),
        });
        let (mut composition, rules) = self.composition(Mount::builtin(memory.clone()));
        let view = base.as_ref().map(Registry::snapshot);
        composition.check(|_| true, view.as_ref())?;
        composition.mounts.iter_mut().for_each(Mount::reset);
        Ok(Registry::of(composition, &rules, memory, base))
    }

    pub(crate) fn composition(self, registered: Mount<T>) -> (Composition<T>, RuleStack) {
        let mounts = std::iter::once(registered).chain(self.mounts).collect();
        (
            Composition {
                mounts,
                preferred: self.preferred,
                surface: self.surface,
            },
            self.rules,
        )
    }
}

impl Builder<Skill> {
    /// Sets where the bodies of skills are placed: the mode of skills that declare none, the provider that is assumed when a
    /// call names none, and the rules. An overlay has those of its base by default.
    #[must_use]
    pub fn surface_policy(mut self, policy: SurfacePolicy) -> Builder<Skill> {
        self.surface = policy;
        self
    }
}
