//! `cargo xtask dist [--check]`: everything that a release carries.

mod archive;
mod check;
mod container;
mod npm;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use repertoire::skill::Digest;

use crate::{Failure, step, venv, workspace};

pub(crate) use check::check;

/// The oldest glibc that a released program runs on.
const GLIBC: (u32, u32) = (2, 28);

/// The folders and names of one release.
struct Release {
    version: String,
    /// The target triple of this machine, without a version of glibc.
    triple: String,
    /// The folder that contains exactly the released files.
    folder: PathBuf,
    /// The tools that build it, installed from PyPI and crates.io.
    tools: PathBuf,
}

/// Builds the program, the archive, the wheel, the npm package and the bill of materials into `target/dist`.
///
/// # Errors
/// Fails at the first step that fails, and names the command that repeats it.
pub(crate) fn run() -> Result<(), Failure> {
    let release = Release::of_workspace()?;
    if release.folder.is_dir() {
        fs::remove_dir_all(&release.folder)?;
    }
    fs::create_dir_all(&release.folder)?;
    let step = |heading: &str, work: &dyn Fn() -> Result<(), Failure>| {
        step::step(heading, "cargo xtask dist", work)
    };
    step("tools", &|| release.install_tools())?;
    step("program and wheel", &|| release.build())?;
    step("archive", &|| archive::write(&release))?;
    step("npm package", &|| npm::pack(&release))?;
    step("bill of materials", &|| release.list_materials())?;
    step("checksums", &|| release.write_checksums())?;
    for file in release.files()? {
        println!("{}", file.display());
    }
    Ok(())
}

impl Release {
    fn of_workspace() -> Result<Release, Failure> {
        let target = workspace::target()?;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let release = Release {
            version,
            triple: host()?,
            folder: target.join("dist"),
            tools: target.join("dist-tools"),
        };
        Ok(release)
    }

    /// The program, as users get it.
    fn program(&self) -> PathBuf {
        self.folder
            .join(format!("repertoire{}", std::env::consts::EXE_SUFFIX))
    }

    /// The name of every file of the release begins like this.
    fn stem(&self) -> String {
        format!("repertoire-{}-{}", self.version, self.triple)
    }

    fn is_linux(&self) -> bool {
        self.triple.contains("linux")
    }

    fn install_tools(&self) -> Result<(), Failure> {
        fs::create_dir_all(&self.tools)?;
        venv::venv(
            &self.tools,
            &workspace::root().join("packaging/requirements.txt"),
        )?;
        if !self.tools.join("bin/cargo-cyclonedx").is_file() {
            let mut install = Command::new("cargo");
            install.args([
                "install",
                "--quiet",
                "--locked",
                "--version",
                "0.5.9",
                "cargo-cyclonedx",
                "--root",
            ]);
            venv::call(install.arg(&self.tools))?;
        }
        Ok(())
    }

    /// A command that finds the installed tools first.
    fn tool(&self, program: &str) -> Result<Command, Failure> {
        let own = [self.tools.join("venv/bin"), self.tools.join("bin")];
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&path)))?;
        let mut command = Command::new(program);
        command.current_dir(workspace::root()).env("PATH", path);
        Ok(command)
    }

    /// Builds the wheel, and copies the program that is in it.
    ///
    /// maturin contains cargo-zigbuild, so one build gives every package the same program.
    fn build(&self) -> Result<(), Failure> {
        let mut maturin = self.tool("maturin")?;
        maturin
            .args([
                "build",
                "--release",
                "--locked",
                "--target",
                &self.triple,
                "--out",
            ])
            .arg(&self.folder);
        if self.is_linux() {
            let (major, minor) = GLIBC;
            maturin.args([
                "--zig",
                "--compatibility",
                &format!("manylinux_{major}_{minor}"),
            ]);
        }
        venv::call(maturin.current_dir(workspace::root().join("packaging/pypi")))?;
        let program = self.program();
        fs::copy(
            workspace::target()?
                .join(&self.triple)
                .join("release")
                .join(shown(&program)),
            &program,
        )?;
        Ok(())
    }

    fn list_materials(&self) -> Result<(), Failure> {
        let mut sbom = self.tool("cargo")?;
        sbom.args([
            "cyclonedx",
            "--quiet",
            "--format",
            "json",
            "--target",
            &self.triple,
            "--manifest-path",
        ]);
        sbom.args([
            "crates/cli/Cargo.toml",
            "--override-filename",
            "repertoire.cdx",
        ]);
        venv::call(&mut sbom)?;
        // One is written beside each manifest of the workspace; a release carries the program's.
        for package in workspace::packages()? {
            let written = package.manifest_path.with_file_name("repertoire.cdx.json");
            if package.name == "repertoire-cli" {
                fs::copy(
                    &written,
                    self.folder
                        .join(format!("repertoire-{}.cdx.json", self.version)),
                )?;
            }
            if written.is_file() {
                fs::remove_file(written)?;
            }
        }
        Ok(())
    }

    /// Writes `SHA256SUMS`, as `sha256sum --check` reads it.
    fn write_checksums(&self) -> Result<(), Failure> {
        let mut text = String::new();
        for file in self.files()? {
            let digest = Digest::of(&fs::read(&file)?).to_string();
            text.push_str(&format!(
                "{}  {}\n",
                digest.trim_start_matches("sha256:"),
                shown(&file)
            ));
        }
        fs::write(self.folder.join("SHA256SUMS"), text)?;
        Ok(())
    }

    /// The released files, sorted by name.
    fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let entries: Result<Vec<_>, _> = fs::read_dir(&self.folder)?.collect();
        let mut files: Vec<_> = entries?
            .into_iter()
            .map(|entry| entry.path())
            .filter(|path| path.is_file())
            .collect();
        files.sort();
        Ok(files)
    }

    /// The only released file whose name ends in `end`.
    fn file(&self, end: &str) -> Result<PathBuf, Failure> {
        let files = self.files()?;
        let mut found = files.into_iter().filter(|file| shown(file).ends_with(end));
        match (found.next(), found.next()) {
            (Some(file), None) => Ok(file),
            _ => Err(format!(
                "expected one `*{end}` in `{}`; `cargo xtask dist` writes it",
                self.folder.display()
            )
            .into()),
        }
    }
}

fn shown(file: &Path) -> String {
    file.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The target triple of this machine's compiler.
fn host() -> Result<String, Failure> {
    let output = step::output("rustc --version --verbose")?;
    let text = String::from_utf8(output.stdout)?;
    let host = text
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .ok_or("`rustc` does not name its host")?;
    Ok(host.to_owned())
}
