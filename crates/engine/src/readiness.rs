//! Whether what a skill needs is there.

mod need;
mod read;
#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

use repertoire_core::Skill;
use serde::Serialize;

pub use need::{Need, NeedKind};

/// Tells what is there: the host's eyes on its machine, its configuration and its tools.
pub trait Probe: Debug + Send + Sync + 'static {
    /// Whether this is there; `None` when the host cannot tell. A panic hides the skill that is asked for: what it needs counts as
    /// not there, what it stands in for as there.
    fn has(&self, kind: NeedKind, name: &str) -> Option<bool>;
}

/// Whether what a skill needs is there. Another question than whether the skill exists, and whether somebody may see it.
///
/// Needs are read from `metadata.openclaw`, also called `clawdbot` or `clawdis`, with its `os`, `requires` and `envVars`; from
/// `platforms`, `required_environment_variables` and `metadata.hermes` with its `requires_tools` and `requires_toolsets`; and from
/// `required_tools`. What is declared there and cannot be read is a need that nothing meets. A skill that only stands in for
/// tools, by Hermes' `fallback_for_tools` and `fallback_for_toolsets`, is ready while none of them is there.
///
/// ```
/// use repertoire_core::skill_md::{Site, parse};
/// use repertoire_engine::{NeedKind, Probe, Readiness};
///
/// #[derive(Debug)]
/// struct Bare;
///
/// impl Probe for Bare {
///     fn has(&self, kind: NeedKind, name: &str) -> Option<bool> {
///         match kind {
///             NeedKind::System => Some(name == "linux"),
///             NeedKind::Tool => None,
///             _ => Some(false),
///         }
///     }
/// }
///
/// let text = b"---\nname: pdf\ndescription: Reads.\nrequired_tools: [ocr]\n\
///     metadata: {openclaw: {os: [linux, darwin], requires: {bins: [pdftk], anyBins: [rg, ag]}}}\n---\n";
/// let skill = parse(text, Site::new("SKILL.md")).skill.ok_or("no skill")?;
/// let readiness = Readiness::of(&skill, &Bare);
/// assert!(!readiness.is_ready());
/// assert_eq!(readiness.to_string(), "needs the program `pdftk`; needs one of the programs `rg`, `ag`");
/// assert_eq!(readiness.unknown[0].to_string(), "the tool `ocr`");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Readiness {
    /// What is not there.
    pub missing: Vec<Need>,
    /// What the skill only stands in for, and is there.
    pub stood_in_for: Vec<Need>,
    /// What the host cannot tell; it keeps nobody from using the skill.
    pub unknown: Vec<Need>,
}

impl Readiness {
    /// Whether what `skill` needs is there, and what it stands in for is not.
    pub fn of(skill: &Skill, probe: &dyn Probe) -> Readiness {
        let mut readiness = Readiness::default();
        for need in Need::all_of(skill) {
            match is_met(&need, probe, false) {
                Some(true) => {}
                Some(false) => readiness.missing.push(need),
                None => readiness.unknown.push(need),
            }
        }
        for need in Need::stood_in_for(skill) {
            match is_met(&need, probe, true) {
                // Nobody can tell that it is not there.
                Some(false) if need.one_of.is_empty() => readiness.missing.push(need),
                Some(true) => readiness.stood_in_for.push(need),
                Some(false) => {}
                None => readiness.unknown.push(need),
            }
        }
        readiness
    }

    /// Whether nothing is missing, and nothing makes the skill unneeded.
    pub fn is_ready(&self) -> bool {
        self.missing.is_empty() && self.stood_in_for.is_empty()
    }
}

/// Whether one of the names is there; `assumed` of a name over which the probe panics.
fn is_met(need: &Need, probe: &dyn Probe, assumed: bool) -> Option<bool> {
    let mut met = Some(false);
    for name in &need.one_of {
        match catch_unwind(AssertUnwindSafe(|| probe.has(need.kind, name))).unwrap_or(Some(assumed)) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => met = None,
        }
    }
    met
}

/// For people: what is missing, and what makes the skill unneeded. Empty when it is ready.
impl std::fmt::Display for Readiness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let missing = self.missing.iter().map(|need| format!("needs {need}"));
        let there = self.stood_in_for.iter().map(|need| format!("stands in for {need}, which is there"));
        f.write_str(&missing.chain(there).collect::<Vec<_>>().join("; "))
    }
}
