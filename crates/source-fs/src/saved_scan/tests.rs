//! A listing with saved scans is the listing without them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod changes;
mod processes;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use repertoire_core::{Diagnostic, Listing, ListingEntry, Skill, Source, Stamp};
use tempfile::TempDir;

use super::{HEADER, MAGIC, SavedScan, SavedScanFault, ScanStore, read_any};
use crate::FsSource;

/// A tree of skills, and a folder for saved scans beside it.
struct TestEnv {
    folder: TempDir,
}

/// The time after which every file of a test is old.
const LATER: Duration = Duration::from_secs(10);

impl TestEnv {
    /// Skills named `skill-0` and so on.
    fn of(count: usize) -> TestEnv {
        let world = TestEnv {
            folder: tempfile::tempdir().unwrap(),
        };
        for number in 0..count {
            world.write(number, "Sorts a folder.");
        }
        world
    }

    fn skill(&self, number: usize) -> PathBuf {
        self.folder
            .path()
            .join(format!("skills/skill-{number}/SKILL.md"))
    }

    fn write(&self, number: usize, description: &str) {
        let path = self.skill(number);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = format!("---\nname: skill-{number}\ndescription: {description}\n---\nSort.\n");
        fs::write(path, text).unwrap();
    }

    fn saved(&self) -> PathBuf {
        self.folder.path().join("cache/scans")
    }

    /// A source of a new process, whose clock is ahead of the system's.
    fn source(&self, ahead: Duration) -> FsSource {
        let store = ScanStore::new(self.saved(), "test".to_owned()).ahead(ahead);
        self.plain().saved_by(store)
    }

    fn plain(&self) -> FsSource {
        FsSource::new("test", self.folder.path().join("skills"))
    }

    /// The only saved scan.
    fn scan(&self) -> PathBuf {
        let files: Vec<_> = fs::read_dir(self.saved()).unwrap().flatten().collect();
        assert_eq!(files.len(), 1, "{files:?}");
        files[0].path()
    }

    /// Changes the saved scan, and makes its checksum right again.
    fn forge(&self, from: &str, to: &str) {
        let path = self.scan();
        let mut bytes = fs::read(&path).unwrap();
        let at = bytes
            .windows(from.len())
            .position(|part| part == from.as_bytes());
        let at = at.unwrap();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        let checksum = Stamp::of(&bytes[HEADER..]).bits().to_le_bytes();
        bytes[MAGIC.len()..HEADER].copy_from_slice(&checksum);
        fs::write(path, bytes).unwrap();
    }
}

type Listed = (Vec<ListingEntry<Skill>>, Vec<Diagnostic>);

fn rows(listing: &Listing<Skill>) -> Listed {
    (
        listing.iter().cloned().collect(),
        listing.diagnostics().to_vec(),
    )
}

async fn list(source: &FsSource) -> Listed {
    rows(&source.list().await.unwrap())
}

fn descriptions(listed: &Listed) -> Vec<String> {
    let rows = listed.0.iter();
    rows.map(|row| row.item.description.to_string()).collect()
}

#[tokio::test]
async fn an_unchanged_skill_is_not_read_again() {
    let world = TestEnv::of(3);
    let first = list(&world.source(LATER)).await;
    world.forge("Sorts a folder.", "Other than read");
    let second = list(&world.source(LATER)).await;
    assert_eq!(descriptions(&first), ["Sorts a folder."; 3]);
    assert_eq!(
        descriptions(&second),
        ["Other than read", "Sorts a folder.", "Sorts a folder."]
    );
}

#[tokio::test]
async fn a_young_skill_is_not_saved() {
    let world = TestEnv::of(3);
    assert_eq!(
        list(&world.source(Duration::ZERO)).await,
        list(&world.plain()).await
    );
    assert!(!world.saved().exists());
}

#[tokio::test]
async fn a_second_listing_saves_nothing() {
    let world = TestEnv::of(3);
    let source = world.source(LATER);
    list(&source).await;
    fs::remove_file(world.scan()).unwrap();
    list(&source).await;
    assert_eq!(fs::read_dir(world.saved()).unwrap().count(), 0);
}

#[tokio::test]
async fn another_build_reads_everything() {
    let world = TestEnv::of(1);
    list(&world.source(LATER)).await;
    world.forge("Sorts a folder.", "Other than read");
    let other = ScanStore::new(world.saved(), "other".to_owned()).ahead(LATER);
    assert_eq!(
        list(&world.plain().saved_by(other)).await,
        list(&world.plain()).await
    );
}

#[tokio::test]
async fn a_clock_that_was_set_back_reads_everything() {
    let world = TestEnv::of(1);
    list(&world.source(2 * LATER)).await;
    world.forge("Sorts a folder.", "Other than read");
    let source = world.source(LATER);
    assert_eq!(list(&source).await, list(&world.plain()).await);
    let fault = source.saved_scan_fault().unwrap();
    assert!(fault.ends_with("is not used: it was written in the future; the clock was set back"));
}

#[tokio::test]
async fn a_damaged_scan_is_replaced() {
    let world = TestEnv::of(2);
    list(&world.source(LATER)).await;
    let path = world.scan();
    let whole = fs::read(&path).unwrap();
    let mut damaged = vec![Vec::new(), vec![0; whole.len()], b"rprtscn2".to_vec()];
    damaged.extend([1, 15, 40, whole.len() - 1].map(|length| whole[..length].to_vec()));
    for at in [0, 8, 20, whole.len() / 2, whole.len() - 1] {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        damaged.push(flipped);
    }
    for bytes in damaged {
        fs::write(&path, bytes).unwrap();
        let source = world.source(LATER);
        assert_eq!(list(&source).await, list(&world.plain()).await);
        let fault = source.saved_scan_fault().unwrap();
        assert!(fault.ends_with("is not used: it is damaged, or of a different program"));
        let next = world.source(LATER);
        list(&next).await;
        assert_eq!(next.saved_scan_fault(), None);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_scan_of_strangers_is_not_read() {
    use std::os::unix::fs::PermissionsExt;

    let world = TestEnv::of(1);
    list(&world.source(LATER)).await;
    world.forge("Sorts a folder.", "Other than read");
    fs::set_permissions(world.scan(), fs::Permissions::from_mode(0o666)).unwrap();
    let source = world.source(LATER);
    assert_eq!(list(&source).await, list(&world.plain()).await);
    let fault = source.saved_scan_fault().unwrap();
    assert!(fault.ends_with("is not used: it can be written by every user"));
}

#[tokio::test]
async fn an_unwritable_folder_is_a_fault() {
    let world = TestEnv::of(1);
    fs::write(world.folder.path().join("cache"), "").unwrap();
    let source = world.source(LATER);
    assert_eq!(list(&source).await, list(&world.plain()).await);
    assert!(
        source
            .saved_scan_fault()
            .unwrap()
            .contains(" is not written: ")
    );
}

#[tokio::test]
async fn old_scans_are_removed() {
    let world = TestEnv::of(1);
    list(&world.source(LATER)).await;
    let first = world.scan();
    let month = Duration::from_secs(31 * 24 * 60 * 60);
    let other = ScanStore::new(world.saved(), "other".to_owned()).ahead(month);
    list(&world.plain().saved_by(other)).await;
    assert_ne!(world.scan(), first);
}

#[test]
fn removing_counts_saved_scans_alone() {
    let world = TestEnv::of(0);
    let folder = world.saved();
    assert_eq!(crate::remove_saved_scans(&folder).unwrap(), (0, 0));
    fs::create_dir_all(&folder).unwrap();
    for (name, length) in [("a.scan", 3), ("b.1-2.part", 4), ("notes.txt", 5)] {
        fs::write(folder.join(name), vec![0; length]).unwrap();
    }
    assert_eq!(crate::remove_saved_scans(&folder).unwrap(), (2, 7));
    assert!(folder.join("notes.txt").exists());
}

fn written(scan: &Path) -> Vec<u8> {
    fs::read(scan).unwrap()[HEADER..].to_vec()
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read_any(&bytes);
        prop_assert_eq!(
            SavedScan::read(bytes, SystemTime::now()).err(),
            Some(SavedScanFault::Damaged)
        );
    }

    #[test]
    fn changed_records_are_read_or_refused(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let world = TestEnv::of(2);
        runtime.block_on(list(&world.source(LATER)));
        let mut bytes = written(&world.scan());
        for (at, to) in changes {
            let at = at.index(bytes.len());
            bytes[at] = to;
        }
        read_any(&bytes);
    }
}
