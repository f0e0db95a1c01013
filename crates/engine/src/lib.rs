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

mod catalog;
mod one_line;
mod tokens;
mod turn;
mod visibility;

pub use catalog::{Budget, Catalog, CatalogOptions, Fate, Format, Line, Overflow, Report, Totals};
pub use tokens::{Tokenizer, Weights};
pub use turn::News;
pub use visibility::{Audience, Hidden};
