//! Sources that come and go at run time.

use std::collections::HashMap;

use repertoire_core::{Item, Listing, Revision};

use crate::composition::Composition;
use crate::refresh::{Refresh, fetch_updates, with_digests};
use crate::{Builder, Change, Closed, ComposeError, Layer, Mount, Registry, Rules, Snapshot};

impl<T: Item> Registry<T> {
    /// Composes one more source, after all others. It is listed first: its entries are there at once, in one view.
    /// Returns what changed since the call.
    ///
    /// # Errors
    /// [`ComposeError`] for a name that is taken or cannot be used, and for a closed registry; nothing changes then. A
    /// source that cannot be listed is an empty layer with a finding, as with [`load`](Builder::load).
    ///
    /// # Cancel safety
    /// May be dropped at any point; the source is composed or it is not.
    pub async fn add_source(&self, mount: Mount<T>) -> Result<Change<T>, ComposeError> {
        self.compose(|composition| {
            composition.mounts.push(mount);
            Ok(None)
        })
        .await
    }

    /// Takes a source out, with the preferences for it. Shadows of its entries step forward; its bodies can no longer
    /// be read, not even through a view that was taken before.
    ///
    /// # Errors
    /// [`ComposeError::NotComposed`] for an unknown name, [`ComposeError::Stays`] for the source of the entries registered
    /// in code, and for a closed registry.
    ///
    /// # Cancel safety
    /// As [`add_source`](Registry::add_source).
    pub async fn remove_source(&self, name: &str) -> Result<Change<T>, ComposeError> {
        self.compose(|composition| {
            let place = place_of(composition, name)?;
            composition.mounts.remove(place);
            composition.preferred.remove(name);
            Ok(None)
        })
        .await
    }

    /// Puts a source in the place of the one with its name: read in another way, or composed in another way. What both
    /// have stays the same entry; what a view taken before holds of the old one can be read if tier and trust are the
    /// same.
    ///
    /// # Errors
    /// As [`remove_source`](Registry::remove_source).
    ///
    /// # Cancel safety
    /// As [`add_source`](Registry::add_source).
    pub async fn replace_source(&self, mount: Mount<T>) -> Result<Change<T>, ComposeError> {
        self.compose(|composition| {
            let place = place_of(composition, mount.name())?;
            composition.mounts[place] = mount;
            Ok(None)
        })
        .await
    }

    /// Makes this registry as `builder` composes it, with what is registered in code, and in one view: for a
    /// configuration that was read again. What it lies over stays, whatever the builder was begun with. A clone of a [`Mount`] that is composed already keeps its listing, also under
    /// another tier or trust; every other source is listed.
    ///
    /// ```
    /// use repertoire_core::Skill;
    /// use repertoire_registry::{MemorySource, Mount, SkillRegistry};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let home = MemorySource::named("home");
    /// home.register(Skill::new("tidy".parse()?, "Sorts a folder."))?;
    /// let home = Mount::user(home);
    /// let registry = SkillRegistry::builder().mount(home.clone()).load().await?;
    ///
    /// let team = MemorySource::named("team");
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
    pub async fn recompose(&self, builder: Builder<T>) -> Result<Change<T>, ComposeError> {
        self.compose(|composition| {
            let (next, rules) = builder.composition(composition.mounts[0].clone());
            *composition = next;
            Ok(Some(rules))
        })
        .await
    }

    /// Changes the composition, and the rules if `plan` gives some, in the worker's turn. What it refuses changes nothing.
    async fn compose(
        &self,
        plan: impl FnOnce(&mut Composition<T>) -> Result<Option<Rules>, ComposeError>,
    ) -> Result<Change<T>, ComposeError> {
        let before = self.snapshot();
        tokio::select! {
            biased;
            () = self.closed() => return Err(Closed.into()),
            outcome = self.worker().between(|| self.compose_in_turn(plan)) => outcome?,
        }
        self.tell_all();
        Ok(self.snapshot().changes_since(&before))
    }

    async fn compose_in_turn(
        &self,
        plan: impl FnOnce(&mut Composition<T>) -> Result<Option<Rules>, ComposeError>,
    ) -> Result<(), ComposeError> {
        let old = self.composition();
        let mut next = Composition::clone(&old);
        let rules = plan(&mut next)?;
        next.check(|name| old.mount(name).is_none() && self.is_taken(name))?;
        let mut fresh = Vec::new();
        for mount in &mut next.mounts {
            match old.mount(mount.name()).filter(|old| old.has_source_of(mount)) {
                Some(old) => mount.go_on_as(old),
                None => {
                    mount.begin();
                    fresh.push(mount.clone());
                }
            }
        }
        let updates = fetch_updates(&fresh, |_| Listing::empty(Revision(0)), Refresh::Full, self.clock()).await;
        let listings: HashMap<&str, &Listing<T>> =
            updates.iter().map(|update| (update.source(), update.listing())).collect();
        let composed = |view: &Snapshot<T>| {
            let kept = |name: &str| view.layer(name).expect("a mount that stays has a layer").listing.clone();
            let listing = |name: &str| listings.get(name).map_or_else(|| kept(name), |fresh| Listing::clone(fresh));
            let mut draft = view.draft();
            draft.set_layers(next.layers(|mount| listing(mount.name())), |name| listings.contains_key(name));
            if let Some(rules) = &rules {
                draft.set_rules(rules);
            }
            view.revised(draft)
        };

        let base = self.own();
        let candidate = composed(&base);
        let may_collide = |layer: &&Layer<T>| {
            let name = layer.origin.source.as_ref();
            let before = base.layer(name).filter(|_| !listings.contains_key(name));
            layer.is_registered || !before.is_some_and(|before| before.is_composed_like(layer))
        };
        let layers = candidate.layers().iter().filter(may_collide);
        let touched = layers.flat_map(|layer| layer.listing.iter().map(|row| layer.effective_id(row.item.id())));
        let digests = self.missing_digests(&self.shown(&candidate), touched, &next).await;
        // What the next view holds can be read as soon as it can be seen.
        self.set_composition(next.clone());
        self.publish(|current| {
            let view = if current.is(&base) { candidate } else { composed(current) };
            with_digests(view, &digests)
        });
        self.learn(digests);
        Ok(())
    }
}

impl<T: Item> Registry<T> {
    /// Whether what this registry lies over has a source of this name.
    fn is_taken(&self, name: &str) -> bool {
        self.base().is_some_and(|base| base.snapshot().layer(name).is_some())
    }
}

fn place_of<T: Item>(composition: &Composition<T>, name: &str) -> Result<usize, ComposeError> {
    match composition.mounts.iter().position(|mount| mount.name() == name) {
        Some(0) => Err(ComposeError::Stays { name: name.to_owned() }),
        Some(place) => Ok(place),
        None => Err(ComposeError::NotComposed { name: name.to_owned(), known: composition.names() }),
    }
}
