//! The source.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use repertoire_core::{
    Body, Bytes, Id, Item, Listing, Manifest, Omission, Resource, ResourcePath, Revision, Skill, Source, SourceError,
    async_trait,
};
use tokio::sync::{Mutex, watch};

use crate::bounds::Bounds;
use crate::client_plugins::PluginOrigin;
use crate::edit::Edit;
use crate::folder::SkillFolder;
use crate::pattern::Patterns;
use crate::record::Record;
use crate::root::Plan;
use crate::scan::{self, Scan};
use crate::watch::{Dirty, Watcher};
use crate::{ClientPlugin, FsLimits, FsOptions, InvalidOptions, RootReport, WatchOptions, manifest, workers};

/// Skills from folder trees. What counts as a skill: see the [crate's page](crate).
///
/// Listing twice without a change gives equal listings, which share their skills. A file that breaks keeps its
/// last good row, with an error and a [`stale`](repertoire_core::Code::STALE) diagnostic, as long as this source lives;
/// only a deleted file is gone. A root that does not exist is an empty listing; [`roots`](FsSource::roots) tells.
///
/// Every method must be called inside a tokio runtime, whose blocking pool does the reading.
pub struct FsSource {
    name: String,
    /// Replaced when the plugin moves whose skills these are.
    plan: RwLock<Arc<Plan>>,
    plugin: Option<PluginOrigin>,
    /// Held while scanning: scans come one after another.
    turn: Mutex<()>,
    latest: RwLock<Option<Arc<Scan>>>,
    /// The last revision that waiting for changes has brought.
    told: AtomicU64,
    watcher: Option<Arc<Watcher>>,
}

impl FsSource {
    /// Every skill below `root`, which should be absolute: a relative path means what the operating system makes of it.
    pub fn new(name: impl Into<String>, root: impl Into<PathBuf>) -> FsSource {
        let patterns = Patterns::new(&["**/SKILL.md"]).expect("a pattern that is written in the documentation");
        FsSource::from_plan(name.into(), Plan::new(std::iter::once(root.into()), patterns, FsLimits::default()))
    }

    /// What `options` describe, relative roots resolved against the folder `base`, which should be absolute.
    ///
    /// # Errors
    /// [`InvalidOptions`] names the key that cannot be used.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use repertoire_source_fs::{FsOptions, FsSource};
    ///
    /// let options: FsOptions = serde_json::from_str(r#"{ "patterns": ["skills/*.md"] }"#)?;
    /// let error = FsSource::from_options("project", Path::new("/srv/app"), options).unwrap_err();
    /// assert_eq!(error.to_string(), "`patterns[0]`: `skills/*.md` does not end in `SKILL.md`");
    /// assert_eq!(error.help.as_deref(), Some("write `skills/SKILL.md`"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn from_options(name: impl Into<String>, base: &Path, options: FsOptions) -> Result<FsSource, InvalidOptions> {
        let watch = options.watch.clone();
        let source = FsSource::from_plan(name.into(), options.plan(base)?);
        Ok(match watch {
            Some(watch) => source.watching(watch),
            None => source,
        })
    }

    fn from_plan(name: String, plan: Plan) -> FsSource {
        FsSource {
            name,
            plan: RwLock::new(Arc::new(plan)),
            plugin: None,
            turn: Mutex::new(()),
            latest: RwLock::new(None),
            told: AtomicU64::new(0),
            watcher: None,
        }
    }

    /// The same source, which keeps up with its folders: [`changed`](Source::changed) tells of changes, and the row of
    /// a skill changes with any of its files.
    ///
    /// This is the consent to what watching takes: from the first call of `changed` on, one watch for each folder of
    /// [`folders`](FsSource::folders) and each one above a root, and one thread for all sources of the process, which
    /// ends with the last of them; and
    /// every file of every skill is read once, within the [limits](FsLimits).
    #[must_use]
    pub fn watching(self, options: WatchOptions) -> FsSource {
        self.watched_by(Watcher::new(options))
    }

    /// Returns the same source, in which no link leads out of `folder`.
    ///
    /// Made for trees of strangers: their links may point at what is private, or at skills of the user. A root, a folder or
    /// a `SKILL.md` whose real path lies elsewhere is left out, with a
    /// [`link-leads-out`](repertoire_core::Code::LINK_LEADS_OUT) diagnostic.
    #[must_use]
    pub fn within(mut self, folder: impl Into<PathBuf>) -> FsSource {
        self.plan_mut().within = Some(folder.into());
        self
    }

    /// Returns the same source, which follows `plugin` to other versions, and in which no link leads out of it.
    pub(crate) fn of_plugin(mut self, plugin: &ClientPlugin) -> FsSource {
        let plan = self.plan_mut();
        *plan = plan.clone().of(plugin);
        self.plugin = Some(plugin.origin.clone());
        self
    }

    /// Returns the folder of the plugin whose skills these are, in the version that the last listing is of.
    pub fn plugin_folder(&self) -> Option<PathBuf> {
        self.plugin.as_ref().and_then(|_| self.plan().within.clone())
    }

    fn plan(&self) -> Arc<Plan> {
        self.plan.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn plan_mut(&mut self) -> &mut Plan {
        Arc::make_mut(self.plan.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// Follows the plugin to the version that counts now. Returns whether its skills are elsewhere since then.
    async fn follow(&self) -> Result<bool, SourceError> {
        let Some(origin) = self.plugin.clone() else { return Ok(false) };
        let plan = self.plan();
        // An uninstalled plugin has no skills where it was, and may come back there.
        let Some(next) = workers::run(move || Some(Plan::clone(&plan).of(&origin.plugin()?))).await? else {
            return Ok(false);
        };
        let mut plan = self.plan.write().unwrap_or_else(PoisonError::into_inner);
        let (has_moved, is_led_anew) = (!next.is_over_like(&plan), next.guides != plan.guides);
        if has_moved || is_led_anew {
            *plan = Arc::new(next);
        }
        if let Some(watcher) = self.watcher.as_ref().filter(|_| is_led_anew) {
            watcher.arm_again();
        }
        Ok(has_moved)
    }

    /// Returns whether diagnostics may quote the file at `path`: it lies in a root without a link on the way, or links lead
    /// to a `SKILL.md` that the source could have found itself. Blocks for a few system calls.
    ///
    /// A link in a repository can lead to a secret, and diagnostics are printed where strangers read them.
    pub fn may_quote(&self, path: &Path) -> bool {
        let Ok(real) = path.canonicalize() else { return false };
        let is_own = |root: &Path| {
            let below = path.strip_prefix(root).ok();
            below.zip(root.canonicalize().ok()).is_some_and(|(below, root)| root.join(below) == real)
        };
        self.plan().starts.iter().any(|start| is_own(start.root_folder())) || Bounds::of(&self.plan()).let_quote(&real)
    }

    /// Whether it keeps up with its folders.
    pub fn is_watching(&self) -> bool {
        self.watcher.is_some()
    }

    pub(crate) fn watched_by(mut self, watcher: Watcher) -> FsSource {
        self.plan_mut().beside = true;
        self.watcher = Some(Arc::new(watcher));
        self
    }

    /// Looks again at `folder` and what lies below it, and leaves all else as it was last listed.
    ///
    /// A folder inside a skill stands for the skill, one where a search starts for everything. Where links lead
    /// elsewhere or a limit was met, everything is looked at: parts cannot be told apart then.
    ///
    /// # Errors
    /// As [`list`](Source::list).
    pub async fn rescan(&self, folder: &Path) -> Result<Listing<Skill>, SourceError> {
        let _turn = self.turn.lock().await;
        Ok(self.keep(match self.latest() {
            Some(latest) => scan::rescan(&self.plan(), latest, [folder]).await?,
            None => scan::scan(&self.plan(), None).await?,
        }))
    }

    /// Returns the folders where this source starts to search, whether they exist or not.
    pub fn starts(&self) -> Vec<PathBuf> {
        self.plan().starts.iter().map(|start| start.path.clone()).collect()
    }

    /// The folders in which this source searches, in order, as last listed: whether they exist, and what they hold.
    ///
    /// # Errors
    /// As [`list`](Source::list).
    pub async fn roots(&self) -> Result<Vec<RootReport>, SourceError> {
        Ok(self.scanned().await?.roots(&self.plan()))
    }

    /// Every folder that was looked into when this source was last listed, sorted: those of skills and those above
    /// them, and when [watching](FsSource::watching) those below a skill's own.
    ///
    /// # Errors
    /// As [`list`](Source::list).
    pub async fn folders(&self) -> Result<Vec<PathBuf>, SourceError> {
        Ok(self.scanned().await?.folders())
    }

    pub(crate) fn latest(&self) -> Option<Arc<Scan>> {
        self.latest.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep(&self, scan: Scan) -> Listing<Skill> {
        let listing = scan.listing.clone();
        let before = self.latest.write().unwrap_or_else(PoisonError::into_inner).replace(Arc::new(scan));
        if let Some(watcher) = &self.watcher
            && before.is_none_or(|before| before.listing.revision() < listing.revision())
        {
            watcher.ring();
        }
        listing
    }

    /// Does what there is to do next, or waits until there is something.
    async fn proceed(&self, watcher: &Arc<Watcher>, bell: &mut watch::Receiver<()>) -> Result<(), SourceError> {
        if watcher.is_settled() {
            if watcher.is_idle() && self.learn(watcher).await? {
                return Ok(());
            }
            if !watcher.wait(bell).await {
                return Ok(());
            }
        }
        self.settle(watcher).await
    }

    /// Looks at whatever is dirty, watches whatever that brought, and looks there again until nothing is new.
    async fn settle(&self, watcher: &Arc<Watcher>) -> Result<(), SourceError> {
        let _turn = self.turn.lock().await;
        let before = self.latest();
        let mut taken = watcher.take();
        let fresh = watcher.take_fresh();
        taken.dirty.extend(fresh);
        let mut scan = match &before {
            Some(latest) => self.look(watcher, latest.clone(), &taken.dirty).await?,
            None => self.look_at_all(watcher, None).await?,
        };
        let mut is_settled = false;
        for _ in 0..ROUNDS {
            {
                let (watcher, plan, scan) = (watcher.clone(), self.plan(), scan.clone());
                workers::run(move || watcher.arm(&plan, &scan)).await?;
            }
            let fresh = watcher.take_fresh();
            is_settled = !fresh.is_some();
            if is_settled {
                break;
            }
            // Not lost when nobody waits for what follows.
            taken.dirty.extend(fresh.clone());
            scan = self.look(watcher, scan, &fresh).await?;
        }
        self.tell(Scan::clone(&scan).report(watcher.finding(&self.plan())));
        if is_settled {
            taken.done();
        }
        Ok(())
    }

    async fn look(&self, watcher: &Watcher, previous: Arc<Scan>, dirty: &Dirty) -> Result<Arc<Scan>, SourceError> {
        let is_outside = |folder: &PathBuf| !self.plan().starts.iter().any(|start| folder.starts_with(&start.path));
        if dirty.all || self.plugin.is_some() && dirty.folders.iter().any(is_outside) && self.follow().await? {
            self.look_at_all(watcher, Some(previous)).await
        } else if dirty.folders.is_empty() {
            Ok(previous)
        } else {
            let folders = dirty.folders.iter().map(PathBuf::as_path);
            Ok(Arc::new(scan::rescan(&self.plan(), previous, folders).await?))
        }
    }

    async fn look_at_all(&self, watcher: &Watcher, previous: Option<Arc<Scan>>) -> Result<Arc<Scan>, SourceError> {
        watcher.looked();
        self.follow().await?;
        Ok(Arc::new(scan::scan(&self.plan(), previous).await?))
    }

    /// Keeps what waiting for changes has brought.
    fn tell(&self, scan: Scan) {
        let revision = self.keep(scan).revision();
        self.told.store(revision.0, Ordering::Release);
    }

    /// Reads the contents of a few skills that are not known yet, so that a change can be told from a touch later on.
    /// Says whether there were any.
    async fn learn(&self, watcher: &Arc<Watcher>) -> Result<bool, SourceError> {
        let Some(latest) = self.latest() else { return Ok(false) };
        let batch: Vec<Arc<Record>> = latest.records.unread().take(BATCH).cloned().collect();
        if batch.is_empty() {
            return Ok(false);
        }
        let (watcher, plan) = (watcher.clone(), self.plan());
        let read = move |old: Arc<Record>| Edit { new: Some(Arc::new(old.read_whole(&plan.limits))), old: Some(old) };
        let edits =
            workers::run(move || batch.into_iter().take_while(|_| watcher.is_idle()).map(read).collect()).await?;
        let _turn = self.turn.lock().await;
        if let Some(latest) = self.latest() {
            self.tell(latest.learn(edits));
        }
        Ok(true)
    }

    /// The latest scan, or the first.
    async fn scanned(&self) -> Result<Arc<Scan>, SourceError> {
        if self.latest().is_none() {
            self.list().await?;
        }
        Ok(self.latest().expect("listing keeps its scan, and nothing removes it"))
    }

    /// The file behind a listed id. An unknown name never touches the disk.
    async fn file_of(&self, id: &Id) -> Result<Arc<Record>, SourceError> {
        let scan = self.scanned().await?;
        scan.file_of(id).cloned().ok_or_else(|| SourceError::not_found(Skill::KIND, id))
    }
}

/// How many contents are read before it is looked whether there is something else to do.
const BATCH: usize = 64;

/// How often in a row folders that are new to the watcher are looked at, before what was found is published. What is
/// newer still stays to be looked at.
const ROUNDS: usize = 8;

impl fmt::Debug for FsSource {
    /// Without what was read, which may be much.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plan = self.plan();
        let roots: Vec<&Path> = plan.starts.iter().map(|start| start.path.as_path()).collect();
        f.debug_struct("FsSource").field("name", &self.name).field("roots", &roots).finish_non_exhaustive()
    }
}

#[async_trait]
impl Source<Skill> for FsSource {
    fn name(&self) -> &str {
        &self.name
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        let _turn = self.turn.lock().await;
        let latest = self.latest();
        // At first it is where it was just found.
        if latest.is_some() {
            self.follow().await?;
        }
        Ok(self.keep(scan::scan(&self.plan(), latest).await?))
    }

    /// Reads nothing when [`changed`](Source::changed) has read what came after `since`.
    async fn list_since(&self, since: Revision) -> Result<Listing<Skill>, SourceError> {
        match self.latest() {
            Some(latest) if self.told.load(Ordering::Acquire) > since.0 => Ok(latest.listing.clone()),
            _ => self.list().await,
        }
    }

    /// Reads the very file that was listed: beneath the skill's folder, or outside of it only when that is where the
    /// link called `SKILL.md` led when it was listed.
    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        let (record, plan) = (self.file_of(id).await?, self.plan());
        workers::run(move || Ok(record.as_listed(SkillFolder::open(&record, &plan.limits)?.body()?))).await?
    }

    /// Every regular file below the skill's folder that is part of the skill and can be read, but its own `SKILL.md`. The list
    /// does not decide about trust: the [`manifest`](Source::manifest) does.
    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        let (record, plan) = (self.file_of(id).await?, self.plan());
        workers::run(move || Ok(manifest::of(&SkillFolder::open(&record, &plan.limits)?))).await?
    }

    /// What a look at names, sizes and rights tells; no file is read.
    async fn omissions(&self, id: &Id) -> Result<Vec<Omission>, SourceError> {
        let (record, plan) = (self.file_of(id).await?, self.plan());
        workers::run(move || Ok(manifest::omissions(&SkillFolder::open(&record, &plan.limits)?))).await?
    }

    /// Everything below the skill's folder but its own `SKILL.md` and version control: bytecode, dependencies, litter and
    /// secrets too. Nothing is taken from an earlier look.
    async fn manifest(&self, id: &Id) -> Result<Manifest, SourceError> {
        let (record, plan) = (self.file_of(id).await?, self.plan());
        workers::run(move || Ok(manifest::of_everything(&SkillFolder::open(&record, &plan.limits)?))).await?
    }

    /// Any regular file beneath the skill's folder, the raw `SKILL.md` included.
    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        let (record, plan, path) = (self.file_of(id).await?, self.plan(), path.clone());
        workers::run(move || SkillFolder::open(&record, &plan.limits)?.resource(&path)).await?
    }

    /// Never, unless the source is [watching](FsSource::watching). Then all work is done here, in the future of who
    /// waits: nothing is looked at again while nobody does, and nothing is forgotten.
    ///
    /// # Cancel safety
    /// May be dropped at any await. One that is kept without being polled holds up [`list`](Source::list).
    async fn changed(&self, since: Revision) {
        let Some(watcher) = &self.watcher else { return std::future::pending().await };
        let mut bell = watcher.bell();
        loop {
            bell.borrow_and_update();
            if self.latest().is_some_and(|latest| latest.listing.revision() > since) {
                return;
            }
            if self.proceed(watcher, &mut bell).await.is_err() {
                // Listing fails as well, and says why.
                return;
            }
        }
    }
}
