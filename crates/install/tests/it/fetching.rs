//! Skills from folders and archives.

use std::fs;
use std::path::Path;

use repertoire_install::{
    Fetched, FetchedRevision, Fetcher, GitProgram, InstallError, InstallErrorKind,
};
use tempfile::TempDir;

use crate::made_zip::{ZipEntry, zip};
use crate::skill_text;

fn write(folder: &Path, path: &str, text: impl AsRef<[u8]>) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().expect("a file has a folder")).expect("it is writable");
    fs::write(file, text).expect("it is writable");
}

fn fetch(folder: &TempDir, reference: &str) -> Result<Fetched, InstallError> {
    let fetcher = Fetcher::new(GitProgram::new("git", []), folder.path());
    fetcher.fetch(&reference.parse()?)
}

/// Returns each id with the folder in the source and the paths of its files.
fn summary(fetched: &Fetched) -> Vec<(String, Option<String>, Vec<String>)> {
    let skills = fetched.skills.iter();
    let rows = skills.map(|skill| {
        let files = skill.tree.files();
        (
            skill.skill.id.to_string(),
            skill.folder.as_ref().map(ToString::to_string),
            files.map(|(path, _)| path.to_string()).collect(),
        )
    });
    rows.collect()
}

fn row(id: &str, folder: Option<&str>, files: &[&str]) -> (String, Option<String>, Vec<String>) {
    let files = files.iter().map(|file| (*file).to_owned());
    (id.to_owned(), folder.map(str::to_owned), files.collect())
}

#[test]
fn a_folder_holds_one_skill_or_several() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(here, "one/SKILL.md", skill_text("one", "First."));
    write(here, "one/nested/SKILL.md", skill_text("nested", "Part."));
    write(here, "more/two/SKILL.md", skill_text("two", "Second."));
    write(here, "more/two/.env", "SECRET=1");
    write(
        here,
        "more/two/node_modules/x/SKILL.md",
        skill_text("x", "Not one."),
    );
    write(here, "README.md", "Not a skill.");
    let one = row("one", Some("one"), &["SKILL.md", "nested/SKILL.md"]);
    let two = row("two", Some("more/two"), &["SKILL.md"]);
    let all = fetch(&folder, ".").expect("two skills");
    assert_eq!(summary(&all), [two, one]);
    assert_eq!(all.revision, FetchedRevision::Folder);
    let alone = fetch(&folder, "./one").expect("one skill");
    assert_eq!(
        summary(&alone),
        [row("one", None, &["SKILL.md", "nested/SKILL.md"])]
    );
}

#[test]
fn an_archive_is_fetched_by_its_digest() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = zip(&[
        ZipEntry::new("tidy/SKILL.md", skill_text("tidy", "Sort.")),
        ZipEntry::new("tidy/.env", "SECRET=1"),
        ZipEntry::new("tidy/run", "#!/bin/sh\n"),
    ]);
    write(folder.path(), "tidy.skill", &archive);
    let fetched = fetch(&folder, "tidy.skill").expect("one skill");
    assert_eq!(summary(&fetched), [row("tidy", None, &["SKILL.md", "run"])]);
    assert_eq!(
        fetched.revision,
        FetchedRevision::Archive(repertoire_core::Digest::of(&archive))
    );
    let programs: Vec<_> = fetched.skills[0]
        .programs()
        .into_iter()
        .map(|path| path.as_str())
        .collect();
    assert_eq!(programs, ["run"]);
}

#[test]
fn an_unusable_skill_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(here, "empty/README.md", "");
    write(here, "broken/SKILL.md", "no front matter\n");
    write(here, "odd/SKILL.md", skill_text("con", "Reserved."));
    write(here, "hidden/SKILL.md", skill_text(".git", "Hidden."));
    write(here, "twice/a/SKILL.md", skill_text("same", "One."));
    write(here, "twice/b/SKILL.md", skill_text("same", "Two."));
    for (reference, kind, message) in [
        ("./empty", InstallErrorKind::Unavailable, "no skills found"),
        ("./broken", InstallErrorKind::Refused, "`SKILL.md`"),
        (
            "./odd",
            InstallErrorKind::Refused,
            "`con` is not the name of a folder",
        ),
        (
            "./hidden",
            InstallErrorKind::Refused,
            "`.git` is not the name of a folder",
        ),
        (
            "./twice",
            InstallErrorKind::Refused,
            "two skills are called `same`",
        ),
        ("./missing", InstallErrorKind::Io, "cannot read"),
        (
            "missing.zip",
            InstallErrorKind::Io,
            "cannot read `missing.zip`",
        ),
    ] {
        let error = fetch(&folder, reference).expect_err(reference);
        assert_eq!(error.kind(), kind, "{reference}: {error}");
        assert!(error.to_string().contains(message), "{reference}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_a_folder_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), "s/SKILL.md", skill_text("s", "Reads."));
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("s/passwd")).expect("a link");
    let error = fetch(&folder, "./s").expect_err("it has a link");
    assert_eq!(error.to_string(), "`passwd` is a symbolic link");
}
