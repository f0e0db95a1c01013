//! `repertoire why`.

mod candidates;

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;
use repertoire_profiles::{AgentSkill, AgentView, SkillOutcome, UnseenReason};
use serde::Serialize;

#[cfg(feature = "schema")]
pub(super) use candidates::CandidatesOutput;

use crate::agent_views::{AgentViews, nearest};
use crate::completion;
use crate::context::CommandContext;
use crate::diagnostics::{joined, quoted};
use crate::failure::Failure;
use crate::output::Output;
use crate::screen_text::{number, wrapped};
use crate::seen_name::SeenName;
use crate::unseen;

/// Explain where a skill was found, which copy each agent loads, and why not the others.
#[derive(Debug, Args)]
#[command(
    visible_alias = "which",
    after_help = "Examples:\n  repertoire why review\n  repertoire why review --agent codex\n  repertoire why review --agent repertoire"
)]
pub(crate) struct WhyCommand {
    /// Skill name, or SOURCE:NAME for the copy from one source.
    #[arg(add = completion::skills())]
    name: String,
}

/// The files of a name, for each agent.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct WhyOutput<'a> {
    name: &'a str,
    agents: Vec<WhyAgent<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct WhyAgent<'a> {
    agent: &'a str,
    /// The files in its folders in the order of preference, then those in the folders of other agents.
    files: Vec<&'a AgentSkill>,
}

impl WhyCommand {
    /// Explains the sources of this program.
    pub(super) async fn run(
        &self,
        context: &CommandContext,
        out: &mut Output,
    ) -> Result<(), Failure> {
        candidates::explain(&self.name, context, out).await
    }

    /// Explains what agents see.
    pub(super) fn explain(&self, seen: &AgentViews, out: &mut Output) -> Result<(), Failure> {
        let agents = seen.views.iter().map(|view| WhyAgent {
            agent: &view.agent,
            files: self.files(view),
        });
        let why = WhyOutput {
            name: &self.name,
            agents: agents.collect(),
        };
        if why.agents.iter().all(|agent| agent.files.is_empty()) {
            return Err(self.not_found(seen));
        }
        if !out.write_json(&why) {
            for (at, agent) in why.agents.iter().enumerate() {
                if at > 0 {
                    out.line("");
                }
                agent.write(seen, out);
            }
            out.notes(seen.notes());
        }
        Ok(())
    }

    fn files<'a>(&self, view: &'a AgentView) -> Vec<&'a AgentSkill> {
        let files = view.skills.iter().filter(|skill| {
            let folder = skill.path.parent().and_then(Path::file_name);
            let names = std::iter::once(&skill.name).chain(&skill.or_named);
            folder.is_some_and(|folder| folder == &*self.name)
                || names.into_iter().any(|name| self.is_named(name))
        });
        files.collect()
    }

    /// Returns whether the argument is this name, with or without the prefix of its plugin.
    fn is_named(&self, name: &str) -> bool {
        let bare = name.rsplit_once(':').map_or(name, |(_, bare)| bare);
        name == self.name || bare == self.name
    }

    fn not_found(&self, seen: &AgentViews) -> Failure {
        let names: BTreeSet<&str> = seen
            .views
            .iter()
            .flat_map(|view| &view.skills)
            .map(|skill| &*skill.name)
            .collect();
        let folders: BTreeSet<&Path> = seen
            .views
            .iter()
            .flat_map(|view| &view.folders)
            .map(|folder| &**folder)
            .filter(|folder| folder.is_dir())
            .collect();
        let agents = joined(seen.views.iter().map(|view| &*view.agent));
        let failure = Failure::new(format!("no skill is called `{}`", self.name));
        let searched = match folders.len() {
            0 => format!("no folder of {agents} exists"),
            _ => {
                let folders = folders.into_iter().map(|folder| seen.paths.path(folder));
                format!("searched for {agents}: {}", quoted(folders))
            }
        };
        match nearest(&self.name, names.iter().copied()) {
            Some(nearest) => failure.help(format!("did you mean `{nearest}`? {searched}")),
            None => failure.help(searched),
        }
    }
}

impl WhyAgent<'_> {
    fn write(&self, seen: &AgentViews, out: &mut Output) {
        let seen_name = SeenName {
            files: self.files.clone(),
        };
        let loaded: BTreeSet<_> = self
            .files
            .iter()
            .filter(|file| file.outcome.is_loaded())
            .map(|file| seen.paths.skill(&file.path))
            .collect();
        out.line(match loaded.len() {
            0 if self.files.is_empty() => format!("{}: found nowhere", self.agent),
            0 if seen_name.loaded() > 0 => format!("{}: loads one of these", self.agent),
            0 if seen_name.may_load() => format!("{}: no source says if it loads", self.agent),
            0 => format!("{}: not loaded", self.agent),
            _ => format!("{}: loads {}", self.agent, quoted(loaded)),
        });
        let (foreign, own): (Vec<_>, Vec<_>) = self.files.iter().copied().partition(|file| {
            matches!(
                file.outcome,
                SkillOutcome::Omitted {
                    reason: UnseenReason::FolderNotRead { .. }
                }
            )
        });
        for file in &own {
            self.write_file(file, file.fix.as_deref(), seen, out);
        }
        // A skill that loads needs no copy of a different agent.
        let is_seen = seen_name.may_load();
        for file in foreign.iter().filter(|_| !is_seen) {
            let fix = file.fix.as_deref().filter(|_| own.is_empty());
            self.write_file(file, fix, seen, out);
        }
        if is_seen && !foreign.is_empty() {
            let places = foreign.iter().map(|file| seen.paths.skill(&file.path));
            let line = format!("not read: {}", quoted(places));
            for line in wrapped(&line, out.columns() - 2, 2) {
                out.line(format!("  {line}"));
            }
        }
    }

    fn write_file(
        &self,
        file: &AgentSkill,
        fix: Option<&str>,
        seen: &AgentViews,
        out: &mut Output,
    ) {
        let mut place = seen.paths.path(&file.path);
        if let Some(line) = line_of(&file.outcome) {
            place += &format!(":{line}");
        }
        if file.real_path != file.path {
            place += &format!(" -> {}", seen.paths.path(&file.real_path));
        }
        if file.cost > 0 {
            place += &format!(" (costs {})", number(file.cost));
        }
        out.line(format!("  {place}"));
        let outcome = unseen::outcome(&file.outcome, &seen.paths);
        let budget = is_cut(&file.outcome)
            .then(|| format!("run `repertoire budget --agent {}`", self.agent));
        let fix = fix.map(|fix| seen.paths.text(fix));
        let fix = budget.or(fix).map(|fix| format!("fix: {fix}"));
        for line in std::iter::once(outcome).chain(fix) {
            for line in wrapped(&line, out.columns() - 4, 2) {
                out.line(format!("    {line}"));
            }
        }
    }
}

/// Returns the line of the skill file that decides.
fn line_of(outcome: &SkillOutcome) -> Option<u32> {
    match outcome {
        SkillOutcome::Omitted { reason }
        | SkillOutcome::Loaded {
            because: Some(reason),
            ..
        } => match reason {
            UnseenReason::BrokenFrontMatter { line } | UnseenReason::NoFrontMatter { line } => {
                Some(*line)
            }
            UnseenReason::Flag { line, .. } => *line,
            _ => None,
        },
        SkillOutcome::Unknown { one_of } => one_of.iter().find_map(line_of),
        SkillOutcome::Loaded { because: None, .. } => None,
    }
}

fn is_cut(outcome: &SkillOutcome) -> bool {
    match outcome {
        SkillOutcome::Omitted { reason }
        | SkillOutcome::Loaded {
            because: Some(reason),
            ..
        } => *reason == UnseenReason::Budget,
        SkillOutcome::Unknown { one_of } => one_of.iter().any(is_cut),
        SkillOutcome::Loaded { because: None, .. } => false,
    }
}
