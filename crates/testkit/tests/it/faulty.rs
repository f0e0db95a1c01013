//! Sources with one fault each, and the conformance tests that fail for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use repertoire_core::{
    Body, Bytes, Digest, Id, Listing, ListingEntry, Resource, ResourcePath, Revision, Skill,
    Source, SourceError, SourceErrorKind, Stamp, async_trait,
};
use repertoire_testkit::{Dynamic, Fixture, Unsupported};
use tokio::sync::{Mutex, watch};

use crate::memory::{MemoryFixture, MemoryStore, Record};

/// Declares faults with the tests that each must fail.
macro_rules! faults {
    ($($fault:ident: $($test:ident)*;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum Fault { $($fault),* }

        const EXPECTED: &[(Fault, &[&str])] = &[$((Fault::$fault, &[$(stringify!($test)),*])),*];
    };
}

faults! {
    Sound: ;
    ColonInName: the_name_is_stable_and_holds_no_colon;
    SlashInName: the_name_is_stable_and_holds_no_colon;
    NameChanges: the_name_is_stable_and_holds_no_colon;
    FailsWhenEmpty: an_empty_source_is_an_empty_listing revisions_never_go_down;
    FailsWhenMalformed: a_malformed_entry_hides_no_other;
    HidesWhatFollowsTheMalformed: a_malformed_entry_hides_no_other;
    SaysNothingOfTheMalformed: a_malformed_entry_hides_no_other;
    MalformedIsListed: a_malformed_entry_hides_no_other;
    ReordersEveryOtherList:
        listing_twice_without_a_change_gives_equal_listings
        list_since_gives_what_list_gives
        list_since_without_a_change_gives_an_equal_listing;
    MovesRevisionAtEveryList:
        listing_twice_without_a_change_gives_equal_listings
        list_since_gives_what_list_gives
        list_since_without_a_change_gives_an_equal_listing
        a_body_agrees_with_its_row;
    FixedDescription: a_listed_item_is_what_was_put;
    SameStampForEver: a_new_body_changes_its_row a_new_file_changes_its_row a_body_is_what_was_written;
    StampWithoutResources: a_new_file_changes_its_row;
    FilesKeepTheRevision: every_change_is_signalled;
    BodiesKeepTheRevision: every_change_is_signalled;
    RemovedStaysListed: a_removed_skill_is_gone;
    StartsOverWhenEmpty: revisions_never_go_down;
    TakesRevisionAfterReading: a_change_during_list_is_seen a_listing_is_as_new_as_its_revision;
    TakesRevisionAfterReadingAtOnce: a_listing_is_as_new_as_its_revision;
    ListSinceGivesNothing: list_since_gives_what_list_gives list_since_without_a_change_gives_an_equal_listing;
    ListSinceHasTheOldRevision: list_since_gives_what_list_gives;
    ForgetsToForwardChanged:
        a_change_during_list_is_seen
        every_change_is_signalled
        changed_of_an_old_revision_returns_at_once
        changed_of_the_current_revision_waits_for_a_change
        dropping_changed_loses_no_change;
    ChangedWaitsForTheNextChange:
        a_change_during_list_is_seen
        every_change_is_signalled
        changed_of_an_old_revision_returns_at_once
        dropping_changed_loses_no_change;
    ChangedNeverWaits: changed_of_the_current_revision_waits_for_a_change;
    ChangedForgetsWhenDropped: dropping_changed_loses_no_change;
    UnknownIdIsOther: a_removed_skill_is_gone an_unknown_id_is_not_found;
    UnknownBodyIsEmpty: a_removed_skill_is_gone an_unknown_id_is_not_found;
    RemovedBodyIsEmpty: a_removed_skill_is_gone;
    RefusesABody: what_is_listed_can_be_read a_body_agrees_with_its_row a_body_has_the_digest_of_its_content;
    BodyWithCarriageReturns: a_body_is_what_was_written;
    BodyWithAnotherStamp: a_body_agrees_with_its_row;
    BodyWithAnotherDigest: a_body_has_the_digest_of_its_content;
    RowWithAnotherDigest: a_body_agrees_with_its_row;
    ResourcesAreHidden: resources_are_what_was_written;
    ResourcesAreUnsorted: resources_are_sorted_and_match_their_bytes;
    ResourcesComeTwice: resources_are_what_was_written resources_are_sorted_and_match_their_bytes;
    ResourcesWithAnotherDigest: resources_are_sorted_and_match_their_bytes;
    ResourcesWithAnotherSize: resources_are_sorted_and_match_their_bytes;
    ResourceWithOtherBytes: resources_are_what_was_written resources_are_sorted_and_match_their_bytes;
    UnknownResourceIsOther:
        an_unknown_resource_is_not_found a_resource_path_never_leaves_its_skill a_link_never_leaves_its_skill;
    FolderIsAFile: an_unknown_resource_is_not_found;
    ResourceOfAnySkill: a_resource_path_never_leaves_its_skill;
    FollowsLinks: a_link_never_leaves_its_skill;
}

#[test]
fn every_fault_fails_its_tests_only() {
    for (fault, expected) in EXPECTED {
        assert_eq!(
            failed(|| FaultyFixture::new(*fault)),
            *expected,
            "{fault:?}"
        );
        assert_eq!(
            failed(|| Dynamic::new(FaultyFixture::new(*fault))),
            *expected,
            "{fault:?}, dynamic"
        );
    }
}

#[test]
fn unsupported_tests_are_skipped_with_the_reason() {
    let rest = outcomes(MemoryFixture::default)
        .into_iter()
        .filter(|(_, outcome)| *outcome != Outcome::Passed);
    assert_eq!(
        rest.collect::<Vec<_>>(),
        [(
            "a_link_never_leaves_its_skill",
            Outcome::Skipped("the store has no links".to_owned())
        )]
    );
}

#[test]
fn every_test_is_generated() {
    let sources = [
        include_str!("../../src/conformance/listings.rs"),
        include_str!("../../src/conformance/changes.rs"),
        include_str!("../../src/conformance/bodies.rs"),
        include_str!("../../src/conformance/resources.rs"),
    ];
    let names = sources
        .iter()
        .flat_map(|source| source.lines())
        .filter_map(|line| line.strip_prefix("pub async fn "));
    let mut written: Vec<&str> = names
        .filter_map(|line| line.split(['(', '<']).next())
        .collect();
    let mut generated: Vec<&str> = outcomes(MemoryFixture::default)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    written.sort();
    generated.sort();
    assert_eq!(generated, written);
}

#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Skipped(String),
    Failed,
}

fn failed<F: Fixture>(fixture: impl Fn() -> F) -> Vec<&'static str> {
    let outcomes = outcomes(fixture).into_iter();
    outcomes
        .filter(|(_, outcome)| *outcome == Outcome::Failed)
        .map(|(name, _)| name)
        .collect()
}

macro_rules! run_all {
    ([$fixture:expr] $($test:ident)*) => {
        vec![$((stringify!($test), outcome(repertoire_testkit::conformance::$test($fixture)))),*]
    };
}

/// Runs every test, in order.
fn outcomes<F: Fixture>(fixture: impl Fn() -> F) -> Vec<(&'static str, Outcome)> {
    repertoire_testkit::__for_each_test! { run_all [fixture()] }
}

fn outcome(test: impl Future<Output = Result<(), Unsupported>>) -> Outcome {
    // With a paused clock, the timeout of a source that hangs ends at once.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    match catch_unwind(AssertUnwindSafe(|| {
        runtime.expect("a test may start a runtime").block_on(test)
    })) {
        Ok(Ok(())) => Outcome::Passed,
        Ok(Err(unsupported)) => Outcome::Skipped(unsupported.to_string()),
        Err(_) => Outcome::Failed,
    }
}

/// A store with one fault.
#[derive(Debug)]
struct Faulty {
    store: Arc<MemoryStore>,
    fault: Fault,
    lists: AtomicU64,
    seen: AtomicU64,
    signals: Mutex<watch::Receiver<u64>>,
}

/// The number of revisions that [`Fault::MovesRevisionAtEveryList`] can use between two real ones.
const STEPS: u64 = 1 << 32;

const LINK: &str = "link.md";

impl Faulty {
    /// `row`, or what the fault makes of it.
    fn row(&self, row: &ListingEntry<Skill>) -> ListingEntry<Skill> {
        match self.fault {
            Fault::SameStampForEver => ListingEntry::new(row.item.clone(), Stamp::of("")),
            Fault::StampWithoutResources => {
                ListingEntry::new(row.item.clone(), self.stamp_of_body(&row.item.id))
            }
            Fault::FixedDescription => {
                ListingEntry::new(Skill::new(row.item.id.clone(), "Greets people."), row.stamp)
            }
            Fault::RowWithAnotherDigest => row.clone().with_digest(Digest::of(b"")),
            _ => row.clone(),
        }
    }

    fn stamp_of_body(&self, id: &Id) -> Stamp {
        match &self.store.records()[id] {
            Record::Skill { body, .. } => Stamp::of(body),
            Record::Malformed => Stamp::of(""),
        }
    }

    fn has_malformed(&self) -> Option<Id> {
        let records = self.store.records();
        records
            .iter()
            .find(|(_, record)| matches!(record, Record::Malformed))
            .map(|(id, _)| id.clone())
    }
}

#[async_trait]
impl Source<Skill> for Faulty {
    fn name(&self) -> &str {
        match self.fault {
            Fault::ColonInName => "faulty:store",
            Fault::SlashInName => "faulty/store",
            Fault::NameChanges if self.lists.load(Ordering::Relaxed) > 0 => "store",
            _ => "faulty",
        }
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        let lists = self.lists.fetch_add(1, Ordering::Relaxed);
        let unreadable = || SourceError::new(SourceErrorKind::Other, "cannot be listed");
        let listing = self.store.list().await?;
        let malformed = self.has_malformed();
        let mut revision = listing.revision();
        let mut rows: Vec<_> = listing.iter().map(|row| self.row(row)).collect();
        let mut diagnostics = listing.diagnostics().to_vec();
        match self.fault {
            Fault::FailsWhenEmpty if rows.is_empty() => return Err(unreadable()),
            Fault::FailsWhenMalformed if malformed.is_some() => return Err(unreadable()),
            Fault::HidesWhatFollowsTheMalformed => {
                rows.retain(|row| {
                    malformed
                        .as_ref()
                        .is_none_or(|malformed| row.item.id < *malformed)
                });
            }
            Fault::SaysNothingOfTheMalformed => diagnostics.clear(),
            Fault::ReordersEveryOtherList if lists % 2 == 1 => rows.reverse(),
            Fault::MovesRevisionAtEveryList => revision = Revision(revision.0 * STEPS + lists),
            Fault::StartsOverWhenEmpty if rows.is_empty() => revision = Revision(0),
            Fault::MalformedIsListed => {
                let skill = malformed.map(|id| Skill::new(id, "Is malformed."));
                rows.extend(skill.map(|skill| ListingEntry::new(skill, Stamp::of(""))));
            }
            Fault::RemovedStaysListed
                if rows.iter().all(|row| row.item.id.as_str() == "beta") && !rows.is_empty() =>
            {
                let skill = Skill::new("alpha".parse().expect("a valid id"), "Greets people.");
                rows.push(ListingEntry::new(skill, Stamp::of("")));
            }
            Fault::TakesRevisionAfterReading | Fault::TakesRevisionAfterReadingAtOnce => {
                if self.fault == Fault::TakesRevisionAfterReading {
                    tokio::task::yield_now().await;
                }
                // As long as it takes to make rows of what was read, or until they are old.
                for _ in 0..1000 {
                    std::thread::yield_now();
                    if self.store.revision() != revision {
                        break;
                    }
                }
                revision = self.store.revision();
            }
            _ => {}
        }
        Ok(Listing::new(revision, rows, diagnostics))
    }

    async fn list_since(&self, since: Revision) -> Result<Listing<Skill>, SourceError> {
        let listing = self.list().await?;
        Ok(match self.fault {
            Fault::ListSinceGivesNothing => Listing::empty(listing.revision()),
            Fault::ListSinceHasTheOldRevision => Listing::new(since, listing.iter().cloned(), []),
            _ => listing,
        })
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        let mut body = match self.store.body(id).await {
            Err(error) if self.fault == Fault::UnknownIdIsOther => {
                return Err(
                    SourceError::new(SourceErrorKind::Other, "cannot be read").caused_by(error)
                );
            }
            Err(_) if self.fault == Fault::UnknownBodyIsEmpty => {
                return Ok(Body::new("", Digest::of(b""), Stamp::of("")));
            }
            Err(_) if self.fault == Fault::RemovedBodyIsEmpty && id.as_str() == "alpha" => {
                return Ok(Body::new("", Digest::of(b""), Stamp::of("")));
            }
            body => body?,
        };
        match self.fault {
            Fault::RefusesABody if id.as_str() == "beta" => {
                return Err(SourceError::invalid("no body"));
            }
            Fault::BodyWithCarriageReturns => body.text = body.text.replace('\n', "\r\n").into(),
            Fault::BodyWithAnotherStamp => body.stamp = Stamp::of(""),
            Fault::BodyWithAnotherDigest => body.digest = Digest::of(b""),
            Fault::SameStampForEver => body.stamp = Stamp::of(""),
            Fault::StampWithoutResources => body.stamp = self.stamp_of_body(id),
            _ => {}
        }
        Ok(body)
    }

    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        let mut resources = self.store.resources(id).await?;
        match self.fault {
            Fault::ResourcesAreHidden => resources.clear(),
            Fault::ResourcesAreUnsorted => resources.reverse(),
            Fault::ResourcesComeTwice => resources = [resources.clone(), resources].concat(),
            Fault::ResourcesWithAnotherSize => {
                resources.iter_mut().for_each(|resource| resource.size += 1)
            }
            Fault::ResourcesWithAnotherDigest => {
                resources
                    .iter_mut()
                    .for_each(|resource| resource.digest = Digest::of(b"another"));
            }
            _ => {}
        }
        Ok(resources)
    }

    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        match (self.fault, self.store.resource(id, path).await) {
            (Fault::UnknownResourceIsOther, Err(error))
                if self.store.records().contains_key(id) =>
            {
                Err(SourceError::new(SourceErrorKind::Other, "cannot be read").caused_by(error))
            }
            (Fault::ResourceOfAnySkill, Err(error)) if self.store.records().contains_key(id) => {
                let anybody = self
                    .store
                    .records()
                    .values()
                    .find_map(|record| match record {
                        Record::Skill { resources, .. } => resources.get(path).cloned(),
                        Record::Malformed => None,
                    });
                anybody.ok_or(error)
            }
            (Fault::ResourceWithOtherBytes, Ok(bytes)) => Ok([&bytes[..], b"!"].concat().into()),
            (Fault::FolderIsAFile, Err(_)) if path.as_str() == "references" => Ok(Bytes::new()),
            (Fault::FollowsLinks, Err(_)) if path.as_str() == LINK => {
                Ok(Bytes::from_static(b"outside"))
            }
            (_, result) => result,
        }
    }

    async fn changed(&self, since: Revision) {
        match self.fault {
            Fault::ForgetsToForwardChanged => std::future::pending().await,
            Fault::ChangedWaitsForTheNextChange => drop(self.store.subscribe().changed().await),
            Fault::ChangedNeverWaits => {}
            Fault::ChangedForgetsWhenDropped => {
                while self.seen.load(Ordering::Relaxed) <= since.0 {
                    let mut signals = self.signals.lock().await;
                    signals.changed().await.expect("the store holds the sender");
                    tokio::task::yield_now().await;
                    self.seen.store(self.store.revision().0, Ordering::Relaxed);
                }
            }
            Fault::MovesRevisionAtEveryList => self.store.changed(Revision(since.0 / STEPS)).await,
            _ => self.store.changed(since).await,
        }
    }
}

struct FaultyFixture {
    store: MemoryFixture,
    source: Arc<Faulty>,
}

impl FaultyFixture {
    fn new(fault: Fault) -> FaultyFixture {
        let store = MemoryFixture::default();
        let source = Faulty {
            store: store.source(),
            fault,
            lists: AtomicU64::new(0),
            seen: AtomicU64::new(0),
            signals: Mutex::new(store.source().subscribe()),
        };
        FaultyFixture {
            store,
            source: Arc::new(source),
        }
    }
}

impl Fixture for FaultyFixture {
    type Source = Faulty;

    fn source(&self) -> Arc<Faulty> {
        self.source.clone()
    }

    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unsupported> {
        if self.source.fault == Fault::BodiesKeepTheRevision
            && let Some(Record::Skill {
                description: listed,
                body: old,
                ..
            }) = self.store.0.records().get_mut(id)
            && listed == description
        {
            *old = body.to_owned();
            return Ok(());
        }
        self.store.put(id, description, body).await
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.store.remove(id).await
    }

    async fn put_malformed(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.store.put_malformed(id).await
    }

    async fn put_resource(
        &mut self,
        id: &Id,
        path: &ResourcePath,
        bytes: &[u8],
    ) -> Result<(), Unsupported> {
        if self.source.fault == Fault::FilesKeepTheRevision
            && let Some(Record::Skill { resources, .. }) = self.store.0.records().get_mut(id)
        {
            resources.insert(path.clone(), Bytes::copy_from_slice(bytes));
            return Ok(());
        }
        self.store.put_resource(id, path, bytes).await
    }

    async fn hostile_resource_paths(&mut self, _: &Id) -> Result<Vec<ResourcePath>, Unsupported> {
        Ok(vec![LINK.parse().expect("a path inside a skill")])
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
        self.store.content(id).await
    }
}
