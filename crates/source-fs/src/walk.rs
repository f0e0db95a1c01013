//! The walk over all folders of a source, level by level.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire_core::{Code, SourceError};

use crate::earlier_scans::EarlierScans;
use crate::file;
use crate::frontier::{FolderToVisit, LinkToFollow, PathDiagnostic, Reach};
use crate::link_bounds::LinkBounds;
use crate::parent_dir::ParentDir;
use crate::root::{SearchPlan, SearchStart};
use crate::skill_file::SkillFile;
use crate::skill_files::SkillFileTable;
use crate::stamp::Identity;
use crate::text_link;
use crate::tree_file::TreeFile;
use crate::workers;

/// The state and the result of a walk.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    pub(crate) skill_files: Vec<Arc<SkillFile>>,
    /// The selected files, where the patterns select files by their names.
    pub(crate) files: Vec<TreeFile>,
    pub(crate) diagnostics: Vec<PathDiagnostic>,
    pub(crate) listed: Vec<PathBuf>,
    /// The folders that could not be read.
    pub(crate) lost: Vec<PathBuf>,
    /// The folders and links that are not visited yet.
    pub(crate) folders: Vec<FolderToVisit>,
    pub(crate) links: Vec<LinkToFollow>,
    pub(crate) has_links: bool,
    pub(crate) too_deep: Vec<PathBuf>,
    visited: usize,
    pub(crate) left_out: usize,
    pub(crate) bounds: Arc<LinkBounds>,
}

/// A folder to which a link leads.
#[derive(Debug)]
struct LinkTarget {
    identity: Identity,
    reach: Reach,
}

impl LinkToFollow {
    fn to(self, target: LinkTarget) -> FolderToVisit {
        FolderToVisit {
            start: self.start,
            path: self.path,
            depth: self.depth,
            cursor: self.cursor,
            identity: target.identity,
            reach: target.reach,
        }
    }
}

impl Walk {
    /// Walks everything. Returns the walk, and whether each start of the plan exists.
    pub(crate) async fn whole(
        plan: &Arc<SearchPlan>,
        earlier: &EarlierScans,
    ) -> Result<(Walk, Vec<bool>), SourceError> {
        let (level, mut walk, exists) = {
            let plan = plan.clone();
            workers::run(move || starts(&plan)).await?
        };
        let mut seen = HashSet::new();
        let level = level
            .into_iter()
            .filter(|folder| seen.insert(folder.identity))
            .collect();
        walk.descend(plan, level, &mut seen, earlier).await?;
        // Links come after all real folders, so that a folder is known by its own path rather than a link's.
        let above = if walk.has_links {
            let plan = plan.clone();
            workers::run(move || ancestors(&plan)).await?
        } else {
            HashSet::new()
        };
        while !walk.links.is_empty() {
            let mut links = std::mem::take(&mut walk.links);
            links.sort_by(|a, b| {
                plan.order(a.start, &a.path)
                    .cmp(&plan.order(b.start, &b.path))
            });
            let level = walk.follow(links, &mut seen, &above).await?;
            walk.descend(plan, level, &mut seen, earlier).await?;
        }
        walk.report_limits(plan);
        Ok((walk, exists))
    }

    /// Walks folders below a start. None of them holds another, and each was found by listing its parent.
    pub(crate) async fn parts(
        plan: &Arc<SearchPlan>,
        parts: Vec<(usize, PathBuf)>,
        known: &Arc<SkillFileTable>,
    ) -> Result<Walk, SourceError> {
        let (level, mut walk) = {
            let plan = plan.clone();
            workers::run(move || {
                let bounds = Arc::new(LinkBounds::of(&plan));
                let has_links = parts.iter().any(|(_, path)| path.is_symlink());
                let folders = parts
                    .iter()
                    .filter_map(|(start, path)| inner_folder(&plan, &bounds, *start, path));
                let folders: Vec<FolderToVisit> = folders.collect();
                let diagnostics = parts
                    .iter()
                    .filter_map(|(_, path)| text_link::diagnostic_of(path))
                    .collect();
                let mut walk = Walk {
                    has_links,
                    diagnostics,
                    bounds,
                    ..Walk::default()
                };
                for (start, path) in &parts {
                    walk.visit_file(&plan, *start, path);
                }
                (folders, walk)
            })
            .await?
        };
        let earlier = EarlierScans::of_source(Some(known));
        walk.descend(plan, level, &mut HashSet::new(), &earlier)
            .await?;
        Ok(walk)
    }

    /// Visits `level` and everything below it. Shallow folders come first, so that a limit omits deep ones.
    async fn descend(
        &mut self,
        plan: &Arc<SearchPlan>,
        mut level: Vec<FolderToVisit>,
        seen: &mut HashSet<Identity>,
        earlier: &EarlierScans,
    ) -> Result<(), SourceError> {
        while !level.is_empty() {
            let room = plan.limits.folders.saturating_sub(self.visited);
            self.left_out += level.len().saturating_sub(room);
            level.truncate(room);
            self.visited += level.len();
            let (plan, earlier, bounds) = (plan.clone(), earlier.clone(), self.bounds.clone());
            let work = move |folders: &[FolderToVisit]| {
                let (mut part, mut parent) = (Walk::default(), ParentDir::default());
                for folder in folders {
                    parent.hold_above(&folder.path);
                    part.visit(&plan, folder, &bounds, &parent, &earlier);
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

    fn absorb(&mut self, part: Walk, seen: &mut HashSet<Identity>, next: &mut Vec<FolderToVisit>) {
        self.skill_files.extend(part.skill_files);
        self.files.extend(part.files);
        self.diagnostics.extend(part.diagnostics);
        self.listed.extend(part.listed);
        self.lost.extend(part.lost);
        self.too_deep.extend(part.too_deep);
        self.has_links |= part.has_links || !part.links.is_empty();
        self.links.extend(part.links);
        let mut folders = part.folders;
        seen.reserve(folders.len());
        // A real folder is met twice where a link led into it first, or where another search starts.
        folders.retain(|folder| seen.insert(folder.identity));
        if next.is_empty() {
            *next = folders;
        } else {
            next.append(&mut folders);
        }
    }

    async fn follow(
        &mut self,
        links: Vec<LinkToFollow>,
        seen: &mut HashSet<Identity>,
        above: &HashSet<Identity>,
    ) -> Result<Vec<FolderToVisit>, SourceError> {
        let bounds = self.bounds.clone();
        let work = move |links: &[LinkToFollow]| {
            links
                .iter()
                .map(|link| target(&link.path, &bounds))
                .collect::<Vec<_>>()
        };
        let targets = workers::map(links.clone(), work)
            .await?
            .into_iter()
            .flatten();
        let mut folders = Vec::new();
        for (link, target) in links.into_iter().zip(targets) {
            let repeated = match target {
                Ok(None) => continue,
                Ok(Some(target)) if above.contains(&target.identity) => {
                    "the link leads to a folder that holds the root; it is not followed"
                }
                Ok(Some(target)) if !seen.insert(target.identity) => {
                    "the link leads to a folder that is read already"
                }
                Ok(Some(target)) => {
                    folders.push(link.to(target));
                    continue;
                }
                Err((code, message)) => {
                    self.report_unfollowed(link.path, code, message);
                    continue;
                }
            };
            let diagnostic = PathDiagnostic::new(link.path, Code::LINK_REPEATED, repeated);
            self.diagnostics.push(diagnostic);
        }
        Ok(folders)
    }

    fn report_unfollowed(&mut self, path: PathBuf, code: Code, message: String) {
        if code == Code::UNREADABLE {
            self.lost.push(path.clone());
        }
        let diagnostic = PathDiagnostic::new(path, code, message);
        self.diagnostics.push(if code == Code::LINK_LEADS_OUT {
            diagnostic.help(ROOT_OF_ITS_OWN)
        } else {
            diagnostic
        });
    }

    fn report_limits(&mut self, plan: &SearchPlan) {
        let root = plan
            .starts
            .first()
            .map(|start| start.path.clone())
            .unwrap_or_default();
        if let Some(first) = self.too_deep.iter().min() {
            let (limit, count) = (plan.limits.depth, self.too_deep.len());
            let message = format!(
                "nothing below {limit} levels is searched; folders that go deeper: {count}"
            );
            let diagnostic = PathDiagnostic::new(first.clone(), Code::WALK_TRUNCATED, message);
            self.diagnostics.push(diagnostic.help(format!(
                "name a folder further down as a root, or raise `limits.depth`: write `limits = {{ depth = {} }}` for the source",
                limit * 2
            )));
        }
        if self.left_out > 0 {
            let message = format!(
                "more than {} folders; the rest is not searched",
                plan.limits.folders
            );
            let diagnostic = PathDiagnostic::new(root, Code::WALK_TRUNCATED, message);
            self.diagnostics.push(diagnostic.help(format!(
                "name a folder further down as a root, or raise `limits.folders`: write `limits = {{ folders = {} }}` for the source",
                plan.limits.folders * 10
            )));
        }
    }
}

const ROOT_OF_ITS_OWN: &str = "to have its skills, name the folder that it leads to as a root";

fn starts(plan: &SearchPlan) -> (Vec<FolderToVisit>, Walk, Vec<bool>) {
    let bounds = Arc::new(LinkBounds::of(plan));
    let (mut folders, mut walk) = (
        Vec::new(),
        Walk {
            bounds: bounds.clone(),
            ..Walk::default()
        },
    );
    let mut exists = Vec::with_capacity(plan.starts.len());
    for (start, SearchStart { path, .. }) in plan.starts.iter().enumerate() {
        let metadata = std::fs::metadata(path);
        exists.push(metadata.as_ref().is_ok_and(std::fs::Metadata::is_dir));
        match metadata {
            Ok(metadata) if metadata.is_dir() => {
                let identity = Identity::of(path, &metadata);
                match start_folder(plan, &bounds, start, identity) {
                    Ok(folder) => folders.extend(folder),
                    Err(diagnostic) => walk.diagnostics.push(*diagnostic),
                }
            }
            Ok(metadata) => {
                let message = format!("expected a folder, found {}", file::what(&metadata));
                let other = PathDiagnostic::new(path.clone(), Code::UNREADABLE, message);
                walk.diagnostics
                    .push(text_link::diagnostic_above(path).unwrap_or(other));
            }
            // Below a file, some systems report a missing file.
            Err(error) if file::is_gone(&error) => {
                walk.diagnostics.extend(text_link::diagnostic_above(path));
            }
            Err(error) => {
                walk.lost.push(path.clone());
                let message = format!("the folder cannot be read: {}", file::cause(&error));
                walk.diagnostics
                    .push(PathDiagnostic::new(path.clone(), Code::UNREADABLE, message));
            }
        }
    }
    (folders, walk, exists)
}

/// Returns the folder of a start, or `None` if no pattern selects a path below it.
fn start_folder(
    plan: &SearchPlan,
    bounds: &LinkBounds,
    start: usize,
    identity: Identity,
) -> Result<Option<FolderToVisit>, Box<PathDiagnostic>> {
    let SearchStart { path, prefix, .. } = &plan.starts[start];
    let Some(cursor) = plan.patterns.cursor(prefix) else {
        return Ok(None);
    };
    if bounds.is_of_kernel(identity.device(), path) {
        let message = "expected a folder of files, found a table of the kernel";
        let diagnostic = PathDiagnostic::new(path.clone(), Code::UNREADABLE, message);
        return Err(Box::new(diagnostic));
    }
    let reach = reach(path, bounds).map_err(|(code, message)| {
        Box::new(PathDiagnostic::new(path.clone(), code, message).help(ROOT_OF_ITS_OWN))
    })?;
    Ok(Some(FolderToVisit {
        start,
        path: path.clone(),
        depth: 0,
        cursor,
        identity,
        reach: Reach {
            by_link: false,
            ..reach
        },
    }))
}

fn inner_folder(
    plan: &SearchPlan,
    bounds: &LinkBounds,
    start: usize,
    path: &Path,
) -> Option<FolderToVisit> {
    let below = path.strip_prefix(&plan.starts[start].path).ok()?;
    let depth = below.components().count();
    let cursor = plan
        .patterns
        .cursor(&plan.starts[start].prefix.join(below))?;
    let metadata = std::fs::symlink_metadata(path)
        .ok()
        .filter(std::fs::Metadata::is_dir)?;
    let identity = Identity::of(path, &metadata);
    let reach = Reach {
        by_link: false,
        ..reach(path, bounds).ok()?
    };
    (depth <= plan.limits.depth).then(|| FolderToVisit {
        start,
        path: path.to_owned(),
        depth,
        cursor,
        identity,
        reach,
    })
}

fn reach(path: &Path, bounds: &LinkBounds) -> Result<Reach, (Code, String)> {
    let unknown = |error: std::io::Error| {
        (
            Code::UNREADABLE,
            format!("the folder cannot be read: {}", file::cause(&error)),
        )
    };
    let real = path.canonicalize().map_err(unknown)?;
    if !bounds.admit(&real) {
        let message = format!(
            "it leads to `{}`, out of the folder that may be searched; it is not followed",
            file::shown(&real)
        );
        return Err((Code::LINK_LEADS_OUT, message));
    }
    let is_outside = !bounds.hold(&real);
    Ok(Reach {
        real: (real != path).then(|| real.into()),
        by_link: true,
        is_outside,
    })
}

fn target(link: &Path, bounds: &LinkBounds) -> Result<Option<LinkTarget>, (Code, String)> {
    let error = match std::fs::metadata(link) {
        Ok(metadata) if !metadata.is_dir() => return Ok(None),
        Ok(metadata) => {
            let identity = Identity::of(link, &metadata);
            if bounds.is_of_kernel(identity.device(), link) {
                let message = "the link leads to a table of the kernel; it is not followed";
                return Err((Code::LINK_LEADS_OUT, message.into()));
            }
            return reach(link, bounds).map(|reach| Some(LinkTarget { identity, reach }));
        }
        Err(error) => error,
    };
    match (link.read_link(), error.kind()) {
        // Gone since its folder was read.
        (Err(_), _) => Ok(None),
        (Ok(_), ErrorKind::PermissionDenied) => Err((
            Code::UNREADABLE,
            "the link cannot be followed: permission denied".into(),
        )),
        (Ok(target), _) if file::leads_nowhere(link) => Err((
            Code::LINK_DANGLING,
            format!("the link to `{}` leads nowhere", file::shown(&target)),
        )),
        (Ok(target), _) => {
            let (target, cause) = (file::shown(&target), file::cause(&error));
            Err((
                Code::LINK_DANGLING,
                format!("the link to `{target}` cannot be followed: {cause}"),
            ))
        }
    }
}

fn ancestors(plan: &SearchPlan) -> HashSet<Identity> {
    let real = plan
        .starts
        .iter()
        .filter_map(|start| start.path.canonicalize().ok());
    let mut above = HashSet::new();
    for real in real {
        let identities = real
            .ancestors()
            .skip(1)
            .filter_map(|path| Some(Identity::of(path, &path.metadata().ok()?)));
        above.extend(identities);
    }
    above
}
