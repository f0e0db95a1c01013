//! Servers that do not know the skills extension.

use repertoire_core::{Code, Digest, Id, Listing, Skill, Source, SourceErrorKind};
use serde_json::{Value, json};

use crate::scripted::{Answer, Scripted, content, file, introduction, scripted, text, unknown};

const TIDY: &str = "skill://tidy/SKILL.md";
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

fn tidy() -> Id {
    "tidy".parse().unwrap()
}

fn codes(listing: &Listing<Skill>) -> Vec<Code> {
    listing
        .diagnostics()
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect()
}

/// A server with resources alone.
async fn resources(
    answer: impl Fn(&str, &str) -> Option<Value> + Send + Sync + 'static,
) -> Scripted {
    let play = move |method: &str, params: &Value| -> Answer {
        let uri = params
            .get("uri")
            .and_then(Value::as_str)
            .unwrap_or_default();
        match method {
            "initialize" => introduction(json!({ "resources": {} })),
            _ => answer(method, uri).map_or_else(unknown, Ok),
        }
    };
    scripted(play).await
}

/// Returns a server that answers like FastMCP with a folder of skills.
async fn fastmcp(skill: String, manifest: Value) -> Scripted {
    resources(move |method, uri| match (method, uri) {
        ("resources/list", _) => Some(json!({ "resources": [
            { "uri": TIDY, "name": "tidy/SKILL.md", "description": "Sorts a folder.", "mimeType": "text/markdown" },
            { "uri": "skill://tidy/_manifest", "name": "tidy/_manifest" },
            { "uri": "data://users", "name": "users" },
        ] })),
        (_, TIDY) => Some(content(TIDY, &skill)),
        (_, "skill://tidy/_manifest") => Some(content(uri, &manifest.to_string())),
        (_, "skill://tidy/a%20b.md") => Some(content(uri, "A.\n")),
        _ => None,
    })
    .await
}

fn hashed(path: &str, text: &str) -> Value {
    json!({ "path": path, "size": text.len(), "hash": Digest::of(text.as_bytes()).to_string() })
}

#[tokio::test]
async fn plain_resources_are_read_with_their_manifest() {
    let skill = text("tidy");
    let manifest =
        json!({ "skill": "tidy", "files": [hashed("SKILL.md", &skill), hashed("a b.md", "A.\n")] });
    let served = fastmcp(skill, manifest).await;
    let source = served.source("acme");
    let listing = source.list().await.unwrap();
    assert_eq!(
        (listing.len(), codes(&listing)),
        (1, vec![Code::MCP_FALLBACK])
    );
    let row = listing.iter().next().unwrap();
    assert_eq!(
        (row.item.id.as_str(), row.item.description.as_ref()),
        ("tidy", "Sorts a folder.")
    );
    assert_eq!(
        served.asked(),
        ["resources/read skill://index.json", "resources/list"]
    );
    let body = source.body(&tidy()).await.unwrap();
    assert_eq!((body.text.as_ref(), body.stamp), ("Sort it.\n", row.stamp));
    let files = source.resources(&tidy()).await.unwrap();
    assert_eq!(
        files
            .iter()
            .map(|file| file.path.as_str())
            .collect::<Vec<_>>(),
        ["a b.md"]
    );
    assert_eq!(
        source
            .resource(&tidy(), &files[0].path)
            .await
            .unwrap()
            .as_ref(),
        b"A.\n"
    );
}

#[tokio::test]
async fn manifests_with_wrong_digests_are_rejected() {
    let skill = text("tidy");
    for (manifest, expected) in [
        (
            json!({ "files": [hashed("SKILL.md", "other")] }),
            "`SKILL.md` has 58 bytes, and the server lists 5",
        ),
        (
            json!({ "files": [hashed("SKILL.md", &skill.replace("Sort it", "Burn it"))] }),
            "has the digest",
        ),
        (
            json!({ "files": [hashed("a.md", "A.\n")] }),
            "without `SKILL.md`",
        ),
        (json!({ "files": "all" }), "has no `files`"),
        (json!([]), "has no `files`"),
    ] {
        let served = fastmcp(skill.clone(), manifest).await;
        let source = served.source("acme");
        source.list().await.unwrap();
        let error = source.body(&tidy()).await.unwrap_err();
        assert_eq!(error.kind(), SourceErrorKind::Invalid);
        assert!(
            error.to_string().contains(expected),
            "expected `{expected}`, found `{error}`"
        );
    }
}

#[tokio::test]
async fn an_odd_file_of_a_manifest_is_omitted() {
    let skill = text("tidy");
    let manifest = json!({ "files": [hashed("SKILL.md", &skill), hashed("../a.md", "A.\n"), hashed("a.md", "A.\n")] });
    let source = fastmcp(skill, manifest).await.source("acme");
    assert_eq!(source.list().await.unwrap().len(), 1);
    let files = source.resources(&tidy()).await.unwrap();
    assert_eq!(
        files
            .iter()
            .map(|file| file.path.as_str())
            .collect::<Vec<_>>(),
        ["a.md"]
    );
    let omissions = source.omissions(&tidy()).await.unwrap();
    assert_eq!(
        omissions
            .iter()
            .map(|omission| &*omission.path)
            .collect::<Vec<_>>(),
        ["../a.md"]
    );
}

/// The list of resources cannot show that a skill is hidden from models; its file can, and it is not handed out before the
/// listing shows it too.
#[tokio::test]
async fn a_limit_in_the_file_reaches_the_list() {
    let skill = "---\nname: tidy\ndescription: Sorts a folder.\ndisable-model-invocation: true\n---\nSort it.\n";
    let manifest = json!({ "files": [hashed("SKILL.md", skill)] });
    let served = fastmcp(skill.to_owned(), manifest).await;
    let source = served.source("acme");
    let before = source.list().await.unwrap();
    assert!(!before.iter().next().unwrap().item.disable_model_invocation);
    let error = source.body(&tidy()).await.unwrap_err();
    assert_eq!(error.kind(), SourceErrorKind::Denied);
    source.changed(before.revision()).await;
    let after = source.list().await.unwrap();
    let row = after.iter().next().unwrap();
    assert!(row.item.disable_model_invocation && before.iter().next().unwrap().is_modified_by(row));
    let body = source.body(&tidy()).await.unwrap();
    assert_eq!(
        (body.text.as_ref(), Some(body.digest)),
        ("Sort it.\n", row.digest)
    );
}

async fn indexed(index: Value) -> Scripted {
    resources(move |method, uri| match (method, uri) {
        ("resources/read", "skill://index.json") => Some(content(uri, &index.to_string())),
        ("resources/read", TIDY) => Some(content(TIDY, &text("tidy"))),
        _ => None,
    })
    .await
}

#[tokio::test]
async fn the_index_of_the_drafts_is_read() {
    let digest = file(TIDY, text("tidy").as_bytes())["digest"].clone();
    let row = json!({ "name": "tidy", "description": "Sorts a folder.", "type": "skill-md", "url": TIDY, "digest": digest });
    let mut other = row.clone();
    (other["url"], other["digest"]) = (json!("tidy-2/SKILL.md"), Value::Null);
    let archive = json!({ "name": "packed", "description": "Packed.", "type": "archive", "url": "skill://packed.zip" });
    let served = indexed(json!({ "$schema": SCHEMA, "skills": [row, other, archive] })).await;
    let source = served.source("acme");
    let listing = source.list().await.unwrap();
    assert_eq!(
        listing
            .iter()
            .next()
            .unwrap()
            .digest
            .map(|digest| json!(digest)),
        Some(digest)
    );
    assert!(
        codes(&listing).starts_with(&[Code::MCP_UNVERIFIED, Code::MCP_ENTRY, Code::MCP_FALLBACK]),
        "{listing:?}"
    );
    assert!(
        listing.diagnostics()[1]
            .message
            .contains("of the type `archive` cannot be read")
    );
    let ids: Vec<_> = listing
        .iter()
        .map(|row| row.item.location.as_deref().unwrap())
        .collect();
    assert_eq!(
        ids,
        [
            "acme:skill://tidy/SKILL.md",
            "acme:skill://index.json/tidy-2/SKILL.md"
        ]
    );
}

#[tokio::test]
async fn an_index_with_wrong_data_is_refused() {
    let row = |digest: &str| json!({ "name": "tidy", "description": "Sorts.", "type": "skill-md", "url": TIDY, "digest": digest });
    let served =
        indexed(json!({ "$schema": SCHEMA, "skills": [row(&Digest::of(b"other").to_string())] }))
            .await;
    let source = served.source("acme");
    source.list().await.unwrap();
    let error = source.body(&tidy()).await.unwrap_err();
    assert!(
        error.to_string().starts_with("`SKILL.md` has the digest"),
        "{error}"
    );

    let served =
        indexed(json!({ "$schema": "https://schemas.agentskills.io/discovery/9.9.9/schema.json", "skills": [] })).await;
    let error = served.source("acme").list().await.unwrap_err();
    assert!(error.to_string().contains("unknown version"), "{error}");
}

/// The version without addresses and digests.
#[tokio::test]
async fn an_index_without_digests_is_unverified() {
    let served =
        indexed(json!({ "skills": [{ "name": "tidy", "description": "Sorts a folder.", "files": ["SKILL.md"] }] }))
            .await;
    let source = served.source("acme");
    let listing = source.list().await.unwrap();
    assert_eq!(codes(&listing), [Code::MCP_UNVERIFIED, Code::MCP_FALLBACK]);
    assert_eq!(
        source.body(&tidy()).await.unwrap().text.as_ref(),
        "Sort it.\n"
    );
}
