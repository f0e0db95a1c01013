//! Skills in an agent of the framework [rig](rig_core).
//!
//! Three things reach the model: the catalog, in the [preamble](Skills::preamble); the tools that find and read skills, as
//! rig's [`Tool`](rig_core::tool::Tool)s; and, if you like, the skills that fit a prompt, as the [index](SkillIndex) that
//! `dynamic_context` asks. The host learns what was read from the [context](SkillRead) of the result.
//!
//! ```
//! use repertoire::{MemorySource, Registered, Skill, SkillRegistry};
//! use rig_core::tool::tool_definition;
//! use skills_for_rig::Skills;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let builtin = MemorySource::new("builtin");
//! builtin.register(Registered::new(Skill::new("tidy".parse()?, "Sorts a folder."), "Sort it by name."))?;
//! let skills = Skills::over(SkillRegistry::builder().builtin(builtin).load().await?);
//!
//! // AgentBuilder::new(model).preamble(skills.preamble()).tool(skills.read()).tool(skills.search())...
//! assert!(skills.preamble().contains("<name>tidy</name>"));
//! assert_eq!(tool_definition(&skills.read()).parameters["properties"]["id"]["enum"][0], "tidy");
//! # Ok(())
//! # }
//! ```

mod index;
mod skills;
mod tool;

pub use index::SkillIndex;
pub use skills::Skills;
pub use tool::{ListSkills, NotAnswered, ReadSkill, ReadSkillResource, SearchSkills, SkillRead};
