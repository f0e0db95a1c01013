//! The questions of a source, asked and their answers checked. All of it runs on the plugin's own thread.

use repertoire_core::{
    Body, Bytes, Digest, Id, Listing, Manifest, Resource, ResourcePath, Skill, SourceError, SourceErrorKind,
    skill_md::Limits,
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
    let key = key(lodging, id)?;
    let guest = lodging.guest()?;
    if !guest.has("resources") {
        return Ok(Vec::new());
    }
    let reply = guest.call(Door::Resources, &json(&Key::new(key)))?;
    let Resources { files, .. } = reader::message(&reply)?;
    if files.len() > MOST_FILES {
        let message = format!("skill `{id}` has {} resources, and at most {MOST_FILES} are read", files.len());
        return Err(SourceError::new(SourceErrorKind::TooLarge, message));
    }
    let mut rows = Vec::with_capacity(files.len());
    for file in files {
        let path = ResourcePath::new(&file.path).map_err(|error| {
            SourceError::new(SourceErrorKind::Denied, format!("skill `{id}` lists what is no file of its own"))
                .caused_by(error)
        })?;
        rows.push(Resource::new(path, file.size, file.digest));
    }
    let whole = Manifest::new(rows).map_err(|error| {
        SourceError::invalid(told(&format!("the resources of skill `{id}` contradict themselves: {error}")))
    })?;
    Ok(whole.files().to_vec())
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
