//! One merging registry over any number of sources.
//!
//! ```
//! use repertoire_core::Skill;
//! use repertoire_registry::{MemorySource, Mount, Registered, SkillRegistry};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let source = |name: &str, about: &str| -> Result<_, Box<dyn std::error::Error>> {
//!     let source = MemorySource::named(name);
//!     source.register(Registered::new(Skill::new("review".parse()?, about), "Read the tests first."))?;
//!     Ok(source)
//! };
//! let registry = SkillRegistry::builder()
//!     .mount(Mount::plugin(source("acme", "Acme's way.")?).namespaced())
//!     .user(source("home", "My way.")?)
//!     .builtin(source("agent", "The agent's way.")?)
//!     .load()
//!     .await?;
//!
//! let snapshot = registry.snapshot();
//! let ids: Vec<_> = snapshot.entries().iter().map(|entry| entry.id.as_str()).collect();
//! assert_eq!(ids, ["review", "acme:review"]);
//! assert_eq!(snapshot.resolve("home:review")?.claim.item.description.as_ref(), "My way.");
//! # Ok(())
//! # }
//! ```
//!
//! # For hosts
//! Compose with [`Registry::builder`]. [`load`](Builder::load) starts nothing; [`start`](Builder::start) keeps up with changes in
//! one task on your runtime, until [`close`](Registry::close). Readers take a [`Snapshot`] and never wait;
//! [`Registry::subscribe`] and [`Registry::on_change`] follow, and a [`Change`] says what, why, and how the findings differ.
//! Entries registered in code ([`register`](Registry::register) and its like) are there at once.
//!
//! While it runs, sources come and go ([`add_source`](Registry::add_source), [`remove_source`](Registry::remove_source),
//! [`replace_source`](Registry::replace_source)), a configuration is read again ([`recompose`](Registry::recompose)), and
//! [`Rules`] at several levels switch entries off and on ([`set_rules`](Registry::set_rules)). Each is one view; none shows half of it.
//! [`Registry::overlay`] gives a session sources, entries and rules of its own over what all sessions share.
//!
//! # For authors of sources
//! The registry compares your listings, so you need not know who wins or who listens. Submit a [`SourceKind`], and configuration
//! files can name your source.
//!
//! # For whoever changes this crate
//! [`merge`] is the law: pure, total, order-free. Everything faster is proven equal to it by property test. All of it is
//! generic over the kind of entry; [`SkillRegistry`] is the one for skills.

mod builder;
mod cause;
mod change;
mod clock;
mod composition;
mod content;
mod diagnostic_change;
mod draft;
mod entry;
mod findings;
mod index;
mod kind;
mod layer;
mod layers;
mod level;
mod listener;
mod looks;
mod lookup;
mod memory;
mod merge;
mod mount;
mod overlay;
mod reason;
mod recompose;
mod refresh;
mod registry;
mod rules;
mod signals;
mod skills;
mod snapshot;
mod standing;
mod subscription;
mod summary;
mod tier;
mod verbs;
mod view;
mod watch;
mod worker;

pub use builder::{Builder, ComposeError};
pub use cause::Cause;
pub use change::{Change, Modified};
pub use diagnostic_change::DiagnosticChange;
pub use entry::{Claim, Entry, Shadow};
pub use findings::SourceDiagnostic;
pub use kind::{Build, BuildSeveral, ConfigError, SourceConfig, SourceKind, UnknownKind};
pub use layer::Layer;
pub use level::{Authority, Decision, Level, Target};
pub use listener::Unsubscribe;
pub use lookup::{Found, LookupError};
pub use memory::{MemorySource, RegisterError, Registered, UnregistrableInjection};
pub use merge::{merge, merge_under};
pub use mount::Mount;
pub use reason::Reason;
pub use registry::{Closed, Registry};
pub use rules::Rules;
pub use skills::SkillRegistry;
pub use snapshot::Snapshot;
pub use standing::Standing;
pub use subscription::{Subscription, Update};
pub use summary::{Mark, Summary, SummaryLine};
pub use tier::{Origin, Tier, UnknownTier};

/// Re-exported for [`SourceKind`]: `inventory::submit!`.
pub use inventory;

/// Re-exported: part of a [`Mount`].
pub use repertoire_core::Trust;

/// The tutorial, so that its code is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/writing-a-source.md")]
struct WritingASource;
