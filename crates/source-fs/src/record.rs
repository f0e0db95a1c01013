//! One `SKILL.md`, as it was last read.

mod content;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

use repertoire_core::skill_md::{self, Head, Site};
use repertoire_core::{Code, Diagnostic, Digest, Id, Listed, Severity, Skill, Stamp, Strictness};

use crate::FsLimits;
use crate::beside::Beside;
use crate::bounds::Bounds;
use crate::file;
use crate::file_system::FileSystem;
use crate::location::Location;
use crate::near::{Near, Opened};
use crate::pattern::FILE_NAME;
use crate::root::bytes;
use crate::stamp::FileStamp;
use crate::text_link;
use crate::visit::{Folder, Reach};

/// What is known of one `SKILL.md`.
#[derive(Debug)]
pub(crate) struct Record {
    /// The position of its start in the plan.
    pub(crate) start: usize,
    /// The position of its root, which comes before the path in the order of skills.
    pub(crate) root: usize,
    /// The file, spelled as the walk reached it.
    pub(crate) path: Location,
    /// Whether its folder is where a search starts, so that other skills may lie below it.
    pub(crate) holds_others: bool,
    /// How the walk reached its folder.
    reach: Reach,
    /// The version that was read; `None` when it could not be.
    pub(crate) file: Option<FileStamp>,
    /// Whether [`file`](Record::file) tells a later version apart for sure.
    settled: bool,
    /// The fingerprint of what was read.
    stamp: Option<Stamp>,
    /// The skill's other files, where those count.
    pub(crate) beside: Option<Arc<Beside>>,
    /// The row: what the file says, or said when it was last good.
    pub(crate) row: Option<Row>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether the content cannot be told, because it is over a limit or another by now.
    is_untold: bool,
    digests: OnceLock<Arc<Mutex<Digests>>>,
}

/// Digests of a skill's other files, as far as somebody asked for them, and the versions they are of.
pub(crate) type Digests = HashMap<String, (FileStamp, Digest)>;

/// What is listed of a file, and when it was so.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// It keeps its stamp for as long as the content is known to be the same, however often the file is touched.
    pub(crate) listed: Listed<Skill>,
    /// The fingerprint of the version that was last known to say this.
    version: Stamp,
}

/// Where a file stands, and how it is to be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) folder: &'a Folder,
    pub(crate) root: usize,
    pub(crate) bounds: &'a Bounds,
    pub(crate) limits: &'a skill_md::Limits,
    /// The limits of the skill's other files, when those count.
    pub(crate) beside: Option<&'a FsLimits>,
    /// From where it is reached.
    pub(crate) near: &'a Near,
    /// What was known before.
    pub(crate) previous: Option<&'a Arc<Record>>,
}

impl Reading<'_> {
    fn start(&self) -> usize {
        self.folder.start
    }

    fn holds_others(&self) -> bool {
        self.folder.depth == 0
    }

    /// Returns whether `known` was read of a folder that was reached in the same way.
    fn is_as_before(&self, known: &Record) -> bool {
        (known.start, known.holds_others) == (self.start(), self.holds_others()) && known.reach == self.folder.reach
    }

    /// What lies beside the file `path`, if that counts.
    fn beside(&self, path: &Path) -> Option<Beside> {
        let known = self.previous.and_then(|known| known.beside.as_deref());
        self.beside.map(|limits| Beside::of(path, self.holds_others(), limits, known))
    }
}

/// How much of a file is read at first. In 93 of a hundred real files the front matter ends within it.
const CHUNK: usize = 1024;

impl Record {
    /// Reads `path`.
    ///
    /// # Errors
    /// Only those of opening the file, which may mean that there is none; everything else is in the record.
    pub(crate) fn read(path: &Path, reading: Reading<'_>) -> io::Result<Arc<Record>> {
        let known = reading.previous.filter(|known| known.settled && known.file.is_some());
        if let Some(known) = known
            && reading.is_as_before(known)
            && let Ok(stamp) = reading.near.stamp(path)
            && known.file == Some(stamp)
            && known.beside.as_deref() == reading.beside(path).as_ref()
        {
            return Ok(known.clone());
        }
        let now = SystemTime::now();
        let Opened { file: mut opened, stamp, is_link } = reading.near.open(path)?;
        let mut record = Record::blank(Location::new(path), reading);
        let Some(stamp) = stamp else {
            let what = opened.metadata().map_or("something else", |metadata| file::what(&metadata));
            let finding = record.finding(Code::NOT_A_FILE, format!("expected a file, found {what}"));
            return Ok(record.broken(finding, reading));
        };
        let mut reach = reading.folder.reach.clone();
        if is_link || reach.by_link {
            // Of the very file that is open: the links on the way may be others by now.
            let real = path.canonicalize().ok().filter(|real| {
                real.metadata().is_ok_and(|metadata| FileStamp::of(real, &metadata).identity == stamp.identity)
            });
            if !real.as_deref().is_some_and(|real| reading.bounds.admit(real)) {
                let message = "the link leads out of the folder that may be searched";
                let mut finding = record.finding(Code::LINK_LEADS_OUT, message);
                // There is no skill because of it.
                finding.severity = Severity::Error;
                return Ok(record.broken(finding.help("put the file itself there"), reading));
            }
            reach.is_outside = !real.as_deref().is_some_and(|real| reading.bounds.let_quote(real));
            reach.real = real.map(Arc::from);
        } else {
            reach.real = reach.real.map(|folder| folder.join(path.file_name().unwrap_or_default()).into());
        }
        if stamp.identity.device() != reading.folder.identity.device()
            && FileSystem::of_file(&opened) == FileSystem::Kernel
        {
            return Ok(record.made_by_the_kernel(reading));
        }
        let limit = reading.limits.file_bytes;
        if stamp.size > limit {
            return Ok(record.too_large(reading));
        }
        let mut first = [0; CHUNK];
        let mut rest = Vec::new();
        match read_head(&mut opened, &mut first, &mut rest, limit) {
            Err(error) => {
                let message = format!("the file cannot be read: {}", file::cause(&error));
                let finding = record.finding(Code::UNREADABLE, message);
                return Ok(record.broken(finding, reading));
            }
            Ok(None) => return Ok(record.too_large(reading)),
            // Files of the kernel have no size, whatever they hold.
            Ok(Some(front_matter)) if stamp.size == 0 && !front_matter.is_empty() => {
                return Ok(record.made_by_the_kernel(reading));
            }
            Ok(Some(front_matter)) => {
                record.file = Some(stamp);
                record.settled = stamp.is_settled(now);
                record.beside = reading.beside(path).map(Arc::new);
                record.stamp = Some(stamp.with_front_matter(front_matter, record.beside_stamp()));
                if let Some(known) = reading.previous
                    && (known.file, known.stamp) == (record.file, record.stamp)
                    && reading.is_as_before(known)
                    && known.settled == record.settled
                    && known.beside == record.beside
                    // Within one tick of the clock only the content tells.
                    && (known.settled || !known.is_told())
                {
                    return Ok(known.clone());
                }
                record.parse(front_matter, &reach, reading);
                record.compare(reading);
            }
        }
        Ok(Arc::new(record))
    }

    /// A record of a file that is there and cannot be read.
    pub(crate) fn unreadable(path: &Path, code: Code, message: impl Into<String>, reading: Reading<'_>) -> Arc<Record> {
        let record = Record::blank(Location::new(path), reading);
        let finding = record.finding(code, message);
        record.broken(finding, reading)
    }

    /// This record, once nothing can be said of its file any more.
    pub(crate) fn gone_stale(self: &Arc<Record>) -> Arc<Record> {
        let mut record = Record {
            start: self.start,
            root: self.root,
            path: self.path.clone(),
            holds_others: self.holds_others,
            reach: self.reach.clone(),
            file: None,
            settled: false,
            stamp: None,
            beside: None,
            row: None,
            diagnostics: Vec::new(),
            is_untold: false,
            digests: self.digests.clone(),
        };
        record.keep_last_good(Some(self));
        Arc::new(record)
    }

    fn blank(path: Location, reading: Reading<'_>) -> Record {
        let Reading { root, previous, folder, .. } = reading;
        Record {
            start: reading.start(),
            root,
            path,
            holds_others: reading.holds_others(),
            reach: folder.reach.clone(),
            file: None,
            settled: false,
            stamp: None,
            beside: None,
            row: None,
            diagnostics: Vec::new(),
            is_untold: false,
            digests: previous.map(|known| known.digests.clone()).unwrap_or_default(),
        }
    }

    fn too_large(self, reading: Reading<'_>) -> Arc<Record> {
        let message = format!("the file is larger than {} bytes", reading.limits.file_bytes);
        let finding = self.finding(Code::TOO_LARGE, message);
        self.broken(finding.help("move parts of it into other files, or raise `limits.file-bytes`"), reading)
    }

    fn made_by_the_kernel(self, reading: Reading<'_>) -> Arc<Record> {
        let finding = self.finding(Code::NOT_A_FILE, "expected a file, found a table of the kernel");
        self.broken(finding, reading)
    }

    fn finding(&self, code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, message).at_path(self.path.text())
    }

    fn broken(mut self, finding: Diagnostic, reading: Reading<'_>) -> Arc<Record> {
        self.diagnostics.push(finding);
        self.keep_last_good(reading.previous);
        Arc::new(self)
    }

    fn parse(&mut self, front_matter: &[u8], reach: &Reach, reading: Reading<'_>) {
        let path = self.path.text();
        let folder = self.path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy());
        let site = Site::new(&path);
        let site = folder.as_deref().map_or(site, |name| site.in_directory(name));
        let parsed = skill_md::parse_with(front_matter, site, reading.limits, Strictness::Lenient);
        let mut diagnostics = parsed.diagnostics;
        if matches!(self.path, Location::Other(_)) {
            let message = "the path is not UTF-8; its location cannot be told exactly";
            diagnostics
                .push(Diagnostic::new(Code::PATH_NOT_UTF8, message).at_path(path.clone()).help("rename the folder"));
        }
        let mut skill = parsed.skill.map(|skill| skill.from_location(path.clone()));
        let real: Option<Arc<str>> = match (&reach.real, &self.path) {
            (Some(real), _) => real.to_str().map(Arc::from),
            (None, Location::Text(_)) => Some(path),
            (None, Location::Other(_)) => None,
        };
        if let Some(real) = real {
            skill = skill.map(|skill| skill.from_real_location(real));
        }
        if reach.is_outside {
            diagnostics = self.without_quotes(diagnostics);
        } else if skill.is_none()
            && let Some(target) = self.path.parent().and_then(|folder| text_link::to_file(folder, front_matter))
        {
            diagnostics = vec![text_link::finding(&self.path, &target).diagnostic];
        }
        self.diagnostics = diagnostics;
        match (skill, self.stamp) {
            (Some(skill), Some(stamp)) => self.row = Some(Row { listed: Listed::new(skill, stamp), version: stamp }),
            _ => self.keep_last_good(reading.previous),
        }
    }

    /// Returns the diagnostics of a file that is not a skill of a root, without anything of its content.
    ///
    /// A link in a repository can lead to a secret, and diagnostics are printed where strangers read them.
    fn without_quotes(&self, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let Some(severity) = diagnostics.iter().map(|found| found.severity).max() else { return diagnostics };
        let message = "a link leads to this file, which is not a skill of the root; its content is not quoted";
        let mut leads_out = self.finding(Code::LINK_LEADS_OUT, message);
        leads_out.severity = severity;
        let without = |found: Diagnostic| {
            let mut about = found.code.about().trim_end_matches('.').to_owned();
            about[..1].make_ascii_lowercase();
            self.finding(found.code, about)
        };
        let help = "name the folder that really holds it as a root to see more";
        std::iter::once(leads_out.help(help)).chain(diagnostics.into_iter().map(without)).collect()
    }

    /// Keeps the row that the file had while it could be understood.
    fn keep_last_good(&mut self, previous: Option<&Arc<Record>>) {
        let Some(row) = previous.and_then(|known| known.row.clone()) else { return };
        let message = format!("`{}` stays as it was when this file could last be read", row.listed.item.id);
        self.diagnostics.push(self.finding(Code::STALE, message));
        self.row = Some(row);
    }

    /// The digests that are known already.
    pub(crate) fn digests(&self) -> &Mutex<Digests> {
        self.digests.get_or_init(Arc::default)
    }

    /// The fingerprint of the skill's other files, where those count.
    pub(crate) fn beside_stamp(&self) -> Option<Stamp> {
        self.beside.as_ref().map(|beside| beside.stamp)
    }

    /// The order of skills: roots as configured, then paths by their bytes.
    pub(crate) fn order(&self) -> (usize, &[u8]) {
        (self.root, bytes(&self.path))
    }

    /// The id under which it is listed, unless another file has it first.
    pub(crate) fn id(&self) -> Option<&Id> {
        self.row.as_ref().map(|row| &row.listed.item.id)
    }

    /// The folder of the skill.
    pub(crate) fn folder(&self) -> &Path {
        self.path.parent().expect("made by joining a file name to a folder")
    }

    /// The name of the file, `SKILL.md` or as it is misspelled.
    pub(crate) fn file_name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or(FILE_NAME)
    }

    /// Whether the same folders and links are to be watched for `other`.
    pub(crate) fn is_watched_like(&self, other: &Record) -> bool {
        let (mine, theirs) = (self.beside.as_deref(), other.beside.as_deref());
        self.path == other.path
            && self.holds_others == other.holds_others
            && mine.map(Beside::watched) == theirs.map(Beside::watched)
    }

    /// Whether listing `self` and `other` gives the same.
    pub(crate) fn lists_like(&self, other: &Record) -> bool {
        let same_row = match (&self.row, &other.row) {
            (Some(a), Some(b)) => a.listed == b.listed,
            (None, None) => true,
            _ => false,
        };
        same_row && self.path == other.path && self.diagnostics == other.diagnostics
    }
}

/// The beginning of a file up to the end of its front matter; `None` when that takes more than `limit` bytes.
fn read_head<'a>(
    opened: &mut File,
    first: &'a mut [u8; CHUNK],
    rest: &'a mut Vec<u8>,
    limit: u64,
) -> io::Result<Option<&'a [u8]>> {
    let filled = read_some(opened, first)?;
    if let Head::Complete(end) = skill_md::head(&first[..filled]) {
        return Ok(Some(&first[..end]));
    }
    rest.extend_from_slice(&first[..filled]);
    loop {
        let known = rest.len();
        // Twice as much each time, so that looking for the end anew stays linear.
        rest.resize(2 * known.max(CHUNK), 0);
        let more = read_some(opened, &mut rest[known..])?;
        rest.truncate(known + more);
        if rest.len() as u64 > limit {
            return Ok(None);
        }
        if more == 0 {
            return Ok(Some(rest));
        }
        if let Head::Complete(end) = skill_md::head(rest) {
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
