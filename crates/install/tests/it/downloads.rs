//! Skills from web servers.

use repertoire_core::Digest;
use repertoire_install::{
    Fetched, FetchedRevision, Fetcher, FileTree, GitProgram, HttpSettings, InstallError,
    InstallErrorKind, LatestRevision,
};
use repertoire_testkit::StaticServer;
use serde_json::json;

use crate::made_tar::{entry, gzip, tar};
use crate::made_zip::{ZipEntry, zip};
use crate::skill_text;

const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const INDEX: &str = "/.well-known/agent-skills/index.json";
const OLD_INDEX: &str = "/.well-known/skills/index.json";

fn fetcher() -> Fetcher {
    Fetcher::new(GitProgram::new("git", []), "/")
}

fn fetch(reference: &str) -> Result<Fetched, InstallError> {
    let allowed = fetcher().http(HttpSettings::default().allow_host("127.0.0.1"));
    allowed.fetch(&reference.parse()?)
}

fn refusal(reference: &str) -> (InstallErrorKind, String) {
    let error = fetch(reference).expect_err(reference);
    (error.kind(), error.to_string())
}

/// The same skill with a program, in three packages.
fn packages() -> [(&'static str, Vec<u8>); 3] {
    let (text, program) = (skill_text("tidy", "Sort."), "#!/bin/sh\n");
    let zip = zip(&[
        ZipEntry::new("SKILL.md", &text),
        ZipEntry::new("scripts/run.sh", program),
    ]);
    let tar = tar(&[
        entry("tidy/SKILL.md", b'0', &text),
        entry("tidy/scripts/run.sh", b'0', program),
    ]);
    [
        ("/tidy.zip", zip.clone()),
        ("/tidy.skill", zip),
        ("/v1/tidy.tar.gz", gzip(&tar)),
    ]
}

fn tree(fetched: &Fetched) -> &FileTree {
    assert_eq!(fetched.skills.len(), 1);
    &fetched.skills[0].tree
}

/// Serves an index of version 0.2.0 with one document and one archive, and returns its digests.
fn serve_index(server: &StaticServer) -> [Digest; 2] {
    let (document, archive) = (skill_text("notes", "Write."), packages()[0].1.clone());
    let digests = [document.as_bytes(), &archive].map(Digest::of);
    let index = json!({ "$schema": SCHEMA, "skills": [
        { "name": "notes", "type": "skill-md", "description": "Notes.", "url": "notes/SKILL.md", "digest": digests[0] },
        { "name": "tidy", "type": "archive", "description": "Sorts.", "url": "/files/tidy.zip", "digest": digests[1] },
    ]});
    server.serve(INDEX, index.to_string());
    server.serve("/.well-known/agent-skills/notes/SKILL.md", document);
    server.serve("/files/tidy.zip", archive);
    digests
}

#[test]
fn an_archive_has_one_content_everywhere() {
    let server = StaticServer::start();
    let mut trees = Vec::new();
    for (path, archive) in packages() {
        let digest = Digest::of(&archive);
        server.serve(path, archive);
        let fetched = fetch(&server.url(path)).expect(path);
        assert_eq!(fetched.revision, FetchedRevision::Archive(digest));
        trees.push(tree(&fetched).clone());
    }
    assert_eq!(trees[0], trees[1]);
    assert_eq!(trees[0], trees[2]);
}

#[test]
fn an_index_states_skills_and_digests() {
    let server = StaticServer::start();
    let digests = serve_index(&server);
    let all = fetch(&server.url("")).expect("two skills");
    assert_eq!(all.revision, FetchedRevision::Index);
    let rows: Vec<_> = all
        .skills
        .iter()
        .map(|skill| (skill.skill.id.as_str(), skill.artifact))
        .collect();
    assert_eq!(
        rows,
        [("notes", Some(digests[0])), ("tidy", Some(digests[1]))]
    );
    let one = fetch(&server.url("#tidy")).expect("one skill");
    assert_eq!(tree(&one), &all.skills[1].tree);
    let settings = HttpSettings::default().allow_host("127.0.0.1");
    let reference = server.url(INDEX).parse().expect("a reference");
    let latest = fetcher().http(settings).latest(&reference);
    let names = ["notes", "tidy"].map(|name| name.parse().expect("a path"));
    assert_eq!(
        latest.expect("the index is there"),
        LatestRevision::Artifacts(names.into_iter().zip(digests).collect())
    );
}

#[test]
fn an_old_index_names_files() {
    let server = StaticServer::start();
    serve_index(&server);
    let new = fetch(&server.url("#tidy")).expect("one skill");
    let old = StaticServer::start();
    let index = json!({ "skills": [
        { "name": "tidy", "description": "Sorts.", "files": ["SKILL.md", "scripts/run.sh"] },
    ]});
    old.serve(&format!("/docs{OLD_INDEX}"), index.to_string());
    for (path, bytes) in new.skills[0].tree.files() {
        let path = format!("/docs/.well-known/skills/tidy/{path}");
        old.serve(&path, bytes.to_vec());
    }
    let fetched = fetch(&old.url("/docs/.well-known/skills")).expect("one skill");
    assert_eq!(tree(&fetched), tree(&new));
    assert_eq!(fetched.skills[0].artifact, None);
}

#[test]
fn a_wrong_index_is_refused() {
    let server = StaticServer::start();
    let url = server.url("");
    let (kind, message) = refusal(&url);
    assert_eq!(kind, InstallErrorKind::Unavailable);
    assert!(message.contains("status 404"), "{message}");
    let row = |change: &[(&str, serde_json::Value)]| {
        let mut row =
            json!({ "name": "x", "type": "skill-md", "url": "/x", "digest": Digest::of(b"y") });
        for (field, value) in change {
            row[*field] = value.clone();
        }
        json!({ "$schema": SCHEMA, "skills": [row] })
    };
    server.serve("/x", "x");
    for (index, kind, expected) in [
        (
            json!({ "$schema": "1.0.0", "skills": [] }),
            InstallErrorKind::Refused,
            "unknown schema `1.0.0`",
        ),
        (
            json!({ "$schema": SCHEMA, "skills": [] }),
            InstallErrorKind::Unavailable,
            "has no skills",
        ),
        (row(&[]), InstallErrorKind::Corrupt, "expected `sha256:"),
        (
            row(&[("name", json!("../x"))]),
            InstallErrorKind::Refused,
            "invalid name",
        ),
        (
            row(&[("digest", json!(null))]),
            InstallErrorKind::Refused,
            "without `digest`",
        ),
        (
            row(&[("type", json!("wasm"))]),
            InstallErrorKind::Refused,
            "unknown `type`",
        ),
        (
            row(&[("url", json!("file:///etc/passwd"))]),
            InstallErrorKind::Refused,
            "invalid `url`",
        ),
        (
            row(&[("url", json!("http://u:p@127.0.0.1/x"))]),
            InstallErrorKind::Refused,
            "invalid `url`",
        ),
        (
            json!({ "skills": [{ "name": "x", "files": ["SKILL.md", "../../secret"] }] }),
            InstallErrorKind::Refused,
            "invalid path",
        ),
    ] {
        server.serve(INDEX, index.to_string());
        let (found, message) = refusal(&url);
        assert_eq!(found, kind, "{message}");
        assert!(message.contains(expected), "{message}");
    }
    assert!(!server.requests().iter().any(|head| head.contains("secret")));
}

#[test]
fn private_addresses_are_refused_unless_allowed() {
    let server = StaticServer::start();
    server.serve("/tidy.zip", packages()[0].1.clone());
    let address = server.url("/tidy.zip");
    let local = address.replace("127.0.0.1", "localhost");
    let numbers = address.replace("127.0.0.1", "0x7f000001");
    for url in [&server.url("/tidy.zip"), &local, &numbers] {
        let error = fetcher().fetch(&url.parse().expect("a reference"));
        let error = error.expect_err(url);
        assert_eq!(error.kind(), InstallErrorKind::Refused, "{error}");
        assert!(error.to_string().contains("private address"), "{error}");
        assert!(error.fix().unwrap_or_default().contains("--allow-host"));
    }
    assert_eq!(server.requests(), Vec::<String>::new());
    // An allowed host does not allow the others.
    server.answer("/moved.zip", &format!("302 Found\r\nLocation: {local}"), "");
    let (kind, message) = refusal(&server.url("/moved.zip"));
    assert_eq!(kind, InstallErrorKind::Refused);
    assert_eq!(message, "`localhost` has a private address");
}

#[test]
fn redirects_and_sizes_are_limited() {
    let server = StaticServer::start();
    server.serve("/tidy.zip", packages()[0].1.clone());
    let moved = |path: &str, to: &str| {
        server.answer(
            path,
            &format!("301 Moved Permanently\r\nLocation: {to}"),
            "",
        );
    };
    moved("/old.zip", "/tidy.zip");
    fetch(&server.url("/old.zip")).expect("a redirect is followed");
    moved("/loop.zip", "/loop.zip");
    let secret = server.url("/tidy.zip").replace("http://", "http://u:p@");
    moved("/secret.zip", &secret);
    moved("/file.zip", "file:///etc/passwd");
    server.answer("/large.zip", "200 OK\r\nContent-Length: 99000000", "PK");
    for (path, expected) in [
        ("/loop.zip", "redirects more than 5 times"),
        ("/secret.zip", "redirects to a URL with credentials"),
        ("/file.zip", "is not a URL with `http` or `https`"),
        ("/large.zip", "has more than 67108864 bytes"),
    ] {
        let (kind, message) = refusal(&server.url(path));
        assert_eq!(kind, InstallErrorKind::Refused, "{message}");
        assert!(message.contains(expected), "{message}");
    }
    let head = "429 Too Many Requests\r\nRetry-After: 30\r\nContent-Length: 0";
    server.answer("/busy.zip", head, "");
    let error = fetch(&server.url("/busy.zip")).expect_err("it is busy");
    assert_eq!(error.kind(), InstallErrorKind::Unavailable);
    assert!(error.to_string().contains("status 429"), "{error}");
    assert_eq!(error.fix(), Some("try again in 30 s"));
}
