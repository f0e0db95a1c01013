//! `repertoire installed`.

use clap::Args;
use repertoire_install::{InstalledSkill, ProjectFolder};
use serde::Serialize;

use crate::Environment;
use crate::failure::Failure;
use crate::installation::ScopeOption;
use crate::output::{Output, word};
use crate::table::TextTable;

/// List the installed skills, their origins, and whether they were changed.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire installed")]
pub(crate) struct InstalledCommand {
    #[command(flatten)]
    scope: ScopeOption,
}

/// The installed skills.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct InstalledOutput {
    skills: Vec<InstalledState>,
}

/// An installed skill, and its present state.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct InstalledState {
    state: InstallState,
    skill: InstalledSkill,
}

/// The state of the folder of an installed skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum InstallState {
    /// The folder has the installed content.
    Installed,
    /// Files of the folder were changed.
    Changed,
    /// There is no such folder.
    Missing,
}

impl InstalledCommand {
    pub(super) fn run(
        &self,
        environment: &Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let at = self.scope.read(environment)?;
        let mut skills = Vec::new();
        for row in at.named(&[])? {
            let manifest = row.checked_manifest().map_err(Failure::of_install)?;
            let folder = ProjectFolder::state(&at.base, &row.path).map_err(Failure::of_install)?;
            let state = match &folder.manifest {
                None => InstallState::Missing,
                Some(_) if folder.is(&manifest) => InstallState::Installed,
                Some(_) => InstallState::Changed,
            };
            let skill = row.clone();
            skills.push(InstalledState { state, skill });
        }
        if ProjectFolder::journal(&at.base).exists() {
            out.note("an installation was interrupted; run `repertoire sync` to complete it");
        }
        let output = InstalledOutput { skills };
        if out.write_json(&output) {
            return Ok(());
        }
        let mut table = TextTable::new(&["skill", "state", "folder", "reference"]);
        for InstalledState { state, skill } in &output.skills {
            table.row([
                skill.id.as_str().into(),
                word(state).into(),
                skill.path.as_str().into(),
                skill.reference.to_string().into(),
            ]);
        }
        if output.skills.is_empty() {
            out.line("no skills are installed; run `repertoire add`");
        } else {
            table.write(out);
        }
        Ok(())
    }
}
