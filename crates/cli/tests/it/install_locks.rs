//! The lock files of other tools that `add`, `update` and `remove` write on request.

use std::fs;
use std::process::Command;

use repertoire::skill::Digest;
use repertoire_cli::Exit;
use repertoire_testkit::StaticServer;
use serde_json::{Value, json};

use crate::test_env::TestEnv;

const ALSO: [&str; 3] = ["--yes", "--also-lock", "skills-lock.json"];

fn good(env: &TestEnv, arguments: &[&str]) -> String {
    let ran = env.run(arguments);
    assert_eq!(ran.exit, Exit::Success, "{arguments:?}: {}", ran.stderr);
    ran.stdout
}

fn lock(env: &TestEnv) -> Value {
    let text = fs::read_to_string(env.here().join("skills-lock.json"));
    serde_json::from_str(&text.expect("there is a lock")).expect("it is JSON")
}

fn git(env: &TestEnv, arguments: &[&str]) {
    let mut command = Command::new("git");
    command
        .args(["-c", "user.name=A", "-c", "user.email=a@example.com"])
        .args(arguments)
        .current_dir(env.here().join("shared"))
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = command.output().expect("git is installed");
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
}

#[test]
fn verify_reads_what_installing_writes() {
    let env = TestEnv::new();
    env.skill("shared", "tidy", "Sorts.")
        .file("shared/tidy/scripts/run.sh", "#!/bin/sh\nls\n");
    good(&env, &[&["add", "./shared"][..], &ALSO].concat());
    let both = "1 skill matches repertoire.lock.json and skills-lock.json\n";
    assert_eq!(good(&env, &["verify"]), both);
    let first = lock(&env)["skills"]["tidy"].clone();
    assert_eq!(
        first,
        json!({ "source": "./shared", "sourceType": "local", "computedHash": first["computedHash"] })
    );

    env.skill("shared", "tidy", "Sorts well.");
    good(&env, &["update", "--yes"]);
    let stale = env.run(&["verify"]);
    assert_eq!(stale.exit, Exit::Problems);
    assert!(stale.stdout.contains("changed  tidy  (skills-lock.json)"));
    good(&env, &[&["update"][..], &ALSO].concat());
    assert_ne!(lock(&env)["skills"]["tidy"], first);
    assert_eq!(good(&env, &["verify"]), both);

    fs::remove_dir_all(env.here().join(".agents")).expect("it is there");
    fs::remove_file(env.here().join("skills-lock.json")).expect("it is there");
    good(&env, &[&["sync", "--frozen"][..], &ALSO].concat());
    assert_eq!(good(&env, &["verify"]), both);
}

#[test]
fn a_row_has_the_origin_of_a_repository() {
    let env = TestEnv::new();
    env.skill("shared/skills", "tidy", "Sorts.");
    git(&env, &["init", "--quiet", "--initial-branch", "main"]);
    git(&env, &["add", "."]);
    git(&env, &["commit", "--quiet", "--message", "first"]);
    let url = format!("file://{}", env.here().join("shared").display());
    let reference = format!("{url}@main");
    good(&env, &[&["add", &reference][..], &ALSO].concat());
    let row = lock(&env)["skills"]["tidy"].clone();
    assert_eq!(
        row,
        json!({
            "source": url,
            "sourceUrl": url,
            "ref": "main",
            "sourceType": "git",
            "skillPath": "skills/tidy/SKILL.md",
            "computedHash": row["computedHash"],
        })
    );
}

#[test]
fn rows_of_other_skills_stay() {
    let env = TestEnv::new();
    env.skill("shared", "tidy", "Sorts.");
    let foreign = json!({ "source": "a/b", "sourceType": "github", "computedHash": "00" });
    let old = json!({
        "version": 1,
        "skillsDir": "skills",
        "skills": { "gone": foreign, "tidy": { "source": "x/y", "ref": "main", "sourceType": "github", "computedHash": "00", "subagents": ["z"] } },
    });
    env.file("skills-lock.json", old.to_string());
    good(&env, &[&["add", "./shared"][..], &ALSO].concat());
    let new = lock(&env);
    let row = &new["skills"]["tidy"];
    assert_eq!(
        new,
        json!({
            "version": 1,
            "skillsDir": "skills",
            "skills": { "gone": foreign, "tidy": { "source": "./shared", "sourceType": "local", "computedHash": row["computedHash"], "subagents": ["z"] } },
        })
    );
    good(&env, &[&["remove", "tidy"][..], &ALSO].concat());
    assert_eq!(lock(&env)["skills"], json!({ "gone": foreign }));
}

#[test]
fn an_invalid_lock_prevents_a_change() {
    let env = TestEnv::new();
    env.skill("shared", "tidy", "Sorts.")
        .file("skills-lock.json", "{ \"version\": 9 }");
    let ran = env.run(&[&["add", "./shared"][..], &ALSO].concat());
    assert_eq!(
        ran.failure(),
        "error: `skills-lock.json`: expected version 1, found 9\n"
    );
    assert!(!env.here().join(".agents").exists());
}

/// Serves the skill in `shared/tidy` as an artifact, and returns its digest.
fn publish(env: &TestEnv, server: &StaticServer) -> String {
    let mut tar = Command::new("tar");
    tar.args(["czf", "-", "tidy"])
        .current_dir(env.here().join("shared"));
    let layer = tar.output().expect("tar is installed").stdout;
    let config = b"{}".to_vec();
    let descriptor = |kind: &str, bytes: &Vec<u8>| {
        let digest = Digest::of(bytes);
        server.serve(&format!("/v2/acme/tidy/blobs/{digest}"), bytes.clone());
        json!({ "mediaType": format!("application/vnd.agentskills.skill.{kind}"), "digest": digest, "size": bytes.len() })
    };
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "artifactType": "application/vnd.agentskills.skill.v1",
        "config": descriptor("config.v1+json", &config),
        "layers": [descriptor("content.v1.tar+gzip", &layer)],
    });
    let bytes = manifest.to_string();
    let digest = Digest::of(bytes.as_bytes());
    let head = format!(
        "200 OK\r\nContent-Type: application/vnd.oci.image.manifest.v1+json\r\nContent-Length: {}",
        bytes.len()
    );
    for name in ["1.0".to_owned(), digest.to_string()] {
        let path = format!("/v2/acme/tidy/manifests/{name}");
        server.answer(&path, &head, bytes.clone());
    }
    digest.to_string()
}

#[test]
fn artifacts_are_in_the_lock_of_oci_tools() {
    let (env, server) = (TestEnv::new(), StaticServer::start());
    env.skill("shared", "tidy", "Sorts.")
        .skill("local", "notes", "Takes notes.");
    let digest = publish(&env, &server);
    let registry = server.url("").replace("http://", "");
    let reference = format!("oci://{registry}/acme/tidy:1.0");
    let also = [
        "--yes",
        "--also-lock",
        "skills.lock.json",
        "--allow-host",
        "127.0.0.1",
    ];
    good(&env, &[&["add", &reference, "./local"][..], &also].concat());
    let read = || {
        let text = fs::read_to_string(env.here().join("skills.lock.json"));
        serde_json::from_str::<Value>(&text.expect("there is a lock")).expect("it is JSON")
    };
    let first = read();
    assert_eq!(
        first,
        json!({
            "lockfileVersion": 1,
            "generatedAt": first["generatedAt"],
            "skills": [{
                "name": "tidy",
                "path": ".agents/skills/tidy",
                "source": { "registry": registry, "repository": "acme/tidy", "tag": "1.0", "digest": digest, "ref": format!("{registry}/acme/tidy:1.0") },
                "installedAt": first["skills"][0]["installedAt"],
            }],
        })
    );
    let both = "2 skills match repertoire.lock.json and skills.lock.json\n";
    assert_eq!(good(&env, &["verify"]), both);

    env.skill("shared", "tidy", "Sorts well.");
    let newer = publish(&env, &server);
    good(&env, &["update", "--yes", "--allow-host", "127.0.0.1"]);
    let stale = env.run(&["verify"]);
    let expected = "changed  tidy  .agents/skills/tidy  (skills.lock.json)";
    assert!(stale.stdout.contains(expected), "{}", stale.stdout);
    good(&env, &[&["update"][..], &also].concat());
    assert_eq!(read()["skills"][0]["source"]["digest"], newer);
    assert_eq!(good(&env, &["verify"]), both);
    let text = fs::read(env.here().join("skills.lock.json")).expect("there is a lock");
    good(&env, &[&["sync"][..], &also].concat());
    let again = fs::read(env.here().join("skills.lock.json")).expect("there is a lock");
    assert_eq!(again, text);
}
