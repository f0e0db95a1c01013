//! The tools that skills bring.

use std::sync::Arc;

use repertoire_core::{Attachable, Id, Skill, ToolSpec};
use serde_json::Value;

use super::access::{Access, AccessDecision, Authorizer, Effect, decide};
use crate::error::PermissionError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Offer {
    WhileActive,
    Always,
}

/// The tools of a host and of its skills: the offered ones, and the decision on each call.
///
/// Each name has one tool. The host runs the calls, and asks for a decision before. A tool that is not offered is refused.
///
/// ```
/// use repertoire_core::{Attachable, Skill, ToolSpec};
/// use repertoire_permission::SkillTools;
///
/// let tool = |name: &str| ToolSpec::new(name, "Does it.", serde_json::json!({"type": "object"}));
/// let billing = Attachable::new(Skill::new("billing".parse()?, "Writes bills.")).map_err(|raw| raw.to_string())?;
/// let id = billing.skill().id.clone();
/// let tools = SkillTools::new([tool("search")?])?.with(&id, &billing, [tool("write_bill")?])?;
///
/// let names = |active: &[_]| tools.offered(active).iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>();
/// assert_eq!(names(&[]), ["search"]);
/// assert_eq!(names(&[id]), ["search", "write_bill"]);
/// assert!(tools.decision("write_bill", &serde_json::json!({}), &[]).is_some_and(|decision| decision.is_refused()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct SkillTools {
    tools: Vec<Tool>,
    offer: Offer,
    authorizers: Vec<Arc<dyn Authorizer>>,
}

#[derive(Debug, Clone)]
struct Tool {
    spec: ToolSpec,
    /// The skills that bring it; none for the host's own.
    owners: Vec<ToolOwner>,
}

#[derive(Debug, Clone)]
struct ToolOwner {
    id: Id,
    offer: Offer,
    effect: Effect,
}

impl SkillTools {
    /// Creates the tools of the host, including those that find and read skills. Tools of skills are offered while their skill
    /// is active.
    ///
    /// # Errors
    /// [`PermissionError::ToolClash`] for two tools of one name.
    pub fn new(own: impl IntoIterator<Item = ToolSpec>) -> Result<SkillTools, PermissionError> {
        let mut all = SkillTools {
            tools: Vec::new(),
            offer: Offer::WhileActive,
            authorizers: Vec::new(),
        };
        for spec in own {
            if all.tool(&spec.name).is_some() {
                return Err(PermissionError::ToolClash {
                    tool: spec.name,
                    skills: Vec::new(),
                });
            }
            all.tools.push(Tool {
                spec,
                owners: Vec::new(),
            });
        }
        Ok(all)
    }

    /// Offers the tools of skills that are added later at any time, unless the skill declares `autoActivate: currentSkill`.
    #[must_use]
    pub fn always_offered(mut self) -> SkillTools {
        self.offer = Offer::Always;
        self
    }

    /// Adds the tools of `skill`, which is active under `id`. Two skills may bring the same tool.
    ///
    /// # Errors
    /// [`PermissionError::ToolClash`] with the skills on both sides.
    pub fn with(
        mut self,
        id: &Id,
        skill: &Attachable,
        tools: impl IntoIterator<Item = ToolSpec>,
    ) -> Result<SkillTools, PermissionError> {
        let offer = if is_for_its_activation(skill.skill()) {
            Offer::WhileActive
        } else {
            self.offer
        };
        for spec in tools {
            let owner = ToolOwner {
                id: id.clone(),
                offer,
                effect: skill.policy(&spec.name).into(),
            };
            let tool = spec.name.clone();
            match self
                .tools
                .iter_mut()
                .find(|known| known.spec.name == spec.name)
            {
                None => self.tools.push(Tool {
                    spec,
                    owners: vec![owner],
                }),
                Some(known) => match known.owners.first() {
                    None => {
                        return Err(PermissionError::ToolClash {
                            tool,
                            skills: vec![owner.id],
                        });
                    }
                    Some(_) if known.owners.iter().any(|other| other.id == owner.id) => {
                        return Err(PermissionError::ToolClash {
                            tool,
                            skills: vec![owner.id.clone(), owner.id],
                        });
                    }
                    Some(first) if known.spec != spec => {
                        return Err(PermissionError::ToolClash {
                            tool,
                            skills: vec![first.id.clone(), owner.id],
                        });
                    }
                    Some(_) => known.owners.push(owner),
                },
            }
        }
        Ok(self)
    }

    /// Refuses each tool and each call that `authorizer` does not allow.
    #[must_use]
    pub fn permitted_by(mut self, authorizer: Arc<dyn Authorizer>) -> SkillTools {
        self.authorizers.push(authorizer);
        self
    }

    /// Returns the tools to offer while the skills `active` are active, in the order in which they were added.
    pub fn offered(&self, active: &[Id]) -> Vec<ToolSpec> {
        let is_offered = |tool: &&Tool| {
            !self
                .decision_of(tool, &Access::offer(&tool.spec.name), active)
                .is_refused()
        };
        let offered = self.tools.iter().filter(is_offered);
        offered.map(|tool| tool.spec.clone()).collect()
    }

    /// Returns the decision on a call while the skills `active` are active; `None` for an unknown tool.
    ///
    /// Ask before every call, because a model can call a tool that is not offered.
    pub fn decision(&self, tool: &str, arguments: &Value, active: &[Id]) -> Option<AccessDecision> {
        Some(self.decision_of(self.tool(tool)?, &Access::call(tool, arguments), active))
    }

    fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| *tool.spec.name == *name)
    }

    fn decision_of(&self, tool: &Tool, access: &Access<'_>, active: &[Id]) -> AccessDecision {
        let own = tool.owned(active);
        if own.is_refused() {
            return own;
        }
        match decide(&self.authorizers, access) {
            Some(decision) => own.and(decision),
            None => own,
        }
    }
}

impl Tool {
    fn owned(&self, active: &[Id]) -> AccessDecision {
        let name = &self.spec.name;
        if self.owners.is_empty() {
            return AccessDecision::new(
                Effect::Allow,
                "tools.own",
                format!("the tool `{name}` is of no skill"),
            );
        }
        self.owners
            .iter()
            .filter(|owner: &&ToolOwner| owner.offer == Offer::Always || active.contains(&owner.id))
            .map(|owner: &ToolOwner| {
                let id = &owner.id;
                let what = match owner.effect {
                    Effect::Allow => "brings",
                    Effect::Ask => "has to ask for",
                    Effect::Deny | Effect::Halt => "must not call",
                };
                AccessDecision::new(
                    owner.effect,
                    format!("skill:{id}.tools"),
                    format!("the skill `{id}` {what} the tool `{name}`"),
                )
            })
            .reduce(AccessDecision::and)
            .unwrap_or_else(|| {
                let ids: Vec<_> = self
                    .owners
                    .iter()
                    .map(|owner| format!("`{}`", owner.id))
                    .collect();
                let why = format!(
                    "the tool `{name}` is there while {} is active",
                    ids.join(" or ")
                );
                AccessDecision::new(Effect::Deny, "tools.inactive", why)
            })
    }
}

fn is_for_its_activation(skill: &Skill) -> bool {
    let declared = skill
        .text("autoActivate")
        .or_else(|| skill.text("metadata.autoActivate"));
    declared.is_some_and(|declared| declared.trim() == "currentSkill")
}
