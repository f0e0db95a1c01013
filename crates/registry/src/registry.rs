//! One merging registry over any number of sources.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use arc_swap::ArcSwap;
use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use repertoire_core::{
    Body, Delta, Diagnostic, Digest, Id, Item, Listing, Resource, ResourcePath, Revision, SourceError, SurfacePolicy,
};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::entry::Claim;
use crate::step::{Look, Step, step};
use crate::worker::Worker;
use crate::{Builder, Change, Entry, MemorySource, Mount, RegisterError, Registered, Snapshot, Subscription, merge};

/// One merging registry over any number of sources. Cheap to clone; clones are one registry.
///
/// Readers take a [`Snapshot`] through one atomic load and never wait. Nothing runs in the background
/// unless it was started with [`Builder::start`].
///
/// ```
/// use repertoire_core::Skill;
/// use repertoire_registry::{MemorySource, Registered, SkillRegistry};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let home = MemorySource::named("home");
/// home.register(Registered::new(Skill::new("tidy".parse()?, "Sorts a folder."), "Sort it."))?;
///
/// let registry = SkillRegistry::builder().user(home).load().await?;
/// let entry = registry.get("tidy").ok_or("no entry")?;
/// assert_eq!(registry.body(&entry.claim).await?.text.as_ref(), "Sort it.");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Registry<T: Item>(Arc<Shared<T>>);

#[derive(Debug)]
struct Shared<T: Item> {
    current: ArcSwap<Snapshot<T>>,
    mounts: Vec<Mount<T>>,
    memory: MemorySource<T>,
    worker: Worker,
    /// Held while a view is derived from the current one and published; never across an await.
    publishing: Mutex<()>,
    notices: watch::Sender<u64>,
    closed: watch::Sender<bool>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
    surface: SurfacePolicy,
}

/// A registry that a background task holds: it does not keep the registry alive.
#[derive(Debug)]
pub(crate) struct WeakRegistry<T: Item>(Weak<Shared<T>>);

impl<T: Item> WeakRegistry<T> {
    pub(crate) fn upgrade(&self) -> Option<Registry<T>> {
        self.0.upgrade().map(Registry)
    }
}

/// The registry was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the registry is closed")]
pub struct Closed;

/// Sources asked at the same time, and bodies read at the same time to compare them.
const CONCURRENT: usize = 16;

impl<T: Item> Registry<T> {
    /// The name of the source that holds what is registered in code.
    pub const REGISTERED: &str = "registered";

    /// Composes a registry.
    pub fn builder() -> Builder<T> {
        Builder::default()
    }

    pub(crate) fn of(
        mounts: Vec<Mount<T>>,
        mut preferred: BTreeMap<String, BTreeSet<Id>>,
        memory: MemorySource<T>,
        surface: SurfacePolicy,
    ) -> Registry<T> {
        let layers: Vec<_> = mounts
            .iter()
            .enumerate()
            .map(|(position, mount)| {
                let preferred = preferred.remove(mount.origin().source.as_ref()).unwrap_or_default();
                mount.layer(position, preferred, Listing::empty(Revision(0)))
            })
            .collect();
        Registry(Arc::new(Shared {
            current: ArcSwap::from_pointee(merge(&layers)),
            mounts,
            memory,
            worker: Worker::default(),
            publishing: Mutex::default(),
            notices: watch::Sender::new(0),
            closed: watch::Sender::new(false),
            tasks: Mutex::default(),
            surface,
        }))
    }

    /// The current view: one atomic load.
    pub fn snapshot(&self) -> Snapshot<T> {
        Snapshot::clone(&self.0.current.load())
    }

    /// The entry with exactly this effective id.
    pub fn get(&self, id: &str) -> Option<Arc<Entry<T>>> {
        self.0.current.load().get(id).cloned()
    }

    /// Whether an entry has exactly this effective id.
    pub fn has(&self, id: &str) -> bool {
        self.0.current.load().get(id).is_some()
    }

    /// All entries: by tier, then source, then the source's own order.
    pub fn list(&self) -> Vec<Arc<Entry<T>>> {
        self.0.current.load().entries().to_vec()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.current.load().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The error findings by path; those without a path under the source's name.
    pub fn errors(&self) -> BTreeMap<Arc<str>, Vec<Diagnostic>> {
        self.snapshot().errors()
    }

    /// The composed sources, in the order of composition.
    pub fn mounts(&self) -> &[Mount<T>] {
        &self.0.mounts
    }

    /// Adds an entry in code. It is there when this returns.
    ///
    /// # Errors
    /// [`RegisterError::AlreadyRegistered`]: entries of other sources may share the id, registered ones not.
    pub fn register(&self, item: impl Into<Registered<T>>) -> Result<&Self, RegisterError> {
        self.0.memory.register(item)?;
        Ok(self.publish_memory())
    }

    /// Puts an entry registered in code in place of the one with its id; the position stays.
    ///
    /// # Errors
    /// First [`RegisterError::NotRegistered`], then [`RegisterError::IdMismatch`].
    pub fn replace(&self, id: &Id, item: impl Into<Registered<T>>) -> Result<&Self, RegisterError> {
        self.0.memory.replace(id, item)?;
        Ok(self.publish_memory())
    }

    /// Takes an entry registered in code out; an unknown id is fine. A shadow of it steps forward.
    pub fn unregister(&self, id: &str) -> &Self {
        self.0.memory.unregister(id);
        self.publish_memory()
    }

    /// Takes every entry registered in code out.
    pub fn clear(&self) -> &Self {
        self.0.memory.clear();
        self.publish_memory()
    }

    /// The instructions behind a claim, winner or shadow, from the source that made it.
    ///
    /// When they turn out newer than the view, the source is looked at again, so that the view follows.
    ///
    /// # Errors
    /// The source's own.
    pub async fn body(&self, claim: &Claim<T>) -> Result<Body, SourceError> {
        let mount = self.mount_of(claim);
        let body = mount.body(claim.item.id()).await?;
        if body.stamp != claim.stamp {
            self.look_again(mount).await;
        }
        Ok(body)
    }

    /// The files behind a claim, sorted by path.
    ///
    /// # Errors
    /// The source's own.
    pub async fn resources(&self, claim: &Claim<T>) -> Result<Vec<Resource>, SourceError> {
        self.mount_of(claim).resources(claim.item.id()).await
    }

    /// One file behind a claim.
    ///
    /// # Errors
    /// The source's own.
    pub async fn resource(&self, claim: &Claim<T>, path: &ResourcePath) -> Result<Bytes, SourceError> {
        self.mount_of(claim).resource(claim.item.id(), path).await
    }

    /// Lists every source anew and publishes what changed. Returns what changed since the call.
    ///
    /// Runs go one after another; each caller gets one that began after its call, and callers that wait
    /// together share one. A source that fails or panics keeps its last listing; one that never answers holds
    /// up refreshing, though no reader and no verb: a host that mounts such sources drops the call in time.
    ///
    /// # Errors
    /// [`Closed`] after [`close`](Registry::close), also when that happens meanwhile.
    ///
    /// # Cancel safety
    /// May be dropped at any point; another waiting caller takes the run over.
    pub async fn refresh(&self) -> Result<Change<T>, Closed> {
        let before = self.snapshot();
        tokio::select! {
            biased;
            () = self.closed() => Err(Closed),
            () = self.0.worker.run(|| self.list_all()) => Ok(self.snapshot().changes_since(&before)),
        }
    }

    /// Follows the registry from the current view on.
    pub fn subscribe(&self) -> Subscription<T> {
        Subscription::new(self.clone(), self.0.notices.subscribe())
    }

    /// Ends and joins the task that was started, and every [`Subscription`]. The last view stays readable. Twice is fine.
    pub async fn close(&self) {
        self.0.closed.send_replace(true);
        let tasks = std::mem::take(&mut *self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        for task in tasks {
            // A task that panicked has nothing left to join; its sources keep their last listing.
            let _ = task.await;
        }
    }

    /// Resolves once the registry is closed.
    pub(crate) async fn closed(&self) {
        let mut closed = self.0.closed.subscribe();
        // The sender lives in `self`, so waiting cannot fail.
        let _ = closed.wait_for(|closed| *closed).await;
    }

    pub(crate) fn surface_policy(&self) -> &SurfacePolicy {
        &self.0.surface
    }

    pub(crate) fn keep_task(&self, task: JoinHandle<()>) {
        self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner).push(task);
    }

    pub(crate) fn downgrade(&self) -> WeakRegistry<T> {
        WeakRegistry(Arc::downgrade(&self.0))
    }

    pub(crate) fn closing(&self) -> watch::Receiver<bool> {
        self.0.closed.subscribe()
    }

    /// The revision of the listing that the view holds of this mount.
    pub(crate) fn revision_of(&self, mount: &Mount<T>) -> Revision {
        self.snapshot().layer(&mount.origin().source).expect("every mount has a layer").listing.revision()
    }

    fn mount_of(&self, claim: &Claim<T>) -> &Mount<T> {
        let mut mounts = self.0.mounts.iter();
        mounts.find(|mount| *mount.origin() == claim.origin).expect("every claim of this registry was made by a mount")
    }

    /// Lists every source again and publishes the result as one view; inside the worker's turn only.
    pub(crate) async fn list_all(&self) {
        self.list_these(&self.0.mounts, Look::Anew).await;
    }

    /// Lists one source again, in the worker's turn.
    pub(crate) async fn look_again(&self, mount: &Mount<T>) {
        self.0.worker.between(|| self.list_these(std::slice::from_ref(mount), Look::Again)).await;
    }

    async fn list_these(&self, mounts: &[Mount<T>], look: Look) {
        let base = self.snapshot();
        let steps: Vec<_> = mounts.iter().map(|mount| step(mount, &base, look)).collect();
        let steps: Vec<Step<T>> = stream::iter(steps).buffer_unordered(CONCURRENT).collect().await;
        let after = |view: &Snapshot<T>| steps.iter().fold(view.clone(), |view, step| step.apply(&view));
        let candidate = after(&base);
        let digests = self.missing_digests(&candidate, &steps).await;
        self.publish(|current| {
            // Unless something was registered meanwhile.
            let view = if current.is(&base) { candidate } else { after(current) };
            digests.iter().fold(view, |view, (source, digests)| view.with_digests(source, digests))
        });
    }

    /// The digests of rows that share an id and that nobody knows yet, so that "identical" is known for
    /// shadows before the view is published. A source without bodies leaves it open.
    async fn missing_digests(&self, view: &Snapshot<T>, steps: &[Step<T>]) -> HashMap<Arc<str>, HashMap<Id, Digest>> {
        if !view.is_contested() {
            return HashMap::new();
        }
        let touched = steps.iter().flat_map(|step| step.touched(view));
        let contested = touched.filter_map(|id| view.get(id.as_str())).filter(|entry| !entry.shadows.is_empty());
        let unknown = contested.flat_map(|entry| entry.claims()).filter(|claim| claim.digest.is_none());
        let asked: Vec<_> = unknown.map(|claim| self.digest_of(claim)).collect();
        let mut answers = stream::iter(asked).buffer_unordered(CONCURRENT);
        let mut digests = HashMap::<Arc<str>, HashMap<Id, Digest>>::new();
        while let Some(answer) = answers.next().await {
            if let Some((claim, digest)) = answer {
                digests.entry(claim.origin.source.clone()).or_default().insert(claim.item.id().clone(), digest);
            }
        }
        digests
    }

    async fn digest_of<'c>(&self, claim: &'c Claim<T>) -> Option<(&'c Claim<T>, Digest)> {
        let body = self.mount_of(claim).body(claim.item.id()).await.ok()?;
        Some((claim, body.digest))
    }

    fn publish_memory(&self) -> &Self {
        // Listed inside the publishing turn, so that a later change is never overwritten by an earlier one.
        self.publish(|current| {
            let old = &current.layer(Self::REGISTERED).expect("the memory source is always mounted").listing;
            Step::new(Self::REGISTERED, old, Delta::between(old, &self.0.memory.listing())).apply(current)
        });
        self
    }

    /// Derives the next view from the current one and publishes it if anything changed.
    fn publish(&self, next: impl FnOnce(&Snapshot<T>) -> Snapshot<T>) {
        let _turn = self.0.publishing.lock().unwrap_or_else(PoisonError::into_inner);
        let current = self.snapshot();
        let next = next(&current);
        if next.is_like(&current) {
            // Revisions, stamps and digests may still be newer; nobody needs to hear of them.
            self.0.current.store(Arc::new(next));
            return;
        }
        let next = next.after(&current);
        let generation = next.generation();
        self.0.current.store(Arc::new(next));
        self.0.notices.send_replace(generation);
    }
}

impl<T: Item> Clone for Registry<T> {
    fn clone(&self) -> Registry<T> {
        Registry(Arc::clone(&self.0))
    }
}
