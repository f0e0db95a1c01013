//! The plugins and extensions of one agent.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::files::{EntryKind, FileCache, entries};
use crate::place::AgentPlace;
use crate::placed_root::PlacedRoot;
use crate::schema::{PluginLayout, PluginRules};
use crate::view::{RootScope, UnseenReason};

/// An installed plugin.
struct FoundPlugin {
    /// The name in settings: `NAME` or `NAME@MARKETPLACE`.
    key: String,
    folder: PathBuf,
}

/// Returns the folders with skills of all installed plugins, enabled or not, and of plugins in marketplaces.
pub(crate) fn placed(
    rules: &PluginRules,
    place: &AgentPlace,
    rank: usize,
    files: &mut FileCache,
) -> Vec<PlacedRoot> {
    let Some(path) = place.expand(&rules.path, &place.folder) else {
        return Vec::new();
    };
    let plugins = match rules.layout {
        PluginLayout::InstalledRecord => recorded(&path, files),
        PluginLayout::Cache => cached(&path),
        PluginLayout::Extensions => folders(&path)
            .map(|(key, folder)| FoundPlugin { key, folder })
            .collect(),
    };
    let base = place.repository().unwrap_or(&place.folder);
    let mut roots = Vec::new();
    for (at, plugin) in plugins.iter().enumerate() {
        let manifest = manifest(&plugin.folder, files);
        let (off, is_off_unknown) = disabled(rules, plugin, &manifest, (place, base), files);
        let short = plugin.key.split('@').next().unwrap_or_default();
        let name = manifest["name"].as_str().unwrap_or(short).to_owned();
        let mut folders = vec![(plugin.folder.join("skills"), false)];
        folders.extend(
            texts(&manifest["skills"])
                .map(|path| (plugin.folder.join(path.trim_start_matches("./")), false)),
        );
        if rules.layout == PluginLayout::InstalledRecord && rules.prefix {
            folders.push((plugin.folder.join("commands"), true));
        }
        for (folder, commands) in folders {
            let mut root = PlacedRoot::new(folder, RootScope::Plugin, rank);
            root.level = at;
            root.commands = commands;
            root.off.clone_from(&off);
            root.is_off_unknown = is_off_unknown;
            root.prefix = rules.prefix.then(|| name.as_str().into());
            roots.push(root);
        }
    }
    roots.extend(in_marketplaces(rules, place, rank + 1));
    roots
}

/// Reads the record `{"plugins": {"NAME@MARKETPLACE": [{"installPath": …}]}}`.
fn recorded(path: &Path, files: &mut FileCache) -> Vec<FoundPlugin> {
    let record = files.settings(path);
    let plugins = record
        .as_ref()
        .and_then(|file| file.value.as_ref()?.get("plugins")?.as_object());
    let mut found = Vec::new();
    for (key, installs) in plugins.into_iter().flatten() {
        for install in installs.as_array().into_iter().flatten() {
            let folder = install["installPath"].as_str().map(PathBuf::from);
            let is_new =
                |folder: &PathBuf| !found.iter().any(|p: &FoundPlugin| p.folder == *folder);
            if let Some(folder) = folder.filter(is_new) {
                let key = key.clone();
                found.push(FoundPlugin { key, folder });
            }
        }
    }
    found
}

/// Returns the plugins of `MARKETPLACE/NAME/VERSION`, the last version of each.
fn cached(path: &Path) -> Vec<FoundPlugin> {
    let mut found = Vec::new();
    for (marketplace, folder) in folders(path) {
        for (name, folder) in folders(&folder) {
            if let Some((_, folder)) = folders(&folder).last() {
                let key = format!("{name}@{marketplace}");
                found.push(FoundPlugin { key, folder });
            }
        }
    }
    found
}

fn in_marketplaces(rules: &PluginRules, place: &AgentPlace, rank: usize) -> Vec<PlacedRoot> {
    let path = rules
        .marketplaces
        .as_ref()
        .and_then(|path| place.expand(path, &place.folder));
    let marketplaces = path.iter().flat_map(|path| folders(path));
    let plugins =
        marketplaces.flat_map(|(_, folder)| folders(&folder.join("plugins")).collect::<Vec<_>>());
    let placed = plugins.enumerate().map(|(level, (name, folder))| {
        let mut root = PlacedRoot::new(folder.join("skills"), RootScope::Plugin, rank);
        root.level = level;
        root.off = Some(UnseenReason::PluginNotInstalled);
        root.prefix = rules.prefix.then(|| name.into());
        root
    });
    placed.collect()
}

/// Returns the reason why a plugin is off, and whether it may be on after all.
fn disabled(
    rules: &PluginRules,
    plugin: &FoundPlugin,
    manifest: &Value,
    (place, base): (&AgentPlace, &Path),
    files: &mut FileCache,
) -> (Option<UnseenReason>, bool) {
    if let Some(toggle) = rules.toggle.as_ref().filter(|toggle| !place.is_on(toggle)) {
        let name = toggle.name.as_str().into();
        return (Some(UnseenReason::Switch { name }), false);
    }
    let off = |file: Option<PathBuf>| UnseenReason::PluginDisabled {
        plugin: plugin.key.as_str().into(),
        file: file.map(Into::into),
    };
    let (mut decided, mut last) = (None, None);
    for template in &rules.enabled_in {
        let Some(path) = place.expand(template, base) else {
            continue;
        };
        let Some(file) = files.settings(&path) else {
            continue;
        };
        match file.get(&rules.enabled_key).map(|map| &map[&plugin.key]) {
            Some(Value::Bool(is_on)) => decided = Some(*is_on),
            Some(Value::Object(table)) if rules.layout == PluginLayout::Extensions => {
                // The overrides are patterns of paths whose exact order is not documented.
                let mut overrides = table.get("overrides").into_iter().flat_map(texts);
                if overrides.any(|rule| rule.starts_with('!')) {
                    return (Some(off(Some(path))), true);
                }
                continue;
            }
            Some(Value::Object(table)) => {
                decided = Some(table.get("enabled") != Some(&Value::Bool(false)));
            }
            _ => continue,
        }
        last = Some(path);
    }
    let default = match rules.layout {
        PluginLayout::InstalledRecord => manifest["defaultEnabled"] != false,
        PluginLayout::Cache => false,
        PluginLayout::Extensions => true,
    };
    match decided.unwrap_or(default) {
        true => (None, false),
        false => (Some(off(last)), false),
    }
}

fn manifest(folder: &Path, files: &mut FileCache) -> Value {
    let kinds = [".claude-plugin", ".codex-plugin", ".cursor-plugin"];
    let manifests = kinds.map(|kind| folder.join(kind).join("plugin.json"));
    manifests
        .iter()
        .find_map(|path| files.settings(path)?.value.clone())
        .unwrap_or_default()
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let list = value.as_array().into_iter().flatten();
    value
        .as_str()
        .into_iter()
        .chain(list.filter_map(Value::as_str))
}

fn folders(path: &Path) -> impl Iterator<Item = (String, PathBuf)> + use<> {
    let entries = entries(path).into_iter();
    entries
        .filter(|(name, kind, _)| *kind != EntryKind::File && !name.starts_with('.'))
        .map(|(name, _, path)| (name, path))
}
