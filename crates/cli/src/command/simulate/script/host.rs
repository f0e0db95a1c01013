//! What a scripted host has: how its session works, who may do what, its tools and those of its skills.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use repertoire::{
    Attachable, Authorizer, Bodies, FunctionalTier, Gate, InvokeLevel, Lifetime, MessageRules, Offer, PermissionPolicy,
    Refresh, SessionOptions, SkillTools, Target, ToolPolicy, ToolSpec,
};
use serde::{Deserialize, Deserializer, de};
use serde_json::json;

use crate::failure::Failure;
use crate::session::Session;

/// How the session works.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(in super::super) struct Working {
    lifetime: Lifetime,
    bodies: Stand,
    refresh: Option<Again>,
    /// Whether the provider refuses two messages of one role in a row.
    strictly_alternating: bool,
}

/// Where bodies stand that no tool read.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Stand {
    #[default]
    SystemPrompt,
    Buffer,
}

/// When a body is given again.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Again {
    AfterTokens(usize),
    AfterTurns(usize),
}

/// What a role may do.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Role {
    /// The tools that it may call.
    #[serde(default)]
    tools: Vec<String>,
    /// The skills that it may see; all where it is not there.
    skills: Option<Vec<Parsed<Target>>>,
    functional_tiers: Option<Vec<String>>,
    invoke_level: Option<u8>,
}

/// A tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Declared {
    name: String,
    #[serde(default)]
    description: String,
    /// The skill that brings it; without one it is the host's own.
    of: Option<String>,
    /// What the gate of a raw skill says of it.
    policy: Option<Policy>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Policy {
    Safe,
    RequiresApproval,
    Blocked,
}

/// A text that is read as it is where it stands, so that what is wrong with it is told with its place.
#[derive(Debug)]
struct Parsed<T>(T);

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Parsed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Parsed<T>, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Parsed).map_err(de::Error::custom)
    }
}

impl Declared {
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

impl Working {
    pub(in super::super) fn options(&self, composed: &Session<'_>) -> SessionOptions {
        let surfaces = composed.registry.surface_policy();
        let provider = composed.model.provider.or(surfaces.hint.as_deref()).unwrap_or_default().to_owned();
        let rules = MessageRules::of(Some(&provider));
        let rules = if self.strictly_alternating { rules.strictly_alternating() } else { rules };
        SessionOptions::new(surfaces)
            .message_rules(&provider, rules)
            .lifetime(self.lifetime)
            .bodies(match self.bodies {
                Stand::SystemPrompt => Bodies::SystemPrompt,
                Stand::Buffer => Bodies::Buffer,
            })
            .refresh(match self.refresh {
                None => Refresh::Never,
                Some(Again::AfterTokens(tokens)) => Refresh::AfterTokens(tokens),
                Some(Again::AfterTurns(turns)) => Refresh::AfterTurns(turns),
            })
    }
}

/// The policy of these roles, of which `active` is.
pub(super) fn policy(roles: &BTreeMap<String, Role>, active: &str) -> Result<PermissionPolicy, Failure> {
    let tools = roles.iter().map(|(name, role)| (name.as_str(), role.tools.iter().map(String::as_str)));
    let unknown = |error: repertoire::UnknownRole| Failure::of(&error);
    let mut policy = PermissionPolicy::from_roles(tools, active).map_err(unknown)?;
    for (name, role) in roles {
        if let Some(skills) = &role.skills {
            policy = policy.with_skills(name, skills.iter().map(|Parsed(skill)| skill.clone())).map_err(unknown)?;
        }
        if let Some(tiers) = &role.functional_tiers {
            policy = policy
                .with_functional_tiers(name, tiers.iter().map(|tier| FunctionalTier::new(tier)))
                .map_err(unknown)?;
        }
        if let Some(level) = role.invoke_level {
            let level = InvokeLevel::new(&level.to_string())
                .ok_or_else(|| Failure::new(format!("the role `{name}` has the level {level}: expected 1, 2 or 3")))?;
            policy = policy.with_invoke_level(name, level).map_err(unknown)?;
        }
    }
    Ok(policy)
}

/// The tools for skills, those that are `declared`, and who may call them.
pub(super) fn gate(
    own: &[ToolSpec],
    declared: &[Declared],
    policy: Option<Arc<dyn Authorizer>>,
    composed: &Session<'_>,
) -> Result<SkillTools, Failure> {
    let clash = |error: repertoire::ToolClash| Failure::of(&error);
    let mut own = own.to_vec();
    for tool in declared.iter().filter(|tool| tool.of.is_none()) {
        own.push(tool.spec()?);
    }
    let mut gate = SkillTools::new(own, Offer::WhileActive).map_err(clash)?;
    for tool in declared {
        let Some(of) = &tool.of else { continue };
        let found = composed.find(of)?;
        let skill = Attachable::new(found.claim.item.clone()).unwrap_or_else(|raw| raw.gated(tool.gate()));
        gate = gate.with(&found.entry.id, &skill, [tool.spec()?]).map_err(clash)?;
    }
    Ok(policy.into_iter().fold(gate, SkillTools::permitted_by))
}

impl Declared {
    fn spec(&self) -> Result<ToolSpec, Failure> {
        let schema = json!({"type": "object"});
        ToolSpec::new(self.name.as_str(), self.description.as_str(), schema).map_err(|error| Failure::of(&error))
    }

    /// What a raw skill has between itself and this tool: without a word, nothing gets through.
    fn gate(&self) -> Gate {
        let policy = self.policy.map(|policy| match policy {
            Policy::Safe => ToolPolicy::Safe,
            Policy::RequiresApproval => ToolPolicy::RequiresApproval,
            Policy::Blocked => ToolPolicy::Blocked,
        });
        policy.into_iter().fold(Gate::new(), |gate, policy| gate.with(self.name.as_str(), policy))
    }
}
