//! The policy for installed skills, of the user and of a project.

use std::path::Path;

use repertoire::config::InstallSettings;
use repertoire_install::{InstalledSkill, Reference};

use crate::Environment;
use crate::compose::{CONFIGURATION, configuration_in};
use crate::failure::Failure;

/// The table `[install]` of the user's file and of the project's. Both apply.
#[derive(Debug)]
pub(crate) struct InstallPolicy {
    levels: Vec<PolicyLevel>,
}

#[derive(Debug)]
struct PolicyLevel {
    file: String,
    settings: InstallSettings,
}

impl InstallPolicy {
    /// Reads the files of the user and of the folder `base`.
    pub(crate) fn read(
        environment: &Environment<'_>,
        base: &Path,
    ) -> Result<InstallPolicy, Failure> {
        let user = environment.own_config();
        let mut levels = Vec::new();
        for folder in user.iter().map(|folder| folder.as_path()).chain([base]) {
            if let Some(configuration) = configuration_in(folder, environment)? {
                levels.push(PolicyLevel {
                    file: folder.join(CONFIGURATION).display().to_string(),
                    settings: configuration.install().clone(),
                });
            }
        }
        Ok(InstallPolicy { levels })
    }

    /// Refuses a reference that a level does not allow.
    pub(crate) fn check_source(&self, reference: &Reference) -> Result<(), Failure> {
        for PolicyLevel { file, settings } in &self.levels {
            let Some(allowed) = &settings.sources else {
                continue;
            };
            if !allowed.iter().any(|place| reference.is_within(place)) {
                let failure = Failure::new(format!("`{reference}` is not an allowed source"));
                return Err(failure.help(format!(
                    "`sources` of `[install]` in `{file}` has to list it"
                )));
            }
        }
        Ok(())
    }

    /// Refuses a skill from a source that is not allowed, and one with denied content.
    pub(crate) fn check(&self, row: &InstalledSkill) -> Result<(), Failure> {
        self.check_source(&row.reference)?;
        let files = row.files.iter().map(|file| file.digest);
        let digests = files.chain([row.manifest, row.content]).chain(row.archive);
        let digests: Vec<_> = digests.collect();
        for PolicyLevel { file, settings } in &self.levels {
            if let Some(denied) = settings
                .denied
                .iter()
                .find(|denied| digests.contains(denied))
            {
                let failure =
                    Failure::new(format!("the content `{denied}` of `{}` is denied", row.id));
                return Err(failure.help(format!("`denied` of `[install]` in `{file}` lists it")));
            }
        }
        Ok(())
    }
}
