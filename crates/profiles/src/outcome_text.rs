//! The results of agents as sentences.

use crate::shown_paths::ShownPaths;
use crate::{ListedAs, SkillOutcome, UnseenReason};

/// The most agents that a reason names.
const MOST_AGENTS: usize = 3;

impl SkillOutcome {
    /// Returns the result for a file, such as `not loaded: the file cannot be read`.
    #[doc(hidden)]
    pub fn text(&self, paths: &ShownPaths) -> String {
        match self {
            SkillOutcome::Loaded { listed, because } => match because {
                Some(because) => format!("{}: {}", form(*listed), because.text(paths)),
                None => form(*listed).to_owned(),
            },
            SkillOutcome::Omitted { reason } => format!("not loaded: {}", reason.text(paths)),
            SkillOutcome::Unknown { one_of } => {
                let (loaded, omitted): (Vec<_>, Vec<_>) =
                    one_of.iter().partition(|one| one.may_load());
                let mut possible: Vec<_> = loaded.into_iter().map(|one| one.text(paths)).collect();
                if !omitted.is_empty() {
                    possible.push(format!("not loaded: {}", omissions(&omitted, paths)));
                }
                format!("unsure: {}", possible.join("; or "))
            }
        }
    }
}

impl UnseenReason {
    /// Returns a reason as a clause.
    #[doc(hidden)]
    pub fn text(&self, paths: &ShownPaths) -> String {
        match self {
            UnseenReason::Shadowed { by } => format!("`{}` is preferred", paths.skill(by)),
            UnseenReason::SameFile { by } => {
                format!("the same file is read as `{}`", paths.skill(by))
            }
            UnseenReason::Setting { file, key, line } => {
                let line = line.map_or_else(String::new, |line| format!(":{line}"));
                format!("set by `{key}` in `{}{line}`", paths.path(file))
            }
            UnseenReason::Flag { name, line } => match line {
                Some(line) => format!("set by `{name}` on line {line}"),
                None => format!("set by `{name}`"),
            },
            UnseenReason::Switch { name } => format!("the switch `{name}` decides so"),
            UnseenReason::BrokenFrontMatter { line } => {
                format!("its front matter is not valid YAML at line {line}")
            }
            UnseenReason::NoFrontMatter { line } => {
                format!("it has no front matter that can be read; see line {line}")
            }
            UnseenReason::MissingField { name } => {
                format!("its field `{name}` is missing or empty")
            }
            UnseenReason::NameMismatch => "its name is not the name of its folder".to_owned(),
            UnseenReason::NameRule => "its name breaks a rule of the agent".to_owned(),
            UnseenReason::LongDescription => {
                "its description has more than 1,024 characters".to_owned()
            }
            UnseenReason::FileName => "the file is not called `SKILL.md`".to_owned(),
            UnseenReason::InRoot => "the file is not in a folder of its own".to_owned(),
            UnseenReason::TooDeep { depth: 1 } => {
                "only folders directly in the root are read".to_owned()
            }
            UnseenReason::TooDeep { depth } => format!("only {depth} levels of folders are read"),
            UnseenReason::InsideSkill => "it is inside the folder of another skill".to_owned(),
            UnseenReason::HiddenFolder => "a folder in its path begins with a dot".to_owned(),
            UnseenReason::Link => "a link in its path is not followed".to_owned(),
            UnseenReason::FolderNotRead { read_by } => {
                let first: Vec<&str> = read_by
                    .iter()
                    .take(MOST_AGENTS)
                    .map(|name| &**name)
                    .collect();
                let first = first.join(", ");
                match read_by.len().saturating_sub(MOST_AGENTS) {
                    0 => format!("the folder is read only by {first}"),
                    more => format!("the folder is read only by {first} and {more} more"),
                }
            }
            UnseenReason::NotYet { folder } => {
                format!(
                    "it is loaded once a file in `{}` is read",
                    paths.path(folder)
                )
            }
            UnseenReason::NotTrusted => "the project is not trusted".to_owned(),
            UnseenReason::PluginDisabled {
                plugin,
                file: Some(file),
            } => {
                format!(
                    "its plugin `{plugin}` is disabled in `{}`",
                    paths.path(file)
                )
            }
            UnseenReason::PluginDisabled { plugin, file: None } => {
                format!("its plugin `{plugin}` is disabled")
            }
            UnseenReason::PluginNotInstalled => "its plugin is in a marketplace only".to_owned(),
            UnseenReason::Budget => "the list is over its budget".to_owned(),
            UnseenReason::Unreadable => "the file cannot be read".to_owned(),
        }
    }
}

/// Returns the possible reasons, those of preferred files as one.
fn omissions(omitted: &[&SkillOutcome], paths: &ShownPaths) -> String {
    let (mut rivals, mut reasons) = (Vec::new(), Vec::new());
    for outcome in omitted {
        match outcome {
            SkillOutcome::Omitted {
                reason: UnseenReason::Shadowed { by },
            } => rivals.push(format!("`{}`", paths.skill(by))),
            SkillOutcome::Omitted { reason } => reasons.push(reason.text(paths)),
            other => reasons.push(other.text(paths)),
        }
    }
    if !rivals.is_empty() {
        reasons.push(format!("{} is preferred", rivals.join(" or ")));
    }
    reasons.join("; or ")
}

fn form(listed: ListedAs) -> &'static str {
    match listed {
        ListedAs::Full => "loaded",
        ListedAs::Shortened => "loaded, its description shortened",
        ListedAs::NameOnly => "loaded, listed by name only",
        ListedAs::ModelOnly => "loaded for the model only",
        ListedAs::UserOnly => "loaded for the user only",
        ListedAs::Conditional => "loaded while matching files are worked on",
        ListedAs::Unlisted => "loaded, listed to neither model nor user",
    }
}
