//! Composing a registry.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use repertoire_core::{Id, Item, Listing, Skill, Source, SurfacePolicy};
use tokio::runtime::Handle;

use crate::layers::name_skeleton;
use crate::{Layer, MemorySource, Mount, Registry, RegistryError, RuleStack, Snapshot};

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
    /// [`RegistryError`] for source names that are not unique, hold a colon or could be no [`Id`], and for preferences
    /// of unknown sources.
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
        registry.watch_on(runtime);
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

#[derive(Debug, Clone)]
pub(crate) struct Composition<T: Item> {
    pub(crate) mounts: Vec<Mount<T>>,
    pub(crate) preferred: BTreeMap<String, BTreeSet<Id>>,
    pub(crate) surface: SurfacePolicy,
}

impl<T: Item> Composition<T> {
    /// Checks the names and preferences. `base` has the names that new sources may not have.
    pub(crate) fn check(
        &self,
        is_new: impl Fn(&str) -> bool,
        base: Option<&Snapshot<T>>,
    ) -> Result<(), RegistryError> {
        let mut names = HashMap::new();
        for mount in &self.mounts {
            let name = mount.name();
            if let Some(reason) = name_fault(name) {
                return Err(RegistryError::SourceName {
                    name: name.to_owned(),
                    reason,
                });
            }
            let skeleton = name_skeleton(name);
            let base = base
                .filter(|_| is_new(name))
                .and_then(|base| base.all_layers().alike(&skeleton));
            match names
                .insert(skeleton, name)
                .or(base.map(|layer| &*layer.origin.source))
            {
                None => {}
                Some(other) if other == name => {
                    return Err(RegistryError::DuplicateSource {
                        name: name.to_owned(),
                    });
                }
                Some(_) => {
                    let reason = "it looks like the name of another source";
                    return Err(RegistryError::SourceName {
                        name: name.to_owned(),
                        reason,
                    });
                }
            }
        }
        if let Some((source, ids)) = self
            .preferred
            .iter()
            .find(|(source, _)| self.mount(source).is_none())
        {
            let id = ids
                .first()
                .expect("a source enters the map with its first id")
                .clone();
            return Err(RegistryError::UnknownPreference {
                id,
                source_name: source.clone(),
                known: self.names(),
            });
        }
        Ok(())
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = self
            .mounts
            .iter()
            .map(|mount| mount.name().to_owned())
            .collect();
        names.sort();
        names
    }

    pub(crate) fn mount(&self, source: &str) -> Option<&Mount<T>> {
        self.mounts.iter().find(|mount| mount.name() == source)
    }

    pub(crate) fn layers(&self, listing: impl Fn(&Mount<T>) -> Listing<T>) -> Vec<Layer<T>> {
        let mounts = self.mounts.iter().enumerate();
        mounts
            .map(|(position, mount): (usize, &Mount<T>)| {
                let mut layer = mount.layer(position, listing(mount));
                layer.preferred = self
                    .preferred
                    .get(mount.name())
                    .cloned()
                    .unwrap_or_default();
                layer.is_registered = position == 0;
                layer
            })
            .collect()
    }
}

fn name_fault(name: &str) -> Option<&'static str> {
    match Id::new(name) {
        Err(error) => Some(error.reason()),
        Ok(_) if name.contains(':') => Some("it holds a colon"),
        Ok(id) if id.as_str() != name => {
            Some("it has blanks at an end, or is not in Unicode's NFKC form")
        }
        Ok(_) => None,
    }
}
