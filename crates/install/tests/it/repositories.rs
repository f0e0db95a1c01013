//! Skills from git repositories.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

use repertoire_install::{FetchedRevision, Fetcher, GitProgram, InstallErrorKind, LatestRevision};
use tempfile::TempDir;

use crate::skill_text;

/// A repository with two skills, beside a folder in which nothing may appear.
struct Origin {
    folder: TempDir,
}

impl Origin {
    fn new() -> Origin {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join("origin")).expect("a fresh folder");
        let origin = Origin { folder };
        origin.git(&["init", "--quiet", "--initial-branch", "main"]);
        origin.write("skills/pdf/SKILL.md", &skill_text("pdf", "Reads."));
        origin.write("skills/pdf/scripts/run.sh", "#!/bin/sh\n");
        origin.write("skills/tidy/SKILL.md", &skill_text("tidy", "Sort."));
        origin.commit("first");
        origin
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("origin")
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.path().join(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("it is writable");
        fs::write(file, text).expect("it is writable");
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.current_dir(self.path()).args(arguments);
        command.envs([
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_AUTHOR_NAME", "A"),
            ("GIT_AUTHOR_EMAIL", "a@test"),
            ("GIT_COMMITTER_NAME", "A"),
            ("GIT_COMMITTER_EMAIL", "a@test"),
        ]);
        let output = command.output().expect("git is installed");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {message}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Commits everything and returns the id.
    fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Returns a fetcher whose settings lead `from` to this repository.
    fn fetcher(&self, from: &str) -> Fetcher {
        let settings = self.folder.path().join("settings");
        let rule = format!(
            "[url \"file://{}\"]\n\tinsteadOf = {from}\n",
            self.path().display()
        );
        fs::write(&settings, rule).expect("it is writable");
        Fetcher::new(
            GitProgram::new("git", variables(&settings)),
            self.folder.path(),
        )
    }
}

fn variables(settings: &Path) -> Vec<(OsString, OsString)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    vec![
        ("PATH".into(), path),
        ("GIT_CONFIG_GLOBAL".into(), settings.into()),
        ("GIT_DIR".into(), "/nowhere".into()),
    ]
}

#[test]
fn owner_and_name_mean_github() {
    let origin = Origin::new();
    let commit = origin.git(&["rev-parse", "HEAD"]);
    let fetcher = origin.fetcher("https://github.com/acme/skills.git");
    for (text, ids) in [
        ("acme/skills", &["pdf", "tidy"][..]),
        ("acme/skills/skills/pdf", &["pdf"]),
        ("acme/skills/skills@main", &["pdf", "tidy"]),
        ("acme/skills/tidy", &["tidy"]),
        (&format!("acme/skills/tidy@{commit}"), &["tidy"]),
    ] {
        let fetched = fetcher
            .fetch(&text.parse().expect("a reference"))
            .expect(text);
        let found: Vec<_> = fetched
            .skills
            .iter()
            .map(|skill| skill.skill.id.as_str())
            .collect();
        assert_eq!(found, ids, "{text}");
        assert_eq!(
            fetched.revision,
            FetchedRevision::Commit(commit.clone()),
            "{text}"
        );
    }
}

#[test]
fn a_tag_a_branch_and_a_commit_resolve() {
    let origin = Origin::new();
    let first = origin.git(&["rev-parse", "HEAD"]);
    origin.git(&["tag", "--annotate", "v1", "--message", "first"]);
    origin.write("skills/pdf/SKILL.md", &skill_text("pdf", "Reads more."));
    let second = origin.commit("second");
    let fetcher = origin.fetcher("https://git.test/x");
    for (revision, commit) in [("v1", &first), ("main", &second), (&first, &first)] {
        let reference = format!("https://git.test/x@{revision}")
            .parse()
            .expect("a reference");
        let latest = fetcher.latest(&reference).expect("it is there");
        assert_eq!(latest, LatestRevision::Commit(commit.clone()), "{revision}");
        let fetched = fetcher.fetch(&reference).expect("it is there");
        assert_eq!(fetched.revision, FetchedRevision::Commit(commit.clone()));
    }
    for (text, message) in [
        ("https://git.test/x@v2", "has no branch or tag `v2`"),
        ("https://git.test/x#other", "no skill in the folder `other`"),
        ("https://git.test/y", "cannot be reached"),
    ] {
        let fetcher = match text.ends_with("/y") {
            true => origin.fetcher("https://git.test/y/"),
            false => origin.fetcher("https://git.test/x"),
        };
        let reference = text.replace("https://git.test/y", "file:///nowhere");
        let error = fetcher
            .fetch(&reference.parse().expect("a reference"))
            .expect_err(text);
        assert_eq!(
            error.kind(),
            InstallErrorKind::Unavailable,
            "{text}: {error}"
        );
        assert!(error.to_string().contains(message), "{text}: {error}");
    }
}

#[test]
fn nothing_of_a_repository_runs() {
    let origin = Origin::new();
    let touched = origin.folder.path().join("touched");
    let program = format!("touch {}", touched.display());
    origin.write(".gitattributes", "* filter=evil\n");
    origin.write(
        "skills/pdf/.gitattributes",
        "* filter=evil text eol=crlf ident\n",
    );
    origin.commit("attributes");
    let hook = origin.path().join(".git/hooks/post-checkout");
    fs::write(&hook, format!("#!/bin/sh\n{program}\n")).expect("it is writable");
    let fetcher = origin.fetcher("https://git.test/x");
    let settings = origin.folder.path().join("settings");
    let rules = fs::read_to_string(&settings).expect("it was written");
    let hooks = origin.path().join(".git/hooks");
    let more = format!(
        "[core]\n\thooksPath = {}\n\tfsmonitor = {program}\n[filter \"evil\"]\n\tsmudge = {program}\n",
        hooks.display()
    );
    fs::write(&settings, rules + &more).expect("it is writable");
    let fetched = fetcher.fetch(&"https://git.test/x".parse().expect("a reference"));
    let fetched = fetched.expect("it is there");
    let pdf = &fetched.skills[0].tree;
    let text = pdf.get("SKILL.md").expect("it is there");
    assert_eq!(&text[..], skill_text("pdf", "Reads.").as_bytes());
    assert!(!touched.exists());
}

#[test]
fn a_setting_cannot_lead_to_a_helper() {
    let origin = Origin::new();
    let touched = origin.folder.path().join("touched");
    let settings = origin.folder.path().join("settings");
    let rule = format!(
        "[url \"ext::sh -c 'touch {}' \"]\n\tinsteadOf = https://git.test/\n[protocol \"ext\"]\n\tallow = always\n",
        touched.display()
    );
    fs::write(&settings, rule).expect("it is writable");
    let fetcher = Fetcher::new(
        GitProgram::new("git", variables(&settings)),
        origin.folder.path(),
    );
    let error = fetcher.fetch(&"https://git.test/x".parse().expect("a reference"));
    let error = error.expect_err("it is not allowed");
    assert!(
        error.to_string().contains("transport 'ext' not allowed"),
        "{error}"
    );
    assert!(!touched.exists());
}

#[cfg(unix)]
#[test]
fn links_and_submodules_are_refused() {
    let origin = Origin::new();
    std::os::unix::fs::symlink("/etc/passwd", origin.path().join("skills/pdf/passwd"))
        .expect("a link");
    let commit = origin.commit("link");
    origin.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("160000,{commit},skills/tidy/sub"),
    ]);
    origin.git(&["commit", "--quiet", "--message", "submodule"]);
    let fetcher = origin.fetcher("https://git.test/x");
    for (folder, message) in [
        (
            "pdf",
            "`skills/pdf`: `skills/pdf/passwd` is a symbolic link",
        ),
        ("tidy", "`skills/tidy`: `skills/tidy/sub` is a submodule"),
    ] {
        let reference = format!("https://git.test/x#skills/{folder}").parse();
        let error = fetcher
            .fetch(&reference.expect("a reference"))
            .expect_err(folder);
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn a_commit_states_its_time() {
    let origin = Origin::new();
    // The message looks like a header.
    let amend = "committer B <b@test> 5 +0000";
    let date = [
        "-c",
        "user.name=A",
        "commit",
        "--quiet",
        "--amend",
        "-m",
        amend,
    ];
    let mut command = Command::new("git");
    command.current_dir(origin.path()).args(date);
    command.envs([
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_COMMITTER_NAME", "A 1 B"),
        ("GIT_COMMITTER_EMAIL", "a@test"),
        ("GIT_COMMITTER_DATE", "1796066447 +0530"),
    ]);
    assert!(command.status().expect("git is installed").success());
    origin.git(&["tag", "--annotate", "-m", "later", "v1"]);
    let fetcher = origin.fetcher("https://git.test/x");
    let expected = UNIX_EPOCH + Duration::from_secs(1_796_066_447);
    for revision in ["", "@v1"] {
        let reference = format!("https://git.test/x{revision}").parse();
        let fetched = fetcher.fetch(&reference.expect("a reference"));
        assert_eq!(fetched.expect("two skills").created, Some(expected));
    }
}

#[test]
fn a_missing_git_is_named() {
    let fetcher = Fetcher::new(GitProgram::new("no-such-git", []), "/");
    let error = fetcher.fetch(&"o/r".parse().expect("a reference"));
    let error = error.expect_err("there is no such program");
    assert_eq!(error.to_string(), "cannot run `no-such-git`");
    assert_eq!(error.fix(), Some("install git"));
}
