//! The problems of agents with skills, each with its fix.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use anstyle::{AnsiColor, Style};
use repertoire::skill::text::command_argument;
use repertoire_profiles::{AgentSkill, AgentView, ShownPaths, SkillOutcome, UnseenReason};
use serde::Serialize;

use crate::agent_views::AgentViews;
use crate::diagnostics::{counted, joined, quoted};
use crate::screen_text::{number, wrapped};
use crate::styled_line::StyledLine;

/// A problem of agents, and its fix.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct AgentProblem {
    /// The agents that have it.
    agents: Vec<Arc<str>>,
    /// The name of the skill; null for a problem of an agent as a whole.
    pub(super) skill: Option<Arc<str>>,
    /// The files that it is about.
    pub(super) paths: Vec<Arc<Path>>,
    message: String,
    /// A command or an edit that ends it.
    fix: Option<String>,
}

impl AgentProblem {
    pub(super) fn is_of(&self, agent: &str) -> bool {
        self.agents.iter().any(|known| &**known == agent)
    }
}

/// Returns the problems of all agents. A problem that several agents share comes once.
pub(super) fn find(seen: &AgentViews) -> Vec<AgentProblem> {
    let mut found: Vec<AgentProblem> = Vec::new();
    let mut places: HashMap<AgentProblem, usize> = HashMap::new();
    for view in &seen.views {
        let whole = budget(view).into_iter().chain(unread(view));
        let single = files(view, seen).chain(rivals(view));
        for problem in whole.chain(single).chain(dependencies(view)) {
            let place = *places.entry(problem.clone()).or_insert_with(|| {
                found.push(problem);
                found.len() - 1
            });
            found[place].agents.push(view.agent.clone());
        }
    }
    found
}

fn budget(view: &AgentView) -> Option<AgentProblem> {
    let budget = &view.budget;
    let limit = budget.limit.filter(|limit| budget.used > *limit)?;
    Some(AgentProblem {
        agents: Vec::new(),
        skill: None,
        paths: Vec::new(),
        message: format!(
            "the list of skills has {} of at most {} {}, so {} cut",
            number(budget.used),
            number(limit),
            crate::output::word(&budget.unit),
            match budget.cut {
                1 => "1 skill is".to_owned(),
                cut => format!("{} are", counted(cut, "skill")),
            }
        ),
        fix: Some(format!("run `repertoire budget --agent {}`", view.agent)),
    })
}

fn unread(view: &AgentView) -> impl Iterator<Item = AgentProblem> {
    view.unread.iter().map(|path| AgentProblem {
        agents: Vec::new(),
        skill: None,
        paths: vec![path.clone()],
        message: "the settings cannot be read, so they are not part of the answer".to_owned(),
        fix: Some(format!("repair the syntax of `{}`", path.display())),
    })
}

/// Returns the faults of single files.
fn files(view: &AgentView, seen: &AgentViews) -> impl Iterator<Item = AgentProblem> {
    view.skills.iter().filter_map(|skill| {
        let (reason, verb) = fault(&skill.outcome)?;
        Some(AgentProblem {
            agents: Vec::new(),
            skill: Some(skill.name.clone()),
            paths: vec![skill.path.clone()],
            message: format!("{verb}: {}", reason.text(&seen.paths)),
            fix: skill.fix.clone(),
        })
    })
}

/// Returns the fault of a file, and its effect.
fn fault(outcome: &SkillOutcome) -> Option<(&UnseenReason, &'static str)> {
    match outcome {
        SkillOutcome::Omitted { reason } if is_fault(reason) || is_misplaced(reason) => {
            Some((reason, "not loaded"))
        }
        SkillOutcome::Loaded {
            because: Some(reason),
            ..
        } if is_fault(reason) => Some((reason, "not listed in full")),
        SkillOutcome::Unknown { one_of } => {
            let (reason, _) = one_of.iter().find_map(fault)?;
            is_fault(reason).then_some((reason, "may not load"))
        }
        _ => None,
    }
}

fn is_fault(reason: &UnseenReason) -> bool {
    use UnseenReason::{
        BrokenFrontMatter, LongDescription, MissingField, NameMismatch, NameRule, NoFrontMatter,
        Unreadable,
    };
    matches!(
        reason,
        BrokenFrontMatter { .. }
            | NoFrontMatter { .. }
            | MissingField { .. }
            | NameMismatch
            | NameRule
            | LongDescription
            | Unreadable
    )
}

fn is_misplaced(reason: &UnseenReason) -> bool {
    use UnseenReason::{FileName, HiddenFolder, InRoot, Link, TooDeep};
    matches!(
        reason,
        FileName | InRoot | TooDeep { .. } | HiddenFolder | Link
    )
}

/// Returns the names for which no source says which of several files the agent loads.
fn rivals(view: &AgentView) -> impl Iterator<Item = AgentProblem> {
    let mut groups: BTreeMap<&Arc<str>, Vec<&AgentSkill>> = BTreeMap::new();
    for skill in view.skills.iter().filter(|skill| has_rival(&skill.outcome)) {
        groups.entry(&skill.name).or_default().push(skill);
    }
    let groups = groups.into_iter().filter(|(_, rivals)| {
        let mut files = rivals.iter().map(|skill| &skill.real_path);
        let first = files.next();
        files.any(|file| Some(file) != first)
    });
    groups.map(|(name, rivals)| {
        let paths: Vec<_> = rivals.iter().map(|skill| skill.path.clone()).collect();
        AgentProblem {
            agents: Vec::new(),
            skill: Some(name.clone()),
            message: "no source says which of these is loaded".to_owned(),
            fix: Some("keep one of them, or give them different names".to_owned()),
            paths,
        }
    })
}

/// Returns the skills that the agent loads without a skill that they need.
fn dependencies(view: &AgentView) -> Vec<AgentProblem> {
    let all = view.skills.iter();
    if all.clone().all(|skill| skill.requires.is_empty()) {
        return Vec::new();
    }
    let may_load: HashSet<&str> = all
        .clone()
        .filter(|skill| skill.outcome.may_load())
        .flat_map(names)
        .collect();
    let mut found = Vec::new();
    for skill in all.filter(|skill| skill.outcome.is_loaded()) {
        let missing = skill.requires.iter();
        for name in missing.filter(|name| !may_load.contains(&***name)) {
            let mut omitted = view.skills.iter();
            let omitted = omitted.find(|other| names(other).contains(&&**name));
            found.push(AgentProblem {
                agents: Vec::new(),
                skill: Some(skill.name.clone()),
                paths: vec![skill.path.clone()],
                message: format!("needs the skill `{name}`, which is not loaded"),
                fix: Some(match omitted {
                    Some(_) => format!("run `repertoire why {}`", command_argument(name)),
                    None => format!("install `{name}`, or remove it from the front matter"),
                }),
            });
        }
    }
    found
}

/// Returns the names by which front matter may refer to a skill.
fn names(skill: &AgentSkill) -> Vec<&str> {
    let bare = skill.name.rsplit(':').next();
    let folder = skill.path.parent().and_then(Path::file_name);
    let folder = folder.and_then(OsStr::to_str);
    let own = std::iter::once(&*skill.name);
    own.chain(bare).chain(folder).collect()
}

/// Returns whether a file may load, and a preferred one may hide it.
fn has_rival(outcome: &SkillOutcome) -> bool {
    match outcome {
        SkillOutcome::Unknown { one_of } => outcome.may_load() && one_of.iter().any(is_shadow),
        _ => false,
    }
}

fn is_shadow(outcome: &SkillOutcome) -> bool {
    matches!(
        outcome,
        SkillOutcome::Omitted {
            reason: UnseenReason::Shadowed { .. }
        }
    )
}

/// Returns the lines of a problem: the problem, its files and its fix.
pub(super) fn lines(problem: &AgentProblem, paths: &ShownPaths, columns: usize) -> Vec<StyledLine> {
    let agents = joined(problem.agents.iter().map(|agent| &**agent));
    let title = match &problem.skill {
        Some(skill) => format!("{skill} ({agents}): {}", problem.message),
        None => format!("{agents}: {}", problem.message),
    };
    let style = AnsiColor::Yellow.on_default();
    let title = wrapped(&title, columns - 2, 2).into_iter().enumerate();
    let title = title.map(|(at, line)| {
        let mark = if at == 0 { "! " } else { "  " };
        StyledLine::styled(mark, style).with(line, Style::new())
    });
    let files = quoted(problem.paths.iter().map(|path| paths.path(path)));
    let files = (!files.is_empty()).then(|| format!("in {files}"));
    let fix = problem.fix.as_deref().map(|fix| paths.text(fix));
    let fix = fix.map(|fix| format!("fix: {fix}"));
    let below = files.into_iter().chain(fix);
    let below = below.flat_map(|line| wrapped(&line, columns - 4, 2));
    let below = below.map(|line| StyledLine::plain(format!("    {line}")));
    title.chain(below).collect()
}
