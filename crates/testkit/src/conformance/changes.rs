//! Tests of revisions and change signals.

use repertoire_core::{Listing, Skill, Source};

use super::timeout::{
    BODY, LATE_SIGNALS, id, list, poll_times, row, shown, soon, until, until_removed,
    with_two_skills, without_changes,
};
use crate::{Fixture, Unsupported};

/// The revision never decreases.
pub async fn revisions_never_go_down(mut fixture: impl Fixture) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    let alpha = id("alpha");
    let mut last = list(source).await.revision();
    let mut check = |listing: &Listing<Skill>| {
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
pub async fn a_change_during_list_is_seen(mut fixture: impl Fixture) -> Result<(), Unsupported> {
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

/// After a change, `list_since` returns what `list` returns.
pub async fn list_since_gives_what_list_gives(
    mut fixture: impl Fixture,
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
    let list_since = async |_: &Listing<Skill>| source.list_since(old.revision()).await;
    let (listing, since) = without_changes(source, list_since).await;
    let since = since.expect("a source should list what it has since a revision of its own");
    assert_eq!(since, listing, "`list_since` should give what `list` gives");
    Ok(())
}

/// Without a change, `list_since` returns an equal listing.
pub async fn list_since_without_a_change_gives_an_equal_listing(
    mut fixture: impl Fixture,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    with_two_skills(&mut fixture).await?;
    let list_since = async |old: &Listing<Skill>| source.list_since(old.revision()).await;
    let (old, since) = without_changes(source, list_since).await;
    let since = since.expect("a source should list what it has since a revision of its own");
    assert_eq!(since, old, "nothing changed since the listing");
    Ok(())
}

/// `changed` of an earlier revision resolves without a further change, in every call.
pub async fn changed_of_an_old_revision_returns_at_once(
    mut fixture: impl Fixture,
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
pub async fn changed_of_the_current_revision_waits_for_a_change(
    mut fixture: impl Fixture,
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
pub async fn dropping_changed_loses_no_change(
    mut fixture: impl Fixture,
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
