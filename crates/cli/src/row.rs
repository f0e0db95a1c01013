//! Skills as the commands print them.

use repertoire::catalog::Tokenizer;
use repertoire::permission::Requirements;
use repertoire::registry::{Candidate, Entry, Status, Tier};
use repertoire::skill::{Digest, Surface};
use repertoire::{Id, Skill, Trust};
use serde::Serialize;

use crate::context::CommandContext;
use crate::diagnostics::joined;
use crate::output::word;

/// One candidate for a name, winner or shadow.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct SkillRow<'a> {
    /// The effective id: the skill's own, or `source:id` from a namespaced source.
    pub(crate) id: &'a Id,
    /// The full name, which always resolves to this candidate: `source:id`.
    pub(crate) qualified_id: Id,
    pub(crate) source: &'a str,
    pub(crate) tier: Tier,
    pub(crate) trust: Trust,
    pub(crate) description: &'a str,
    /// The origin, for people; a path for sources that search folders.
    pub(crate) location: Option<&'a str>,
    pub(crate) surface: Surface,
    /// The estimated tokens of name and description in a catalog.
    pub(crate) tokens: usize,
    pub(crate) flags: Vec<Flag>,
    /// SHA-256 of the raw content, if known; every skill that shares its id has one.
    pub(crate) digest: Option<Digest>,
}

/// The candidate that a name resolves to.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct WinnerRow<'a> {
    #[serde(flatten)]
    pub(crate) row: SkillRow<'a>,
    /// The candidates that lose.
    pub(crate) shadows: Vec<ShadowRow<'a>>,
}

/// A candidate that loses.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ShadowRow<'a> {
    #[serde(flatten)]
    pub(crate) row: SkillRow<'a>,
    /// Whether the content is the same as the winner's; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) identical: Option<bool>,
}

/// A remarkable property of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Flag {
    /// Only the user may call it.
    Manual,
    /// Only the model may call it.
    ModelOnly,
    /// Neither the user nor the model may call it.
    Unreachable,
    /// A rule disables it.
    Disabled,
    /// Its file is broken; this is the last valid version.
    Stale,
    /// Only some workflows may use it; models do not see it outside of these.
    WaitsForWorkflow,
    /// This machine lacks a requirement of the skill, or makes the skill unnecessary; `show` has the details.
    NotReady,
}

impl<'a> WinnerRow<'a> {
    pub(crate) fn of(entry: &'a Entry<Skill>, context: &'a CommandContext) -> WinnerRow<'a> {
        let shadows = entry.shadows.iter();
        let shadows = shadows.map(|shadow| ShadowRow {
            row: SkillRow::of(entry, &shadow.candidate, context),
            identical: shadow.identical,
        });
        WinnerRow {
            row: SkillRow::of(entry, &entry.candidate, context),
            shadows: shadows.collect(),
        }
    }
}

impl<'a> SkillRow<'a> {
    pub(crate) fn flags_text(&self) -> String {
        joined(self.flags.iter().map(word))
    }

    pub(crate) fn of(
        entry: &'a Entry<Skill>,
        candidate: &'a Candidate<Skill>,
        context: &'a CommandContext,
    ) -> SkillRow<'a> {
        let skill: &Skill = &candidate.item;
        let is_winner = std::ptr::eq(candidate, &raw const entry.candidate);
        SkillRow {
            id: &entry.id,
            qualified_id: if is_winner {
                candidate.qualified_id()
            } else {
                entry.shadow_id(candidate)
            },
            source: &candidate.origin.source,
            tier: candidate.origin.tier,
            trust: candidate.trust,
            description: &skill.description,
            location: skill.location.as_deref(),
            surface: context.registry.surface_of(skill, &context.model),
            tokens: Tokenizer::default().estimate(&format!("{}: {}", skill.id, skill.description)),
            flags: flags(candidate, context),
            digest: candidate.digest,
        }
    }
}

fn flags(candidate: &Candidate<Skill>, context: &CommandContext) -> Vec<Flag> {
    let skill: &Skill = &candidate.item;
    let is_stale = skill
        .location
        .as_ref()
        .is_some_and(|path| context.stale.contains(path));
    let is_disabled = candidate.status == Status::Disabled;
    let (by_user, by_model) = (skill.user_invocable, !skill.disable_model_invocation);
    [
        (by_user && !by_model, Flag::Manual),
        (by_model && !by_user, Flag::ModelOnly),
        (!by_model && !by_user, Flag::Unreachable),
        (is_disabled, Flag::Disabled),
        (is_stale, Flag::Stale),
        (skill.allowed_workflows.is_some(), Flag::WaitsForWorkflow),
        (
            !Requirements::new(skill, &context.probe).is_ready(),
            Flag::NotReady,
        ),
    ]
    .into_iter()
    .filter_map(|(applies, flag)| applies.then_some(flag))
    .collect()
}
