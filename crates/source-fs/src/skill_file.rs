//! A cached `SKILL.md`.

mod content;
mod listed_row;
mod read_context;
mod restored;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use parking_lot::Mutex;
use repertoire_core::skill_md::{self, FileContext};
use repertoire_core::{Code, Diagnostic, Digest, Id, Severity, Stamp, Strictness};

use crate::file;
use crate::file_system::FileSystem;
use crate::frontier::Reach;
use crate::owner::OWN_IT;
use crate::parent_dir::OpenedFile;
use crate::pattern::FILE_NAME;
use crate::root::bytes;
use crate::sibling_files::SiblingFiles;
use crate::skill_path::SkillPath;
use crate::stamp::FileStamp;
use crate::text_link;

pub(crate) use listed_row::ListedRow;
pub(crate) use read_context::ReadContext;

/// A cached `SKILL.md`: the state of its last read.
#[derive(Debug, Default)]
pub(crate) struct SkillFile {
    /// The position of its start in the plan.
    pub(crate) start: usize,
    /// The position of its root, which comes before the path in the order of skills.
    pub(crate) root: usize,
    /// The file, spelled as the walk reached it.
    pub(crate) path: SkillPath,
    /// Whether its folder is where a search starts, so that other skills may lie below it.
    pub(crate) is_search_root: bool,
    /// The path by which the walk reached its folder.
    pub(crate) reach: Reach,
    /// The version that was read; `None` when it could not be.
    pub(crate) file: Option<FileStamp>,
    /// The time before that version was opened.
    read_at: Option<SystemTime>,
    /// Whether a later version is sure to have a stamp different from [`file`](SkillFile::file).
    settled: bool,
    /// The fingerprint of what was read.
    pub(crate) stamp: Option<Stamp>,
    /// The version of its folder, if a saved scan can have this state.
    pub(crate) folder_version: Option<Stamp>,
    /// The skill's other files, where those count.
    pub(crate) siblings: Option<Arc<SiblingFiles>>,
    /// The fingerprint of those at [`read_at`](SkillFile::read_at), where they do not count yet and change times cannot tell.
    siblings_read: Option<Box<Stamp>>,
    /// The row of the file in this version, or in its last good one.
    pub(crate) row: Option<ListedRow>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether the content is unknown because it is over a limit or has changed.
    content_unknown: bool,
    digests: OnceLock<Arc<Mutex<Digests>>>,
}

/// The digests of other files of the skill that were requested, with the versions of these files.
pub(crate) type Digests = HashMap<String, (FileStamp, Digest)>;

/// The number of bytes read at first. In 93 of 100 real files the front matter ends within it.
const CHUNK: usize = 1024;

impl SkillFile {
    /// Reads `path`. A failure after the file was opened is a diagnostic of the result.
    ///
    /// # Errors
    /// The errors of opening the file, which may be absent.
    pub(crate) fn read(path: &Path, reading: ReadContext<'_>) -> io::Result<Arc<SkillFile>> {
        if let Some(known) = reading.unchanged(path) {
            return Ok(known.clone());
        }
        let now = SystemTime::now();
        let mut opened = reading.parent.open(path)?;
        let skill_file = SkillFile::blank(SkillPath::new(path), reading);
        let (mut skill_file, stamp, reach) = match skill_file.admit(path, &opened, reading) {
            Ok(admitted) => admitted,
            Err(refused) => return Ok(refused),
        };
        let limit = reading.limits.file_bytes;
        let mut first = [0; CHUNK];
        let mut rest = Vec::new();
        match read_head(&mut opened.file, &mut first, &mut rest, limit) {
            Err(error) => {
                let message = format!("the file cannot be read: {}", file::cause(&error));
                let diagnostic = skill_file.diagnostic(Code::UNREADABLE, message);
                return Ok(skill_file.broken(diagnostic, reading));
            }
            Ok(None) => return Ok(skill_file.too_large(reading)),
            // Files of the kernel have no size, whatever they hold.
            Ok(Some(front_matter)) if stamp.size == 0 && !front_matter.is_empty() => {
                return Ok(skill_file.made_by_the_kernel(reading));
            }
            Ok(Some(front_matter)) => {
                skill_file.file = Some(stamp);
                skill_file.read_at = Some(now);
                skill_file.settled = stamp.is_settled(now);
                skill_file.siblings = reading.siblings(path).map(Arc::new);
                skill_file.stamp =
                    Some(stamp.with_front_matter(front_matter, skill_file.beside_stamp()));
                if let Some(known) = reading.previous
                    && reading.is_as_before(known)
                    && skill_file.has_same_version(known)
                {
                    return Ok(known.clone());
                }
                skill_file.date_siblings(reading);
                skill_file.parse(front_matter, &reach, reading);
                skill_file.compare(reading);
            }
        }
        Ok(Arc::new(skill_file))
    }

    /// Returns the version and the way to the open file, or the result if it may not be read.
    fn admit(
        mut self,
        path: &Path,
        opened: &OpenedFile,
        reading: ReadContext<'_>,
    ) -> Result<(SkillFile, FileStamp, Reach), Arc<SkillFile>> {
        let Some(stamp) = opened.stamp else {
            let metadata = opened.file.metadata();
            let what = metadata.map_or("something else", |metadata| file::what(&metadata));
            let message = format!("expected a file, found {what}");
            let diagnostic = self.diagnostic(Code::NOT_A_FILE, message);
            return Err(self.broken(diagnostic, reading));
        };
        // Before anything is read: what is added to the folder later gives it a different version.
        let folder = reading.folder_state();
        if let Some((what, reason)) = reading.distrust(path, opened.owner, folder) {
            let message = format!("the {what} {reason}; the skill is left out");
            // No last good row: its body would be read from this file.
            self.diagnostics
                .push(self.diagnostic(Code::FOREIGN_OWNER, message).help(OWN_IT));
            return Err(Arc::new(self));
        }
        let Some(reach) = reading.reach_of(path, opened.is_link, stamp) else {
            let message = "the link leads out of the folder that may be searched";
            let mut diagnostic = self.diagnostic(Code::LINK_LEADS_OUT, message);
            // Without the file there is no skill.
            diagnostic.severity = Severity::Error;
            return Err(self.broken(diagnostic.help("put the file itself there"), reading));
        };
        if stamp.identity.device() != reading.folder.identity.device()
            && FileSystem::of_file(&opened.file) == FileSystem::Kernel
        {
            return Err(self.made_by_the_kernel(reading));
        }
        if stamp.size > reading.limits.file_bytes {
            return Err(self.too_large(reading));
        }
        self.folder_version = folder.and_then(|folder| reading.version_to_save(stamp, folder));
        Ok((self, stamp, reach))
    }

    fn has_same_version(&self, known: &SkillFile) -> bool {
        (known.file, known.stamp) == (self.file, self.stamp)
            && known.settled == self.settled
            && known.siblings == self.siblings
            // Within one tick of the clock only the content differs.
            && (known.settled || !known.content_known())
    }

    pub(crate) fn unreadable(
        path: &Path,
        code: Code,
        message: impl Into<String>,
        reading: ReadContext<'_>,
    ) -> Arc<SkillFile> {
        let skill_file = SkillFile::blank(SkillPath::new(path), reading);
        let diagnostic = skill_file.diagnostic(code, message);
        skill_file.broken(diagnostic, reading)
    }

    pub(crate) fn to_stale(self: &Arc<SkillFile>) -> Arc<SkillFile> {
        let mut skill_file = SkillFile {
            path: self.path.clone(),
            reach: self.reach.clone(),
            digests: self.digests.clone(),
            start: self.start,
            root: self.root,
            is_search_root: self.is_search_root,
            ..SkillFile::default()
        };
        skill_file.keep_last_good(Some(self));
        Arc::new(skill_file)
    }

    fn blank(path: SkillPath, reading: ReadContext<'_>) -> SkillFile {
        let ReadContext {
            root,
            previous,
            folder,
            ..
        } = reading;
        SkillFile {
            start: reading.start(),
            root,
            path,
            is_search_root: reading.is_search_root(),
            reach: folder.reach.clone(),
            digests: previous
                .map(|known| known.digests.clone())
                .unwrap_or_default(),
            ..SkillFile::default()
        }
    }

    fn too_large(self, reading: ReadContext<'_>) -> Arc<SkillFile> {
        let message = format!(
            "the file is larger than {} bytes",
            reading.limits.file_bytes
        );
        let diagnostic = self.diagnostic(Code::TOO_LARGE, message);
        self.broken(
            diagnostic.help("move parts of it into other files, or raise `limits.file-bytes`"),
            reading,
        )
    }

    fn made_by_the_kernel(self, reading: ReadContext<'_>) -> Arc<SkillFile> {
        let diagnostic = self.diagnostic(
            Code::NOT_A_FILE,
            "expected a file, found a table of the kernel",
        );
        self.broken(diagnostic, reading)
    }

    fn diagnostic(&self, code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, message).at_path(self.path.text())
    }

    fn broken(mut self, diagnostic: Diagnostic, reading: ReadContext<'_>) -> Arc<SkillFile> {
        self.diagnostics.push(diagnostic);
        self.keep_last_good(reading.previous);
        Arc::new(self)
    }

    fn parse(&mut self, front_matter: &[u8], reach: &Reach, reading: ReadContext<'_>) {
        let path = self.path.text();
        let folder = self
            .path
            .parent()
            .and_then(Path::file_name)
            .map(|name| name.to_string_lossy());
        let site = FileContext::new(&path);
        let site = folder
            .as_deref()
            .map_or(site, |name| site.in_directory(name));
        let parsed = skill_md::parse_with(front_matter, site, reading.limits, Strictness::Lenient);
        let mut diagnostics = parsed.diagnostics;
        if matches!(self.path, SkillPath::Other(_)) {
            let message = "the path is not UTF-8; its location cannot be reported exactly";
            diagnostics.push(
                Diagnostic::new(Code::PATH_NOT_UTF8, message)
                    .at_path(path.clone())
                    .help("rename the folder"),
            );
        }
        let mut skill = parsed.skill.map(|skill| skill.from_location(path.clone()));
        let real: Option<Arc<str>> = match (&reach.real, &self.path) {
            (Some(real), _) => real.to_str().map(Arc::from),
            (None, SkillPath::Text(_)) => Some(path),
            (None, SkillPath::Other(_)) => None,
        };
        if let Some(real) = real {
            skill = skill.map(|skill| skill.from_real_location(real));
        }
        if reach.is_outside {
            diagnostics = self.without_quotes(diagnostics);
        } else if skill.is_none()
            && let Some(target) = self
                .path
                .parent()
                .and_then(|folder| text_link::to_file(folder, front_matter))
        {
            diagnostics = vec![text_link::diagnostic(&self.path, target).diagnostic];
        }
        self.diagnostics = diagnostics;
        match (skill, self.stamp) {
            (Some(skill), Some(stamp)) => self.row = Some(ListedRow::new(skill, stamp)),
            _ => self.keep_last_good(reading.previous),
        }
    }

    /// Returns the diagnostics of a file outside of every root, without anything of its content.
    ///
    /// A link in a repository can lead to a secret, and diagnostics are printed where strangers read them.
    fn without_quotes(&self, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let Some(severity) = diagnostics.iter().map(|found| found.severity).max() else {
            return diagnostics;
        };
        let message = "a link leads to this file, which is not a skill of the root; its content is not quoted";
        let mut leads_out = self.diagnostic(Code::LINK_LEADS_OUT, message);
        leads_out.severity = severity;
        let mut all =
            vec![leads_out.help("name the folder that really holds it as a root to see more")];
        for found in diagnostics {
            let mut about = found.code.about().trim_end_matches('.').to_owned();
            about[..1].make_ascii_lowercase();
            all.push(self.diagnostic(found.code, about));
        }
        all
    }

    fn keep_last_good(&mut self, previous: Option<&Arc<SkillFile>>) {
        let Some(row) = previous.and_then(|known| known.row.clone()) else {
            return;
        };
        let message = format!(
            "`{}` stays as it was when this file could last be read",
            row.item.id
        );
        self.diagnostics.push(self.diagnostic(Code::STALE, message));
        self.row = Some(row);
    }

    pub(crate) fn digests(&self) -> &Mutex<Digests> {
        self.digests.get_or_init(Arc::default)
    }

    pub(crate) fn beside_stamp(&self) -> Option<Stamp> {
        self.siblings.as_ref().map(|siblings| siblings.stamp)
    }

    pub(crate) fn order(&self) -> (usize, &[u8]) {
        (self.root, bytes(&self.path))
    }

    pub(crate) fn id(&self) -> Option<&Id> {
        self.row.as_ref().map(|row| &row.item.id)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.path
            .parent()
            .expect("made by joining a file name to a folder")
    }

    pub(crate) fn file_name(&self) -> &str {
        self.path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or(FILE_NAME)
    }

    pub(crate) fn is_watched_like(&self, other: &SkillFile) -> bool {
        let (mine, theirs) = (self.siblings.as_deref(), other.siblings.as_deref());
        self.path == other.path
            && self.is_search_root == other.is_search_root
            && mine.map(SiblingFiles::watched) == theirs.map(SiblingFiles::watched)
    }

    pub(crate) fn lists_like(&self, other: &SkillFile) -> bool {
        let same_row = match (&self.row, &other.row) {
            (Some(a), Some(b)) => a.lists_like(b),
            (None, None) => true,
            _ => false,
        };
        same_row && self.path == other.path && self.diagnostics == other.diagnostics
    }
}

/// Returns the beginning of a file up to the end of its front matter, or `None` if that takes more than `limit` bytes.
fn read_head<'a>(
    opened: &mut File,
    first: &'a mut [u8; CHUNK],
    rest: &'a mut Vec<u8>,
    limit: u64,
) -> io::Result<Option<&'a [u8]>> {
    let filled = read_some(opened, first)?;
    if let Some(end) = skill_md::find_front_matter_end(&first[..filled]) {
        return Ok(Some(&first[..end]));
    }
    rest.extend_from_slice(&first[..filled]);
    loop {
        let known = rest.len();
        // Doubling keeps the repeated search for the end linear.
        rest.resize(2 * known.max(CHUNK), 0);
        let more = read_some(opened, &mut rest[known..])?;
        rest.truncate(known + more);
        if rest.len() as u64 > limit {
            return Ok(None);
        }
        if more == 0 {
            return Ok(Some(rest));
        }
        if let Some(end) = skill_md::find_front_matter_end(rest) {
            return Ok(Some(&rest[..end]));
        }
    }
}

fn read_some(opened: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match opened.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}
