//! `cargo xtask dist --check`: installs the built files into empty environments and uses them.

use std::fs;
use std::path::Path;
use std::process::Command;

use object::elf::FileHeader64;
use object::read::elf::{FileHeader, SectionHeader};
use object::{Endianness, elf};
use tempfile::TempDir;

use super::{GLIBC, Release, container};
use crate::binary::Profile;
use crate::plugin;
use crate::{Failure, step, venv, workspace};

/// Checks the files of `target/dist` as a user installs them.
///
/// # Errors
/// Fails when a file is missing, differs from its checksum, or does not work.
pub(crate) fn check() -> Result<(), Failure> {
    let release = Release::of_workspace()?;
    let step = |heading: &str, work: &dyn Fn() -> Result<(), Failure>| {
        step::step(heading, "cargo xtask dist --check", work)
    };
    step("tools", &|| release.install_tools())?;
    step("checksums", &|| {
        venv::call(
            Command::new("sha256sum")
                .args(["--check", "--quiet", "SHA256SUMS"])
                .current_dir(&release.folder),
        )
    })?;
    if release.is_linux() {
        step("glibc", &|| needs_old_glibc(&release.program()))?;
    }
    let library = plugin::library("hello", Profile::Release)?;
    step("archive", &|| {
        let folder = tempfile::tempdir()?;
        let archive = release.file(".tar.gz")?;
        venv::call(
            Command::new("tar")
                .arg("-xzf")
                .arg(archive)
                .current_dir(folder.path()),
        )?;
        uses(
            &folder.path().join(release.stem()).join("repertoire"),
            &library,
        )
    })?;
    step("wheel", &|| {
        let folder = tempfile::tempdir()?;
        venv::call(
            Command::new("python3")
                .args(["-m", "venv"])
                .arg(folder.path()),
        )?;
        let mut pip = Command::new(folder.path().join("bin/pip"));
        pip.args([
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-index",
        ]);
        venv::call(pip.arg(release.file(".whl")?))?;
        uses(&folder.path().join("bin/repertoire"), &library)
    })?;
    step("npm package", &|| {
        let folder = tempfile::tempdir()?;
        let mut npm = release.tool("npm")?;
        npm.args([
            "install",
            "--silent",
            "--offline",
            "--no-audit",
            "--no-fund",
            "--prefix",
        ]);
        venv::call(npm.arg(folder.path()).arg(release.file(".tgz")?))?;
        uses(
            &folder.path().join("node_modules/.bin/repertoire"),
            &library,
        )
    })?;
    step("pre-commit hook", &|| runs_hook(&release))?;
    container::check(&release)
}

/// Runs the hook as pre-commit would, with the built wheel in the place of the released one.
fn runs_hook(release: &Release) -> Result<(), Failure> {
    let root = workspace::root();
    let installed = root.join("target/released");
    if installed.is_dir() {
        fs::remove_dir_all(&installed)?;
    }
    let repository = skills()?;
    let mut hook = Command::new(root.join(".ci/pre-commit"));
    hook.args(["check", "skills/tidy/SKILL.md"])
        .env("PIP_NO_INDEX", "1")
        .env("PIP_FIND_LINKS", &release.folder);
    prints(hook.current_dir(repository.path()), "1 skill")
}

/// Lists a folder of skills, and the skills of a plugin, with the installed program.
fn uses(program: &Path, library: &Path) -> Result<(), Failure> {
    let folder = skills()?;
    let library = library.to_str().ok_or("the target folder is not UTF-8")?;
    let pinned = format!(
        "[[source]]\nkind = \"plugin\"\nname = \"hello\"\npath = '{library}'\ndigest = \"{}\"\noptions = {{ people = [\"Ann\"] }}\n",
        plugin::digest(Path::new(library))?
    );
    fs::write(folder.path().join("plugin.toml"), pinned)?;
    let command = |arguments: &[&str]| {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(folder.path())
            .env("HOME", folder.path());
        command
    };
    prints(&mut command(&["list", "skills"]), "tidy")?;
    prints(
        &mut command(&[
            "list",
            "--connect",
            "--config",
            "plugin.toml",
            "--no-defaults",
        ]),
        "greet-",
    )
}

/// Creates a folder that holds the skill `tidy`.
fn skills() -> Result<TempDir, Failure> {
    let folder = tempfile::tempdir()?;
    write_skill(&folder.path().join("skills"))?;
    Ok(folder)
}

/// Writes the skill `tidy` into `folder`.
pub(super) fn write_skill(folder: &Path) -> Result<(), Failure> {
    let skill = folder.join("tidy");
    fs::create_dir_all(&skill)?;
    Ok(fs::write(
        skill.join("SKILL.md"),
        "---\nname: tidy\ndescription: Sorts a folder.\n---\n\nSort it.\n",
    )?)
}

/// Runs `command`, which must succeed and print `wanted`.
pub(super) fn prints(command: &mut Command, wanted: &str) -> Result<(), Failure> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?} did not start: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && text.contains(wanted) {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!(
        "{command:?}: expected `{wanted}`, got {}:\n{text}{stderr}",
        output.status
    )
    .into())
}

/// Fails if `program` needs a symbol of a newer glibc than released programs may.
fn needs_old_glibc(program: &Path) -> Result<(), Failure> {
    let bytes = fs::read(program)?;
    let header = FileHeader64::<Endianness>::parse(&*bytes)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, &*bytes)?;
    let mut newest = (0, 0);
    for section in sections.iter() {
        let Some((mut needs, linked)) = section.gnu_verneed(endian, &*bytes)? else {
            continue;
        };
        let strings = sections.strings(endian, &*bytes, linked)?;
        while let Some((_, mut versions)) = needs.next()? {
            while let Some(version) = versions.next()? {
                let name = String::from_utf8_lossy(version.name(endian, strings)?).into_owned();
                let numbers = name
                    .strip_prefix("GLIBC_")
                    .and_then(|numbers| numbers.split_once('.'));
                let Some((major, minor)) = numbers else {
                    continue;
                };
                let minor = minor.split('.').next().unwrap_or(minor);
                newest = newest.max((major.parse()?, minor.parse()?));
            }
        }
    }
    eprintln!(
        "the newest glibc that it needs is {}.{}",
        newest.0, newest.1
    );
    if newest == (0, 0) || newest > GLIBC {
        return Err(format!(
            "`{}` must run on glibc {}.{}",
            program.display(),
            GLIBC.0,
            GLIBC.1
        )
        .into());
    }
    // A fully static program could not load a plugin.
    let is_dynamic = header
        .program_headers(endian, &*bytes)?
        .iter()
        .any(|part| part.p_type.get(endian) == elf::PT_INTERP);
    if is_dynamic {
        Ok(())
    } else {
        Err(format!("`{}` is not linked dynamically", program.display()).into())
    }
}
