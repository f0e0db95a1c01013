//! A scan: everything one source has, and how one becomes the next.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire_core::{Code, Id, Listing, Revision, Skill, SourceError};

use crate::record::{Record, Row};
use crate::records::Records;
use crate::root::{Plan, RootReport, Start, bytes, is_within};
use crate::visit::Finding;
use crate::walk::Walk;
use crate::workers;

/// The outcome of a scan. It is also the memory of the next one.
#[derive(Debug, Clone)]
pub(crate) struct Scan {
    pub(crate) listing: Listing<Skill>,
    /// Every `SKILL.md`; shared with the scan before when no file changed.
    pub(crate) records: Arc<Records>,
    findings: Vec<Finding>,
    /// The folders that lead to skills and are none.
    listed: Vec<PathBuf>,
    /// Whether each start of the plan exists.
    exists: Vec<bool>,
    /// Whether a part of the tree can be looked at without the rest.
    is_separable: bool,
}

/// Scans everything.
pub(crate) async fn scan(plan: &Arc<Plan>, previous: Option<Arc<Scan>>) -> Result<Scan, SourceError> {
    let (walk, exists) = Walk::whole(plan, previous.as_ref()).await?;
    let plan = plan.clone();
    workers::run(move || Scan::new(&plan, walk, exists, previous.as_deref())).await
}

/// How many parts are looked at one by one; with more, looking at everything costs less than telling them apart.
const PARTS: usize = 64;

/// Scans what lies at and below `folders`, and takes the rest from `previous`.
pub(crate) async fn rescan<'f>(
    plan: &Arc<Plan>,
    previous: Arc<Scan>,
    folders: impl IntoIterator<Item = &'f Path>,
) -> Result<Scan, SourceError> {
    let parts: Option<BTreeMap<PathBuf, usize>> =
        folders.into_iter().map(|folder| previous.part(plan, folder).map(|(start, path)| (path, start))).collect();
    let Some(parts) = parts.filter(|parts| parts.len() <= PARTS) else { return scan(plan, Some(previous)).await };
    // Components are compared, so that a folder comes right before what lies below it.
    let mut tops: Vec<PathBuf> = Vec::new();
    let mut walk = Walk::default();
    for (path, start) in parts {
        if tops.last().is_some_and(|top| path.starts_with(top)) {
            continue;
        }
        walk.join(Walk::part(plan, start, path.clone(), &previous).await?);
        tops.push(path);
    }
    if walk.has_links || !walk.too_deep.is_empty() {
        return scan(plan, Some(previous)).await;
    }
    let outside = |other: &Path| !tops.iter().any(|top| is_within(other, top));
    walk.records.extend(previous.records.iter().filter(|record| outside(&record.path)).cloned());
    walk.findings.extend(previous.findings.iter().filter(|finding| outside(&finding.path)).cloned());
    walk.listed.extend(previous.listed.iter().filter(|listed| outside(listed)).cloned());
    if walk.records.len() + walk.listed.len() > plan.limits.folders {
        return scan(plan, Some(previous)).await;
    }
    Ok(Scan::new(plan, walk, previous.exists.clone(), Some(&previous)))
}

impl Scan {
    fn new(plan: &Plan, walk: Walk, exists: Vec<bool>, previous: Option<&Scan>) -> Scan {
        let Walk { mut records, mut findings, mut listed, lost, has_links, too_deep, left_out, .. } = walk;
        // How watching fares is not for the walk to say.
        findings.retain(|finding| !finding.is_of_watching());
        findings.extend(previous.into_iter().flat_map(|previous| previous.watching().cloned()));
        if let Some(previous) = previous
            && !lost.is_empty()
        {
            // What cannot be seen is not gone.
            let known = previous.records.iter().filter(|record| lost.iter().any(|path| is_within(&record.path, path)));
            let kept: HashSet<PathBuf> = records.iter().map(|record| record.path.to_path_buf()).collect();
            let hidden = known.filter(|record| record.row.is_some() && !kept.contains::<Path>(&record.path));
            records.extend(hidden.map(Record::gone_stale));
        }
        records.sort_by(|a, b| plan.order(a.start, &a.path).cmp(&plan.order(b.start, &b.path)));
        findings.sort_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
        listed.sort_by(|a, b| bytes(a).cmp(bytes(b)));
        let records = match previous {
            Some(previous) if previous.records.are(&records) => previous.records.clone(),
            _ => Arc::new(Records::new(records)),
        };
        let listing = match previous {
            Some(previous) if previous.findings == findings && previous.records.list_like(&records) => {
                previous.listing.clone()
            }
            Some(previous) => list(Revision(previous.listing.revision().0 + 1), &records, &findings),
            None => list(Revision(1), &records, &findings),
        };
        let is_separable = !has_links && too_deep.is_empty() && left_out == 0;
        Scan { listing, records, findings, listed, exists, is_separable }
    }

    /// The same with `finding` about how watching fares; published after `before`.
    pub(crate) fn report(mut self, finding: Option<Finding>, before: Option<&Scan>) -> Scan {
        if !self.watching().eq(&finding) {
            self.findings.retain(|finding| !finding.is_of_watching());
            self.findings.extend(finding);
            self.findings.sort_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
            let revision = before.map_or(Revision(1), |before| Revision(before.listing.revision().0 + 1));
            self.listing = list(revision, &self.records, &self.findings);
        }
        self
    }

    /// What was said of watching.
    fn watching(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.is_of_watching())
    }

    /// Every link that was met and may come to lead elsewhere without a word from its own folder.
    pub(crate) fn links(&self) -> impl Iterator<Item = &Path> {
        let dangling = self.findings.iter().filter(|finding| finding.diagnostic.code == Code::LINK_DANGLING);
        let beside = self.records.iter().filter_map(|record| record.beside.as_ref()).flat_map(|beside| &beside.links);
        dangling.map(|finding| finding.path.as_path()).chain(beside.map(PathBuf::as_path))
    }

    /// Whether the same folders and links are to be watched as for `other`.
    pub(crate) fn is_watched_like(&self, other: &Scan) -> bool {
        self.listed == other.listed
            && self.findings == other.findings
            && self.records.iter().count() == other.records.iter().count()
            && self.records.iter().zip(other.records.iter()).all(|(a, b)| Arc::ptr_eq(a, b) || a.is_watched_like(b))
    }

    /// The file behind the row `id`.
    pub(crate) fn file_of(&self, id: &Id) -> Option<&Arc<Record>> {
        self.records.of(id)
    }

    /// What came of each start of the plan.
    pub(crate) fn roots(&self, plan: &Plan) -> Vec<RootReport> {
        let mut skills = vec![0; plan.starts.len()];
        for row in self.listing.iter() {
            skills[self.records.of(&row.item.id).map_or(0, |record| record.start)] += 1;
        }
        let starts = plan.starts.iter().zip(&self.exists).zip(skills);
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

    /// The part of the tree to scan when `folder` may have changed, and its start: the nearest folder at or above
    /// it that was met by listing the one above. `None` when that is a start, or all has to be scanned.
    fn part(&self, plan: &Plan, folder: &Path) -> Option<(usize, PathBuf)> {
        let touches = |start: &Start| folder.starts_with(&start.path) || start.path.starts_with(folder);
        let mut touched = (0..plan.starts.len()).filter(|start| touches(&plan.starts[*start]));
        let (Some(start), None, true) = (touched.next(), touched.next(), self.is_separable) else { return None };
        let inside = folder.ancestors().take_while(|part| *part != plan.starts[start].path);
        let is_listed = |path: &Path| self.listed.binary_search_by(|listed| bytes(listed).cmp(bytes(path))).is_ok();
        let part = inside.into_iter().find(|part| part.parent().is_some_and(is_listed))?;
        Some((start, part.to_owned()))
    }
}

fn list(revision: Revision, records: &Records, findings: &[Finding]) -> Listing<Skill> {
    let mut diagnostics: Vec<_> = findings.iter().map(|finding| finding.diagnostic.clone()).collect();
    diagnostics.extend(records.iter().flat_map(|record| record.diagnostics.iter().cloned()));
    // Stable: findings about one path stay in their order.
    diagnostics.sort_by(|a, b| a.path.cmp(&b.path));
    Listing::new(revision, records.iter().filter_map(|record| record.row.as_ref().map(Row::listed)), diagnostics)
}
