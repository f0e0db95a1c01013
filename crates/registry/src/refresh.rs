//! Refreshing sources and publishing the resulting snapshot.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{AbortHandle, Abortable};
use futures_util::stream::{self, FuturesUnordered, StreamExt};
use repertoire_core::{
    Backoff, Code, Diagnostic, Digest, Id, Item, Listing, Revision, SourceError, error_chain,
};
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::builder::Composition;
use crate::registry::WeakRegistry;
use crate::snapshot_builder::{RowChanges, SnapshotBuilder};
use crate::subscription::CloseSignals;
use crate::{
    Builder, Candidate, Change, Layer, Mount, Registry, RegistryError, RuleStack, Snapshot,
};

/// The number of sources that are listed at the same time, and of bodies that are read to compare them.
const CONCURRENT: usize = 16;

pub(crate) type Digests = HashMap<Arc<str>, HashMap<Id, Digest>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refresh {
    /// The source reads everything, also what it has not noticed yet.
    Full,
    /// The source reported a change, and may return what it read for that.
    Incremental,
}

/// The next listing of one source, compared with the one before.
#[derive(Debug)]
pub(crate) struct SourceUpdate<T: Item> {
    source: Arc<str>,
    old: Listing<T>,
    new: Listing<T>,
    changes: RowChanges<T>,
}

impl<T: Item> SourceUpdate<T> {
    pub(crate) fn new(source: &str, old: Listing<T>, new: Listing<T>) -> SourceUpdate<T> {
        let new = new.with_known(&old);
        let changes = RowChanges::between(&old, &new);
        SourceUpdate {
            source: source.into(),
            old,
            new,
            changes,
        }
    }

    /// Lists `mount`. A source that fails keeps the rows of `old` and gets a diagnostic.
    async fn fetch(
        mount: &Mount<T>,
        old: Listing<T>,
        refresh: Refresh,
        clock: Option<&Handle>,
    ) -> SourceUpdate<T> {
        let answer = match refresh {
            Refresh::Full => mount.list(clock).await,
            Refresh::Incremental => mount.list_since(old.revision(), clock).await,
        };
        let new = match answer {
            Ok(new) if new.revision() >= old.revision() => new,
            Ok(new) => {
                let (from, to) = (old.revision().0, new.revision().0);
                let message = format!("its revision goes back from {from} to {to}");
                failed(&old, mount.name(), &SourceError::invalid(message))
            }
            Err(error) => failed(&old, mount.name(), &error),
        };
        SourceUpdate::new(mount.name(), old, new)
    }

    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    pub(crate) fn listing(&self) -> &Listing<T> {
        &self.new
    }

    fn changes(&self, view: &Snapshot<T>) -> bool {
        view.layer(&self.source)
            .is_some_and(|Layer { listing, .. }| {
                !self.changes.is_empty()
                    || self.new.revision() != listing.revision()
                    || self.new.diagnostics() != listing.diagnostics()
            })
    }

    /// Applies this update, unless the source has a later listing in `builder`.
    pub(crate) fn apply(&self, builder: &mut SnapshotBuilder<T>) {
        let Some(Layer { listing, .. }) = builder.layers.get(&self.source) else {
            return;
        };
        if listing.rows().ptr_eq(self.old.rows()) {
            builder.set_listing(&self.source, self.new.clone(), &self.changes);
        } else if listing.revision() <= self.new.revision() {
            let update = SourceUpdate::new(&self.source, listing.clone(), self.new.clone());
            builder.set_listing(&self.source, update.new, &update.changes);
        }
    }

    fn touched(&self, view: &Snapshot<T>) -> Vec<Id> {
        let Some(layer) = view.layer(&self.source) else {
            return Vec::new();
        };
        // Registering publishes without reading digests, so all of its rows are looked at now.
        let registered = layer.is_registered.then_some(&layer.listing);
        let rows = registered
            .into_iter()
            .flat_map(Listing::iter)
            .chain(&self.changes.inserted);
        rows.map(|row| layer.effective_id(row.item.id())).collect()
    }
}

fn failed<T: Item>(old: &Listing<T>, source: &str, error: &SourceError) -> Listing<T> {
    let mut message = format!(
        "source `{source}` could not be listed: {}",
        error_chain(error)
    );
    if !old.is_empty() {
        message.push_str("; its last listing stays");
    }
    let others = old
        .diagnostics()
        .iter()
        .filter(|diagnostic| diagnostic.code != Code::SOURCE_FAILED)
        .cloned();
    let diagnostics: Vec<_> = others
        .chain([Diagnostic::new(Code::SOURCE_FAILED, message)])
        .collect();
    old.clone().with_diagnostics(diagnostics)
}

impl<T: Item> Registry<T> {
    /// Lists every source and publishes the result as one view. The caller holds the worker's turn.
    pub(crate) async fn list_all(&self) {
        self.refresh_sources(&self.composition().mounts, Refresh::Full)
            .await;
    }

    /// Lists one source that reported a change, in the worker's turn, if it is still composed by then.
    pub(crate) async fn refresh_source(&self, mount: &Mount<T>) {
        self.0
            .worker
            .run_exclusive(async || {
                let composition = self.composition();
                if let Some(mount) = composition
                    .mount(mount.name())
                    .filter(|now| now.ptr_eq(mount))
                {
                    self.refresh_sources(std::slice::from_ref(mount), Refresh::Incremental)
                        .await;
                }
            })
            .await;
        self.notify_all_callbacks();
    }

    async fn refresh_sources(&self, mounts: &[Mount<T>], refresh: Refresh) {
        let base = self.own();
        let updates = fetch_updates(
            mounts,
            |name: &str| {
                base.layer(name)
                    .expect("every mount has a layer")
                    .listing
                    .clone()
            },
            refresh,
            self.clock(),
        )
        .await;
        let candidate = apply_updates(&base, &updates);
        let touched = updates.iter().flat_map(|update| update.touched(&candidate));
        let digests = self
            .missing_digests(&self.shown(&candidate), touched, &self.composition())
            .await;
        self.publish(|current| {
            // A different snapshot was published if something was registered during the refresh.
            let next = if current.ptr_eq(&base) {
                candidate
            } else {
                apply_updates(current, &updates)
            };
            with_digests(next, &digests)
        });
        self.learn(digests);
    }

    /// Reads the digests that are unknown of rows that share one of the ids `touched`, so that it is known before the view
    /// is published whether shadows are identical. A source without bodies leaves that open.
    ///
    /// `composition` is the one of `view`, which may not be in force yet.
    pub(crate) async fn missing_digests(
        &self,
        view: &Snapshot<T>,
        touched: impl Iterator<Item = Id>,
        composition: &Composition<T>,
    ) -> Digests {
        if !view.is_contested() {
            return HashMap::new();
        }
        // Each once, though many sources have it.
        let touched: HashSet<Id> = touched.collect();
        let entries = touched
            .iter()
            .filter_map(|id| view.get(id.as_str()))
            .filter(|entry| !entry.shadows.is_empty());
        let unknown = entries
            .flat_map(|entry| entry.candidates())
            .filter(|candidate| candidate.digest.is_none());
        let asked: Vec<_> = unknown
            .map(|candidate| self.digest_of(candidate, composition))
            .collect();
        let mut answers = stream::iter(asked).buffer_unordered(CONCURRENT);
        let mut digests = Digests::new();
        while let Some(answer) = answers.next().await {
            if let Some((candidate, digest)) = answer {
                digests
                    .entry(candidate.origin.source.clone())
                    .or_default()
                    .insert(candidate.item.id().clone(), digest);
            }
        }
        digests
    }

    async fn digest_of<'c>(
        &self,
        candidate: &'c Candidate<T>,
        composition: &Composition<T>,
    ) -> Option<(&'c Candidate<T>, Digest)> {
        let mount = match composition.mount(&candidate.origin.source) {
            Some(own) => own.clone(),
            None => self.owner_of(candidate).ok()?.1,
        };
        Some((
            candidate,
            mount.digest(candidate.item.id(), self.clock()).await?,
        ))
    }
}

pub(crate) async fn fetch_updates<T: Item>(
    mounts: &[Mount<T>],
    old: impl Fn(&str) -> Listing<T>,
    refresh: Refresh,
    clock: Option<&Handle>,
) -> Vec<SourceUpdate<T>> {
    let updates: Vec<_> = mounts
        .iter()
        .map(|mount| SourceUpdate::fetch(mount, old(mount.name()), refresh, clock))
        .collect();
    stream::iter(updates)
        .buffer_unordered(CONCURRENT)
        .collect()
        .await
}

fn apply_updates<T: Item>(view: &Snapshot<T>, updates: &[SourceUpdate<T>]) -> Snapshot<T> {
    let mut updates = updates
        .iter()
        .filter(|update| update.changes(view))
        .peekable();
    // Without a change, nothing of the view is copied.
    if updates.peek().is_none() {
        return view.clone();
    }
    let mut builder = view.builder();
    updates.for_each(|update| update.apply(&mut builder));
    view.revised(builder)
}

pub(crate) fn with_digests<T: Item>(view: Snapshot<T>, digests: &Digests) -> Snapshot<T> {
    if digests.is_empty() {
        return view;
    }
    let mut builder = view.builder();
    digests
        .iter()
        .for_each(|(source, digests)| builder.set_digests(source, digests));
    view.revised(builder)
}

impl<T: Item> Registry<T> {
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
        let updates = fetch_updates(
            &fresh,
            |_| Listing::empty(Revision(0)),
            Refresh::Full,
            self.clock(),
        )
        .await;
        let listings: HashMap<&str, &Listing<T>> = updates
            .iter()
            .map(|update| (update.source(), update.listing()))
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
        self.learn(digests);
        Ok(())
    }
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
        builder.set_rules(rules);
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

impl<T: Item> Registry<T> {
    /// Starts the task that refreshes each source that reports a change.
    pub(crate) fn watch_on(&self, runtime: &Handle) {
        let task = keep_up(
            self.downgrade(),
            self.0.composition.subscribe(),
            self.closing(),
        );
        self.0.tasks.lock().push(runtime.spawn(task));
    }
}

/// Ends when the registry is closed or its last handle is dropped.
async fn keep_up<T: Item>(
    registry: WeakRegistry<T>,
    compositions: watch::Receiver<Arc<Composition<T>>>,
    mut closing: CloseSignals,
) {
    tokio::select! {
        biased;
        () = closing.closed() => {}
        () = follow_all(registry, compositions) => {}
    }
}

async fn follow_all<T: Item>(
    registry: WeakRegistry<T>,
    mut compositions: watch::Receiver<Arc<Composition<T>>>,
) {
    let mut followed: Vec<(Mount<T>, AbortHandle)> = Vec::new();
    // They are polled together, because a source may hold what a different caller waits for.
    let mut running = FuturesUnordered::new();
    loop {
        let composition = compositions.borrow_and_update().clone();
        followed.retain(|(mount, handle)| {
            let stays = composition.mounts.iter().any(|now| now.ptr_eq(mount));
            if !stays {
                handle.abort();
            }
            stays
        });
        for mount in &composition.mounts {
            if !followed.iter().any(|(known, _)| known.ptr_eq(mount)) {
                let (handle, registration) = AbortHandle::new_pair();
                running.push(Abortable::new(
                    follow(registry.clone(), mount.clone()),
                    registration,
                ));
                followed.push((mount.clone(), handle));
            }
        }
        drop(composition);
        loop {
            tokio::select! {
                changed = compositions.changed() => match changed {
                    Ok(()) => break,
                    Err(_) => return,
                },
                Some(_) = running.next() => {}
            }
        }
    }
}

async fn follow<T: Item>(registry: WeakRegistry<T>, mount: Mount<T>) -> Option<()> {
    let mut since = {
        let handle = registry.upgrade()?;
        // In a turn, so that a source that is just being composed has its layer.
        handle
            .0
            .worker
            .run_exclusive(async || handle.revision_of(&mount))
            .await?
    };
    let mut pause = Duration::ZERO;
    loop {
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        mount.changed(since).await;
        let handle = registry.upgrade()?;
        handle.refresh_source(&mount).await;
        let now = handle.revision_of(&mount)?;
        pause = if now > since {
            Duration::ZERO
        } else {
            Backoff::pause_after(pause)
        };
        since = now;
    }
}
