//! Needs as clients write them.

use repertoire_core::{Skill, Value};

use super::{Need, NeedKind};

impl Need {
    /// What `skill` declares to need, each once, in the order of the spellings.
    pub fn all_of(skill: &Skill) -> Vec<Need> {
        let mut needs = Vec::new();
        if let Some(metadata) = skill.field("metadata") {
            openclaw(metadata, &mut needs);
            each(metadata.at("hermes.requires_tools"), NeedKind::Tool, &mut needs);
            each(metadata.at("hermes.requires_toolsets"), NeedKind::Toolset, &mut needs);
        }
        platforms(skill, &mut needs);
        each(skill.field("required_environment_variables"), NeedKind::Variable, &mut needs);
        needs.extend(skill.required_tools().into_iter().map(|tool| Need::one(NeedKind::Tool, tool)));
        once(needs)
    }

    /// What `skill` declares to stand in for, each once: where one of these is there, the skill is not needed.
    pub fn stood_in_for(skill: &Skill) -> Vec<Need> {
        let mut needs = Vec::new();
        if let Some(metadata) = skill.field("metadata") {
            each(metadata.at("hermes.fallback_for_tools"), NeedKind::Tool, &mut needs);
            each(metadata.at("hermes.fallback_for_toolsets"), NeedKind::Toolset, &mut needs);
        }
        once(needs)
    }
}

/// Each of `needs` once, at its first place.
fn once(needs: Vec<Need>) -> Vec<Need> {
    let mut once: Vec<Need> = Vec::with_capacity(needs.len());
    for need in needs {
        if !once.contains(&need) {
            once.push(need);
        }
    }
    once
}

/// OpenClaw's block. A system is always needed; the rest is not by a skill that is there `always`.
fn openclaw(metadata: &Value, needs: &mut Vec<Need>) {
    const NAMES: [&str; 3] = ["openclaw", "clawdbot", "clawdis"];
    let is_meant = |text: &str| NAMES.iter().any(|name| text.contains(name)) && text.contains("requires");
    let Some(block) = NAMES.iter().find_map(|name| metadata.get(name)) else {
        // The whole block as one text, in a syntax of its own.
        if metadata.as_text().is_some_and(is_meant) {
            needs.push(Need::unreadable(NeedKind::Setting));
        }
        return;
    };
    if block.as_text().is_some_and(|text| text.contains("requires")) {
        needs.push(Need::unreadable(NeedKind::Setting));
    }
    one_of(block.get("os"), NeedKind::System, needs);
    if block.get("always").and_then(Value::as_bool) == Some(true) {
        return;
    }
    if let Some(requires) = block.get("requires").filter(|requires| !requires.is_null()) {
        if !matches!(requires, Value::Map(_)) {
            needs.push(Need::unreadable(NeedKind::Setting));
        }
        each(requires.get("bins"), NeedKind::Program, needs);
        one_of(requires.get("anyBins"), NeedKind::Program, needs);
        each(requires.get("env"), NeedKind::Variable, needs);
        each(requires.get("config"), NeedKind::Setting, needs);
    }
    let needed = |item: &&Value| item.get("required").and_then(Value::as_bool) == Some(true);
    for variable in block.get("envVars").map_or(&[][..], Value::items).iter().filter(needed) {
        needs.push(named(variable.get("name"), NeedKind::Variable));
    }
}

/// Hermes' systems. The same key lists clients and clouds elsewhere, which is no need.
fn platforms(skill: &Skill, needs: &mut Vec<Need>) {
    let platforms = skill.field("platforms");
    let names = platforms.map_or(&[][..], Value::items).iter();
    if names.clone().all(|name| name.as_text().is_some_and(|name| system(name).is_some())) {
        one_of(platforms, NeedKind::System, needs);
    }
}

/// A need for each name, or map with a `name` that is not optional.
fn each(value: Option<&Value>, kind: NeedKind, needs: &mut Vec<Need>) {
    let Some(value) = value.filter(|value| !value.is_null()) else { return };
    if matches!(value, Value::Map(_)) {
        needs.push(Need::unreadable(kind));
    }
    let is_optional = |item: &Value| item.get("optional").and_then(Value::as_bool) == Some(true);
    for item in value.items().iter().filter(|item| !is_optional(item)) {
        let name = if let Value::Map(_) = item { item.get("name") } else { Some(item) };
        needs.push(named(name, kind));
    }
}

/// One need that any of the names meets.
fn one_of(value: Option<&Value>, kind: NeedKind, needs: &mut Vec<Need>) {
    let mut each_one = Vec::new();
    each(value, kind, &mut each_one);
    if each_one.is_empty() {
        return;
    }
    let one_of = each_one.into_iter().flat_map(|need| need.one_of).collect();
    needs.push(Need { kind, one_of });
}

fn named(name: Option<&Value>, kind: NeedKind) -> Need {
    let name = name.and_then(Value::as_text).map(str::trim).filter(|name| !name.is_empty());
    match (name, kind) {
        (None, _) => Need::unreadable(kind),
        (Some(name), NeedKind::System) => Need::one(kind, system(name).unwrap_or(name)),
        (Some(name), _) => Need::one(kind, name),
    }
}

/// An operating system in the spellings of clients.
fn system(name: &str) -> Option<&'static str> {
    match name.trim() {
        "linux" => Some("linux"),
        "darwin" | "macos" => Some("macos"),
        "win32" | "windows" => Some("windows"),
        _ => None,
    }
}
