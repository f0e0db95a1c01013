//! The lists of a skill's files.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::SystemTime;

use parking_lot::MutexGuard;
use repertoire_core::{Digest, Manifest, Omission, OmissionReason, Resource, ResourcePath};

use crate::file;
use crate::folder::SkillFolder;
use crate::skill_file::Digests;
use crate::stamp::FileStamp;
use crate::survey::{self, FoundFile, Survey};

/// Returns path, size and digest of every file in `folder` but its own `SKILL.md`, sorted by path.
///
/// Links count as what they lead to inside the folder. [`omissions`] names the files that are left out.
pub(crate) fn of(folder: &SkillFolder<'_>) -> Vec<Resource> {
    let files = Survey::of_parts(folder).files;
    let mut resources: Vec<Resource> = files
        .iter()
        .filter_map(|found| describe(folder, found).ok().flatten())
        .collect();
    resources.sort_by(|a, b| a.path.cmp(&b.path));
    let mut digests = digests(folder);
    if digests.len() > resources.len() {
        digests.retain(|path, _| {
            resources
                .binary_search_by(|known| known.path.as_str().cmp(path))
                .is_ok()
        });
    }
    resources
}

pub(crate) fn omissions(folder: &SkillFolder<'_>) -> Vec<Omission> {
    let Survey {
        files,
        mut omissions,
        ..
    } = Survey::of_parts_and_dependencies(folder);
    omissions.extend(files.iter().filter_map(|found| {
        folder
            .open_file(Path::new(&found.path))
            .err()
            .and_then(|error| {
                let is_there = !file::is_out_of_reach(&error);
                is_there.then(|| unreadable(found, &file::cause(&error)))
            })
    }));
    omissions.sort();
    omissions
}

/// Returns the manifest of everything in `folder` but its own `SKILL.md` and version control. Every file is read.
pub(crate) fn of_everything(folder: &SkillFolder<'_>) -> Manifest {
    let Survey {
        files, omissions, ..
    } = Survey::of_everything(folder);
    let mut omissions: Vec<Omission> = omissions
        .into_iter()
        .map(|omission| followed(folder, omission))
        .collect();
    let mut rows = Vec::with_capacity(files.len());
    for found in files {
        let opened = match folder.open_file(Path::new(&found.path)) {
            Err(error) if file::is_out_of_reach(&error) => continue,
            Err(error) => {
                omissions.push(unreadable(&found, &file::cause(&error)));
                continue;
            }
            Ok(opened) => opened,
        };
        if !opened.metadata.is_file() {
            omissions.push(Omission::new(
                survey::text(&found.path),
                OmissionReason::NotAFile,
            ));
            continue;
        }
        match digest(opened.into_file(), found.size) {
            Err(cause) => omissions.push(unreadable(&found, &cause)),
            Ok((digest, size)) => match survey::odd(&found.path) {
                Some(reason) => {
                    omissions
                        .push(Omission::new(survey::text(&found.path), reason).with_digest(digest));
                }
                None => rows.push(Resource::new(path_of(&found), size, digest)),
            },
        }
    }
    let manifest = Manifest::new(rows).expect("a folder has every name once");
    manifest.with_omissions(omissions)
}

/// Adds the digest of the file to which a link out of the folder leads: it may run as if it were a file of the skill.
fn followed(folder: &SkillFolder<'_>, omission: Omission) -> Omission {
    if omission.reason != OmissionReason::LinkOut {
        return omission;
    }
    let opened = file::open(&folder.skill_file.folder().join(&*omission.path)).ok();
    let opened =
        opened.filter(|(_, metadata)| metadata.is_file() && metadata.len() <= LINKED_BYTES);
    match opened.and_then(|(file, metadata)| digest(file, metadata.len()).ok()) {
        Some((digest, _)) => omission.with_digest(digest),
        None => omission,
    }
}

/// The size limit of a file outside of the skill that is digested.
const LINKED_BYTES: u64 = 64 << 20;

fn digest(file: File, size: u64) -> Result<(Digest, u64), String> {
    match Digest::of_reader(file.take(size.saturating_add(1))) {
        Ok((_, read)) if read > size => Err("it grows while it is read".to_owned()),
        Ok(read) => Ok(read),
        Err(error) => Err(file::cause(&error)),
    }
}

fn unreadable(found: &FoundFile, cause: &str) -> Omission {
    Omission::new(survey::text(&found.path), OmissionReason::Unreadable).detail(cause)
}

fn path_of(found: &FoundFile) -> ResourcePath {
    found
        .path
        .to_str()
        .and_then(|path| path.parse().ok())
        .expect("odd names are left out before")
}

fn describe(folder: &SkillFolder<'_>, found: &FoundFile) -> Result<Option<Resource>, String> {
    let path = path_of(found);
    let now = SystemTime::now();
    let opened = match folder.open_file(path.as_str().as_ref()) {
        Err(error) if file::is_out_of_reach(&error) => return Ok(None),
        opened => opened.map_err(|error| file::cause(&error))?,
    };
    if !opened.metadata.is_file() {
        return Ok(None);
    }
    let stamp = FileStamp::of(
        &folder.skill_file.folder().join(path.as_str()),
        &opened.metadata,
    );
    let size = opened.metadata.len();
    let known = digests(folder).get(path.as_str()).copied();
    if let Some((known, digest)) = known
        && known == stamp
    {
        return Ok(Some(Resource::new(path, size, digest)));
    }
    if size > folder.limits.resource_bytes {
        return Ok(None);
    }
    let (digest, size) = digest(opened.into_file(), size)?;
    if stamp.is_settled(now) {
        digests(folder).insert(path.as_str().to_owned(), (stamp, digest));
    }
    Ok(Some(Resource::new(path, size, digest)))
}

fn digests<'f>(folder: &'f SkillFolder<'_>) -> MutexGuard<'f, Digests> {
    folder.skill_file.digests().lock()
}
