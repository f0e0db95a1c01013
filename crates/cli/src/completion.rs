//! Completion of skills, sources and agents while the user types.

use std::collections::BTreeMap;

use clap_complete::{ArgValueCandidates, CompletionCandidate};
use repertoire::Model;

use crate::Environment;
use crate::agent_views::AgentViews;
use crate::agents::{Agents, EVERY, HOST};
use crate::compose::{NamedFolders, compose};
use crate::context::CommandContext;
use crate::options::SourceOptions;
use crate::source_cache::SourceCache;

/// The variable with which a completion script asks for candidates.
pub(crate) const VARIABLE: &str = "COMPLETE";

/// Completes the names of skills in the standard folders.
pub(crate) fn skills() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let context = standard_context();
        let entries = context
            .iter()
            .flat_map(|context| context.snapshot.entries());
        let candidates = entries.map(|entry| {
            let skill = &entry.candidate.item;
            let help = skill.description.to_string();
            CompletionCandidate::new(entry.id.to_string()).help(Some(help.into()))
        });
        candidates.collect()
    })
}

/// Completes the names of the skills in the folders of the agents on this machine.
pub(crate) fn seen_skills() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let environment = Environment::from_process().ok();
        let seen = environment.and_then(|environment| AgentViews::survey(&[], &environment).ok());
        let views = seen.iter().flat_map(|seen| &seen.views);
        let mut found = BTreeMap::new();
        for skill in views.flat_map(|view| &view.skills) {
            let help = skill.description.as_deref().unwrap_or_default();
            found
                .entry(skill.name.to_string())
                .or_insert(help.to_owned());
        }
        let candidates = found.into_iter().map(|(name, help): (String, String)| {
            let help = (!help.is_empty()).then(|| help.into());
            CompletionCandidate::new(name).help(help)
        });
        candidates.collect()
    })
}

/// Completes what a rule can name: a skill, or every skill of a source.
pub(crate) fn targets() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let context = standard_context();
        let entries = context
            .iter()
            .flat_map(|context| context.snapshot.entries());
        let skills = entries.map(|entry| entry.id.to_string());
        let layers = context.iter().flat_map(|context| context.snapshot.layers());
        let sources = layers.map(|layer| format!("{}:*", layer.origin.source));
        skills
            .chain(sources)
            .map(CompletionCandidate::new)
            .collect()
    })
}

/// Completes the names of agents.
pub(crate) fn agents() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let Ok(environment) = Environment::from_process() else {
            return Vec::new();
        };
        let agents = Agents::of(&environment);
        let known = agents.profiles().iter().map(|profile| {
            let title = profile.title().to_owned();
            CompletionCandidate::new(profile.name().to_owned()).help(Some(title.into()))
        });
        known
            .chain([HOST, EVERY].map(CompletionCandidate::new))
            .collect()
    })
}

/// Completes the sides of a comparison that are not paths.
pub(crate) fn diff_sides() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let Ok(environment) = Environment::from_process() else {
            return Vec::new();
        };
        let agents = Agents::of(&environment);
        let known = agents.profiles().iter().map(|profile| profile.name());
        let names = known.chain(["lock", "source"]);
        names
            .map(|name| CompletionCandidate::new(name.to_owned()))
            .collect()
    })
}

/// Reads the standard folders; `None` if that fails.
fn standard_context() -> Option<CommandContext> {
    let mut environment = Environment::from_process().ok()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .ok()?;
    let options = SourceOptions::default();
    let named = NamedFolders::Plain(&[]);
    let cache = SourceCache::read_only();
    let composed = compose(&options, named, Model::default(), cache, &mut environment);
    runtime.block_on(composed).ok()
}
