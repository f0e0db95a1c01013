//! Tests of revisions and change signals.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use repertoire_core::{Id, Item, Listing, Source, SourceError};
use tokio::runtime::Handle;

use super::timeout::{
    BODY, LATE_SIGNALS, id, list, path, poll_times, row, shown, soon, until, until_removed,
    with_two_skills, without_changes,
};
use crate::{Fixture, Unsupported};

/// The least time for which a source is changed while a different thread lists it.
const RACE: Duration = Duration::from_millis(100);

/// The least number of these changes, for a busy machine.
const RACE_CHANGES: usize = 32;

/// The revision never decreases.
pub async fn revisions_never_go_down<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    let alpha = id("alpha");
    let mut last = list(source).await.revision();
    let mut check = |listing: &Listing<T>| {
        assert!(
            listing.revision() >= last,
            "the revision goes from {last:?} to {:?}",
            listing.revision()
        );
        last = listing.revision();
    };
    for body in [BODY, "Say hello.\n"] {
        fixture.put(&alpha, "Greets people.", body).await?;
        check(&list(source).await);
        check(&shown(source, &alpha).await);
    }
    fixture.remove(&alpha).await?;
    check(&list(source).await);
    check(&until_removed(source, &alpha).await);
    fixture.put(&alpha, "Greets people.", BODY).await?;
    check(&shown(source, &alpha).await);
    Ok(())
}

/// A change during `list` is in the listing, or `changed` resolves for the revision of the listing.
pub async fn a_change_during_list_is_seen<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    fixture.watches()?;
    let source = &*fixture.source();
    with_two_skills(&mut fixture).await?;
    for polls in 0..8 {
        let during = id(&format!("during-{polls}"));
        let mut listing = source.list();
        let early = poll_times(listing.as_mut(), polls).await;
        fixture
            .put(&during, "Comes while the source lists.", BODY)
            .await?;
        let listing = match early {
            Some(listing) => listing,
            None => soon("`list` during a change", listing).await,
        };
        let listing = listing.expect("a source should be able to list while it changes");
        until(
            source,
            listing,
            "a change during `list` should be seen",
            |listing| row(listing, &during).is_some(),
        )
        .await;
    }
    Ok(())
}

/// A listing contains every change up to its revision, also when `list` never waits and a different thread changes the source.
pub async fn a_listing_is_as_new_as_its_revision<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = fixture.source();
    let alpha = id("alpha");
    with_two_skills(&mut fixture).await?;
    let (sender, listings) = mpsc::channel();
    let runtime = Handle::current();
    // It ends when `race` drops the receiver.
    let lister =
        tokio::task::spawn_blocking(
            move || while sender.send(runtime.block_on(source.list())).is_ok() {},
        );
    let raced = race(&mut fixture, &alpha, listings).await;
    lister
        .await
        .expect("`list` should not panic while the source changes");
    raced
}

async fn race<T: Item, F: Fixture<T>>(
    fixture: &mut F,
    id: &Id,
    listings: mpsc::Receiver<Result<Listing<T>, SourceError>>,
) -> Result<(), Unsupported> {
    let (source, began) = (fixture.source(), Instant::now());
    let mut last = list(&*source).await;
    let mut round = 0;
    while began.elapsed() < RACE || round < RACE_CHANGES {
        round += 1;
        fixture
            .put(id, &format!("Greets people in way {round}."), BODY)
            .await?;
        let now = list(&*source).await;
        // A source may show a change later, and then says so.
        if row(&now, id) == row(&last, id) || now.revision() == last.revision() {
            return Ok(());
        }
        for listing in listings
            .try_iter()
            .flatten()
            .filter(|listing| listing.revision() >= now.revision())
        {
            let is_seen = row(&listing, id)
                .zip(row(&now, id))
                .is_some_and(|(row, now)| !row.is_modified_by(now));
            assert!(
                is_seen,
                "a listing lacks a change that its revision includes"
            );
        }
        last = now;
        tokio::task::yield_now().await;
    }
    Ok(())
}

/// Every kind of change is signalled: `changed` of the revision before resolves, and the next listing has a later one.
pub async fn every_change_is_signalled<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    fixture.watches()?;
    let source = &*fixture.source();
    let (alpha, file) = (id("alpha"), path("notes.md"));
    with_two_skills(&mut fixture).await?;
    for change in 0..6 {
        let since = list(source).await.revision();
        let (what, put) = match change {
            0 => (
                "a new skill",
                fixture.put(&id("gamma"), "Comes later.", BODY).await,
            ),
            1 => (
                "a new description",
                fixture
                    .put(&alpha, "Greets people in another way.", BODY)
                    .await,
            ),
            2 => (
                "a new body",
                fixture
                    .put(&alpha, "Greets people in another way.", "Say hello.\n")
                    .await,
            ),
            3 => (
                "a new file",
                fixture.put_resource(&alpha, &file, b"One.\n").await,
            ),
            4 => (
                "new content of a file",
                fixture.put_resource(&alpha, &file, b"Two.\n").await,
            ),
            _ => ("a removed skill", fixture.remove(&alpha).await),
        };
        let is_supported = match change {
            2 => fixture.reads_bodies(),
            3 | 4 => fixture.reads_resources(),
            _ => Ok(()),
        };
        if put.and(is_supported).is_ok() {
            soon(&format!("`changed` after {what}"), source.changed(since)).await;
            let now = list(source).await.revision();
            assert!(now > since, "the revision is still {now:?} after {what}");
        }
    }
    Ok(())
}

/// After a change, `list_since` returns what `list` returns.
pub async fn list_since_gives_what_list_gives<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    let (alpha, gamma) = (id("alpha"), id("gamma"));
    let old = with_two_skills(&mut fixture).await?;
    fixture
        .put(&alpha, "Greets people in another way.", BODY)
        .await?;
    fixture.put(&gamma, "Comes later.", BODY).await?;
    // A source whose skills cannot be removed is tested with what came and what was modified.
    let _ = fixture.remove(&id("beta")).await;
    shown(source, &gamma).await;
    let list_since = async |_: &Listing<T>| source.list_since(old.revision()).await;
    let (listing, since) = without_changes(source, list_since).await;
    let since = since.expect("a source should list what it has since a revision of its own");
    assert_eq!(since, listing, "`list_since` should give what `list` gives");
    Ok(())
}

/// Without a change, `list_since` returns an equal listing.
pub async fn list_since_without_a_change_gives_an_equal_listing<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    with_two_skills(&mut fixture).await?;
    let list_since = async |old: &Listing<T>| source.list_since(old.revision()).await;
    let (old, since) = without_changes(source, list_since).await;
    let since = since.expect("a source should list what it has since a revision of its own");
    assert_eq!(since, old, "nothing changed since the listing");
    Ok(())
}

/// `changed` of an earlier revision resolves without a further change, in every call.
pub async fn changed_of_an_old_revision_returns_at_once<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    fixture.watches()?;
    let source = &*fixture.source();
    let old = with_two_skills(&mut fixture).await?.revision();
    let gamma = id("gamma");
    fixture.put(&gamma, "Comes later.", BODY).await?;
    shown(source, &gamma).await;
    for _ in 0..2 {
        soon("`changed` of an old revision", source.changed(old)).await;
    }
    Ok(())
}

/// `changed` of the current revision resolves after a change, with a higher revision.
pub async fn changed_of_the_current_revision_waits_for_a_change<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    fixture.watches()?;
    let source = &*fixture.source();
    let mut listing = with_two_skills(&mut fixture).await?;
    for _ in 0..LATE_SIGNALS {
        let mut changed = source.changed(listing.revision());
        let waits = poll_times(changed.as_mut(), 2).await.is_none();
        if waits {
            fixture.put(&id("gamma"), "Comes later.", BODY).await?;
            soon("`changed` after a change", changed).await;
        }
        let next = list(source).await;
        assert!(
            next.revision() > listing.revision(),
            "`changed` resolved, but the revision is still {:?}",
            next.revision()
        );
        if waits {
            return Ok(());
        }
        listing = next;
    }
    panic!("`changed` keeps resolving although nothing changes");
}

/// A dropped `changed` future, before or after a change, does not lose the change for the next call.
pub async fn dropping_changed_loses_no_change<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    fixture.watches()?;
    let source = &*fixture.source();
    let mut since = with_two_skills(&mut fixture).await?.revision();
    for polls in 0..4 {
        poll_times(source.changed(since).as_mut(), polls).await;
        let mut changed = source.changed(since);
        let early = poll_times(changed.as_mut(), 1).await;
        let later = id(&format!("later-{polls}"));
        fixture.put(&later, "Comes later.", BODY).await?;
        if early.is_none() {
            poll_times(changed.as_mut(), polls).await;
        }
        drop(changed);
        soon(
            "`changed`, asked again after it was dropped",
            source.changed(since),
        )
        .await;
        since = shown(source, &later).await.revision();
    }
    Ok(())
}
