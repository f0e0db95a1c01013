//! Packages outside the workspace, built as their authors would.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A package, and the target folder of the workspace.
///
/// In the same folder, nothing is compiled that the tests compiled with the same features.
pub(super) struct Package {
    pub(super) folder: PathBuf,
    target: PathBuf,
}

impl Package {
    /// The package `name` of the checkout.
    pub(super) fn of_checkout(name: &str) -> Package {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
        let package = Package {
            folder: checkout().join("tests/external").join(name),
            target: target.expect("it is in the target folder").to_owned(),
        };
        // The versions that the workspace was built with are the ones that are there without a network.
        fs::copy(
            checkout().join("Cargo.lock"),
            package.folder.join("Cargo.lock"),
        )
        .expect("the workspace is locked");
        package
    }

    /// A copy of it that may be changed.
    fn copied(name: &str) -> Package {
        let original = Package::of_checkout(name);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).expect("files of the build can be read and written");
        }
        copy(&original.folder, &folder);
        let package = Package { folder, ..original };
        let manifest = fs::read_to_string(package.folder.join("Cargo.toml"))
            .expect("files of the build can be read and written");
        // Slashes mean the same everywhere, and backslashes would be escapes in TOML.
        let crates = checkout()
            .join("crates")
            .display()
            .to_string()
            .replace('\\', "/");
        package.write("Cargo.toml", &manifest.replace("../../../crates", &crates));
        package
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().expect("the path has a file name"))
            .expect("files of the build can be read and written");
        fs::write(path, text).expect("files of the build can be read and written");
    }

    /// Returns the command that builds it.
    pub(super) fn cargo(&self) -> Command {
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(["build", "--quiet", "--offline", "--target-dir"])
            .arg(&self.target)
            .current_dir(&self.folder);
        cargo
    }

    fn build(&self) -> Output {
        self.cargo().output().expect("cargo runs")
    }

    /// Builds the program `name` again and returns its output.
    fn run(&self, name: &str) -> String {
        let built = self.build();
        assert!(
            built.status.success(),
            "{}",
            String::from_utf8_lossy(&built.stderr)
        );
        let program = self
            .target
            .join("debug")
            .join(name)
            .with_extension(std::env::consts::EXE_EXTENSION);
        let output = Command::new(program).output().expect("it was built");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).expect("it prints UTF-8")
    }
}

fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("crates lie in a folder of the checkout")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("files of the build can be read and written");
    for entry in fs::read_dir(from).expect("files of the build can be read and written") {
        let entry = entry.expect("files of the build can be read and written");
        let to = to.join(entry.file_name());
        if entry
            .file_type()
            .expect("files of the build can be read and written")
            .is_dir()
        {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("files of the build can be read and written");
        }
    }
}

#[test]
fn a_changed_skill_folder_rebuilds_the_program() {
    let package = Package::copied("embedded");
    let first = "tidy-up: Sorts a folder.\nSort it.\nreferences/order.md says By date.\n";
    assert_eq!(package.run("embedded-skills"), first);

    // Added.
    package.write(
        "skills/greet/SKILL.md",
        "---\nname: greet\ndescription: Greets.\n---\nSay hello.\n",
    );
    assert_eq!(
        package.run("embedded-skills"),
        format!("greet: Greets.\nSay hello.\n{first}")
    );
    package.write("skills/greet/names.txt", "Ann\n");
    assert_eq!(
        package.run("embedded-skills"),
        format!("greet: Greets.\nSay hello.\nnames.txt says Ann\n{first}")
    );

    // Edited.
    package.write(
        "skills/greet/SKILL.md",
        "---\nname: greet\ndescription: Greets people.\n---\nSay hello.\n",
    );
    package.write("skills/greet/names.txt", "Bob\n");
    let edited = format!("greet: Greets people.\nSay hello.\nnames.txt says Bob\n{first}");
    assert_eq!(package.run("embedded-skills"), edited);

    // Malformed.
    package.write(
        "skills/greet/SKILL.md",
        "---\nname: greet\ndescription: Greets: all.\n---\n\n",
    );
    let failed = package.build();
    assert!(!failed.status.success());
    let messages = String::from_utf8(failed.stderr).unwrap();
    let messages = messages.replace('\\', "/");
    for expected in [
        "error: skills/greet/SKILL.md:3:20: invalid YAML in `description`: ",
        "help: quote this value: `description: \"Greets: all.\"`",
        "error: skills/greet/SKILL.md:6:1: there are no instructions",
        "--> src/main.rs:9:",
    ] {
        assert!(
            messages.contains(expected),
            "`{expected}` is not in:\n{messages}"
        );
    }

    // Removed.
    fs::remove_dir_all(package.folder.join("skills/greet")).unwrap();
    assert_eq!(package.run("embedded-skills"), first);
}

#[test]
fn a_program_collects_from_linked_crates_only() {
    let package = Package::of_checkout("collected");
    assert_eq!(package.run("linked"), "answer\ntriage\n");
    assert_eq!(package.run("unlinked"), "");
}
