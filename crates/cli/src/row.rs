//! One skill as the commands tell of it.

use repertoire::{Claim, Digest, Entry, Id, Readiness, Skill, Standing, Surface, Tier, Tokenizer, Trust};
use serde::Serialize;

use crate::session::Session;

/// One claim to an id, winner or shadow.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Row<'a> {
    /// The effective id: the skill's own, or `source:id` from a namespaced source.
    pub(crate) id: &'a Id,
    /// The id that leads here whoever wins: `source:id`.
    pub(crate) qualified_id: Id,
    pub(crate) source: &'a str,
    pub(crate) tier: Tier,
    pub(crate) trust: Trust,
    pub(crate) description: &'a str,
    /// Where it comes from, for people; a path for folders.
    pub(crate) location: Option<&'a str>,
    pub(crate) surface: Surface,
    /// What name and description cost, by the estimate that catalogs keep their budget by.
    pub(crate) tokens: usize,
    pub(crate) flags: Vec<Flag>,
    /// SHA-256 of the raw content, where it is known; a skill that shares its id has one.
    pub(crate) digest: Option<Digest>,
}

/// The claim that has the id.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Winner<'a> {
    #[serde(flatten)]
    pub(crate) row: Row<'a>,
    /// Whom it hides.
    pub(crate) shadows: Vec<Shadow<'a>>,
}

/// A claim that lost.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Shadow<'a> {
    #[serde(flatten)]
    pub(crate) row: Row<'a>,
    /// Whether the content is the winner's; absent where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) identical: Option<bool>,
}

/// What is unusual about a skill.
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
    /// A rule switches it off.
    Disabled,
    /// Its file broke; this is its last good version.
    Stale,
    /// Only some workflows may use it: no model sees it outside of them.
    WaitsForWorkflow,
    /// Something that it needs is not on this machine, or what it stands in for is; `show` tells what.
    NotReady,
}

impl Flag {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Flag::Manual => "manual",
            Flag::ModelOnly => "model-only",
            Flag::Unreachable => "unreachable",
            Flag::Disabled => "disabled",
            Flag::Stale => "stale",
            Flag::WaitsForWorkflow => "waits-for-workflow",
            Flag::NotReady => "not-ready",
        }
    }
}

impl<'a> Winner<'a> {
    /// A winner and its shadows.
    pub(crate) fn of(entry: &'a Entry<Skill>, session: &'a Session<'_>) -> Winner<'a> {
        let shadow = |shadow: &'a repertoire::Shadow<Skill>| Shadow {
            row: Row::of(entry, &shadow.claim, session),
            identical: shadow.identical,
        };
        Winner { row: Row::of(entry, &entry.claim, session), shadows: entry.shadows.iter().map(shadow).collect() }
    }
}

impl<'a> Row<'a> {
    /// One claim, winner or shadow.
    pub(crate) fn of(entry: &'a Entry<Skill>, claim: &'a Claim<Skill>, session: &'a Session<'_>) -> Row<'a> {
        let skill: &Skill = &claim.item;
        let is_winner = std::ptr::eq(claim, &raw const entry.claim);
        Row {
            id: &entry.id,
            qualified_id: if is_winner { claim.qualified_id() } else { entry.shadow_id(claim) },
            source: &claim.origin.source,
            tier: claim.origin.tier,
            trust: claim.trust,
            description: &skill.description,
            location: skill.location.as_deref(),
            surface: session.registry.surface_of(skill, &session.model),
            tokens: Tokenizer::default().estimate(&format!("{}: {}", skill.id, skill.description)),
            flags: flags(claim, session),
            digest: claim.digest,
        }
    }
}

fn flags(claim: &Claim<Skill>, session: &Session<'_>) -> Vec<Flag> {
    let skill: &Skill = &claim.item;
    let is_stale = skill.location.as_ref().is_some_and(|path| session.stale.contains(path));
    let is_disabled = claim.standing == Standing::Disabled;
    let (by_user, by_model) = (skill.user_invocable, !skill.disable_model_invocation);
    [
        (by_user && !by_model, Flag::Manual),
        (by_model && !by_user, Flag::ModelOnly),
        (!by_model && !by_user, Flag::Unreachable),
        (is_disabled, Flag::Disabled),
        (is_stale, Flag::Stale),
        (skill.allowed_workflows.is_some(), Flag::WaitsForWorkflow),
        (!Readiness::of(skill, &session.machine).is_ready(), Flag::NotReady),
    ]
    .into_iter()
    .filter_map(|(applies, flag)| applies.then_some(flag))
    .collect()
}
