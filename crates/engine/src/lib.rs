//! The model's view of a registry of skills: catalogs, tools, triggers, workflows and sessions.
//!
//! Pure: no I/O, no clock, no runtime. A host passes a snapshot and gets text and values back.
//!
//! | module | purpose |
//! |---|---|
//! | [`catalog`] | the text that lists skills for a model, in a format and a budget |
//! | [`tools`] | the tools that list, search and read skills, in the formats of providers |
//! | [`trigger`] | the skills that a message, a path or a tool call suggests |
//! | [`session`] | the active skills of one conversation, and the parts of each model call |
//! | [`workflow`] | tools, steps and checks that a skill declares |
//!
//! The crate `repertoire-permission` decides what is visible and permitted, and `repertoire-search` searches.
//!
//! # A catalog
//! The same snapshot and options give the same bytes, so that a prompt cache stays valid. The text never exceeds the budget, and
//! the report names every skill that was truncated or omitted.
//!
//! ```
//! use repertoire_core::{ListingEntry, Listing, Revision, Skill, Stamp};
//! use repertoire_engine::catalog::{Budget, Catalog, CatalogOptions};
//! use repertoire_registry::{Layer, Origin, Tier, merge};
//!
//! let skill = Skill::new("tidy-up".parse()?, "Sorts a folder <and> says what moved.");
//! let listing = Listing::new(Revision(0), [ListingEntry::new(skill, Stamp::of("1"))], []);
//! let snapshot = merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, listing)]);
//!
//! let options = CatalogOptions::default().budget(Budget::Tokens(100));
//! let catalog = Catalog::new(&snapshot, &options);
//! assert_eq!(
//!     catalog.text,
//!     "<available_skills>\n\
//!      <skill><name>tidy-up</name>\
//!      <description>Sorts a folder &lt;and&gt; says what moved.</description></skill>\n\
//!      </available_skills>\n"
//! );
//! assert_eq!(catalog.report.used, options.count(&catalog.text));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A conversation
//! A [`Session`](session::Session) keeps the active skills of one conversation and composes each model call:
//!
//! ```
//! use repertoire_core::{Model, Skill};
//! use repertoire_engine::session::{Session, SessionOptions, ToolResult, Turn};
//! use repertoire_engine::tools::{LiveTools, ToolOptions};
//! use repertoire_registry::{MemorySource, Registered, SkillRegistry};
//!
//! # struct Call { tool: &'static str, arguments: serde_json::Value }
//! # struct Reply { calls: Vec<Call> }
//! # fn ask(_: &Model, _: repertoire_engine::session::Slots, round: usize) -> Reply {
//! #     let call = || Call { tool: "read_skill", arguments: serde_json::json!({"id": "tidy"}) };
//! #     Reply { calls: (round == 1).then(call).into_iter().collect() }
//! # }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let home = MemorySource::new("home");
//! home.register(Registered::new(Skill::new("tidy".parse()?, "Sorts a folder."), "Sort it by name."))?;
//! let registry = SkillRegistry::builder().user(home).load().await?;
//!
//! let tools = LiveTools::new(registry.clone(), ToolOptions::default());
//! let mut session = Session::new(tools.current(), SessionOptions::new(registry.surface_policy()));
//! let model = Model::from("anthropic/claude-sonnet-4-5");
//!
//! let message = "Sort my downloads";
//! session.start_turn(tools.current());
//! let mut results = Vec::new();
//! # let mut prompts = Vec::new();
//! for number in 1.. {
//!     let turn = Turn::new(message).number(number).results(std::mem::take(&mut results));
//!     let evaluation = session.evaluate(&turn);
//!     let evaluation = session.read(evaluation, &registry).await;
//!     let slots = session.compose(&evaluation, &model)?;
//! #   prompts.push(slots.system_prompt.clone());
//!     // With the conversation so far, to which the messages at its end are added.
//!     let reply = ask(&model, slots, number);
//!     for call in reply.calls {
//!         // `None`: a tool of the host.
//!         if let Some(output) = session.call(call.tool, &call.arguments, &registry, &model).await {
//!             results.push(ToolResult::new(call.tool, output.text));
//!         }
//!     }
//!     if results.is_empty() {
//!         break;
//!     }
//! }
//! # assert_eq!(prompts, ["", "<skill_content name=\"tidy\">\nSort it by name.\n</skill_content>"]);
//! # Ok(())
//! # }
//! ```
//!
//! - [`Evaluation::check_tools`](session::Evaluation::check_tools) returns the required tools that are missing.
//! - [`Evaluation::verify`](session::Evaluation::verify) runs the checks of active skills at the end of a turn.
//! - After compaction, put [`Session::redeliver_after_compaction`](session::Session::redeliver_after_compaction)'s text behind the
//!   summary.
//! - [`Session::state`](session::Session::state) is stored, and
//!   [`Session::resume`](session::Session::resume) continues from it.
//!
//! # Visibility
//! [`VisibilityPolicy`](repertoire_permission::VisibilityPolicy) is the one place that decides which audience sees a skill. Pass the same
//! policy to every part, and ask it before offering skills in a menu or a command. Ask
//! [`Session::decision`](session::Session::decision) before running a tool of the host.
//!
//! # Untrusted text
//! Names and descriptions reach a model as data: on one line, cleaned, and escaped for their place. Sources escape nothing.
//! Searches read names, descriptions, triggers and tags, never a body.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod catalog;
mod error;
mod globs;
mod resolve;
pub mod session;
mod tokens;
pub mod tools;
pub mod trigger;
mod truncate;
pub mod workflow;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
