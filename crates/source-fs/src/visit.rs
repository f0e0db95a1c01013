//! One step of the walk: what a folder is, and where it leads.

use std::ffi::OsString;
use std::fs::FileType;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire_core::{Code, Diagnostic};

use crate::bounds::Bounds;
use crate::file;
use crate::file_system::FileSystem;
use crate::near::Near;
use crate::pattern::{Cursor, FILE_NAME};
use crate::record::{Reading, Record};
use crate::root::Plan;
use crate::stamp::Identity;
use crate::text_link;

/// A folder to look at.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    /// The position of its start in the plan.
    pub(crate) start: usize,
    pub(crate) path: PathBuf,
    /// How many folders below its start.
    pub(crate) depth: usize,
    pub(crate) cursor: Cursor,
    pub(crate) identity: Identity,
    pub(crate) reach: Reach,
}

/// How the walk reached something, and where it really is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reach {
    /// The real path, where the path is not the real one itself.
    pub(crate) real: Option<Arc<Path>>,
    /// Whether a link below the root led there.
    pub(crate) by_link: bool,
    /// Whether it lies outside of every root of the source.
    pub(crate) is_outside: bool,
}

impl Reach {
    /// Returns the reach of the folder `name` inside, which is not a link.
    fn inside(&self, name: &OsString) -> Reach {
        Reach { real: self.real.as_ref().map(|real| real.join(name).into()), ..*self }
    }
}

/// A link that may lead to a folder.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) start: usize,
    pub(crate) path: PathBuf,
    pub(crate) depth: usize,
    pub(crate) cursor: Cursor,
}

/// A diagnostic of the walk and the path it is about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    pub(crate) path: PathBuf,
    pub(crate) diagnostic: Diagnostic,
}

/// An entry of a folder.
#[derive(Debug)]
struct Child {
    name: OsString,
    /// What it is, if the system tells.
    kind: Option<FileType>,
    identity: Identity,
}

/// What a folder turned out to be.
#[derive(Debug, Default)]
pub(crate) struct Visit {
    /// The skill it is.
    pub(crate) record: Option<Arc<Record>>,
    /// Where it leads, in order of names.
    pub(crate) folders: Vec<Folder>,
    pub(crate) links: Vec<Link>,
    pub(crate) findings: Vec<Finding>,
    /// The folder, when it leads to skills and is none.
    pub(crate) listed: Option<PathBuf>,
    /// The folder, when there is something in it that could not be seen: what was known stays known.
    pub(crate) lost: Option<PathBuf>,
    /// The first folder that is too deep to visit.
    pub(crate) too_deep: Option<PathBuf>,
}

impl Finding {
    pub(crate) fn new(path: PathBuf, code: Code, message: impl Into<String>) -> Finding {
        let diagnostic = Diagnostic::new(code, message).at_path(path.to_string_lossy());
        Finding { path, diagnostic }
    }

    /// Whether it is about how watching fares.
    pub(crate) fn is_of_watching(&self) -> bool {
        self.diagnostic.code == Code::WATCH_DEGRADED
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Finding {
        self.diagnostic = self.diagnostic.help(help);
        self
    }
}

/// Looks at `folder`, from `near`; `known` gives what was known of a `SKILL.md` before, by its order among others.
pub(crate) fn visit<'k>(
    plan: &Plan,
    folder: &Folder,
    bounds: &Bounds,
    near: &Near,
    known: impl Fn((usize, &[u8])) -> Option<&'k Arc<Record>>,
) -> Visit {
    let mut visit = Visit::default();
    let reading = |path: &Path| Reading {
        folder,
        root: plan.starts[folder.start].root,
        bounds,
        limits: &plan.parser,
        beside: plan.beside.then_some(&plan.limits),
        near,
        previous: known(plan.order(folder.start, path)),
    };
    let selected = plan.patterns.selects(&folder.cursor);
    if selected {
        // Most folders are skills: opening the file first spares reading the folder.
        let path = folder.path.join(FILE_NAME);
        let reading = reading(&path);
        match Record::read(&path, reading) {
            Ok(mut record) => {
                // Only a record that was just made is unshared; a reused one was asked already.
                if let Some(fresh) = Arc::get_mut(&mut record) {
                    fresh.diagnostics.extend(other_spellings(folder, near, fresh));
                }
                visit.record = Some(record);
            }
            Err(error) if is_absent(&error) => {}
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && is_denied(&path) => {
                visit.lose(folder, &error);
                return visit;
            }
            Err(error) => {
                let message = format!("the file cannot be read: {}", file::cause(&error));
                visit.record = Some(Record::unreadable(&path, Code::UNREADABLE, message, reading));
            }
        }
        if visit.record.is_some() && folder.depth > 0 {
            return visit;
        }
    }
    let Some((entries, texts)) = visit.list(plan, folder) else { return visit };
    let mut spellings: Vec<&OsString> =
        entries.iter().map(|child| &child.name).filter(|name| name.eq_ignore_ascii_case(FILE_NAME)).collect();
    spellings.sort();
    if selected && visit.record.is_none() && !spellings.is_empty() {
        let path = folder.path.join(spellings[0]);
        let reading = reading(&path);
        visit.record = Some(match Record::read(&path, reading) {
            Ok(record) => record,
            // Its folder lists it and it cannot be opened.
            Err(error) => {
                let (code, message) = match path.read_link() {
                    Ok(target) => (Code::LINK_DANGLING, format!("link to `{}` leads nowhere", file::shown(&target))),
                    Err(_) => (Code::UNREADABLE, format!("the file cannot be read: {}", file::cause(&error))),
                };
                Record::unreadable(&path, code, message, reading)
            }
        });
        if spellings[0] != FILE_NAME {
            let finding = Finding::new(path, Code::MISSPELLED_FILE, format!("the file should be called `{FILE_NAME}`"));
            visit.findings.push(finding.help("rename it; other clients do not find it"));
            let others = spellings[1..].iter().map(|other| other_spelling(folder.path.join(other), spellings[0]));
            visit.findings.extend(others);
        }
    }
    let is_skill = (selected || plan.patterns.rejects(&folder.cursor)) && !spellings.is_empty();
    if !is_skill || folder.depth == 0 {
        visit.listed = Some(folder.path.clone());
        visit.descend(plan, folder, &entries);
        let leads = |name: &&OsString| plan.patterns.step(&folder.cursor, name).is_some();
        let texts = texts.iter().filter(leads).map(|name| folder.path.join(name));
        visit.findings.extend(texts.filter_map(|path| text_link::finding_of(&path)));
    }
    visit
}

impl Visit {
    /// Returns the entries of `folder` that lead somewhere or are a `SKILL.md`, in order of names, and the files that may
    /// stand for links to folders.
    fn list(&mut self, plan: &Plan, folder: &Folder) -> Option<(Vec<Child>, Vec<OsString>)> {
        // A folder of skills has a parent that is none: one question for many skills.
        if folder.depth > 0 && FileSystem::of(&folder.path) == FileSystem::Kernel {
            let message = "a table of the kernel, not a folder of files; it is not searched";
            self.findings.push(Finding::new(folder.path.clone(), Code::WALK_TRUNCATED, message));
            return None;
        }
        let listing = match folder.path.read_dir() {
            Ok(listing) => listing,
            // Deleted since its parent was read.
            Err(error) if is_absent(&error) => return None,
            Err(error) => {
                self.lose(folder, &error);
                return None;
            }
        };
        let (mut entries, mut texts) = (Vec::new(), Vec::new());
        for (count, entry) in listing.enumerate() {
            if count >= plan.limits.entries {
                let message = format!("more than {} entries; nothing below is read", plan.limits.entries);
                let finding = Finding::new(folder.path.clone(), Code::WALK_TRUNCATED, message);
                self.findings.push(finding.help("raise `limits.entries`, or move the skills to a folder of their own"));
                return None;
            }
            match entry {
                Ok(entry) => {
                    let name = entry.file_name();
                    let kind = entry.file_type().ok();
                    let leads = |kind: FileType| kind.is_dir() || kind.is_symlink();
                    if name.eq_ignore_ascii_case(FILE_NAME) || kind.is_some_and(leads) {
                        let identity = Identity::of_entry(folder.identity, &entry);
                        entries.push(Child { name, kind, identity });
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

    fn descend(&mut self, plan: &Plan, folder: &Folder, entries: &[Child]) {
        let (start, depth) = (folder.start, folder.depth + 1);
        for Child { name, kind, identity } in entries {
            let Some(kind) = kind else { continue };
            let Some(cursor) = plan.patterns.step(&folder.cursor, name) else { continue };
            let path = folder.path.join(name);
            if depth > plan.limits.depth {
                self.too_deep = Some(path);
                return;
            }
            if kind.is_dir() {
                let (identity, reach) = (*identity, folder.reach.inside(name));
                self.folders.push(Folder { start, path, depth, cursor, identity, reach });
            } else if !name.eq_ignore_ascii_case(FILE_NAME) {
                self.links.push(Link { start, path, depth, cursor });
            }
        }
    }

    fn lose(&mut self, folder: &Folder, error: &io::Error) {
        self.lost = Some(folder.path.clone());
        let message = format!("the folder cannot be read: {}", file::cause(error));
        self.findings.push(Finding::new(folder.path.clone(), Code::UNREADABLE, message));
    }
}

/// How many files of one folder may stand for links. Folders of skills have hardly any file without an ending.
const TEXTS: usize = 256;

/// A finding for every other spelling of the file in the folder of a `SKILL.md` that was opened by that name.
///
/// Where letter case does not matter, the file that was opened may be one of them.
fn other_spellings(folder: &Folder, near: &Near, record: &Record) -> Vec<Diagnostic> {
    // One question for the only other spelling in use, instead of reading the folder of every skill.
    if !near.has(&folder.path.join("skill.md")) {
        return Vec::new();
    }
    let Ok(entries) = folder.path.read_dir() else { return Vec::new() };
    let mut names: Vec<OsString> = entries.flatten().map(|entry| entry.file_name()).collect();
    names.retain(|name| name.eq_ignore_ascii_case(FILE_NAME));
    names.sort();
    let is_exact = names.iter().any(|name| name == FILE_NAME);
    let finding = |name: &OsString| {
        if is_exact {
            other_spelling(folder.path.join(name), FILE_NAME.as_ref()).diagnostic
        } else {
            let message = format!("the file should be called `{FILE_NAME}`");
            Finding::new(record.path.to_path_buf(), Code::MISSPELLED_FILE, message).diagnostic
        }
    };
    names.iter().filter(|name| *name != FILE_NAME).map(finding).collect()
}

fn other_spelling(path: PathBuf, counts: &std::ffi::OsStr) -> Finding {
    let message = format!("does not count beside `{}`", counts.to_string_lossy());
    Finding::new(path, Code::OTHER_SPELLING, message)
}

/// Whether there is nothing to open. A dangling link looks the same; its folder lists it.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether not even the existence of `path` can be told, because its folder is locked.
fn is_denied(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}
