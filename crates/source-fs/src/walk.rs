//! The walk over all folders of a source, level by level.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire_core::{Code, SourceError};

use crate::bounds::Bounds;
use crate::file;
use crate::file_system::FileSystem;
use crate::near::Near;
use crate::record::Record;
use crate::root::{Plan, Start};
use crate::scan::Scan;
use crate::stamp::Identity;
use crate::text_link;
use crate::visit::{Finding, Folder, Link, Reach, Visit, visit};
use crate::workers;

/// What a walk has found so far.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    pub(crate) records: Vec<Arc<Record>>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) listed: Vec<PathBuf>,
    /// Folders that are there and could not be seen into.
    pub(crate) lost: Vec<PathBuf>,
    /// Where it leads, until that is visited.
    folders: Vec<Folder>,
    links: Vec<Link>,
    pub(crate) has_links: bool,
    pub(crate) too_deep: Vec<PathBuf>,
    visited: usize,
    pub(crate) left_out: usize,
    bounds: Arc<Bounds>,
}

/// A folder to which a link leads.
#[derive(Debug)]
struct Target {
    identity: Identity,
    reach: Reach,
}

impl Walk {
    /// Walks everything, and tells whether each start of the plan exists.
    pub(crate) async fn whole(
        plan: &Arc<Plan>,
        previous: Option<&Arc<Scan>>,
    ) -> Result<(Walk, Vec<bool>), SourceError> {
        let (level, mut walk, exists) = {
            let plan = plan.clone();
            workers::run(move || starts(&plan)).await?
        };
        let mut seen = HashSet::new();
        let level = level.into_iter().filter(|folder| seen.insert(folder.identity)).collect();
        walk.descend(plan, level, &mut seen, previous).await?;
        // Links come after all real folders, so that a folder is known by its own path rather than a link's.
        let above = if walk.has_links {
            let plan = plan.clone();
            workers::run(move || ancestors(&plan)).await?
        } else {
            HashSet::new()
        };
        while !walk.links.is_empty() {
            let mut links = std::mem::take(&mut walk.links);
            links.sort_by(|a, b| plan.order(a.start, &a.path).cmp(&plan.order(b.start, &b.path)));
            let level = walk.follow(links, &mut seen, &above).await?;
            walk.descend(plan, level, &mut seen, previous).await?;
        }
        walk.report_limits(plan);
        Ok((walk, exists))
    }

    /// Walks folders below a start, none of which holds another, and each of which is met by listing the one above it.
    pub(crate) async fn parts(
        plan: &Arc<Plan>,
        parts: Vec<(usize, PathBuf)>,
        previous: &Arc<Scan>,
    ) -> Result<Walk, SourceError> {
        let (level, mut walk) = {
            let plan = plan.clone();
            workers::run(move || {
                let bounds = Arc::new(Bounds::of(&plan));
                let has_links = parts.iter().any(|(_, path)| path.is_symlink());
                let folders = parts.iter().filter_map(|(start, path)| inner_folder(&plan, &bounds, *start, path));
                let folders: Vec<Folder> = folders.collect();
                let findings = parts.iter().filter_map(|(_, path)| text_link::finding_of(path)).collect();
                (folders, Walk { has_links, findings, bounds, ..Walk::default() })
            })
            .await?
        };
        walk.descend(plan, level, &mut HashSet::new(), Some(previous)).await?;
        Ok(walk)
    }

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
            let (plan, previous, bounds) = (plan.clone(), previous.cloned(), self.bounds.clone());
            let work = move |folders: &[Folder]| {
                let known = |order: (usize, &[u8])| previous.as_ref().and_then(|scan| scan.records.at(order));
                let (mut part, mut near) = (Walk::default(), Near::default());
                for folder in folders {
                    near.hold_above(&folder.path);
                    part.gather(visit(&plan, folder, &bounds, &near, known));
                }
                part
            };
            let parts = workers::map(level, work).await?;
            level = Vec::new();
            for part in parts {
                self.absorb(part, seen, &mut level);
            }
        }
        Ok(())
    }

    fn gather(&mut self, visit: Visit) {
        self.records.extend(visit.record);
        self.findings.extend(visit.findings);
        self.listed.extend(visit.listed);
        self.lost.extend(visit.lost);
        self.too_deep.extend(visit.too_deep);
        self.links.extend(visit.links);
        self.folders.extend(visit.folders);
    }

    /// Adds what a worker has found.
    fn absorb(&mut self, part: Walk, seen: &mut HashSet<Identity>, next: &mut Vec<Folder>) {
        self.records.extend(part.records);
        self.findings.extend(part.findings);
        self.listed.extend(part.listed);
        self.lost.extend(part.lost);
        self.too_deep.extend(part.too_deep);
        self.has_links |= part.has_links || !part.links.is_empty();
        self.links.extend(part.links);
        // A real folder is met twice where a link led into it first, or where another search starts.
        next.extend(part.folders.into_iter().filter(|folder| seen.insert(folder.identity)));
    }

    /// The folders to which `links` lead and that are not visited yet.
    async fn follow(
        &mut self,
        links: Vec<Link>,
        seen: &mut HashSet<Identity>,
        above: &HashSet<Identity>,
    ) -> Result<Vec<Folder>, SourceError> {
        let bounds = self.bounds.clone();
        let work = move |links: &[Link]| links.iter().map(|link| target(&link.path, &bounds)).collect::<Vec<_>>();
        let targets = workers::map(links.clone(), work).await?.into_iter().flatten();
        let mut folders = Vec::new();
        for (link, target) in links.into_iter().zip(targets) {
            let Link { start, path, depth, cursor } = link;
            match target {
                Ok(None) => {}
                Ok(Some(Target { identity, .. })) if above.contains(&identity) => {
                    let message = "the link leads to a folder that holds the root; it is not followed";
                    self.findings.push(Finding::new(path, Code::LINK_REPEATED, message));
                }
                Ok(Some(Target { identity, .. })) if !seen.insert(identity) => {
                    let message = "the link leads to a folder that is read already";
                    self.findings.push(Finding::new(path, Code::LINK_REPEATED, message));
                }
                Ok(Some(Target { identity, reach })) => {
                    folders.push(Folder { start, path, depth, cursor, identity, reach });
                }
                Err((code, message)) => {
                    self.lost.extend((code == Code::UNREADABLE).then(|| path.clone()));
                    let finding = Finding::new(path, code, message);
                    self.findings.push(if code == Code::LINK_LEADS_OUT {
                        finding.help(ROOT_OF_ITS_OWN)
                    } else {
                        finding
                    });
                }
            }
        }
        Ok(folders)
    }

    fn report_limits(&mut self, plan: &Plan) {
        let root = plan.starts.first().map(|start| start.path.clone()).unwrap_or_default();
        if let Some(first) = self.too_deep.iter().min() {
            let (limit, count) = (plan.limits.depth, self.too_deep.len());
            let message = format!("nothing below {limit} levels is searched; folders that go deeper: {count}");
            let finding = Finding::new(first.clone(), Code::WALK_TRUNCATED, message);
            self.findings.push(finding.help(format!(
                "name a folder further down as a root, or raise `limits.depth`: write `limits = {{ depth = {} }}` for the source",
                limit * 2
            )));
        }
        if self.left_out > 0 {
            let message = format!("more than {} folders; the rest is not searched", plan.limits.folders);
            let finding = Finding::new(root, Code::WALK_TRUNCATED, message);
            self.findings.push(finding.help(format!(
                "name a folder further down as a root, or raise `limits.folders`: write `limits = {{ folders = {} }}` for the source",
                plan.limits.folders * 10
            )));
        }
    }
}

const ROOT_OF_ITS_OWN: &str = "to have its skills, name the folder that it leads to as a root";

/// The folders where searches start, what is wrong with them, and which exist.
fn starts(plan: &Plan) -> (Vec<Folder>, Walk, Vec<bool>) {
    let bounds = Arc::new(Bounds::of(plan));
    let (mut folders, mut walk) = (Vec::new(), Walk { bounds: bounds.clone(), ..Walk::default() });
    let mut exists = Vec::with_capacity(plan.starts.len());
    for (start, Start { path, prefix, .. }) in plan.starts.iter().enumerate() {
        let metadata = std::fs::metadata(path);
        exists.push(metadata.as_ref().is_ok_and(std::fs::Metadata::is_dir));
        match metadata {
            Ok(metadata) if metadata.is_dir() => {
                let Some(cursor) = plan.patterns.cursor(prefix) else { continue };
                let identity = Identity::of(path, &metadata);
                if FileSystem::of(path) == FileSystem::Kernel {
                    let message = "expected a folder of files, found a table of the kernel";
                    walk.findings.push(Finding::new(path.clone(), Code::UNREADABLE, message));
                    continue;
                }
                match reach(path, &bounds) {
                    Ok(reach) => {
                        let reach = Reach { by_link: false, ..reach };
                        folders.push(Folder { start, path: path.clone(), depth: 0, cursor, identity, reach });
                    }
                    Err((code, message)) => {
                        walk.findings.push(Finding::new(path.clone(), code, message).help(ROOT_OF_ITS_OWN));
                    }
                }
            }
            Ok(metadata) => {
                let message = format!("expected a folder, found {}", file::what(&metadata));
                let other = || Finding::new(path.clone(), Code::UNREADABLE, message);
                walk.findings.push(text_link::finding_above(path).unwrap_or_else(other));
            }
            // Some systems say that there is nothing below a file.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                walk.findings.extend(text_link::finding_above(path));
            }
            Err(error) => {
                walk.lost.push(path.clone());
                let message = format!("the folder cannot be read: {}", file::cause(&error));
                walk.findings.push(Finding::new(path.clone(), Code::UNREADABLE, message));
            }
        }
    }
    (folders, walk, exists)
}

/// The folder `path` below a start as the walk would come to it; `None` when it would not, or there is none.
fn inner_folder(plan: &Plan, bounds: &Bounds, start: usize, path: &Path) -> Option<Folder> {
    let below = path.strip_prefix(&plan.starts[start].path).ok()?;
    let depth = below.components().count();
    let cursor = plan.patterns.cursor(&plan.starts[start].prefix.join(below))?;
    let metadata = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_dir)?;
    let identity = Identity::of(path, &metadata);
    let reach = Reach { by_link: false, ..reach(path, bounds).ok()? };
    (depth <= plan.limits.depth).then(|| Folder { start, path: path.to_owned(), depth, cursor, identity, reach })
}

/// Returns where the folder that `path` leads to really is, unless it lies where the walk may not go.
fn reach(path: &Path, bounds: &Bounds) -> Result<Reach, (Code, String)> {
    let unknown =
        |error: std::io::Error| (Code::UNREADABLE, format!("the folder cannot be read: {}", file::cause(&error)));
    let real = path.canonicalize().map_err(unknown)?;
    if !bounds.admit(&real) {
        let message =
            format!("it leads to `{}`, out of the folder that may be searched; it is not followed", file::shown(&real));
        return Err((Code::LINK_LEADS_OUT, message));
    }
    let is_outside = !bounds.hold(&real);
    Ok(Reach { real: (real != path).then(|| real.into()), by_link: true, is_outside })
}

/// Returns the folder to which a link leads; `None` for something else than a folder.
fn target(link: &Path, bounds: &Bounds) -> Result<Option<Target>, (Code, String)> {
    let error = match std::fs::metadata(link) {
        Ok(metadata) if !metadata.is_dir() => return Ok(None),
        Ok(_) if FileSystem::of(link) == FileSystem::Kernel => {
            let message = "the link leads to a table of the kernel; it is not followed";
            return Err((Code::LINK_LEADS_OUT, message.into()));
        }
        Ok(metadata) => {
            let identity = Identity::of(link, &metadata);
            return reach(link, bounds).map(|reach| Some(Target { identity, reach }));
        }
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
