//! `repertoire outdated`.

use std::collections::BTreeMap;

use clap::Args;
use repertoire::Id;
use repertoire::skill::ResourcePath;
use serde::Serialize;

use crate::Environment;
use crate::failure::Failure;
use crate::fetching::FetchOptions;
use crate::install_plan::short_revision;
use crate::installation::ScopeOption;
use crate::output::Output;
use crate::table::TextTable;

/// List the installed skills whose source has newer content.
///
/// Fetches only the branches and tags of repositories, and the indexes of hosts. `update --check` compares the content of every
/// source.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire outdated")]
pub(crate) struct OutdatedCommand {
    #[command(flatten)]
    scope: ScopeOption,
    #[command(flatten)]
    fetching: FetchOptions,
}

/// The skills whose source has newer content.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct OutdatedOutput {
    skills: Vec<OutdatedSkill>,
}

/// A skill whose source has newer content.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OutdatedSkill {
    id: Id,
    path: ResourcePath,
    reference: String,
    /// The installed commit, or the digest of the installed file of an index.
    installed: String,
    /// The commit or the digest that the reference leads to now.
    latest: String,
}

impl OutdatedCommand {
    pub(super) fn run(
        &self,
        environment: &Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let at = self.scope.read(environment)?;
        let fetcher = self.fetching.fetcher(environment, &at.base);
        let mut latest = BTreeMap::new();
        let mut skills = Vec::new();
        for row in at.named(&[])? {
            let found = match latest.get(&row.reference) {
                Some(found) => found,
                None => {
                    let found = fetcher.latest(&row.reference);
                    let found = found.map_err(Failure::of_install)?;
                    latest.entry(&row.reference).or_insert(found)
                }
            };
            let installed = row.commit.clone().or(row.archive.map(String::from));
            let newer = found
                .revision_of(row)
                .filter(|newer| Some(newer) != installed.as_ref());
            if let (Some(installed), Some(latest)) = (installed, newer) {
                skills.push(OutdatedSkill {
                    id: row.id.clone(),
                    path: row.path.clone(),
                    reference: row.reference.to_string(),
                    installed,
                    latest,
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
                short_revision(&skill.installed).into(),
                short_revision(&skill.latest).into(),
                (&skill.reference).into(),
            ]);
        }
        if output.skills.is_empty() {
            out.line("no source has newer content");
        } else {
            table.write(out);
        }
        Ok(())
    }
}
