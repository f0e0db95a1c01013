//! Looking at parts of a tree.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire_core::SourceError;

use super::{TreeScan, keep_unseen, keep_unseen_files, scan};
use crate::file_change::SkillFileChange;
use crate::root::{SearchPlan, bytes};
use crate::skill_file::SkillFile;
use crate::walk::Walk;

/// Scans `folders` and what lies below them, and takes the rest from `previous`.
pub(crate) async fn rescan<'f>(
    plan: &Arc<SearchPlan>,
    previous: Arc<TreeScan>,
    folders: impl IntoIterator<Item = &'f Path>,
) -> Result<TreeScan, SourceError> {
    let parts: Option<BTreeMap<PathBuf, usize>> = folders
        .into_iter()
        .map(|folder| {
            previous
                .part(plan, folder)
                .map(|(start, path)| (path, start))
        })
        .collect();
    let Some(parts) = parts else {
        return scan(plan, Some(previous)).await;
    };
    // Components are compared, so that a folder comes right before what lies below it.
    let mut tops: Vec<(usize, PathBuf)> = Vec::new();
    for (path, start) in parts {
        if tops.last().is_none_or(|(_, top)| !path.starts_with(top)) {
            tops.push((start, path));
        }
    }
    let walk = Walk::parts(plan, tops.clone(), &previous.skill_files).await?;
    if walk.has_links || !walk.too_deep.is_empty() || walk.left_out > 0 {
        return scan(plan, Some(previous)).await;
    }
    let next = previous.with_parts(plan, &tops, walk);
    if next.skill_files.len() + next.listed.len() > plan.limits.folders {
        return scan(plan, Some(previous)).await;
    }
    Ok(next)
}

impl TreeScan {
    fn with_parts(&self, plan: &SearchPlan, tops: &[(usize, PathBuf)], walk: Walk) -> TreeScan {
        let Walk {
            skill_files: mut new,
            mut files,
            diagnostics,
            listed,
            lost,
            ..
        } = walk;
        let mut old: Vec<&Arc<SkillFile>> = tops
            .iter()
            .flat_map(|(start, top)| self.skill_files.below(plan.starts[*start].root, top))
            .collect();
        keep_unseen(&mut new, old.iter().copied(), &lost);
        keep_unseen_files(&mut files, &self.files, &lost);
        old.sort_by(|a, b| a.order().cmp(&b.order()));
        new.sort_by(|a, b| a.order().cmp(&b.order()));
        let changes = SkillFileChange::between(old, new);

        let tops: HashSet<&OsStr> = tops.iter().map(|(_, top)| top.as_os_str()).collect();
        let is_inside = |path: &Path| {
            path.ancestors()
                .any(|folder| tops.contains(folder.as_os_str()))
        };
        let walk_diagnostics = replaced(
            &self.walk_diagnostics,
            diagnostics,
            |found| is_inside(&found.path),
            |a, b| bytes(&a.path).cmp(bytes(&b.path)),
        );
        let listed = replaced(
            &self.listed,
            listed,
            |folder| is_inside(folder),
            |a, b| bytes(a).cmp(bytes(b)),
        );
        let files = replaced(
            &self.files,
            files,
            |file| is_inside(&file.path),
            |a, b| a.order().cmp(&b.order()),
        );

        let is_watched_like = Arc::ptr_eq(&walk_diagnostics, &self.walk_diagnostics)
            && Arc::ptr_eq(&listed, &self.listed)
            && (Arc::ptr_eq(&files, &self.files) || !files.iter().any(|file| file.is_link))
            && changes.iter().all(SkillFileChange::is_watched_alike);
        let watched = if is_watched_like {
            self.watched.clone()
        } else {
            Arc::default()
        };
        let mut next = self.after(&changes, walk_diagnostics);
        if !Arc::ptr_eq(&files, &self.files) && next.listing.revision() == self.listing.revision() {
            let diagnostics = next.listing.diagnostics().clone();
            next.listing = next.listing.spliced(self.next_revision(), [], diagnostics);
        }
        TreeScan {
            listed,
            watched,
            files,
            ..next
        }
    }

    /// Returns the part of the tree to scan when `folder` may have changed, and its start.
    ///
    /// The part is the nearest folder at or above `folder` that was found by listing its parent. Returns `None` if that is a
    /// start, or if everything has to be scanned.
    fn part(&self, plan: &SearchPlan, folder: &Path) -> Option<(usize, PathBuf)> {
        let mut touched = (0..plan.starts.len()).filter(|start| {
            let path = &plan.starts[*start].path;
            folder.starts_with(path) || path.starts_with(folder)
        });
        let (Some(start), None, true) = (touched.next(), touched.next(), self.is_separable) else {
            return None;
        };
        let inside = folder
            .ancestors()
            .take_while(|part| *part != plan.starts[start].path);
        let is_listed = |path: &Path| {
            self.listed
                .binary_search_by(|listed| bytes(listed).cmp(bytes(path)))
                .is_ok()
        };
        let part = inside
            .into_iter()
            .find(|part| part.parent().is_some_and(is_listed))?;
        Some((start, part.to_owned()))
    }
}

/// Returns `old`, which is in order, with `new` instead of what is inside.
fn replaced<T: Clone + PartialEq>(
    old: &Arc<Vec<T>>,
    mut new: Vec<T>,
    is_inside: impl Fn(&T) -> bool,
    order: fn(&T, &T) -> Ordering,
) -> Arc<Vec<T>> {
    new.sort_by(order);
    if old.iter().filter(|old| is_inside(old)).eq(&new) {
        return old.clone();
    }
    let mut next: Vec<T> = old.iter().filter(|old| !is_inside(old)).cloned().collect();
    next.extend(new);
    next.sort_by(order);
    Arc::new(next)
}
