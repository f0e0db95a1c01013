//! The parts of a host that the runner asks: programs, skills, tools and checks.

use std::path::Path;

use repertoire_core::Digest;
use repertoire_core::async_trait;
use serde::Serialize;

use crate::{AgentProgram, SkillRef};

/// The host of agents: a gateway, or a test.
///
/// Each answer is the present one: the runner asks again before every use.
#[async_trait]
pub trait AgentHost: Send + Sync + 'static {
    /// Returns the program of a profile.
    ///
    /// # Errors
    /// The reason why there is none, such as a variable that is not set.
    async fn program(&self, profile: &str) -> Result<AgentProgram, String>;

    /// Returns a skill as the registry has it now.
    async fn skill(&self, name: &str) -> Option<KnownSkill>;

    /// Returns the names of all tools that supervised servers offer now.
    async fn tools(&self) -> Vec<String>;

    /// Runs the checks of a skill in the folder of an agent.
    async fn verify(&self, skill: &SkillRef, folder: &Path) -> Vec<SkillCheck>;
}

/// A skill that a registry has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownSkill {
    /// The digest of its content.
    #[doc(hidden)]
    pub digest: Digest,
    /// The tools that it needs, as names or as patterns with `*`.
    #[doc(hidden)]
    pub required_tools: Vec<String>,
}

impl KnownSkill {
    /// Creates a skill that needs no tool.
    pub fn new(digest: Digest) -> Self {
        Self {
            digest,
            required_tools: Vec::new(),
        }
    }

    /// Adds tools that the skill needs.
    #[must_use]
    pub fn requiring(mut self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.required_tools
            .extend(tools.into_iter().map(Into::into));
        self
    }
}

/// A check of a skill with its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SkillCheck {
    /// The check, as text for people.
    #[doc(hidden)]
    pub check: String,
    /// The result.
    #[doc(hidden)]
    pub result: CheckResult,
}

impl SkillCheck {
    /// Creates a check with its result.
    pub fn new(check: impl Into<String>, result: CheckResult) -> Self {
        Self {
            check: check.into(),
            result,
        }
    }

    /// Returns the check and its result in one line.
    pub(crate) fn line(&self) -> String {
        let (result, reason) = match &self.result {
            CheckResult::Passed => ("passed", ""),
            CheckResult::Failed(reason) => ("failed", reason.as_str()),
            CheckResult::Skipped(reason) => ("not run", reason.as_str()),
            CheckResult::NeedsJudgement => ("not judged", ""),
        };
        let line = match reason {
            "" => format!("{result}: {}", self.check),
            reason => format!("{result}: {}: {reason}", self.check),
        };
        line.replace(char::is_control, " ")
    }
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CheckResult {
    /// It holds.
    Passed,
    /// It does not hold, for this reason. The task is not done.
    Failed(String),
    /// It was not run, for this reason.
    Skipped(String),
    /// A model or a person has to judge it.
    NeedsJudgement,
}
