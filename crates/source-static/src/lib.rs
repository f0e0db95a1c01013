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
//!     use repertoire_source_static::StaticValue::{List, Text};
//!
//!     pub(crate) const SKILL: StaticSkill =
//!         StaticSkill::new("triage", "Sorts new issues.", "Ask for what is missing, then label.\n")
//!             .with_fields(&[("triggers", List(&["new issue", "/triage"])), ("license", Text("MIT"))])
//!             .with_resources(&[("labels.md", b"bug, idea, question\n")]);
//! }
//!
//! /// The skills in code: every one of them is named here.
//! static OURS: StaticList = StaticList::new(&[triage::SKILL]);
//!
//! let sources = [StaticSource::new("house", HOUSE), StaticSource::new("ours", OURS)];
//! # drop(sources);
//! ```
//!
//! A list that breaks a rule does not compile: an invalid id, a long description, broken front matter, a repeated id.
//!
//! # Hosts
//! Compose a [`StaticSource`] at the builtin tier. Listing reads front matter once, and bodies and resources come from memory.
//!
//! # Authors
//! *Files* suit a skill of more than a few lines: other clients can read them. [`embed_skills!`] includes every file of a folder,
//! [`embed_skill!`] one file of any name. Add the line to `build.rs` that the documentation of the first shows.
//!
//! *Constants* suit short skills and those that depend on code. Keep them in a `const` or `static`, so that the compiler checks the
//! rules; the same call at run time panics with the same message. The compiler warns of a private constant that is not in the list.
//!
//! # Collection
//! With the feature `inventory`, `StaticList::collected` returns every skill that a linked crate declares with [`declare_skill!`], and
//! `StaticList::declared` those of one constant. The source kind `static` does the same for a configuration file:
//!
//! ```toml
//! [[source]]
//! kind = "static"
//! name = "house"
//! list = "house-skills" # the constant HOUSE_SKILLS; without this key, every declared skill
//! ```
//!
//! The linker drops a crate that is only a dependency, and its skills with it: the program has to say `use house_skills as _;`.
//!
//! # Contributing
//! Each rule is a `const fn` in `rule.rs`, with a program in `tests/external/refused` that shows its message. Embedded files pass the parser of core
//! twice, in the macro for their errors and at run time for their fields.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "inventory")]
mod collected;
mod list;
mod macros;
mod rule;
mod skill;
mod source;

#[cfg(feature = "inventory")]
pub use collected::DeclaredTwice;
pub use list::StaticList;
pub use skill::{StaticSkill, StaticValue};
pub use source::StaticSource;

/// The items that the macros of this crate expand to. Not a public interface.
#[doc(hidden)]
pub mod __private {
    #[cfg(feature = "inventory")]
    pub use inventory;
    pub use repertoire_source_static_macros::{__embed_skill, __embed_skills};

    #[cfg(feature = "inventory")]
    pub use crate::collected::DeclaredSkills;
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
