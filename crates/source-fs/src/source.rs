//! The source.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use repertoire_core::{
    Body, Bytes, Id, Item, Listing, Resource, ResourcePath, Skill, Source, SourceError, async_trait,
};
use tokio::sync::Mutex;

use crate::folder::SkillFolder;
use crate::pattern::Patterns;
use crate::record::Record;
use crate::root::Plan;
use crate::scan::{self, Scan};
use crate::{FsLimits, FsOptions, InvalidOptions, RootReport, manifest, workers};

/// Skills from folder trees. What counts as a skill: see the [crate's page](crate).
///
/// Listing twice without a change gives equal listings, which share their skills. A file that breaks keeps its
/// last good row, with an error and a [`stale`](repertoire_core::Code::STALE) diagnostic, as long as this source lives;
/// only a deleted file is gone. A root that does not exist is an empty listing; [`roots`](FsSource::roots) tells.
///
/// Every method must be called inside a tokio runtime, whose blocking pool does the reading.
pub struct FsSource {
    name: String,
    plan: Arc<Plan>,
    /// Held while scanning: scans come one after another.
    turn: Mutex<()>,
    latest: RwLock<Option<Arc<Scan>>>,
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
        Ok(FsSource::from_plan(name.into(), options.plan(base)?))
    }

    fn from_plan(name: String, plan: Plan) -> FsSource {
        FsSource { name, plan: Arc::new(plan), turn: Mutex::new(()), latest: RwLock::new(None) }
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
            Some(latest) => scan::rescan(&self.plan, latest, folder).await?,
            None => scan::scan(&self.plan, None).await?,
        }))
    }

    /// The folders in which this source searches, in order, as last listed: whether they exist, and what they hold.
    ///
    /// # Errors
    /// As [`list`](Source::list).
    pub async fn roots(&self) -> Result<Vec<RootReport>, SourceError> {
        Ok(self.scanned().await?.roots(&self.plan))
    }

    /// Every folder that was looked into when this source was last listed, sorted: those of skills and those above
    /// them. A watcher arms these, and for a root that does not exist the nearest folder above it that does.
    ///
    /// # Errors
    /// As [`list`](Source::list).
    pub async fn folders(&self) -> Result<Vec<PathBuf>, SourceError> {
        Ok(self.scanned().await?.folders())
    }

    fn latest(&self) -> Option<Arc<Scan>> {
        self.latest.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep(&self, scan: Scan) -> Listing<Skill> {
        let listing = scan.listing.clone();
        *self.latest.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(scan));
        listing
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

impl fmt::Debug for FsSource {
    /// Without what was read, which may be much.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roots: Vec<&Path> = self.plan.starts.iter().map(|start| start.path.as_path()).collect();
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
        Ok(self.keep(scan::scan(&self.plan, self.latest()).await?))
    }

    /// Reads the very file that was listed: beneath the skill's folder, or outside of it only when that is where the
    /// link called `SKILL.md` led when it was listed.
    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        let (record, plan) = (self.file_of(id).await?, self.plan.clone());
        workers::run(move || SkillFolder::open(&record, &plan)?.body()).await?
    }

    /// Every regular file below the skill's folder but its own `SKILL.md`, or an error: a list that leaves something
    /// out must not decide about trust.
    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        let (record, plan) = (self.file_of(id).await?, self.plan.clone());
        workers::run(move || manifest::of(&SkillFolder::open(&record, &plan)?)).await?
    }

    /// Any regular file beneath the skill's folder, the raw `SKILL.md` included.
    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        let (record, plan, path) = (self.file_of(id).await?, self.plan.clone(), path.clone());
        workers::run(move || SkillFolder::open(&record, &plan)?.resource(&path)).await?
    }
}
