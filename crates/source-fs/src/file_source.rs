//! A source of items of which each is one file.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::RwLock;
use repertoire_core::{
    Body, Bytes, ConfigError, Diagnostic, Id, Listing, Resource, ResourcePath, Revision, Source,
    SourceError, SourceErrorKind, async_trait,
};
use tokio::sync::Mutex;

use crate::file_record::{FileItem, FileReading, FileRecord};
use crate::scan::TreeScan;
use crate::tree_file::TreeFile;
use crate::{FsOptions, FsSource, WatchOptions, workers};

/// A source of items of which each is one file: the files that patterns select by their names.
///
/// Search, limits, links and watching are those of an [`FsSource`], and the [options](FsOptions) too. A pattern ends in the name of
/// a file here: `workflows/**/*.workflow.{ts,mts}`.
///
/// - The id is the path below the base, with `/` between folders.
/// - A file is opened when its body is read, or when its kind [parses](FileItem::is_parsed) it.
/// - A file that breaks keeps its last good row, with an error and a [`stale`](repertoire_core::Code::STALE) diagnostic.
/// - Files have no resources.
///
/// ```
/// use std::path::Path;
///
/// use repertoire_core::{Diagnostic, Id, Item, Source};
/// use repertoire_source_fs::{FileItem, FileSource, FsOptions, ListedFile};
///
/// #[derive(Debug, Clone, PartialEq)]
/// struct Note(Id);
///
/// impl Item for Note {
///     const KIND: &'static str = "note";
///
///     fn id(&self) -> &Id {
///         &self.0
///     }
/// }
///
/// impl FileItem for Note {
///     fn is_parsed(_path: &str) -> bool {
///         false
///     }
///
///     fn from_file(file: &ListedFile<'_>) -> (Option<Note>, Vec<Diagnostic>) {
///         (Some(Note(file.id.clone())), Vec::new())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let base = folder.path();
/// std::fs::write(base.join("tea.md"), "Brew it.")?;
/// let mut options = FsOptions::default();
/// options.patterns = vec!["**/*.md".to_owned()];
/// let notes = FileSource::<Note>::from_options("notes", base, options)?;
/// assert_eq!(notes.list().await?.len(), 1);
/// # Ok(())
/// # }
/// ```
pub struct FileSource<T: FileItem> {
    /// The search, which lists no skill.
    tree: FsSource,
    reading: FileReading,
    /// Locked while records are made.
    turn: Mutex<()>,
    latest: RwLock<Option<Arc<FileListing<T>>>>,
}

/// The listing of one scan, with the records behind it.
struct FileListing<T: FileItem> {
    scan_revision: Revision,
    listing: Listing<T>,
    records: Vec<Arc<FileRecord<T>>>,
    ids: HashMap<Id, Arc<FileRecord<T>>>,
}

impl<T: FileItem> FileSource<T> {
    /// Creates a source from `options`. Relative roots are resolved against the folder `base`, which should be absolute.
    ///
    /// # Errors
    /// [`ConfigError`] names the key that cannot be used.
    pub fn from_options(
        name: impl Into<String>,
        base: &Path,
        options: FsOptions,
    ) -> Result<FileSource<T>, ConfigError> {
        let (watch, limit) = (options.watch.clone(), options.limits.file_bytes);
        let tree = FsSource::from_plan(name.into(), options.file_plan(base)?);
        // Collecting components drops `.` and separators at the end, as the search does.
        let base: PathBuf = base.components().collect();
        Ok(FileSource {
            tree: tree.watching(watch.unwrap_or_default()),
            reading: FileReading {
                base: base.into(),
                limit,
            },
            turn: Mutex::default(),
            latest: RwLock::default(),
        })
    }

    /// Returns the same source, which watches with these options.
    #[must_use]
    pub fn watching(self, options: WatchOptions) -> FileSource<T> {
        FileSource {
            tree: self.tree.watching(options),
            ..self
        }
    }

    fn latest(&self) -> Option<Arc<FileListing<T>>> {
        self.latest.read().clone()
    }

    /// Makes the records of `scan`, and returns their listing. The caller holds the turn.
    async fn update(&self, scan: &TreeScan) -> Result<Listing<T>, SourceError> {
        let previous = self.latest();
        if let Some(previous) = &previous
            && previous.scan_revision == scan.listing.revision()
        {
            return Ok(previous.listing.clone());
        }
        let known: HashMap<PathBuf, Arc<FileRecord<T>>> = previous
            .iter()
            .flat_map(|previous| &previous.records)
            .map(|record| (record.file.path.clone(), Arc::clone(record)))
            .collect();
        let reading = self.reading.clone();
        let read = move |files: &[TreeFile]| {
            let records = files
                .iter()
                .map(|file| FileRecord::read(file, &reading, known.get(&file.path)));
            records.collect::<Vec<_>>()
        };
        let records = workers::map(scan.files.to_vec(), read).await?;
        let records: Vec<_> = records.into_iter().flatten().collect();
        let next = FileListing::new(scan, records, previous.as_deref());
        let listing = next.listing.clone();
        *self.latest.write() = Some(Arc::new(next));
        Ok(listing)
    }

    async fn record_of(&self, id: &Id) -> Result<Arc<FileRecord<T>>, SourceError> {
        if self.latest().is_none() {
            self.list().await?;
        }
        let latest = self.latest();
        let record = latest.and_then(|latest| latest.ids.get(id).cloned());
        record.ok_or_else(|| SourceError::not_found(T::KIND, id))
    }
}

impl<T: FileItem> FileListing<T> {
    fn new(
        scan: &TreeScan,
        records: Vec<Arc<FileRecord<T>>>,
        previous: Option<&FileListing<T>>,
    ) -> FileListing<T> {
        let of_files = records.iter().flat_map(|record| &record.diagnostics);
        let mut diagnostics: Vec<Diagnostic> = scan.listing.diagnostics().to_vec();
        diagnostics.extend(of_files.cloned());
        diagnostics.sort_by(|a, b| a.path.cmp(&b.path));
        let rows = records.iter().filter_map(|record| record.row.clone());
        let revision = previous.map_or(0, |previous| previous.listing.revision().0) + 1;
        let mut listing = Listing::new(Revision(revision), rows, diagnostics);
        if let Some(previous) = previous
            && previous.listing.iter().eq(listing.iter())
            && previous.listing.diagnostics() == listing.diagnostics()
        {
            listing = previous.listing.clone();
        }
        let mut ids = HashMap::with_capacity(records.len());
        for record in &records {
            if let Some(row) = &record.row {
                ids.entry(row.item.id().clone())
                    .or_insert_with(|| Arc::clone(record));
            }
        }
        FileListing {
            scan_revision: scan.listing.revision(),
            listing,
            records,
            ids,
        }
    }
}

impl<T: FileItem> fmt::Debug for FileSource<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileSource")
            .field("tree", &self.tree)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl<T: FileItem> Source<T> for FileSource<T> {
    fn name(&self) -> &str {
        self.tree.name()
    }

    async fn list(&self) -> Result<Listing<T>, SourceError> {
        let _turn = self.turn.lock().await;
        self.tree.list().await?;
        let scan = self.tree.latest();
        let scan = scan.expect("listing keeps its scan, and nothing removes it");
        self.update(&scan).await
    }

    /// Reads nothing when [`changed`](Source::changed) has made a later listing.
    async fn list_since(&self, since: Revision) -> Result<Listing<T>, SourceError> {
        match self.latest() {
            Some(latest) if latest.listing.revision() > since => Ok(latest.listing.clone()),
            _ => self.list().await,
        }
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        let (record, reading) = (self.record_of(id).await?, self.reading.clone());
        workers::run(move || record.body(&reading)).await?
    }

    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        self.record_of(id).await.map(|_| Vec::new())
    }

    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        self.record_of(id).await?;
        let message = format!("a {} has no file `{path}` beside it", T::KIND);
        Err(SourceError::new(SourceErrorKind::NotFound, message))
    }

    async fn changed(&self, since: Revision) {
        loop {
            let scan_revision = match self.latest() {
                Some(latest) if latest.listing.revision() > since => return,
                Some(latest) => latest.scan_revision,
                None => Revision(0),
            };
            self.tree.changed(scan_revision).await;
            let _turn = self.turn.lock().await;
            let latest = self.tree.latest();
            let later = latest.filter(|scan| scan.listing.revision() > scan_revision);
            let Some(later) = later else { return };
            if self.update(&later).await.is_err() {
                // Listing returns the error.
                return;
            }
        }
    }
}
