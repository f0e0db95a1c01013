//! A scan: everything one source has, found level by level.

use std::collections::{HashMap, HashSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire_core::{Code, Id, Listing, Revision, Skill, SourceError};

use crate::file;
use crate::record::Record;
use crate::root::{Plan, RootReport, Start};
use crate::stamp::Identity;
use crate::visit::{Finding, Folder, Link, Visit, visit};
use crate::workers;

/// The outcome of a scan. It is also the memory of the next one.
#[derive(Debug)]
pub(crate) struct Scan {
    pub(crate) listing: Listing<Skill>,
    /// Every `SKILL.md`, in the order of the listing.
    records: Vec<Arc<Record>>,
    by_id: HashMap<Id, usize>,
    findings: Vec<Finding>,
    /// The folders that lead to skills and are none.
    listed: Vec<PathBuf>,
    /// Whether each start of the plan exists.
    exists: Vec<bool>,
    /// Whether a part of the tree can be looked at without the rest.
    is_separable: bool,
}

/// What a walk has found so far.
#[derive(Debug, Default)]
struct Walk {
    records: Vec<Arc<Record>>,
    findings: Vec<Finding>,
    listed: Vec<PathBuf>,
    /// Folders that are there and could not be seen into.
    lost: Vec<PathBuf>,
    links: Vec<Link>,
    has_links: bool,
    too_deep: Vec<PathBuf>,
    visited: usize,
    left_out: usize,
}

/// Scans everything.
pub(crate) async fn scan(plan: &Arc<Plan>, previous: Option<Arc<Scan>>) -> Result<Scan, SourceError> {
    let mut walk = Walk::default();
    let mut seen = HashSet::new();
    let (level, exists) = {
        let plan = plan.clone();
        let (starts, findings, lost, exists) = workers::run(move || starts(&plan)).await?;
        walk.findings = findings;
        walk.lost = lost;
        (starts, exists)
    };
    let level = level.into_iter().filter(|folder| seen.insert(folder.identity)).collect();
    walk.descend(plan, level, &mut seen, previous.as_ref()).await?;
    // Links come after all real folders, so that a folder is known by its own path rather than a link's.
    let mut above = None;
    while !walk.links.is_empty() {
        let mut links = std::mem::take(&mut walk.links);
        links.sort_by(|a, b| plan.order(a.start, &a.path).cmp(&plan.order(b.start, &b.path)));
        let above = match &mut above {
            Some(above) => above,
            empty => {
                let plan = plan.clone();
                empty.insert(workers::run(move || ancestors(&plan)).await?)
            }
        };
        let level = walk.follow(links, &mut seen, above).await?;
        walk.descend(plan, level, &mut seen, previous.as_ref()).await?;
    }
    walk.report_limits(plan);
    Ok(Scan::new(plan, walk, exists, previous.as_deref()))
}

/// Scans what lies at and below `folder`, and takes the rest from `previous`.
pub(crate) async fn rescan(plan: &Arc<Plan>, previous: Arc<Scan>, folder: &Path) -> Result<Scan, SourceError> {
    let Some((start, path)) = previous.part(plan, folder) else { return scan(plan, Some(previous)).await };
    let mut walk = Walk::default();
    let part = {
        let (plan, path) = (plan.clone(), path.clone());
        workers::run(move || plan.folder(start, path)).await?
    };
    walk.descend(plan, Vec::from_iter(part), &mut HashSet::new(), Some(&previous)).await?;
    if walk.has_links || !walk.too_deep.is_empty() {
        return scan(plan, Some(previous)).await;
    }
    let outside = |other: &Path| !other.starts_with(&path);
    walk.records.extend(previous.records.iter().filter(|record| outside(&record.path)).cloned());
    walk.findings.extend(previous.findings.iter().filter(|finding| outside(&finding.path)).cloned());
    walk.listed.extend(previous.listed.iter().filter(|listed| outside(listed)).cloned());
    if walk.records.len() + walk.listed.len() > plan.limits.folders {
        return scan(plan, Some(previous)).await;
    }
    Ok(Scan::new(plan, walk, previous.exists.clone(), Some(&previous)))
}

impl Walk {
    /// Visits `level` and everything below it. Shallow folders come first, so that a limit cuts off deep ones.
    async fn descend(
        &mut self,
        plan: &Arc<Plan>,
        mut level: Vec<Folder>,
        seen: &mut HashSet<Identity>,
        previous: Option<&Arc<Scan>>,
    ) -> Result<(), SourceError> {
        while !level.is_empty() {
            let room = plan.limits.folders.saturating_sub(self.visited);
            self.left_out += level.len().saturating_sub(room);
            level.truncate(room);
            self.visited += level.len();
            let paths: Vec<PathBuf> = level.iter().map(|folder| folder.path.clone()).collect();
            let (plan, previous) = (plan.clone(), previous.cloned());
            let work = move |folder: &Folder| {
                visit(&plan, folder, |path| previous.as_ref().and_then(|scan| scan.record(&plan, folder.start, path)))
            };
            let visits = workers::map(level, work).await?;
            level = Vec::new();
            for (path, visit) in paths.into_iter().zip(visits) {
                self.gather(path, visit, seen, &mut level);
            }
        }
        Ok(())
    }

    fn gather(&mut self, path: PathBuf, visit: Visit, seen: &mut HashSet<Identity>, next: &mut Vec<Folder>) {
        let is_skill = visit.record.as_ref().is_some_and(|record| !record.holds_others);
        let is_rejected = visit.is_rejected;
        self.records.extend(visit.record);
        self.findings.extend(visit.findings);
        self.too_deep.extend(visit.too_deep);
        self.has_links |= !visit.links.is_empty();
        self.links.extend(visit.links);
        // A real folder is met twice where a link led into it first, or where another search starts.
        next.extend(visit.folders.into_iter().filter(|folder| seen.insert(folder.identity)));
        if visit.is_lost {
            self.lost.push(path.clone());
        }
        if !is_skill && !is_rejected {
            self.listed.push(path);
        }
    }

    /// The folders to which `links` lead and that are not visited yet.
    async fn follow(
        &mut self,
        links: Vec<Link>,
        seen: &mut HashSet<Identity>,
        above: &HashSet<Identity>,
    ) -> Result<Vec<Folder>, SourceError> {
        let targets = workers::map(links.clone(), |link| target(&link.path)).await?;
        let mut folders = Vec::new();
        for (link, target) in links.into_iter().zip(targets) {
            let Link { start, path, depth, cursor } = link;
            match target {
                Ok(None) => {}
                Ok(Some(identity)) if above.contains(&identity) => {
                    let message = "the link leads to a folder that holds the root; it is not followed";
                    self.findings.push(Finding::new(path, Code::LINK_REPEATED, message));
                }
                Ok(Some(identity)) if !seen.insert(identity) => {
                    let message = "the link leads to a folder that is read already";
                    self.findings.push(Finding::new(path, Code::LINK_REPEATED, message));
                }
                Ok(Some(identity)) => folders.push(Folder { start, path, depth, cursor, identity }),
                Err((code, message)) => {
                    self.lost.extend((code == Code::UNREADABLE).then(|| path.clone()));
                    self.findings.push(Finding::new(path, code, message));
                }
            }
        }
        Ok(folders)
    }

    fn report_limits(&mut self, plan: &Plan) {
        let root = plan.starts.first().map(|start| start.path.clone()).unwrap_or_default();
        if let Some(first) = self.too_deep.iter().min() {
            let (limit, count) = (plan.limits.depth, self.too_deep.len());
            let message = format!("{count} folders reach deeper than {limit} levels and are not searched there");
            let finding = Finding::new(first.clone(), Code::WALK_TRUNCATED, message);
            self.findings.push(finding.help("raise `limits.depth`, or name a folder further down as a root"));
        }
        if self.left_out > 0 {
            let message = format!("more than {} folders; the rest is not searched", plan.limits.folders);
            let finding = Finding::new(root, Code::WALK_TRUNCATED, message);
            self.findings.push(finding.help("raise `limits.folders`, or give narrower patterns"));
        }
    }
}

impl Scan {
    fn new(plan: &Plan, walk: Walk, exists: Vec<bool>, previous: Option<&Scan>) -> Scan {
        let Walk { mut records, mut findings, mut listed, lost, has_links, too_deep, left_out, .. } = walk;
        if let Some(previous) = previous
            && !lost.is_empty()
        {
            // What cannot be seen is not gone.
            let known = previous.records.iter().filter(|record| lost.iter().any(|path| record.path.starts_with(path)));
            let kept: HashSet<PathBuf> = records.iter().map(|record| record.path.clone()).collect();
            let hidden = known.filter(|record| record.row.is_some() && !kept.contains(&record.path));
            records.extend(hidden.map(Record::gone_stale));
        }
        records.sort_by(|a, b| plan.order(a.start, &a.path).cmp(&plan.order(b.start, &b.path)));
        findings.sort_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
        listed.sort_by(|a, b| bytes(a).cmp(bytes(b)));
        let is_separable = !has_links && too_deep.is_empty() && left_out == 0;
        let mut scan = Scan {
            listing: Listing::empty(Revision(1)),
            records,
            by_id: HashMap::new(),
            findings,
            listed,
            exists,
            is_separable,
        };
        for (position, record) in scan.records.iter().enumerate() {
            if let Some(row) = &record.row {
                scan.by_id.entry(row.item.id.clone()).or_insert(position);
            }
        }
        scan.listing = match previous {
            Some(previous) if scan.lists_like(previous) => previous.listing.clone(),
            Some(previous) => scan.list(Revision(previous.listing.revision().0 + 1)),
            None => scan.list(Revision(1)),
        };
        scan
    }

    fn list(&self, revision: Revision) -> Listing<Skill> {
        let mut diagnostics: Vec<_> = self.findings.iter().map(|finding| finding.diagnostic.clone()).collect();
        diagnostics.extend(self.records.iter().flat_map(|record| record.diagnostics.iter().cloned()));
        // Stable: findings about one path stay in their order.
        diagnostics.sort_by(|a, b| a.path.cmp(&b.path));
        Listing::new(revision, self.records.iter().filter_map(|record| record.row.clone()), diagnostics)
    }

    fn lists_like(&self, other: &Scan) -> bool {
        let same = |(a, b): (&Arc<Record>, &Arc<Record>)| Arc::ptr_eq(a, b) || a.lists_like(b);
        self.records.len() == other.records.len()
            && self.records.iter().zip(&other.records).all(same)
            && self.findings == other.findings
    }

    /// The file behind the row `id`.
    pub(crate) fn file_of(&self, id: &Id) -> Option<&Arc<Record>> {
        self.by_id.get(id).map(|position| &self.records[*position])
    }

    /// What is known of the file `path`.
    fn record(&self, plan: &Plan, start: usize, path: &Path) -> Option<&Arc<Record>> {
        let wanted = plan.order(start, path);
        let found = self.records.binary_search_by(|record| plan.order(record.start, &record.path).cmp(&wanted));
        found.ok().map(|position| &self.records[position])
    }

    /// What came of each start of the plan.
    pub(crate) fn roots(&self, plan: &Plan) -> Vec<RootReport> {
        let mut skills = vec![0; plan.starts.len()];
        for position in self.by_id.values() {
            skills[self.records[*position].start] += 1;
        }
        let starts = plan.starts.iter().zip(&self.exists).zip(skills);
        starts.map(|((start, exists), skills)| RootReport { path: start.path.clone(), exists: *exists, skills }).collect()
    }

    /// Every folder that was looked into.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let skills = self.records.iter().filter(|record| !record.holds_others).map(|record| record.folder());
        let mut folders: Vec<PathBuf> = self.listed.iter().map(PathBuf::as_path).chain(skills).map(Into::into).collect();
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

impl Plan {
    /// The order of skills: roots as configured, then paths by their bytes.
    fn order<'a>(&self, start: usize, path: &'a Path) -> (usize, &'a [u8]) {
        (self.starts[start].root, bytes(path))
    }
}

impl Plan {
    /// The folder `path` below a start as the walk would come to it; `None` when it would not, or there is none.
    fn folder(&self, start: usize, path: PathBuf) -> Option<Folder> {
        let below = path.strip_prefix(&self.starts[start].path).ok()?;
        let depth = below.components().count();
        let cursor = self.patterns.cursor(&self.starts[start].prefix.join(below))?;
        let metadata = std::fs::symlink_metadata(&path).ok().filter(std::fs::Metadata::is_dir)?;
        let identity = Identity::of(&path, &metadata);
        (depth <= self.limits.depth).then_some(Folder { start, path, depth, cursor, identity })
    }
}

/// The folders where searches start, what is wrong with them, which cannot be seen, and which exist.
fn starts(plan: &Plan) -> (Vec<Folder>, Vec<Finding>, Vec<PathBuf>, Vec<bool>) {
    let (mut folders, mut findings, mut lost) = (Vec::new(), Vec::new(), Vec::new());
    let mut exists = Vec::with_capacity(plan.starts.len());
    for (start, Start { path, prefix, .. }) in plan.starts.iter().enumerate() {
        let metadata = std::fs::metadata(path);
        exists.push(metadata.as_ref().is_ok_and(std::fs::Metadata::is_dir));
        match metadata {
            Ok(metadata) if metadata.is_dir() => {
                let Some(cursor) = plan.patterns.cursor(prefix) else { continue };
                let identity = Identity::of(path, &metadata);
                folders.push(Folder { start, path: path.clone(), depth: 0, cursor, identity });
            }
            Ok(metadata) => {
                let message = format!("expected a folder, found {}", file::what(&metadata));
                findings.push(Finding::new(path.clone(), Code::UNREADABLE, message));
            }
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => {
                lost.push(path.clone());
                let message = format!("the folder cannot be read: {}", file::cause(&error));
                findings.push(Finding::new(path.clone(), Code::UNREADABLE, message));
            }
        }
    }
    (folders, findings, lost, exists)
}

/// The folder to which a link leads; `None` for something else than a folder.
fn target(link: &Path) -> Result<Option<Identity>, (Code, String)> {
    let error = match std::fs::metadata(link) {
        Ok(metadata) => return Ok(metadata.is_dir().then(|| Identity::of(link, &metadata))),
        Err(error) => error,
    };
    match (link.read_link(), error.kind()) {
        // Gone since its folder was read.
        (Err(_), _) => Ok(None),
        (Ok(_), ErrorKind::PermissionDenied) => {
            Err((Code::UNREADABLE, "the link cannot be followed: permission denied".into()))
        }
        (Ok(target), ErrorKind::NotFound) => {
            Err((Code::LINK_DANGLING, format!("the link to `{}` leads nowhere", file::shown(&target))))
        }
        (Ok(target), _) => {
            let (target, cause) = (file::shown(&target), file::cause(&error));
            Err((Code::LINK_DANGLING, format!("the link to `{target}` cannot be followed: {cause}")))
        }
    }
}

/// The folders that hold a start.
fn ancestors(plan: &Plan) -> HashSet<Identity> {
    let real = plan.starts.iter().filter_map(|start| start.path.canonicalize().ok());
    let mut above = HashSet::new();
    for real in real {
        let identity = |path: &Path| std::fs::metadata(path).ok().map(|metadata| Identity::of(path, &metadata));
        above.extend(real.ancestors().skip(1).filter_map(identity));
    }
    above
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}
