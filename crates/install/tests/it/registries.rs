//! Skills in OCI registries.

use std::fs;
use std::time::UNIX_EPOCH;

use repertoire_install::{
    Fetched, FetchedRevision, Fetcher, GitProgram, HttpSettings, InstallError, InstallErrorKind,
    InstalledSkill, Reference,
};
use serde_json::{Value, json};

use crate::made_registry::{Answer, MadeRegistry, MadeRepository};
use crate::made_tar::{entry, gzip, tar};
use crate::skill_text;

const SKILL: &str = "application/vnd.agentskills.skill.v1";
const CONTENT: &str = "application/vnd.agentskills.skill.content.v1.tar+gzip";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const LOGIN: &str = "dXNlcjpwYXNz";

fn fetcher() -> Fetcher {
    let http = HttpSettings::default().allow_host("127.0.0.1");
    Fetcher::new(GitProgram::new("git", []), "/").http(http)
}

fn reference(registry: &MadeRegistry, version: &str) -> Reference {
    let text = format!("oci://{}/team/pdf{version}", registry.address);
    text.parse().expect("a reference")
}

fn fetch(registry: &MadeRegistry, version: &str) -> Result<Fetched, InstallError> {
    fetcher().fetch(&reference(registry, version))
}

/// Returns the packed folder of a skill.
fn packed(name: &str) -> Vec<u8> {
    let text = skill_text(name, "Reads.");
    gzip(&tar(&[
        entry(format!("{name}/"), b'5', ""),
        entry(format!("{name}/SKILL.md"), b'0', text),
        entry(format!("{name}/scripts/run.sh"), b'0', "#!/bin/sh\n"),
    ]))
}

/// Returns the manifest of an artifact of the draft.
fn artifact(repository: &mut MadeRepository, name: &str) -> Value {
    let config = json!({ "schemaVersion": "1", "name": name }).to_string();
    let config = repository.blob("application/vnd.agentskills.skill.config.v1+json", config);
    let layer = repository.blob(CONTENT, packed(name));
    json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "artifactType": SKILL,
        "config": config,
        "layers": [layer],
        "annotations": { "io.agentskills.skill.name": name },
    })
}

/// Returns a manifest with these layers.
fn manifest(layers: &[Value]) -> Value {
    json!({ "schemaVersion": 2, "mediaType": MANIFEST, "layers": layers })
}

/// Returns the id, the folder and the paths of each skill.
fn summary(fetched: &Fetched) -> Vec<String> {
    let skills = fetched.skills.iter().map(|skill| {
        let folder = skill.folder.as_ref().map_or("", |folder| folder.as_str());
        let files: Vec<_> = skill.tree.files().map(|(path, _)| path.as_str()).collect();
        format!("{} in `{folder}`: {}", skill.skill.id, files.join(" "))
    });
    skills.collect()
}

#[test]
fn a_tag_leads_to_a_digest() {
    let mut repository = MadeRepository::default();
    let document = artifact(&mut repository, "pdf");
    let digest = repository.tag("1.0", &document);
    let registry = MadeRegistry::of(repository);
    let tagged = reference(&registry, ":1.0");
    let fetched = fetch(&registry, ":1.0").expect("a skill");
    assert_eq!(summary(&fetched), ["pdf in `pdf`: SKILL.md scripts/run.sh"]);
    assert_eq!(fetched.revision, FetchedRevision::Archive(digest));
    let row = InstalledSkill::new(
        &fetched.skills[0],
        "skills/pdf".parse().expect("a path"),
        tagged.clone(),
        &fetched.revision,
        "2026-11-30T00:00:00Z".to_owned(),
    );
    let pinned = reference(&registry, &format!("@{digest}"));
    assert_eq!(row.pinned(), pinned);
    let again = fetcher().fetch(&pinned).expect("the same skill");
    assert_eq!(again.skills[0].tree, fetched.skills[0].tree);
    let latest = fetcher().latest(&tagged).expect("the registry answers");
    assert_eq!(latest.revision_of(&row), Some(digest.to_string()));
}

#[test]
fn artifacts_of_other_tools_are_read() {
    let skill = skill_text("pdf", "Reads.");
    let files = [
        entry("pdf/SKILL.md", b'0', &skill),
        entry("pdf/skill.yaml", b'0', "kind: SkillCard\n"),
    ];
    let (plain, packed) = (tar(&files), gzip(&tar(&files)));
    let at_top = tar(&[entry("./", b'5', ""), entry("./SKILL.md", b'0', &skill)]);
    for (what, layers, expected) in [
        (
            "alibaba",
            vec![(
                "application/vnd.agent.skill.content.v1.tar+gzip",
                packed.clone(),
                None,
            )],
            "pdf in `pdf`: SKILL.md skill.yaml",
        ),
        (
            "red hat",
            vec![(
                "application/vnd.redhat.agentskill.layer.v1+tar",
                plain,
                None,
            )],
            "pdf in `pdf`: SKILL.md skill.yaml",
        ),
        (
            "docker",
            vec![(
                "application/vnd.docker.image.rootfs.diff.tar.gzip",
                packed.clone(),
                None,
            )],
            "pdf in `pdf`: SKILL.md skill.yaml",
        ),
        (
            "a folder of oras",
            vec![(
                "application/vnd.oci.image.layer.v1.tar+gzip",
                packed,
                Some("pdf"),
            )],
            "pdf in `pdf`: SKILL.md skill.yaml",
        ),
        (
            "an image with the skill at its top",
            vec![(
                "application/vnd.oci.image.layer.v1.tar+gzip",
                gzip(&at_top),
                None,
            )],
            "pdf in ``: SKILL.md",
        ),
        (
            "files of oras",
            vec![
                (
                    "application/vnd.oci.image.layer.v1.tar",
                    skill.clone().into_bytes(),
                    Some("SKILL.md"),
                ),
                (
                    "application/vnd.oci.image.layer.v1.tar",
                    gzip(b"table"),
                    Some("data/table.gz"),
                ),
                ("application/vnd.oci.empty.v1+json", b"{}".to_vec(), None),
            ],
            "pdf in ``: SKILL.md data/table.gz",
        ),
    ] {
        let mut repository = MadeRepository::default();
        let layers = layers.into_iter().map(|(kind, bytes, title)| {
            let mut layer = repository.blob(kind, bytes);
            if let Some(title) = title {
                layer["annotations"] = json!({ "org.opencontainers.image.title": title });
            }
            layer
        });
        let document = manifest(&layers.collect::<Vec<_>>());
        repository.tag("latest", &document);
        let fetched = fetch(&MadeRegistry::of(repository), "").expect(what);
        assert_eq!(summary(&fetched), [expected], "{what}");
    }
}

#[test]
fn an_index_of_platforms_is_one_skill() {
    let mut repository = MadeRepository::default();
    let document = artifact(&mut repository, "pdf");
    let mut children = Vec::new();
    for (os, architecture, content) in [
        ("linux", "arm64", manifest(&[])),
        ("linux", "amd64", document),
        ("unknown", "unknown", manifest(&[])),
    ] {
        let mut child = repository.manifest(&content);
        child["platform"] = json!({ "os": os, "architecture": architecture });
        children.push(child);
    }
    let digest = repository.tag(
        "latest",
        &json!({ "schemaVersion": 2, "manifests": children }),
    );
    let fetched = fetch(&MadeRegistry::of(repository), "").expect("a skill");
    assert_eq!(summary(&fetched), ["pdf in `pdf`: SKILL.md scripts/run.sh"]);
    assert_eq!(fetched.revision, FetchedRevision::Archive(digest));
}

#[test]
fn a_collection_has_several_skills() {
    let mut repository = MadeRepository::default();
    let mut children = Vec::new();
    for name in ["pdf", "tidy"] {
        let document = artifact(&mut repository, name);
        let mut child = repository.manifest(&document);
        child["annotations"] = json!({ "io.agentskills.skill.name": name });
        children.push(child);
    }
    let flat = repository.blob(
        CONTENT,
        gzip(&tar(&[entry(
            "SKILL.md",
            b'0',
            skill_text("flat", "Reads."),
        )])),
    );
    let mut child = repository.manifest(&manifest(&[flat]));
    child["annotations"] = json!({ "io.agentskills.skill.name": "flat" });
    children.push(child);
    repository.tag(
        "all",
        &json!({
            "schemaVersion": 2,
            "artifactType": "application/vnd.agentskills.collection.v1",
            "manifests": children,
        }),
    );
    let registry = MadeRegistry::of(repository);
    let all = fetch(&registry, ":all").expect("three skills");
    assert_eq!(
        summary(&all),
        [
            "pdf in `pdf`: SKILL.md scripts/run.sh",
            "tidy in `tidy`: SKILL.md scripts/run.sh",
            "flat in `flat`: SKILL.md",
        ]
    );
    let before = registry.asked().len();
    let one = fetch(&registry, ":all#tidy").expect("one skill");
    assert_eq!(summary(&one), ["tidy in `tidy`: SKILL.md scripts/run.sh"]);
    assert_eq!(registry.asked().len() - before, 3, "index, manifest, layer");
    let error = fetch(&registry, ":all#other").expect_err("there is no such skill");
    assert_eq!(error.to_string(), "no skill in the folder `other`");
}

/// Returns the time that a fetched document states, in seconds since 1970.
fn created(repository: &MadeRepository, document: &Value) -> Option<u64> {
    let mut repository = repository.clone();
    repository.tag("1.0", document);
    let fetched = fetch(&MadeRegistry::of(repository), ":1.0").expect("skills");
    let since = fetched.created?.duration_since(UNIX_EPOCH);
    Some(since.expect("it is later").as_secs())
}

/// Returns the document with an annotation of its time.
fn made_at(document: &Value, time: &str) -> Value {
    let mut document = document.clone();
    document["annotations"]["org.opencontainers.image.created"] = json!(time);
    document
}

#[test]
fn artifacts_state_their_time() {
    let mut repository = MadeRepository::default();
    let plain = artifact(&mut repository, "pdf");
    let stated = made_at(&plain, "2026-11-30T19:20:47Z");
    let mut image = plain.clone();
    let config = json!({ "created": "2024-02-29T23:59:59.5Z" }).to_string();
    image["config"] = repository.blob("application/vnd.oci.image.config.v1+json", config);
    let odd = json!({ "mediaType": 5 });
    let [mut odd_config, odd_time] = [plain.clone(), made_at(&plain, "yesterday")];
    odd_config["config"] = odd;
    for (document, seconds) in [
        (&plain, None),
        (&stated, Some(1_796_066_447)),
        (&image, Some(1_709_251_199)),
        (
            &made_at(&image, "2026-11-30T19:20:47Z"),
            Some(1_796_066_447),
        ),
        (&odd_config, None),
        (&odd_time, None),
    ] {
        assert_eq!(created(&repository, document), seconds, "{document}");
    }
}

#[test]
fn a_collection_is_as_young_as_its_parts() {
    let mut repository = MadeRepository::default();
    let [old, young, none] = ["pdf", "tidy", "flat"].map(|name| artifact(&mut repository, name));
    let old = made_at(&old, "2024-02-29T23:59:59Z");
    let young = made_at(&young, "2026-11-30T19:20:47Z");
    let mut index = |documents: &[&Value]| {
        let children = documents
            .iter()
            .map(|document| repository.manifest(document));
        let children: Vec<_> = children.collect();
        json!({ "schemaVersion": 2, "manifests": children })
    };
    let [all, dated] = [index(&[&old, &young, &none]), index(&[&old, &young])];
    for (document, seconds) in [
        (&dated, Some(1_796_066_447)),
        (
            &made_at(&dated, "1990-01-01T00:00:00Z"),
            Some(1_796_066_447),
        ),
        (
            &made_at(&dated, "2026-11-30T19:20:48Z"),
            Some(1_796_066_448),
        ),
        (&all, None),
        (&made_at(&all, "2026-11-30T19:20:48Z"), Some(1_796_066_448)),
    ] {
        assert_eq!(created(&repository, document), seconds, "{document}");
    }
}

#[test]
fn a_token_is_requested_once() {
    let mut repository = MadeRepository::default();
    let document = artifact(&mut repository, "pdf");
    repository.tag("latest", &document);
    let registry = MadeRegistry::start(move |asked| {
        if asked.path.starts_with("/token") {
            return Answer {
                status: 200,
                headers: Vec::new(),
                body: br#"{"token":"granted"}"#.to_vec(),
            };
        }
        match asked.authorization.as_deref() {
            Some("Bearer granted") => repository.answer(&asked.path),
            _ => {
                let challenge = format!(
                    "Bearer realm=\"http://{}/token\",service=\"made\"",
                    asked.host
                );
                Answer::status(401).header("www-authenticate", challenge)
            }
        }
    });
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("config.json");
    let logins = json!({ "auths": { (registry.address.as_str()): { "auth": LOGIN } } });
    let mut asked = Vec::new();
    for login in [None, Some(format!("Basic {LOGIN}"))] {
        if login.is_some() {
            fs::write(&file, logins.to_string()).expect("it is writable");
        }
        let fetcher = fetcher().docker_config(&file);
        let fetched = fetcher.fetch(&reference(&registry, ""));
        assert_eq!(summary(&fetched.expect("a skill")).len(), 1);
        let mut new = registry.asked();
        new.drain(..asked.len());
        let authorizations: Vec<_> = new
            .iter()
            .map(|asked| asked.authorization.clone())
            .collect();
        let bearer = Some("Bearer granted".to_owned());
        assert_eq!(authorizations, [None, login, bearer.clone(), bearer]);
        assert_eq!(
            new[1].path,
            "/token?service=made&scope=repository%3Ateam%2Fpdf%3Apull"
        );
        asked.extend(new);
    }
}

#[test]
fn a_login_is_sent_to_its_registry_alone() {
    let mut repository = MadeRepository::default();
    let document = artifact(&mut repository, "pdf");
    repository.tag("latest", &document);
    let storage = MadeRegistry::of(repository.clone());
    let place = storage.address.clone();
    let registry = MadeRegistry::start(move |asked| {
        if asked.authorization.as_deref() != Some(&format!("Basic {LOGIN}")) {
            return Answer::status(401).header("www-authenticate", "Basic realm=\"made\"");
        }
        match asked.path.contains("/blobs/") {
            true => Answer::status(307).header("location", format!("http://{place}{}", asked.path)),
            false => repository.answer(&asked.path),
        }
    });
    let error = fetch(&registry, "").expect_err("there is no login");
    assert_eq!(error.kind(), InstallErrorKind::Unavailable);
    assert!(
        error
            .fix()
            .unwrap_or_default()
            .starts_with("run `docker login 127.0.0.1:")
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("config.json");
    let logins =
        json!({ "auths": { (format!("http://{}/v2/", registry.address)): { "auth": LOGIN } } });
    fs::write(&file, logins.to_string()).expect("it is writable");
    let fetcher = fetcher().docker_config(&file);
    let fetched = fetcher.fetch(&reference(&registry, "")).expect("a skill");
    assert_eq!(summary(&fetched).len(), 1);
    let asked = storage.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].authorization, None);
}

#[test]
fn changed_content_is_refused() {
    let mut repository = MadeRepository::default();
    let document = artifact(&mut repository, "pdf");
    let digest = repository.tag("latest", &document);
    let layer = document["layers"][0]["digest"].as_str().expect("a digest");
    let mut changed = packed("pdf");
    changed[9] ^= 1;
    for (path, bytes, version) in [
        (format!("blobs/{layer}"), changed, String::new()),
        (format!("blobs/{layer}"), b"short".to_vec(), String::new()),
        (
            format!("manifests/{digest}"),
            manifest(&[]).to_string().into_bytes(),
            format!("@{digest}"),
        ),
    ] {
        let mut repository = repository.clone();
        repository.replace(&path, &bytes);
        let error = fetch(&MadeRegistry::of(repository), &version).expect_err(&path);
        assert_eq!(error.kind(), InstallErrorKind::Corrupt, "{error}");
    }
}

#[test]
fn a_hostile_manifest_is_refused() {
    let mut repository = MadeRepository::default();
    let good = repository.blob(CONTENT, packed("pdf"));
    let with = |change: &dyn Fn(&mut Value)| {
        let mut layer = good.clone();
        change(&mut layer);
        manifest(&[layer])
    };
    let mut both = manifest(std::slice::from_ref(&good));
    both["manifests"] = json!([]);
    let whiteout = repository.blob(CONTENT, gzip(&tar(&[entry("pdf/.wh.SKILL.md", b'0', "")])));
    let link = repository.blob(CONTENT, gzip(&tar(&[entry("pdf/SKILL.md", b'2', "")])));
    let index = repository.manifest(&json!({ "manifests": [good.clone()] }));
    for (document, message) in [
        (
            json!({}),
            "the manifest has neither `layers` nor `manifests`",
        ),
        (both, "the manifest has `layers` and `manifests`"),
        (
            json!({ "manifests": [index] }),
            "an index leads to a different index",
        ),
        (json!({ "manifests": [] }), "the index has no manifests"),
        (
            with(&|layer| layer["size"] = json!(u64::MAX)),
            "expected at most 67108864",
        ),
        (
            with(&|layer| layer["size"] = json!(10)),
            "has more than 10 bytes",
        ),
        (
            with(&|layer| layer["digest"] = json!("md5:00")),
            "is not a digest",
        ),
        (
            with(&|layer| layer["digest"] = json!("../../other/blobs/x")),
            "is not a digest",
        ),
        (
            with(&|layer| layer["mediaType"] = json!("application/x-unknown")),
            "a layer of the type `application/x-unknown` is not read",
        ),
        (
            with(&|layer| {
                layer["mediaType"] = json!("text/plain");
                layer["annotations"] = json!({ "org.opencontainers.image.title": "../SKILL.md" });
            }),
            "is not a path inside",
        ),
        (
            manifest(&[good.clone(), whiteout]),
            "`pdf/.wh.SKILL.md` removes a file of an earlier layer",
        ),
        (manifest(&[link]), "the archive holds a symbolic link"),
        (
            Value::String("x".repeat(5 << 20)),
            "has more than 4194304 bytes",
        ),
    ] {
        let mut repository = repository.clone();
        repository.tag("latest", &document);
        let error = fetch(&MadeRegistry::of(repository), "").expect_err(message);
        assert_eq!(
            error.kind(),
            InstallErrorKind::Refused,
            "{message}: {error}"
        );
        assert!(error.to_string().contains(message), "{message}: {error}");
    }
}

#[test]
fn a_missing_tag_is_unavailable() {
    let registry = MadeRegistry::of(MadeRepository::default());
    let error = fetch(&registry, ":2.0").expect_err("there is no tag");
    assert_eq!(error.kind(), InstallErrorKind::Unavailable);
    let address = &registry.address;
    let expected = format!("`oci://{address}/team/pdf:2.0` is not in the registry");
    assert_eq!(error.to_string(), expected);
    assert_eq!(registry.asked()[0].path, "/v2/team/pdf/manifests/2.0");
}
