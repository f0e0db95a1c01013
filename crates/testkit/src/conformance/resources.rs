//! Tests of resources.

use repertoire_core::{Digest, Id, Item, Resource, ResourcePath, Source, SourceErrorKind};

use super::timeout::{id, path, with_two_skills};
use crate::{Fixture, Unsupported};

/// The files of the skill `alpha`. `-` sorts before `/`, so the order of a folder walk is not the order of paths.
const FILES: [(&str, &[u8]); 4] = [
    ("scripts/run.sh", b"echo hello\n"),
    ("references/notes.md", b"Notes.\n"),
    ("references-2.md", b""),
    ("logo.bin", &[0, 159, 146, 150]),
];

const SECRET: &str = "references/secret.md";

/// `resources` lists every file, and `resource` returns its content.
pub async fn resources_are_what_was_written<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    fixture.reads_resources()?;
    with_two_skills(&mut fixture).await?;
    put_files(&mut fixture).await?;
    let alpha = id("alpha");
    let mut read = Vec::new();
    for listed in manifest(source, &alpha).await {
        let bytes = source
            .resource(&alpha, &listed.path)
            .await
            .expect("a listed resource should be read");
        read.push((listed.path, bytes.to_vec()));
    }
    read.sort();
    let mut written = FILES.map(|(file, bytes)| (path(file), bytes.to_vec()));
    written.sort();
    assert_eq!(read, written, "the resources of `{alpha}`");
    Ok(())
}

/// `resources` is sorted by path, and contains the length and digest of each file.
pub async fn resources_are_sorted_and_match_their_bytes<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    for (id, manifest) in manifests(&mut fixture).await? {
        assert!(
            manifest.is_sorted_by(|a, b| a.path < b.path),
            "the resources of `{id}` should come in the order of their paths, each once: {manifest:?}"
        );
        for listed in manifest {
            let bytes = source
                .resource(&id, &listed.path)
                .await
                .expect("a listed resource should be read");
            let read = Resource::new(listed.path.clone(), bytes.len() as u64, Digest::of(&bytes));
            assert_eq!(
                listed, read,
                "the manifest of `{id}` and the bytes that were read"
            );
        }
    }
    Ok(())
}

/// An unknown path is not found, and neither is a folder.
pub async fn an_unknown_resource_is_not_found<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    for (id, manifest) in manifests(&mut fixture).await? {
        let folders = manifest
            .iter()
            .filter_map(|listed| listed.path.as_str().rsplit_once('/'));
        for unknown in folders
            .map(|(folder, _)| folder)
            .chain(["no-such-file", "no-such-folder/file"])
        {
            let kind = refusal(source, &id, &path(unknown)).await;
            assert_eq!(
                kind,
                Some(SourceErrorKind::NotFound),
                "`{unknown}` of `{id}` should not be found"
            );
        }
    }
    Ok(())
}

/// No path reads a file of a different skill. Paths with `..` are rejected by [`ResourcePath`].
pub async fn a_resource_path_never_leaves_its_skill<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    let manifests = manifests(&mut fixture).await?;
    let mut tried = Err(Unsupported::because("no other skill has a resource"));
    for (id, own) in &manifests {
        for (other, manifest) in manifests.iter().filter(|(other, _)| other != id) {
            for file in manifest.iter().map(|listed| &listed.path) {
                let spellings = [
                    format!("{file}"),
                    format!("{other}/{file}"),
                    format!("%2e%2e/{other}/{file}"),
                ];
                for outside in spellings.map(|spelling| path(&spelling)) {
                    if own.iter().all(|listed| listed.path != outside) {
                        is_refused(source, id, &outside).await;
                        tried = Ok(());
                    }
                }
            }
        }
    }
    tried
}

/// The target of a link that leads out of the skill is neither listed nor read.
pub async fn a_link_never_leaves_its_skill<T: Item>(
    mut fixture: impl Fixture<T>,
) -> Result<(), Unsupported> {
    let source = &*fixture.source();
    fixture.reads_resources()?;
    with_two_skills(&mut fixture).await?;
    let alpha = id("alpha");
    let hostile = fixture.hostile_resource_paths(&alpha).await?;
    for outside in &hostile {
        is_refused(source, &alpha, outside).await;
    }
    let manifest = manifest(source, &alpha).await;
    let listed = manifest
        .iter()
        .find(|listed| hostile.contains(&listed.path));
    assert_eq!(
        listed, None,
        "the manifest of `{alpha}` lists what lies outside"
    );
    Ok(())
}

async fn is_refused<T: Item, S: Source<T>>(source: &S, id: &Id, outside: &ResourcePath) {
    let kind = refusal(source, id, outside).await;
    assert!(
        matches!(
            kind,
            Some(SourceErrorKind::NotFound | SourceErrorKind::Denied)
        ),
        "`{outside}` leaves `{id}` and should be denied or not found: {kind:?}"
    );
}

async fn refusal<T: Item, S: Source<T>>(
    source: &S,
    id: &Id,
    path: &ResourcePath,
) -> Option<SourceErrorKind> {
    source
        .resource(id, path)
        .await
        .err()
        .map(|error| error.kind())
}

async fn manifest<T: Item, S: Source<T>>(source: &S, id: &Id) -> Vec<Resource> {
    source
        .resources(id)
        .await
        .expect("the resources of a listed skill should be listed")
}

/// Returns the resources of every skill, after adding files if the fixture can.
async fn manifests<T: Item, F: Fixture<T>>(
    fixture: &mut F,
) -> Result<Vec<(Id, Vec<Resource>)>, Unsupported> {
    let source = &*fixture.source();
    fixture.reads_resources()?;
    let listing = with_two_skills(fixture).await?;
    let put = put_files(fixture).await;
    let mut manifests = Vec::new();
    for row in listing.iter() {
        manifests.push((row.item.id().clone(), manifest(source, row.item.id()).await));
    }
    let is_bare = manifests.iter().all(|(_, manifest)| manifest.is_empty());
    if is_bare {
        put.map(|()| manifests)
    } else {
        Ok(manifests)
    }
}

async fn put_files<T: Item, F: Fixture<T>>(fixture: &mut F) -> Result<(), Unsupported> {
    for (file, bytes) in FILES {
        fixture
            .put_resource(&id("alpha"), &path(file), bytes)
            .await?;
    }
    fixture
        .put_resource(&id("beta"), &path(SECRET), b"Secret.\n")
        .await
}
