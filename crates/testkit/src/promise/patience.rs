//! Steps that promises share: reading a source that may notice a change late, and never hanging on it.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use repertoire_core::{Id, Listed, Listing, ResourcePath, Skill, Source};

use crate::{Fixture, Unable};

/// When a source that should answer counts as hung. A guard, not a measure: a sound source never comes near.
const HUNG: Duration = Duration::from_secs(30);

/// How many late signals of earlier changes a promise sits through. A source has only so many of them, however slow;
/// one that has more moves its revision without a change.
pub(super) const LATE_SIGNALS: usize = 64;

/// The instructions of the skills that promises put; the rules in it are not front matter.
pub(super) const BODY: &str = "Say hello.\n\n---\n\nSay it twice.\n";

pub(super) fn id(name: &str) -> Id {
    name.parse().expect("promises name skills well")
}

pub(super) fn path(path: &str) -> ResourcePath {
    path.parse().expect("promises name resources well")
}

pub(super) fn row<'a>(listing: &'a Listing<Skill>, id: &Id) -> Option<&'a Listed<Skill>> {
    listing.iter().find(|row| row.item.id == *id)
}

pub(super) async fn list<S: Source<Skill>>(source: &S) -> Listing<Skill> {
    source.list().await.expect("a source should be able to list")
}

/// What `future` gives; panics when the source hangs.
pub(super) async fn soon<R>(what: &str, future: impl Future<Output = R>) -> R {
    match tokio::time::timeout(HUNG, future).await {
        Ok(result) => result,
        Err(_) => panic!("{what}: no answer in {} seconds", HUNG.as_secs()),
    }
}

/// `listing`, or the first later one that satisfies `condition`, reached as a registry would: by waiting for `changed`.
pub(super) async fn until<S: Source<Skill>>(
    source: &S,
    mut listing: Listing<Skill>,
    what: &str,
    condition: impl Fn(&Listing<Skill>) -> bool,
) -> Listing<Skill> {
    for _ in 0..LATE_SIGNALS {
        if condition(&listing) {
            return listing;
        }
        soon(what, source.changed(listing.revision())).await;
        listing = list(source).await;
    }
    panic!("{what}: not so after {LATE_SIGNALS} changes, in {listing:?}");
}

/// A listing that shows the skill `id`.
pub(super) async fn shown<S: Source<Skill>>(source: &S, id: &Id) -> Listing<Skill> {
    until(source, list(source).await, "the skill that was put should be listed", |listing| row(listing, id).is_some())
        .await
}

/// What `act` gives while the revision stands still, and the listing at that revision.
pub(super) async fn undisturbed<S: Source<Skill>, R>(
    source: &S,
    act: impl AsyncFn(&Listing<Skill>) -> R,
) -> (Listing<Skill>, R) {
    for _ in 0..LATE_SIGNALS {
        let before = list(source).await;
        let result = act(&before).await;
        if list(source).await.revision() == before.revision() {
            return (before, result);
        }
    }
    panic!("the revision moves although nothing changes");
}

/// Polls `future` so many times, and lets other tasks run after each; its result if it has one by then.
pub(super) async fn poll_times<R>(mut future: Pin<&mut (impl Future<Output = R> + ?Sized)>, times: usize) -> Option<R> {
    for _ in 0..times {
        if let Poll::Ready(result) = poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await {
            return Some(result);
        }
        tokio::task::yield_now().await;
    }
    None
}

/// A listing with at least one row: two skills that are put where the fixture can, else what is there from the start.
pub(super) async fn furnished<F: Fixture>(fixture: &mut F) -> Result<Listing<Skill>, Unable> {
    let source = &*fixture.source();
    let (alpha, beta) = (id("alpha"), id("beta"));
    if let Err(unable) = fixture.put(&alpha, "Greets people.", BODY).await {
        let listing = list(source).await;
        return if listing.is_empty() { Err(unable) } else { Ok(listing) };
    }
    fixture.put(&beta, "Parts from people.", "Say goodbye.\n").await?;
    let both = |listing: &Listing<Skill>| row(listing, &alpha).and(row(listing, &beta)).is_some();
    Ok(until(source, list(source).await, "both skills that were put should be listed", both).await)
}
