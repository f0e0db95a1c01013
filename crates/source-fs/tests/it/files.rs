//! A source over files of a kind of its own.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use repertoire_core::{Code, Diagnostic, Id, Item, Listing, ResourcePath, Source, SourceErrorKind};
use repertoire_source_fs::{FileItem, FileSource, FsOptions, ListedFile, WatchBy};
use repertoire_testkit::{Fixture, Unsupported};

use crate::tree::{Tree, swift};

/// A note: a file whose name decides whether it is parsed, and a bad one begins with `!`.
#[derive(Debug, Clone, PartialEq)]
struct Note {
    id: Id,
    location: String,
}

impl Item for Note {
    const KIND: &'static str = "note";

    fn id(&self) -> &Id {
        &self.id
    }

    fn location(&self) -> Option<&str> {
        Some(&self.location)
    }
}

impl FileItem for Note {
    fn is_parsed(path: &str) -> bool {
        !path.ends_with(".ts")
    }

    fn from_file(file: &ListedFile<'_>) -> (Option<Note>, Vec<Diagnostic>) {
        if file.bytes.is_some_and(|bytes| bytes.starts_with(b"!")) {
            return (
                None,
                vec![Diagnostic::new(Code::UNREADABLE, "a bad note").at(1, 1)],
            );
        }
        let note = Note {
            id: file.id.clone(),
            location: file.location.to_owned(),
        };
        (Some(note), Vec::new())
    }
}

fn options(patterns: &[&str]) -> FsOptions {
    let mut options = FsOptions::default();
    options.patterns = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
    options
}

fn notes(base: &Path, patterns: &[&str]) -> FileSource<Note> {
    FileSource::from_options("notes", base, options(patterns)).unwrap()
}

async fn found(source: &FileSource<Note>) -> Vec<String> {
    let listing = source.list().await.unwrap();
    listing.iter().map(|row| row.item.id.to_string()).collect()
}

struct Notes {
    tree: Tree,
    source: Arc<FileSource<Note>>,
}

fn watched(pattern: &str, by: WatchBy) -> Notes {
    let tree = Tree::new();
    let source = notes(&tree.folder("notes"), &[pattern]).watching(swift(by));
    Notes {
        tree,
        source: Arc::new(source),
    }
}

impl Fixture<Note> for Notes {
    type Source = FileSource<Note>;

    fn source(&self) -> Arc<FileSource<Note>> {
        self.source.clone()
    }

    fn reads_resources(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because("a note is one file"))
    }

    async fn put(&mut self, id: &Id, _: &str, body: &str) -> Result<(), Unsupported> {
        let path = format!("notes/{id}");
        if fs::read_to_string(self.tree.path(&path)).is_ok_and(|known| known == body) {
            return Err(Unsupported::because("a note has no description"));
        }
        self.tree.write(&path, body);
        Ok(())
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
        fs::remove_file(self.tree.path(&format!("notes/{id}"))).unwrap();
        Ok(())
    }

    async fn put_malformed(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.tree.write(&format!("notes/{id}"), "! no note");
        Ok(())
    }

    async fn put_resource(
        &mut self,
        _: &Id,
        _: &ResourcePath,
        _: &[u8],
    ) -> Result<(), Unsupported> {
        Err(Unsupported::because("a note is one file"))
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
        Ok(fs::read(self.tree.path(&format!("notes/{id}"))).unwrap())
    }
}

mod by_events {
    use super::*;

    repertoire_testkit::conformance!(watched("*", WatchBy::Events));
}

mod by_polling {
    use super::*;

    repertoire_testkit::conformance!(watched("**/*", WatchBy::Polling));
}

#[tokio::test]
async fn a_pattern_selects_files_by_their_names() {
    let tree = Tree::new();
    for file in [
        "workflows/a.workflow.ts",
        "workflows/sub/b.workflow.ts",
        "workflows/c.txt",
        "workflows/.hidden.workflow.ts",
        "workflows/.git/d.workflow.ts",
        "workflows/node_modules/e/e.workflow.ts",
        "workflows/dist/f.workflow.ts",
        "workflows/drafts/g.workflow.ts",
        "workflows/drafts/h.workflow.mts",
        "other/i.workflow.ts",
        ".agents/flows/j.workflow.ts",
    ] {
        tree.write(file, "export {}");
    }
    let (a, b) = ("workflows/a.workflow.ts", "workflows/sub/b.workflow.ts");
    let (g, h) = (
        "workflows/drafts/g.workflow.ts",
        "workflows/drafts/h.workflow.mts",
    );
    for (patterns, expected) in [
        (vec!["workflows/**/*.workflow.ts"], vec![a, g, b]),
        (
            vec!["workflows/**/*.workflow.{ts,mts}", "!**/drafts/*.ts"],
            vec![a, h, b],
        ),
        (
            vec!["**/*.workflow.ts"],
            vec!["other/i.workflow.ts", a, g, b],
        ),
        (vec!["workflows/?.workflow.ts"], vec![a]),
        (vec!["workflows/[a-b].workflow.ts"], vec![a]),
        (vec!["workflows/s*/*"], vec![b]),
        (vec!["workflows/a.workflow.ts"], vec![a]),
        (vec![".agents/**/*.ts"], vec![".agents/flows/j.workflow.ts"]),
        (
            vec!["workflows/.*.ts"],
            vec!["workflows/.hidden.workflow.ts"],
        ),
        (vec!["absent/**/*.ts"], vec![]),
    ] {
        let listed = found(&notes(&tree.root(), &patterns)).await;
        assert_eq!(listed, expected, "{patterns:?}");
    }
}

#[test]
fn a_pattern_without_file_name_is_refused() {
    for (pattern, message) in [
        (
            "flows/",
            "`flows/` does not end in the name of a file; write `**/*` for every file",
        ),
        (
            "flows/**",
            "`flows/**` does not end in the name of a file; write `**/*` for every file",
        ),
        (
            "../*.ts",
            "`../*.ts` climbs out of its root; name the folder above as a root",
        ),
    ] {
        let error = FileSource::<Note>::from_options("notes", Path::new("/"), options(&[pattern]));
        assert_eq!(error.unwrap_err().message, message);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_is_not_parsed_stays_closed() {
    use std::os::unix::fs::PermissionsExt;

    use crate::tree::{age, permissions_do_not_bind};

    let tree = Tree::new();
    let file = tree.write("a.ts", "export {}");
    age(&file);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    let source = notes(&tree.root(), &["*.ts"]);
    assert_eq!(found(&source).await, ["a.ts"]);
    if permissions_do_not_bind(&tree.folder("x")) {
        return;
    }
    let body = source.body(&Id::of_path("a.ts").unwrap()).await;
    assert_eq!(body.unwrap_err().kind(), SourceErrorKind::Denied);
}

#[cfg(unix)]
#[tokio::test]
async fn a_linked_file_keeps_its_own_path() {
    let tree = Tree::new();
    tree.write("elsewhere/a.md", "One.");
    tree.link("../elsewhere/a.md", "notes/b.md");
    tree.link("..", "notes/loop");
    let source = notes(&tree.root(), &["notes/**/*.md"]);
    let listing = source.list().await.unwrap();
    let ids: Vec<_> = listing.iter().map(|row| row.item.id.as_str()).collect();
    assert_eq!(ids, ["notes/b.md"]);
    assert_eq!(codes(&listing), [Code::LINK_REPEATED]);
}

fn codes(listing: &Listing<Note>) -> Vec<Code> {
    listing
        .diagnostics()
        .iter()
        .map(|found| found.code)
        .collect()
}

#[tokio::test]
async fn a_file_that_breaks_keeps_its_last_row() {
    let tree = Tree::new();
    tree.write("a.md", "A note.");
    let source = notes(&tree.root(), &["*.md"]);
    let good = source.list().await.unwrap();
    tree.write("a.md", "! half a note");
    let broken = source.list().await.unwrap();
    assert!(broken.iter().eq(good.iter()));
    assert_eq!(codes(&broken), [Code::UNREADABLE, Code::STALE]);
    tree.write("a.md", "A note.");
    let mended = source.list().await.unwrap();
    assert!(mended.iter().eq(good.iter()));
    assert_eq!(codes(&mended), []);
}

#[tokio::test]
async fn a_touch_of_known_content_changes_nothing() {
    let tree = Tree::new();
    tree.write("a.ts", "export {}");
    let source = notes(&tree.root(), &["*.ts"]);
    let before = source.list().await.unwrap();
    tree.write("a.ts", "export {}");
    let after = source.list().await.unwrap();
    assert_eq!(before.revision(), after.revision());
    tree.write("a.ts", "export { }");
    assert!(before.revision() < source.list().await.unwrap().revision());
}

#[tokio::test]
async fn new_and_removed_files_are_followed() {
    let tree = Tree::new();
    for file in ["flows/a/one.md", "flows/b/two.md"] {
        tree.write(file, "A note.");
    }
    let source = notes(&tree.root(), &["flows/**/*.md"]).watching(swift(WatchBy::Events));
    let before = source.list().await.unwrap();
    tree.write("flows/a/three.md", "A new note.");
    fs::remove_file(tree.path("flows/b/two.md")).unwrap();
    let mut now = before;
    while now.len() != 2
        || now
            .iter()
            .all(|row| row.item.id.as_str() != "flows/a/three.md")
    {
        source.changed(now.revision()).await;
        now = source.list_since(now.revision()).await.unwrap();
    }
    let ids: Vec<_> = now.iter().map(|row| row.item.id.as_str()).collect();
    assert_eq!(ids, ["flows/a/one.md", "flows/a/three.md"]);
}
