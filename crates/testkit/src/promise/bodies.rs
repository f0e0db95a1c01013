//! What bodies promise.

use repertoire_core::{Body, Digest, Id, Listed, Listing, Skill, Source, SourceErrorKind};

use super::patience::{BODY, furnished, id, list, path, row, shown, undisturbed, until};
use crate::{Envelope, Fixture, Unable};

/// Bodies and resources of an id that is not listed are not found; a source that has none may say that it has none.
pub async fn an_unknown_id_is_not_found(mut fixture: impl Fixture) -> Result<(), Unable> {
    let source = &*fixture.source();
    // Whether or not there is something to look at: an empty source does not know the id either.
    let _ = furnished(&mut fixture).await;
    let (unknown, file) = (id("no-such-skill"), path("no-such-file"));
    for (door, offered, error) in [
        ("body", fixture.reads_bodies().is_ok(), source.body(&unknown).await.err()),
        ("resources", fixture.reads_resources().is_ok(), source.resources(&unknown).await.err()),
        ("resource", fixture.reads_resources().is_ok(), source.resource(&unknown, &file).await.err()),
    ] {
        let kind = error.map(|error| error.kind());
        if offered || kind != Some(SourceErrorKind::Unsupported) {
            assert_eq!(kind, Some(SourceErrorKind::NotFound), "`{door}` of an unknown id should not be found");
        }
    }
    Ok(())
}

/// The body of every listed skill can be read, in whatever envelope its file has its front matter.
pub async fn what_is_listed_can_be_read(mut fixture: impl Fixture) -> Result<(), Unable> {
    let source = &*fixture.source();
    fixture.reads_bodies()?;
    furnished(&mut fixture).await?;
    let mut written = Vec::new();
    for (number, envelope) in Envelope::all().into_iter().enumerate() {
        let id = id(&format!("envelope-{number}"));
        let document = envelope.around(&format!("name: {id}\ndescription: Does it."));
        if fixture.put_document(&id, &document).await.is_ok() {
            written.push((id, envelope));
        }
    }
    let all = |listing: &Listing<Skill>| written.iter().all(|(id, _)| row(listing, id).is_some());
    let listing = until(source, list(source).await, "a skill in any envelope should be listed", all).await;
    for row in listing.iter() {
        read(source, &row.item.id).await;
    }
    for (id, envelope) in &written {
        assert_eq!(read(source, id).await.text.as_ref(), envelope.body(), "the body in {envelope:?}");
    }
    Ok(())
}

/// The body of a skill is the text that was written, before and after a change.
pub async fn a_body_is_what_was_written(mut fixture: impl Fixture) -> Result<(), Unable> {
    let source = &*fixture.source();
    fixture.reads_bodies()?;
    let alpha = id("alpha");
    fixture.put(&alpha, "Greets people.", BODY).await?;
    let old = shown(source, &alpha).await;
    assert_eq!(read(source, &alpha).await.text.as_ref(), BODY);
    let text = "Say hello in the language of the reader.\n";
    fixture.put(&alpha, "Greets people.", text).await?;
    let old = row(&old, &alpha).expect("shown");
    let modified = |listing: &Listing<Skill>| row(listing, &alpha).is_some_and(|row| old.is_modified_by(row));
    until(source, list(source).await, "a new body should be seen in the row of its skill", modified).await;
    assert_eq!(read(source, &alpha).await.text.as_ref(), text);
    Ok(())
}

/// A body carries the stamp of its row, and its digest where the row knows it.
pub async fn a_body_agrees_with_its_row(mut fixture: impl Fixture) -> Result<(), Unable> {
    let source = &*fixture.source();
    fixture.reads_bodies()?;
    furnished(&mut fixture).await?;
    let bodies = async |listing: &Listing<Skill>| {
        let mut bodies = Vec::new();
        for row in listing.iter() {
            bodies.push(read(source, &row.item.id).await);
        }
        bodies
    };
    let (listing, bodies) = undisturbed(source, bodies).await;
    for (Listed { item, stamp, digest, .. }, body) in listing.iter().zip(bodies) {
        assert_eq!(body.stamp, *stamp, "the stamps of the body and of the row of `{}`", item.id);
        assert_eq!(
            body.digest,
            digest.unwrap_or(body.digest),
            "the digests of the body and of the row of `{}`",
            item.id
        );
    }
    Ok(())
}

/// The digest of a body is that of the raw content of the skill.
pub async fn a_body_has_the_digest_of_its_content(mut fixture: impl Fixture) -> Result<(), Unable> {
    let source = &*fixture.source();
    fixture.reads_bodies()?;
    let listing = furnished(&mut fixture).await?;
    for Listed { item, .. } in listing.iter() {
        let content = fixture.content(&item.id).await?;
        assert_eq!(read(source, &item.id).await.digest, Digest::of(&content), "the digest of `{}`", item.id);
    }
    Ok(())
}

async fn read<S: Source<Skill>>(source: &S, id: &Id) -> Body {
    source.body(id).await.expect("the body of a listed skill should be read")
}
