//! One merging registry over any number of sources.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, Weak};

use arc_swap::ArcSwap;
use parking_lot::{Mutex, MutexGuard};
use repertoire_core::{Diagnostic, Item, Listing, Revision};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::clock::Clock;
use crate::composition::Composition;
use crate::listener::Listeners;
use crate::signals::{Closing, Notices};
use crate::view::View;
use crate::worker::Worker;
use crate::{Builder, Change, Entry, MemorySource, Mount, Rules, Snapshot, Subscription, Unsubscribe, merge_under};

/// One merging registry over any number of sources. Cheap to clone; clones are one registry.
///
/// Readers take a [`Snapshot`] through an atomic load and never wait. Nothing runs in the background
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
    current: ArcSwap<View<T>>,
    /// What it lies over.
    base: Option<Registry<T>>,
    composition: watch::Sender<Arc<Composition<T>>>,
    memory: MemorySource<T>,
    worker: Worker,
    /// Held while a view is derived from the current one and published; never across an await.
    publishing: Mutex<()>,
    notices: watch::Sender<u64>,
    closed: watch::Sender<bool>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
    listeners: Listeners<T>,
    /// What has callbacks told of what the base publishes.
    hook: Mutex<Option<Unsubscribe>>,
    /// What it was started on.
    runtime: OnceLock<Handle>,
}

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

/// The registry was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the registry is closed")]
pub struct Closed;

impl<T: Item> Registry<T> {
    /// The name of the source that holds what is registered in code.
    pub const REGISTERED: &str = "registered";

    /// Composes a registry.
    pub fn builder() -> Builder<T> {
        Builder::default()
    }

    /// A registry whose sources are not listed yet.
    pub(crate) fn of(
        composition: Composition<T>,
        rules: &Rules,
        memory: MemorySource<T>,
        base: Option<Registry<T>>,
    ) -> Registry<T> {
        let layers = composition.layers(|_| Listing::empty(Revision(0)));
        let view = View::new(merge_under(rules, &layers), base.as_ref().map(Registry::snapshot));
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

    /// The entry with exactly this effective id.
    pub fn get(&self, id: &str) -> Option<Arc<Entry<T>>> {
        self.read(|view| view.get(id).cloned())
    }

    /// Whether an entry has exactly this effective id.
    pub fn has(&self, id: &str) -> bool {
        self.read(|view| view.get(id).is_some())
    }

    /// All entries: by tier, then source, then the source's own order.
    pub fn list(&self) -> Vec<Arc<Entry<T>>> {
        self.read(|view| view.entries().to_vec())
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.read(Snapshot::len)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The error findings by path; those without a path under the source's name.
    pub fn errors(&self) -> BTreeMap<Arc<str>, Vec<Diagnostic>> {
        self.snapshot().errors()
    }

    /// The sources composed now, in the order of composition; the first holds what is registered in code. Not those of a
    /// registry that this one lies over.
    pub fn mounts(&self) -> Vec<Mount<T>> {
        self.composition().mounts.clone()
    }

    /// Lists every source anew and publishes what changed. Returns what changed since the call.
    ///
    /// Runs go one after another; each caller gets one that began after its call, and callers that wait
    /// together share one. A source that fails or panics keeps its last listing, as does one that takes longer than its
    /// [time limit](Mount::time_limit); on a registry that was only loaded one that never answers holds up refreshing, though no
    /// reader and no verb, until the host drops the call. On an [overlay](Registry::overlay) what it lies over is refreshed first.
    ///
    /// # Errors
    /// [`Closed`] after [`close`](Registry::close), also when that happens meanwhile.
    ///
    /// # Cancel safety
    /// May be dropped at any point; another waiting caller takes the run over.
    pub async fn refresh(&self) -> Result<Change<T>, Closed> {
        let before = self.snapshot();
        if let Some(base) = self.base() {
            Box::pin(base.refresh()).await?;
        }
        tokio::select! {
            biased;
            () = self.closed() => return Err(Closed),
            () = self.0.worker.run(|| self.list_all()) => {}
        }
        self.tell_all();
        Ok(self.snapshot().changes_since(&before))
    }

    /// Follows the registry from the current view on.
    pub fn subscribe(&self) -> Subscription<T> {
        Subscription::new(self.clone())
    }

    /// Ends and joins what was started, every [`Subscription`], and every callback: none runs after this returned. The last
    /// view stays readable. Twice is fine. Dropping the last handle does the same without waiting.
    pub async fn close(&self) {
        self.0.closed.send_replace(true);
        self.0.listeners.close().await;
        let hook = self.hook().take();
        drop(hook);
        let tasks = std::mem::take(&mut *self.0.tasks.lock());
        for task in tasks {
            // A task that panicked has nothing left to join; its sources keep their last listing.
            let _ = task.await;
        }
    }

    /// Resolves once the registry is closed, or one that it lies over.
    pub(crate) async fn closed(&self) {
        self.closing().closed().await;
    }

    pub(crate) fn current(&self) -> &ArcSwap<View<T>> {
        &self.0.current
    }

    pub(crate) fn publishing(&self) -> &Mutex<()> {
        &self.0.publishing
    }

    pub(crate) fn base(&self) -> Option<&Registry<T>> {
        self.0.base.as_ref()
    }

    /// This registry, what it lies over, and so on.
    fn chain(&self) -> impl Iterator<Item = &Registry<T>> {
        std::iter::successors(Some(self), |registry| registry.base())
    }

    /// How many registries it lies over.
    pub(crate) fn depth(&self) -> usize {
        self.chain().count() - 1
    }

    pub(crate) fn hook(&self) -> MutexGuard<'_, Option<Unsubscribe>> {
        self.0.hook.lock()
    }

    /// Wakes whoever waits for a new view.
    pub(crate) fn announce(&self, generation: u64) {
        self.0.notices.send_replace(generation);
    }

    pub(crate) fn worker(&self) -> &Worker {
        &self.0.worker
    }

    pub(crate) fn composition(&self) -> Arc<Composition<T>> {
        self.0.composition.borrow().clone()
    }

    pub(crate) fn compositions(&self) -> watch::Receiver<Arc<Composition<T>>> {
        self.0.composition.subscribe()
    }

    pub(crate) fn set_composition(&self, composition: Composition<T>) {
        self.0.composition.send_replace(Arc::new(composition));
    }

    pub(crate) fn keep_task(&self, task: JoinHandle<()>) {
        self.0.tasks.lock().push(task);
    }

    pub(crate) fn set_runtime(&self, runtime: &Handle) {
        self.0.runtime.set(runtime.clone()).expect("a registry is started once, by its builder");
    }

    /// What the registry was started on.
    pub(crate) fn runtime(&self) -> Option<&Handle> {
        self.0.runtime.get()
    }

    /// The clock of what was started, this registry or one that it lies over.
    pub(crate) fn clock(&self) -> Clock<'_> {
        Clock(self.chain().find_map(Registry::runtime))
    }

    pub(crate) fn listeners(&self) -> &Listeners<T> {
        &self.0.listeners
    }

    pub(crate) fn notices(&self) -> Notices {
        Notices(self.chain().map(|registry| registry.0.notices.subscribe()).collect())
    }

    pub(crate) fn downgrade(&self) -> WeakRegistry<T> {
        WeakRegistry(Arc::downgrade(&self.0))
    }

    pub(crate) fn closing(&self) -> Closing {
        Closing(self.chain().map(|registry| registry.0.closed.subscribe()).collect())
    }

    /// The revision of the listing that the view holds of this mount; `None` once it is not composed any more.
    pub(crate) fn revision_of(&self, mount: &Mount<T>) -> Option<Revision> {
        self.composition().mount(mount.name()).filter(|now| now.is(mount))?;
        Some(self.own().layer(mount.name())?.listing.revision())
    }

    pub(crate) fn memory(&self) -> &MemorySource<T> {
        &self.0.memory
    }
}

impl<T: Item> Clone for Registry<T> {
    fn clone(&self) -> Registry<T> {
        Registry(Arc::clone(&self.0))
    }
}
