//! `repertoire outdated`.

use std::collections::BTreeMap;

use clap::Args;
use repertoire::Id;
use repertoire::skill::ResourcePath;
use serde::Serialize;

use crate::Environment;
use crate::failure::Failure;
use crate::installation::{ScopeOption, fetcher};
use crate::output::Output;
use crate::table::TextTable;

/// List the installed skills whose repository has a newer commit.
///
/// Nothing is fetched but the names of branches and tags. `update --check` compares the content.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire outdated")]
pub(crate) struct OutdatedCommand {
    #[command(flatten)]
    scope: ScopeOption,
}

/// The skills whose repository has a newer commit.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct OutdatedOutput {
    skills: Vec<OutdatedSkill>,
}

/// A skill whose repository has a newer commit.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OutdatedSkill {
    id: Id,
    path: ResourcePath,
    reference: String,
    /// The installed commit.
    installed: String,
    /// The commit that the reference leads to now.
    latest: String,
}

impl OutdatedCommand {
    pub(super) fn run(
        &self,
        environment: &Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let at = self.scope.read(environment)?;
        let fetcher = fetcher(environment, &at.base);
        let mut latest = BTreeMap::new();
        let mut skills = Vec::new();
        for row in at.named(&[])? {
            let Some(installed) = &row.commit else {
                continue;
            };
            let key = (row.reference.git_url(), row.reference.revision());
            let commit = match latest.get(&key) {
                Some(commit) => commit,
                None => {
                    let commit = fetcher.latest_commit(&row.reference);
                    let commit = commit.map_err(Failure::of_install)?;
                    latest.entry(key).or_insert(commit)
                }
            };
            if let Some(commit) = commit.as_ref().filter(|commit| *commit != installed) {
                skills.push(OutdatedSkill {
                    id: row.id.clone(),
                    path: row.path.clone(),
                    reference: row.reference.to_string(),
                    installed: installed.clone(),
                    latest: commit.clone(),
                });
            }
        }
        let output = OutdatedOutput { skills };
        if out.write_json(&output) {
            return Ok(());
        }
        let mut table = TextTable::new(&["skill", "installed", "latest", "reference"]);
        for skill in &output.skills {
            table.row([
                skill.id.as_str().into(),
                short(&skill.installed).into(),
                short(&skill.latest).into(),
                (&skill.reference).into(),
            ]);
        }
        if output.skills.is_empty() {
            out.line("every skill is at the latest commit");
        } else {
            table.write(out);
        }
        Ok(())
    }
}

fn short(commit: &str) -> &str {
    &commit[..commit.len().min(12)]
}
