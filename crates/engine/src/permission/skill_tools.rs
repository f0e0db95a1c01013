//! The tools that skills bring.

use std::sync::Arc;

use repertoire_core::{Attachable, Id, Skill, ToolSpec};
use serde::Serialize;

use super::access::{Access, Authorizer, Effect, Ruling, ruling};

/// When the tools of a skill are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Offer {
    /// While the skill is active.
    #[default]
    WhileActive,
    /// Always, unless the skill says itself `autoActivate: currentSkill`.
    Always,
}

/// The tools of a host and those that its skills bring: what is offered, and whether a call goes through.
///
/// Names lead to one tool each, which is found out when a tool is added. The host keeps what runs behind a name; here it learns
/// whether to. What is not offered is not let through either.
///
/// ```
/// use repertoire_core::{Attachable, Skill, ToolSpec};
/// use repertoire_engine::permission::{Offer, SkillTools};
///
/// let tool = |name: &str| ToolSpec::new(name, "Does it.", serde_json::json!({"type": "object"}));
/// let billing = Attachable::new(Skill::new("billing".parse()?, "Writes bills.")).map_err(|raw| raw.to_string())?;
/// let id = billing.skill().id.clone();
/// let tools = SkillTools::new([tool("search")?], Offer::WhileActive)?.with(&id, &billing, [tool("write_bill")?])?;
///
/// let names = |active: &[_]| tools.offered(active).iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>();
/// assert_eq!(names(&[]), ["search"]);
/// assert_eq!(names(&[id]), ["search", "write_bill"]);
/// assert!(tools.ruling("write_bill", &[]).is_some_and(|ruling| ruling.is_refused()));
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
    owners: Vec<Owner>,
}

#[derive(Debug, Clone)]
struct Owner {
    id: Id,
    offer: Offer,
    effect: Effect,
}

/// Two tools of one name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolClash {
    /// Two of the host's own.
    #[error("two tools are called `{tool}`")]
    Host {
        /// The name.
        tool: Arc<str>,
    },
    /// One of the host's own and one of a skill.
    #[error("the skill `{skill}` brings a tool `{tool}`, which is the name of one that is there without it")]
    HostAndSkill {
        /// The name.
        tool: Arc<str>,
        /// The skill.
        skill: Id,
    },
    /// Two of one skill.
    #[error("the skill `{skill}` brings two tools called `{tool}`")]
    Skill {
        /// The name.
        tool: Arc<str>,
        /// The skill.
        skill: Id,
    },
    /// Different ones of two skills.
    #[error("the skills `{first}` and `{second}` bring different tools called `{tool}`")]
    Skills {
        /// The name.
        tool: Arc<str>,
        /// The skill that was there before.
        first: Id,
        /// The skill that was added.
        second: Id,
    },
}

impl SkillTools {
    /// The host's own tools, those that find and read skills among them, and when those of skills are offered.
    ///
    /// # Errors
    /// [`ToolClash::Host`].
    pub fn new(own: impl IntoIterator<Item = ToolSpec>, offer: Offer) -> Result<SkillTools, ToolClash> {
        let mut all = SkillTools { tools: Vec::new(), offer, authorizers: Vec::new() };
        for spec in own {
            if all.tool(&spec.name).is_some() {
                return Err(ToolClash::Host { tool: spec.name });
            }
            all.tools.push(Tool { spec, owners: Vec::new() });
        }
        Ok(all)
    }

    /// The same tools and those that `skill`, which is active under `id`, brings. A raw skill has its gate before it gets here.
    ///
    /// Two skills may bring the very same tool.
    ///
    /// # Errors
    /// [`ToolClash`], which names both sides.
    pub fn with(
        mut self,
        id: &Id,
        skill: &Attachable,
        tools: impl IntoIterator<Item = ToolSpec>,
    ) -> Result<SkillTools, ToolClash> {
        let offer = if is_for_its_activation(skill.skill()) { Offer::WhileActive } else { self.offer };
        for spec in tools {
            let owner = Owner { id: id.clone(), offer, effect: skill.policy(&spec.name).into() };
            let tool = spec.name.clone();
            match self.tools.iter_mut().find(|known| known.spec.name == spec.name) {
                None => self.tools.push(Tool { spec, owners: vec![owner] }),
                Some(known) => match known.owners.first() {
                    None => return Err(ToolClash::HostAndSkill { tool, skill: owner.id }),
                    Some(_) if known.owners.iter().any(|other| other.id == owner.id) => {
                        return Err(ToolClash::Skill { tool, skill: owner.id });
                    }
                    Some(first) if known.spec != spec => {
                        return Err(ToolClash::Skills { tool, first: first.id.clone(), second: owner.id });
                    }
                    Some(_) => known.owners.push(owner),
                },
            }
        }
        Ok(self)
    }

    /// The same tools, offered and let through only if `authorizer` allows them too.
    #[must_use]
    pub fn permitted_by(mut self, authorizer: Arc<dyn Authorizer>) -> SkillTools {
        self.authorizers.push(authorizer);
        self
    }

    /// The tools to offer while the skills called `active` are: those whose calls are not refused, in the order in which they
    /// were added.
    pub fn offered(&self, active: &[Id]) -> Vec<ToolSpec> {
        let offered = self.tools.iter().filter(|tool| !self.ruling_of(tool, active).is_refused());
        offered.map(|tool| tool.spec.clone()).collect()
    }

    /// Returns the ruling on a call of `tool` while the skills called `active` are active; `None` for a tool of none of them.
    ///
    /// Ask before every call: a model may call what it was not offered, or was offered before.
    pub fn ruling(&self, tool: &str, active: &[Id]) -> Option<Ruling> {
        self.tool(tool).map(|tool| self.ruling_of(tool, active))
    }

    fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| *tool.spec.name == *name)
    }

    fn ruling_of(&self, tool: &Tool, active: &[Id]) -> Ruling {
        let name = &tool.spec.name;
        let own = tool.owned(active);
        if own.is_refused() {
            return own;
        }
        match ruling(&self.authorizers, &Access::Tool(name)) {
            Some(ruling) => own.and(ruling),
            None => own,
        }
    }
}

impl Tool {
    fn owned(&self, active: &[Id]) -> Ruling {
        let name = &self.spec.name;
        if self.owners.is_empty() {
            return Ruling::new(Effect::Allow, "tools.own", format!("the tool `{name}` is no skill's"));
        }
        self.owners
            .iter()
            .filter(|owner: &&Owner| owner.offer == Offer::Always || active.contains(&owner.id))
            .map(|owner: &Owner| {
                let id = &owner.id;
                let what = match owner.effect {
                    Effect::Allow => "brings",
                    Effect::Ask => "has to ask for",
                    Effect::Deny | Effect::Halt => "must not call",
                };
                Ruling::new(
                    owner.effect,
                    format!("skill:{id}.tools"),
                    format!("the skill `{id}` {what} the tool `{name}`"),
                )
            })
            .reduce(Ruling::and)
            .unwrap_or_else(|| {
                let ids: Vec<_> = self.owners.iter().map(|owner| format!("`{}`", owner.id)).collect();
                let why = format!("the tool `{name}` is there while {} is active", ids.join(" or "));
                Ruling::new(Effect::Deny, "tools.inactive", why)
            })
    }
}

fn is_for_its_activation(skill: &Skill) -> bool {
    let said = skill.text("autoActivate").or_else(|| skill.text("metadata.autoActivate"));
    said.is_some_and(|said| said.trim() == "currentSkill")
}
