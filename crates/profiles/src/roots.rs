//! The folders of one agent in one place.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::files::FileCache;
use crate::place::AgentPlace;
use crate::placed_root::PlacedRoot;
use crate::plugins;
use crate::schema::{ProfileFile, RootRule};
use crate::settings::AgentSettings;
use crate::view::{RootScope, UnseenReason};

/// Returns the folders of the agent, the preferred one first, no folder twice.
pub(crate) fn placed(
    profile: &ProfileFile,
    place: &AgentPlace,
    settings: &AgentSettings,
    files: &mut FileCache,
) -> Vec<PlacedRoot> {
    let repository = place.repository();
    let mut roots = Vec::new();
    // Rank 0 is for the folders of settings, where they are preferred.
    for (rank, rule) in (1..).zip(&profile.roots) {
        if rule
            .os
            .as_ref()
            .is_some_and(|os| os != std::env::consts::OS)
        {
            continue;
        }
        let off = switched_off(rule, place, settings);
        let folders = match rule.scope {
            RootScope::Project => place.project_folders(rule.walk, repository),
            _ => vec![place.folder.clone()],
        };
        for (level, folder) in folders.iter().enumerate() {
            if let Some(path) = place.expand(&rule.path, folder) {
                let mut root = PlacedRoot::of(rule, path, rank, level);
                root.off.clone_from(&off);
                root.prefix = manifest_prefix(profile, &root.path, repository, files);
                roots.push(root);
            }
        }
        if repository.is_some() && rule.scope == RootScope::Project {
            for folder in files.nested(&place.folder).iter() {
                let mut root = PlacedRoot::of(rule, folder.join(&rule.path), rank, 0);
                root.off.clone_from(&off);
                root.below = Some((rule.below, folder.as_path().into()));
                roots.push(root);
            }
        }
    }
    let last = profile.roots.len() + 1;
    let rank = if profile.duplicates.extra_first {
        0
    } else {
        last
    };
    for folder in settings.extra_folders(place) {
        roots.push(PlacedRoot::new(folder, RootScope::Extra, rank));
    }
    if let Some(rules) = &profile.plugins {
        roots.extend(plugins::placed(rules, place, last + 1, files));
    }
    without_repeats(roots)
}

/// Returns the first reason why a folder is not read.
fn switched_off(
    rule: &RootRule,
    place: &AgentPlace,
    settings: &AgentSettings,
) -> Option<UnseenReason> {
    let variable = rule.off_by.iter().find(|name| place.is_set(name));
    let toggle = rule.toggle.as_ref().filter(|toggle| !place.is_on(toggle));
    let switch = variable.or(toggle.map(|toggle| &toggle.name));
    match switch {
        Some(name) => Some(UnseenReason::Switch {
            name: name.as_str().into(),
        }),
        None if rule.trust && !place.is_trusted => Some(UnseenReason::NotTrusted),
        None => settings.folder_is_off(&rule.path),
    }
}

/// Returns the name in the manifest at or above a project's root, up to the repository.
fn manifest_prefix(
    profile: &ProfileFile,
    root: &Path,
    repository: Option<&Path>,
    files: &mut FileCache,
) -> Option<Arc<str>> {
    let manifest = profile.naming.manifest.as_ref()?.known()?;
    let repository = repository?;
    root.ancestors()
        .take_while(|folder| folder.starts_with(repository))
        .find_map(|folder| {
            let file = files.settings(&folder.join(manifest))?;
            Some(file.get(&["name".to_owned()])?.as_str()?.into())
        })
}

/// Keeps each folder once; a folder that is personal and in a project is personal.
fn without_repeats(roots: Vec<PlacedRoot>) -> Vec<PlacedRoot> {
    let others: HashSet<_> = roots
        .iter()
        .filter(|root| root.scope != RootScope::Project)
        .map(|root| (root.path.clone(), root.commands))
        .collect();
    let mut seen = HashSet::new();
    let mut kept = roots;
    kept.retain(|root| {
        let key = (root.path.clone(), root.commands);
        (root.scope != RootScope::Project || !others.contains(&key)) && seen.insert(key)
    });
    kept
}
