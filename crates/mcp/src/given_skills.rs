//! The skills whose text a session was given.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use repertoire::registry::RuleStack;
use repertoire::skill::SourceErrorKind;
use repertoire::skill::skill_uri::SkillRoot;

use crate::Server;
use crate::served_files::{FileManifest, ReadFailure};

/// The most versions of skills that are recorded for a session. Beyond that the first ones leave.
const MOST_VERSIONS: usize = 256;

/// The versions of skills whose text a session was given.
#[derive(Debug, Default)]
pub(crate) struct GivenSkills(Mutex<VecDeque<GivenVersion>>);

#[derive(Debug)]
struct GivenVersion {
    root: SkillRoot,
    /// `None` if the skill was denied before its files could be listed.
    manifest: Option<Arc<FileManifest>>,
    /// `true` once the session was notified that the skill is denied.
    is_named: bool,
}

impl GivenSkills {
    /// Records that the session was given text of a skill. Returns whether the session is to be notified of its denial.
    pub(crate) async fn record(&self, server: &Server, root: &SkillRoot) -> bool {
        let Some(skill) = server.view().find_for_any(root) else {
            return false;
        };
        let manifest = match server.served_files().manifest(&skill).await {
            Ok(manifest) => Some(manifest),
            Err(ReadFailure::Source(error)) if error.kind() == SourceErrorKind::Denied => None,
            Err(_) => return false,
        };
        let mut given = self.0.lock();
        let mut is_named = false;
        for version in given.iter().filter(|version| version.root == *root) {
            if version.has_files_of(manifest.as_deref()) {
                return false;
            }
            is_named |= version.is_named;
        }
        if given.len() == MOST_VERSIONS {
            given.pop_front();
        }
        let version = GivenVersion {
            root: root.clone(),
            manifest,
            is_named,
        };
        let is_denied = version.is_denied(server.registry().snapshot().rules());
        given.push_back(version);
        is_denied && !is_named
    }

    /// Returns the skills whose given text `rules` deny. A later call does not return them again.
    pub(crate) fn newly_denied(&self, rules: &RuleStack) -> Vec<SkillRoot> {
        let mut given = self.0.lock();
        let mut denied: Vec<SkillRoot> = Vec::new();
        for version in given.iter().filter(|version| !version.is_named) {
            if !denied.contains(&version.root) && version.is_denied(rules) {
                denied.push(version.root.clone());
            }
        }
        for version in given.iter_mut() {
            version.is_named |= denied.contains(&version.root);
        }
        denied
    }
}

impl GivenVersion {
    /// Returns whether `rules` deny a file of this version, or all its files by their manifest.
    fn is_denied(&self, rules: &RuleStack) -> bool {
        self.manifest.as_ref().is_none_or(|manifest| {
            let mut digests = manifest.digests();
            digests.any(|digest| rules.denying(&digest).is_some())
        })
    }

    fn has_files_of(&self, manifest: Option<&FileManifest>) -> bool {
        match (&self.manifest, manifest) {
            (Some(mine), Some(other)) => mine.files == other.files,
            _ => false,
        }
    }
}
