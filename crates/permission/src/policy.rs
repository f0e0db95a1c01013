//! Permissions by role.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::Arc;

use repertoire_core::{FunctionalTier, InvokeLevel, Skill};
use repertoire_registry::{Candidate, Target};

use super::access::{Access, AccessDecision, Authorizer, Capability, Effect};
use crate::error::PermissionError;

/// Permissions by role to tools, skills and capabilities. One role is active. Cheap to clone.
///
/// | asked for | the active role's rule | decision |
/// |---|---|---|
/// | a tool | lists it | allowed by `ROLE.allowlist` |
/// | | does not | denied by `ROLE.allowlist.miss` |
/// | a skill | there is none | allowed by `ROLE.skills.unruled` |
/// | | lists it | allowed by `ROLE.skills` |
/// | | does not | denied by `ROLE.skills.miss` |
/// | | has its label, or not | allowed by `ROLE.functional-tiers`, denied by `ROLE.functional-tiers.miss` |
/// | | reaches its level, or not | allowed by `ROLE.invoke-level`, denied by `ROLE.invoke-level.miss` |
/// | a capability | there is none | as the tool that it is used by |
/// | | lists it | allowed by `ROLE.capabilities` |
/// | | does not | denied by `ROLE.capabilities.miss` |
///
/// If a role has several rules about skills, all must allow. The decision names the first that denies, or else the first.
///
/// A [`VisibilityPolicy`](crate::VisibilityPolicy) hides the denied skills:
///
/// ```
/// use std::sync::Arc;
///
/// use repertoire_core::{ListingEntry, Listing, Revision, Skill, Stamp};
/// use repertoire_permission::{Access, Audience, PermissionPolicy, VisibilityPolicy};
/// use repertoire_registry::{Layer, Origin, Tier, merge};
///
/// let rows = ["payroll", "refunds"].map(|id| ListingEntry::new(Skill::new(id.parse().unwrap(), "Pays."), Stamp::of(id)));
/// let snapshot = merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, Listing::new(Revision(0), rows, []))]);
///
/// let policy = PermissionPolicy::new([("support", vec!["lookup_order"]), ("finance", vec![])], "support")?
///     .skills("support", ["refunds".parse()?])?;
/// assert!(policy.decision(&Access::offer("lookup_order")).is_allowed());
///
/// let modes = VisibilityPolicy::default().permitted_by(Arc::new(policy));
/// let seen = snapshot.entries().iter().filter(|entry| modes.sees(Audience::Model, &entry.candidate));
/// assert_eq!(seen.map(|entry| entry.id.as_str()).collect::<Vec<_>>(), ["refunds"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionPolicy {
    roles: Arc<[(Arc<str>, RoleRules)]>,
    active: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct RoleRules {
    tools: Vec<Arc<str>>,
    skills: Option<BTreeSet<Target>>,
    tiers: Option<Vec<FunctionalTier>>,
    level: Option<InvokeLevel>,
    capabilities: Option<BTreeSet<Capability>>,
}

impl RoleRules {
    fn rules_skills(&self) -> bool {
        self.skills.is_some() || self.tiers.is_some() || self.level.is_some()
    }
}

impl PermissionPolicy {
    /// Creates a policy from the tools of each role. Of two lists for one role, the later counts.
    ///
    /// # Errors
    /// [`PermissionError::UnknownRole`] when `active` is none of them.
    pub fn new<R, T>(
        roles: impl IntoIterator<Item = (R, T)>,
        active: &str,
    ) -> Result<PermissionPolicy, PermissionError>
    where
        R: Into<Arc<str>>,
        T: IntoIterator<Item: Into<Arc<str>>>,
    {
        let mut all: Vec<(Arc<str>, RoleRules)> = Vec::new();
        for (name, tools) in roles {
            let name = name.into();
            let role = RoleRules {
                tools: tools.into_iter().map(Into::into).collect(),
                ..RoleRules::default()
            };
            match all.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = role,
                None => all.push((name, role)),
            }
        }
        let policy = PermissionPolicy {
            roles: all.into(),
            active: 0,
        };
        policy.active_role(active)
    }

    /// Limits `role` to these skills: `tidy` of every source, `home:tidy` of one. A second call adds to them.
    ///
    /// # Errors
    /// [`PermissionError::UnknownRole`].
    pub fn skills(
        mut self,
        role: &str,
        skills: impl IntoIterator<Item = Target>,
    ) -> Result<PermissionPolicy, PermissionError> {
        self.role_mut(role)?
            .skills
            .get_or_insert_default()
            .extend(skills);
        Ok(self)
    }

    /// Limits `role` to skills with one of these labels. A second call adds to them.
    ///
    /// # Errors
    /// [`PermissionError::UnknownRole`].
    pub fn functional_tiers(
        mut self,
        role: &str,
        tiers: impl IntoIterator<Item = FunctionalTier>,
    ) -> Result<PermissionPolicy, PermissionError> {
        self.role_mut(role)?
            .tiers
            .get_or_insert_default()
            .extend(tiers);
        Ok(self)
    }

    /// Hides skills that demand a higher level than this one from `role`, also if the user has it.
    ///
    /// # Errors
    /// [`PermissionError::UnknownRole`].
    pub fn invoke_level(
        mut self,
        role: &str,
        level: InvokeLevel,
    ) -> Result<PermissionPolicy, PermissionError> {
        self.role_mut(role)?.level = Some(level);
        Ok(self)
    }

    /// Limits `role` to these capabilities. A second call adds to them.
    ///
    /// # Errors
    /// [`PermissionError::UnknownRole`].
    pub fn capabilities(
        mut self,
        role: &str,
        capabilities: impl IntoIterator<Item = Capability>,
    ) -> Result<PermissionPolicy, PermissionError> {
        self.role_mut(role)?
            .capabilities
            .get_or_insert_default()
            .extend(capabilities);
        Ok(self)
    }

    /// Returns the same policy with this role active.
    ///
    /// # Errors
    /// [`PermissionError::UnknownRole`].
    pub(crate) fn active_role(&self, role: &str) -> Result<PermissionPolicy, PermissionError> {
        Ok(PermissionPolicy {
            roles: self.roles.clone(),
            active: self.place(role)?,
        })
    }

    /// Returns the decision about `access`; a policy can always decide.
    pub fn decision(&self, access: &Access<'_>) -> AccessDecision {
        match access {
            Access::Skill(candidate) => self.skill_decision(candidate),
            Access::Tool { capability, .. }
                if let Some(capabilities) = &self.role().capabilities
                    && *capability != Capability::TOOL_CALL =>
            {
                let is_listed = capabilities.contains(capability);
                self.listed(
                    "capabilities",
                    is_listed,
                    &format!("the capability `{capability}`"),
                )
            }
            Access::Tool { name, .. } => {
                let is_listed = self
                    .role()
                    .tools
                    .iter()
                    .any(|allowed| allowed.as_ref() == *name);
                self.listed("allowlist", is_listed, &format!("the tool `{name}`"))
            }
        }
    }

    fn skill_decision(&self, candidate: &Candidate<Skill>) -> AccessDecision {
        let (name, role) = &self.roles[self.active];
        let skill = &candidate.item;
        let what = format!("the skill `{}`", candidate.qualified_id());
        let by_id = role.skills.as_ref().map(|skills| {
            let is_listed = candidate.targets().any(|target| skills.contains(&target));
            self.listed("skills", is_listed, &what)
        });
        let by_label = role.tiers.as_ref().map(|tiers| {
            self.listed(
                "functional-tiers",
                skill.has_functional_tier(tiers),
                &format!("the label of {what}"),
            )
        });
        let by_level = role.level.map(|level| {
            let (needs, has) = (u8::from(skill.invoke_level()), u8::from(level));
            let why =
                format!("{what} demands level {needs}, and the role `{name}` has level {has}");
            match needs <= has {
                true => AccessDecision::new(Effect::Allow, format!("{name}.invoke-level"), why),
                false => {
                    AccessDecision::new(Effect::Deny, format!("{name}.invoke-level.miss"), why)
                }
            }
        });
        [by_id, by_label, by_level]
            .into_iter()
            .flatten()
            .reduce(AccessDecision::and)
            .unwrap_or_else(|| {
                let why = format!("nothing is said of the skills of the role `{name}`");
                AccessDecision::new(Effect::Allow, format!("{name}.skills.unruled"), why)
            })
    }

    fn listed(&self, list: &str, is_listed: bool, what: &str) -> AccessDecision {
        let name = &self.roles[self.active].0;
        match is_listed {
            true => AccessDecision::new(
                Effect::Allow,
                format!("{name}.{list}"),
                format!("the role `{name}` has {what}"),
            ),
            false => AccessDecision::new(
                Effect::Deny,
                format!("{name}.{list}.miss"),
                format!("{what} is not among the {list} of the role `{name}`"),
            ),
        }
    }

    fn role(&self) -> &RoleRules {
        &self.roles[self.active].1
    }

    fn role_mut(&mut self, role: &str) -> Result<&mut RoleRules, PermissionError> {
        let place = self.place(role)?;
        Ok(&mut Arc::make_mut(&mut self.roles)[place].1)
    }

    fn place(&self, role: &str) -> Result<usize, PermissionError> {
        let unknown = || PermissionError::UnknownRole {
            role: role.to_owned(),
            roles: self.roles.iter().map(|(name, _)| name.clone()).collect(),
        };
        self.roles
            .iter()
            .position(|(name, _)| name.as_ref() == role)
            .ok_or_else(unknown)
    }
}

impl Authorizer for PermissionPolicy {
    fn governs(&self, capability: &Capability) -> bool {
        let mut roles = self.roles.iter().map(|(_, role)| role);
        match capability.as_str() {
            "tool_call" => true,
            "skill_read" => roles.any(RoleRules::rules_skills),
            _ => roles.any(|role| role.capabilities.is_some()),
        }
    }

    fn check(&self, access: &Access<'_>) -> Result<AccessDecision, Box<dyn Error + Send + Sync>> {
        Ok(self.decision(access))
    }
}
