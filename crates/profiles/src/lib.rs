//! The skills that each coding agent finds, lists, hides and cuts.
//!
//! A profile is a TOML file that is compiled in. Each value has a source and a date, and can be unknown. A view lists every
//! skill file of a place with the result for one agent, and never names a winner where sources disagree.
//!
//! ```
//! use repertoire_profiles::{AgentPlace, AgentProfiles};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let home = tempfile::tempdir()?;
//! # let home = home.path();
//! let skill = home.join(".claude/skills/tidy");
//! std::fs::create_dir_all(&skill)?;
//! std::fs::write(skill.join("SKILL.md"), "---\nname: tidy\ndescription: Sorts files.\n---\n")?;
//!
//! let profiles = AgentProfiles::built_in();
//! let place = AgentPlace::new(home, home.join("project"));
//! let mut survey = profiles.survey(&place);
//! let claude = survey.view("claude-code").ok_or("no such agent")?;
//! assert_eq!(claude.loaded().map(|skill| &*skill.name).collect::<Vec<_>>(), ["tidy"]);
//! let codex = survey.view("codex").ok_or("no such agent")?;
//! assert_eq!(codex.loaded().count(), 0);
//! # Ok(())
//! # }
//! ```
//!
//! # Contributing
//! A fact is changed in `agents/NAME.toml` together with its source and date. `cargo xtask gen` writes `docs/agents.md` from it.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod budget;
mod compared;
mod dependencies;
mod duplicates;
mod fact;
mod files;
mod fixes;
mod head;
mod hiding;
mod judge;
mod observed;
mod outcome_text;
mod place;
mod placed_root;
mod plugins;
mod profile;
mod roots;
mod schema;
mod seen_name;
mod settings;
mod shown_paths;
mod skill_mark;
mod survey;
mod view;

pub use compared::ObservedDifference;
pub use hiding::HidingSetting;
pub use observed::{ObservedList, ObservedSession, ObservedSkill, TranscriptReader};
pub use place::AgentPlace;
pub use profile::{AgentFact, AgentProfile, AgentProfiles, InstallSign, ProfileError};
pub use schema::ListServer;
pub use seen_name::SeenName;
pub use shown_paths::ShownPaths;
pub use skill_mark::SkillMark;
pub use survey::AgentSurvey;
pub use view::{
    AgentSkill, AgentView, BudgetUnit, BudgetUse, ListedAs, RootScope, SkillOutcome, UnseenReason,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
