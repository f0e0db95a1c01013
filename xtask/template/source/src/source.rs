//! The source.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use repertoire_core::{
    Body, Bytes, Digest, Id, ListingEntry, Listing, Resource, ResourcePath, Revision, Skill, Source, SourceError,
    SourceErrorKind, Stamp, async_trait,
};

/// Skills from acme.
///
/// Until it reads something real it has what was [`put`](AcmeSource::put) into it. `list` is written; `body`, `resources`,
/// `resource` and `changed` are not.
#[derive(Debug)]
pub struct AcmeSource {
    name: String,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    revision: u64,
    skills: BTreeMap<Id, Written>,
}

/// One skill as it was written.
#[derive(Debug, Default)]
struct Written {
    description: String,
    body: String,
    resources: BTreeMap<ResourcePath, Vec<u8>>,
}

impl AcmeSource {
    /// A source without skills, called `name`.
    pub fn new(name: impl Into<String>) -> AcmeSource {
        AcmeSource { name: name.into(), state: Mutex::default() }
    }

    /// Adds a skill, or replaces the one that has this id and keeps its resources.
    pub fn put(&self, id: &Id, description: &str, body: &str) {
        let mut state = self.state();
        let written = state.skills.entry(id.clone()).or_default();
        (written.description, written.body) = (description.to_owned(), body.to_owned());
        state.revision += 1;
    }

    /// Adds a file to a skill; one that is not there gets none.
    pub fn put_resource(&self, id: &Id, path: &ResourcePath, bytes: &[u8]) {
        let mut state = self.state();
        if let Some(written) = state.skills.get_mut(id) {
            written.resources.insert(path.clone(), bytes.to_vec());
            state.revision += 1;
        }
    }

    /// Removes a skill.
    pub fn remove(&self, id: &Id) {
        let mut state = self.state();
        state.skills.remove(id);
        state.revision += 1;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Source<Skill> for AcmeSource {
    fn name(&self) -> &str {
        &self.name
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        let state = self.state();
        // Before anything is read: what changes meanwhile is then newer than this listing.
        let revision = Revision(state.revision);
        let rows = state.skills.iter().map(|(id, written)| {
            // The stamp covers everything that a row stands for; a digest is of the raw bytes of the instructions.
            let stamp = Stamp::of(&(&written.description, &written.body, &written.resources));
            let skill = Skill::new(id.clone(), written.description.as_str());
            ListingEntry::new(skill, stamp).with_digest(Digest::of(written.body.as_bytes()))
        });
        // An entry that cannot be understood is a diagnostic in place of this empty list, and hides no other.
        Ok(Listing::new(revision, rows, []))
    }

    // The instructions. `SourceError::not_found` for an id that is not there; stamp and digest as in the listing.
    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        Err(not_written("body", id))
    }

    // The files beside the instructions, in the order of their paths. A source that has none leaves this method and the
    // next one out, and its fixture says so in `reads_resources`.
    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        Err(not_written("resources", id))
    }

    async fn resource(&self, id: &Id, _path: &ResourcePath) -> Result<Bytes, SourceError> {
        Err(not_written("resource", id))
    }

    // Resolves once this source is past `since`, at once if it is already. A source that has to be polled leaves this method
    // out, and its fixture says so in `watches`.
    async fn changed(&self, _since: Revision) {
        panic!("`changed` is not written yet");
    }
}

fn not_written(door: &str, id: &Id) -> SourceError {
    SourceError::new(SourceErrorKind::Other, format!("`{door}` is not written yet, and was asked about `{id}`"))
}
