//! Tests of bodies.

use repertoire_core::{Body, Digest, Id, Item, Listing, ListingEntry, Source, SourceErrorKind};

use super::timeout::{
    BODY, id, list, path, row, shown, until, until_modified, with_two_skills, without_changes,
};
use crate::{Envelope, Fixture, Unsupported};

/// Bodies and resources of an unknown id are not found. A source without any may return `Unsupported`.
pub async fn an_unknown_id_is_not_found<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    // An empty source must return the same.
    let _ = with_two_skills(&mut fixture).await;
    let (unknown, file) = (id("no-such-skill"), path("no-such-file"));
    for (method, is_supported, error) in [
        (
            "body",
            fixture.reads_bodies().is_ok(),
            source.body(&unknown).await.err(),
        ),
        (
            "resources",
            fixture.reads_resources().is_ok(),
            source.resources(&unknown).await.err(),
        ),
        (
            "resource",
            fixture.reads_resources().is_ok(),
            source.resource(&unknown, &file).await.err(),
        ),
    ] {
        let kind = error.map(|error| error.kind());
        if is_supported || kind != Some(SourceErrorKind::Unsupported) {
            assert_eq!(
                kind,
                Some(SourceErrorKind::NotFound),
                "`{method}` of an unknown id should not be found"
            );
        }
    }
    Ok(())
}

/// The body of every listed skill can be read, in every [`Envelope`] of its front matter.
pub async fn what_is_listed_can_be_read<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    fixture.reads_bodies()?;
    with_two_skills(&mut fixture).await?;
    let mut written = Vec::new();
    for (number, envelope) in Envelope::all().into_iter().enumerate() {
        let id = id(&format!("envelope-{number}"));
        let document = envelope.around(&format!("name: {id}\ndescription: Does it."));
        if fixture.put_document(&id, &document).await.is_ok() {
            written.push((id, envelope));
        }
    }
    let listing = until(
        source,
        list(source).await,
        "a skill in any envelope should be listed",
        |listing| written.iter().all(|(id, _)| row(listing, id).is_some()),
    )
    .await;
    for row in listing.iter() {
        read(source, row.item.id()).await;
    }
    for (id, envelope) in &written {
        assert_eq!(
            read(source, id).await.text.as_ref(),
            envelope.body(),
            "the body in {envelope:?}"
        );
    }
    Ok(())
}

/// The body of a skill is the text that was written, before and after a change.
pub async fn a_body_is_what_was_written<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    fixture.reads_bodies()?;
    let alpha = id("alpha");
    fixture.put(&alpha, "Greets people.", BODY).await?;
    let old = shown(source, &alpha).await;
    assert_eq!(read(source, &alpha).await.text.as_ref(), BODY);
    let text = "Say hello in the language of the reader.\n";
    fixture.put(&alpha, "Greets people.", text).await?;
    let old = row(&old, &alpha).expect("shown");
    until_modified(source, old).await;
    assert_eq!(read(source, &alpha).await.text.as_ref(), text);
    Ok(())
}

/// A body has the stamp of its row, and the digest of its row if there is one.
pub async fn a_body_agrees_with_its_row<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    fixture.reads_bodies()?;
    with_two_skills(&mut fixture).await?;
    let bodies = async |listing: &Listing<T>| {
        let mut bodies = Vec::new();
        for row in listing.iter() {
            bodies.push(read(source, row.item.id()).await);
        }
        bodies
    };
    let (listing, bodies) = without_changes(source, bodies).await;
    for (
        ListingEntry {
            item,
            stamp,
            digest,
            ..
        },
        body,
    ) in listing.iter().zip(bodies)
    {
        assert_eq!(
            body.stamp,
            *stamp,
            "the stamps of the body and of the row of `{}`",
            item.id()
        );
        assert_eq!(
            body.digest,
            digest.unwrap_or(body.digest),
            "the digests of the body and of the row of `{}`",
            item.id()
        );
    }
    Ok(())
}

/// The digest of a body is the digest of the raw file.
pub async fn a_body_has_the_digest_of_its_content<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    fixture.reads_bodies()?;
    let listing = with_two_skills(&mut fixture).await?;
    for ListingEntry { item, .. } in listing.iter() {
        let content = fixture.content(item.id()).await?;
        assert_eq!(
            read(source, item.id()).await.digest,
            Digest::of(&content),
            "the digest of `{}`",
            item.id()
        );
    }
    Ok(())
}

async fn read<T: Item, S: Source<T>>(source: &S, id: &Id) -> Body {
    source
        .body(id)
        .await
        .expect("the body of a listed skill should be read")
}
