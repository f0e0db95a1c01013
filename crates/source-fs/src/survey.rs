//! The entries of a skill's folder, by name and size.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use cap_std::fs::DirEntry;
use repertoire_core::{Omission, OmissionReason, ResourcePath};

use crate::apart::{Apart, apart, is_apart};
use crate::file::{self, is_gone, is_out_of_reach, leads_nowhere};
use crate::folder::SkillFolder;
use crate::pattern::FILE_NAME;

/// A file that was found, not opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundFile {
    /// From the skill's folder, with `/`.
    pub(crate) path: OsString,
    pub(crate) size: u64,
}

/// The entries of a skill's folder, by name and size, in a fixed order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Survey {
    pub(crate) files: Vec<FoundFile>,
    pub(crate) omissions: Vec<Omission>,
    /// Folders of dependencies that were not gone into.
    dependencies: Vec<OsString>,
}

/// The kind of entries that a survey lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// Files that a reader may get.
    Parts,
    /// Everything but version control; dependencies have limits of their own.
    Everything,
    /// Everything in one folder of dependencies but version control.
    Dependencies,
}

/// The limits of one survey.
#[derive(Debug, Clone, Copy)]
struct SurveyLimits {
    depth: usize,
    entries: usize,
    files: usize,
    file_bytes: u64,
    total_bytes: u64,
}

/// The files and bytes that a survey may still add, and the entries that it may still read.
#[derive(Debug)]
struct SurveyRoom {
    limits: SurveyLimits,
    entries: usize,
    files: usize,
    bytes: u64,
}

impl SurveyRoom {
    fn new(limits: SurveyLimits) -> SurveyRoom {
        SurveyRoom {
            limits,
            entries: limits.entries,
            files: limits.files,
            bytes: limits.total_bytes,
        }
    }

    fn admit(&mut self, file: &FoundFile) -> Result<(), Omission> {
        let limits = &self.limits;
        let (reason, limit) = if self.files == 0 {
            (OmissionReason::TooMany, format!("{} files", limits.files))
        } else if file.size > limits.file_bytes {
            let limit = format!("{} bytes", limits.file_bytes);
            (OmissionReason::TooLarge, limit)
        } else if file.size > self.bytes {
            let limit = format!("{} bytes", limits.total_bytes);
            (OmissionReason::TooLargeTogether, limit)
        } else {
            self.files -= 1;
            self.bytes -= file.size;
            return Ok(());
        };
        Err(Omission::new(text(&file.path), reason).detail(format!("more than {limit}")))
    }
}

/// The limit of files in a folder of dependencies that is compared.
const DEPENDENCY_FILES: usize = 50_000;

/// The limit of bytes in such a folder, and of everything else of a skill.
const COMPARED_BYTES: u64 = 1 << 30;

impl Survey {
    pub(crate) fn of_parts(folder: &SkillFolder<'_>) -> Survey {
        let mut survey = Survey::default();
        survey.add(folder, OsStr::new(""), Extent::Parts);
        survey
    }

    pub(crate) fn of_parts_and_dependencies(folder: &SkillFolder<'_>) -> Survey {
        let mut survey = Survey::of_parts(folder);
        for path in std::mem::take(&mut survey.dependencies) {
            survey
                .omissions
                .extend(Survey::of_dependencies(folder, &path).err());
        }
        survey
    }

    pub(crate) fn of_everything(folder: &SkillFolder<'_>) -> Survey {
        let mut survey = Survey::default();
        survey.add(folder, OsStr::new(""), Extent::Everything);
        for path in std::mem::take(&mut survey.dependencies) {
            match Survey::of_dependencies(folder, &path) {
                Err(omission) => survey.omissions.push(omission),
                Ok(inside) => {
                    survey.files.extend(inside.files);
                    survey.omissions.extend(inside.omissions);
                }
            }
        }
        survey
    }

    /// Returns everything in a folder of dependencies, or the omission of the whole folder if a limit was met.
    fn of_dependencies(folder: &SkillFolder<'_>, path: &OsStr) -> Result<Survey, Omission> {
        let mut inside = Survey::default();
        inside.add(folder, path, Extent::Dependencies);
        match inside
            .omissions
            .iter()
            .find(|omission| omission.reason.is_limit())
        {
            Some(met) => Err(Omission::new(text(path), met.reason).detail(&met.detail)),
            None => Ok(inside),
        }
    }

    fn add(&mut self, folder: &SkillFolder<'_>, start: &OsStr, extent: Extent) {
        let mut room = SurveyRoom::new(SurveyLimits::of(folder, extent));
        let mut open = vec![(start.to_owned(), 0)];
        while let Some((below, depth)) = open.pop() {
            let place = if below.is_empty() {
                ".".to_owned()
            } else {
                text(&below)
            };
            let mut omit = |reason, detail: String| {
                let omission = Omission::new(&place, reason);
                self.omissions.push(omission.detail(detail));
            };
            if depth > room.limits.depth {
                let detail = format!("more than {} folders", room.limits.depth);
                omit(OmissionReason::TooDeep, detail);
                continue;
            }
            let entries = match read_folder(folder, &below, &mut room.entries) {
                Ok(Some(entries)) => entries,
                Ok(None) => {
                    let detail = format!("more than {} files and folders", room.limits.entries);
                    omit(OmissionReason::TooMany, detail);
                    return;
                }
                // Deleted since its parent was read, or swapped for a link that leads out.
                Err(error) if !below.is_empty() && is_gone(&error) => continue,
                Err(error) => {
                    omit(OmissionReason::Unreadable, file::cause(&error));
                    continue;
                }
            };
            let Some(folders) = self.add_entries(folder, entries, extent, &mut room) else {
                return;
            };
            open.extend(folders.into_iter().rev().map(|path| (path, depth + 1)));
        }
    }

    /// Adds the files of one folder and returns the folders in it, or `None` if there is no room for more files.
    fn add_entries(
        &mut self,
        folder: &SkillFolder<'_>,
        entries: Vec<(OsString, DirEntry)>,
        extent: Extent,
        room: &mut SurveyRoom,
    ) -> Option<Vec<OsString>> {
        let mut folders = Vec::new();
        for (path, entry) in entries {
            let name = entry.file_name();
            let kind = match entry.file_type() {
                Err(error) => {
                    self.omissions.push(unreadable(&path, &error));
                    continue;
                }
                Ok(kind) => kind,
            };
            if !self.is_wanted(&path, &name, kind.is_dir(), extent) {
                continue;
            }
            if kind.is_dir() {
                // Below the folder of a whole collection lie other skills, which have files of their own.
                let skill_file = Path::new(&path).join(FILE_NAME);
                if !(folder.skill_file.is_search_root
                    && folder.dir.symlink_metadata(skill_file).is_ok())
                {
                    folders.push(path);
                }
                continue;
            }
            match found(folder, path, &entry, extent) {
                Ok(None) => {}
                Ok(Some(file)) => match room.admit(&file) {
                    Ok(()) => self.files.push(file),
                    Err(omission) => {
                        let is_full = omission.reason == OmissionReason::TooMany;
                        self.omissions.push(omission);
                        if is_full {
                            return None;
                        }
                    }
                },
                Err(omission) => self.omissions.push(omission),
            }
        }
        Some(folders)
    }

    fn is_wanted(&mut self, path: &OsStr, name: &OsStr, is_folder: bool, extent: Extent) -> bool {
        let reason = match (apart(name), extent) {
            (Some(Apart::For(OmissionReason::VersionControl)), _) => OmissionReason::VersionControl,
            (Some(Apart::Dependencies), Extent::Parts | Extent::Everything) if is_folder => {
                self.dependencies.push(path.to_owned());
                return false;
            }
            (_, Extent::Everything | Extent::Dependencies) => return true,
            (Some(Apart::For(reason)), Extent::Parts) => reason,
            (Some(Apart::Dependencies | Apart::Litter), Extent::Parts) => return false,
            (None, Extent::Parts) => match odd(path) {
                Some(reason) => reason,
                None => return true,
            },
        };
        self.omissions.push(Omission::new(text(path), reason));
        false
    }
}

impl SurveyLimits {
    fn of(folder: &SkillFolder<'_>, extent: Extent) -> SurveyLimits {
        let limits = folder.limits;
        let files = if extent == Extent::Dependencies {
            DEPENDENCY_FILES
        } else {
            limits.resources
        };
        match extent {
            Extent::Parts => SurveyLimits {
                depth: limits.resource_depth,
                entries: limits.entries,
                files,
                file_bytes: limits.resource_bytes,
                total_bytes: limits.total_bytes,
            },
            Extent::Everything | Extent::Dependencies => SurveyLimits {
                depth: 128,
                entries: limits.entries.max(4 * DEPENDENCY_FILES),
                files,
                file_bytes: u64::MAX,
                total_bytes: COMPARED_BYTES,
            },
        }
    }
}

fn read_folder(
    folder: &SkillFolder<'_>,
    below: &OsStr,
    entries_left: &mut usize,
) -> io::Result<Option<Vec<(OsString, DirEntry)>>> {
    let mut entries = Vec::new();
    for entry in if below.is_empty() {
        folder.dir.entries()
    } else {
        folder.dir.read_dir(below)
    }? {
        let entry = entry?;
        let name = entry.file_name();
        if below.is_empty() && name == folder.skill_file.file_name() {
            continue;
        }
        let Some(left) = entries_left.checked_sub(1) else {
            return Ok(None);
        };
        *entries_left = left;
        entries.push((joined(below, &name), entry));
    }
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(Some(entries))
}

fn found(
    folder: &SkillFolder<'_>,
    path: OsString,
    entry: &DirEntry,
    extent: Extent,
) -> Result<Option<FoundFile>, Omission> {
    let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
    let metadata = if is_link {
        folder.dir.metadata(&path)
    } else {
        entry.metadata()
    };
    match metadata {
        Err(error) if is_link && is_out_of_reach(&error) => {
            // A lock must not depend on what lies outside of the folder.
            let is_dangling =
                extent == Extent::Parts && leads_nowhere(&folder.skill_file.folder().join(&path));
            let reason = if is_dangling {
                OmissionReason::LinkDangling
            } else {
                OmissionReason::LinkOut
            };
            Err(link(folder, &path, reason))
        }
        Err(error) if is_gone(&error) => Ok(None),
        Err(error) => Err(unreadable(&path, &error)),
        Ok(metadata) if metadata.is_file() => match is_link.then(|| folder.dir.canonicalize(&path))
        {
            // What it leads to has no part in the skill under its own name.
            Some(Ok(real)) if extent == Extent::Parts && is_apart(&real) => {
                let is_secret = real
                    .iter()
                    .any(|name| apart(name) == Some(Apart::For(OmissionReason::Secret)));
                let reason = if is_secret {
                    OmissionReason::Secret
                } else {
                    OmissionReason::LinkOut
                };
                Err(link(folder, &path, reason))
            }
            _ => Ok(Some(FoundFile {
                path,
                size: metadata.len(),
            })),
        },
        // The files in there are found under their own paths.
        Ok(metadata) if metadata.is_dir() && extent == Extent::Parts => Ok(None),
        Ok(metadata) if metadata.is_dir() => Err(link(folder, &path, OmissionReason::LinkToFolder)),
        Ok(_) => Err(Omission::new(text(&path), OmissionReason::NotAFile)),
    }
}

fn link(folder: &SkillFolder<'_>, path: &OsStr, reason: OmissionReason) -> Omission {
    let target = folder.dir.read_link_contents(path).unwrap_or_default();
    Omission::new(text(path), reason).detail(text(target.as_os_str()))
}

fn unreadable(path: &OsStr, error: &io::Error) -> Omission {
    Omission::new(text(path), OmissionReason::Unreadable).detail(file::cause(error))
}

pub(crate) fn odd(path: &OsStr) -> Option<OmissionReason> {
    match path.to_str() {
        None => Some(OmissionReason::NotUtf8),
        Some(path) => {
            let is_odd = !ResourcePath::new(path).is_ok_and(|path| path.is_typeable());
            is_odd.then_some(OmissionReason::OddName)
        }
    }
}

/// Returns a path as text. Bytes that are not UTF-8 are written `\xNN`, so that no two paths have the same text.
pub(crate) fn text(path: &OsStr) -> String {
    if let Some(text) = path.to_str() {
        return text.to_owned();
    }
    path.as_encoded_bytes()
        .utf8_chunks()
        .fold(String::new(), |mut text, chunk| {
            text.push_str(&chunk.valid().replace('\\', "\\\\"));
            text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
            text
        })
}

fn joined(below: &OsStr, name: &OsStr) -> OsString {
    let mut path = below.to_owned();
    if !path.is_empty() {
        path.push("/");
    }
    path.push(name);
    path
}
