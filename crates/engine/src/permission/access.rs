//! What is asked for.

use std::fmt;

use repertoire_core::Skill;
use repertoire_registry::Claim;
use serde::Serialize;

/// What somebody wants to do, as a [`Authorizer`](super::Authorizer) is asked.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Access<'a> {
    /// Call the tool of this name.
    Tool(&'a str),
    /// See and read this skill. A tool of the same name is another matter.
    Skill(&'a Claim<Skill>),
    /// Use a capability by calling the tool of this name.
    Data(Capability, &'a str),
}

/// A kind of access that permissions are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Calling a tool.
    ToolCall,
    /// Seeing and reading a skill.
    SkillRead,
    /// Reading what was remembered.
    MemoryRead,
    /// Remembering.
    MemoryWrite,
    /// Reaching other machines.
    ExternalNet,
    /// Using what is known of the user.
    UserData,
}

impl Access<'_> {
    /// The kind of access that is asked for.
    pub fn capability(&self) -> Capability {
        match self {
            Access::Tool(_) => Capability::ToolCall,
            Access::Skill(_) => Capability::SkillRead,
            Access::Data(capability, _) => *capability,
        }
    }
}

/// For the operator: `skill:home:tidy`, `run_query`.
impl fmt::Display for Access<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Access::Skill(claim) => write!(f, "skill:{}", claim.qualified_id()),
            Access::Tool(tool) | Access::Data(_, tool) => f.write_str(tool),
        }
    }
}

impl Capability {
    /// As it is written in policies: `memory_read`.
    pub fn as_str(self) -> &'static str {
        match self {
            Capability::ToolCall => "tool_call",
            Capability::SkillRead => "skill_read",
            Capability::MemoryRead => "memory_read",
            Capability::MemoryWrite => "memory_write",
            Capability::ExternalNet => "external_net",
            Capability::UserData => "user_data",
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
