//! Rules on the files of the workspace, as tests.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::step;
use crate::workspace::{packages, root};

/// Lines of a Rust file outside tests.
const MOST_LINES: usize = 500;

#[test]
fn a_file_is_named_for_one_noun() {
    let vague = [
        "utils", "util", "common", "types", "manager", "helpers", "misc",
    ];
    let named = |part: &OsStr| {
        vague.iter().any(|vague| {
            Path::new(part)
                .file_stem()
                .is_some_and(|stem| stem == *vague)
        })
    };
    let found = rust_files()
        .into_iter()
        .filter(|path| inside(path).iter().any(named));
    assert_none(found, "files and folders named for nothing");
}

#[test]
fn a_file_has_at_most_500_lines() {
    let long = rust_files()
        .into_iter()
        .filter(|path| !is_test(path) && text(path).lines().count() > MOST_LINES);
    assert_none(long, &format!("files of more than {MOST_LINES} lines"));
}

#[test]
fn targets_without_tests_have_none() {
    let targets = packages().expect("cargo metadata works in tests");
    let targets = targets.into_iter().flat_map(|package| package.targets);
    let untested = targets.filter(|target| !target.test && target.kind != ["example"]);
    let files = untested.flat_map(|target| match target.kind.as_slice() {
        [kind] if kind == "bin" || kind == "custom-build" => vec![target.src_path],
        _ => {
            let source = target.src_path.parent().expect("a file is in a folder");
            let files = rust_files().into_iter();
            files.filter(|path| path.starts_with(source)).collect()
        }
    });
    let found = files.filter(|path| text(path).contains(concat!("#[", "test]")));
    assert_none(found, "tests in targets with `test = false`");
}

#[test]
fn nothing_is_left_to_do() {
    // In two halves, so that this file does not accuse itself.
    let mark = concat!("todo", "!(");
    assert_none(
        rust_files()
            .into_iter()
            .filter(|path| text(path).contains(mark)),
        "files with something left to do",
    );
}

#[test]
fn no_file_speaks_of_one_machine() {
    let elsewhere = concat!("/wo", "rk/");
    let found = files().into_iter().filter(|path| {
        let text = text(path);
        text.match_indices(elsewhere)
            .any(|(at, _)| begins_a_path(&text[..at]))
    });
    assert_none(found, &format!("files that name `{elsewhere}`"));
}

#[test]
fn a_package_has_a_description() {
    let silent = packages()
        .expect("cargo metadata works in tests")
        .into_iter()
        .filter_map(|package| {
            let folder = package
                .manifest_path
                .parent()?
                .strip_prefix(root().join("crates"))
                .ok()?
                .to_owned();
            // A description that ends in the name of the folder was never written.
            let about = package.description.unwrap_or_default();
            (about.is_empty() || about.ends_with(folder.to_str()?)).then_some(folder)
        });
    assert_none(silent, "crates without a description of their own");
}

#[test]
fn a_published_package_is_ready_for_its_page() {
    let crates = files()
        .into_iter()
        .filter(|path| path.ends_with("Cargo.toml") && inside(path).starts_with("crates"));
    assert_none(
        crates.filter(|path| {
            let manifest = text(path);
            let parts = [
                "\nkeywords = [",
                "\ncategories = [",
                "\nreadme = \"README.md\"",
                "\n[package.metadata.docs.rs]",
            ];
            !parts.iter().all(|part| manifest.contains(part))
                || !path.with_file_name("README.md").is_file()
        }),
        "lacks keywords, categories, a README or the metadata of docs.rs",
    );
}

#[test]
fn an_example_has_at_most_120_lines() {
    let examples = root().join("crates/repertoire/examples");
    let long = rust_files()
        .into_iter()
        .filter(|path| path.starts_with(&examples) && text(path).lines().count() > 120);
    assert_none(long, "examples with over 120 lines in a file");
}

#[test]
fn a_package_shares_the_lints() {
    let own = packages()
        .expect("cargo metadata works in tests")
        .into_iter()
        .map(|package| package.manifest_path);
    let own = own.filter(|manifest| !text(manifest).contains("[lints]\nworkspace = true"));
    assert_none(own, "packages without the lints of the workspace");
}

#[test]
fn only_the_plugin_boundary_allows_unsafe_code() {
    // In two halves, so that this file does not accuse itself.
    let mark = concat!("allow(unsafe", "_code)");
    let boundary = ["crates/plugin-sdk", "crates/source-plugin"].map(|folder| root().join(folder));
    let allowed = |path: &PathBuf| boundary.iter().any(|folder| path.starts_with(folder));
    let found = rust_files()
        .into_iter()
        .filter(|path| !allowed(path) && text(path).contains(mark));
    assert_none(
        found,
        "files that allow what only the plugin boundary needs",
    );
}

#[test]
fn the_pure_crates_ban_the_same_calls() {
    let bans = |folder: &str| text(&root().join("crates").join(folder).join("clippy.toml"));
    let core = bans("core");
    assert!(core.contains("disallowed-methods"));
    assert_eq!(bans("registry"), core);
    assert_eq!(bans("permission"), core);
    assert_eq!(bans("search"), core);
    assert_eq!(bans("engine"), core);
    assert_eq!(bans("render"), core);
}

#[track_caller]
fn assert_none(found: impl Iterator<Item = PathBuf>, what: &str) {
    let found: Vec<_> = found.collect();
    assert!(found.is_empty(), "{what}: {found:?}");
}

/// Returns every file of the checkout, without `.git` and `target`.
fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("folders of the checkout can be read") {
            let entry = entry.expect("folders of the checkout can be read");
            if [".git", "target"]
                .iter()
                .any(|kept| entry.file_name() == *kept)
            {
                continue;
            }
            if entry
                .file_type()
                .expect("the platform tells file types")
                .is_dir()
            {
                folders.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

pub(crate) fn rust_files() -> Vec<PathBuf> {
    files()
        .into_iter()
        .filter(|path| path.extension() == Some(OsStr::new("rs")))
        .collect()
}

pub(crate) fn is_test(path: &Path) -> bool {
    path.file_stem() == Some(OsStr::new("tests"))
        || inside(path)
            .iter()
            .any(|part| part == "tests" || part == "benches")
}

fn inside(path: &Path) -> &Path {
    path.strip_prefix(root())
        .expect("the file lies in the workspace")
}

/// Returns the text of a file, or an empty text if the file is not UTF-8.
pub(crate) fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Returns whether a `/` after `before` begins an absolute path.
fn begins_a_path(before: &str) -> bool {
    !before.ends_with(|last: char| last.is_alphanumeric() || "_-.~/*}>".contains(last))
}

#[test]
fn an_absolute_path_is_recognised() {
    for before in ["", "see `", "a ", "(", "\"", "="] {
        assert!(begins_a_path(before), "{before}");
    }
    for before in ["/home/ann", "~", "..", "*", "{home}", "https:/"] {
        assert!(!begins_a_path(before), "{before}");
    }
}

#[test]
fn tests_that_run_cargo_are_slow() {
    // In two halves, so that this file is not found.
    let marks = [
        concat!("env!(\"CAR", "GO\")"),
        concat!("try", "build::"),
        concat!("BIN_EXE_", "xtask"),
    ];
    let found = rust_files().into_iter().filter(|path| {
        let text = text(path);
        let is_slow = inside(path).iter().any(|part| part == "slow") || text.contains("mod slow {");
        marks.iter().any(|mark| text.contains(mark)) && !is_slow
    });
    assert_none(
        found,
        "files with tests for the profile `slow` in a module of a different name",
    );
}

#[test]
fn the_tasks_are_built_as_the_tests_are() {
    let tree = |arguments: &str| {
        // The last bar ends the features, in front of the mark of a package that is shown already.
        let line = format!("cargo tree --offline --prefix none -f {{p}}|{{f}}| {arguments}");
        let output = step::output(&line).expect("cargo starts");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let text = String::from_utf8(output.stdout).expect("cargo prints UTF-8");
        text.lines()
            .map(|line| line.trim_end_matches(" (*)").to_owned())
            .collect::<BTreeSet<_>>()
    };
    let (tasks, tests) = (
        tree("--package xtask --edges no-dev"),
        tree("--workspace --edges all"),
    );
    let apart: Vec<_> = tasks.difference(&tests).collect();
    assert!(
        apart.is_empty(),
        "built twice; add to `xtask/Cargo.toml` the features that tests add: {apart:#?}"
    );
}

#[test]
fn one_lock_decides_the_versions() {
    let versions = |folder: &str| {
        let lock = text(&root().join(folder).join("Cargo.lock"));
        let values = |key: &str| {
            let key = format!("{key} = \"");
            lock.lines().filter_map(move |line| {
                Some(line.strip_prefix(&key)?.trim_end_matches('"').to_owned())
            })
        };
        values("name").zip(values("version")).collect::<Vec<_>>()
    };
    let compatible = |version: &str| {
        let mut numbers = version.split('.');
        let major = numbers.next().map(str::to_owned);
        (
            major.clone(),
            (major.as_deref() == Some("0")).then(|| numbers.next().map(str::to_owned)),
        )
    };
    let ours = versions("");
    for folder in ["bench", "examples/rig", "fuzz", "tests/browser"] {
        for (name, version) in versions(folder) {
            let differs = |(other, with): &&(String, String)| {
                *other == name && *with != version && compatible(with) == compatible(&version)
            };
            assert_eq!(
                ours.iter().find(differs),
                None,
                "`{folder}/Cargo.lock` has {name} {version}"
            );
        }
    }
}

#[test]
fn workflows_have_their_jobs() {
    let jobs = |name: &str| {
        let workflow: Value =
            serde_saphyr::from_str(&text(&root().join(".github/workflows").join(name)))
                .expect("YAML");
        let jobs = workflow["jobs"]
            .as_object()
            .expect("a workflow has jobs")
            .clone();
        for (name, job) in &jobs {
            assert!(job["runs-on"].is_string(), "`{name}` runs on a system");
            let steps = job["steps"].as_array().expect("a job has steps");
            assert!(
                steps
                    .iter()
                    .all(|step| step["uses"].is_string() != step["run"].is_string()),
                "steps of `{name}`"
            );
        }
        jobs.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(
        jobs("ci.yml"),
        ["linux", "systems", "msrv", "api", "advisories"]
    );
    assert_eq!(
        jobs("release.yml"),
        ["version", "dist", "musl", "systems", "publish"]
    );
}
