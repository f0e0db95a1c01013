//! The requests of a source: sent, and their replies checked. All of it runs on the call thread.

use repertoire_core::{
    Body, Bytes, Digest, Id, Listing, Omission, OmissionReason, Resource, ResourcePath, Skill,
    SourceError, SourceErrorKind, skill_md::Limits,
};
use repertoire_plugin_sdk::message::{DocumentBody, Resources, SkillKey};
use serde::Serialize;

use crate::backend::{PluginMethod, excerpt};
use crate::reader;
use crate::supervisor::Supervisor;

const MAX_FILES: usize = 10_000;

pub(crate) fn list(supervisor: &Supervisor) -> Result<Listing<Skill>, SourceError> {
    let backend = supervisor.backend()?;
    let before = supervisor.revisions(&backend);
    let reply = backend.call(PluginMethod::List, b"")?;
    let mut read = supervisor.reader.lock().read(&reply)?;
    read.diagnostics.extend(supervisor.diagnostic());
    let revision = supervisor.record_listing(&backend, before, read.revision);
    Ok(Listing::new(revision, read.rows, read.diagnostics))
}

pub(crate) fn body(supervisor: &Supervisor, id: &Id) -> Result<Body, SourceError> {
    let key = key(supervisor, id)?;
    let reply = supervisor
        .backend()?
        .call(PluginMethod::Body, &json(&SkillKey::new(key)))?;
    let DocumentBody {
        stamp,
        document,
        text,
        ..
    } = reader::message(&reply)?;
    let raw = match (&document, &text) {
        (Some(raw), None) | (None, Some(raw)) => raw,
        _ => {
            return Err(SourceError::invalid(format!(
                "expected a `document` or a `text` for skill `{id}`"
            )));
        }
    };
    let limit = Limits::default().file_bytes;
    if raw.len() as u64 > limit {
        let message = format!(
            "skill `{id}` has {} bytes, and at most {limit} are read",
            raw.len()
        );
        return Err(SourceError::new(SourceErrorKind::TooLarge, message));
    }
    // Computed here: a digest that the plugin sent would be a claim.
    let (digest, stamp) = (Digest::of(raw.as_bytes()), reader::stamp(&stamp));
    Ok(match document {
        Some(_) => Body::of_file(raw.as_bytes(), stamp).expect("JSON texts are UTF-8"),
        None => Body::new(raw.as_str(), digest, stamp),
    })
}

/// Returns the files of a skill, sorted by path, and those that the plugin lists and no skill can have.
pub(crate) fn files(
    supervisor: &Supervisor,
    id: &Id,
) -> Result<(Vec<Resource>, Vec<Omission>), SourceError> {
    let key = key(supervisor, id)?;
    let backend = supervisor.backend()?;
    if !backend.has("resources") {
        return Ok((Vec::new(), Vec::new()));
    }
    let reply = backend.call(PluginMethod::Resources, &json(&SkillKey::new(key)))?;
    let Resources { mut files, .. } = reader::message(&reply)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut omissions = Vec::new();
    let mut rows: Vec<Resource> = Vec::new();
    for file in files {
        match ResourcePath::new(&file.path)
            .ok()
            .filter(ResourcePath::is_typeable)
        {
            None => omissions.push(Omission::new(excerpt(&file.path), OmissionReason::OddName)),
            Some(path) if rows.last().is_some_and(|row| row.path == path) => {
                let omission = Omission::new(excerpt(&file.path), OmissionReason::OddName);
                omissions.push(omission.detail("it is listed twice"));
            }
            Some(_) if rows.len() == MAX_FILES => {
                let omission = Omission::new(excerpt(&file.path), OmissionReason::TooMany);
                omissions.push(omission.detail(format!("more than {MAX_FILES}")));
                break;
            }
            Some(path) => rows.push(Resource::new(path, file.size, file.digest)),
        }
    }
    Ok((rows, omissions))
}

pub(crate) fn resource(
    supervisor: &Supervisor,
    id: &Id,
    path: &ResourcePath,
) -> Result<Bytes, SourceError> {
    let key = key(supervisor, id)?;
    let backend = supervisor.backend()?;
    if !backend.has("resources") {
        return Err(SourceError::new(
            SourceErrorKind::NotFound,
            format!("skill `{id}` has no resource `{path}`"),
        ));
    }
    backend
        .call(
            PluginMethod::Resource,
            &json(&SkillKey::new(key).file(path.as_str())),
        )
        .map(Bytes::from)
}

/// Returns the plugin's key of a skill. Lists first if no listing names the skill yet.
fn key(supervisor: &Supervisor, id: &Id) -> Result<String, SourceError> {
    if let Some(key) = supervisor.reader.lock().key(id) {
        return Ok(key.to_owned());
    }
    list(supervisor)?;
    supervisor
        .reader
        .lock()
        .key(id)
        .map(str::to_owned)
        .ok_or_else(|| SourceError::not_found("skill", id))
}

fn json(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("messages have text keys and no fallible parts")
}
