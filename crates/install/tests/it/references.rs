//! The texts that name places.

use std::path::Path;

use proptest::prelude::*;
use repertoire_install::{InstallErrorKind, Reference};

/// Returns the URL, the revision and the folder of a git reference.
fn parts(text: &str) -> (String, String, String) {
    let reference: Reference = text.parse().expect("a reference");
    let folder = reference.folder().map(ToString::to_string);
    (
        reference.git_url().unwrap_or_default().to_owned(),
        reference.revision().unwrap_or_default().to_owned(),
        folder.unwrap_or_default(),
    )
}

#[test]
fn a_repository_has_many_spellings() {
    let commit = "0123456789abcdef0123456789abcdef01234567";
    for (text, url, revision, folder) in [
        ("o/r", "https://github.com/o/r.git", "", ""),
        ("o/r.git", "https://github.com/o/r.git", "", ""),
        ("o/r@v1.2", "https://github.com/o/r.git", "v1.2", ""),
        (
            "o/r/skills/pdf@feature/x",
            "https://github.com/o/r.git",
            "feature/x",
            "skills/pdf",
        ),
        (
            "https://github.com/o/r",
            "https://github.com/o/r.git",
            "",
            "",
        ),
        (
            "https://github.com/o/r/tree/main/skills/pdf",
            "https://github.com/o/r.git",
            "main",
            "skills/pdf",
        ),
        (
            "https://github.com/o/r/blob/main/pdf/SKILL.md",
            "https://github.com/o/r.git",
            "main",
            "pdf",
        ),
        (
            "https://git.test/a/b.git@main#x/y",
            "https://git.test/a/b.git",
            "main",
            "x/y",
        ),
        ("git+https://git.test/a/b", "https://git.test/a/b", "", ""),
        (
            "ssh://git@git.test/a/b.git@v1",
            "ssh://git@git.test/a/b.git",
            "v1",
            "",
        ),
        (
            "git@git.test:a/b.git@v1#x",
            "git@git.test:a/b.git",
            "v1",
            "x",
        ),
        ("git://git.test/b#x", "git://git.test/b", "", "x"),
        ("file:///srv/b.git", "file:///srv/b.git", "", ""),
    ] {
        let expected = (url.to_owned(), revision.to_owned(), folder.to_owned());
        assert_eq!(parts(text), expected, "{text}");
    }
    assert_eq!(parts(&format!("o/r@{commit}")).1, commit);
}

#[test]
fn a_path_begins_with_a_dot_or_slash() {
    for text in [
        "./skills",
        "../shared",
        "/srv/skills",
        "~/skills",
        ".",
        "a.zip",
        "x/y.tar.gz",
        "b.skill",
    ] {
        let reference: Reference = text.parse().expect("a path");
        assert_eq!(reference.git_url(), None, "{text}");
        assert_eq!(reference.to_string(), text);
    }
}

#[test]
fn a_web_server_has_archives_and_an_index() {
    for (text, printed, folder) in [
        ("https://host/x.zip", "https://host/x.zip", None),
        (
            "https://host/@a/x.tar.gz#b/c",
            "https://host/@a/x.tar.gz#b/c",
            Some("b/c"),
        ),
        ("https://host", "https://host", None),
        ("https://host/#pdf", "https://host#pdf", Some("pdf")),
        (
            "http://host:8080/.well-known/skills/index.json",
            "http://host:8080",
            None,
        ),
        (
            "https://host/docs/.well-known/agent-skills",
            "https://host/docs/.well-known/agent-skills",
            None,
        ),
    ] {
        let reference: Reference = text.parse().expect("a reference");
        assert_eq!(reference.to_string(), printed);
        assert_eq!(reference.git_url(), None, "{text}");
        assert_eq!(
            reference.folder().map(|folder| folder.as_str()),
            folder,
            "{text}"
        );
    }
}

#[test]
fn an_error_names_the_fix() {
    for (text, message, fix) in [
        ("", "the reference is empty", "OWNER/REPO"),
        (
            "skills",
            "`skills` is not a reference",
            "write `./skills` for a folder",
        ),
        ("--upload-pack=x", "begins with a dash", "write `./`"),
        ("ext::sh -c id", "helper program", "https://"),
        ("a/b::c", "helper program", "https://"),
        (
            "ftp://host/x",
            "`ftp` is not a supported transport",
            "https://",
        ),
        (
            "https://u:secret@host/x.git",
            "credentials",
            "credential helper",
        ),
        (
            "https://token@host/x.git",
            "credentials",
            "credential helper",
        ),
        (
            "ssh://-oProxyCommand=x/y",
            "host of the URL begins with a dash",
            "correct it",
        ),
        (
            "ssh://-l@host/y",
            "host of the URL begins with a dash",
            "correct it",
        ),
        (
            "https://host/.well-known/skills/x/SKILL.md",
            "is not the index of a host",
            "https://HOST#SKILL",
        ),
        ("ssh://host", "has no path", "git repository"),
        ("o/r@-x", "is not a branch", "after `@`"),
        ("o/r@a..b", "is not a branch", "after `@`"),
        ("o/r@a:b", "is not a branch", "after `@`"),
        ("o/r@+a", "is not a branch", "after `@`"),
        ("o/r/../x", "is not a path inside", "name a folder"),
        ("o/..", "is not a reference", "OWNER/REPO"),
        ("o/r\u{202e}", "hidden characters", "type it again"),
        ("o/r\nx", "hidden characters", "type it again"),
    ] {
        let error = text.parse::<Reference>().expect_err(text);
        assert_eq!(error.kind(), InstallErrorKind::Reference, "{text}");
        assert!(error.to_string().contains(message), "{text}: {error}");
        let found = error.fix().unwrap_or_default();
        assert!(found.contains(fix), "{text}: {found}");
    }
}

#[test]
fn an_artifact_has_a_registry() {
    let digest = format!("sha256:{}", "ab".repeat(32));
    for (text, printed) in [
        (
            "oci://ghcr.io/team/pdf",
            "oci://ghcr.io/team/pdf:latest".to_owned(),
        ),
        (
            "oci://GHCR.io/team/pdf:1.0",
            "oci://ghcr.io/team/pdf:1.0".to_owned(),
        ),
        (
            "oci://localhost:5000/pdf#a/b",
            "oci://localhost:5000/pdf:latest#a/b".to_owned(),
        ),
        (
            "oci://[::1]:5000/a__b/c-d.e",
            "oci://[::1]:5000/a__b/c-d.e:latest".to_owned(),
        ),
        (
            &format!("oci://h.test/x:1.0@{digest}"),
            format!("oci://h.test/x@{digest}"),
        ),
    ] {
        let reference: Reference = text.parse().expect(text);
        assert_eq!(reference.to_string(), printed);
        assert_eq!(reference.git_url(), None);
        assert_eq!(
            printed.parse::<Reference>().expect("it is a reference"),
            reference
        );
    }
    for (text, message) in [
        ("oci://", "`` is not the host of a registry"),
        (
            "oci://user:pw@h.test/x",
            "`user:pw` is not the host of a registry",
        ),
        ("oci://-h/x", "`-h` is not the host of a registry"),
        ("oci://h:0/x", "`h:0` is not the host of a registry"),
        ("oci://h.test", "`` is not the name of a repository"),
        (
            "oci://h.test/Upper",
            "`Upper` is not the name of a repository",
        ),
        (
            "oci://h.test/a/../b",
            "`a/../b` is not the name of a repository",
        ),
        (
            "oci://h.test/a//b",
            "`a//b` is not the name of a repository",
        ),
        ("oci://h.test/a?b", "`a?b` is not the name of a repository"),
        (
            "oci://h.test/a___b",
            "`a___b` is not the name of a repository",
        ),
        ("oci://h.test/x:", "`` is not a tag"),
        ("oci://h.test/x:-1", "`-1` is not a tag"),
        ("oci://h.test/x@sha512:00", "`sha512:00` is not a digest"),
    ] {
        let error = text.parse::<Reference>().expect_err(text);
        assert_eq!(error.kind(), InstallErrorKind::Reference, "{text}");
        assert!(error.to_string().starts_with(message), "{text}: {error}");
    }
}

#[test]
fn a_lock_states_paths_from_its_folder() {
    let from = |text: &str| {
        let reference: Reference = text.parse().expect("a reference");
        let moved = reference.from_base(Path::new("/p/sub"), Path::new("/p"));
        moved.to_string()
    };
    assert_eq!(from("./skills"), "./sub/skills");
    assert_eq!(from("tidy.skill"), "./sub/tidy.skill");
    assert_eq!(from("../shared.zip"), "./shared.zip");
    assert_eq!(from("../../other"), "/other");
    assert_eq!(from("/srv/x"), "/srv/x");
    assert_eq!(from("o/r/x@v1"), "o/r/x@v1");
}

#[test]
fn an_mcp_server_has_a_url() {
    for (text, url, skill) in [
        ("mcp+https://host.test/mcp", "https://host.test/mcp", None),
        (
            "mcp+http://127.0.0.1:8321/mcp#tidy",
            "http://127.0.0.1:8321/mcp",
            Some("tidy"),
        ),
    ] {
        let reference: Reference = text.parse().expect("a reference");
        assert_eq!(reference.to_string(), text);
        assert_eq!(reference.mcp_url(), Some(url));
        assert_eq!(reference.git_url(), None);
        let folder = reference.folder().map(|folder| folder.as_str());
        assert_eq!(folder, skill);
    }
    for text in [
        "mcp+ssh://host.test/mcp",
        "mcp+https://u:p@host.test/mcp",
        "mcp+https:///mcp",
        "mcp+https://host.test/mcp?key=1",
    ] {
        let error = text.parse::<Reference>().expect_err(text);
        assert_eq!(error.kind(), InstallErrorKind::Reference, "{text}");
    }
}

proptest! {
    #[test]
    fn a_printed_reference_parses_to_itself(text in "[a-z./:@#~+-]{0,40}|(https|ssh|git)://[a-z./@#-]{1,30}|oci://[a-z]{1,3}[a-z./:#_-]{1,20}|[a-z]{1,5}/[a-z]{1,5}[a-z/@.]{0,20}") {
        if let Ok(reference) = text.parse::<Reference>() {
            let printed = reference.to_string();
            prop_assert_eq!(printed.parse::<Reference>().ok(), Some(reference), "{}", printed);
        }
    }
}
