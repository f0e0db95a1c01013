//! The policy for installed skills, of the user and of a project.

use std::path::Path;
use std::time::{Duration, SystemTime};

use repertoire::config::InstallSettings;
use repertoire_install::{InstalledSkill, Reference};

use crate::Environment;
use crate::configuration_file::{CONFIGURATION, configuration_in};
use crate::diagnostics::counted;
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

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

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

    /// Refuses content that is younger than a level allows, and content of an unknown age.
    ///
    /// Folders and archives of this machine have no age, and are never refused.
    pub(crate) fn check_age(
        &self,
        reference: &Reference,
        created: Option<SystemTime>,
    ) -> Result<(), Failure> {
        // A time in the future is no age at all.
        let age = created.map(|created| created.elapsed().unwrap_or_default());
        let levels = self.levels.iter().filter(|_| !reference.is_local());
        for PolicyLevel { file, settings } in levels {
            let days = settings.minimum_age_days;
            let message = match age {
                _ if days == 0 => continue,
                Some(age) if age >= DAY * days => continue,
                Some(_) => {
                    let days = counted(days as usize, "day");
                    format!("the content of `{reference}` is younger than {days}")
                }
                None => format!("the content of `{reference}` does not state its age"),
            };
            return Err(Failure::new(message).help(format!(
                "`minimum-age-days` of `[install]` in `{file}` is {days}"
            )));
        }
        Ok(())
    }

    /// Returns whether a level restricts new content until the user accepts it.
    pub(crate) fn restricts_new(&self) -> bool {
        self.levels.iter().any(|level| level.settings.restrict_new)
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
