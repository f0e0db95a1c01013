//! Tests of listings.

use std::collections::HashSet;

use repertoire_core::{Id, Item, Listing, Source, SourceErrorKind};

use super::timeout::{
    BODY, id, list, path, row, until, until_modified, until_removed, with_two_skills,
    without_changes,
};
use crate::{Fixture, Unsupported};

/// The name of a source does not change, could be an id, and contains no colon.
pub async fn the_name_is_stable_and_holds_no_colon<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    let name = source.name().to_owned();
    let as_id = Id::new(&name).map(|id| id.to_string());
    assert_eq!(
        as_id.as_deref(),
        Ok(&*name),
        "the name should be a valid id"
    );
    assert!(
        !name.contains(':'),
        "the name `{name}` holds a colon, which separates a source from a skill"
    );
    let _ = with_two_skills(&mut fixture).await;
    assert_eq!(source.name(), name, "the name should not change");
    Ok(())
}

/// The same content gives the same rows, diagnostics and revision.
pub async fn listing_twice_without_a_change_gives_equal_listings<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    with_two_skills(&mut fixture).await?;
    let (first, second) = without_changes(source, async |_| list(source).await).await;
    assert_eq!(first, second, "nothing changed between two listings");
    Ok(())
}

/// Ids are unique.
pub async fn ids_in_a_listing_are_unique<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let listing = with_two_skills(&mut fixture).await?;
    let ids: HashSet<_> = listing.iter().map(|row| row.item.id()).collect();
    assert_eq!(ids.len(), listing.len(), "an id comes twice in {listing:?}");
    Ok(())
}

/// A source without skills returns an empty listing.
pub async fn an_empty_source_is_an_empty_listing<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    let listing = list(source).await;
    for row in listing.iter() {
        fixture.remove(row.item.id()).await?;
    }
    until(
        source,
        listing,
        "a source whose skills are all removed should be empty",
        Listing::is_empty,
    )
    .await;
    Ok(())
}

/// A malformed entry produces a diagnostic and is not listed; all other entries are.
pub async fn a_malformed_entry_hides_no_other<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    let [before, malformed, after] = ["a-before", "m-malformed", "z-after"].map(id);
    fixture.put(&before, "Sorts before.", BODY).await?;
    fixture.put_malformed(&malformed).await?;
    fixture.put(&after, "Sorts after.", BODY).await?;
    let what = "a malformed entry should be a diagnostic beside the entries that follow it";
    let listing = until(source, list(source).await, what, |listing| {
        !listing.diagnostics().is_empty() && row(listing, &after).is_some()
    })
    .await;
    assert!(
        row(&listing, &malformed).is_none(),
        "a malformed entry should not be listed"
    );
    assert!(
        row(&listing, &before).is_some(),
        "the entry before the malformed one is hidden in {listing:?}"
    );
    Ok(())
}

/// A new body changes the row of its skill and no other row.
pub async fn a_new_body_changes_its_row<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    fixture.reads_bodies()?;
    let alpha = id("alpha");
    let old = with_two_skills(&mut fixture).await?;
    fixture
        .put(
            &alpha,
            "Greets people.",
            "Say hello in the language of the reader.\n",
        )
        .await?;
    let old_row = row(&old, &alpha).expect("with_two_skills");
    let new = until_modified(source, old_row).await;
    let beta = id("beta");
    assert_eq!(
        row(&old, &beta),
        row(&new, &beta),
        "a row changed although its skill was not touched"
    );
    Ok(())
}

/// A listed item has the description that was put, before and after a change. An item without descriptions is not checked.
pub async fn a_listed_item_is_what_was_put<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    let (alpha, beta) = (id("alpha"), id("beta"));
    for about in ["Greets people.", "Greets people in another way."] {
        fixture.put(&alpha, about, BODY).await?;
        fixture.put(&beta, "Parts from people.", BODY).await?;
        let what = "the description that was put should be listed";
        until(source, list(source).await, what, |listing| {
            [(&alpha, about), (&beta, "Parts from people.")]
                .iter()
                .all(|(id, about)| {
                    row(listing, id).is_some_and(|row| {
                        row.item.description().is_none_or(|listed| listed == *about)
                    })
                })
        })
        .await;
    }
    Ok(())
}

/// A new file and new content of a file change the row of their skill and no other row.
pub async fn a_new_file_changes_its_row<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    fixture.reads_resources()?;
    let (alpha, beta) = (id("alpha"), id("beta"));
    let first = with_two_skills(&mut fixture).await?;
    let mut old = first.clone();
    for content in ["One.\n", "Two.\n"] {
        fixture
            .put_resource(&alpha, &path("notes.md"), content.as_bytes())
            .await?;
        old = until_modified(source, row(&old, &alpha).expect("with_two_skills")).await;
    }
    assert_eq!(
        row(&first, &beta),
        row(&old, &beta),
        "a row changed although its skill was not touched"
    );
    Ok(())
}

/// A removed skill is not listed, and its body is not found.
pub async fn a_removed_skill_is_gone<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    with_two_skills(&mut fixture).await?;
    let (alpha, beta) = (id("alpha"), id("beta"));
    fixture.remove(&alpha).await?;
    let listing = until_removed(source, &alpha).await;
    assert!(
        row(&listing, &beta).is_some(),
        "a skill left the listing although another one was removed"
    );
    fixture.reads_bodies()?;
    let kind = source.body(&alpha).await.map_err(|error| error.kind());
    assert_eq!(
        kind,
        Err(SourceErrorKind::NotFound),
        "the body of a removed skill should not be found"
    );
    Ok(())
}
