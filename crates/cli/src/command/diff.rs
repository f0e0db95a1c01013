//! `repertoire diff`.

mod compared_side;
mod skill_origins;

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;
use repertoire_profiles::ShownPaths;
use serde::Serialize;

use self::compared_side::{ComparedSide, SideFile, SideName};
use self::skill_origins::SkillOrigins;

use crate::Environment;
use crate::agent_views::AgentViews;
use crate::completion;
use crate::diagnostics::counted;
use crate::failure::Failure;
use crate::output::{Output, word};
use crate::table::TextTable;

/// Compare what two agents load, the lock file, and the source that it came from.
///
/// Skills have the same content if their `SKILL.md` is the same. Without an agent, all files of the skills are compared.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  repertoire diff claude-code codex\n  repertoire diff codex lock\n  repertoire diff lock source\n  repertoire diff lock ../skills"
)]
pub(crate) struct DiffCommand {
    /// An agent, `lock` for the lock file in the working folder, `source` for the folders and Git repositories that it came from, or a
    /// folder or bare Git repository.
    #[arg(add = completion::diff_sides())]
    first: String,
    /// The side to compare with.
    #[arg(add = completion::diff_sides())]
    second: String,
}

/// The differences between two sides.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct DiffOutput<'a> {
    first: &'a str,
    second: &'a str,
    /// The names that are the same on both sides.
    same: usize,
    differences: Vec<SideDifference<'a>>,
}

/// A name that is not the same on both sides.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SideDifference<'a> {
    name: &'a str,
    side: SideRelation,
    /// The files of the first side.
    first: Vec<&'a Path>,
    /// The files of the second side.
    second: Vec<&'a Path>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum SideRelation {
    OnlyFirst,
    OnlySecond,
    /// Different files with different content.
    Differs,
    /// At least one side may load different files, as sources disagree.
    Unsure,
}

impl DiffCommand {
    pub(super) async fn run(
        &self,
        environment: &mut Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let sides = [&self.first, &self.second].map(|name| SideName::of(name, environment));
        let agents: Vec<_> = sides
            .iter()
            .filter_map(|side| match side {
                SideName::Agent(name) => Some(name.clone()),
                _ => None,
            })
            .collect();
        if sides.iter().all(|side| *side == SideName::Lock) {
            let failure = Failure::new("expected one side besides `lock`, found `lock` twice");
            return Err(failure.help("name an agent, `source` or a folder"));
        }
        let seen = match agents.as_slice() {
            [] => None,
            agents => Some(AgentViews::survey(agents, environment)?),
        };
        let mut compared = Vec::new();
        for side in &sides {
            compared.push(match side {
                SideName::Lock => ComparedSide::of_lock(&environment.cwd)?,
                SideName::Source => {
                    SkillOrigins::read(&environment.cwd)?
                        .side(environment, out)
                        .await?
                }
                SideName::Folder(folder) => ComparedSide::of_folder(folder, environment).await?,
                SideName::Agent(name) => match seen.as_ref().and_then(|seen| seen.view(name)) {
                    Some(view) => ComparedSide::of_agent(&view.skills),
                    None => {
                        return Err(Failure::new(format!("expected one agent, found `{name}`")));
                    }
                },
            });
        }
        let [first, second] = compared.as_slice() else {
            unreachable!("there are two sides");
        };
        let diff = DiffOutput::of((&self.first, first), (&self.second, second));
        if !out.write_json(&diff) {
            let home = environment.home.as_deref().unwrap_or(Path::new("\0"));
            diff.write(&ShownPaths::new(home, &environment.cwd), out);
        }
        Ok(())
    }
}

impl<'a> DiffOutput<'a> {
    fn of(
        (first_name, first): (&'a str, &'a ComparedSide),
        (second_name, second): (&'a str, &'a ComparedSide),
    ) -> DiffOutput<'a> {
        let names: BTreeSet<&str> = first
            .skills
            .keys()
            .chain(second.skills.keys())
            .map(String::as_str)
            .filter(|name| {
                ![first, second]
                    .iter()
                    .any(|side| side.not_compared.contains(*name))
            })
            .collect();
        let total = names.len();
        let differences: Vec<_> = names
            .into_iter()
            .filter_map(|name| {
                let files = [first, second].map(|side| {
                    let files = side.skills.get(name);
                    files.map(Vec::as_slice).unwrap_or_default()
                });
                Some(SideDifference {
                    name,
                    side: relation(files[0], files[1])?,
                    first: paths_of(files[0]),
                    second: paths_of(files[1]),
                })
            })
            .collect();
        DiffOutput {
            first: first_name,
            second: second_name,
            same: total - differences.len(),
            differences,
        }
    }

    fn write(&self, paths: &ShownPaths, out: &mut Output) {
        let mut table = TextTable::new(&["name", "difference", "*files"]);
        for difference in &self.differences {
            let relation = match difference.side {
                SideRelation::OnlyFirst => format!("only {}", self.first),
                SideRelation::OnlySecond => format!("only {}", self.second),
                other => word(&other),
            };
            let (mut name, mut relation) = (difference.name, relation.as_str());
            for (side, files) in [
                (self.first, &difference.first),
                (self.second, &difference.second),
            ] {
                for file in files {
                    let path = paths.skill(file);
                    table.row([
                        name.into(),
                        relation.into(),
                        format!("{side}: {path}").into(),
                    ]);
                    (name, relation) = ("", "");
                }
            }
        }
        table.write(out);
        let differences = counted(self.differences.len(), "difference");
        out.line(format!("{differences}; {} the same", self.same));
    }
}

/// Returns how two sides differ; `None` if they have the same content.
fn relation(first: &[SideFile], second: &[SideFile]) -> Option<SideRelation> {
    let digests = |files| SideFile::digests(files, [first, second]);
    match (first, second) {
        (_, []) => Some(SideRelation::OnlyFirst),
        ([], _) => Some(SideRelation::OnlySecond),
        _ if digests(first).len() == 1 && digests(first) == digests(second) => None,
        _ if is_unsure(first) || is_unsure(second) => Some(SideRelation::Unsure),
        _ if digests(first) == digests(second) => None,
        _ => Some(SideRelation::Differs),
    }
}

fn is_unsure(files: &[SideFile]) -> bool {
    files.iter().any(|file| !file.is_certain)
}

fn paths_of(files: &[SideFile]) -> Vec<&Path> {
    files.iter().map(|file| &*file.path).collect()
}
