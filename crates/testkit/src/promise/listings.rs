//! What a listing promises.

use std::collections::HashSet;

use repertoire_core::{Listing, Skill, Source, SourceErrorKind};

use super::patience::{BODY, furnished, id, list, row, undisturbed, until};
use crate::{Fixture, Unable};

/// A source has one name, and it can stand before a colon.
pub async fn the_name_is_stable_and_holds_no_colon(mut fixture: impl Fixture) -> Result<(), Unable> {
    let source = &*fixture.source();
    let name = source.name().to_owned();
    assert!(!name.trim().is_empty(), "a source should have a name");
    assert!(!name.contains(':'), "the name `{name}` holds a colon, which separates a source from a skill");
    // Whether or not there is something to look at: a name does not depend on it.
    let _ = furnished(&mut fixture).await;
    assert_eq!(source.name(), name, "the name should not change");
    Ok(())
}

/// The same content gives the same rows, diagnostics and revision.
pub async fn listing_twice_without_a_change_gives_equal_listings(mut fixture: impl Fixture) -> Result<(), Unable> {
    let source = &*fixture.source();
    furnished(&mut fixture).await?;
    let (first, second) = undisturbed(source, async |_| list(source).await).await;
    assert_eq!(first, second, "nothing changed between two listings");
    Ok(())
}

/// No id comes twice.
pub async fn ids_in_a_listing_are_unique(mut fixture: impl Fixture) -> Result<(), Unable> {
    let listing = furnished(&mut fixture).await?;
    let ids: HashSet<_> = listing.iter().map(|row| &row.item.id).collect();
    assert_eq!(ids.len(), listing.len(), "an id comes twice in {listing:?}");
    Ok(())
}

/// To have nothing is no error.
pub async fn an_empty_source_is_an_empty_listing(mut fixture: impl Fixture) -> Result<(), Unable> {
    let source = &*fixture.source();
    let listing = list(source).await;
    for row in listing.iter() {
        fixture.remove(&row.item.id).await?;
    }
    until(source, listing, "a source whose skills are all removed should be empty", Listing::is_empty).await;
    Ok(())
}

/// One broken entry costs itself.
pub async fn one_malformed_entry_is_a_diagnostic_and_hides_no_other(mut fixture: impl Fixture) -> Result<(), Unable> {
    let source = &*fixture.source();
    let [before, malformed, after] = ["a-before", "m-malformed", "z-after"].map(id);
    fixture.put(&before, "Sorts before.", BODY).await?;
    fixture.put_malformed(&malformed).await?;
    fixture.put(&after, "Sorts after.", BODY).await?;
    let is_told = |listing: &Listing<Skill>| !listing.diagnostics().is_empty() && row(listing, &after).is_some();
    let what = "a malformed entry should be a diagnostic beside the entries that follow it";
    let listing = until(source, list(source).await, what, is_told).await;
    assert!(row(&listing, &malformed).is_none(), "a malformed entry should not be listed");
    assert!(row(&listing, &before).is_some(), "the entry before the malformed one is hidden in {listing:?}");
    Ok(())
}

/// A new body makes a different row, and a row whose skill was not touched stays the same.
pub async fn a_change_behind_a_row_is_seen_in_the_row(mut fixture: impl Fixture) -> Result<(), Unable> {
    let source = &*fixture.source();
    let alpha = id("alpha");
    let old = furnished(&mut fixture).await?;
    fixture.put(&alpha, "Greets people.", "Say hello in the language of the reader.\n").await?;
    let old_row = row(&old, &alpha).expect("furnished");
    let modified = |listing: &Listing<Skill>| row(listing, &alpha).is_some_and(|row| old_row.is_modified_by(row));
    let new = until(source, list(source).await, "a new body should be seen in the row of its skill", modified).await;
    let beta = |listing| row(listing, &id("beta")).cloned();
    assert_eq!(beta(&old), beta(&new), "a row changed although its skill was not touched");
    Ok(())
}

/// A removed skill is neither listed nor read.
pub async fn a_removed_skill_is_gone(mut fixture: impl Fixture) -> Result<(), Unable> {
    let source = &*fixture.source();
    furnished(&mut fixture).await?;
    let (alpha, beta) = (id("alpha"), id("beta"));
    fixture.remove(&alpha).await?;
    let gone = |listing: &Listing<Skill>| row(listing, &alpha).is_none();
    let listing = until(source, list(source).await, "a removed skill should leave the listing", gone).await;
    assert!(row(&listing, &beta).is_some(), "a skill left the listing although another one was removed");
    fixture.reads_bodies()?;
    let kind = source.body(&alpha).await.map_err(|error| error.kind());
    assert_eq!(kind, Err(SourceErrorKind::NotFound), "the body of a removed skill should not be found");
    Ok(())
}
