//! What a model is told about skills, and what it may do with them.
//!
//! Pure: no I/O, no clock, no runtime. A host hands in a snapshot and gets text and values back.
//!
//! ```
//! use repertoire_core::{Listed, Listing, Revision, Skill, Stamp};
//! use repertoire_engine::{Budget, Catalog, CatalogOptions};
//! use repertoire_registry::{Layer, Origin, Tier, merge};
//!
//! let skill = Skill::new("tidy-up".parse()?, "Sorts a folder <and> says what moved.");
//! let listing = Listing::new(Revision(0), [Listed::new(skill, Stamp::of("1"))], []);
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
//! Whatever else you offer, a menu or a command, ask [`Modes::hides`] first: a skill that is hidden from the model or
//! from the user is hidden at each of their doors, or it is not hidden.
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
//! catalog hold it to its budget and to the same bytes, those of the search to finding the same however an index came about.

mod catalog;
mod one_line;
mod place;
mod search;
mod tokens;
mod tools;
mod turn;
mod visibility;

pub use catalog::{
    Activation, Budget, Catalog, CatalogCache, CatalogOptions, CatalogPreset, Fate, Format, Line, Overflow,
    PresetBudget, PresetOverflow, Report, Totals,
};
pub use search::{Fit, Hit, HitField, HitWord, Index, LiveIndex, Query, Ranker, Why};
pub use tokens::{Tokenizer, Weights};
#[cfg(feature = "process")]
pub use tools::ApprovedCommands;
pub use tools::{
    Answer, AnswerCode, Asked, Commands, Instructions, LiveTools, ReadTool, Reader, Renderer, ResourceTool, Rows,
    SkillRead, ToolFormat, ToolOptions, ToolPreset, Toolset, Wrapper,
};
pub use turn::News;
pub use visibility::{Audience, Hidden, Mode, Modes, UnknownMode};
