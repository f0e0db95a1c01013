//! The source.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::RwLock;
use repertoire_core::{
    Body, Bytes, ConfigError, Id, Item, Listing, Manifest, Omission, Resource, ResourcePath,
    Revision, Skill, Source, SourceError, async_trait,
};
use tokio::sync::{Mutex, watch};

use crate::file_change::SkillFileChange;
use crate::folder::SkillFolder;
use crate::installed_plugins::PluginOrigin;
use crate::link_bounds::LinkBounds;
use crate::pattern::Patterns;
use crate::root::{SearchPlan, SearchStart};
use crate::saved_scan::ScanStore;
use crate::scan::{self, TreeScan};
use crate::skill_file::SkillFile;
use crate::watch::{DirtyPaths, Watcher};
use crate::{FsLimits, FsOptions, InstalledPlugin, RootReport, WatchOptions, manifest, workers};

/// A source of skills from folder trees. The [crate's page](crate) defines what a skill is.
///
/// - Two listings without a change between them are equal, and share their skills.
/// - A file that breaks keeps its last good row, with an error and a [`stale`](repertoire_core::Code::STALE) diagnostic.
/// - A root that does not exist has no skills, and is not a diagnostic: see [`roots`](FsSource::roots).
///
/// Every method must be called inside a tokio runtime, whose blocking pool does the reading.
pub struct FsSource {
    name: String,
    /// Replaced when the plugin that it searches moves.
    plan: RwLock<Arc<SearchPlan>>,
    plugin: Option<PluginOrigin>,
    /// Locked during a scan.
    turn: Mutex<()>,
    latest: RwLock<Option<Arc<TreeScan>>>,
    /// The folder in which the first scan is saved.
    pub(crate) saved_scans: Option<Arc<ScanStore>>,
    /// The last revision that waiting for changes has published.
    published_revision: AtomicU64,
    /// The position in the latest scan at which the search for contents to hash goes on.
    next_unhashed: AtomicUsize,
    watcher: Arc<Watcher>,
}

impl FsSource {
    /// Creates a source of every skill below `root`, which should be absolute.
    pub fn new(name: impl Into<String>, root: impl Into<PathBuf>) -> FsSource {
        let patterns = Patterns::new(&["**/SKILL.md"])
            .expect("a pattern that is written in the documentation");
        FsSource::from_plan(
            name.into(),
            SearchPlan::new(std::iter::once(root.into()), patterns, FsLimits::default()),
        )
    }

    /// Creates a source from `options`. Relative roots are resolved against the folder `base`, which should be absolute.
    ///
    /// # Errors
    /// [`ConfigError`] names the key that cannot be used.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use repertoire_source_fs::{FsOptions, FsSource};
    ///
    /// let options: FsOptions = serde_json::from_str(r#"{ "patterns": ["skills/*.md"] }"#)?;
    /// let error = FsSource::from_options("project", Path::new("/srv/app"), options).unwrap_err();
    /// assert_eq!(error.key.as_deref(), Some("patterns[0]"));
    /// assert_eq!(error.message, "`skills/*.md` does not end in `SKILL.md`; write `skills/SKILL.md`");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn from_options(
        name: impl Into<String>,
        base: &Path,
        options: FsOptions,
    ) -> Result<FsSource, ConfigError> {
        let watch = options.watch.clone();
        let source = FsSource::from_plan(name.into(), options.plan(base)?);
        Ok(match watch {
            Some(watch) => source.watching(watch),
            None => source,
        })
    }

    pub(crate) fn from_plan(name: String, plan: SearchPlan) -> FsSource {
        FsSource {
            name,
            plan: RwLock::new(Arc::new(plan)),
            plugin: None,
            turn: Mutex::new(()),
            latest: RwLock::new(None),
            saved_scans: None,
            published_revision: AtomicU64::new(0),
            next_unhashed: AtomicUsize::new(0),
            watcher: Arc::new(Watcher::new(WatchOptions::default())),
        }
    }

    /// Returns the same source, which watches with these options. The row of a skill changes with any of its files from the first
    /// listing on; without this call from the first call of [`changed`](Source::changed) on.
    ///
    /// From the first call of `changed` on, watching takes:
    ///
    /// - a watch for each folder that holds a skill or a part of one, or leads to one, and each one above a root,
    /// - a thread for all sources of the process, which ends with the last of them,
    /// - one reading of every file of every skill, within the [limits](FsLimits).
    #[must_use]
    pub fn watching(self, options: WatchOptions) -> FsSource {
        self.watched_by(Watcher::new(options))
    }

    /// Returns the same source, in which no link leads out of `folder`.
    ///
    /// Links in the tree of a stranger may lead to private files. A root, a folder or a `SKILL.md` whose real path is elsewhere is
    /// omitted, with a [`link-leads-out`](repertoire_core::Code::LINK_LEADS_OUT) diagnostic.
    #[must_use]
    pub fn within(mut self, folder: impl Into<PathBuf>) -> FsSource {
        self.plan_mut().within = Some(folder.into());
        self
    }

    pub(crate) fn of_plugin(mut self, plugin: &InstalledPlugin) -> FsSource {
        let plan = self.plan_mut();
        *plan = plugin.plan(plan.clone());
        self.plugin = Some(plugin.origin.clone());
        self
    }

    /// Returns the folder of the plugin that it searches, in the version of the last listing.
    pub fn plugin_folder(&self) -> Option<PathBuf> {
        self.plugin
            .as_ref()
            .and_then(|_| self.plan().within.clone())
    }

    fn plan(&self) -> Arc<SearchPlan> {
        self.plan.read().clone()
    }

    fn plan_mut(&mut self) -> &mut SearchPlan {
        Arc::make_mut(self.plan.get_mut())
    }

    async fn follow(&self) -> Result<bool, SourceError> {
        let Some(origin) = self.plugin.clone() else {
            return Ok(false);
        };
        let plan = self.plan();
        // An uninstalled plugin has no skills where it was, and may come back there.
        let Some(next) =
            workers::run(move || Some(origin.plugin()?.plan(SearchPlan::clone(&plan)))).await?
        else {
            return Ok(false);
        };
        let mut plan = self.plan.write();
        let (has_moved, is_led_anew) = (!next.is_over_like(&plan), next.inputs != plan.inputs);
        if has_moved || is_led_anew {
            *plan = Arc::new(next);
        }
        if is_led_anew {
            self.watcher.request_update();
        }
        Ok(has_moved)
    }

    /// Returns whether diagnostics may quote the file at `path`: it lies in a root without a link on the way, or links lead
    /// to a `SKILL.md` that the source could have found itself. Blocks for a few system calls.
    ///
    /// A link in a repository can lead to a secret, and diagnostics are printed where strangers read them.
    pub fn may_quote(&self, path: &Path) -> bool {
        let Ok(real) = path.canonicalize() else {
            return false;
        };
        let plan = self.plan();
        let mut roots = plan.starts.iter().map(SearchStart::root_folder);
        roots.any(|root| {
            let below = path.strip_prefix(root).ok();
            below
                .zip(root.canonicalize().ok())
                .is_some_and(|(below, root)| root.join(below) == real)
        }) || LinkBounds::of(&plan).let_quote(&real)
    }

    pub(crate) fn watched_by(mut self, watcher: Watcher) -> FsSource {
        self.plan_mut().siblings = true;
        self.watcher = Arc::new(watcher);
        self
    }

    /// Scans `folder` and what lies below it, and takes the rest from the last listing: the step of watching, for tests.
    ///
    /// A folder inside a skill stands for the skill, and one where a search starts for everything. Everything is scanned where links
    /// lead elsewhere or a limit was met.
    ///
    /// # Errors
    /// As [`list`](Source::list).
    #[doc(hidden)]
    pub async fn rescan(&self, folder: &Path) -> Result<Listing<Skill>, SourceError> {
        let _turn = self.turn.lock().await;
        Ok(self.store_scan(match self.latest() {
            Some(latest) => scan::rescan(&self.plan(), latest, [folder]).await?,
            None => scan::scan(&self.plan(), None).await?,
        }))
    }

    /// Returns the folders where this source starts to search, whether they exist or not.
    pub fn starts(&self) -> Vec<PathBuf> {
        self.plan()
            .starts
            .iter()
            .map(|start| start.path.clone())
            .collect()
    }

    /// Returns the folders in which this source searches, in order, as last listed.
    ///
    /// # Errors
    /// As [`list`](Source::list).
    ///
    /// # Cancel safety
    /// May be dropped at any point.
    pub async fn roots(&self) -> Result<Vec<RootReport>, SourceError> {
        Ok(self.scanned().await?.roots(&self.plan()))
    }

    /// Returns every folder that the last listing read, sorted: what is watched, for tests.
    ///
    /// # Errors
    /// As [`list`](Source::list).
    #[doc(hidden)]
    pub async fn folders(&self) -> Result<Vec<PathBuf>, SourceError> {
        Ok(self.scanned().await?.folders())
    }

    pub(crate) fn latest(&self) -> Option<Arc<TreeScan>> {
        self.latest.read().clone()
    }

    fn store_scan(&self, scan: TreeScan) -> Listing<Skill> {
        let listing = scan.listing.clone();
        let before = self.latest.write().replace(Arc::new(scan));
        if before.is_none_or(|before| before.listing.revision() < listing.revision()) {
            self.watcher.notify();
        }
        listing
    }

    async fn next_step(&self, wakeups: &mut watch::Receiver<()>) -> Result<(), SourceError> {
        if self.watcher.is_settled() {
            if self.watcher.is_idle() && self.hash_contents().await? {
                return Ok(());
            }
            if !self.watcher.wait(wakeups).await {
                return Ok(());
            }
        }
        self.process_events().await
    }

    async fn process_events(&self) -> Result<(), SourceError> {
        let _turn = self.turn.lock().await;
        if !self.plan().siblings {
            Arc::make_mut(&mut self.plan.write()).siblings = true;
        }
        let watcher = &self.watcher;
        let before = self.latest();
        let mut taken = watcher.take();
        let fresh = watcher.take_fresh();
        taken.dirty.extend(fresh);
        let mut scan = match &before {
            Some(latest) => self.scan_dirty(latest.clone(), &taken.dirty).await?,
            None => self.scan_all(None).await?,
        };
        let mut is_settled = false;
        for _ in 0..ROUNDS {
            if !watcher.keeps_watches(&scan) {
                let (watcher, plan, scan) = (watcher.clone(), self.plan(), scan.clone());
                workers::run(move || watcher.update_watches(&plan, &scan)).await?;
            }
            let fresh = watcher.take_fresh();
            is_settled = !fresh.is_some();
            if is_settled {
                break;
            }
            // They stay dirty if this future is dropped.
            taken.dirty.extend(fresh.clone());
            scan = self.scan_dirty(scan, &fresh).await?;
        }
        self.publish_scan(TreeScan::clone(&scan).report(watcher.diagnostic(&self.plan())));
        if is_settled {
            taken.done();
        }
        Ok(())
    }

    async fn scan_dirty(
        &self,
        previous: Arc<TreeScan>,
        dirty: &DirtyPaths,
    ) -> Result<Arc<TreeScan>, SourceError> {
        let plan = self.plan();
        let has_outside = dirty.folders.iter().any(|folder| {
            !plan
                .starts
                .iter()
                .any(|start| folder.starts_with(&start.path))
        });
        if dirty.all || self.plugin.is_some() && has_outside && self.follow().await? {
            self.scan_all(Some(previous)).await
        } else if dirty.folders.is_empty() {
            Ok(previous)
        } else {
            let folders = dirty.folders.iter().map(PathBuf::as_path);
            Ok(Arc::new(
                scan::rescan(&self.plan(), previous, folders).await?,
            ))
        }
    }

    async fn scan_all(
        &self,
        previous: Option<Arc<TreeScan>>,
    ) -> Result<Arc<TreeScan>, SourceError> {
        self.watcher.note_full_scan();
        self.follow().await?;
        Ok(Arc::new(scan::scan(&self.plan(), previous).await?))
    }

    fn publish_scan(&self, scan: TreeScan) {
        let revision = self.store_scan(scan).revision();
        self.published_revision.store(revision.0, Ordering::Release);
    }

    async fn hash_contents(&self) -> Result<bool, SourceError> {
        let Some(latest) = self.latest() else {
            return Ok(false);
        };
        let (batch, next) = latest
            .skill_files
            .unhashed(self.next_unhashed.load(Ordering::Relaxed), BATCH);
        self.next_unhashed.store(next, Ordering::Relaxed);
        if batch.is_empty() {
            return Ok(false);
        }
        let (watcher, plan) = (self.watcher.clone(), self.plan());
        let read = move |old: Arc<SkillFile>| SkillFileChange {
            new: Some(Arc::new(old.read_whole(&plan.limits))),
            old: Some(old),
        };
        let changes = workers::run(move || {
            batch
                .into_iter()
                .take_while(|_| watcher.is_idle())
                .map(read)
                .collect()
        })
        .await?;
        let _turn = self.turn.lock().await;
        if let Some(latest) = self.latest() {
            self.publish_scan(latest.with_contents(changes));
        }
        Ok(true)
    }

    async fn scanned(&self) -> Result<Arc<TreeScan>, SourceError> {
        if self.latest().is_none() {
            self.list().await?;
        }
        Ok(self
            .latest()
            .expect("listing keeps its scan, and nothing removes it"))
    }

    async fn file_of(&self, id: &Id) -> Result<Arc<SkillFile>, SourceError> {
        let scan = self.scanned().await?;
        scan.skill_files
            .of(id)
            .cloned()
            .ok_or_else(|| SourceError::not_found(Skill::KIND, id))
    }
}

/// The number of contents that are read before other work is checked for.
const BATCH: usize = 64;

/// The limit of rounds in which folders new to the watcher are scanned before the result is published.
///
/// Folders that are still newer stay dirty.
const ROUNDS: usize = 8;

impl fmt::Debug for FsSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plan = self.plan();
        let roots: Vec<&Path> = plan
            .starts
            .iter()
            .map(|start| start.path.as_path())
            .collect();
        f.debug_struct("FsSource")
            .field("name", &self.name)
            .field("roots", &roots)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Source<Skill> for FsSource {
    fn name(&self) -> &str {
        &self.name
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        let _turn = self.turn.lock().await;
        let (latest, saved) = (self.latest(), self.saved_scans.as_ref());
        // At first it is where it was just found.
        if latest.is_some() {
            self.follow().await?;
        }
        Ok(self.store_scan(scan::scan_saving(&self.plan(), latest, saved).await?))
    }

    /// Reads nothing when [`changed`](Source::changed) has published a later listing.
    async fn list_since(&self, since: Revision) -> Result<Listing<Skill>, SourceError> {
        match self.latest() {
            Some(latest) if self.published_revision.load(Ordering::Acquire) > since.0 => {
                Ok(latest.listing.clone())
            }
            _ => self.list().await,
        }
    }

    /// Reads the file that was listed: beneath the skill's folder, or where the link called `SKILL.md` led when it was listed.
    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        let (skill_file, plan) = (self.file_of(id).await?, self.plan());
        workers::run(move || {
            Ok(skill_file.as_listed(SkillFolder::open(&skill_file, &plan.limits)?.body()?))
        })
        .await?
    }

    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        let (skill_file, plan) = (self.file_of(id).await?, self.plan());
        workers::run(move || Ok(manifest::of(&SkillFolder::open(&skill_file, &plan.limits)?)))
            .await?
    }

    async fn omissions(&self, id: &Id) -> Result<Vec<Omission>, SourceError> {
        let (skill_file, plan) = (self.file_of(id).await?, self.plan());
        workers::run(move || {
            Ok(manifest::omissions(&SkillFolder::open(
                &skill_file,
                &plan.limits,
            )?))
        })
        .await?
    }

    async fn manifest(&self, id: &Id) -> Result<Manifest, SourceError> {
        let (skill_file, plan) = (self.file_of(id).await?, self.plan());
        workers::run(move || {
            Ok(manifest::of_everything(&SkillFolder::open(
                &skill_file,
                &plan.limits,
            )?))
        })
        .await?
    }

    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        let (skill_file, plan, path) = (self.file_of(id).await?, self.plan(), path.clone());
        workers::run(move || SkillFolder::open(&skill_file, &plan.limits)?.resource(&path)).await?
    }

    /// Watches the folders: this future does all the work of it.
    ///
    /// # Cancel safety
    /// May be dropped at any await. A future that is kept without being polled blocks [`list`](Source::list).
    async fn changed(&self, since: Revision) {
        let mut wakeups = self.watcher.subscribe();
        loop {
            wakeups.borrow_and_update();
            if self
                .latest()
                .is_some_and(|latest| latest.listing.revision() > since)
            {
                return;
            }
            if self.next_step(&mut wakeups).await.is_err() {
                // Listing returns the error.
                return;
            }
        }
    }
}
