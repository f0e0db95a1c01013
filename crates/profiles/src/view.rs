//! The answer: every skill file of a place, and what one agent does with it.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The skills that one agent sees in a place, and those that it does not see, each with a reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AgentView {
    /// The name of the profile.
    pub agent: Arc<str>,
    /// The name of the agent for people.
    pub(crate) title: Arc<str>,
    /// Every skill file, by name, then in the order in which the agent prefers them.
    pub skills: Vec<AgentSkill>,
    /// The size of the list for the model.
    pub budget: BudgetUse,
    /// The folders that the agent searches, the preferred one first. They need not exist.
    pub folders: Vec<Arc<Path>>,
    /// Settings files that cannot be read. Their settings are not in the view.
    pub unread: Vec<Arc<Path>>,
}

/// A skill file in a place that this agent or a different one reads.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AgentSkill {
    /// The name that the agent shows, with the prefix of a plugin.
    pub name: Arc<str>,
    /// Names that it may show instead, since sources disagree.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub or_named: Vec<Arc<str>>,
    /// The file, as the agent reaches it.
    pub path: Arc<Path>,
    /// The same file without links.
    pub real_path: Arc<Path>,
    /// The kind of folder that holds it.
    pub scope: RootScope,
    /// The description, or the text that the agent shows in its place.
    pub description: Option<Arc<str>>,
    /// The skills that its front matter declares as necessary.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<Arc<str>>,
    /// The result.
    pub outcome: SkillOutcome,
    /// The size of its line in the list for the model, in the unit of the budget.
    pub cost: u64,
    /// A sentence that says how to make the agent load it, or list it in full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

/// The kind of a folder of skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RootScope {
    /// Written by the agent itself.
    System,
    /// Managed by an organization.
    Managed,
    /// Below the home folder.
    Personal,
    /// In the project.
    Project,
    /// Named by a setting.
    Extra,
    /// In a plugin or an extension.
    Plugin,
}

/// The result for one skill file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum SkillOutcome {
    /// The agent loads it.
    Loaded {
        /// The readers that get it, and in which form.
        listed: ListedAs,
        /// The reason, if it is not listed in full.
        #[serde(skip_serializing_if = "Option::is_none")]
        because: Option<UnseenReason>,
    },
    /// The agent does not load it.
    Omitted {
        /// The first reason that applies.
        reason: UnseenReason,
    },
    /// Sources disagree, or say nothing.
    Unknown {
        /// The possible results, at least two.
        one_of: Vec<SkillOutcome>,
    },
}

/// The form in which a loaded skill is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ListedAs {
    /// With its description, to the model and to the user.
    Full,
    /// With a shortened description.
    Shortened,
    /// Without a description.
    NameOnly,
    /// To the model, not to the user.
    ModelOnly,
    /// To the user, not to the model.
    UserOnly,
    /// Only while matching files are worked on.
    Conditional,
    /// To neither.
    Unlisted,
}

/// The reason why a skill is not loaded or not listed in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[non_exhaustive]
pub enum UnseenReason {
    /// A skill of the same name is preferred.
    Shadowed {
        /// The preferred file.
        by: Arc<Path>,
    },
    /// The same real file is read already.
    SameFile {
        /// The path through which it is read.
        by: Arc<Path>,
    },
    /// A setting hides it or changes its form.
    Setting {
        /// The settings file.
        file: Arc<Path>,
        /// The key, with dots.
        key: Arc<str>,
        /// The line, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
    /// A field of its front matter or of a file beside it hides it.
    Flag {
        /// The field.
        name: Arc<str>,
        /// The line in its file, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
    /// A switch of the agent or of the environment is off.
    Switch {
        /// The variable, or the switch as the profile names it.
        name: Arc<str>,
    },
    /// The front matter is not valid YAML.
    BrokenFrontMatter {
        /// The line of the first fault, from 1.
        line: u32,
    },
    /// The file has no front matter that can be read.
    NoFrontMatter {
        /// The line of the fault, from 1.
        line: u32,
    },
    /// A field that this agent needs is missing or has no text.
    MissingField {
        /// The field.
        name: Arc<str>,
    },
    /// The name is not the name of the folder.
    NameMismatch,
    /// The name breaks a rule of this agent.
    NameRule,
    /// The description has more than 1,024 characters.
    LongDescription,
    /// The file is not called `SKILL.md`.
    FileName,
    /// The file is directly in the root, not in a folder of its own.
    InRoot,
    /// The file is too far below its root.
    TooDeep {
        /// The deepest level that this agent reads; 1 is `ROOT/NAME/SKILL.md`.
        depth: u32,
    },
    /// The file is inside the folder of another skill.
    InsideSkill,
    /// A folder on the way begins with a dot.
    HiddenFolder,
    /// The file or a folder on the way is a link.
    Link,
    /// This agent does not read the folder.
    FolderNotRead {
        /// The agents that read it.
        read_by: Vec<Arc<str>>,
    },
    /// It is loaded once a file in this folder is read.
    NotYet {
        /// The folder that holds the root.
        folder: Arc<Path>,
    },
    /// The project is not trusted.
    NotTrusted,
    /// Its plugin is disabled.
    PluginDisabled {
        /// The plugin, as its record names it.
        plugin: Arc<str>,
        /// The settings file that says so.
        file: Option<Arc<Path>>,
    },
    /// Its plugin is in a marketplace only.
    PluginNotInstalled,
    /// The budget has no room for it.
    Budget,
    /// The file cannot be read.
    Unreadable,
}

/// The size of the list that a model gets.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct BudgetUse {
    /// The size of the whole list, before anything is cut.
    pub used: u64,
    /// The limit; absent if there is none or it is unknown.
    pub limit: Option<u64>,
    /// `true` if the agent has a limit that no source states.
    pub is_limit_unknown: bool,
    /// The unit of both; characters if the agent counts nothing.
    pub unit: BudgetUnit,
    /// Skills that lose their description or their line; the least number, where it depends on private counts.
    pub cut: usize,
}

/// The unit of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum BudgetUnit {
    /// Unicode characters.
    Characters,
    /// Bytes of UTF-8.
    Bytes,
    /// Four bytes each, rounded up for each line.
    Tokens,
}

impl SkillOutcome {
    /// Returns the only one of the possible results, or that it is unknown which of them it is.
    pub(crate) fn one_of(possible: Vec<SkillOutcome>) -> SkillOutcome {
        match <[SkillOutcome; 1]>::try_from(possible) {
            Ok([only]) => only,
            Err(one_of) => SkillOutcome::Unknown { one_of },
        }
    }

    /// Returns `true` if the agent loads the skill for certain, in one form or another.
    pub fn is_loaded(&self) -> bool {
        match self {
            SkillOutcome::Loaded { .. } => true,
            SkillOutcome::Omitted { .. } => false,
            SkillOutcome::Unknown { one_of } => one_of.iter().all(SkillOutcome::is_loaded),
        }
    }

    /// Returns `true` if the agent may load the skill.
    pub fn may_load(&self) -> bool {
        match self {
            SkillOutcome::Loaded { .. } => true,
            SkillOutcome::Omitted { .. } => false,
            SkillOutcome::Unknown { one_of } => one_of.iter().any(SkillOutcome::may_load),
        }
    }
}

impl AgentView {
    /// Returns the skills that the agent loads for certain.
    pub fn loaded(&self) -> impl Iterator<Item = &AgentSkill> {
        self.skills.iter().filter(|skill| skill.outcome.is_loaded())
    }
}
