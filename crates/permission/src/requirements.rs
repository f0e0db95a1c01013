//! The requirements of a skill, and whether they are met.

use std::fmt;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use repertoire_core::{Skill, Value};
use serde::Serialize;

/// A check of requirements: the host's knowledge of its machine, its configuration and its tools.
pub trait RequirementCheck: Debug + Send + Sync + 'static {
    /// Returns whether this is available; `None` when the host does not know. A panic hides the skill: a requirement counts as
    /// missing, a replacement as available.
    fn has(&self, kind: RequirementKind, name: &str) -> Option<bool>;
}

/// The requirements of a skill, and whether they are met. They are independent of whether the skill exists and is visible.
///
/// Requirements are read from `metadata.openclaw`, also called `clawdbot` or `clawdis`, with its `os`, `requires` and `envVars`; from
/// `platforms`, `required_environment_variables` and `metadata.hermes` with its `requires_tools` and `requires_toolsets`; and from
/// `required_tools`. A declaration that cannot be read is a requirement that is never met. A skill that replaces tools,
/// by Hermes' `fallback_for_tools` and `fallback_for_toolsets`, is ready while none of them is available.
///
/// ```
/// use repertoire_core::skill_md::{FileContext, parse};
/// use repertoire_permission::{RequirementKind, RequirementCheck, Requirements};
///
/// #[derive(Debug)]
/// struct Bare;
///
/// impl RequirementCheck for Bare {
///     fn has(&self, kind: RequirementKind, name: &str) -> Option<bool> {
///         match kind {
///             RequirementKind::System => Some(name == "linux"),
///             RequirementKind::Tool => None,
///             _ => Some(false),
///         }
///     }
/// }
///
/// let text = b"---\nname: pdf\ndescription: Reads.\nrequired_tools: [ocr]\n\
///     metadata: {openclaw: {os: [linux, darwin], requires: {bins: [pdftk], anyBins: [rg, ag]}}}\n---\n";
/// let skill = parse(text, FileContext::new("SKILL.md")).skill.ok_or("no skill")?;
/// let readiness = Requirements::new(&skill, &Bare);
/// assert!(!readiness.is_ready());
/// assert_eq!(readiness.to_string(), "needs the program `pdftk`; needs one of the programs `rg`, `ag`");
/// assert_eq!(readiness.unknown[0].to_string(), "the tool `ocr`");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Requirements {
    /// The requirements that are not met.
    pub missing: Vec<Requirement>,
    /// The replacements of the skill that are available.
    pub superseded_by: Vec<Requirement>,
    /// The requirements that the host does not know. They hide nothing.
    pub unknown: Vec<Requirement>,
}

impl Requirements {
    /// Checks the requirements of `skill` with `probe`.
    pub fn new(skill: &Skill, probe: &dyn RequirementCheck) -> Requirements {
        let mut readiness = Requirements::default();
        for need in Requirement::all_of(skill) {
            match is_met(&need, probe, false) {
                Some(true) => {}
                Some(false) => readiness.missing.push(need),
                None => readiness.unknown.push(need),
            }
        }
        for need in Requirement::superseded_by(skill) {
            match is_met(&need, probe, true) {
                // The check cannot exclude that it is available.
                Some(false) if need.one_of.is_empty() => readiness.missing.push(need),
                Some(true) => readiness.superseded_by.push(need),
                Some(false) => {}
                None => readiness.unknown.push(need),
            }
        }
        readiness
    }

    /// Returns whether all requirements are met and no replacement is available.
    pub fn is_ready(&self) -> bool {
        self.missing.is_empty() && self.superseded_by.is_empty()
    }
}

/// Returns whether one of the names is there; `assumed` for a name over which the probe panics.
fn is_met(need: &Requirement, probe: &dyn RequirementCheck, assumed: bool) -> Option<bool> {
    let mut met = Some(false);
    for name in &need.one_of {
        match catch_unwind(AssertUnwindSafe(|| probe.has(need.kind, name))).unwrap_or(Some(assumed))
        {
            Some(true) => return Some(true),
            Some(false) => {}
            None => met = None,
        }
    }
    met
}

impl std::fmt::Display for Requirements {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let missing = self.missing.iter().map(|need| format!("needs {need}"));
        let there = self
            .superseded_by
            .iter()
            .map(|need| format!("stands in for {need}, which is there"));
        f.write_str(&missing.chain(there).collect::<Vec<_>>().join("; "))
    }
}

/// One thing that a skill needs, or one of several.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Requirement {
    /// The kind of requirement.
    pub kind: RequirementKind,
    /// One of these will do; none, where what is written cannot be read.
    pub one_of: Vec<Arc<str>>,
}

/// The kind of a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RequirementKind {
    /// An operating system, named as [`std::env::consts::OS`] does: `linux`, `macos`, `windows`.
    System,
    /// A program that can be started by its name.
    Program,
    /// An environment variable that is set and not empty. Its value is not read.
    Variable,
    /// A setting of the host, by its dotted path, that is there and not off.
    Setting,
    /// A tool that a model can call; of a name that ends in `*`, one that begins so.
    Tool,
    /// A set of tools that a host offers or not, by the name that it has there.
    Toolset,
}

impl Requirement {
    pub(super) fn one(kind: RequirementKind, name: &str) -> Requirement {
        Requirement {
            kind,
            one_of: vec![name.into()],
        }
    }

    pub(super) fn unreadable(kind: RequirementKind) -> Requirement {
        Requirement {
            kind,
            one_of: Vec::new(),
        }
    }
}

impl RequirementKind {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            RequirementKind::System => ("system", "systems"),
            RequirementKind::Program => ("program", "programs"),
            RequirementKind::Variable => ("environment variable", "environment variables"),
            RequirementKind::Setting => ("setting", "settings"),
            RequirementKind::Tool => ("tool", "tools"),
            RequirementKind::Toolset => ("toolset", "toolsets"),
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, several) = self.kind.words();
        match self.one_of.as_slice() {
            [] if self.kind == RequirementKind::Variable => {
                write!(f, "an {one} whose name cannot be read")
            }
            [] => write!(f, "a {one} whose name cannot be read"),
            [name] => write!(
                f,
                "the {one} `{}`",
                repertoire_core::text::terminal_line(name)
            ),
            names => {
                let names: Vec<_> = names
                    .iter()
                    .map(|name| format!("`{}`", repertoire_core::text::terminal_line(name)))
                    .collect();
                write!(f, "one of the {several} {}", names.join(", "))
            }
        }
    }
}

impl Requirement {
    /// Returns the requirements that `skill` declares, each once, in the order of the fields.
    pub fn all_of(skill: &Skill) -> Vec<Requirement> {
        let mut needs = Vec::new();
        if let Some(metadata) = skill.field("metadata") {
            openclaw(metadata, &mut needs);
            each(
                metadata.at("hermes.requires_tools"),
                RequirementKind::Tool,
                &mut needs,
            );
            each(
                metadata.at("hermes.requires_toolsets"),
                RequirementKind::Toolset,
                &mut needs,
            );
        }
        platforms(skill, &mut needs);
        each(
            skill.field("required_environment_variables"),
            RequirementKind::Variable,
            &mut needs,
        );
        needs.extend(
            skill
                .required_tools()
                .into_iter()
                .map(|tool| Requirement::one(RequirementKind::Tool, tool)),
        );
        once(needs)
    }

    /// Returns the tools that `skill` declares to replace, each once. If one of them is available, the skill is not needed.
    pub fn superseded_by(skill: &Skill) -> Vec<Requirement> {
        let mut needs = Vec::new();
        if let Some(metadata) = skill.field("metadata") {
            each(
                metadata.at("hermes.fallback_for_tools"),
                RequirementKind::Tool,
                &mut needs,
            );
            each(
                metadata.at("hermes.fallback_for_toolsets"),
                RequirementKind::Toolset,
                &mut needs,
            );
        }
        once(needs)
    }
}

fn once(needs: Vec<Requirement>) -> Vec<Requirement> {
    let mut once: Vec<Requirement> = Vec::with_capacity(needs.len());
    for need in needs {
        if !once.contains(&need) {
            once.push(need);
        }
    }
    once
}

/// Reads OpenClaw's block. A system is always needed, the rest not by a skill that is there `always`.
fn openclaw(metadata: &Value, needs: &mut Vec<Requirement>) {
    const NAMES: [&str; 3] = ["openclaw", "clawdbot", "clawdis"];
    let Some(block) = NAMES.iter().find_map(|name| metadata.get(name)) else {
        // The whole block as one text, in a syntax of its own.
        if metadata.as_text().is_some_and(|text: &str| {
            NAMES.iter().any(|name| text.contains(name)) && text.contains("requires")
        }) {
            needs.push(Requirement::unreadable(RequirementKind::Setting));
        }
        return;
    };
    if block
        .as_text()
        .is_some_and(|text| text.contains("requires"))
    {
        needs.push(Requirement::unreadable(RequirementKind::Setting));
    }
    one_of(block.get("os"), RequirementKind::System, needs);
    if block.get("always").and_then(Value::as_bool) == Some(true) {
        return;
    }
    if let Some(requires) = block.get("requires").filter(|requires| !requires.is_null()) {
        if !matches!(requires, Value::Map(_)) {
            needs.push(Requirement::unreadable(RequirementKind::Setting));
        }
        each(requires.get("bins"), RequirementKind::Program, needs);
        one_of(requires.get("anyBins"), RequirementKind::Program, needs);
        each(requires.get("env"), RequirementKind::Variable, needs);
        each(requires.get("config"), RequirementKind::Setting, needs);
    }
    for variable in block
        .get("envVars")
        .map_or(&[][..], Value::items)
        .iter()
        .filter(|item: &&Value| item.get("required").and_then(Value::as_bool) == Some(true))
    {
        needs.push(named(variable.get("name"), RequirementKind::Variable));
    }
}

/// Reads Hermes' systems. Other clients list clients and clouds under the same key, which are not requirements.
fn platforms(skill: &Skill, needs: &mut Vec<Requirement>) {
    let platforms = skill.field("platforms");
    let names = platforms.map_or(&[][..], Value::items).iter();
    if names
        .clone()
        .all(|name| name.as_text().is_some_and(|name| system(name).is_some()))
    {
        one_of(platforms, RequirementKind::System, needs);
    }
}

fn each(value: Option<&Value>, kind: RequirementKind, needs: &mut Vec<Requirement>) {
    let Some(value) = value.filter(|value| !value.is_null()) else {
        return;
    };
    if matches!(value, Value::Map(_)) {
        needs.push(Requirement::unreadable(kind));
    }
    for item in value.items() {
        if item.get("optional").and_then(Value::as_bool) == Some(true) {
            continue;
        }
        let name = if let Value::Map(_) = item {
            item.get("name")
        } else {
            Some(item)
        };
        needs.push(named(name, kind));
    }
}

fn one_of(value: Option<&Value>, kind: RequirementKind, needs: &mut Vec<Requirement>) {
    let mut each_one = Vec::new();
    each(value, kind, &mut each_one);
    if each_one.is_empty() {
        return;
    }
    let one_of = each_one.into_iter().flat_map(|need| need.one_of).collect();
    needs.push(Requirement { kind, one_of });
}

fn named(name: Option<&Value>, kind: RequirementKind) -> Requirement {
    let name = name
        .and_then(Value::as_text)
        .map(str::trim)
        .filter(|name| !name.is_empty());
    match (name, kind) {
        (None, _) => Requirement::unreadable(kind),
        (Some(name), RequirementKind::System) => {
            Requirement::one(kind, system(name).unwrap_or(name))
        }
        (Some(name), _) => Requirement::one(kind, name),
    }
}

fn system(name: &str) -> Option<&'static str> {
    match name.trim() {
        "linux" => Some("linux"),
        "darwin" | "macos" => Some("macos"),
        "win32" | "windows" => Some("windows"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
