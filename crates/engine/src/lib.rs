//! What a model is told about skills, and what it may do with them.
//!
//! Pure: no I/O, no clock, no runtime. A host hands in a snapshot and gets text and values back.
//!
//! ```
//! use repertoire_core::{ListingEntry, Listing, Revision, Skill, Stamp};
//! use repertoire_engine::{Budget, Catalog, CatalogOptions};
//! use repertoire_registry::{Layer, Origin, Tier, merge};
//!
//! let skill = Skill::new("tidy-up".parse()?, "Sorts a folder <and> says what moved.");
//! let listing = Listing::new(Revision(0), [ListingEntry::new(skill, Stamp::of("1"))], []);
//! let snapshot = merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, listing)]);
//!
//! let options = CatalogOptions::default().budget(Budget::Tokens(100));
//! let catalog = Catalog::of(&snapshot, &options);
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
//! # For hosts
//! Take a `Snapshot` from your registry and make the [`Catalog`] from it whenever the snapshot's generation is a new one: the
//! same snapshot and [`CatalogOptions`] give the same bytes, so that a prompt cache stays warm. Three choices are independent:
//! the [`Format`], the [`Budget`] and what gives way when it is met ([`Overflow`]). The text is never over the budget; the
//! [`Report`] names every skill that was shortened or left out. [`Tokenizer`] estimates tokens without a vocabulary.
//!
//! [`CatalogCache`] keeps it until it would be another.
//!
//! A model that is not told of every skill finds the others with the tools of a [`Toolset`], which is over one snapshot, or of
//! [`LiveTools`], which follows a registry. Offer [`Toolset::tools`] in the form of your provider ([`ToolFormat`]), hand every
//! call of the model to `call`, and send its [`Answer`] back: failures are answers too. A [`ToolPreset`] has the names that
//! your prompts know. [`Index`] and [`LiveIndex`] search for people and programs; a [`Ranker`] adds an embedder's opinion.
//!
//! [`Triggers`] tells which skills a turn suggests by itself: hold its [`Occasion`] against them. What a skill declares of its work
//! is a [`Workflow`], the plan of a claim or its faults, which your [`ToolInvoker`] carries out. Before a model call,
//! [`Evaluation::check_tools`] returns the required tools that are missing; at the end of a turn, [`Evaluation::verify`] has the
//! active skills' checks carried out by your [`Checker`].
//!
//! A [`Session`] keeps what one conversation activated and says what each model call is made of. Between the calls of your
//! loop that takes five lines:
//!
//! ```
//! use repertoire_core::{Model, Skill};
//! use repertoire_engine::{LiveTools, Session, SessionOptions, ToolOptions, ToolResult, Turn};
//! use repertoire_registry::{MemorySource, Registered, SkillRegistry};
//!
//! # struct Call { tool: &'static str, arguments: serde_json::Value }
//! # struct Reply { calls: Vec<Call> }
//! # fn ask(_: &Model<'_>, _: repertoire_engine::Slots, round: usize) -> Reply {
//! #     let call = || Call { tool: "read_skill", arguments: serde_json::json!({"id": "tidy"}) };
//! #     Reply { calls: (round == 0).then(call).into_iter().collect() }
//! # }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let home = MemorySource::named("home");
//! home.register(Registered::new(Skill::new("tidy".parse()?, "Sorts a folder."), "Sort it by name."))?;
//! let registry = SkillRegistry::builder().user(home).load().await?;
//!
//! let tools = LiveTools::over(registry.clone(), ToolOptions::default());
//! let mut session = Session::new(tools.current(), SessionOptions::new(registry.surface_policy()));
//! let model = Model::new("anthropic", "claude-sonnet-4-5");
//!
//! let message = "Sort my downloads";
//! session.begin(tools.current());
//! let mut results: Vec<(&str, String)> = Vec::new();
//! # let mut prompts = Vec::new();
//! for number in 1.. {
//!     let returned: Vec<_> = results.iter().map(|(tool, text)| ToolResult::new(tool, text)).collect();
//!     let turn = Turn::of(message).number(number).results(&returned);
//!     let evaluation = session.evaluate(&turn);
//!     let evaluation = session.read(evaluation, &registry).await;
//!     let slots = session.compose(&evaluation, &model)?;
//! #   prompts.push(slots.system_prompt.clone());
//!     // With the conversation so far, to which the messages at its end are added.
//!     let reply = ask(&model, slots, results.len());
//!     results.clear();
//!     for call in reply.calls {
//!         // `None`: the tool is another one, of the host.
//!         if let Some(answer) = session.call(call.tool, &call.arguments, &registry, &model).await {
//!             results.push((call.tool, answer.text));
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
//! When you shorten the conversation, put [`Session::rerender`]'s text behind the summary; to stop and go on later, store
//! [`Session::state`].
//!
//! Whatever else you offer, a menu or a command, ask [`Modes::hides`] first: a skill that is hidden from the model or
//! from the user is hidden at each of their doors, or it is not hidden. [`Modes`] are also where a [`PermissionPolicy`] or an
//! [`Authorizer`] of your own, a [`Probe`] of what skills need, and the running workflow come in; hand the same ones to every door.
//! Ask [`SkillTools::ruling`] before a tool is run, and [`Grants::ruling`] of [`Session::grants`] whether an active skill pre-approves that.
//!
//! # For authors of sources
//! Names and descriptions reach a model as data: put on one line, escaped for their place, never read a second time. Nothing
//! that a source hands over is markup here, so a source escapes nothing. Long descriptions are the first to give way.
//! Searches read names, descriptions, triggers and tags of the front matter, never a body.
//!
//! # For whoever changes this crate
//! Values in, values out: `clippy.toml` bans files, processes, environment and clock, and nothing here fails or waits. A new
//! way to reach a skill goes through [`Modes::hides`], the one place that decides who may see it. What is written for models is
//! measured before it is written, and depends neither on the order of arrival nor on a hash map's: the property tests of the
//! catalog hold it to its budget and to the same bytes, those of the search to finding the same however an index came about, those
//! of the session to bringing each body to its places once.

mod catalog;
mod changes;
mod fold;
mod globs;
mod permission;
mod requirements;
mod resolve;
mod search;
mod session;
mod tokens;
mod tools;
mod trigger;
mod truncate;
mod visibility;
mod workflow;

pub use catalog::{
    Activation, Budget, Catalog, CatalogCache, CatalogOptions, CatalogPreset, Fate, Format, Line, Overflow,
    PresetBudget, PresetOverflow, Report, Totals,
};
pub use changes::News;

pub use permission::{
    Access, Authorizer, Capability, Effect, Grants, Offer, PermissionPolicy, Ruling, SkillTools, ToolClash, UnknownRole,
};
pub use requirements::{Need, NeedKind, Probe, Readiness};
pub use search::{Fit, Hit, HitField, HitWord, Index, LiveIndex, Query, Ranker, Why};
pub use session::{
    ActivatedBy, Active, ActiveBy, ActiveSkill, Bodies, CannotActivate, CannotCompose, Deferral, Delivery, Evaluation,
    InvalidSession, Lifetime, MessageRules, Notice, Place, Placement, Refresh, Remarks, Rerendered, RerenderedSkill,
    Resumed, Session, SessionOptions, SessionState, Since, SkipReason, Skipped, SlotChange, SlotDelta, SlotMessage,
    Slots, Suggested, Survival, Tail, ToolResult, Turn, TurnFact, Undelivered, WhyUndelivered,
};
pub use tokens::{Tokenizer, Weights};
#[cfg(feature = "process")]
pub use tools::ApprovedCommands;
pub use tools::{
    Answer, AnswerCode, Asked, Commands, Instructions, LiveTools, ReadTool, Reader, Renderer, ResourceTool, Rows,
    SkillRead, ToolFormat, ToolOptions, ToolPreset, Toolset, Wrapper,
};
pub use trigger::{Fired, FiredBy, MissedMention, Occasion, RefusedTrigger, TriggerRefusal, Triggers, WhyMissed};
pub use visibility::{Audience, Hidden, Mode, Modes, UnknownMode};
pub use workflow::{
    CheckOutcome, Checked, Checker, InvalidWorkflow, PlannedStep, StepOutcome, ToolCheck, ToolError, ToolInvoker,
    Untrusted, Workflow, WorkflowEnd, WorkflowRun, verify,
};
