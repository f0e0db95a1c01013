//! Conformance tests for sources of skills and other items.
//!
//! Each line of the contract of [`Source`](repertoire_core::Source) has a test. Implement a [`Fixture`] that creates a source
//! and can modify its data, and generate the tests with [`conformance!`]:
//!
//! ```
//! # mod tests {
//! use std::sync::{Arc, Mutex, PoisonError};
//!
//! use repertoire_core::{Id, ListingEntry, Listing, Revision, Skill, Source, SourceError, Stamp, async_trait};
//! use repertoire_testkit::{Fixture, Unsupported};
//!
//! /// A list of skills without bodies. Callers have to poll for changes.
//! #[derive(Debug, Default)]
//! struct Names(Mutex<(u64, Vec<ListingEntry<Skill>>)>);
//!
//! impl Names {
//!     fn change(&self, change: impl FnOnce(&mut Vec<ListingEntry<Skill>>)) {
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
//!     fn watches(&self) -> Result<(), Unsupported> {
//!         Err(Unsupported::because("the source has no change signals"))
//!     }
//!
//!     fn reads_bodies(&self) -> Result<(), Unsupported> {
//!         Err(Unsupported::because("names have no bodies"))
//!     }
//!
//!     fn reads_resources(&self) -> Result<(), Unsupported> {
//!         Err(Unsupported::because("names have no resources"))
//!     }
//!
//!     async fn put(&mut self, id: &Id, description: &str, _body: &str) -> Result<(), Unsupported> {
//!         let skill = Skill::new(id.clone(), description);
//!         let row = ListingEntry::new(skill, Stamp::of(description));
//!         self.0.change(|rows| match rows.iter_mut().find(|row| row.item.id == *id) {
//!             Some(old) => *old = row,
//!             None => rows.push(row),
//!         });
//!         Ok(())
//!     }
//!
//!     async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
//!         self.0.change(|rows| rows.retain(|row| row.item.id != *id));
//!         Ok(())
//!     }
//! }
//!
//! repertoire_testkit::conformance!(NamesFixture::default());
//! # }
//! ```
//!
//! Tests for operations that a fixture does not support are reported as skipped.
//!
//! The feature `cases` adds `cases::Runner`, which checks the whole system against folders with files and an `expect.txt`.
//!
//! # Adding a test
//! A test is a function of the module `conformance` for one line of the contract, and a row of [`conformance!`]. It waits
//! for signals under a timeout and never sleeps. `tests/it/faulty.rs` has a faulty source for each test, and lists the tests
//! that must fail for it.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "cases")]
pub mod cases;
#[doc(hidden)]
pub mod conformance;
mod dynamic;
mod fixture;
mod static_server;

pub use dynamic::Dynamic;
pub use fixture::{Envelope, Fixture, Unsupported};
/// For the tests of this workspace.
#[doc(hidden)]
pub use static_server::StaticServer;
