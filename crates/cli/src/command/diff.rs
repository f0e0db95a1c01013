//! `repertoire diff`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use repertoire::skill::Digest;
use repertoire_profiles::AgentSkill;
use serde::Serialize;

use crate::Environment;
use crate::agent_views::AgentViews;
use crate::diagnostics::counted;
use crate::failure::Failure;
use crate::lock::RepertoireLock;
use crate::output::{Output, word};
use crate::table::TextTable;

/// Compare what two agents load, or what an agent loads with the lock file.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  repertoire diff claude-code codex\n  repertoire diff codex lock"
)]
pub(crate) struct DiffCommand {
    /// An agent, or `lock` for the lock file in the working folder.
    first: String,
    /// The other agent, or `lock`.
    second: String,
}

/// The name of the side that is the lock file.
const LOCK: &str = "lock";

/// The differences between two sides, each an agent or the lock file.
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

/// The skills of one side, by name.
#[derive(Debug, Default)]
struct ComparedSide {
    skills: BTreeMap<String, Vec<SideFile>>,
}

#[derive(Debug)]
struct SideFile {
    path: PathBuf,
    digest: Option<Digest>,
    is_certain: bool,
}

impl DiffCommand {
    pub(super) fn run(
        &self,
        environment: &Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let names = [&self.first, &self.second];
        let agents: Vec<_> = names
            .into_iter()
            .filter(|name| *name != LOCK)
            .cloned()
            .collect();
        let seen = match agents.as_slice() {
            [] => {
                return Err(Failure::new(
                    "expected at least one agent, found `lock` twice",
                ));
            }
            agents => AgentViews::survey(agents, environment)?,
        };
        let side = |name: &str| match (name, seen.view(name)) {
            (LOCK, _) => ComparedSide::of_lock(&environment.cwd),
            (_, Some(view)) => Ok(ComparedSide::of_agent(&view.skills)),
            (_, None) => Err(Failure::new(format!("expected one agent, found `{name}`"))),
        };
        let (first, second) = (side(&self.first)?, side(&self.second)?);
        let diff = DiffOutput::of((&self.first, &first), (&self.second, &second));
        if !out.write_json(&diff) {
            diff.write(&seen, out);
        }
        Ok(())
    }
}

impl ComparedSide {
    fn of_agent(skills: &[AgentSkill]) -> ComparedSide {
        let mut side = ComparedSide::default();
        for skill in skills.iter().filter(|skill| skill.outcome.may_load()) {
            let digest = fs::read(&skill.real_path).ok();
            side.add(
                &skill.name,
                SideFile {
                    path: skill.real_path.to_path_buf(),
                    digest: digest.map(|bytes| Digest::of(&bytes)),
                    is_certain: skill.outcome.is_loaded(),
                },
            );
        }
        side
    }

    fn of_lock(folder: &Path) -> Result<ComparedSide, Failure> {
        let Some(lock) = RepertoireLock::read(folder)? else {
            return Err(Failure::new(format!("no {} found", RepertoireLock::NAME))
                .help("run `repertoire lock` to create it"));
        };
        let mut side = ComparedSide::default();
        for (path, locked) in &lock.skills {
            let mut files = locked.manifest.files().iter();
            let own = files.find(|file| file.path.as_str().eq_ignore_ascii_case("SKILL.md"));
            let path = folder.join(path.as_str()).join("SKILL.md");
            side.add(
                locked.id.as_str(),
                SideFile {
                    path: path.canonicalize().unwrap_or(path),
                    digest: own.map(|file| file.digest),
                    is_certain: true,
                },
            );
        }
        Ok(side)
    }

    fn add(&mut self, name: &str, file: SideFile) {
        let files = self.skills.entry(name.to_owned()).or_default();
        // Several paths may lead to one file.
        if !files.iter().any(|known| known.path == file.path) {
            files.push(file);
        }
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

    fn write(&self, seen: &AgentViews, out: &mut Output) {
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
                    let path = seen.paths.skill(file);
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

fn digests(files: &[SideFile]) -> BTreeSet<Option<Digest>> {
    files.iter().map(|file| file.digest).collect()
}

fn paths_of(files: &[SideFile]) -> Vec<&Path> {
    files.iter().map(|file| &*file.path).collect()
}
