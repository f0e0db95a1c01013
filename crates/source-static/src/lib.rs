//! Skills compiled into the program, every one of them named in one visible list.
//!
//! There is no registration at start-up and no attribute that adds a skill from afar: what is in the list is in the
//! program, and a list that breaks a rule (a bad id, a long description, two skills of one id) does not compile.
//!
//! ```
//! use repertoire_source_static::{StaticList, StaticSkill, StaticSource};
//!
//! mod release_notes {
//!     use repertoire_source_static::StaticSkill;
//!
//!     pub(crate) const SKILL: StaticSkill = StaticSkill::new(
//!         "release-notes",
//!         "Writes release notes from merged changes. Use before a release.",
//!         "Read the log since the last tag. Group it by what users notice.\n",
//!     )
//!     .with_resources(&[("template.md", b"# Added\n\n# Fixed\n")]);
//! }
//!
//! mod triage {
//!     use repertoire_core::{Category, SurfaceMode};
//!     use repertoire_source_static::StaticSkill;
//!
//!     pub(crate) const SKILL: StaticSkill =
//!         StaticSkill::new("triage", "Sorts new issues.", "Ask for what is missing, then label.\n")
//!             .on_surface(SurfaceMode::ToolOnly)
//!             .in_category(Category::Standard);
//! }
//!
//! /// Every skill of this program.
//! static SKILLS: StaticList = StaticList::new(&[release_notes::SKILL, triage::SKILL]);
//!
//! let source = StaticSource::new(SKILLS);
//! # let ids: Vec<_> = SKILLS.iter().map(StaticSkill::id).collect();
//! # assert_eq!(ids, ["release-notes", "triage"]);
//! # drop(source);
//! ```
//!
//! A skill that is written and then left out of the list is an unused constant, and the compiler warns of it.
//!
//! The rules are checked where a constant is evaluated: keep skills in a `const` or `static`. The same call at run time
//! panics with the same message.

#[cfg(feature = "inventory")]
mod collected;
mod declared;
mod embed;
mod list;
mod message;
mod rule;
mod skill;
mod source;
mod written;

#[cfg(feature = "inventory")]
pub use collected::DeclaredTwice;
pub use list::StaticList;
pub use skill::StaticSkill;
pub use source::StaticSource;

/// What the macros of this crate expand to. Not for use.
#[doc(hidden)]
pub mod __private {
    #[cfg(feature = "inventory")]
    pub use inventory;
    pub use repertoire_source_static_macros::__embed_skills;

    #[cfg(feature = "inventory")]
    pub use crate::collected::{Declared, assert_complete};
}
