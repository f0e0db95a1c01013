//! The file of a profile, as it is written.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::fact::{Choice, Fact, choices};
use crate::observed::{PrintedFormat, TranscriptFormat};
use crate::view::{BudgetUnit, RootScope};

/// One file of `agents/`. A fact that it leaves out is unknown.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct ProfileFile {
    pub(crate) name: String,
    pub(crate) title: String,
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    /// The versions that the facts describe.
    pub(crate) versions: String,
    /// The sources that the facts name.
    pub(crate) sources: BTreeMap<String, FactSource>,
    #[serde(default)]
    pub(crate) detect: Detection,
    /// The folders, the highest precedence first.
    pub(crate) roots: Vec<RootRule>,
    #[serde(default)]
    pub(crate) reading: Reading,
    #[serde(default)]
    pub(crate) naming: Naming,
    #[serde(default)]
    pub(crate) duplicates: Duplicates,
    #[serde(default)]
    pub(crate) front_matter: FrontMatterRules,
    #[serde(default)]
    pub(crate) flags: Flags,
    #[serde(default)]
    pub(crate) settings: Vec<SettingRule>,
    pub(crate) plugins: Option<PluginRules>,
    #[serde(default)]
    pub(crate) budget: BudgetRules,
    #[serde(default)]
    pub(crate) render: RenderRules,
    /// The lists that the agent itself writes or prints.
    #[serde(default)]
    pub(crate) observed: ObservedRules,
    /// When a change on disk is noticed.
    #[serde(default)]
    #[serde(rename = "reload")]
    pub(crate) _reload: Fact<String>,
}

/// A document, a repository or a report, and the day on which it was read.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FactSource {
    pub(crate) text: String,
    pub(crate) date: String,
}

/// The lists that an agent itself writes or prints.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ObservedRules {
    pub(crate) transcripts: Option<TranscriptRule>,
    pub(crate) command: Option<CommandRule>,
    pub(crate) server: Option<ListServer>,
}

/// A folder with transcripts, at any depth.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TranscriptRule {
    pub(crate) folder: String,
    pub(crate) format: TranscriptFormat,
    #[serde(rename = "source")]
    pub(crate) _source: String,
}

/// A command of the agent that prints its list without asking a model.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommandRule {
    pub(crate) arguments: Vec<String>,
    pub(crate) format: PrintedFormat,
    #[serde(rename = "source")]
    pub(crate) _source: String,
}

/// A server of an agent that lists its skills while it runs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ListServer {
    /// The address without options: `http://127.0.0.1:4096`.
    pub address: String,
    /// The path of the list.
    pub path: String,
    /// The parameter of the query that names the working folder.
    pub folder: String,
    /// The command line that starts the server.
    pub start: String,
    pub(crate) format: PrintedFormat,
    #[serde(rename = "source")]
    pub(crate) _source: String,
}

/// Signs that the agent is installed, the strongest first.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Detection {
    /// Programs on `PATH`.
    pub(crate) binaries: Fact<Vec<String>>,
    /// Files that only the agent writes.
    pub(crate) files: Fact<Vec<String>>,
    /// Folders that installers of skills create too.
    pub(crate) folders: Fact<Vec<String>>,
}

/// A folder that the agent reads.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct RootRule {
    /// Relative to the project, or beginning with `/`, `~/` or `${VARIABLE:-DEFAULT}`.
    pub(crate) path: String,
    pub(crate) scope: RootScope,
    /// The folders of the project to which the path is relative.
    #[serde(default)]
    pub(crate) walk: Walk,
    /// Folders of this name below the project.
    #[serde(default)]
    pub(crate) below: Below,
    /// Holds `NAME.md` files in place of folders.
    #[serde(default)]
    pub(crate) commands: bool,
    /// Overrides the depth of the agent.
    pub(crate) depth: Option<Depth>,
    /// Overrides whether loose files of the root count.
    pub(crate) loose_files: Option<bool>,
    /// Is read in a trusted project only.
    #[serde(default)]
    pub(crate) trust: bool,
    /// Variables that, when set, switch the folder off.
    #[serde(default)]
    pub(crate) off_by: Vec<String>,
    /// A switch of the agent that no file tells, with its default.
    pub(crate) toggle: Option<Toggle>,
    /// Is read on this operating system only.
    pub(crate) os: Option<String>,
    #[serde(rename = "source")]
    pub(crate) _source: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Toggle {
    pub(crate) name: String,
    pub(crate) default: bool,
}

choices! {
    #[derive(Default)]
    Walk {
        /// The current folder alone.
        #[default]
        Here,
        /// The current folder, then each parent up to the root of the repository.
        Up,
        /// The root of the repository alone.
        Root,
    }
}

choices! {
    #[derive(Default)]
    Below {
        #[default]
        No,
        /// Loaded once a file beside them is read.
        OnDemand,
        /// Found at the start, listed while files beside them are worked on.
        Conditional,
        Unknown,
    }
}

/// The rules on finding files below a root.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub(crate) struct Reading {
    pub(crate) depth: Fact<Depth>,
    /// `true` if the spelling `SKILL.md` must be exact.
    pub(crate) exact_file_name: Fact<bool>,
    /// `true` if folders whose name begins with a dot are searched.
    pub(crate) hidden_folders: Fact<bool>,
    /// `true` if a skill inside the folder of another one counts.
    pub(crate) inside_skills: Fact<bool>,
    pub(crate) folder_links: Fact<bool>,
    /// `true` if a `SKILL.md` that is a link counts.
    pub(crate) file_links: Fact<bool>,
    /// `true` if a `SKILL.md` directly in the root counts.
    pub(crate) root_file: Fact<bool>,
    /// `true` if `NAME.md` directly in the root counts.
    pub(crate) loose_files: Fact<bool>,
    /// The files that exclude skills, as `.gitignore`.
    #[serde(rename = "ignore-rules")]
    pub(crate) _ignore_rules: Fact<Vec<String>>,
}

/// The deepest folder that counts: 1 is `ROOT/NAME/SKILL.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Depth {
    Levels(u32),
    Any(AnyDepth),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AnyDepth {
    Any,
}

impl Choice for Depth {
    const ALL: &'static [Depth] = &[Depth::Levels(1), Depth::Any(AnyDepth::Any)];
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Naming {
    pub(crate) from: Fact<NameFrom>,
    /// The effect of a written name that is not the name of the folder.
    pub(crate) mismatch: Fact<NameMismatch>,
    pub(crate) rule: Fact<NameRule>,
    /// The file of a repository whose `name` becomes a prefix.
    pub(crate) manifest: Option<Fact<String>>,
}

choices! { NameFrom { Folder, Field, FieldOrFolder } }
choices! { NameMismatch { Loads, FolderName, Skipped } }
choices! {
    NameRule {
        Any,
        /// At most 64 characters.
        Short,
        /// 1 to 64 of `a-z`, `0-9` and `-`.
        Kebab,
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub(crate) struct Duplicates {
    pub(crate) same_name: Fact<SameName>,
    /// `true` if one real file that is reached twice counts once.
    pub(crate) same_file_once: Fact<bool>,
    /// `true` if, among the levels of a walk, the nearest folder wins.
    pub(crate) nearest_first: Fact<bool>,
    /// `true` if a nearer folder of the walk is preferred whatever the rule.
    pub(crate) levels_first: bool,
    /// `true` if folders that settings add are preferred to all others.
    pub(crate) extra_first: bool,
    /// `true` if the order of two paths below one root is known.
    pub(crate) sorted: Fact<bool>,
}

choices! { SameName { FirstWins, AllStay, OneOfThem } }

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub(crate) struct FrontMatterRules {
    pub(crate) missing: Fact<NoFrontMatter>,
    pub(crate) broken: Fact<BrokenYaml>,
    pub(crate) no_description: Fact<NoDescription>,
    /// The effect of a description of more than 1,024 characters.
    pub(crate) long_description: Fact<LongDescription>,
}

choices! { NoFrontMatter { Skipped, Loads } }
choices! {
    BrokenYaml {
        Skipped,
        /// Name and description are read from their lines.
        Repaired,
        /// The body loads without any field.
        Empty,
    }
}
choices! {
    NoDescription {
        Skipped,
        /// The first paragraph of the body takes its place.
        Body,
        NameOnly,
        /// Not listed to the model.
        UserOnly,
    }
}
choices! { LongDescription { Whole, Shortened, Skipped } }

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Flags {
    pub(crate) understood: Fact<Vec<String>>,
    /// A file beside `SKILL.md` with `policy.allow_implicit_invocation`.
    pub(crate) sidecar: Option<Fact<String>>,
}

/// A setting that hides or changes skills. Later files override earlier ones.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct SettingRule {
    pub(crate) files: Vec<String>,
    pub(crate) key: Vec<String>,
    pub(crate) effect: Effect,
    /// The scopes that it reaches; all if empty.
    #[serde(default)]
    pub(crate) scopes: Vec<RootScope>,
    /// Some sources say that it has no effect on the list.
    #[serde(default)]
    pub(crate) doubtful: bool,
    #[serde(rename = "source")]
    pub(crate) _source: String,
}

choices! {
    Effect {
        /// A map from names to `on`, `name-only`, `user-invocable-only` and `off`.
        Overrides,
        /// A list of hidden names.
        HiddenNames,
        /// A list of the only names that load.
        AllowedNames,
        /// A map from patterns to `allow`, `ask` and `deny`; the last match counts.
        Permissions,
        /// A list of rules with `action`, `resource` and `effect`; the last match counts.
        Rules,
        /// A list of `Skill(NAME)` rules.
        DenyRules,
        /// A list of tables with `path` or `name`, and `enabled`.
        SkillTables,
        /// `true` hides every skill.
        OffIfTrue,
        /// `false` hides every skill.
        OffIfFalse,
        /// A map from folders to `false`.
        Folders,
        /// A list of further folders.
        ExtraFolders,
        /// The share of the window in percent divided by 100.
        BudgetShare,
        /// The limit in characters or tokens.
        BudgetLimit,
        /// The most characters of one entry.
        EntryLimit,
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct PluginRules {
    pub(crate) layout: PluginLayout,
    /// The folder with the plugins, or the file that names them.
    pub(crate) path: String,
    /// The folder of marketplaces, whose plugins are not installed.
    pub(crate) marketplaces: Option<String>,
    /// The files that enable a plugin, and the key in them. Later files override earlier ones.
    #[serde(default)]
    pub(crate) enabled_in: Vec<String>,
    #[serde(default)]
    pub(crate) enabled_key: Vec<String>,
    /// `true` if the name of the plugin and a colon stand before the name of a skill.
    pub(crate) prefix: bool,
    pub(crate) toggle: Option<Toggle>,
    #[serde(rename = "source")]
    pub(crate) _source: String,
}

choices! {
    PluginLayout {
        /// A file that names each installed plugin and its folder.
        InstalledRecord,
        /// `MARKETPLACE/PLUGIN/VERSION`, enabled by name.
        Cache,
        /// `PLUGIN`, enabled by a file of overrides.
        Extensions,
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub(crate) struct BudgetRules {
    pub(crate) unit: Fact<BudgetUnit>,
    /// One line of the list, with `{name}`, `{description}` and `{path}`.
    pub(crate) line: Fact<String>,
    /// Percent of the window.
    pub(crate) share: Option<Fact<f64>>,
    /// The limit if the window is unknown, or always.
    pub(crate) limit: Fact<u64>,
    /// The most characters of one entry.
    pub(crate) entry: Option<Fact<u64>>,
    /// The most entries.
    pub(crate) entries: Option<Fact<u64>>,
    /// A variable that replaces the limit.
    pub(crate) variable: Option<Fact<String>>,
    pub(crate) cut: Fact<Cut>,
}

choices! {
    Cut {
        Nothing,
        /// Whole descriptions, those of the least used skills first.
        LeastUsed,
        /// The longest descriptions, one character at a time.
        RoundRobin,
        /// The first entry that does not fit, and every later one.
        Tail,
        Undocumented,
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RenderRules {
    /// A dialect of `repertoire-render`.
    pub(crate) dialect: Fact<String>,
}
