//! A scan: everything that a source has, and the step from one scan to the next.

mod part;

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire_core::{Code, Diagnostic, Listing, ListingEntry, Revision, Skill, SourceError};

use crate::earlier_scans::EarlierScans;
use crate::file_change::SkillFileChange;
use crate::frontier::PathDiagnostic;
use crate::root::{RootReport, SearchPlan, bytes, is_within};
use crate::saved_scan::ScanStore;
use crate::skill_file::{ListedRow, SkillFile};
use crate::skill_files::SkillFileTable;
use crate::tree_file::TreeFile;
use crate::walk::Walk;
use crate::workers;

pub(crate) use part::rescan;

/// The result of a scan. The next scan shares with it what stays. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct TreeScan {
    pub(crate) listing: Listing<Skill>,
    /// Every `SKILL.md`, shared with the previous scan if no file changed.
    pub(crate) skill_files: Arc<SkillFileTable>,
    /// The selected files, where the patterns select files by their names. They have no rows in the listing.
    pub(crate) files: Arc<Vec<TreeFile>>,
    walk_diagnostics: Arc<Vec<PathDiagnostic>>,
    /// The folders that lead to skills and are not skills.
    listed: Arc<Vec<PathBuf>>,
    /// For each start of the plan, whether it exists.
    exists: Arc<Vec<bool>>,
    /// Whether a part of the tree can be scanned without the rest.
    is_separable: bool,
    /// A token that stays the same as long as the same folders and links are watched.
    watched: Arc<()>,
    /// `true` if more contents are known than when the revision of the listing was published.
    adds_information: bool,
}

/// The rows that replace those at a range of the listing.
type Splice = (Range<usize>, Vec<ListingEntry<Skill>>);

pub(crate) async fn scan(
    plan: &Arc<SearchPlan>,
    previous: Option<Arc<TreeScan>>,
) -> Result<TreeScan, SourceError> {
    let known = previous.as_ref().map(|previous| &previous.skill_files);
    let (walk, exists) = Walk::whole(plan, &EarlierScans::of_source(known)).await?;
    workers::run(move || TreeScan::new(walk, exists, previous.as_deref())).await
}

/// Scans everything. The first scan reuses and saves the state of skills in `store`.
pub(crate) async fn scan_saving(
    plan: &Arc<SearchPlan>,
    previous: Option<Arc<TreeScan>>,
    store: Option<&Arc<ScanStore>>,
) -> Result<TreeScan, SourceError> {
    // The other files of every skill are not saved.
    let can_save = previous.is_none() && !plan.siblings && !plan.patterns.is_of_files();
    let Some(store) = store.filter(|_| can_save) else {
        return scan(plan, previous).await;
    };
    let saving_since = Some(store.now());
    let saved = {
        let (plan, store) = (plan.clone(), store.clone());
        workers::run(move || store.load(&plan)).await?
    };
    let earlier = EarlierScans {
        saved,
        saving_since,
        ..EarlierScans::default()
    };
    let (walk, exists) = Walk::whole(plan, &earlier).await?;
    let (plan, store) = (plan.clone(), store.clone());
    workers::run(move || {
        let scan = TreeScan::new(walk, exists, None);
        store.save(&plan, &scan.skill_files, earlier.saved.as_deref());
        scan
    })
    .await
}

impl TreeScan {
    fn new(walk: Walk, exists: Vec<bool>, previous: Option<&TreeScan>) -> TreeScan {
        let Walk {
            mut skill_files,
            mut files,
            diagnostics: mut walk_diagnostics,
            mut listed,
            lost,
            has_links,
            too_deep,
            left_out,
            ..
        } = walk;
        // The state of watching is not a result of the walk.
        walk_diagnostics.extend(
            previous
                .into_iter()
                .flat_map(|previous| previous.watching().cloned()),
        );
        if let Some(previous) = previous {
            keep_unseen(&mut skill_files, previous.skill_files.iter(), &lost);
            keep_unseen_files(&mut files, &previous.files, &lost);
        }
        skill_files.sort_by(|a, b| a.order().cmp(&b.order()));
        files.sort_by(|a, b| a.order().cmp(&b.order()));
        walk_diagnostics.sort_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
        listed.sort_by(|a, b| bytes(a).cmp(bytes(b)));
        let skill_files = match previous {
            Some(previous) if previous.skill_files.are(&skill_files) => {
                previous.skill_files.clone()
            }
            _ => Arc::new(SkillFileTable::new(skill_files)),
        };
        let is_same = previous.is_some_and(|previous| {
            *previous.files == files
                && *previous.walk_diagnostics == walk_diagnostics
                && previous.skill_files.list_like(&skill_files)
        });
        let (listing, adds_information) = match previous {
            Some(previous) if is_same => (previous.listing.clone(), previous.adds_information),
            _ => (
                list(
                    previous.map_or(Revision(1), TreeScan::next_revision),
                    &skill_files,
                    &walk_diagnostics,
                ),
                false,
            ),
        };
        TreeScan {
            listing,
            skill_files,
            files: Arc::new(files),
            walk_diagnostics: Arc::new(walk_diagnostics),
            listed: Arc::new(listed),
            exists: Arc::new(exists),
            is_separable: !has_links && too_deep.is_empty() && left_out == 0,
            watched: Arc::default(),
            adds_information,
        }
    }

    /// Returns the scan after `changes`, which are in order, with these diagnostics of the walk. Costs what they touch.
    fn after(
        &self,
        changes: &[SkillFileChange],
        walk_diagnostics: Arc<Vec<PathDiagnostic>>,
    ) -> TreeScan {
        let (skill_files, others_stay) = self.skill_files.after(changes);
        let skill_files = if changes.is_empty() {
            self.skill_files.clone()
        } else {
            Arc::new(skill_files)
        };
        if !others_stay {
            let listing = list(self.next_revision(), &skill_files, &walk_diagnostics);
            return TreeScan {
                listing,
                skill_files,
                walk_diagnostics,
                adds_information: false,
                ..self.clone()
            };
        }
        let splices = self.splices(changes);
        let known = self.listing.diagnostics();
        let has_same_diagnostics = Arc::ptr_eq(&walk_diagnostics, &self.walk_diagnostics)
            && !changes.iter().any(SkillFileChange::changes_diagnostics);
        let diagnostics = if has_same_diagnostics {
            known.clone()
        } else {
            self.diagnostics(&skill_files, &walk_diagnostics)
        };
        let is_quiet = has_same_diagnostics || diagnostics == *known;
        if splices.is_empty() && is_quiet {
            return TreeScan {
                skill_files,
                walk_diagnostics,
                ..self.clone()
            };
        }
        let adds_information =
            is_quiet && changes.iter().all(SkillFileChange::adds_only_information);
        let revision = if adds_information {
            self.listing.revision()
        } else {
            self.next_revision()
        };
        let listing = self.listing.spliced(revision, splices, diagnostics);
        TreeScan {
            listing,
            skill_files,
            walk_diagnostics,
            adds_information,
            ..self.clone()
        }
    }

    /// Returns the changes of rows that `changes` make, if no id is claimed twice.
    fn splices(&self, changes: &[SkillFileChange]) -> Vec<Splice> {
        let mut splices: Vec<Splice> = Vec::new();
        for change in changes {
            let moves = change.moves_an_id();
            if !moves
                && (change.lists_the_same() || self.skill_files.is_unlisted(change.skill_file()))
            {
                continue;
            }
            let at = self.skill_files.rows_before(change.skill_file().order());
            let old = change.old.as_ref().is_some_and(|file| file.row.is_some());
            let (end, items) = (
                at + usize::from(old),
                change.new.as_ref().and_then(|file| file.row.as_ref()),
            );
            let items = items.map(ListedRow::entry);
            match splices.last_mut() {
                Some((last, rows)) if last.end == at => {
                    last.end = end;
                    rows.extend(items);
                }
                _ => splices.push((at..end, Vec::from_iter(items))),
            }
        }
        splices
    }

    fn diagnostics(
        &self,
        skill_files: &SkillFileTable,
        walk_diagnostics: &[PathDiagnostic],
    ) -> Arc<[Diagnostic]> {
        let mut all = all_diagnostics(skill_files, walk_diagnostics);
        let known = self.listing.diagnostics();
        // Those of ids that are claimed twice come last.
        all.extend(
            known[known.len() - self.skill_files.hidden()..]
                .iter()
                .cloned(),
        );
        all.into()
    }

    fn next_revision(&self) -> Revision {
        Revision(self.listing.revision().0 + 1)
    }

    /// Returns the scan with this diagnostic about watching.
    pub(crate) fn report(self, diagnostic: Option<PathDiagnostic>) -> TreeScan {
        if self.watching().eq(&diagnostic) {
            return self;
        }
        let mut all: Vec<_> = self
            .walk_diagnostics
            .iter()
            .filter(|old| !old.is_of_watching())
            .cloned()
            .collect();
        all.extend(diagnostic);
        all.sort_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
        self.after(&[], Arc::new(all))
    }

    fn watching(&self) -> impl Iterator<Item = &PathDiagnostic> {
        self.walk_diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.is_of_watching())
    }

    /// Returns the scan with files whose content was read. Files that have changed since are left as they are.
    pub(crate) fn with_contents(&self, changes: Vec<SkillFileChange>) -> TreeScan {
        let mut changes = changes;
        changes.retain(|change| {
            let now = self.skill_files.at(change.skill_file().order());
            now.zip(change.old.as_ref())
                .is_some_and(|(now, old)| Arc::ptr_eq(now, old))
        });
        let next = self.after(&changes, self.walk_diagnostics.clone());
        if next.adds_information && next.skill_files.is_hashed() {
            // Readers skip a listing of the revision that they have.
            let listing =
                next.listing
                    .spliced(next.next_revision(), [], next.listing.diagnostics().clone());
            return TreeScan {
                listing,
                adds_information: false,
                ..next
            };
        }
        next
    }

    /// Returns every link whose target can change without an event in the link's own folder.
    pub(crate) fn links(&self) -> impl Iterator<Item = &Path> {
        let dangling = self
            .walk_diagnostics
            .iter()
            .filter(|found| found.diagnostic.code == Code::LINK_DANGLING);
        let siblings = self
            .skill_files
            .iter()
            .filter_map(|file| file.siblings.as_ref());
        let links = siblings
            .flat_map(|siblings| &siblings.links)
            .map(PathBuf::as_path);
        dangling
            .map(|found| found.path.as_path())
            .chain(links)
            .chain(self.linked_files().map(|file| file.path.as_path()))
    }

    fn linked_files(&self) -> impl Iterator<Item = &TreeFile> {
        self.files.iter().filter(|file| file.is_link)
    }

    /// Returns whether this is known without comparing: that the same folders and links are watched as for `other`.
    pub(crate) fn shares_watches(&self, other: &TreeScan) -> bool {
        Arc::ptr_eq(&self.watched, &other.watched)
    }

    /// Returns whether the same folders and links are watched as for `other`.
    pub(crate) fn is_watched_like(&self, other: &TreeScan) -> bool {
        let mut pairs = self.skill_files.iter().zip(other.skill_files.iter());
        self.shares_watches(other)
            || self.listed == other.listed
                && self.walk_diagnostics == other.walk_diagnostics
                && self
                    .linked_files()
                    .map(TreeFile::order)
                    .eq(other.linked_files().map(TreeFile::order))
                && self.skill_files.len() == other.skill_files.len()
                && pairs.all(|(a, b)| Arc::ptr_eq(a, b) || a.is_watched_like(b))
    }

    pub(crate) fn roots(&self, plan: &SearchPlan) -> Vec<RootReport> {
        let mut skills = vec![0; plan.starts.len()];
        let listed = self
            .skill_files
            .iter()
            .filter(|file| !self.skill_files.is_unlisted(file));
        listed.for_each(|file| skills[file.start] += 1);
        let starts = plan.starts.iter().zip(self.exists.iter()).zip(skills);
        starts
            .map(|((start, exists), skills)| RootReport {
                path: start.path.clone(),
                exists: *exists,
                skills,
            })
            .collect()
    }

    /// Returns every folder that was read, in no order, and some more than once.
    pub(crate) fn looked_into(&self) -> impl Iterator<Item = &Path> {
        let skills = self
            .skill_files
            .iter()
            .filter(|file| !file.is_search_root)
            .map(|file| file.folder());
        let siblings = self
            .skill_files
            .iter()
            .filter_map(|file| file.siblings.as_ref());
        let below = siblings.flat_map(|siblings| &siblings.folders);
        self.listed
            .iter()
            .chain(below)
            .map(PathBuf::as_path)
            .chain(skills)
    }

    /// Returns every folder that was read, sorted.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = self.looked_into().map(Path::to_owned).collect();
        folders.sort();
        folders.dedup();
        folders
    }
}

fn list(
    revision: Revision,
    skill_files: &SkillFileTable,
    walk_diagnostics: &[PathDiagnostic],
) -> Listing<Skill> {
    let rows = skill_files
        .iter()
        .filter_map(|file| file.row.as_ref().map(ListedRow::entry));
    Listing::new(
        revision,
        rows,
        all_diagnostics(skill_files, walk_diagnostics),
    )
}

fn all_diagnostics(
    skill_files: &SkillFileTable,
    walk_diagnostics: &[PathDiagnostic],
) -> Vec<Diagnostic> {
    let of_files = skill_files.iter().flat_map(|file| &file.diagnostics);
    let mut all: Vec<_> = walk_diagnostics
        .iter()
        .map(|found| &found.diagnostic)
        .chain(of_files)
        .cloned()
        .collect();
    // Stable: diagnostics about one path stay in their order.
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all
}

/// Adds the `known` files below `lost`: a file that cannot be seen is not deleted.
fn keep_unseen<'r>(
    files: &mut Vec<Arc<SkillFile>>,
    known: impl Iterator<Item = &'r Arc<SkillFile>>,
    lost: &[PathBuf],
) {
    if lost.is_empty() {
        return;
    }
    let known = known.filter(|file| lost.iter().any(|path| is_within(&file.path, path)));
    let seen: HashSet<PathBuf> = files.iter().map(|file| file.path.to_path_buf()).collect();
    let unseen = known.filter(|file| file.row.is_some() && !seen.contains::<Path>(&file.path));
    files.extend(unseen.map(SkillFile::to_stale));
}

/// Adds the `known` files below `lost`: a file that cannot be seen is not deleted.
fn keep_unseen_files(files: &mut Vec<TreeFile>, known: &[TreeFile], lost: &[PathBuf]) {
    if lost.is_empty() {
        return;
    }
    let seen: HashSet<PathBuf> = files.iter().map(|file| file.path.clone()).collect();
    let known = known
        .iter()
        .filter(|file| lost.iter().any(|path| is_within(&file.path, path)));
    files.extend(known.filter(|file| !seen.contains(&file.path)).cloned());
}
