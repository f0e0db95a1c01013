//! The visit of a folder whose files are selected by their names.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use repertoire_core::Code;

use super::FolderEntry;
use crate::file;
use crate::frontier::{FolderToVisit, PathDiagnostic};
use crate::link_bounds::LinkBounds;
use crate::owner::{FileOwner, OWN_IT};
use crate::root::SearchPlan;
use crate::stamp::FileStamp;
use crate::tree_file::TreeFile;
use crate::walk::Walk;

impl Walk {
    pub(super) fn visit_files(
        &mut self,
        plan: &SearchPlan,
        folder: &FolderToVisit,
        bounds: &LinkBounds,
    ) {
        let Some((entries, texts)) = self.list(plan, folder, bounds) else {
            return;
        };
        self.listed.push(folder.path.clone());
        let (files, others): (Vec<FolderEntry>, Vec<_>) = entries.into_iter().partition(|entry| {
            let is_folder = entry.kind.is_some_and(|kind| kind.is_dir());
            !is_folder && plan.patterns.is_wanted(&folder.cursor, &entry.name)
        });
        let root = plan.starts[folder.start].root;
        for entry in files {
            let is_link = entry.kind.is_some_and(|kind| kind.is_symlink());
            self.add_file(tree_file(
                root,
                folder.path.join(&entry.name),
                is_link,
                bounds,
            ));
        }
        self.enter(plan, folder, &others);
        self.report_text_links(plan, folder, &texts);
    }

    /// Visits `path`, which was found by listing its parent, if it is a file that a pattern selects.
    pub(crate) fn visit_file(&mut self, plan: &SearchPlan, start: usize, path: &Path) {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return;
        };
        let start = &plan.starts[start];
        let below = folder.strip_prefix(&start.path).ok();
        let cursor = below.and_then(|below| plan.patterns.cursor(&start.prefix.join(below)));
        let is_selected = plan.patterns.is_of_files()
            && cursor.is_some_and(|cursor| plan.patterns.is_wanted(&cursor, name));
        if !is_selected || path.is_dir() {
            return;
        }
        let is_link = path.is_symlink();
        self.add_file(tree_file(
            start.root,
            path.to_owned(),
            is_link,
            &self.bounds,
        ));
    }

    fn add_file(&mut self, found: Result<Option<TreeFile>, Box<PathDiagnostic>>) {
        match found {
            Ok(file) => self.files.extend(file),
            Err(diagnostic) => self.diagnostics.push(*diagnostic),
        }
    }
}

/// Returns the file at `path`, or `None` if it is gone or a folder.
fn tree_file(
    root: usize,
    path: PathBuf,
    is_link: bool,
    bounds: &LinkBounds,
) -> Result<Option<TreeFile>, Box<PathDiagnostic>> {
    let now = SystemTime::now();
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if is_link => {
            let message = format!("the link cannot be followed: {}", file::cause(&error));
            return Err(refused(&path, Code::LINK_DANGLING, message));
        }
        Err(error) if file::is_gone(&error) => return Ok(None),
        Err(error) => {
            let message = format!("the file cannot be read: {}", file::cause(&error));
            return Err(refused(&path, Code::UNREADABLE, message));
        }
    };
    if metadata.is_dir() {
        return Ok(None);
    }
    if !metadata.is_file() {
        let message = format!("expected a file, found {}", file::what(&metadata));
        return Err(refused(&path, Code::NOT_A_FILE, message));
    }
    if let Some(reason) = bounds.distrust(root, FileOwner::of(&metadata), &path) {
        let message = format!("the file {reason}; it is left out");
        let diagnostic = refused(&path, Code::FOREIGN_OWNER, message);
        return Err(Box::new(diagnostic.help(OWN_IT)));
    }
    let stamp = FileStamp::of(&path, &metadata);
    Ok(Some(TreeFile {
        root,
        path,
        stamp,
        is_settled: stamp.is_settled(now),
        is_link,
    }))
}

fn refused(path: &Path, code: Code, message: String) -> Box<PathDiagnostic> {
    Box::new(PathDiagnostic::new(path.to_owned(), code, message))
}
