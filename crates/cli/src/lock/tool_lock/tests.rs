use std::fs;

use super::*;

fn read(name: &str, text: &str) -> Result<Vec<ToolLock>, Failure> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join(name), text).expect("the file can be written");
    ToolLock::read_all(folder.path())
}

fn path(text: &str) -> ResourcePath {
    text.parse().expect("a path")
}

fn digest(digit: char) -> Digest {
    let text = format!("sha256:{}", digit.to_string().repeat(64));
    text.parse().expect("a digest")
}

#[test]
fn the_lock_of_oci_tools_names_artifacts() {
    let text = r#"{
      "lockfileVersion": 1,
      "generatedAt": "2026-03-01T10:00:00Z",
      "skills": [{
        "name": "pdf",
        "path": "./.agents/skills/pdf",
        "source": {
          "registry": "ghcr.io", "repository": "acme/agent-skills/pdf", "tag": "1.2.0",
          "digest": "sha256:1111", "ref": "ghcr.io/acme/agent-skills/pdf:1.2.0"
        },
        "installedAt": "2026-03-01T10:00:00Z",
        "additionalInstalledPaths": [".claude/skills/pdf"]
      }]
    }"#;
    let row = ToolRow {
        id: "pdf".to_owned(),
        content: ToolContent::Artifact(path(".agents/skills/pdf"), "sha256:1111".to_owned()),
    };
    let read = read(OCI, text).expect("it is valid");
    assert_eq!(
        read,
        [ToolLock {
            name: OCI,
            rows: vec![row]
        }]
    );
}

#[test]
fn the_lock_of_toolhive_states_digests_of_content() {
    let text = format!(
        "version: 1
skills:
  - name: pdf
    version: 1.2.0
    source: io.github.acme/pdf
    resolvedReference: ghcr.io/acme/pdf:1.2.0
    digest: sha256:2222
    contentDigest: {}
    provenance:
      signerIdentity: https://github.com/acme/skills/.github/workflows/release.yml@refs/heads/main
      certIssuer: https://token.actions.githubusercontent.com
    explicit: true
  - name: old
    source: git://github.com/acme/old
    digest: 0123456789abcdef0123456789abcdef01234567
plugins: []
",
        digest('a')
    );
    let row = |id: &str, content| ToolRow {
        id: id.to_owned(),
        content: ToolContent::Files(content),
    };
    let rows = vec![row("pdf", Some(digest('a'))), row("old", None)];
    let read = read(TOOLHIVE, &text).expect("it is valid");
    assert_eq!(
        read,
        [ToolLock {
            name: TOOLHIVE,
            rows
        }]
    );
}

#[test]
fn the_lock_of_apm_states_deployed_files() {
    let text = format!(
        "lockfile_version: '1'
generated_at: '2026-03-01T10:00:00+00:00'
apm_version: 0.28.0
dependencies:
- repo_url: acme/skills
  host: github.com
  resolved_commit: 0123456789abcdef0123456789abcdef01234567
  resolved_ref: main
  virtual_path: skills/pdf
  is_virtual: true
  package_type: claude_skill
  deployed_files:
  - .agents/skills/pdf
  deployed_file_hashes:
    .agents/skills/pdf/SKILL.md: {a}
    .agents/skills/pdf/scripts/run.py: {b}
    .github/prompts/x.prompt.md: {c}
local_deployed_file_hashes:
  .claude/skills/own/SKILL.md: {c}
",
        a = digest('a'),
        b = digest('b'),
        c = digest('c')
    );
    let row = |id: &str, folder: &str, files: &[(&str, Digest)]| {
        let files = files
            .iter()
            .map(|(path, digest)| ((*path).to_owned(), *digest));
        ToolRow {
            id: id.to_owned(),
            content: ToolContent::EachFile(path(folder), files.collect()),
        }
    };
    let rows = vec![
        row(
            "pdf",
            ".agents/skills/pdf",
            &[("SKILL.md", digest('a')), ("scripts/run.py", digest('b'))],
        ),
        row("own", ".claude/skills/own", &[("SKILL.md", digest('c'))]),
    ];
    let read = read(APM, &text).expect("it is valid");
    assert_eq!(read, [ToolLock { name: APM, rows }]);
}

#[test]
fn locks_of_unknown_versions_are_refused() {
    for (name, text, expected) in [
        (
            OCI,
            r#"{ "lockfileVersion": 2, "skills": [] }"#,
            "expected `lockfileVersion` 1",
        ),
        (TOOLHIVE, "version: 2\nskills: []\n", "expected `version` 1"),
        (
            APM,
            "lockfile_version: '99'\n",
            "expected `lockfile_version` 1 or 2",
        ),
        (
            OCI,
            r#"{ "lockfileVersion": 1, "skills": [{ "name": "x", "path": "../x", "source": { "digest": "" } }] }"#,
            "is not a path inside",
        ),
        (TOOLHIVE, "skills: [", "is invalid"),
    ] {
        let failure = read(name, text).expect_err(expected);
        assert!(
            failure.message().contains(expected),
            "{}",
            failure.message()
        );
    }
}
