//! Refreshing sources and publishing the resulting snapshot.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};
use repertoire_core::{Code, Diagnostic, Digest, Id, Item, Listing, SourceError, error_chain};
use tokio::runtime::Handle;

use crate::composition::Composition;
use crate::snapshot_builder::SourceUpdate;
use crate::view::overlay_on;
use crate::{Candidate, Layer, Mount, Registry, Snapshot};

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

/// Lists `mount`. A source that fails keeps the rows of `old` and gets a diagnostic.
async fn fetch_update<T: Item>(
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

fn changes<T: Item>(update: &SourceUpdate<T>, view: &Snapshot<T>) -> bool {
    view.layer(&update.source)
        .is_some_and(|Layer { listing, .. }| {
            !update.changes.is_empty()
                || update.new.revision() != listing.revision()
                || !update.new.has_diagnostics_of(listing)
        })
}

fn touched<T: Item>(update: &SourceUpdate<T>, view: &Snapshot<T>) -> Vec<Id> {
    let Some(layer) = view.layer(&update.source) else {
        return Vec::new();
    };
    // Registering publishes without reading digests, so all of its rows are looked at now.
    let registered = layer.is_registered.then_some(&layer.listing);
    let rows = registered
        .into_iter()
        .flat_map(Listing::iter)
        .chain(&update.changes.inserted);
    rows.map(|row| layer.effective_id(row.item.id())).collect()
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
    /// Returns the current snapshot: one atomic load, and one more for each base of an [overlay](Registry::overlay).
    ///
    /// When a base has a newer snapshot, the overlay is applied to it first. That costs this registry's own rows.
    pub fn snapshot(&self) -> Snapshot<T> {
        let view = self.0.current.load();
        match self.base() {
            None => view.merged.clone(),
            Some(base) if view.is_over(&base.snapshot()) => view.merged.clone(),
            Some(base) => self.catch_up(base),
        }
    }

    pub(crate) fn read<R>(&self, read: impl FnOnce(&Snapshot<T>) -> R) -> R {
        if self.base().is_none() {
            read(&self.0.current.load().merged)
        } else {
            read(&self.snapshot())
        }
    }

    pub(crate) fn own(&self) -> Snapshot<T> {
        self.0.current.load().own.clone()
    }

    pub(crate) fn shown(&self, own: &Snapshot<T>) -> Snapshot<T> {
        overlay_on(own, self.base().map(Registry::snapshot).as_ref())
    }

    fn catch_up(&self, base: &Registry<T>) -> Snapshot<T> {
        loop {
            // In this order, an older snapshot of the base never replaces a newer one.
            let view = self.0.current.load_full();
            let under = base.snapshot();
            if view.is_over(&under) {
                return view.merged.clone();
            }
            let next = view.next(view.own.clone(), Some(under)).into();
            // If another thread was faster, the next round returns its snapshot.
            self.0.current.compare_and_swap(&view, next);
        }
    }

    pub(crate) fn publish(&self, next: impl FnOnce(&Snapshot<T>) -> Snapshot<T>) {
        let _turn = self.0.publishing.lock();
        if self.closing().is_closed() {
            return;
        }
        let before = self.own();
        let own = next(&before);
        if own.ptr_eq(&before) {
            return;
        }
        loop {
            let view = self.0.current.load_full();
            let next = view.next(own.clone(), self.base().map(Registry::snapshot));
            let generation = next.merged.generation();
            let found = self.0.current.compare_and_swap(&view, next.into());
            // Only a reader that catches up with the base can come in between.
            if std::ptr::eq(&raw const **found, &raw const *view) {
                // Also when only more is known about contents, because the next change is compared with that.
                self.0.notices.send_replace(generation);
                return;
            }
        }
    }

    /// Adds digests to the rows of its own sources, and to those of its base.
    pub(crate) fn add_digests(&self, digests: Digests) {
        if digests.is_empty() {
            return;
        }
        let own = self.own();
        let (mine, theirs): (Digests, Digests) = digests
            .into_iter()
            .partition(|(source, _)| own.layer(source).is_some());
        self.publish(|current| with_digests(current.clone(), &mine));
        if let Some(base) = self.base() {
            base.add_digests(theirs);
        }
    }

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
        let touched = updates
            .iter()
            .flat_map(|update| touched(update, &candidate));
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
        self.add_digests(digests);
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
        .map(|mount| fetch_update(mount, old(mount.name()), refresh, clock))
        .collect();
    stream::iter(updates)
        .buffer_unordered(CONCURRENT)
        .collect()
        .await
}

fn apply_updates<T: Item>(view: &Snapshot<T>, updates: &[SourceUpdate<T>]) -> Snapshot<T> {
    let mut updates = updates
        .iter()
        .filter(|update| changes(update, view))
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
