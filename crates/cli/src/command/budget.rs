//! `repertoire budget`.

use std::cmp::Reverse;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use clap::Args;
use repertoire::registry::{Layer, Origin, Tier, merge};
use repertoire::search::{Query, SearchIndex};
use repertoire::skill::{Listing, ListingEntry, Revision, Stamp};
use repertoire::{Id, Skill};
use repertoire_profiles::{
    AgentSkill, AgentView, BudgetUnit, BudgetUse, ListedAs, SkillOutcome, UnseenReason,
};
use serde::Serialize;

use super::check::COMPETING;
use crate::Environment;
use crate::agent_views::AgentViews;
use crate::diagnostics::{counted, quoted};
use crate::failure::Failure;
use crate::output::Output;
use crate::screen_text::{bar, number, wrapped};
use crate::table::TextTable;

/// Show what the skills of an agent cost in its list, what is cut, and the smallest cut that fits.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire budget --agent claude-code")]
pub(crate) struct BudgetCommand {}

/// The costs of skills for agents.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct BudgetOutput<'a> {
    agents: Vec<AgentBudget<'a>>,
}

/// The costs of the skills of one agent.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AgentBudget<'a> {
    agent: &'a str,
    budget: &'a BudgetUse,
    /// The listed skills, the most expensive first.
    listed: Vec<ListedSkill<'a>>,
    /// Pairs of skills whose descriptions compete for the same prompts.
    competing: Vec<CompetingPair>,
    /// The smallest set of skills without which the list fits; empty if it fits.
    to_fit: Vec<&'a str>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ListedSkill<'a> {
    name: &'a str,
    path: &'a Path,
    /// In the unit of the budget.
    cost: u64,
    outcome: &'a SkillOutcome,
}

/// Two skills, one of which a search for the description of the other finds nearly as well.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct CompetingPair {
    names: [String; 2],
    /// The score of the second one as a share of that of the first one.
    share: f32,
    /// The words in both descriptions.
    words: Vec<String>,
}

impl BudgetCommand {
    pub(super) fn run(
        &self,
        agents: &[String],
        environment: &Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let seen = AgentViews::survey(agents, environment)?;
        let budget = BudgetOutput {
            agents: seen.views.iter().map(AgentBudget::of).collect(),
        };
        if out.write_json(&budget) {
            return Ok(());
        }
        for (at, agent) in budget.agents.iter().enumerate() {
            if at > 0 {
                out.line("");
            }
            agent.write(&seen, out);
        }
        if budget.agents.is_empty() {
            out.note("no agent was found on this machine; `--agent NAME` shows one");
        }
        out.notes(seen.notes());
        Ok(())
    }
}

impl<'a> AgentBudget<'a> {
    fn of(view: &'a AgentView) -> AgentBudget<'a> {
        let mut listed: Vec<_> = view
            .skills
            .iter()
            .filter(|skill| skill.cost > 0)
            .map(ListedSkill::of)
            .collect();
        listed.sort_by_key(|skill| Reverse(skill.cost));
        AgentBudget {
            agent: &view.agent,
            budget: &view.budget,
            competing: competing(view.skills.iter().filter(|skill| skill.cost > 0)),
            to_fit: smallest_cut(&listed, &view.budget),
            listed,
        }
    }

    fn write(&self, seen: &AgentViews, out: &mut Output) {
        let (budget, _) = budget_use(self.budget, out.columns());
        out.line(format!("{}: {budget}", self.agent));
        let mut table = TextTable::new(&[">cost", "name", "listed", "*path"]);
        for skill in &self.listed {
            table.row([
                number(skill.cost).into(),
                skill.name.into(),
                listed(skill.outcome).into(),
                seen.paths.skill(skill.path).into(),
            ]);
        }
        table.write(out);
        for pair in &self.competing {
            let [first, second] = &pair.names;
            let line = format!(
                "the descriptions of `{first}` and `{second}` compete: both say {}",
                quoted(&pair.words)
            );
            write_lines(&line, out);
        }
        if let (false, Some(limit)) = (self.to_fit.is_empty(), self.budget.limit) {
            let line = format!(
                "to fit {}, hide {}: {}",
                number(limit),
                counted(self.to_fit.len(), "skill"),
                quoted(&self.to_fit)
            );
            write_lines(&line, out);
        }
    }
}

fn write_lines(text: &str, out: &mut Output) {
    for line in wrapped(text, out.columns(), 2) {
        out.line(line);
    }
}

impl<'a> ListedSkill<'a> {
    fn of(skill: &'a AgentSkill) -> ListedSkill<'a> {
        ListedSkill {
            name: &skill.name,
            path: &skill.path,
            cost: skill.cost,
            outcome: &skill.outcome,
        }
    }
}

/// Returns the form in which a skill is listed, in a word or two.
fn listed(outcome: &SkillOutcome) -> &'static str {
    match outcome {
        SkillOutcome::Omitted { .. } => "not",
        SkillOutcome::Loaded { listed, .. } => match listed {
            ListedAs::Shortened => "shortened",
            ListedAs::NameOnly => "name only",
            _ => "in full",
        },
        SkillOutcome::Unknown { one_of } if one_of.iter().any(is_cut) => "perhaps cut",
        SkillOutcome::Unknown { .. } => "unsure",
    }
}

fn is_cut(outcome: &SkillOutcome) -> bool {
    match outcome {
        SkillOutcome::Loaded { because, .. } => *because == Some(UnseenReason::Budget),
        SkillOutcome::Omitted { reason } => *reason == UnseenReason::Budget,
        SkillOutcome::Unknown { .. } => false,
    }
}

/// Returns the fewest skills without which the list fits. `listed` begins with the most expensive one.
fn smallest_cut<'a>(listed: &[ListedSkill<'a>], budget: &BudgetUse) -> Vec<&'a str> {
    let over = budget
        .limit
        .map_or(0, |limit| budget.used.saturating_sub(limit));
    let mut saved = 0;
    let needed = listed.iter().take_while(|skill| {
        let is_needed = saved < over;
        saved += skill.cost;
        is_needed
    });
    needed.map(|skill| skill.name).collect()
}

fn competing<'a>(skills: impl Iterator<Item = &'a AgentSkill>) -> Vec<CompetingPair> {
    let entries = skills.filter_map(|skill| {
        let id = Id::new(&skill.name).ok()?;
        let description = skill.description.clone()?;
        let stamp = Stamp::of(&description);
        Some(ListingEntry::new(Skill::new(id, description), stamp))
    });
    let listing = Listing::new(Revision(0), entries, []);
    let layer = Layer::new(Origin::new(Tier::User, "agent"), 0, listing);
    let index = SearchIndex::new(&merge(&[layer]));
    let pairs = index.overlaps(&Query::new("").for_operator(), COMPETING);
    let pairs = pairs.into_iter().map(|pair| CompetingPair {
        names: [&pair.entry, &pair.other].map(|entry| entry.id.to_string()),
        share: pair.share,
        words: pair.words,
    });
    pairs.collect()
}

/// Returns the use of a budget as text: a bar where there is room, the size of the list, its limit, and the cuts.
pub(super) fn budget_use(budget: &BudgetUse, columns: usize) -> (String, Style) {
    let unit = match budget.unit {
        BudgetUnit::Characters => "chars",
        BudgetUnit::Bytes => "bytes",
        BudgetUnit::Tokens => "tokens",
    };
    let used = number(budget.used);
    let is_narrow = columns < 80;
    let Some(limit) = budget.limit else {
        let limit = match budget.is_limit_unknown {
            true => "limit unknown",
            false => "no limit",
        };
        let text = match is_narrow {
            true => limit.to_owned(),
            false => format!("{used} {unit}, {limit}"),
        };
        return (text, Style::new());
    };
    let percent = 100 * budget.used / limit.max(1);
    let color = match percent {
        0..80 => AnsiColor::Green,
        80..=100 => AnsiColor::Yellow,
        _ => AnsiColor::Red,
    };
    let mut text = match columns {
        0..80 => format!("{percent} %"),
        80..120 => format!(
            "{} {used} of {} {unit}",
            bar(budget.used, limit, 6),
            number(limit)
        ),
        _ => format!(
            "{} {used} of {} {unit}",
            bar(budget.used, limit, 24),
            number(limit)
        ),
    };
    if budget.cut > 0 {
        text += &format!(", {} cut", budget.cut);
    }
    (text, color.on_default())
}
