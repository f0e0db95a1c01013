//! Promises about revisions, `list_since` and `changed`.

use repertoire_core::{Listing, Skill, Source};

use super::patience::{BODY, LATE_SIGNALS, furnished, id, list, poll_times, row, shown, soon, undisturbed, until};
use crate::{Fixture, Unable};

/// Whatever is done to a source, its revision stays or grows.
pub async fn revisions_never_go_down(mut fixture: impl Fixture) -> Result<(), Unable> {
    let source = &*fixture.source();
    let alpha = id("alpha");
    let mut last = list(source).await.revision();
    let mut check = |listing: &Listing<Skill>| {
        assert!(listing.revision() >= last, "the revision goes from {last:?} to {:?}", listing.revision());
        last = listing.revision();
    };
    for body in [BODY, "Say hello.\n"] {
        fixture.put(&alpha, "Greets people.", body).await?;
        check(&list(source).await);
        check(&shown(source, &alpha).await);
    }
    fixture.remove(&alpha).await?;
    check(&list(source).await);
    let gone = |listing: &Listing<Skill>| row(listing, &alpha).is_none();
    check(&until(source, list(source).await, "a removed skill should leave the listing", gone).await);
    fixture.put(&alpha, "Greets people.", BODY).await?;
    check(&shown(source, &alpha).await);
    Ok(())
}

/// A change that comes while the source lists is in the listing, or `changed` of its revision tells of it.
pub async fn the_revision_is_taken_before_reading_so_a_change_during_list_is_seen(
    mut fixture: impl Fixture,
) -> Result<(), Unable> {
    fixture.watches()?;
    let source = &*fixture.source();
    furnished(&mut fixture).await?;
    for polls in 0..8 {
        let during = id(&format!("during-{polls}"));
        let mut listing = source.list();
        let early = poll_times(listing.as_mut(), polls).await;
        fixture.put(&during, "Comes while the source lists.", BODY).await?;
        let listing = match early {
            Some(listing) => listing,
            None => soon("`list` during a change", listing).await,
        };
        let listing = listing.expect("a source should be able to list while it changes");
        until(source, listing, "a change during `list` should be seen", |listing| row(listing, &during).is_some())
            .await;
    }
    Ok(())
}

/// After a change, `list_since` gives what `list` gives.
pub async fn list_since_gives_what_list_gives(mut fixture: impl Fixture) -> Result<(), Unable> {
    let source = &*fixture.source();
    let (alpha, gamma) = (id("alpha"), id("gamma"));
    let old = furnished(&mut fixture).await?;
    fixture.put(&alpha, "Greets people in another way.", BODY).await?;
    fixture.put(&gamma, "Comes later.", BODY).await?;
    // A source whose skills cannot be removed is tested with what came and what was modified.
    let _ = fixture.remove(&id("beta")).await;
    shown(source, &gamma).await;
    let list_since = async |_: &Listing<Skill>| source.list_since(old.revision()).await;
    let (listing, since) = undisturbed(source, list_since).await;
    let since = since.expect("a source should list what it has since a revision of its own");
    assert_eq!(since, listing, "`list_since` should give what `list` gives");
    Ok(())
}

/// Without a change, `list_since` gives a listing that is equal to the one before.
pub async fn list_since_without_a_change_gives_an_equal_listing(mut fixture: impl Fixture) -> Result<(), Unable> {
    let source = &*fixture.source();
    furnished(&mut fixture).await?;
    let list_since = async |old: &Listing<Skill>| source.list_since(old.revision()).await;
    let (old, since) = undisturbed(source, list_since).await;
    let since = since.expect("a source should list what it has since a revision of its own");
    assert_eq!(since, old, "nothing changed since the listing");
    Ok(())
}

/// A source that is past a revision says so without another change, every time it is asked.
pub async fn changed_of_an_old_revision_returns_at_once(mut fixture: impl Fixture) -> Result<(), Unable> {
    fixture.watches()?;
    let source = &*fixture.source();
    let old = furnished(&mut fixture).await?.revision();
    let gamma = id("gamma");
    fixture.put(&gamma, "Comes later.", BODY).await?;
    shown(source, &gamma).await;
    for _ in 0..2 {
        soon("`changed` of an old revision", source.changed(old)).await;
    }
    Ok(())
}

/// `changed` of the current revision pends until there is a change, and then the revision is a later one.
pub async fn changed_of_the_current_revision_waits_for_a_change(mut fixture: impl Fixture) -> Result<(), Unable> {
    fixture.watches()?;
    let source = &*fixture.source();
    let mut listing = furnished(&mut fixture).await?;
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
    panic!("`changed` resolves again and again although nothing changes");
}

/// A caller may lose interest at any await, before a change and after it, and ask again.
pub async fn changed_may_be_dropped_at_any_await_and_loses_nothing(mut fixture: impl Fixture) -> Result<(), Unable> {
    fixture.watches()?;
    let source = &*fixture.source();
    let mut since = furnished(&mut fixture).await?.revision();
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
        soon("`changed`, asked again after it was dropped", source.changed(since)).await;
        since = shown(source, &later).await.revision();
    }
    Ok(())
}
