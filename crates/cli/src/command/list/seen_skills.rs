//! The skills that agents load.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use repertoire::catalog::Tokenizer;
use repertoire_profiles::{AgentSkill, SeenName, SkillOutcome, UnseenReason};
use serde::Serialize;

use super::SkillOrder;
use crate::Environment;
use crate::agent_views::AgentViews;
use crate::diagnostics::joined;
use crate::lock::SkillLock;
use crate::output::Output;
use crate::screen_text::cut;
use crate::table::{Cell, TextTable};

/// The width from which on a list names agents where it otherwise counts them.
const WIDE: usize = 120;

/// The skills that agents load.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::command) struct SeenOutput<'a> {
    /// The agents that the list is about.
    agents: Vec<&'a str>,
    /// One row for each name and file.
    seen: Vec<SeenSkill<'a>>,
    #[serde(skip)]
    unknown_origins: Option<String>,
}

/// A skill file, with the agents that load it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SeenSkill<'a> {
    name: &'a str,
    /// The agents that load it for certain.
    loaded_by: Vec<&'a str>,
    /// The agents that may load it.
    perhaps_by: Vec<&'a str>,
    /// The file, as the first of these agents reaches it.
    path: &'a Path,
    /// The origin that the installer states, else the folder that holds the skill.
    source: String,
    description: &'a str,
    /// The estimated tokens of name and description in a list of skills.
    tokens: usize,
}

impl<'a> SeenOutput<'a> {
    pub(super) fn of(
        seen: &'a AgentViews,
        order: SkillOrder,
        environment: &Environment<'_>,
    ) -> SeenOutput<'a> {
        let state = environment.state();
        let (installed, unknown_origins) =
            SkillLock::of_user(environment.home.as_deref(), state.as_deref(), &seen.agents);
        let mut rows: BTreeMap<(&str, &Path), SeenSkill<'_>> = BTreeMap::new();
        for view in &seen.views {
            for (name, files) in SeenName::all(view) {
                let of_agent = files.files.iter().filter(|skill| is_of_agent(skill));
                for skill in of_agent {
                    let row = rows
                        .entry((name, &*skill.real_path))
                        .or_insert_with(|| SeenSkill::new(skill, &installed, seen));
                    let is_loaded = skill.outcome.is_loaded() || files.is_one_file();
                    row.add(&view.agent, skill, is_loaded);
                }
            }
        }
        let mut rows: Vec<_> = rows.into_values().collect();
        match order {
            SkillOrder::Name => {}
            SkillOrder::Cost => rows.sort_by_key(|row| Reverse(row.tokens)),
            SkillOrder::Source => rows.sort_by(|a, b| a.source.cmp(&b.source)),
        }
        SeenOutput {
            agents: seen.views.iter().map(|view| &*view.agent).collect(),
            seen: rows,
            unknown_origins,
        }
    }

    /// Writes a row for each skill that an agent may load; with `all`, for the others too.
    pub(super) fn write(&self, all: bool, out: &mut Output) {
        let rows = self.seen.iter().filter(|row| all || row.may_load());
        let mut headings = vec!["name", "agents", ">tokens", "source", "*description"];
        let is_alone = self.agents.len() == 1 && !all;
        if is_alone {
            headings.remove(1);
        }
        let mut table = TextTable::new(&headings);
        for row in rows {
            let mut cells: Vec<Cell> = vec![
                row.name.into(),
                row.agents(self.agents.len(), out.columns()).into(),
                row.tokens.to_string().into(),
                cut(&row.source, 32.min(out.columns() / 4)).as_ref().into(),
                row.description.into(),
            ];
            if is_alone {
                cells.remove(1);
            }
            table.row(cells);
        }
        table.write(out);
        let hidden = self.seen.iter().filter(|row| !row.may_load()).count();
        if self.seen.len() == hidden {
            let agents = joined(self.agents.iter().copied());
            out.note(format!(
                "no skills found for {agents}; `repertoire why NAME` explains one"
            ));
        } else if hidden > 0 && !all {
            out.note(format!(
                "{hidden} not loaded by any of these agents; `--all` lists them"
            ));
        }
        out.notes(self.unknown_origins.clone());
    }
}

/// Returns whether the file is in a folder that the agent reads.
fn is_of_agent(skill: &AgentSkill) -> bool {
    !matches!(
        &skill.outcome,
        SkillOutcome::Omitted {
            reason: UnseenReason::FolderNotRead { .. } | UnseenReason::PluginNotInstalled
        }
    )
}

impl<'a> SeenSkill<'a> {
    fn new(skill: &'a AgentSkill, installed: &SkillLock, seen: &AgentViews) -> SeenSkill<'a> {
        let description = skill.description.as_deref().unwrap_or_default();
        let source = match installed.row(&skill.path) {
            Some(row) => row.source.clone(),
            None => {
                let folder = skill.path.parent().and_then(Path::parent);
                seen.paths.path(folder.unwrap_or(&skill.path))
            }
        };
        SeenSkill {
            name: &skill.name,
            loaded_by: Vec::new(),
            perhaps_by: Vec::new(),
            path: &skill.path,
            source,
            tokens: Tokenizer::default().estimate(&format!("{}: {description}", skill.name)),
            description,
        }
    }

    /// Adds an agent once, although several paths may lead to the file.
    fn add(&mut self, agent: &'a str, skill: &AgentSkill, is_loaded: bool) {
        if !skill.outcome.may_load() || self.loaded_by.contains(&agent) {
            return;
        }
        if is_loaded {
            self.perhaps_by.retain(|known| *known != agent);
            self.loaded_by.push(agent);
        } else if !self.perhaps_by.contains(&agent) {
            self.perhaps_by.push(agent);
        }
    }

    fn may_load(&self) -> bool {
        !self.loaded_by.is_empty() || !self.perhaps_by.is_empty()
    }

    /// Returns the agents in words: their names where there is room, else their number.
    fn agents(&self, of: usize, columns: usize) -> String {
        let (loaded, perhaps) = (self.loaded_by.len(), self.perhaps_by.len());
        let names = joined(self.loaded_by.iter().copied());
        match (loaded, perhaps) {
            (0, 0) => "none".to_owned(),
            (1, 0) => names,
            (loaded, 0) if loaded == of => "all".to_owned(),
            (_, 0) if columns >= WIDE && names.len() <= 30 => names,
            (loaded, 0) => format!("{loaded} of {of}"),
            (loaded, perhaps) => format!("{loaded}-{} of {of}", loaded + perhaps),
        }
    }
}
