//! The sentence that says how to make an agent load a file.

use std::path::Path;

use crate::files::{FileKind, FoundFile};
use crate::placed_root::PlacedRoot;
use crate::view::{RootScope, SkillOutcome, UnseenReason};

/// Returns the fix for a file that is not listed in full, if the user can change something.
pub(crate) fn fix(
    outcome: &SkillOutcome,
    file: &FoundFile,
    scope: RootScope,
    roots: &[PlacedRoot],
) -> Option<String> {
    let reason = narrowed_by(outcome)?;
    let path = file.path.display();
    let folder = file.path.parent().unwrap_or(Path::new(".")).display();
    let own = || own_root(scope, roots).map(|root| root.join(&*file.folder));
    Some(match reason {
        UnseenReason::FolderNotRead { .. } if file.kind != FileKind::Loose => {
            format!("link `{}` to `{folder}`", own()?.display())
        }
        UnseenReason::FolderNotRead { .. } | UnseenReason::InRoot => {
            format!("move `{path}` to `{}`", own()?.join("SKILL.md").display())
        }
        UnseenReason::TooDeep { .. } | UnseenReason::HiddenFolder | UnseenReason::InsideSkill => {
            format!("move `{folder}` to `{}`", own()?.display())
        }
        UnseenReason::FileName if file.kind == FileKind::OtherCase => {
            format!("rename `{path}` to `SKILL.md`")
        }
        UnseenReason::FileName => {
            format!("move `{path}` to `{}`", own()?.join("SKILL.md").display())
        }
        UnseenReason::Link => format!("put the file itself in place of the link `{path}`"),
        UnseenReason::Setting { file, key, .. } => {
            format!("change `{key}` in `{}`", file.display())
        }
        UnseenReason::Flag { name, .. } => format!("remove `{name}` from the skill"),
        UnseenReason::BrokenFrontMatter { line } | UnseenReason::NoFrontMatter { line } => {
            format!("repair the front matter at line {line} of `{path}`")
        }
        UnseenReason::MissingField { name } => format!("write `{name}` in `{path}`"),
        UnseenReason::NameMismatch => format!("write `name: {}` in `{path}`", file.folder),
        UnseenReason::NameRule => {
            format!("use at most 64 of `a-z`, `0-9` and `-` for the name in `{path}`")
        }
        UnseenReason::LongDescription => {
            format!("cut the description in `{path}` to 1,024 characters")
        }
        UnseenReason::Shadowed { by } => format!("rename this skill or remove `{}`", by.display()),
        UnseenReason::PluginDisabled { plugin, .. } => format!("enable the plugin `{plugin}`"),
        UnseenReason::PluginNotInstalled => "install the plugin".to_owned(),
        UnseenReason::NotTrusted => "trust the project in the agent".to_owned(),
        UnseenReason::Switch { name } => format!("change `{name}`"),
        _ => return None,
    })
}

/// Returns the first folder of this scope that the agent reads, else its first personal one.
fn own_root(scope: RootScope, roots: &[PlacedRoot]) -> Option<&Path> {
    let usable = |root: &&PlacedRoot| !root.commands && root.off.is_none() && root.below.is_none();
    let mut usable_roots = roots.iter().filter(usable);
    let same = usable_roots.clone().find(|root| root.scope == scope);
    let personal = || usable_roots.find(|root| root.scope == RootScope::Personal);
    same.or_else(personal).map(|root| &*root.path)
}

/// Returns the first reason why a file may not be listed in full.
fn narrowed_by(outcome: &SkillOutcome) -> Option<&UnseenReason> {
    match outcome {
        SkillOutcome::Omitted { reason } => Some(reason),
        SkillOutcome::Loaded { because, .. } => because.as_ref(),
        SkillOutcome::Unknown { one_of } => one_of.iter().find_map(narrowed_by),
    }
}
