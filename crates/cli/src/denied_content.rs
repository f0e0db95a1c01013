//! Content that a configuration file denies.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use repertoire::config::Configuration;
use repertoire::registry::{Authority, RuleSet};
use repertoire::skill::Digest;

use crate::Environment;
use crate::configuration_file::{CONFIGURATION, configuration_in};
use crate::failure::Failure;

/// The content that one file denies.
#[derive(Debug)]
pub(crate) struct DeniedContent {
    pub(crate) file: PathBuf,
    pub(crate) digests: BTreeSet<Digest>,
}

impl DeniedContent {
    /// Reads the content that the file of the user denies, whatever a project allows.
    pub(crate) fn of_user(environment: &Environment<'_>) -> Result<Option<DeniedContent>, Failure> {
        let Some(folder) = environment.own_config() else {
            return Ok(None);
        };
        let configuration = configuration_in(&folder, environment)?;
        Ok(configuration.map(|found| DeniedContent::of(&folder.join(CONFIGURATION), &found)))
    }

    pub(crate) fn of(file: &Path, configuration: &Configuration) -> DeniedContent {
        let denied = &configuration.install().denied;
        DeniedContent {
            file: file.to_owned(),
            digests: denied.iter().copied().collect(),
        }
    }

    /// Returns a level of rules that denies the content.
    pub(crate) fn level(&self) -> RuleSet {
        let level = RuleSet::new(self.file.display().to_string(), Authority::RestrictOnly);
        self.digests.iter().copied().fold(level, RuleSet::deny)
    }
}
