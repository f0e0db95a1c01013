//! The conformance suite that every source of skills runs.
//!
//! The contract of [`Source`](repertoire_core::Source) has one test a line. Write a [`Fixture`] that makes a fresh source
//! and can reach behind it, and stamp the suite with [`conformance!`]:
//!
//! ```
//! # mod tests {
//! use std::sync::{Arc, Mutex, PoisonError};
//!
//! use repertoire_core::{Id, Listed, Listing, Revision, Skill, Source, SourceError, Stamp, async_trait};
//! use repertoire_testkit::{Fixture, Unable};
//!
//! /// Skills without a body, kept in a list; whoever wants to know of changes has to poll.
//! #[derive(Debug, Default)]
//! struct Names(Mutex<(u64, Vec<Listed<Skill>>)>);
//!
//! impl Names {
//!     fn change(&self, change: impl FnOnce(&mut Vec<Listed<Skill>>)) {
//!         let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
//!         change(&mut state.1);
//!         state.0 += 1;
//!     }
//! }
//!
//! #[async_trait]
//! impl Source<Skill> for Names {
//!     fn name(&self) -> &str {
//!         "names"
//!     }
//!
//!     async fn list(&self) -> Result<Listing<Skill>, SourceError> {
//!         let (revision, rows) = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
//!         Ok(Listing::new(Revision(revision), rows, []))
//!     }
//! }
//!
//! #[derive(Default)]
//! struct NamesFixture(Arc<Names>);
//!
//! impl Fixture for NamesFixture {
//!     type Source = Names;
//!
//!     fn source(&self) -> Arc<Names> {
//!         self.0.clone()
//!     }
//!
//!     fn watches(&self) -> Result<(), Unable> {
//!         Err(Unable::because("the source has to be polled"))
//!     }
//!
//!     fn reads_bodies(&self) -> Result<(), Unable> {
//!         Err(Unable::because("names have no bodies"))
//!     }
//!
//!     fn reads_resources(&self) -> Result<(), Unable> {
//!         Err(Unable::because("names have no resources"))
//!     }
//!
//!     async fn put(&mut self, id: &Id, description: &str, _body: &str) -> Result<(), Unable> {
//!         let skill = Skill::new(id.clone(), description);
//!         let row = Listed::new(skill, Stamp::of(description));
//!         self.0.change(|rows| match rows.iter_mut().find(|row| row.item.id == *id) {
//!             Some(old) => *old = row,
//!             None => rows.push(row),
//!         });
//!         Ok(())
//!     }
//!
//!     async fn remove(&mut self, id: &Id) -> Result<(), Unable> {
//!         self.0.change(|rows| rows.retain(|row| row.item.id != *id));
//!         Ok(())
//!     }
//! }
//!
//! repertoire_testkit::conformance!(NamesFixture::default());
//! # }
//! ```
//!
//! # For authors of sources
//! What a fixture leaves out, its promises are skipped for, and the test run says so. The promises are public functions
//! in [`promise`], so that a single one can be called from a test of its own.
//!
//! # For hosts
//! The feature `cases` brings the case runner, `cases::run`, for checks of the whole system that are written as data: what a host
//! found broken becomes a folder with the files, and a page that says what is expected.
//!
//! # For whoever changes this crate
//! A promise is a function in [`promise`] that is named as the contract's line and a row in [`conformance!`]. It waits for signals
//! under a timeout and never sleeps. `tests/it/faulty.rs` has sources that are wrong in one way each, and names the promises that
//! each of them breaks: a promise that no source breaks tests nothing.

#[cfg(feature = "cases")]
pub mod cases;
mod conformance;
mod dynamic;
mod envelope;
mod fixture;
pub mod promise;

#[doc(hidden)]
pub use conformance::check;
pub use dynamic::Dynamic;
pub use envelope::Envelope;
pub use fixture::{Fixture, Unable};
