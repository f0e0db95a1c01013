//! Changes of a project.

use std::fs;
use std::path::PathBuf;

use repertoire_core::{Digest, ResourcePath};
use repertoire_install::{
    FileChangeKind, FileTree, FolderChange, InstallErrorKind, ProjectChange, ProjectFolder, Store,
    unpack,
};
use tempfile::TempDir;

use crate::made_zip::{ZipEntry, zip};
use crate::skill_text;

const PATH: &str = ".agents/skills/tidy";
const LOCK: &str = "repertoire.lock.json";

struct TestProject {
    _folder: TempDir,
    base: PathBuf,
    store: Store,
}

impl TestProject {
    fn new() -> TestProject {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("it is there");
        let base = root.join("project");
        fs::create_dir(&base).expect("a fresh folder");
        let store = Store::open(root.join("store")).expect("it is writable");
        TestProject {
            _folder: folder,
            base,
            store,
        }
    }

    fn put(&self, files: &[(&str, &str)]) -> FileTree {
        let text = skill_text("tidy", "Sort.");
        let mut entries = vec![ZipEntry::new("SKILL.md", text)];
        entries.extend(files.iter().map(|(path, text)| ZipEntry::new(path, text)));
        let tree = unpack(&zip(&entries)).expect("a good archive");
        self.store.put(&tree).expect("it is writable");
        tree
    }

    fn apply(
        &self,
        folder: FolderChange,
        text: &str,
    ) -> Result<(), repertoire_install::InstallError> {
        let project = ProjectFolder::open(&self.base, &self.store)?;
        project.apply(&self.store, &change(folder, text))
    }

    fn file(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.base.join(path)).ok()
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.base.join(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("it is writable");
        fs::write(file, text).expect("it is writable");
    }
}

fn change(folder: FolderChange, text: &str) -> ProjectChange {
    ProjectChange {
        folders: vec![folder],
        locks: [(LOCK.to_owned(), text.to_owned())].into(),
    }
}

fn digest(tree: &FileTree) -> Option<Digest> {
    Some(tree.manifest().digest())
}

fn folder(before: Option<Digest>, after: Option<Digest>) -> FolderChange {
    FolderChange {
        path: PATH.parse().expect("a path"),
        before,
        after,
        keeps_backup: false,
    }
}

#[test]
fn a_skill_is_installed_updated_and_removed() {
    let world = TestProject::new();
    let (old, new) = (
        world.put(&[("a.md", "1")]),
        world.put(&[("a.md", "2"), ("b.md", "3")]),
    );
    world
        .apply(folder(None, digest(&old)), "old")
        .expect("it is free");
    assert_eq!(world.file(&format!("{PATH}/a.md")).as_deref(), Some("1"));
    assert_eq!(world.file(LOCK).as_deref(), Some("old"));
    world.write(&format!("{PATH}/.env"), "SECRET=1");
    world
        .apply(folder(digest(&old), digest(&new)), "new")
        .expect("it is unchanged");
    assert_eq!(world.file(&format!("{PATH}/a.md")).as_deref(), Some("2"));
    assert_eq!(
        world.file(&format!("{PATH}/.env")).as_deref(),
        Some("SECRET=1")
    );
    world
        .apply(folder(digest(&new), None), "none")
        .expect("it is unchanged");
    assert!(!world.base.join(PATH).exists());
    assert_eq!(world.file(LOCK).as_deref(), Some("none"));
    let mut left: Vec<_> = fs::read_dir(world.base.join(".repertoire"))
        .expect("a folder")
        .map(|entry| entry.expect("it is readable").file_name())
        .collect();
    left.sort();
    assert_eq!(left, [".gitignore", "lock"]);
}

#[test]
fn a_changed_folder_is_not_replaced() {
    let world = TestProject::new();
    let (old, new) = (world.put(&[("a.md", "1")]), world.put(&[("a.md", "2")]));
    world
        .apply(folder(None, digest(&old)), "old")
        .expect("it is free");
    world.write(&format!("{PATH}/a.md"), "mine");
    let error = world
        .apply(folder(digest(&old), digest(&new)), "new")
        .expect_err("it changed");
    assert_eq!(error.kind(), InstallErrorKind::Conflict);
    assert_eq!(world.file(&format!("{PATH}/a.md")).as_deref(), Some("mine"));
    assert_eq!(world.file(LOCK).as_deref(), Some("old"));
}

#[test]
fn a_backup_holds_the_replaced_folder() {
    let world = TestProject::new();
    let new = world.put(&[("a.md", "2")]);
    for number in 1..=2 {
        world.write(&format!("{PATH}/a.md"), "mine");
        let state =
            ProjectFolder::state(&world.base, &PATH.parse().expect("a path")).expect("readable");
        let before = state.manifest.map(|manifest| manifest.digest());
        let kept = FolderChange {
            keeps_backup: true,
            ..folder(before, digest(&new))
        };
        world.apply(kept, "new").expect("it is expected");
        let backup = format!(".repertoire/backup/.agents-skills-tidy-{number}/a.md");
        assert_eq!(world.file(&backup).as_deref(), Some("mine"));
        assert_eq!(world.file(&format!("{PATH}/a.md")).as_deref(), Some("2"));
    }
}

#[test]
fn an_interrupted_change_is_completed() {
    let world = TestProject::new();
    let (old, new) = (world.put(&[("a.md", "1")]), world.put(&[("a.md", "2")]));
    world
        .apply(folder(None, digest(&old)), "old")
        .expect("it is free");
    let journal = serde_json::to_string(&change(folder(digest(&old), digest(&new)), "new"));
    let journal = journal.expect("a change has text keys");
    world.write(".repertoire/journal.json", &journal);
    world.write(".repertoire/staging/new/half.md", "half");
    assert!(ProjectFolder::journal(&world.base).exists());
    ProjectFolder::open(&world.base, &world.store).expect("it is completed");
    assert_eq!(world.file(&format!("{PATH}/a.md")).as_deref(), Some("2"));
    assert_eq!(world.file(LOCK).as_deref(), Some("new"));
    assert!(!ProjectFolder::journal(&world.base).exists());
    // The edits of a user after the interruption stay.
    world.write(&format!("{PATH}/a.md"), "mine");
    world.write(".repertoire/journal.json", &journal);
    ProjectFolder::open(&world.base, &world.store).expect("it is completed");
    assert_eq!(world.file(&format!("{PATH}/a.md")).as_deref(), Some("mine"));
}

#[test]
fn a_foreign_journal_writes_only_locks() {
    let world = TestProject::new();
    for lock in [
        "../evil.lock.json",
        "Makefile",
        "/etc/x.lock.json",
        "package-lock.json",
    ] {
        let foreign = ProjectChange {
            locks: [(lock.to_owned(), "evil".to_owned())].into(),
            ..change(folder(None, None), "evil")
        };
        let journal = serde_json::to_string(&foreign).expect("a change has text keys");
        world.write(".repertoire/journal.json", &journal);
        let error = ProjectFolder::open(&world.base, &world.store).expect_err(lock);
        assert_eq!(error.kind(), InstallErrorKind::Conflict);
    }
}

#[cfg(unix)]
#[test]
fn no_link_leads_a_change_out() {
    let world = TestProject::new();
    let tree = world.put(&[]);
    let outside = world.base.parent().expect("a folder").join("outside");
    fs::create_dir(&outside).expect("a fresh folder");
    std::os::unix::fs::symlink(&outside, world.base.join(".agents")).expect("a link");
    let error = world
        .apply(folder(None, digest(&tree)), "new")
        .expect_err("a link");
    assert_eq!(error.kind(), InstallErrorKind::Conflict);
    assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 0);
    std::os::unix::fs::symlink(outside.join("lock"), world.base.join(LOCK)).expect("a link");
    let elsewhere = FolderChange {
        path: "skills/tidy".parse().expect("a path"),
        ..folder(None, digest(&tree))
    };
    let error = world.apply(elsewhere, "new").expect_err("a link");
    assert_eq!(error.kind(), InstallErrorKind::Conflict);
    assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 0);
}

#[test]
fn three_states_are_compared_by_file() {
    let world = TestProject::new();
    let base = world.put(&[("a.md", "1"), ("b.md", "1"), ("c.md", "1"), ("d.md", "1")]);
    let new = world.put(&[("a.md", "2"), ("b.md", "1"), ("c.md", "2"), ("e.md", "1")]);
    world
        .apply(folder(None, digest(&base)), "old")
        .expect("it is free");
    world.write(&format!("{PATH}/b.md"), "mine");
    world.write(&format!("{PATH}/c.md"), "mine");
    world.write(&format!("{PATH}/f.md"), "mine");
    world.write(&format!("{PATH}/__pycache__/x.pyc"), "cache");
    let path: ResourcePath = PATH.parse().expect("a path");
    let state = ProjectFolder::state(&world.base, &path).expect("it is readable");
    let changes = state.three_way(&base.manifest(), &new.manifest());
    let rows: Vec<_> = changes
        .iter()
        .map(|one| (one.path.as_str(), one.ours, one.theirs))
        .collect();
    let (added, changed, removed) = (
        Some(FileChangeKind::Added),
        Some(FileChangeKind::Changed),
        Some(FileChangeKind::Removed),
    );
    assert_eq!(
        rows,
        [
            ("a.md", None, changed),
            ("b.md", changed, None),
            ("c.md", changed, changed),
            ("d.md", None, removed),
            ("e.md", None, added),
            ("f.md", added, None),
        ]
    );
}
