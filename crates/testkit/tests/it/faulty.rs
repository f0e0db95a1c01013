//! Sources that are wrong in one way each: the suite names the promises that are then broken, and no other.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use repertoire_core::{
    Body, Bytes, Digest, Id, Listed, Listing, Resource, ResourcePath, Revision, Skill, Source, SourceError,
    SourceErrorKind, Stamp, async_trait,
};
use repertoire_testkit::{Dynamic, Fixture, Unable};
use tokio::sync::{Mutex, watch};

use crate::shelf::{Book, Shelf, ShelfFixture};

/// Declares the ways to be wrong together with the promises that each breaks.
macro_rules! faults {
    ($($fault:ident: $($promise:ident)*;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum Fault { $($fault),* }

        const EXPECTED: &[(Fault, &[&str])] = &[$((Fault::$fault, &[$(stringify!($promise)),*])),*];
    };
}

faults! {
    Sound: ;
    ColonInName: the_name_is_stable_and_holds_no_colon;
    FailsWhenEmpty: an_empty_source_is_an_empty_listing revisions_never_go_down;
    FailsWhenMalformed: one_malformed_entry_is_a_diagnostic_and_hides_no_other;
    HidesWhatFollowsTheMalformed: one_malformed_entry_is_a_diagnostic_and_hides_no_other;
    SaysNothingOfTheMalformed: one_malformed_entry_is_a_diagnostic_and_hides_no_other;
    ReordersEveryOtherList:
        listing_twice_without_a_change_gives_equal_listings
        list_since_gives_what_list_gives
        list_since_without_a_change_gives_an_equal_listing;
    MovesRevisionAtEveryList:
        listing_twice_without_a_change_gives_equal_listings
        list_since_gives_what_list_gives
        list_since_without_a_change_gives_an_equal_listing
        a_body_agrees_with_its_row;
    SameStampForEver: a_change_behind_a_row_is_seen_in_the_row a_body_is_what_was_written;
    StartsOverWhenEmpty: revisions_never_go_down;
    TakesRevisionAfterReading: the_revision_is_taken_before_reading_so_a_change_during_list_is_seen;
    ListSinceGivesNothing: list_since_gives_what_list_gives list_since_without_a_change_gives_an_equal_listing;
    ForgetsToForwardChanged:
        the_revision_is_taken_before_reading_so_a_change_during_list_is_seen
        changed_of_an_old_revision_returns_at_once
        changed_of_the_current_revision_waits_for_a_change
        changed_may_be_dropped_at_any_await_and_loses_nothing;
    ChangedWaitsForTheNextChange:
        the_revision_is_taken_before_reading_so_a_change_during_list_is_seen
        changed_of_an_old_revision_returns_at_once
        changed_may_be_dropped_at_any_await_and_loses_nothing;
    ChangedNeverWaits: changed_of_the_current_revision_waits_for_a_change;
    ChangedForgetsWhenDropped: changed_may_be_dropped_at_any_await_and_loses_nothing;
    UnknownIdIsOther: a_removed_skill_is_gone an_unknown_id_is_not_found;
    RemovedBodyIsEmpty: a_removed_skill_is_gone;
    RefusesABody: what_is_listed_can_be_read a_body_agrees_with_its_row a_body_has_the_digest_of_its_content;
    BodyWithCarriageReturns: a_body_is_what_was_written;
    BodyWithAnotherStamp: a_body_agrees_with_its_row;
    BodyWithAnotherDigest: a_body_has_the_digest_of_its_content;
    ResourcesAreHidden: resources_are_what_was_written;
    ResourcesAreUnsorted: resources_are_sorted_and_match_their_bytes;
    ResourcesWithAnotherDigest: resources_are_sorted_and_match_their_bytes;
    UnknownResourceIsOther:
        an_unknown_resource_is_not_found a_resource_path_never_leaves_its_skill a_link_never_leaves_its_skill;
    ResourceOfAnySkill: a_resource_path_never_leaves_its_skill;
    FollowsLinks: a_link_never_leaves_its_skill;
}

#[test]
fn every_fault_breaks_its_promises_and_no_other() {
    for (fault, expected) in EXPECTED {
        assert_eq!(broken(|| FaultyFixture::new(*fault)), *expected, "{fault:?}");
        assert_eq!(broken(|| Dynamic::new(FaultyFixture::new(*fault))), *expected, "{fault:?}, dynamic");
    }
}

#[test]
fn what_a_fixture_cannot_do_is_skipped_with_the_reason() {
    let rest = verdicts(ShelfFixture::default).into_iter().filter(|(_, verdict)| *verdict != Verdict::Kept);
    assert_eq!(
        rest.collect::<Vec<_>>(),
        [("a_link_never_leaves_its_skill", Verdict::Skipped("a shelf has no links".to_owned()))]
    );
}

#[test]
fn every_promise_is_stamped() {
    let sources = [
        include_str!("../../src/promise/listings.rs"),
        include_str!("../../src/promise/changes.rs"),
        include_str!("../../src/promise/bodies.rs"),
        include_str!("../../src/promise/resources.rs"),
    ];
    let names = sources.iter().flat_map(|source| source.lines()).filter_map(|line| line.strip_prefix("pub async fn "));
    let mut written: Vec<&str> = names.filter_map(|line| line.split('(').next()).collect();
    let mut stamped: Vec<&str> = verdicts(ShelfFixture::default).into_iter().map(|(name, _)| name).collect();
    written.sort();
    stamped.sort();
    assert_eq!(stamped, written);
}

#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Kept,
    Skipped(String),
    Broken,
}

fn broken<F: Fixture>(fixture: impl Fn() -> F) -> Vec<&'static str> {
    let verdicts = verdicts(fixture).into_iter();
    verdicts.filter(|(_, verdict)| *verdict == Verdict::Broken).map(|(name, _)| name).collect()
}

macro_rules! judge {
    ([$fixture:expr] $($promise:ident)*) => {
        vec![$((stringify!($promise), verdict(repertoire_testkit::promise::$promise($fixture)))),*]
    };
}

/// What the suite says of every promise, in its order.
fn verdicts<F: Fixture>(fixture: impl Fn() -> F) -> Vec<(&'static str, Verdict)> {
    repertoire_testkit::__each_promise! { judge [fixture()] }
}

fn verdict(promise: impl Future<Output = Result<(), Unable>>) -> Verdict {
    // On a paused clock a source that hangs is found out at once.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    match catch_unwind(AssertUnwindSafe(|| runtime.expect("a test may start a runtime").block_on(promise))) {
        Ok(Ok(())) => Verdict::Kept,
        Ok(Err(unable)) => Verdict::Skipped(unable.to_string()),
        Err(_) => Verdict::Broken,
    }
}

/// A shelf read by somebody who gets one thing wrong.
#[derive(Debug)]
struct Faulty {
    shelf: Arc<Shelf>,
    fault: Fault,
    lists: AtomicU64,
    seen: AtomicU64,
    signals: Mutex<watch::Receiver<u64>>,
}

/// How much room [`Fault::MovesRevisionAtEveryList`] has between two real revisions.
const STEPS: u64 = 1000;

const LINK: &str = "link.md";

impl Faulty {
    /// `row`, or what the fault makes of it.
    fn row(&self, row: &Listed<Skill>) -> Listed<Skill> {
        match self.fault {
            Fault::SameStampForEver => Listed::new(row.item.clone(), Stamp::of("")),
            _ => row.clone(),
        }
    }

    fn has_malformed(&self) -> Option<Id> {
        let books = self.shelf.books();
        books.iter().find(|(_, book)| matches!(book, Book::Malformed)).map(|(id, _)| id.clone())
    }
}

#[async_trait]
impl Source<Skill> for Faulty {
    fn name(&self) -> &str {
        if self.fault == Fault::ColonInName { "faulty:shelf" } else { "faulty" }
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        let lists = self.lists.fetch_add(1, Ordering::Relaxed);
        let unreadable = || SourceError::new(SourceErrorKind::Other, "cannot be listed");
        let listing = self.shelf.list().await?;
        let malformed = self.has_malformed();
        let mut revision = listing.revision();
        let mut rows: Vec<_> = listing.iter().map(|row| self.row(row)).collect();
        let mut diagnostics = listing.diagnostics().to_vec();
        match self.fault {
            Fault::FailsWhenEmpty if rows.is_empty() => return Err(unreadable()),
            Fault::FailsWhenMalformed if malformed.is_some() => return Err(unreadable()),
            Fault::HidesWhatFollowsTheMalformed => {
                rows.retain(|row| malformed.as_ref().is_none_or(|malformed| row.item.id < *malformed));
            }
            Fault::SaysNothingOfTheMalformed => diagnostics.clear(),
            Fault::ReordersEveryOtherList if lists % 2 == 1 => rows.reverse(),
            Fault::MovesRevisionAtEveryList => revision = Revision(revision.0 * STEPS + lists),
            Fault::StartsOverWhenEmpty if rows.is_empty() => revision = Revision(0),
            Fault::TakesRevisionAfterReading => {
                tokio::task::yield_now().await;
                revision = self.shelf.revision();
            }
            _ => {}
        }
        Ok(Listing::new(revision, rows, diagnostics))
    }

    async fn list_since(&self, _: Revision) -> Result<Listing<Skill>, SourceError> {
        let listing = self.list().await?;
        let is_empty = self.fault == Fault::ListSinceGivesNothing;
        Ok(if is_empty { Listing::empty(listing.revision()) } else { listing })
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        let mut body = match self.shelf.body(id).await {
            Err(error) if self.fault == Fault::UnknownIdIsOther => {
                return Err(SourceError::new(SourceErrorKind::Other, "cannot be read").caused_by(error));
            }
            Err(_) if self.fault == Fault::RemovedBodyIsEmpty && id.as_str() == "alpha" => {
                return Ok(Body::new("", Digest::of(b""), Stamp::of("")));
            }
            body => body?,
        };
        match self.fault {
            Fault::RefusesABody if id.as_str() == "beta" => return Err(SourceError::invalid("no body")),
            Fault::BodyWithCarriageReturns => body.text = body.text.replace('\n', "\r\n").into(),
            Fault::BodyWithAnotherStamp => body.stamp = Stamp::of(""),
            Fault::BodyWithAnotherDigest => body.digest = Digest::of(b""),
            Fault::SameStampForEver => body.stamp = Stamp::of(""),
            _ => {}
        }
        Ok(body)
    }

    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        let mut resources = self.shelf.resources(id).await?;
        match self.fault {
            Fault::ResourcesAreHidden => resources.clear(),
            Fault::ResourcesAreUnsorted => resources.reverse(),
            Fault::ResourcesWithAnotherDigest => {
                resources.iter_mut().for_each(|resource| resource.digest = Digest::of(b"another"));
            }
            _ => {}
        }
        Ok(resources)
    }

    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        match (self.fault, self.shelf.resource(id, path).await) {
            (Fault::UnknownResourceIsOther, Err(error)) if self.shelf.books().contains_key(id) => {
                Err(SourceError::new(SourceErrorKind::Other, "cannot be read").caused_by(error))
            }
            (Fault::ResourceOfAnySkill, Err(error)) if self.shelf.books().contains_key(id) => {
                let anybody = self.shelf.books().values().find_map(|book| match book {
                    Book::Skill { resources, .. } => resources.get(path).cloned(),
                    Book::Malformed => None,
                });
                anybody.ok_or(error)
            }
            (Fault::FollowsLinks, Err(_)) if path.as_str() == LINK => Ok(Bytes::from_static(b"outside")),
            (_, result) => result,
        }
    }

    async fn changed(&self, since: Revision) {
        match self.fault {
            Fault::ForgetsToForwardChanged => std::future::pending().await,
            Fault::ChangedWaitsForTheNextChange => drop(self.shelf.subscribe().changed().await),
            Fault::ChangedNeverWaits => {}
            Fault::ChangedForgetsWhenDropped => {
                while self.seen.load(Ordering::Relaxed) <= since.0 {
                    let mut signals = self.signals.lock().await;
                    signals.changed().await.expect("the shelf holds the sender");
                    tokio::task::yield_now().await;
                    self.seen.store(self.shelf.revision().0, Ordering::Relaxed);
                }
            }
            Fault::MovesRevisionAtEveryList => self.shelf.changed(Revision(since.0 / STEPS)).await,
            _ => self.shelf.changed(since).await,
        }
    }
}

struct FaultyFixture {
    shelf: ShelfFixture,
    source: Arc<Faulty>,
}

impl FaultyFixture {
    fn new(fault: Fault) -> FaultyFixture {
        let shelf = ShelfFixture::default();
        let source = Faulty {
            shelf: shelf.source(),
            fault,
            lists: AtomicU64::new(0),
            seen: AtomicU64::new(0),
            signals: Mutex::new(shelf.source().subscribe()),
        };
        FaultyFixture { shelf, source: Arc::new(source) }
    }
}

impl Fixture for FaultyFixture {
    type Source = Faulty;

    fn source(&self) -> Arc<Faulty> {
        self.source.clone()
    }

    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unable> {
        self.shelf.put(id, description, body).await
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unable> {
        self.shelf.remove(id).await
    }

    async fn put_malformed(&mut self, id: &Id) -> Result<(), Unable> {
        self.shelf.put_malformed(id).await
    }

    async fn put_resource(&mut self, id: &Id, path: &ResourcePath, bytes: &[u8]) -> Result<(), Unable> {
        self.shelf.put_resource(id, path, bytes).await
    }

    async fn hostile_resource_paths(&mut self, _: &Id) -> Result<Vec<ResourcePath>, Unable> {
        Ok(vec![LINK.parse().expect("a path inside a skill")])
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unable> {
        self.shelf.content(id).await
    }
}
