//! Refreshing sources and publishing the resulting snapshot.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};
use repertoire_core::{Code, Diagnostic, Digest, Id, Item, Listing, SourceError, error_chain};
use tokio::runtime::Handle;

use crate::builder::Composition;
use crate::snapshot_builder::{RowChanges, SnapshotBuilder};
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
