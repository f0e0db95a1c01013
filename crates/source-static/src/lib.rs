//! Skills compiled into the program: a folder of them, or constants in one visible list.
//!
//! ```
//! use repertoire_source_static::{StaticList, StaticSource, embed_skills};
//!
//! /// The skills in a folder, as files beside the code.
//! static HOUSE: StaticList = embed_skills!("tests/skills");
//!
//! mod triage {
//!     use repertoire_source_static::StaticSkill;
//!
//!     pub(crate) const SKILL: StaticSkill =
//!         StaticSkill::new("triage", "Sorts new issues.", "Ask for what is missing, then label.\n")
//!             .with_resources(&[("labels.md", b"bug, idea, question\n")]);
//! }
//!
//! mod database {
//!     use repertoire_core::Category;
//!     use repertoire_source_static::StaticSkill;
//!
//!     pub(crate) const SKILL: StaticSkill = StaticSkill::new("database", "Answers from tables.", "Look, then ask.\n")
//!         .in_category(Category::Raw)
//!         .bringing_tools(&["read_table", "run_query"]);
//! }
//!
//! /// The skills in code: every one of them is named here.
//! static OURS: StaticList = StaticList::new(&[triage::SKILL, database::SKILL]);
//!
//! let sources = [StaticSource::named("house", HOUSE), StaticSource::named("ours", OURS)];
//! # assert_eq!(OURS.find("TABLE").map(|skill| skill.id()).collect::<Vec<_>>(), ["database"]);
//! # drop(sources);
//! ```
//!
//! A list that breaks a rule does not compile: an invalid id, a long description, broken front matter, a repeated id.
//!
//! # Hosts
//! Compose a [`StaticSource`] at the builtin tier. Listing reads front matter once, and bodies and resources come from memory.
//! [`StaticList::find`] searches without an engine. A raw skill is attached behind a [`ToolPolicies`](repertoire_core::ToolPolicies) only: see
//! [`Attachable`](repertoire_core::Attachable).
//!
//! # Authors
//! *Files* suit a skill of more than a few lines: other clients can read them, and [`embed_skills!`] includes every file of the
//! folder. Add the line to `build.rs` that its documentation shows.
//!
//! *Constants* suit short skills and those that depend on code. Keep them in a `const` or `static`, so that the compiler checks the
//! rules; the same call at run time panics with the same message. The compiler warns of a private constant that is not in the list.
//! For public constants, [`declare_skill!`] and `assert_complete!` find the missing ones.
//!
//! # Collection
//! With the feature `inventory`, `StaticList::collected` returns every skill that a linked crate declares with
//! [`declare_skill!`]. The feature is off by default. The linker drops a crate that is only a dependency, and its skills with it: the
//! program has to say
//!
//! ```text
//! use house_skills as _;
//! ```
//!
//! # Contributing
//! Each rule is a `const fn` in `rule.rs`, with a test in `tests/ui` that shows its message. Embedded files pass the parser of core
//! twice, in the macro for their errors and at run time for their fields.

#[cfg(feature = "inventory")]
mod collected;
mod list;
mod macros;
mod rule;
mod skill;
mod source;
mod written;

#[cfg(feature = "inventory")]
pub use collected::DeclaredTwice;
pub use list::StaticList;
pub use skill::StaticSkill;
pub use source::StaticSource;

/// The items that the macros of this crate expand to. Not a public interface.
#[doc(hidden)]
pub mod __private {
    #[cfg(feature = "inventory")]
    pub use inventory;
    pub use repertoire_source_static_macros::__embed_skills;

    #[cfg(feature = "inventory")]
    pub use crate::collected::{DeclaredSkills, assert_complete};
}
