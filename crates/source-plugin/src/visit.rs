//! The questions of a source, asked and their answers checked. All of it runs on the plugin's own thread.

use repertoire_core::{
    Body, Bytes, Digest, Id, Listing, Omission, OmissionReason, Resource, ResourcePath, Skill, SourceError,
    SourceErrorKind, skill_md::Limits,
};
use repertoire_plugin_sdk::message::{self, FileKey, Key, Resources};
use serde::Serialize;

use crate::guest::{Door, told};
use crate::lodging::Lodging;
use crate::reader;

/// Files of one skill, as a folder source has them.
const MOST_FILES: usize = 10_000;

pub(crate) fn list(lodging: &Lodging) -> Result<Listing<Skill>, SourceError> {
    let guest = lodging.guest()?;
    let reply = guest.call(Door::List, b"")?;
    let mut read = lodging.reader().read(&reply)?;
    read.diagnostics.extend(lodging.finding());
    let revision = lodging.saw(&guest, read.revision);
    Ok(read.listing(revision))
}

pub(crate) fn body(lodging: &Lodging, id: &Id) -> Result<Body, SourceError> {
    let key = key(lodging, id)?;
    let reply = lodging.guest()?.call(Door::Body, &json(&Key::new(key)))?;
    let message::Body { stamp, document, text, .. } = reader::message(&reply)?;
    let raw = match (&document, &text) {
        (Some(raw), None) | (None, Some(raw)) => raw,
        _ => return Err(SourceError::invalid(format!("expected a `document` or a `text` for skill `{id}`"))),
    };
    let limit = Limits::default().file_bytes;
    if raw.len() as u64 > limit {
        let message = format!("skill `{id}` has {} bytes, and at most {limit} are read", raw.len());
        return Err(SourceError::new(SourceErrorKind::TooLarge, message));
    }
    // What identifies the content is computed here: the digest of a plugin would be a claim.
    let (digest, stamp) = (Digest::of(raw.as_bytes()), reader::stamp(&stamp));
    Ok(match document {
        Some(_) => Body::of_file(raw.as_bytes(), stamp).expect("JSON texts are UTF-8"),
        None => Body::new(raw.as_str(), digest, stamp),
    })
}

pub(crate) fn resources(lodging: &Lodging, id: &Id) -> Result<Vec<Resource>, SourceError> {
    Ok(files(lodging, id)?.0)
}

pub(crate) fn omissions(lodging: &Lodging, id: &Id) -> Result<Vec<Omission>, SourceError> {
    Ok(files(lodging, id)?.1)
}

/// The files of a skill, sorted by path, and what the plugin lists that cannot be one.
fn files(lodging: &Lodging, id: &Id) -> Result<(Vec<Resource>, Vec<Omission>), SourceError> {
    let key = key(lodging, id)?;
    let guest = lodging.guest()?;
    if !guest.has("resources") {
        return Ok((Vec::new(), Vec::new()));
    }
    let reply = guest.call(Door::Resources, &json(&Key::new(key)))?;
    let Resources { mut files, .. } = reader::message(&reply)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut omissions = Vec::new();
    let mut rows: Vec<Resource> = Vec::new();
    for file in files {
        let omit = |reason| Omission::new(told(&file.path), reason);
        match ResourcePath::new(&file.path) {
            Err(_) => omissions.push(omit(OmissionReason::OddName)),
            Ok(path) if rows.last().is_some_and(|row| row.path == path) => {
                omissions.push(omit(OmissionReason::OddName).detail("it is listed twice"));
            }
            Ok(_) if rows.len() == MOST_FILES => {
                omissions.push(omit(OmissionReason::TooMany).detail(format!("more than {MOST_FILES}")));
                break;
            }
            Ok(path) => rows.push(Resource::new(path, file.size, file.digest)),
        }
    }
    Ok((rows, omissions))
}

pub(crate) fn resource(lodging: &Lodging, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
    let key = key(lodging, id)?;
    let guest = lodging.guest()?;
    if !guest.has("resources") {
        return Err(SourceError::new(SourceErrorKind::NotFound, format!("skill `{id}` has no resource `{path}`")));
    }
    guest.call(Door::Resource, &json(&FileKey::new(key, path.as_str()))).map(Bytes::from)
}

/// How the plugin finds the skill; asks for a listing where none names it yet.
fn key(lodging: &Lodging, id: &Id) -> Result<String, SourceError> {
    if let Some(key) = lodging.reader().key(id) {
        return Ok(key.to_owned());
    }
    list(lodging)?;
    lodging.reader().key(id).map(str::to_owned).ok_or_else(|| SourceError::not_found("skill", id))
}

fn json(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("messages have text keys and no fallible parts")
}
