//! Permissions by role.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::Arc;

use repertoire_core::{FunctionalTier, InvokeLevel, Skill};
use repertoire_registry::{Candidate, Target};

use super::access::{Access, Authorizer, Capability, Effect, Ruling};

/// Permissions by role: which tools, which skills, which capabilities; of several roles one is active. Cheap to clone.
///
/// | asked for | the active role's rule | ruling |
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
/// Where a role has several rules about skills, all have to allow; the ruling is by the first that denies, else by the first.
///
/// Skills that are denied exist for nobody who asks through these [`VisibilityPolicy`](crate::permission::VisibilityPolicy):
///
/// ```
/// use std::sync::Arc;
///
/// use repertoire_core::{ListingEntry, Listing, Revision, Skill, Stamp};
/// use repertoire_engine::catalog::{Catalog, CatalogOptions};
/// use repertoire_engine::permission::{VisibilityPolicy, PermissionPolicy};
/// use repertoire_registry::{Layer, Origin, Tier, merge};
///
/// let rows = ["payroll", "refunds"].map(|id| ListingEntry::new(Skill::new(id.parse().unwrap(), "Pays."), Stamp::of(id)));
/// let snapshot = merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, Listing::new(Revision(0), rows, []))]);
///
/// let policy = PermissionPolicy::from_roles([("support", vec!["lookup_order"]), ("finance", vec![])], "support")?
///     .with_skills("support", ["refunds".parse()?])?;
/// assert!(policy.allows("lookup_order") && !policy.allows("pay_out"));
///
/// let modes = VisibilityPolicy::default().permitted_by(Arc::new(policy));
/// let catalog = Catalog::of(&snapshot, &CatalogOptions::default().modes(modes));
/// assert!(catalog.text.contains("refunds") && !catalog.text.contains("payroll"));
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

/// A role that a policy does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown role `{}`: expected {}", repertoire_core::text::terminal_line(role), listed(roles))]
pub struct UnknownRole {
    role: String,
    roles: Vec<Arc<str>>,
}

fn listed(roles: &[Arc<str>]) -> String {
    match roles {
        [] => "one, but the policy has none".to_owned(),
        roles => roles.iter().map(|role| format!("`{role}`")).collect::<Vec<_>>().join(", "),
    }
}

impl PermissionPolicy {
    /// A policy of these roles and the tools of each, compared letter by letter. Of two lists for one role the later holds.
    ///
    /// # Errors
    /// [`UnknownRole`] when `active` is none of them.
    pub fn from_roles<R, T>(
        roles: impl IntoIterator<Item = (R, T)>,
        active: &str,
    ) -> Result<PermissionPolicy, UnknownRole>
    where
        R: Into<Arc<str>>,
        T: IntoIterator<Item: Into<Arc<str>>>,
    {
        let mut all: Vec<(Arc<str>, RoleRules)> = Vec::new();
        for (name, tools) in roles {
            let name = name.into();
            let role = RoleRules { tools: tools.into_iter().map(Into::into).collect(), ..RoleRules::default() };
            match all.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = role,
                None => all.push((name, role)),
            }
        }
        let policy = PermissionPolicy { roles: all.into(), active: 0 };
        policy.with_active_role(active)
    }

    /// The same policy, in which `role` sees these skills alone. `tidy` is that skill of every source, `home:tidy` that of one;
    /// called again, it adds to them.
    ///
    /// # Errors
    /// [`UnknownRole`].
    pub fn with_skills(
        mut self,
        role: &str,
        skills: impl IntoIterator<Item = Target>,
    ) -> Result<PermissionPolicy, UnknownRole> {
        self.role_mut(role)?.skills.get_or_insert_default().extend(skills);
        Ok(self)
    }

    /// The same policy, in which `role` sees skills with one of these labels alone; called again, it adds to them.
    ///
    /// # Errors
    /// [`UnknownRole`].
    pub fn with_functional_tiers(
        mut self,
        role: &str,
        tiers: impl IntoIterator<Item = FunctionalTier>,
    ) -> Result<PermissionPolicy, UnknownRole> {
        self.role_mut(role)?.tiers.get_or_insert_default().extend(tiers);
        Ok(self)
    }

    /// The same policy, in which `role` sees no skill that demands a higher level: a role's level holds for whoever has the role,
    /// a person too.
    ///
    /// # Errors
    /// [`UnknownRole`].
    pub fn with_invoke_level(mut self, role: &str, level: InvokeLevel) -> Result<PermissionPolicy, UnknownRole> {
        self.role_mut(role)?.level = Some(level);
        Ok(self)
    }

    /// The same policy, in which `role` has these capabilities alone; called again, it adds to them.
    ///
    /// # Errors
    /// [`UnknownRole`].
    pub fn with_capabilities(
        mut self,
        role: &str,
        capabilities: impl IntoIterator<Item = Capability>,
    ) -> Result<PermissionPolicy, UnknownRole> {
        self.role_mut(role)?.capabilities.get_or_insert_default().extend(capabilities);
        Ok(self)
    }

    /// The same rules for another role.
    ///
    /// # Errors
    /// [`UnknownRole`].
    pub fn with_active_role(&self, role: &str) -> Result<PermissionPolicy, UnknownRole> {
        Ok(PermissionPolicy { roles: self.roles.clone(), active: self.place(role)? })
    }

    /// The role that is active.
    pub fn active_role(&self) -> &str {
        &self.roles[self.active].0
    }

    /// All roles, in the order in which they were given.
    pub fn roles(&self) -> impl ExactSizeIterator<Item = &str> {
        self.roles.iter().map(|(name, _)| name.as_ref())
    }

    /// The tools of the active role.
    pub fn allowed_tools(&self) -> &[Arc<str>] {
        &self.role().tools
    }

    /// Returns whether the active role may call `tool`.
    pub fn allows(&self, tool: &str) -> bool {
        self.role().tools.iter().any(|allowed| allowed.as_ref() == tool)
    }

    /// The decision about `access`; a policy can always decide.
    pub fn ruling(&self, access: &Access<'_>) -> Ruling {
        match access {
            Access::Skill(candidate) => self.skill_ruling(candidate),
            Access::Data(capability, _) if let Some(capabilities) = &self.role().capabilities => self.listed(
                "capabilities",
                capabilities.contains(capability),
                &format!("the capability `{capability}`"),
            ),
            Access::Tool(tool) | Access::Data(_, tool) => {
                self.listed("allowlist", self.allows(tool), &format!("the tool `{tool}`"))
            }
        }
    }

    fn skill_ruling(&self, candidate: &Candidate<Skill>) -> Ruling {
        let (name, role, skill) = (self.active_role(), self.role(), &candidate.item);
        let what = format!("the skill `{}`", candidate.qualified_id());
        let by_id = role.skills.as_ref().map(|skills| {
            let is_listed = candidate.targets().any(|target| skills.contains(&target));
            self.listed("skills", is_listed, &what)
        });
        let by_label = role.tiers.as_ref().map(|tiers| {
            self.listed("functional-tiers", skill.has_functional_tier(tiers), &format!("the label of {what}"))
        });
        let by_level = role.level.map(|level| {
            let (needs, has) = (u8::from(skill.invoke_level()), u8::from(level));
            let why = format!("{what} demands level {needs}, and the role `{name}` has level {has}");
            match needs <= has {
                true => Ruling::new(Effect::Allow, format!("{name}.invoke-level"), why),
                false => Ruling::new(Effect::Deny, format!("{name}.invoke-level.miss"), why),
            }
        });
        [by_id, by_label, by_level].into_iter().flatten().reduce(Ruling::and).unwrap_or_else(|| {
            let why = format!("nothing is said of the skills of the role `{name}`");
            Ruling::new(Effect::Allow, format!("{name}.skills.unruled"), why)
        })
    }

    fn listed(&self, list: &str, is_listed: bool, what: &str) -> Ruling {
        let name = self.active_role();
        match is_listed {
            true => Ruling::new(Effect::Allow, format!("{name}.{list}"), format!("the role `{name}` has {what}")),
            false => Ruling::new(
                Effect::Deny,
                format!("{name}.{list}.miss"),
                format!("{what} is not among the {list} of the role `{name}`"),
            ),
        }
    }

    fn role(&self) -> &RoleRules {
        &self.roles[self.active].1
    }

    fn role_mut(&mut self, role: &str) -> Result<&mut RoleRules, UnknownRole> {
        let place = self.place(role)?;
        Ok(&mut Arc::make_mut(&mut self.roles)[place].1)
    }

    fn place(&self, role: &str) -> Result<usize, UnknownRole> {
        let unknown =
            || UnknownRole { role: role.to_owned(), roles: self.roles.iter().map(|(name, _)| name.clone()).collect() };
        self.roles.iter().position(|(name, _)| name.as_ref() == role).ok_or_else(unknown)
    }
}

impl Authorizer for PermissionPolicy {
    fn governs(&self, capability: Capability) -> bool {
        let mut roles = self.roles.iter().map(|(_, role)| role);
        match capability {
            Capability::ToolCall => true,
            Capability::SkillRead => roles.any(RoleRules::rules_skills),
            _ => roles.any(|role| role.capabilities.is_some()),
        }
    }

    fn check(&self, access: &Access<'_>) -> Result<Ruling, Box<dyn Error + Send + Sync>> {
        Ok(self.ruling(access))
    }
}
