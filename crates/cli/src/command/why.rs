//! `repertoire why`.

mod candidates;

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;
use repertoire_profiles::{
    AgentSkill, AgentView, ObservedDifference, SeenName, ShownPaths, SkillOutcome, UnseenReason,
};
use serde::Serialize;

#[cfg(feature = "schema")]
pub(super) use candidates::CandidatesOutput;

use crate::Environment;
use crate::agent_views::{AgentViews, nearest};
use crate::completion;
use crate::context::CommandContext;
use crate::diagnostics::{joined, quoted};
use crate::failure::Failure;
use crate::observed_agent::{ObservedAgent, ObservedOption, date_of, difference};
use crate::output::Output;
use crate::screen_text::{number, wrapped};
use crate::styled_line::StyledLine;

/// Explain where a skill was found, which copy each agent loads, and why not the others.
#[derive(Debug, Args)]
#[command(
    visible_alias = "which",
    after_help = "Examples:\n  repertoire why review\n  repertoire why review --agent codex\n  repertoire why review --agent repertoire\n  repertoire why review --observed"
)]
pub(crate) struct WhyCommand {
    /// Skill name, or SOURCE:NAME for the copy from one source.
    #[arg(add = completion::seen_skills())]
    name: String,
    #[command(flatten)]
    observed: ObservedOption,
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
    /// The name in the list of the agent itself; null without `--observed`, or if the agent left no list for this folder.
    observed: Option<ObservedName>,
}

/// A name in the list of the agent itself.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ObservedName {
    /// The transcript, the command or the server.
    origin: String,
    /// The time of the list, as the agent wrote it.
    date: Option<String>,
    is_listed: bool,
    /// The differences from what the agent should see.
    differences: Vec<ObservedDifference>,
    /// `true` if no transcript of the last 30 days used it; null without such transcripts, or if it is not loaded.
    is_unused: Option<bool>,
}

impl WhyCommand {
    /// Explains the sources of this program.
    pub(super) async fn run(
        &self,
        context: &CommandContext,
        out: &mut Output,
    ) -> Result<(), Failure> {
        if self.observed.is_given() {
            let failure = Failure::new("`--observed` has no effect on the sources of this program");
            return Err(failure.help("name an agent with `--agent NAME`"));
        }
        candidates::explain(&self.name, context, out).await
    }

    /// Explains what agents see.
    pub(super) fn explain(
        &self,
        seen: &AgentViews,
        environment: &Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let observed = self.observed.lists(seen, environment)?;
        let observed = observed.as_deref().unwrap_or_default();
        let mut why = WhyOutput::of(&self.name, &seen.views);
        // The lists are in the order of the views.
        for ((agent, view), list) in why.agents.iter_mut().zip(&seen.views).zip(observed) {
            agent.observed = ObservedName::of(&self.name, list, view);
        }
        if !why.agents.iter().any(WhyAgent::is_found) {
            return Err(self.not_found(seen));
        }
        if !out.write_json(&why) {
            let columns = out.columns();
            out.styled_lines(why.lines(&seen.paths, columns));
            let reasons = observed.iter().filter_map(|list| {
                let reason = list.not_asked.as_ref()?;
                Some(format!("{} was not asked: {reason}", list.agent))
            });
            out.notes(reasons);
            out.notes(seen.notes());
        }
        Ok(())
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

impl<'a> WhyOutput<'a> {
    pub(super) fn of(
        name: &'a str,
        views: impl IntoIterator<Item = &'a AgentView>,
    ) -> WhyOutput<'a> {
        let agents = views.into_iter().map(|view| WhyAgent {
            agent: &view.agent,
            files: files_of(name, view),
            observed: None,
        });
        WhyOutput {
            name,
            agents: agents.collect(),
        }
    }

    /// Returns the explanation for each agent, with a blank line between two.
    pub(super) fn lines(&self, paths: &ShownPaths, columns: usize) -> Vec<StyledLine> {
        let mut lines = Vec::new();
        for agent in &self.agents {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            agent.add_lines(paths, columns, &mut lines);
        }
        lines.into_iter().map(StyledLine::plain).collect()
    }
}

/// Returns the files that are called `name`, with or without the prefix of a plugin, or are in a folder of that name.
fn files_of<'a>(name: &str, view: &'a AgentView) -> Vec<&'a AgentSkill> {
    let files = view.skills.iter().filter(|skill| {
        let folder = skill.path.parent().and_then(Path::file_name);
        let mut names = std::iter::once(&skill.name).chain(&skill.or_named);
        folder.is_some_and(|folder| folder == name) || names.any(|known| is_named(known, name))
    });
    files.collect()
}

/// Returns whether a skill is called `name`, with or without the prefix of its plugin.
fn is_named(known: &str, name: &str) -> bool {
    let bare = known.rsplit_once(':').map_or(known, |(_, bare)| bare);
    known == name || bare == name
}

impl ObservedName {
    fn of(name: &str, observed: &ObservedAgent, view: &AgentView) -> Option<ObservedName> {
        let list = observed.list.as_ref()?;
        let is_loaded = view.loaded().any(|skill| is_named(&skill.name, name));
        let differences = observed.differences.iter();
        let unused = observed.unused.as_ref().filter(|_| is_loaded);
        Some(ObservedName {
            origin: observed.origin.clone()?,
            date: list.date.clone(),
            is_listed: list.skills.iter().any(|skill| is_named(&skill.name, name)),
            differences: differences
                .filter(|one| is_named(&one.name, name))
                .cloned()
                .collect(),
            is_unused: unused.map(|unused| unused.iter().any(|known| is_named(known, name))),
        })
    }

    fn lines(&self, paths: &ShownPaths, columns: usize) -> Vec<String> {
        let is_listed = if self.is_listed {
            "listed"
        } else {
            "not listed"
        };
        let date = date_of(self.date.as_deref());
        let list = format!("{is_listed} by the agent{date}, in `{}`", self.origin);
        let differences = self.differences.iter();
        let differences = differences.map(|one| difference(one, paths));
        let unused = self.is_unused == Some(true);
        let unused = unused.then(|| "not used in the last 30 days".to_owned());
        let lines = std::iter::once(paths.text(&list)).chain(differences);
        let lines = lines.chain(unused);
        let lines = lines.flat_map(|line| wrapped(&line, columns - 2, 2));
        lines.map(|line| format!("  {line}")).collect()
    }
}

impl WhyAgent<'_> {
    /// Returns whether a file has the name, or the agent itself lists it.
    fn is_found(&self) -> bool {
        let observed = self.observed.as_ref();
        !self.files.is_empty() || observed.is_some_and(|observed| observed.is_listed)
    }

    fn add_lines(&self, paths: &ShownPaths, columns: usize, lines: &mut Vec<String>) {
        let seen_name = SeenName {
            files: self.files.clone(),
        };
        let loaded: BTreeSet<_> = self
            .files
            .iter()
            .filter(|file| file.outcome.is_loaded())
            .map(|file| paths.skill(&file.path))
            .collect();
        lines.push(match loaded.len() {
            0 if self.files.is_empty() => format!("{}: found nowhere", self.agent),
            0 if seen_name.loaded() > 0 => format!("{}: loads one of these", self.agent),
            0 if seen_name.may_load() => format!("{}: no source says if it loads", self.agent),
            0 => format!("{}: not loaded", self.agent),
            _ => format!("{}: loads {}", self.agent, quoted(loaded)),
        });
        if let Some(observed) = &self.observed {
            lines.extend(observed.lines(paths, columns));
        }
        let (foreign, own): (Vec<_>, Vec<_>) = self.files.iter().copied().partition(|file| {
            matches!(
                file.outcome,
                SkillOutcome::Omitted {
                    reason: UnseenReason::FolderNotRead { .. }
                }
            )
        });
        for file in &own {
            lines.extend(self.file_lines(file, file.fix.as_deref(), paths, columns));
        }
        // A skill that loads needs no copy of a different agent.
        let is_seen = seen_name.may_load();
        for file in foreign.iter().filter(|_| !is_seen) {
            let fix = file.fix.as_deref().filter(|_| own.is_empty());
            lines.extend(self.file_lines(file, fix, paths, columns));
        }
        if is_seen && !foreign.is_empty() {
            let places = foreign.iter().map(|file| paths.skill(&file.path));
            let line = format!("not read: {}", quoted(places));
            let wrapped = wrapped(&line, columns - 2, 2).into_iter();
            lines.extend(wrapped.map(|line| format!("  {line}")));
        }
    }

    fn file_lines(
        &self,
        file: &AgentSkill,
        fix: Option<&str>,
        paths: &ShownPaths,
        columns: usize,
    ) -> Vec<String> {
        let mut place = paths.path(&file.path);
        if let Some(line) = line_of(&file.outcome) {
            place += &format!(":{line}");
        }
        if file.real_path != file.path {
            place += &format!(" -> {}", paths.path(&file.real_path));
        }
        if file.cost > 0 {
            place += &format!(" (costs {})", number(file.cost));
        }
        let outcome = file.outcome.text(paths);
        let budget = is_cut(&file.outcome)
            .then(|| format!("run `repertoire budget --agent {}`", self.agent));
        let fix = fix.map(|fix| paths.text(fix));
        let fix = budget.or(fix).map(|fix| format!("fix: {fix}"));
        let below = std::iter::once(outcome).chain(fix);
        let below = below.flat_map(|line| wrapped(&line, columns - 4, 2));
        let below = below.map(|line| format!("    {line}"));
        std::iter::once(format!("  {place}")).chain(below).collect()
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
