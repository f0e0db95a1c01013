use super::*;

mod slow {
    use std::collections::BTreeSet;
    use std::process::Command;

    use super::*;

    /// Every test of a new source that fails, or passes, as `cargo test` calls it.
    fn tests_that(ended: &str, report: &str) -> BTreeSet<String> {
        let ended = |line: &str| {
            Some(
                line.strip_prefix("test ")?
                    .strip_suffix(ended)?
                    .trim_end_matches(" ... ")
                    .to_owned(),
            )
        };
        report.lines().filter_map(ended).collect()
    }

    #[test]
    fn a_new_source_compiles_and_fails_the_listed_tests() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let folder = place.path().join("made");
        write("two-words", &folder, false).expect("the template can be written");
        // The versions that the workspace was built with are the ones that are there without a network.
        fs::copy(
            workspace::root().join("Cargo.lock"),
            folder.join("Cargo.lock"),
        )
        .expect("the workspace is locked");
        let output = Command::new(env!("CARGO"))
            .args(["test", "--offline", "--test", "it"])
            .current_dir(&folder)
            .env(
                "CARGO_TARGET_DIR",
                workspace::target()
                    .expect("cargo knows it")
                    .join("external"),
            )
            .output()
            .expect("cargo runs");
        let (report, errors) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        let left = |module: &str| {
            LEFT.iter()
                .flat_map(|(_, left)| *left)
                .map(|name| format!("{module}::{name}"))
                .collect::<Vec<_>>()
        };
        let left: BTreeSet<_> = ["direct", "dynamic"]
            .iter()
            .flat_map(|module| left(module))
            .collect();
        assert_eq!(tests_that("FAILED", &report), left, "{report}{errors}");
        assert!(!errors.contains("warning"), "{errors}");
        assert_eq!(tests_that("ok", &report).len() + left.len(), 48, "{report}");
        for message in [
            "`body` is not written yet",
            "`resources` is not written yet",
            "`changed` is not written yet",
        ] {
            assert!(report.contains(message), "{message}: {report}");
        }
    }
}

#[test]
fn a_workspace_source_inherits_package_fields() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path().join("source-git");
    write("git", &folder, true).expect("the template can be written");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("it was written");
    assert!(
        manifest.starts_with("[package]\nname = \"repertoire-source-git\"\n"),
        "{manifest}"
    );
    assert!(
        manifest.ends_with("[lints]\nworkspace = true\n"),
        "{manifest}"
    );
    let again = write("git", &folder, true)
        .expect_err("nothing is written over")
        .to_string();
    assert_eq!(again, format!("`{}` is there already", folder.display()));
}

#[test]
fn a_name_is_valid_in_packages_and_types() {
    for name in ["git", "s3", "two-words"] {
        assert!(check_name(name).is_ok(), "{name}");
    }
    for name in ["", "Git", "-a", "a-", "a--b", "a_b", "3s", "größe", "a/b"] {
        assert!(check_name(name).is_err(), "{name}");
    }
    let template = "repertoire_source_acme::AcmeSource, acme";
    assert_eq!(
        named(template, "two-words"),
        "repertoire_source_two_words::TwoWordsSource, two-words"
    );
}
