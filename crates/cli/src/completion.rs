//! Completion of skills, sources and agents while the user types.

use clap_complete::{ArgValueCandidates, CompletionCandidate};
use repertoire::Model;

use crate::Environment;
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
