//! The tools over a snapshot, and those that follow a registry.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use repertoire_core::{Id, Skill, ToolSpec};
use repertoire_registry::{Candidate, Entry, RegistryError, SkillRegistry, Snapshot};
use serde_json::Value;

use super::declare::{CallArguments, DeclaredNames, declare, has_plan};
use super::options::ToolOptions;
use super::output::{CallFailure, ToolOutput, ToolStatus, quoted};
use super::preset::RowFormat;
use super::reader::{SkillReader, folder};
use crate::catalog::Catalog;
use crate::resolve::{ResolvedName, SkillOrder};
use crate::trigger::Triggers;
use repertoire_permission::Audience;
use repertoire_search::{LiveIndex, Query, SearchIndex};

/// The tools that list, search and read the skills of one snapshot. Cheap to clone.
///
/// The same snapshot and options give the same bytes, so that prompt caches stay valid. If
/// [permissions](repertoire_permission::VisibilityPolicy::permitted_by) decide by role, the texts name no skill and are the same for every
/// role. If no skill is visible to the model, there are no tools.
#[derive(Debug, Clone)]
pub struct Toolset(pub(super) Arc<ToolsetData>);

#[derive(Debug)]
pub(super) struct ToolsetData {
    pub(super) index: SearchIndex,
    pub(super) options: ToolOptions,
    /// Collected when they are first listed, because the texts of many skills name none.
    visible: OnceLock<Vec<Arc<Entry<Skill>>>>,
    tools: Vec<ToolSpec>,
    triggers: OnceLock<Triggers>,
}

impl Toolset {
    /// Creates the tools over `snapshot`.
    pub fn new(snapshot: &Snapshot<Skill>, options: &ToolOptions) -> Toolset {
        Toolset::from_index(SearchIndex::new(snapshot), options)
    }

    /// Creates the tools over the snapshot of `index`.
    pub fn from_index(index: SearchIndex, options: &ToolOptions) -> Toolset {
        let snapshot = index.snapshot();
        let mut first: Vec<_> = visible(snapshot, options).take(MOST_NAMED + 1).collect();
        let tools = if first.is_empty() {
            Vec::new()
        } else {
            sort(&mut first, options);
            let ids: Vec<&str> = first.iter().map(|entry| entry.id.as_str()).collect();
            let catalog = options.catalog.clone().map(|catalog| {
                let catalog = catalog
                    .seen_by(options.audience)
                    .modes(options.modes.clone());
                Catalog::new(snapshot, &catalog).text
            });
            let catalog = catalog.unwrap_or_default();
            // The names that all roles may know are unknown, so every role gets the same text without names.
            let are_named = ids.len() <= MOST_NAMED && !options.modes.depend_on_role();
            let planned = first.iter().filter(|entry| has_plan(entry.item()));
            let planned: Vec<&str> = planned.map(|entry| entry.id.as_str()).collect();
            let names = DeclaredNames {
                all: are_named.then_some(&ids[..]),
                planned: are_named.then_some(&planned[..]),
            };
            declare(&options.preset, names, &catalog)
        };
        Toolset(Arc::new(ToolsetData {
            options: options.clone(),
            visible: OnceLock::new(),
            tools,
            triggers: OnceLock::new(),
            index,
        }))
    }

    /// Returns the tools to offer: those of the preset, or none.
    pub fn tools(&self) -> &[ToolSpec] {
        &self.0.tools
    }

    /// Returns the folders of the visible skills, in their order, for a host that lets a model read them without a question.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.visible()
            .iter()
            .filter_map(|entry| folder(entry.item()))
    }

    /// Returns the visible skills in their order.
    pub(super) fn visible(&self) -> &[Arc<Entry<Skill>>] {
        self.0.visible.get_or_init(|| {
            let options = &self.0.options;
            let mut visible: Vec<_> = visible(self.snapshot(), options).collect();
            sort(&mut visible, options);
            visible.into_iter().cloned().collect()
        })
    }

    /// Returns the snapshot of the tools.
    pub fn snapshot(&self) -> &Snapshot<Skill> {
        self.0.index.snapshot()
    }

    pub(crate) fn triggers(&self, before: Option<&Toolset>) -> &Triggers {
        self.0
            .triggers
            .get_or_init(|| match before.and_then(|before| before.0.triggers.get()) {
                Some(before) => before.updated(self.snapshot()),
                None => Triggers::new(self.snapshot()),
            })
    }

    pub(crate) fn options(&self) -> &ToolOptions {
        &self.0.options
    }

    /// Answers a call; `None` when `tool` is a tool of the host.
    ///
    /// A tool that is not offered is answered too, because it may have been offered before. A failure is an answer that names the
    /// next step, and no hidden skill.
    ///
    /// # Cancel safety
    /// May be dropped at any await.
    pub async fn call(
        &self,
        tool: &str,
        arguments: &Value,
        reader: &dyn SkillReader,
    ) -> Option<ToolOutput> {
        self.call_in_turn(tool, arguments, reader, &[]).await
    }

    pub(crate) async fn call_in_turn(
        &self,
        tool: &str,
        arguments: &Value,
        reader: &dyn SkillReader,
        suggested: &[Id],
    ) -> Option<ToolOutput> {
        let preset = &self.0.options.preset;
        let is = |name: Option<&str>| name == Some(tool);
        let arguments = &CallArguments(arguments);
        Some(ToolOutput::of(if is(Some(&preset.read.name)) {
            self.read(arguments, reader).await
        } else if is(preset.list.as_deref()) {
            self.list(arguments, suggested).await
        } else if is(preset.search.as_deref()) {
            self.search(arguments, suggested).await
        } else if is(preset.resource.as_ref().map(|tool| tool.name.as_ref())) {
            self.resource(arguments, reader).await
        } else if is(preset.plan.as_deref()) {
            self.plan(arguments)
        } else {
            Err(self.not_a_tool(tool)?)
        }))
    }

    fn not_a_tool(&self, tool: &str) -> Option<CallFailure> {
        let found = self.find(tool).ok()?;
        let read = &self.0.options.preset.read;
        let call = serde_json::json!({read.id.as_ref(): found.entry.id});
        let text = format!(
            "{} is a skill, not a tool. Call `{}` with {call}, and follow it.",
            quoted(tool),
            read.name
        );
        Some(CallFailure::new(ToolStatus::NotATool, text))
    }

    pub(super) fn find(&self, name: &str) -> Result<ResolvedName<'_>, CallFailure> {
        let ToolOptions {
            modes, audience, ..
        } = &self.0.options;
        let found = match ResolvedName::resolve(name.trim(), self.snapshot(), modes, *audience) {
            Ok(found) => found,
            Err(RegistryError::Ambiguous { candidates, .. }) => {
                let names = candidates
                    .iter()
                    .map(|id| quoted(id.as_str()))
                    .collect::<Vec<_>>()
                    .join(", ");
                let text = format!(
                    "Several skills are called {}. Give a full name: {names}.",
                    quoted(name)
                );
                return Err(CallFailure::new(ToolStatus::Ambiguous, text));
            }
            Err(_) => return Err(self.unknown(name)),
        };
        match modes.hidden_reason(*audience, found.candidate) {
            None => Ok(found),
            Some(_) => Err(self.refused(name, found.candidate)),
        }
    }

    fn refused(&self, name: &str, candidate: &Candidate<Skill>) -> CallFailure {
        let text = self.unknown(name).text;
        let why = self
            .0
            .options
            .modes
            .explain(self.0.options.audience, candidate);
        let operator_note =
            why.map(|why| format!("`{}` was refused: {why}", candidate.qualified_id()));
        CallFailure {
            operator_note,
            ..CallFailure::new(ToolStatus::Refused, text)
        }
    }

    pub(super) fn unknown(&self, name: &str) -> CallFailure {
        let preset = &self.0.options.preset;
        if preset.rows == RowFormat::Named {
            let text = serde_json::json!({"error": "unknown_skill", "skill_name": name});
            return CallFailure::new(ToolStatus::Unknown, format!("{text:#}"));
        }
        let mut text = format!("Unknown skill {}.", quoted(name));
        let near = self.similar(name, self.0.options.audience);
        if !near.is_empty() {
            let near: Vec<_> = near.iter().map(|id| quoted(id.as_str())).collect();
            text.push_str(&format!(" Did you mean {}?", near.join(" or ")));
        } else if (1..=FEW).contains(&self.visible().len()) {
            let all: Vec<_> = self
                .visible()
                .iter()
                .map(|entry| quoted(entry.id.as_str()))
                .collect();
            text.push_str(&format!(" The skills are {}.", all.join(", ")));
        }
        if self.visible().is_empty() {
            text.push_str(" There are none.");
        } else if let Some(tool) = preset.list.as_ref().or(preset.search.as_ref()) {
            text.push_str(&format!(" `{tool}` tells which there are."));
        }
        CallFailure::new(ToolStatus::Unknown, text)
    }

    /// Returns at most three skills that `audience` sees and that `name` may have been meant for.
    pub(crate) fn similar(&self, name: &str, audience: Audience) -> Vec<Id> {
        let query = self.query(name).seen_by(audience);
        let near = self.0.index.near(&query).into_iter();
        near.map(|entry| entry.id.clone()).collect()
    }

    pub(super) fn query(&self, text: &str) -> Query {
        Query::new(text)
            .seen_by(self.0.options.audience)
            .modes(self.0.options.modes.clone())
    }

    pub(super) fn offered(&self, name: &str) -> Option<&Id> {
        self.find(name).ok().map(|found| &found.entry.id)
    }
}

fn visible<'s>(
    snapshot: &'s Snapshot<Skill>,
    options: &ToolOptions,
) -> impl Iterator<Item = &'s Arc<Entry<Skill>>> {
    snapshot
        .entries()
        .iter()
        .filter(|entry| options.modes.sees(options.audience, &entry.candidate))
}

fn sort(visible: &mut [&Arc<Entry<Skill>>], options: &ToolOptions) {
    if options.preset.rows == RowFormat::Pages {
        visible.sort_by(|a, b| SkillOrder::of(a).cmp(&SkillOrder::of(b)));
    }
}

/// The most skills that the schemas name, which every provider accepts.
const MOST_NAMED: usize = 250;

/// The most skills that are named where one was not found.
const FEW: usize = 20;

/// The tools over a registry. Each [`current`](LiveTools::current) set has the snapshot of that moment. Cheap to clone; clones share
/// their state.
///
/// Get the current set before each model call, and answer its calls with [`call`](LiveTools::call).
#[derive(Debug, Clone)]
pub struct LiveTools(Arc<LiveState>);

#[derive(Debug)]
struct LiveState {
    index: LiveIndex,
    options: ToolOptions,
    offered: ArcSwap<Toolset>,
}

impl LiveTools {
    /// Creates the tools over `registry`.
    pub fn new(registry: SkillRegistry, options: ToolOptions) -> LiveTools {
        LiveTools::from_index(LiveIndex::new(registry), options)
    }

    /// Creates the tools over the registry of a shared index.
    pub fn from_index(index: LiveIndex, options: ToolOptions) -> LiveTools {
        let offered = ArcSwap::from_pointee(Toolset::from_index(index.current(), &options));
        LiveTools(Arc::new(LiveState {
            index,
            options,
            offered,
        }))
    }

    /// Returns the index that the tools search.
    pub fn index(&self) -> &LiveIndex {
        &self.0.index
    }

    /// Returns the tools to offer now. The bytes stay the same until the registry changes.
    pub fn current(&self) -> Toolset {
        let offered = Toolset::clone(&self.0.offered.load());
        let current = self.fresh(&offered);
        self.0.offered.store(Arc::new(current.clone()));
        current
    }

    /// Answers a call of the tools that were offered last, from the current snapshot, like [`Toolset::call`].
    ///
    /// The status is [`Stale`](ToolStatus::Stale) for a skill that was offered and removed since.
    ///
    /// # Cancel safety
    /// May be dropped at any await.
    pub async fn call(&self, tool: &str, arguments: &Value) -> Option<ToolOutput> {
        self.call_with(tool, arguments, self.0.index.registry())
            .await
    }

    /// Answers like [`call`](LiveTools::call), reading through `reader`.
    ///
    /// # Cancel safety
    /// May be dropped at any await.
    pub async fn call_with(
        &self,
        tool: &str,
        arguments: &Value,
        reader: &dyn SkillReader,
    ) -> Option<ToolOutput> {
        let offered = Toolset::clone(&self.0.offered.load());
        let answer = self.fresh(&offered).call(tool, arguments, reader).await?;
        let name = arguments
            .get(self.0.options.preset.read.id.as_ref())
            .and_then(Value::as_str);
        let gone = name.filter(|name| offered.offered(name).is_some());
        let gone = gone.map(|name| {
            format!(
                "The skill {} is not there any more. Go on without it.",
                quoted(name)
            )
        });
        Some(match answer.code {
            ToolStatus::Unknown if let Some(text) = gone.clone() => {
                ToolOutput::of(Err(CallFailure::new(ToolStatus::Stale, text)))
            }
            // What is hidden now is answered as what is gone.
            ToolStatus::Refused if let Some(text) = gone.clone() => ToolOutput { text, ..answer },
            _ => answer,
        })
    }

    fn fresh(&self, offered: &Toolset) -> Toolset {
        let index = self.0.index.current();
        if index.is(&offered.0.index) {
            return offered.clone();
        }
        Toolset::from_index(index, &self.0.options)
    }
}
