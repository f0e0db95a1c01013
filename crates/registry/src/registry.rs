//! One merging registry over any number of sources.

use std::sync::{Arc, OnceLock, Weak};

use arc_swap::ArcSwap;
use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use parking_lot::Mutex;
use repertoire_core::{
    Body, Id, Item, Listing, Manifest, Model, Omission, Resource, ResourcePath, Revision, Skill,
    Source, SourceError, SourceErrorKind, Surface, SurfacePolicy,
};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::composition::Composition;
use crate::denial::ContentCheck;
use crate::diagnostics::found;
use crate::listener::Listeners;
use crate::signals::{ChangeSignals, CloseSignals};
use crate::view::View;
use crate::worker::Worker;
use crate::{
    CallbackGuard, Candidate, Change, Entry, MemorySource, Mount, Registered, RegistryError,
    RuleStack, Snapshot, SourceDiagnostic, merge_under,
};

/// One merging registry over any number of sources. Cheap to clone; clones are one registry.
///
/// Readers take a [`Snapshot`] through an atomic load and never wait. Nothing runs in the background
/// unless it was started with [`Builder::start`](crate::Builder::start).
///
/// ```
/// use repertoire_core::Skill;
/// use repertoire_registry::{MemorySource, Registered, SkillRegistry};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let home = MemorySource::new("home");
/// home.register(Registered::new(Skill::new("tidy".parse()?, "Sorts a folder."), "Sort it."))?;
///
/// let registry = SkillRegistry::builder().user(home).load().await?;
/// let entry = registry.get("tidy").ok_or("no entry")?;
/// assert_eq!(registry.body(&entry.candidate).await?.text.as_ref(), "Sort it.");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Registry<T: Item>(pub(crate) Arc<Shared<T>>);

#[derive(Debug)]
pub(crate) struct Shared<T: Item> {
    pub(crate) current: ArcSwap<View<T>>,
    base: Option<Registry<T>>,
    pub(crate) composition: watch::Sender<Arc<Composition<T>>>,
    pub(crate) memory: MemorySource<T>,
    pub(crate) worker: Worker,
    /// Held while a view is derived from the current one and published; never across an await.
    pub(crate) publishing: Mutex<()>,
    pub(crate) notices: watch::Sender<u64>,
    closed: watch::Sender<bool>,
    pub(crate) tasks: Mutex<Vec<JoinHandle<()>>>,
    pub(crate) listeners: Listeners<T>,
    /// Notifies the callbacks when the base publishes.
    pub(crate) hook: Mutex<Option<CallbackGuard>>,
    pub(crate) runtime: OnceLock<Handle>,
}

/// A registry of skills.
pub type SkillRegistry = Registry<Skill>;

const TOGETHER: usize = 8;

/// A registry that a background task holds: it does not keep the registry alive.
#[derive(Debug)]
pub(crate) struct WeakRegistry<T: Item>(Weak<Shared<T>>);

impl<T: Item> Clone for WeakRegistry<T> {
    fn clone(&self) -> WeakRegistry<T> {
        WeakRegistry(Weak::clone(&self.0))
    }
}

impl<T: Item> WeakRegistry<T> {
    pub(crate) fn upgrade(&self) -> Option<Registry<T>> {
        self.0.upgrade().map(Registry)
    }
}

impl<T: Item> Registry<T> {
    /// The name of the source that holds what is registered in code.
    pub const REGISTERED: &str = "registered";

    pub(crate) fn of(
        composition: Composition<T>,
        rules: &RuleStack,
        memory: MemorySource<T>,
        base: Option<Registry<T>>,
    ) -> Registry<T> {
        let layers = composition.layers(|_| Listing::empty(Revision(0)));
        let view = View::new(
            merge_under(rules, &layers),
            base.as_ref().map(Registry::snapshot),
        );
        Registry(Arc::new(Shared {
            current: ArcSwap::from_pointee(view),
            base,
            composition: watch::Sender::new(Arc::new(composition)),
            memory,
            worker: Worker::default(),
            publishing: Mutex::default(),
            notices: watch::Sender::new(0),
            closed: watch::Sender::new(false),
            tasks: Mutex::default(),
            listeners: Listeners::default(),
            hook: Mutex::default(),
            runtime: OnceLock::new(),
        }))
    }

    /// Returns the entry with exactly this effective id.
    pub fn get(&self, id: &str) -> Option<Arc<Entry<T>>> {
        self.read(|view| view.get(id).cloned())
    }

    /// Returns all entries by tier, then source, then the source's own order.
    pub fn list(&self) -> Vec<Arc<Entry<T>>> {
        self.read(|view| view.entries().to_vec())
    }

    /// Returns the composed sources in the order of composition, first the one with the entries registered in code. Those of a
    /// base are not among them.
    pub fn mounts(&self) -> Vec<Mount<T>> {
        self.composition().mounts.clone()
    }

    fn open(&self) -> Result<&Self, RegistryError> {
        if self.closing().is_closed() {
            Err(RegistryError::Closed)
        } else {
            Ok(self)
        }
    }

    /// Registers an entry. It is visible when this returns.
    ///
    /// # Errors
    /// [`RegistryError::AlreadyRegistered`]: entries of other sources may share the id, registered ones not.
    /// [`RegistryError::Closed`] if the registry is closed.
    pub fn register(&self, item: impl Into<Registered<T>>) -> Result<&Self, RegistryError> {
        self.open()?.0.memory.register(item)?;
        Ok(self.publish_memory())
    }

    /// Registers many entries in one snapshot: all of them or, when one is refused, none.
    ///
    /// # Errors
    /// As [`register`](Registry::register), also for an id that comes twice.
    pub fn register_all<R: Into<Registered<T>>>(
        &self,
        items: impl IntoIterator<Item = R>,
    ) -> Result<&Self, RegistryError> {
        self.open()?.0.memory.register_all(items)?;
        Ok(self.publish_memory())
    }

    /// Replaces the entry registered in code that has the same id. The position stays.
    ///
    /// # Errors
    /// [`RegistryError::Closed`], then [`RegistryError::NotRegistered`], then [`RegistryError::IdMismatch`].
    pub fn replace(&self, id: &Id, item: impl Into<Registered<T>>) -> Result<&Self, RegistryError> {
        self.open()?.0.memory.replace(id, item)?;
        Ok(self.publish_memory())
    }

    /// Removes an entry that was registered in code. An unknown id changes nothing, and nothing changes a closed registry.
    pub fn unregister(&self, id: &str) -> &Self {
        self.0.memory.unregister(id);
        self.publish_memory()
    }

    /// Removes every entry that was registered in code.
    pub fn clear(&self) -> &Self {
        self.0.memory.clear();
        self.publish_memory()
    }

    /// Replaces the rules. They are in force when this returns, unless the registry is closed.
    pub fn set_rules(&self, rules: &RuleStack) -> &Self {
        self.publish(|current| current.with_rules(rules));
        self.notify_callbacks();
        self
    }

    fn publish_memory(&self) -> &Self {
        // ListingEntry inside the publishing turn, so that a later change is never overwritten by an earlier one.
        self.publish(|current| {
            let name = self.0.memory.name();
            current.with_listing(name, self.0.memory.listing())
        });
        self.notify_callbacks();
        self
    }

    /// Reads the instructions of a candidate, winner or shadow, from its source.
    /// When they are newer than the snapshot, the source is refreshed.
    ///
    /// # Errors
    /// The source's own; [`Unavailable`](SourceErrorKind::Unavailable) when the source is no longer composed, or no longer
    /// under the tier and the trust of the candidate; [`Denied`](SourceErrorKind::Denied) for content that the
    /// [rules](crate::RuleSet::deny) deny.
    ///
    /// # Cancel safety
    /// May be dropped at any point; the source is refreshed or it is not.
    pub async fn body(&self, candidate: &Candidate<T>) -> Result<Body, SourceError> {
        let (owner, mount, check) = self.allowed(candidate).await?;
        let body = mount.body(candidate.item.id()).await?;
        check.check_digest(candidate.item.id(), body.digest)?;
        if body.stamp != candidate.stamp {
            owner.refresh_source(&mount).await;
        }
        Ok(body)
    }

    /// Reads the body of every candidate of `view`, shadows among them, and returns the diagnostics about hidden text in them.
    /// A listing reads front matter alone, so these are not part of a snapshot. A body that cannot be read has none.
    pub async fn body_diagnostics(&self, view: &Snapshot<T>) -> Vec<SourceDiagnostic> {
        let candidates: Vec<_> = view
            .entries()
            .iter()
            .flat_map(|entry| entry.candidates())
            .collect();
        let read = candidates.into_iter().map(async |candidate| {
            let body = self.body(candidate).await.ok()?;
            let mut diagnostic = body.diagnostic()?;
            diagnostic.path = candidate.item.location().map(Into::into);
            Some(found(&candidate.origin.source, diagnostic))
        });
        stream::iter(read)
            .buffered(TOGETHER)
            .filter_map(async |found| found)
            .collect()
            .await
    }

    /// Returns the diagnostics about omissions in the folders of every candidate of `view`.
    /// No file is read. A source that does not support omissions has none.
    pub async fn part_diagnostics(&self, view: &Snapshot<T>) -> Vec<SourceDiagnostic> {
        let candidates: Vec<_> = view
            .entries()
            .iter()
            .flat_map(|entry| entry.candidates())
            .collect();
        let looked = candidates.into_iter().map(async |candidate| {
            let omissions = self.omissions(candidate).await.unwrap_or_default();
            let folder = candidate
                .item
                .location()
                .and_then(|location| Some(location.rsplit_once(['/', '\\'])?.0));
            let diagnostics = omissions.iter().map(|omission| omission.diagnostic(folder));
            diagnostics
                .map(|diagnostic| found(&candidate.origin.source, diagnostic))
                .collect::<Vec<_>>()
        });
        stream::iter(looked).buffered(TOGETHER).concat().await
    }

    /// Lists the files of a candidate, sorted by path.
    ///
    /// # Errors
    /// As [`body`](Registry::body).
    ///
    /// # Cancel safety
    /// May be dropped at any point.
    pub async fn resources(&self, candidate: &Candidate<T>) -> Result<Vec<Resource>, SourceError> {
        let (_, mount, _) = self.allowed(candidate).await?;
        mount.resources(candidate.item.id()).await
    }

    /// Reads a file of a candidate. If no file has that path, the file is read whose path differs in composed letters alone.
    ///
    /// # Errors
    /// As [`body`](Registry::body).
    ///
    /// # Cancel safety
    /// May be dropped at any point.
    pub async fn resource(
        &self,
        candidate: &Candidate<T>,
        path: &ResourcePath,
    ) -> Result<Bytes, SourceError> {
        let (_, mount, check) = self.allowed(candidate).await?;
        let read = match mount.resource(candidate.item.id(), path).await {
            Err(error)
                if error.kind() == SourceErrorKind::NotFound && !path.as_str().is_ascii() =>
            {
                let files = mount
                    .resources(candidate.item.id())
                    .await
                    .unwrap_or_default();
                match path
                    .meant_among(files.iter().map(|file| &file.path))
                    .filter(|meant| *meant != path)
                {
                    Some(meant) => mount.resource(candidate.item.id(), meant).await,
                    None => Err(error),
                }
            }
            read => read,
        };
        let bytes = read?;
        check.check_bytes(candidate.item.id(), &bytes)?;
        Ok(bytes)
    }

    /// Lists what is in the folder of a candidate and is not one of its files.
    ///
    /// # Errors
    /// As [`body`](Registry::body).
    pub async fn omissions(&self, candidate: &Candidate<T>) -> Result<Vec<Omission>, SourceError> {
        self.owner_of(candidate)?
            .1
            .omissions(candidate.item.id())
            .await
    }

    /// Reads the digests of everything of a candidate that may take part in what it runs. A decision of trust is bound to them.
    ///
    /// # Errors
    /// As [`body`](Registry::body).
    pub async fn manifest(&self, candidate: &Candidate<T>) -> Result<Manifest, SourceError> {
        let (_, mount) = self.owner_of(candidate)?;
        let manifest = mount.manifest(candidate.item.id()).await?;
        let check = self.read(|view| ContentCheck::new(view.rules()));
        check.check_manifest(candidate.item.id(), &manifest)?;
        Ok(manifest)
    }

    /// Returns the owner of a candidate whose files are not denied, its mount, and the check of what is read next.
    async fn allowed(
        &self,
        candidate: &Candidate<T>,
    ) -> Result<(&Registry<T>, Mount<T>, ContentCheck), SourceError> {
        let (owner, mount) = self.owner_of(candidate)?;
        let check = self.read(|view| ContentCheck::new(view.rules()));
        check.check_item(&mount, candidate.item.id()).await?;
        Ok((owner, mount, check))
    }

    pub(crate) fn owner_of(
        &self,
        candidate: &Candidate<T>,
    ) -> Result<(&Registry<T>, Mount<T>), SourceError> {
        let rules = self.read(|view| view.rules().clone());
        self.owner_under(&rules, candidate)
    }

    fn owner_under(
        &self,
        rules: &RuleStack,
        candidate: &Candidate<T>,
    ) -> Result<(&Registry<T>, Mount<T>), SourceError> {
        let composition = self.composition();
        let what = match (composition.mount(&candidate.origin.source), self.base()) {
            (Some(mount), _) if mount.matches(candidate, rules) => {
                return Ok((self, mount.clone()));
            }
            (Some(_), _) => "composed in another way by now",
            (None, Some(base)) => return base.owner_under(rules, candidate),
            (None, None) => "no longer composed",
        };
        let message = format!("source `{}` is {what}", candidate.origin.source);
        Err(SourceError::new(SourceErrorKind::Unavailable, message))
    }

    /// Lists every source and publishes the changes. Returns what changed since the call.
    ///
    /// - Runs follow one another. Each caller gets one that began after its call. Callers that wait together share one.
    /// - A source that fails, panics or exceeds its [time limit](Mount::time_limit) keeps its last listing.
    /// - On a registry that was only loaded, a source that never answers blocks refreshing until the host drops the call. Readers
    ///   and other functions are not blocked.
    /// - On an [overlay](Registry::overlay) the base is refreshed first.
    ///
    /// # Errors
    /// [`RegistryError::Closed`] if the registry is closed, before the call or during it.
    ///
    /// # Cancel safety
    /// May be dropped at any point. A caller that waits then continues the run.
    pub async fn refresh(&self) -> Result<Change<T>, RegistryError> {
        let before = self.snapshot();
        if let Some(base) = self.base() {
            Box::pin(base.refresh()).await?;
        }
        tokio::select! {
            biased;
            () = self.closed() => return Err(RegistryError::Closed),
            () = self.0.worker.run(|| self.list_all()) => {}
        }
        self.notify_all_callbacks();
        Ok(self.snapshot().changes_since(&before))
    }

    /// Ends the background task, every [`Subscription`](crate::Subscription) and every callback, and waits for them. The last snapshot stays readable.
    /// Closing twice is allowed. Dropping the last handle does the same without waiting.
    pub async fn close(&self) {
        self.0.closed.send_replace(true);
        self.0.listeners.close().await;
        let hook = self.0.hook.lock().take();
        drop(hook);
        let tasks = std::mem::take(&mut *self.0.tasks.lock());
        for task in tasks {
            // A task that panicked has nothing left to join; its sources keep their last listing.
            let _ = task.await;
        }
    }

    pub(crate) async fn closed(&self) {
        self.closing().closed().await;
    }

    pub(crate) fn base(&self) -> Option<&Registry<T>> {
        self.0.base.as_ref()
    }

    fn chain(&self) -> impl Iterator<Item = &Registry<T>> {
        std::iter::successors(Some(self), |registry| registry.base())
    }

    pub(crate) fn depth(&self) -> usize {
        self.chain().count() - 1
    }

    pub(crate) fn composition(&self) -> Arc<Composition<T>> {
        self.0.composition.borrow().clone()
    }

    pub(crate) fn runtime(&self) -> Option<&Handle> {
        self.0.runtime.get()
    }

    /// Returns the runtime that this registry or a base was started on.
    pub(crate) fn clock(&self) -> Option<&Handle> {
        self.chain().find_map(Registry::runtime)
    }

    pub(crate) fn notices(&self) -> ChangeSignals {
        ChangeSignals(
            self.chain()
                .map(|registry| registry.0.notices.subscribe())
                .collect(),
        )
    }

    pub(crate) fn downgrade(&self) -> WeakRegistry<T> {
        WeakRegistry(Arc::downgrade(&self.0))
    }

    pub(crate) fn closing(&self) -> CloseSignals {
        CloseSignals(
            self.chain()
                .map(|registry| registry.0.closed.subscribe())
                .collect(),
        )
    }

    pub(crate) fn revision_of(&self, mount: &Mount<T>) -> Option<Revision> {
        self.composition()
            .mount(mount.name())
            .filter(|now| now.ptr_eq(mount))?;
        Some(self.own().layer(mount.name())?.listing.revision())
    }
}

impl<T: Item> Clone for Registry<T> {
    fn clone(&self) -> Registry<T> {
        Registry(Arc::clone(&self.0))
    }
}

impl Registry<Skill> {
    /// Returns the policy that places the bodies of skills.
    pub fn surface_policy(&self) -> SurfacePolicy {
        self.composition().surface.clone()
    }

    /// Returns where the body of `skill` is placed for `model`, and what decided that.
    pub fn surface_of(&self, skill: &Skill, model: &Model) -> Surface {
        self.composition().surface.resolve(skill.surface, model)
    }
}
