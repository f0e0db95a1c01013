//! `verify` with the lock files of ToolHive, of microsoft/apm and of OCI tools.

use std::fs;

use repertoire_cli::Exit;
use serde_json::Value;
use snapbox::{assert_data_eq, str};

use crate::schema::Schema;
use crate::test_env::TestEnv;

/// A project with the installed skill `tidy`, and the row of its lock.
fn project() -> (TestEnv, Value) {
    let env = TestEnv::new();
    env.skill("shared", "tidy", "Sorts.")
        .file("shared/tidy/scripts/run.sh", "#!/bin/sh\nls\n");
    let added = env.run(&["add", "./shared", "--yes"]);
    assert_eq!(added.exit, Exit::Success, "{}", added.stderr);
    let lock = env.here().join("repertoire.lock.json");
    let text = fs::read_to_string(&lock).expect("there is a lock");
    fs::remove_file(&lock).expect("it is there");
    fs::remove_dir_all(env.here().join("shared")).expect("it is there");
    let lock: Value = serde_json::from_str(&text).expect("it is JSON");
    (env, lock["installed"][0].clone())
}

fn verified(env: &TestEnv) -> String {
    let ran = env.run(&["verify", "--json"]);
    Schema::of("repertoire-1").assert_fits(&ran.stdout);
    let text = env.run(&["verify"]);
    assert_eq!(text.exit, ran.exit);
    text.stdout
}

#[test]
fn toolhive_states_one_digest_of_a_skill() {
    let (env, row) = project();
    let content = row["content"].as_str().expect("a text");
    let rows = format!(
        "version: 1\nskills:\n  - name: tidy\n    source: ghcr.io/acme/tidy:1.0.0\n    digest: sha256:11\n    contentDigest: {content}\n"
    );
    env.file("toolhive.lock.yaml", &rows);
    assert_eq!(verified(&env), "1 skill matches toolhive.lock.yaml\n");
    let gone = "  - name: gone\n    source: ghcr.io/acme/gone\n    digest: sha256:22\n";
    env.file("toolhive.lock.yaml", rows + gone)
        .file(".agents/skills/tidy/scripts/run.sh", "#!/bin/sh\nrm\n");
    assert_data_eq!(
        verified(&env),
        str![[r#"
changed  tidy  .agents/skills/tidy  (toolhive.lock.yaml)
  locked sha256:[..]
  found  sha256:[..]
missing  gone  (toolhive.lock.yaml)
2 differences; 2 skills compared with toolhive.lock.yaml

"#]]
    );
}

#[test]
fn apm_states_a_digest_of_each_file() {
    let (env, row) = project();
    let files = row["files"].as_array().expect("a list").iter();
    let hashes: String = files
        .map(|file| {
            let (path, digest) = (file["path"].as_str(), file["digest"].as_str());
            let (path, digest) = (path.expect("a path"), digest.expect("a digest"));
            format!("      .agents/skills/tidy/{path}: {digest}\n")
        })
        .collect();
    env.file(
        "apm.lock.yaml",
        format!(
            "lockfile_version: '1'\ndependencies:\n  - repo_url: acme/skills\n    deployed_file_hashes:\n{hashes}"
        ),
    );
    assert_eq!(verified(&env), "1 skill matches apm.lock.yaml\n");
    env.file(".agents/skills/tidy/scripts/run.sh", "#!/bin/sh\nrm\n")
        .file(".agents/skills/tidy/more.md", "More.\n");
    fs::remove_file(env.here().join(".agents/skills/tidy/SKILL.md")).expect("it is there");
    assert_data_eq!(
        verified(&env),
        str![[r#"
missing  tidy  .agents/skills/tidy/SKILL.md  (apm.lock.yaml)
  locked sha256:[..]
changed  tidy  .agents/skills/tidy/scripts/run.sh  (apm.lock.yaml)
  locked sha256:[..]
  found  sha256:[..]
extra    tidy  .agents/skills/tidy/more.md  (apm.lock.yaml)
  found  sha256:[..]
3 differences; 1 skill compared with apm.lock.yaml

"#]]
    );
}

#[test]
fn oci_tools_state_folders() {
    let (env, _) = project();
    let lock = |name: &str| {
        format!(
            r#"{{ "lockfileVersion": 1, "generatedAt": "2026-03-01T10:00:00Z", "skills": [{{
                "name": "{name}", "path": ".agents/skills/{name}",
                "source": {{ "registry": "ghcr.io", "repository": "acme/{name}", "tag": "1", "digest": "sha256:11", "ref": "x" }},
                "installedAt": "2026-03-01T10:00:00Z" }}] }}"#
        )
    };
    env.file("skills.lock.json", lock("tidy"));
    assert_eq!(verified(&env), "1 skill matches skills.lock.json\n");
    let notes = env.run(&["verify"]).stderr;
    let expected =
        "not compared, `skills.lock.json` states no digest of its files: `.agents/skills/tidy`";
    assert!(notes.contains(expected), "{notes}");
    env.file("skills.lock.json", lock("gone"));
    assert_data_eq!(
        verified(&env),
        str![[r#"
missing  gone  .agents/skills/gone  (skills.lock.json)
  locked sha256:11
1 difference; 1 skill compared with skills.lock.json

"#]]
    );
}

#[test]
fn an_unknown_version_of_a_lock_is_refused() {
    let (env, _) = project();
    env.file("toolhive.lock.yaml", "version: 9\nskills: []\n");
    assert_eq!(
        env.run(&["verify"]).failure(),
        "error: `toolhive.lock.yaml`: expected `version` 1\n"
    );
}
