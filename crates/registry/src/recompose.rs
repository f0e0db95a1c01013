//! Composing a registry, and changing the composition at run time.

use std::collections::HashMap;
use std::sync::Arc;

use repertoire_core::{Item, Listing, Revision};

use crate::composition::Composition;
use crate::refresh::{Refresh, fetch_updates, with_digests};
use crate::{Builder, Change, Layer, Mount, Registry, RegistryError, RuleStack, Snapshot};

impl<T: Item> Registry<T> {
    /// The name of the source that holds what is registered in code on an [overlay](Registry::overlay). On an overlay of
    /// an overlay it is `session-2`, and so on.
    pub(crate) const SESSION: &str = "session";

    /// Returns a builder that composes a registry.
    pub fn builder() -> Builder<T> {
        Builder::default()
    }

    /// Composes a registry over this one, for a session with sources, entries and rules of its own.
    ///
    /// - It shows what this registry shows. Inside each tier, the overlay's own sources and entries come first.
    /// - Its rules come after those of this registry.
    /// - Entries that its own rows do not touch are shared with this registry.
    /// - It follows the changes of this registry. Changes to the overlay are not visible in this registry.
    /// - Dropping or closing the overlay does not affect this registry, which stays alive until its last overlay is dropped.
    /// - When this registry is closed, subscriptions and callbacks of its overlays end.
    ///
    /// Names of sources are unique in both. When this registry later gets a source of a name that the overlay has, the overlay
    /// omits it, with a diagnostic. Whether a copy is identical to one that this registry got later is known after the next
    /// [`refresh`](Registry::refresh) of the overlay.
    ///
    /// ```
    /// use repertoire_core::Skill;
    /// use repertoire_registry::{MemorySource, SkillRegistry};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let named = |name: &str, id: &str| -> Result<_, Box<dyn std::error::Error>> {
    ///     let source = MemorySource::new(name);
    ///     source.register(Skill::new(id.parse()?, name))?;
    ///     Ok(source)
    /// };
    /// let shared = SkillRegistry::builder().user(named("home", "tidy")?).load().await?;
    /// let session = shared.overlay().user(named("project", "tidy")?).load().await?;
    /// session.register(Skill::new("greet".parse()?, "Greets people."))?;
    ///
    /// assert_eq!(session.get("tidy").ok_or("gone")?.origin().source.as_ref(), "project");
    /// assert_eq!(shared.get("tidy").ok_or("gone")?.origin().source.as_ref(), "home");
    /// assert!(session.get("greet").is_some() && shared.get("greet").is_none());
    ///
    /// shared.register(Skill::new("plan".parse()?, "Makes plans."))?;
    /// assert!(session.get("plan").is_some());
    /// # Ok(())
    /// # }
    /// ```
    pub fn overlay(&self) -> Builder<T> {
        Builder::over(self.clone())
    }

    /// Adds a source after all others. It is listed first, so that its entries are visible at once, in one snapshot. Returns what
    /// changed since the call.
    ///
    /// # Errors
    /// [`RegistryError`] for a name that is taken or cannot be used, and for a closed registry; nothing changes then. A
    /// source that cannot be listed is an empty layer with a diagnostic, as with [`load`](Builder::load).
    ///
    /// # Cancel safety
    /// May be dropped at any point; the source is composed or it is not.
    pub async fn add_source(&self, mount: Mount<T>) -> Result<Change<T>, RegistryError> {
        self.compose(|composition| {
            composition.mounts.push(mount);
            Ok(None)
        })
        .await
    }

    /// Removes a source and the preferences for it. Its bodies can no longer be read, not even through an earlier snapshot.
    ///
    /// # Errors
    /// [`RegistryError::UnknownSource`] for an unknown name, [`RegistryError::ReservedSource`] for the source of the entries
    /// registered in code, and [`RegistryError::Closed`].
    ///
    /// # Cancel safety
    /// As [`add_source`](Registry::add_source).
    pub async fn remove_source(&self, name: &str) -> Result<Change<T>, RegistryError> {
        self.compose(|composition| {
            let place = place_of(composition, name)?;
            composition.mounts.remove(place);
            composition.preferred.remove(name);
            Ok(None)
        })
        .await
    }

    /// Replaces the source of the same name. Entries that both have stay the same.
    ///
    /// Candidates of an earlier snapshot can be read if the tier and the trust are the same.
    ///
    /// # Errors
    /// As [`remove_source`](Registry::remove_source).
    ///
    /// # Cancel safety
    /// As [`add_source`](Registry::add_source).
    pub async fn replace_source(&self, mount: Mount<T>) -> Result<Change<T>, RegistryError> {
        self.compose(|composition| {
            let place = place_of(composition, mount.name())?;
            composition.mounts[place] = mount;
            Ok(None)
        })
        .await
    }

    /// Replaces the composition by that of `builder`, in one snapshot, for example after a configuration was read again.
    ///
    /// - Entries registered in code stay, as does the base of an overlay.
    /// - A clone of a [`Mount`] that is composed already keeps its listing, also under a different tier or trust.
    /// - Every other source is listed.
    ///
    /// ```
    /// use repertoire_core::Skill;
    /// use repertoire_registry::{MemorySource, Mount, SkillRegistry};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let home = MemorySource::new("home");
    /// home.register(Skill::new("tidy".parse()?, "Sorts a folder."))?;
    /// let home = Mount::user(home);
    /// let registry = SkillRegistry::builder().mount(home.clone()).load().await?;
    ///
    /// let team = MemorySource::new("team");
    /// team.register(Skill::new("tidy".parse()?, "Sorts it our way."))?;
    /// let change = registry.recompose(SkillRegistry::builder().user(team).mount(home)).await?;
    /// assert_eq!(change.modified[0].new.origin().source.as_ref(), "team");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`load`](Builder::load), and for a closed registry; nothing changes then.
    ///
    /// # Cancel safety
    /// As [`add_source`](Registry::add_source).
    pub async fn recompose(&self, builder: Builder<T>) -> Result<Change<T>, RegistryError> {
        self.compose(|composition| {
            let (next, rules) = builder.composition(composition.mounts[0].clone());
            *composition = next;
            Ok(Some(rules))
        })
        .await
    }

    async fn compose(
        &self,
        plan: impl FnOnce(&mut Composition<T>) -> Result<Option<RuleStack>, RegistryError>,
    ) -> Result<Change<T>, RegistryError> {
        let before = self.snapshot();
        tokio::select! {
            biased;
            () = self.closed() => return Err(RegistryError::Closed),
            outcome = self.0.worker.run_exclusive(|| self.compose_in_turn(plan)) => outcome?,
        }
        self.notify_all_callbacks();
        Ok(self.snapshot().changes_since(&before))
    }

    async fn compose_in_turn(
        &self,
        plan: impl FnOnce(&mut Composition<T>) -> Result<Option<RuleStack>, RegistryError>,
    ) -> Result<(), RegistryError> {
        let old = self.composition();
        let mut next = Composition::clone(&old);
        let rules = plan(&mut next)?;
        next.check(
            |name| old.mount(name).is_none(),
            self.base().map(Registry::snapshot).as_ref(),
        )?;
        let fresh = inherit_listings(&old, &mut next);
        let updates = fetch_updates(
            &fresh,
            |_| Listing::empty(Revision(0)),
            Refresh::Full,
            self.clock(),
        )
        .await;
        let listings: HashMap<&str, &Listing<T>> = updates
            .iter()
            .map(|update| (&*update.source, &update.new))
            .collect();
        let base = self.own();
        let candidate = recomposed(&base, &next, &listings, rules.as_ref());
        let layers = candidate.layers().iter().filter(|layer: &&Layer<T>| {
            let name = layer.origin.source.as_ref();
            let before = base.layer(name).filter(|_| !listings.contains_key(name));
            layer.is_registered || !before.is_some_and(|before| before.is_composed_like(layer))
        });
        let touched = layers.flat_map(|layer| {
            layer
                .listing
                .iter()
                .map(|row| layer.effective_id(row.item.id()))
        });
        let digests = self
            .missing_digests(&self.shown(&candidate), touched, &next)
            .await;
        // What the next view holds can be read as soon as it can be seen.
        self.0.composition.send_replace(Arc::new(next.clone()));
        self.publish(|current| {
            let view = if current.ptr_eq(&base) {
                candidate
            } else {
                recomposed(current, &next, &listings, rules.as_ref())
            };
            with_digests(view, &digests)
        });
        self.add_digests(digests);
        Ok(())
    }
}

/// Gives the mounts of `next` the listings that they have in `old`, and returns the other mounts.
fn inherit_listings<T: Item>(old: &Composition<T>, next: &mut Composition<T>) -> Vec<Mount<T>> {
    let mut fresh = Vec::new();
    for mount in &mut next.mounts {
        match old
            .mount(mount.name())
            .filter(|old| old.has_source_of(mount))
        {
            Some(old) => mount.inherit_listing(old),
            None => {
                mount.reset();
                fresh.push(mount.clone());
            }
        }
    }
    fresh
}

/// Returns `view` with the layers of `composition`. The sources in `listings` are listed for the first time.
fn recomposed<T: Item>(
    view: &Snapshot<T>,
    composition: &Composition<T>,
    listings: &HashMap<&str, &Listing<T>>,
    rules: Option<&RuleStack>,
) -> Snapshot<T> {
    let layers = composition.layers(|mount| match listings.get(mount.name()) {
        Some(fresh) => Listing::clone(fresh),
        None => view
            .layer(mount.name())
            .expect("a mount that stays has a layer")
            .listing
            .clone(),
    });
    let mut builder = view.builder();
    builder.set_layers(layers, |name| listings.contains_key(name));
    if let Some(rules) = rules {
        builder.set_rules(&rules.restricted_as(view.rules()));
    }
    view.revised(builder)
}

fn place_of<T: Item>(composition: &Composition<T>, name: &str) -> Result<usize, RegistryError> {
    match composition
        .mounts
        .iter()
        .position(|mount| mount.name() == name)
    {
        Some(0) => Err(RegistryError::ReservedSource {
            name: name.to_owned(),
        }),
        Some(place) => Ok(place),
        None => Err(RegistryError::UnknownSource {
            name: name.to_owned(),
            known: composition.names(),
        }),
    }
}
