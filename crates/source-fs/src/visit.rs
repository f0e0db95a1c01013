//! One step of the walk: the visit of a folder.

mod files;

use std::ffi::OsString;
use std::fs::FileType;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire_core::{Code, Diagnostic};

use crate::earlier_scans::EarlierScans;
use crate::file;
use crate::frontier::{FolderToVisit, LinkToFollow, PathDiagnostic};
use crate::link_bounds::LinkBounds;
use crate::owner::{FileOwner, OWN_IT};
use crate::parent_dir::ParentDir;
use crate::pattern::{Cursor, FILE_NAME};
use crate::root::SearchPlan;
use crate::skill_file::{ReadContext, SkillFile};
use crate::stamp::Identity;
use crate::text_link;
use crate::walk::Walk;

/// An entry of a folder.
#[derive(Debug)]
struct FolderEntry {
    name: OsString,
    /// Its type, if the system reports it.
    kind: Option<FileType>,
    identity: Identity,
}

impl Walk {
    /// Visits `folder`.
    pub(crate) fn visit(
        &mut self,
        plan: &SearchPlan,
        folder: &FolderToVisit,
        bounds: &LinkBounds,
        parent: &ParentDir,
        earlier: &EarlierScans,
    ) {
        if plan.patterns.is_of_files() {
            return self.visit_files(plan, folder, bounds);
        }
        let reading = |path: &Path| ReadContext {
            folder,
            root: plan.starts[folder.start].root,
            bounds,
            limits: &plan.parser,
            file_limits: &plan.limits,
            with_siblings: plan.siblings,
            parent,
            previous: earlier
                .scanned
                .as_ref()
                .and_then(|table| table.at(plan.order(folder.start, path))),
            saved: earlier.saved.as_deref(),
            saving_since: earlier.saving_since,
        };
        let selected = plan.patterns.selects(&folder.cursor);
        let mut has_file = false;
        if selected {
            // Most folders are skills: opening the file first spares reading the folder.
            let path = folder.join(FILE_NAME.as_ref());
            match self.open_skill(&path, reading(&path)) {
                Ok(opened) => has_file = opened,
                Err(error) => return self.lose(folder, &error),
            }
            if has_file && folder.depth > 0 {
                return;
            }
        }
        let Some((entries, texts)) = self.list(plan, folder, bounds) else {
            return;
        };
        let names = entries.iter().map(|child| &child.name);
        let mut spellings: Vec<_> = names
            .filter(|name| name.eq_ignore_ascii_case(FILE_NAME))
            .collect();
        spellings.sort();
        if selected && !has_file && !spellings.is_empty() {
            let path = folder.path.join(spellings[0]);
            let reading = reading(&path);
            let opened = SkillFile::read(&path, reading);
            // Its folder lists it, also if it cannot be opened.
            let opened = opened.unwrap_or_else(|error| unreadable(&path, &error, reading));
            self.skill_files.push(opened);
            self.report_spellings(folder, &spellings);
        }
        let is_skill = (selected || plan.patterns.rejects(&folder.cursor)) && !spellings.is_empty();
        if !is_skill || folder.depth == 0 {
            self.listed.push(folder.path.clone());
            self.enter(plan, folder, &entries);
            self.report_text_links(plan, folder, &texts);
        }
    }

    fn report_text_links(&mut self, plan: &SearchPlan, folder: &FolderToVisit, texts: &[OsString]) {
        let texts = texts
            .iter()
            .filter(|name| plan.patterns.step(&folder.cursor, name).is_some());
        let texts = texts.map(|name| folder.path.join(name));
        self.diagnostics
            .extend(texts.filter_map(|path| text_link::diagnostic_of(&path)));
    }

    /// Adds the skill file at `path`, and returns whether there is one.
    ///
    /// # Errors
    /// The error of opening it, if the folder cannot be entered.
    fn open_skill(&mut self, path: &Path, reading: ReadContext<'_>) -> io::Result<bool> {
        if let Some(restored) = SkillFile::restored(path, reading) {
            self.skill_files.push(Arc::new(restored));
            return Ok(true);
        }
        let skill_file = match SkillFile::read(path, reading) {
            Ok(mut skill_file) => {
                // Only a record that was just made is unshared; a reused one was asked already.
                if let Some(fresh) = Arc::get_mut(&mut skill_file) {
                    let others = other_spellings(reading.folder, reading.parent, fresh);
                    fresh.diagnostics.extend(others);
                }
                skill_file
            }
            Err(error) if file::is_gone(&error) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && is_denied(path) => {
                return Err(error);
            }
            Err(error) => unreadable(path, &error, reading),
        };
        self.skill_files.push(skill_file);
        Ok(true)
    }

    /// Reports a misspelled skill file, the first of `spellings`, and the other spellings, which do not count beside it.
    fn report_spellings(&mut self, folder: &FolderToVisit, spellings: &[&OsString]) {
        if spellings[0] == FILE_NAME {
            return;
        }
        let path = folder.path.join(spellings[0]);
        let message = format!("the file must be named `{FILE_NAME}`");
        let diagnostic = PathDiagnostic::new(path, Code::MISSPELLED_FILE, message);
        self.diagnostics
            .push(diagnostic.help("rename it: other agents won't find it"));
        let others = spellings[1..]
            .iter()
            .map(|other| other_spelling(folder.path.join(other), spellings[0]));
        self.diagnostics.extend(others);
    }

    fn list(
        &mut self,
        plan: &SearchPlan,
        folder: &FolderToVisit,
        bounds: &LinkBounds,
    ) -> Option<(Vec<FolderEntry>, Vec<OsString>)> {
        if let Some(diagnostic) = refused(plan, folder, bounds) {
            self.diagnostics.push(diagnostic);
            return None;
        }
        let listing = match folder.path.read_dir() {
            Ok(listing) => listing,
            // Deleted since its parent was read.
            Err(error) if file::is_gone(&error) => return None,
            Err(error) => {
                self.lose(folder, &error);
                return None;
            }
        };
        let (mut entries, mut texts) = (Vec::new(), Vec::new());
        for (count, entry) in listing.enumerate() {
            if count >= plan.limits.entries {
                let message = format!(
                    "more than {} entries; nothing below is read",
                    plan.limits.entries
                );
                let diagnostic = folder.diagnostic(Code::WALK_TRUNCATED, message);
                self.diagnostics.push(
                    diagnostic.help(
                        "raise `limits.entries`, or move the skills to a folder of their own",
                    ),
                );
                return None;
            }
            match entry {
                Ok(entry) => {
                    let name = entry.file_name();
                    let kind = entry.file_type().ok();
                    let leads = kind.is_some_and(|kind| kind.is_dir() || kind.is_symlink());
                    if leads || plan.patterns.is_wanted(&folder.cursor, &name) {
                        let identity = Identity::of_entry(folder.identity, &entry);
                        entries.push(FolderEntry {
                            name,
                            kind,
                            identity,
                        });
                    } else if texts.len() < TEXTS
                        && !folder.reach.is_outside
                        && !name.as_encoded_bytes().contains(&b'.')
                    {
                        texts.push(name);
                    }
                }
                Err(error) => self.lose(folder, &error),
            }
        }
        entries.sort_by(|a, b| a.name.as_encoded_bytes().cmp(b.name.as_encoded_bytes()));
        texts.sort();
        Some((entries, texts))
    }

    fn enter(&mut self, plan: &SearchPlan, folder: &FolderToVisit, entries: &[FolderEntry]) {
        let (start, depth) = (folder.start, folder.depth + 1);
        let kinds = entries.iter().filter_map(|entry| entry.kind);
        self.folders.reserve(kinds.filter(FileType::is_dir).count());
        // Neighbours mostly have equal cursors, and thousands are kept until they are visited.
        let mut last: Option<Cursor> = None;
        for FolderEntry {
            name,
            kind,
            identity,
        } in entries
        {
            let Some(kind) = kind else { continue };
            let Some(cursor) = plan.patterns.step(&folder.cursor, name) else {
                continue;
            };
            let path = folder.join(name);
            if depth > plan.limits.depth {
                self.too_deep.push(path);
                return;
            }
            if kind.is_dir() {
                let (identity, reach) = (*identity, folder.reach.inside(name));
                let cursor = match &last {
                    Some(last) if *last == cursor => last.clone(),
                    _ => last.insert(cursor).clone(),
                };
                self.folders.push(FolderToVisit {
                    start,
                    path,
                    depth,
                    cursor,
                    identity,
                    reach,
                });
            } else if !name.eq_ignore_ascii_case(FILE_NAME) {
                self.links.push(LinkToFollow {
                    start,
                    path,
                    depth,
                    cursor,
                });
            }
        }
    }

    fn lose(&mut self, folder: &FolderToVisit, error: &io::Error) {
        self.lost.push(folder.path.clone());
        let message = format!("the folder cannot be read: {}", file::cause(error));
        self.diagnostics
            .push(folder.diagnostic(Code::UNREADABLE, message));
    }
}

/// Returns the reason why `folder` is not searched: its owner is not trusted, or the kernel makes its files.
fn refused(
    plan: &SearchPlan,
    folder: &FolderToVisit,
    bounds: &LinkBounds,
) -> Option<PathDiagnostic> {
    // A mount has another device than the folder that lists it, which is where the identity comes from.
    let metadata = folder.path.metadata();
    if let Ok(metadata) = &metadata {
        let root = plan.starts[folder.start].root;
        let owner = FileOwner::of(metadata);
        if let Some(reason) = bounds.distrust(root, owner, &folder.path) {
            let message = format!("the folder {reason}; it is not searched");
            let diagnostic = folder.diagnostic(Code::FOREIGN_OWNER, message);
            return Some(diagnostic.help(OWN_IT));
        }
    }
    let identity = metadata.map(|metadata| Identity::of(&folder.path, &metadata));
    let device = identity.unwrap_or(folder.identity).device();
    let is_of_kernel = folder.depth > 0 && bounds.is_of_kernel(device, &folder.path);
    is_of_kernel.then(|| {
        let message = "a table of the kernel, not a folder of files; it is not searched";
        folder.diagnostic(Code::WALK_TRUNCATED, message)
    })
}

/// The limit of files in one folder that are checked for links written as text.
const TEXTS: usize = 256;

/// Returns a diagnostic for each other spelling of the file beside a `SKILL.md`.
///
/// On file systems that ignore letter case, the file that was opened may be one of them.
fn other_spellings(
    folder: &FolderToVisit,
    parent: &ParentDir,
    skill_file: &SkillFile,
) -> Vec<Diagnostic> {
    // One `stat` for the only other spelling in use costs less than reading the folder of every skill.
    if !parent.has(&folder.join("skill.md".as_ref())) {
        return Vec::new();
    }
    let Ok(entries) = folder.path.read_dir() else {
        return Vec::new();
    };
    let mut names: Vec<OsString> = entries.flatten().map(|entry| entry.file_name()).collect();
    names.retain(|name| name.eq_ignore_ascii_case(FILE_NAME));
    names.sort();
    let is_exact = names.iter().any(|name| name == FILE_NAME);
    let mut diagnostics = Vec::new();
    for name in names.iter().filter(|name| *name != FILE_NAME) {
        let found = if is_exact {
            other_spelling(folder.path.join(name), FILE_NAME.as_ref())
        } else {
            let message = format!("the file must be named `{FILE_NAME}`");
            PathDiagnostic::new(
                skill_file.path.to_path_buf(),
                Code::MISSPELLED_FILE,
                message,
            )
        };
        diagnostics.push(found.diagnostic);
    }
    diagnostics
}

fn other_spelling(path: PathBuf, counts: &std::ffi::OsStr) -> PathDiagnostic {
    let message = format!("does not count beside `{}`", counts.to_string_lossy());
    PathDiagnostic::new(path, Code::OTHER_SPELLING, message)
}

fn unreadable(path: &Path, error: &io::Error, reading: ReadContext<'_>) -> Arc<SkillFile> {
    let (code, message) = match path.read_link() {
        Ok(target) if file::leads_nowhere(path) => (
            Code::LINK_DANGLING,
            format!("link to `{}` leads nowhere", file::shown(&target)),
        ),
        _ => (
            Code::UNREADABLE,
            format!("the file cannot be read: {}", file::cause(error)),
        ),
    };
    SkillFile::unreadable(path, code, message, reading)
}

fn is_denied(path: &Path) -> bool {
    std::fs::symlink_metadata(path)
        .is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}
