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
    /// Whether this is there; `None` when the host cannot tell. A panic counts as not there.
    fn has(&self, kind: NeedKind, name: &str) -> Option<bool>;
}

/// Whether what a skill needs is there. Another question than whether the skill exists, and whether somebody may see it.
///
/// Needs are read from `metadata.openclaw`, also called `clawdbot` or `clawdis`, with its `os`, `requires` and `envVars`; from
/// `platforms`, `required_environment_variables` and `metadata.hermes.requires_tools`; and from `required_tools`. What is
/// declared there and cannot be read is a need that nothing meets.
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
    /// What the host cannot tell; it keeps nobody from using the skill.
    pub unknown: Vec<Need>,
}

impl Readiness {
    /// Whether what `skill` needs is there.
    pub fn of(skill: &Skill, probe: &dyn Probe) -> Readiness {
        let mut readiness = Readiness::default();
        for need in Need::all_of(skill) {
            match is_met(&need, probe) {
                Some(true) => {}
                Some(false) => readiness.missing.push(need),
                None => readiness.unknown.push(need),
            }
        }
        readiness
    }

    /// Whether nothing is missing.
    pub fn is_ready(&self) -> bool {
        self.missing.is_empty()
    }
}

fn is_met(need: &Need, probe: &dyn Probe) -> Option<bool> {
    let mut met = Some(false);
    for name in &need.one_of {
        match catch_unwind(AssertUnwindSafe(|| probe.has(need.kind, name))).unwrap_or(Some(false)) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => met = None,
        }
    }
    met
}

/// For people: what is missing. Empty when nothing is.
impl std::fmt::Display for Readiness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (place, need) in self.missing.iter().enumerate() {
            let between = if place > 0 { "; " } else { "" };
            write!(f, "{between}needs {need}")?;
        }
        Ok(())
    }
}
