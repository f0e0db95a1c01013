//! A scan: everything one source has, and how one becomes the next.

mod part;

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire_core::{Code, Diagnostic, Id, Listed, Listing, Revision, Skill, SourceError};

use crate::edit::Edit;
use crate::location::Location;
use crate::record::Record;
use crate::records::Records;
use crate::root::{Plan, RootReport, bytes, is_within};
use crate::visit::Finding;
use crate::walk::Walk;
use crate::workers;

pub(crate) use part::rescan;

/// The outcome of a scan. It is also the memory of the next one, which shares with it whatever stays. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Scan {
    pub(crate) listing: Listing<Skill>,
    /// Every `SKILL.md`; shared with the scan before when no file changed.
    pub(crate) records: Arc<Records>,
    /// The files whose row is not listed, because an earlier one has its id: in order.
    hidden: Arc<Vec<(usize, Location)>>,
    findings: Arc<Vec<Finding>>,
    /// The folders that lead to skills and are none.
    listed: Arc<Vec<PathBuf>>,
    /// Whether each start of the plan exists.
    exists: Arc<Vec<bool>>,
    /// Whether a part of the tree can be looked at without the rest.
    is_separable: bool,
    /// The same one as long as the same folders and links are to be watched.
    watched: Arc<()>,
    /// Whether the listing knows more of contents than when its revision was new.
    has_learned: bool,
}

/// The rows that replace those at a range of the listing.
type Splice = (Range<usize>, Vec<Listed<Skill>>);

/// Scans everything.
pub(crate) async fn scan(plan: &Arc<Plan>, previous: Option<Arc<Scan>>) -> Result<Scan, SourceError> {
    let (walk, exists) = Walk::whole(plan, previous.as_ref()).await?;
    workers::run(move || Scan::new(walk, exists, previous.as_deref())).await
}

impl Scan {
    fn new(walk: Walk, exists: Vec<bool>, previous: Option<&Scan>) -> Scan {
        let Walk { mut records, mut findings, mut listed, lost, has_links, too_deep, left_out, .. } = walk;
        // How watching fares is not for the walk to say.
        findings.retain(|finding| !finding.is_of_watching());
        findings.extend(previous.into_iter().flat_map(|previous| previous.watching().cloned()));
        if let Some(previous) = previous {
            keep_hidden(&mut records, previous.records.iter(), &lost);
        }
        records.sort_by(|a, b| a.order().cmp(&b.order()));
        findings.sort_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
        listed.sort_by(|a, b| bytes(a).cmp(bytes(b)));
        let records = match previous {
            Some(previous) if previous.records.are(&records) => previous.records.clone(),
            _ => Arc::new(Records::new(&records)),
        };
        let is_separable = !has_links && too_deep.is_empty() && left_out == 0;
        let (findings, listed, exists) = (Arc::new(findings), Arc::new(listed), Arc::new(exists));
        if let Some(previous) = previous
            && previous.findings == findings
            && previous.records.list_like(&records)
        {
            return Scan {
                records,
                findings,
                listed,
                exists,
                is_separable,
                watched: Arc::default(),
                ..previous.clone()
            };
        }
        let revision = previous.map_or(Revision(1), Scan::next_revision);
        let listing = list(revision, &records, &findings);
        Scan {
            hidden: Arc::new(hidden(&records, &listing)),
            listing,
            records,
            findings,
            listed,
            exists,
            is_separable,
            watched: Arc::default(),
            has_learned: false,
        }
    }

    /// The same after `edits`, in order, and with these findings. Costs what they touch.
    fn after(&self, edits: &[Edit], findings: Arc<Vec<Finding>>) -> Scan {
        let records = if edits.is_empty() { self.records.clone() } else { Arc::new(self.records.after(edits)) };
        let Some(splices) = self.splices(&records, edits) else {
            let listing = list(self.next_revision(), &records, &findings);
            let hidden = Arc::new(hidden(&records, &listing));
            return Scan { listing, records, hidden, findings, has_learned: false, ..self.clone() };
        };
        let says_the_same = Arc::ptr_eq(&findings, &self.findings) && !edits.iter().any(Edit::changes_diagnostics);
        let known = self.listing.diagnostics();
        let diagnostics = if says_the_same { known.clone() } else { self.diagnostics(&records, &findings) };
        let is_quiet = diagnostics == *known;
        if splices.is_empty() && is_quiet {
            return Scan { records, findings, ..self.clone() };
        }
        let has_learned = is_quiet && edits.iter().all(Edit::only_tells_more);
        let revision = if has_learned { self.listing.revision() } else { self.next_revision() };
        let listing = self.listing.spliced(revision, splices, diagnostics);
        Scan { listing, records, findings, has_learned, ..self.clone() }
    }

    /// What `edits`, which lead to `records`, do to the rows; `None` where an id is claimed twice, before or after.
    fn splices(&self, records: &Records, edits: &[Edit]) -> Option<Vec<Splice>> {
        let mut splices: Vec<Splice> = Vec::new();
        for edit in edits {
            let order = edit.record().order();
            if edit.moves_an_id() {
                let is_contested = |id: &Id| self.records.of(id).nth(1).or(records.of(id).nth(1)).is_some();
                if edit.ids().any(is_contested) {
                    return None;
                }
            } else if edit.lists_the_same() || self.hidden_before(order).1 {
                continue;
            }
            let at = self.records.rows_before(order) - self.hidden_before(order).0;
            let row = |record: &Option<Arc<Record>>| record.as_ref()?.row.as_ref().map(|row| row.listed.clone());
            let (range, items) = (at..at + row(&edit.old).iter().len(), row(&edit.new));
            match splices.last_mut() {
                Some((last, rows)) if last.end == at => {
                    last.end = range.end;
                    rows.extend(items);
                }
                _ => splices.push((range, Vec::from_iter(items))),
            }
        }
        Some(splices)
    }

    /// How many hidden files come before the one of this order, and whether that one is hidden.
    fn hidden_before(&self, order: (usize, &[u8])) -> (usize, bool) {
        match self.hidden.binary_search_by(|(root, path)| (*root, bytes(path)).cmp(&order)) {
            Ok(before) => (before, true),
            Err(before) => (before, false),
        }
    }

    /// All diagnostics, where no file became hidden and none came forward.
    fn diagnostics(&self, records: &Records, findings: &[Finding]) -> Arc<[Diagnostic]> {
        let mut all = said(records, findings);
        let known = self.listing.diagnostics();
        // Those of hidden files come last.
        all.extend(known[known.len() - self.hidden.len()..].iter().cloned());
        all.into()
    }

    fn next_revision(&self) -> Revision {
        Revision(self.listing.revision().0 + 1)
    }

    /// The same with `finding` about how watching fares.
    pub(crate) fn report(self, finding: Option<Finding>) -> Scan {
        if self.watching().eq(&finding) {
            return self;
        }
        let mut findings: Vec<Finding> = self.findings.iter().filter(|old| !old.is_of_watching()).cloned().collect();
        findings.extend(finding);
        findings.sort_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
        self.after(&[], Arc::new(findings))
    }

    /// What was said of watching.
    fn watching(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.is_of_watching())
    }

    /// The same with records whose content was read, as far as they are still those of this scan.
    pub(crate) fn learn(&self, edits: Vec<Edit>) -> Scan {
        let is_current = |edit: &Edit| {
            let now = self.records.at(edit.record().order());
            now.zip(edit.old.as_ref()).is_some_and(|(now, old)| Arc::ptr_eq(now, old))
        };
        let edits: Vec<Edit> = edits.into_iter().filter(is_current).collect();
        let next = self.after(&edits, self.findings.clone());
        if next.has_learned && next.records.tally().unread == 0 {
            // Nobody looks at what has the revision that he knows.
            let (revision, diagnostics) = (next.next_revision(), next.listing.diagnostics().clone());
            let listing = next.listing.spliced(revision, [], diagnostics);
            return Scan { listing, has_learned: false, ..next };
        }
        next
    }

    /// Every link that was met and may come to lead elsewhere without a word from its own folder.
    pub(crate) fn links(&self) -> impl Iterator<Item = &Path> {
        let dangling = self.findings.iter().filter(|finding| finding.diagnostic.code == Code::LINK_DANGLING);
        let beside = self.records.iter().filter_map(|record| record.beside.as_ref()).flat_map(|beside| &beside.links);
        dangling.map(|finding| finding.path.as_path()).chain(beside.map(PathBuf::as_path))
    }

    /// Whether the same folders and links are to be watched as for `other`.
    pub(crate) fn is_watched_like(&self, other: &Scan) -> bool {
        let same = |(a, b): (&Arc<Record>, &Arc<Record>)| Arc::ptr_eq(a, b) || a.is_watched_like(b);
        Arc::ptr_eq(&self.watched, &other.watched)
            || self.listed == other.listed
                && self.findings == other.findings
                && self.records.tally().all == other.records.tally().all
                && self.records.iter().zip(other.records.iter()).all(same)
    }

    /// The file behind the row `id`.
    pub(crate) fn file_of(&self, id: &Id) -> Option<&Arc<Record>> {
        self.records.of(id).next()
    }

    /// What came of each start of the plan.
    pub(crate) fn roots(&self, plan: &Plan) -> Vec<RootReport> {
        let mut skills = vec![0; plan.starts.len()];
        let rows = self.records.iter().filter(|record| record.row.is_some() && !self.hidden_before(record.order()).1);
        rows.for_each(|record| skills[record.start] += 1);
        let starts = plan.starts.iter().zip(self.exists.iter()).zip(skills);
        starts
            .map(|((start, exists), skills)| RootReport { path: start.path.clone(), exists: *exists, skills })
            .collect()
    }

    /// Every folder that was looked into, in no order, and some more than once.
    pub(crate) fn looked_into(&self) -> impl Iterator<Item = &Path> {
        let skills = self.records.iter().filter(|record| !record.holds_others).map(|record| record.folder());
        let beside = self.records.iter().filter_map(|record| record.beside.as_ref()).flat_map(|beside| &beside.folders);
        self.listed.iter().chain(beside).map(PathBuf::as_path).chain(skills)
    }

    /// Every folder that was looked into, sorted.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = self.looked_into().map(Path::to_owned).collect();
        folders.sort();
        folders.dedup();
        folders
    }
}

fn list(revision: Revision, records: &Records, findings: &[Finding]) -> Listing<Skill> {
    let rows = records.iter().filter_map(|record| record.row.as_ref().map(|row| row.listed.clone()));
    Listing::new(revision, rows, said(records, findings))
}

/// What there is to say of folders and files, by path.
fn said(records: &Records, findings: &[Finding]) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<_> = findings.iter().map(|finding| finding.diagnostic.clone()).collect();
    diagnostics.extend(records.noisy().flat_map(|record| record.diagnostics.iter().cloned()));
    // Stable: findings about one path stay in their order.
    diagnostics.sort_by(|a, b| a.path.cmp(&b.path));
    diagnostics
}

/// The files that have a row which `listing`, made of `records`, leaves out.
fn hidden(records: &Records, listing: &Listing<Skill>) -> Vec<(usize, Location)> {
    if records.tally().rows == listing.len() {
        return Vec::new();
    }
    let mut rows = listing.iter().peekable();
    let is_hidden =
        |record: &&Arc<Record>| record.id().is_some_and(|id| rows.next_if(|row| row.item.id == *id).is_none());
    records.iter().filter(is_hidden).map(|record| (record.root, record.path.clone())).collect()
}

/// Adds what was `known` of files below `lost`: what cannot be seen is not gone.
fn keep_hidden<'r>(records: &mut Vec<Arc<Record>>, known: impl Iterator<Item = &'r Arc<Record>>, lost: &[PathBuf]) {
    if lost.is_empty() {
        return;
    }
    let known = known.filter(|record| lost.iter().any(|path| is_within(&record.path, path)));
    let seen: HashSet<PathBuf> = records.iter().map(|record| record.path.to_path_buf()).collect();
    let unseen = known.filter(|record| record.row.is_some() && !seen.contains::<Path>(&record.path));
    records.extend(unseen.map(Record::gone_stale));
}
