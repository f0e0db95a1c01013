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
//! A list that breaks a rule does not compile, whichever way it is made: a bad id, a long description, broken front
//! matter, two skills of one id.
//!
//! # For hosts
//! A [`StaticSource`] is a [`Source`](repertoire_core::Source) like any other; compose it at the builtin tier. Listing reads
//! front matter once, bodies and resources come from memory, and nothing is ever written to disk.
//!
//! [`StaticList::find`] looks for a text, which is what a host without an engine needs. A raw skill is attached behind a
//! [`Gate`](repertoire_core::Gate) only: see [`Attachable`](repertoire_core::Attachable).
//!
//! # For authors
//! *Files* are the better home for a skill of more than a few lines: other clients can read them, and [`embed_skills!`] takes
//! whatever is in the folder, so there is no list to forget. Add the line to `build.rs` that its documentation shows.
//!
//! *Constants* suit short skills and those that depend on code. What is in the list is in the program: there is no
//! registration at start-up and no attribute that adds a skill from afar. The rules are checked where a constant is
//! evaluated, so keep skills in a `const` or `static`; the same call at run time panics with the same message. A private
//! constant that is left out of the list is unused, and the compiler warns of it. For public ones write [`declare_skill!`]
//! around each and `assert_complete!` in a test, which names whatever the list lacks.
//!
//! # Collection
//! With the feature `inventory`, `StaticList::collected` gives every skill that a linked crate declares with
//! [`declare_skill!`], by id. It is off by default, because a list that is written down can be read, and because of a trap:
//! the linker drops a crate that nobody names, and its skills with it. A dependency in `Cargo.toml` is not enough; the
//! program has to say
//!
//! ```text
//! use house_skills as _;
//! ```
//!
//! # For whoever changes this crate
//! What can be refused is refused while the program is compiled: a rule is a `const fn` in `rule.rs` with a test in `tests/ui` that
//! shows its message. Embedded files pass core's parser twice, in the macro for their faults and at run time for their
//! fields, so that a skill is the same from a folder and from a program.

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
