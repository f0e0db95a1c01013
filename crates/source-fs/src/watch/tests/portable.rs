//! What other systems offer, on real folders: `notify` works here too.

use std::time::Duration;

use repertoire_core::{Listing, Revision, Skill, Source};

use crate::FsSource;
use crate::watch::hub::Hub;
use crate::watch::*;

/// When a change counts as lost. A guard, not a measure.
const LOST: Duration = Duration::from_secs(30);

/// Waits until the skills of `source` and their descriptions are as `expected`.
async fn until(source: &FsSource, expected: &[(&str, &str)]) {
    let rows = |listing: &Listing<Skill>| -> Vec<(String, String)> {
        listing.iter().map(|row| (row.item.id.to_string(), row.item.description.to_string())).collect()
    };
    let expected: Vec<(String, String)> =
        expected.iter().map(|(id, description)| ((*id).to_owned(), (*description).to_owned())).collect();
    let waiting = async {
        let mut listing = source.list().await.unwrap();
        while rows(&listing) != expected {
            source.changed(listing.revision()).await;
            listing = source.latest().unwrap().listing.clone();
        }
    };
    tokio::time::timeout(LOST, waiting).await.unwrap_or_else(|_| panic!("should come to {expected:?}"));
}

#[tokio::test]
async fn edits_moves_and_new_folders_are_seen() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    let write = |skill: &str, description: &str| {
        std::fs::create_dir_all(root.join(skill)).unwrap();
        let text = format!("---\nname: {skill}\ndescription: {description}\n---\n");
        std::fs::write(root.join(skill).join("SKILL.md"), text).unwrap();
    };
    let hub = Arc::new(Hub::new(Box::new(portable::open)));
    let mut options = WatchOptions::default();
    options.debounce = Duration::from_millis(10);
    let source = FsSource::new("test", &root).watched_by(Watcher::over(options.clone(), hub.clone()));
    let other = FsSource::new("other", &root).watched_by(Watcher::over(options, hub));
    source.changed(Revision(0)).await;
    other.changed(Revision(0)).await;
    write("a", "First.");
    until(&source, &[("a", "First.")]).await;
    until(&other, &[("a", "First.")]).await;
    drop(other);
    write("a", "Second.");
    until(&source, &[("a", "Second.")]).await;
    std::fs::rename(root.join("a"), root.join("b")).unwrap();
    write("a", "Made again.");
    std::fs::remove_file(root.join("b/SKILL.md")).unwrap();
    until(&source, &[("a", "Made again.")]).await;
    write("a", "Still watched.");
    until(&source, &[("a", "Still watched.")]).await;
    std::fs::remove_dir_all(&root).unwrap();
    until(&source, &[]).await;
    write("c", "Back again.");
    until(&source, &[("c", "Back again.")]).await;
}
