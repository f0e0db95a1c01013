//! The one place that reads the file system: each folder and each file once, for all agents.

use std::collections::{HashMap, VecDeque};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::head::SkillHead;

/// The most folders that are searched below one root.
const MOST_FOLDERS: usize = 20_000;
/// The deepest folder that is searched below a root.
const DEEPEST: u32 = 10;
/// The bytes of a file that are read to find its front matter and first paragraph.
const HEAD_BYTES: u64 = 64 << 10;
/// The most bytes of a settings file.
const SETTING_BYTES: u64 = 4 << 20;
/// The deepest folder of a project that is searched for further roots, and the most of them.
const NESTED_DEPTH: u32 = 6;
const NESTED_FOLDERS: usize = 2_000;
/// Folders without skills of their own.
const SKIPPED: [&str; 5] = [".git", ".hg", ".svn", ".trash", "node_modules"];

/// The folders and files that were read so far. Views that share a cache read each file once.
///
/// A cache is a snapshot: a later change on disk is not noticed.
#[derive(Debug, Default)]
pub(crate) struct FileCache {
    roots: HashMap<PathBuf, Arc<[FoundFile]>>,
    heads: HashMap<Arc<Path>, Arc<SkillHead>>,
    settings: HashMap<PathBuf, Option<Arc<SettingsFile>>>,
    nested: HashMap<PathBuf, Arc<[PathBuf]>>,
}

/// A file below a root that is a skill for some agent, or nearly one.
#[derive(Debug)]
pub(crate) struct FoundFile {
    pub(crate) path: Arc<Path>,
    pub(crate) real: Arc<Path>,
    /// The name of the folder that holds it; for a loose file its stem.
    pub(crate) folder: Arc<str>,
    /// The number of folders between the root and the file.
    pub(crate) depth: u32,
    pub(crate) is_hidden: bool,
    pub(crate) is_inside_skill: bool,
    pub(crate) is_file_link: bool,
    pub(crate) is_folder_link: bool,
    pub(crate) kind: FileKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// `SKILL.md`.
    Exact,
    /// `SKILL.md` in a different case.
    OtherCase,
    /// A `.md` file directly in the root.
    Loose,
}

/// A settings file: its text, and its value if it can be parsed.
#[derive(Debug)]
pub(crate) struct SettingsFile {
    text: String,
    pub(crate) value: Option<Value>,
}

impl FileCache {
    pub(crate) fn scan(&mut self, root: &Path) -> Arc<[FoundFile]> {
        if let Some(found) = self.roots.get(root) {
            return found.clone();
        }
        let mut scan = RootScan {
            root,
            found: Vec::new(),
            folders: 0,
            above: Vec::new(),
        };
        if let Ok(real) = root.canonicalize() {
            scan.folder(root, real, FolderState::default());
        }
        scan.found.sort_by(|a, b| a.path.cmp(&b.path));
        let found: Arc<[_]> = scan.found.into();
        self.roots.insert(root.to_owned(), found.clone());
        found
    }

    pub(crate) fn head(&mut self, file: &FoundFile) -> Arc<SkillHead> {
        let read = || Arc::new(SkillHead::read(read_start(&file.real, HEAD_BYTES)));
        self.heads
            .entry(file.real.clone())
            .or_insert_with(read)
            .clone()
    }

    /// Returns a settings file, or `None` if it is not there.
    pub(crate) fn settings(&mut self, path: &Path) -> Option<Arc<SettingsFile>> {
        if let Some(known) = self.settings.get(path) {
            return known.clone();
        }
        let read = read_start(path, SETTING_BYTES)
            .map(|bytes| Arc::new(SettingsFile::parse(path, &bytes)));
        self.settings.insert(path.to_owned(), read.clone());
        read
    }

    pub(crate) fn searched_folders(&self) -> impl Iterator<Item = &Path> {
        self.roots.keys().map(PathBuf::as_path)
    }

    pub(crate) fn read_files(&self) -> impl Iterator<Item = &Path> {
        self.settings.keys().map(PathBuf::as_path)
    }

    /// Returns the folders below `project` that hold a folder whose name begins with a dot, without `project` itself.
    pub(crate) fn nested(&mut self, project: &Path) -> Arc<[PathBuf]> {
        if let Some(known) = self.nested.get(project) {
            return known.clone();
        }
        let mut found = Vec::new();
        let mut folders = VecDeque::from([(project.to_owned(), 0)]);
        let mut seen = 0;
        // The nearest folders first, so that the limit leaves out the farthest.
        while let Some((folder, depth)) = folders.pop_front() {
            seen += 1;
            if depth > NESTED_DEPTH || seen > NESTED_FOLDERS {
                break;
            }
            let mut has_dots = false;
            for (name, kind, path) in entries(&folder) {
                match kind {
                    EntryKind::Folder if name.starts_with('.') => {
                        has_dots |= !SKIPPED.contains(&name.as_str());
                    }
                    EntryKind::Folder if !["node_modules", "target"].contains(&name.as_str()) => {
                        folders.push_back((path, depth + 1));
                    }
                    _ => {}
                }
            }
            if has_dots && depth > 0 {
                found.push(folder);
            }
        }
        found.sort();
        let found: Arc<[_]> = found.into();
        self.nested.insert(project.to_owned(), found.clone());
        found
    }
}

impl SettingsFile {
    fn parse(path: &Path, bytes: &[u8]) -> SettingsFile {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let value = match path.extension().and_then(|end| end.to_str()) {
            Some("toml") => toml_edit::de::from_str(&text).ok(),
            _ => serde_json::from_str(&without_comments(&text)).ok(),
        };
        SettingsFile { text, value }
    }

    /// Returns the value of `key`, where each part is one level.
    pub(crate) fn get(&self, key: &[String]) -> Option<&Value> {
        key.iter()
            .try_fold(self.value.as_ref()?, |value, part| value.get(part))
    }

    /// Returns the line that begins with `text`, blanks aside.
    pub(crate) fn line_of(&self, text: &str) -> Option<u32> {
        let at = self
            .text
            .lines()
            .position(|line| line.trim_start().starts_with(text))?;
        Some(1 + at as u32)
    }

    /// Returns the line of `name` behind the last part of `key`, else of that part.
    pub(crate) fn line(&self, key: &[String], name: &str) -> Option<u32> {
        let mut at = 0;
        for part in key {
            at += self.text[at..].find(part.as_str()).unwrap_or(0);
        }
        at += self.text[at..].find(name).unwrap_or(0);
        Some(1 + self.text[..at].matches('\n').count() as u32)
    }
}

/// Returns the entries of a folder by name; none, if it cannot be read.
pub(crate) fn entries(folder: &Path) -> Vec<(String, EntryKind, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .filter_map(|entry| {
            let kind = entry.file_type().ok()?;
            let kind = if kind.is_dir() {
                EntryKind::Folder
            } else if kind.is_file() {
                EntryKind::File
            } else if kind.is_symlink() {
                EntryKind::Link
            } else {
                return None;
            };
            Some((entry.file_name().into_string().ok()?, kind, entry.path()))
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    Folder,
    File,
    Link,
}

struct RootScan<'a> {
    root: &'a Path,
    found: Vec<FoundFile>,
    folders: usize,
    /// The real paths of the folders above, to end at cycles of links.
    above: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, Default)]
struct FolderState {
    depth: u32,
    is_hidden: bool,
    is_inside_skill: bool,
    is_link: bool,
}

impl RootScan<'_> {
    fn folder(&mut self, folder: &Path, real: PathBuf, state: FolderState) {
        self.folders += 1;
        if self.folders > MOST_FOLDERS || state.depth > DEEPEST || self.above.contains(&real) {
            return;
        }
        let (mut below, mut has_skill) = (Vec::new(), false);
        for (name, kind, path) in entries(folder) {
            // Only a link needs another call for its target.
            let (is_folder, target) = match kind {
                EntryKind::Folder => (true, real.join(&name)),
                EntryKind::File => (false, real.join(&name)),
                EntryKind::Link => match path.canonicalize() {
                    Ok(target) => (target.is_dir(), target),
                    Err(_) => continue,
                },
            };
            let is_link = kind == EntryKind::Link;
            if is_folder {
                if !SKIPPED.contains(&name.as_str()) {
                    below.push((name, path, target, is_link));
                }
            } else if let Some(kind) = FileKind::of(&name, state.depth) {
                has_skill |= kind != FileKind::Loose && state.depth > 0;
                self.file(&name, path, target, kind, is_link, state);
            }
        }
        self.above.push(real);
        for (name, path, target, is_link) in below {
            let state = FolderState {
                depth: state.depth + 1,
                is_hidden: state.is_hidden || name.starts_with('.'),
                is_inside_skill: state.is_inside_skill || has_skill,
                is_link: state.is_link || is_link,
            };
            self.folder(&path, target, state);
        }
        self.above.pop();
    }

    fn file(
        &mut self,
        name: &str,
        path: PathBuf,
        real: PathBuf,
        kind: FileKind,
        is_file_link: bool,
        state: FolderState,
    ) {
        let holder = path.parent().unwrap_or(self.root).file_name();
        let folder = match kind {
            FileKind::Loose => name[..name.len() - 3].into(),
            _ => holder.unwrap_or_default().to_string_lossy().into(),
        };
        self.found.push(FoundFile {
            path: path.into(),
            real: real.into(),
            folder,
            depth: state.depth,
            is_hidden: state.is_hidden,
            is_inside_skill: state.is_inside_skill,
            is_file_link,
            is_folder_link: state.is_link,
            kind,
        });
    }
}

impl FileKind {
    fn of(name: &str, depth: u32) -> Option<FileKind> {
        if name == "SKILL.md" {
            Some(FileKind::Exact)
        } else if name.eq_ignore_ascii_case("SKILL.md") {
            Some(FileKind::OtherCase)
        } else {
            let is_loose =
                depth == 0 && name.ends_with(".md") && !name.eq_ignore_ascii_case("README.md");
            is_loose.then_some(FileKind::Loose)
        }
    }
}

fn read_start(path: &Path, most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    // A pipe would block for ever.
    file.metadata().ok().filter(fs::Metadata::is_file)?;
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Returns JSON without comments and without commas before a closing bracket; lines stay where they are.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('\u{feff}').chars().peekable();
    let mut is_string = false;
    while let Some(c) = rest.next() {
        match (c, rest.peek().copied()) {
            ('\\', Some(_)) if is_string => {
                out.push(c);
                out.extend(rest.next());
            }
            ('"', _) => {
                is_string = !is_string;
                out.push(c);
            }
            ('/', Some('/')) if !is_string => while rest.next_if(|c| *c != '\n').is_some() {},
            ('/', Some('*')) if !is_string => {
                rest.next();
                let mut last = ' ';
                for c in rest.by_ref() {
                    if c == '\n' {
                        out.push(c);
                    }
                    if (last, c) == ('*', '/') {
                        break;
                    }
                    last = c;
                }
            }
            ('}' | ']', _) if !is_string => {
                let kept = out.trim_end().len();
                if out[..kept].ends_with(',') {
                    out.replace_range(kept - 1..kept, " ");
                }
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}
