//! One merging registry over any number of sources.
//!
//! [`merge`] is the law: pure, total, order-free. [`Registry`] keeps a [`Snapshot`] of it up to date,
//! and proves by property test that its shortcuts equal it. All of it is generic over the kind of
//! entry; [`SkillRegistry`] is the one for skills.

mod builder;
mod change;
mod entry;
mod kind;
mod layer;
mod lookup;
mod memory;
mod merge;
mod mount;
mod registry;
mod skills;
mod snapshot;
mod step;
mod tier;
mod trust;
mod updates;
mod watch;
mod worker;

pub use builder::{Builder, ComposeError};
pub use change::{Change, Modified};
pub use entry::{Claim, Entry, Shadow};
pub use kind::{Build, ConfigError, SourceConfig, SourceKind, UnknownKind};
pub use layer::Layer;
pub use lookup::{Found, LookupError};
pub use memory::{MemorySource, RegisterError, Registered};
pub use merge::{SourceDiagnostic, merge};
pub use mount::Mount;
pub use registry::{Closed, Registry};
pub use skills::SkillRegistry;
pub use snapshot::Snapshot;
pub use tier::{Origin, Tier, UnknownTier};
pub use trust::Trust;
pub use updates::{Update, Updates};

/// Re-exported for [`SourceKind`]: `inventory::submit!`.
pub use inventory;

/// The tutorial, so that its code is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/writing-a-source.md")]
struct WritingASource;
