//! The lists of the agents themselves, beside what they should see.

use std::collections::BTreeSet;

use repertoire_profiles::ShownPaths;
use serde::Serialize;

use crate::Environment;
use crate::agent_views::AgentViews;
use crate::diagnostics::joined;
use crate::failure::Failure;
use crate::observed_agent::{ObservedAgent, ObservedOption, unused_line};
use crate::screen_text::wrapped;
use crate::styled_line::StyledLine;

/// The lists of the agents themselves, and the skills that none of them used.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ObservedLists {
    agents: Vec<ObservedAgent>,
    /// The loaded skills that no transcript of the last 30 days used, of any agent; null without such transcripts.
    unused: Option<BTreeSet<String>>,
}

impl ObservedLists {
    /// Returns the lists of the surveyed agents; `None` without `--observed`.
    pub(super) fn of(
        option: &ObservedOption,
        seen: &AgentViews,
        environment: &Environment<'_>,
    ) -> Result<Option<ObservedLists>, Failure> {
        let agents = option.lists(seen, environment)?;
        Ok(agents.map(|agents| ObservedLists {
            unused: unused(&agents),
            agents,
        }))
    }

    /// Returns the number of skills that the agent itself lists, as text.
    pub(super) fn listed(&self, agent: &str) -> String {
        let mut agents = self.agents.iter();
        let row = agents.find(|row| row.agent == agent);
        let list = row.and_then(|row| row.list.as_ref());
        list.map_or_else(|| "-".to_owned(), |list| list.skills.len().to_string())
    }

    /// Returns the list of each agent with its differences, and the skills that were not used.
    pub(super) fn lines(&self, paths: &ShownPaths, columns: usize) -> Vec<StyledLine> {
        let (with, without): (Vec<_>, Vec<_>) = self
            .agents
            .iter()
            .partition(|row| row.list.is_some() || row.not_asked.is_some());
        let mut lines: Vec<String> = with.iter().flat_map(|row| row.lines(paths)).collect();
        if !without.is_empty() {
            let names = joined(without.iter().map(|row| row.agent.as_str()));
            lines.push(format!("{names}: no list for this folder was found"));
        }
        lines.extend(unused_line(self.unused.iter().flatten()));
        let wrapped = lines.iter().flat_map(|line| {
            let text = line.trim_start();
            let indent = 2 + line.len() - text.len();
            let lines = wrapped(text, columns - indent, 2).into_iter();
            lines.map(move |line| StyledLine::plain(format!("{:indent$}{line}", "")))
        });
        wrapped.collect()
    }
}

/// Returns the skills that an agent with recent transcripts loads, and that no transcript used.
fn unused(agents: &[ObservedAgent]) -> Option<BTreeSet<String>> {
    let mut found: Option<BTreeSet<String>> = None;
    for unused in agents.iter().filter_map(|row| row.unused.as_ref()) {
        found.get_or_insert_default().extend(unused.iter().cloned());
    }
    let mut found = found?;
    found.retain(|name| !agents.iter().any(|row| row.used.contains(name)));
    Some(found)
}
