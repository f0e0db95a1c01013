//! Helpers of the tests: reading a source that may detect a change late, with a timeout.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use repertoire_core::{Id, Item, Listing, ListingEntry, ResourcePath, Source};

use crate::{Fixture, Unsupported};

/// The time after which a call of the source fails the test.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The number of late signals for earlier changes that a test accepts. A source with more of them changes its revision
/// without a change.
pub(super) const LATE_SIGNALS: usize = 64;

/// A body with lines that look like fences of front matter.
pub(super) const BODY: &str = "Say hello.\n\n---\n\nSay it twice.\n";

pub(super) fn id(name: &str) -> Id {
    name.parse().expect("the names in tests are valid")
}

pub(super) fn path(path: &str) -> ResourcePath {
    path.parse().expect("the paths in tests are valid")
}

pub(super) fn row<'a, T: Item>(listing: &'a Listing<T>, id: &Id) -> Option<&'a ListingEntry<T>> {
    listing.iter().find(|row| row.item.id() == id)
}

pub(super) async fn list<T: Item, S: Source<T>>(source: &S) -> Listing<T> {
    source
        .list()
        .await
        .expect("a source should be able to list")
}

/// Returns the result of `future`, which must resolve within the timeout.
pub(super) async fn soon<R>(what: &str, future: impl Future<Output = R>) -> R {
    match tokio::time::timeout(TIMEOUT, future).await {
        Ok(result) => result,
        Err(_) => panic!("{what}: no result after {} seconds", TIMEOUT.as_secs()),
    }
}

/// Returns `listing`, or the first later listing that satisfies `condition`. Waits for `changed`, as a registry does.
pub(super) async fn until<T: Item, S: Source<T>>(
    source: &S,
    mut listing: Listing<T>,
    what: &str,
    condition: impl Fn(&Listing<T>) -> bool,
) -> Listing<T> {
    for _ in 0..LATE_SIGNALS {
        if condition(&listing) {
            return listing;
        }
        soon(what, source.changed(listing.revision())).await;
        listing = list(source).await;
    }
    panic!("{what}: not the case after {LATE_SIGNALS} changes, in {listing:?}");
}

/// Returns a listing that contains the skill `id`.
pub(super) async fn shown<T: Item, S: Source<T>>(source: &S, id: &Id) -> Listing<T> {
    until(
        source,
        list(source).await,
        "the skill that was put should be listed",
        |listing| row(listing, id).is_some(),
    )
    .await
}

pub(super) async fn until_removed<T: Item, S: Source<T>>(source: &S, id: &Id) -> Listing<T> {
    let what = "a removed skill should leave the listing";
    until(source, list(source).await, what, |listing| {
        row(listing, id).is_none()
    })
    .await
}

pub(super) async fn until_modified<T: Item, S: Source<T>>(
    source: &S,
    old: &ListingEntry<T>,
) -> Listing<T> {
    let what = "what changed should be seen in the row of its skill";
    until(source, list(source).await, what, |listing| {
        row(listing, old.item.id()).is_some_and(|row| old.is_modified_by(row))
    })
    .await
}

/// Returns the result of `act` and the listing at that time. Repeats `act` if the revision changed during the call.
pub(super) async fn without_changes<T: Item, S: Source<T>, R>(
    source: &S,
    act: impl AsyncFn(&Listing<T>) -> R,
) -> (Listing<T>, R) {
    for _ in 0..LATE_SIGNALS {
        let before = list(source).await;
        let result = act(&before).await;
        if list(source).await.revision() == before.revision() {
            return (before, result);
        }
    }
    panic!("the revision changes although the source does not");
}

/// Polls `future` up to `times` times, and yields to other tasks after each poll.
pub(super) async fn poll_times<R>(
    mut future: Pin<&mut (impl Future<Output = R> + ?Sized)>,
    times: usize,
) -> Option<R> {
    for _ in 0..times {
        if let Poll::Ready(result) =
            poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
        {
            return Some(result);
        }
        tokio::task::yield_now().await;
    }
    None
}

/// Adds the skills `alpha` and `beta` and returns the listing. If the fixture cannot add skills, returns its initial ones.
pub(super) async fn with_two_skills<T: Item, F: Fixture<T>>(
    fixture: &mut F,
) -> Result<Listing<T>, Unsupported> {
    let source = &*fixture.source();
    let (alpha, beta) = (id("alpha"), id("beta"));
    if let Err(unsupported) = fixture.put(&alpha, "Greets people.", BODY).await {
        let listing = list(source).await;
        return if listing.is_empty() {
            Err(unsupported)
        } else {
            Ok(listing)
        };
    }
    fixture
        .put(&beta, "Parts from people.", "Say goodbye.\n")
        .await?;
    Ok(until(
        source,
        list(source).await,
        "both skills that were put should be listed",
        |listing| row(listing, &alpha).and(row(listing, &beta)).is_some(),
    )
    .await)
}
