//! `cargo xtask dist --check`: what was built, installed into empty environments and used.

use std::fs;
use std::path::Path;
use std::process::Command;

use object::elf::FileHeader64;
use object::read::elf::{FileHeader, SectionHeader};
use object::{Endianness, elf};

use super::{GLIBC, Release, container};
use crate::plugin::{self, Profile};
use crate::{Failure, step, venv};

/// Checks the files of `target/dist` as a user meets them.
///
/// # Errors
/// Fails when a file is missing, differs from its checksum, or does not do what it is for.
pub(crate) fn check() -> Result<(), Failure> {
    let release = Release::of_workspace()?;
    let step =
        |heading: &str, work: &dyn Fn() -> Result<(), Failure>| step::step(heading, "cargo xtask dist --check", work);
    step("tools", &|| release.install_tools())?;
    step("checksums", &|| {
        venv::call(Command::new("sha256sum").args(["--check", "--quiet", "SHA256SUMS"]).current_dir(&release.folder))
    })?;
    if release.is_linux() {
        step("glibc", &|| needs_old_glibc(&release.program()))?;
    }
    let library = plugin::library("hello", Profile::Release)?;
    step("archive", &|| {
        let folder = tempfile::tempdir()?;
        let archive = release.file(".tar.gz")?;
        venv::call(Command::new("tar").arg("-xzf").arg(archive).current_dir(folder.path()))?;
        uses(&folder.path().join(release.stem()).join("repertoire"), &library)
    })?;
    step("wheel", &|| {
        let folder = tempfile::tempdir()?;
        venv::call(Command::new("python3").args(["-m", "venv"]).arg(folder.path()))?;
        let mut pip = Command::new(folder.path().join("bin/pip"));
        pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-index"]);
        venv::call(pip.arg(release.file(".whl")?))?;
        uses(&folder.path().join("bin/repertoire"), &library)
    })?;
    step("npm package", &|| {
        let folder = tempfile::tempdir()?;
        let mut npm = release.tool("npm")?;
        npm.args(["install", "--silent", "--offline", "--no-audit", "--no-fund", "--prefix"]);
        venv::call(npm.arg(folder.path()).arg(release.file(".tgz")?))?;
        uses(&folder.path().join("node_modules/.bin/repertoire"), &library)
    })?;
    container::check(&release)
}

/// Lists a folder of skills, and the skills of a plugin, with the installed program.
fn uses(program: &Path, library: &Path) -> Result<(), Failure> {
    let world = tempfile::tempdir()?;
    let skill = world.path().join("skills/tidy/SKILL.md");
    fs::create_dir_all(skill.parent().expect("a skill lies in a folder"))?;
    fs::write(skill, "---\nname: tidy\ndescription: Sorts a folder.\n---\n\nSort it.\n")?;
    let library = library.to_str().ok_or("the target folder is not UTF-8")?;
    let pinned = format!(
        "[[source]]\nkind = \"plugin\"\nname = \"hello\"\npath = '{library}'\ndigest = \"{}\"\n",
        plugin::digest(Path::new(library))?
    );
    fs::write(world.path().join("plugin.toml"), pinned)?;
    prints(program, world.path(), &["list", "skills"], "tidy")?;
    prints(program, world.path(), &["list", "--config", "plugin.toml", "--no-defaults"], "greet-")
}

/// Runs `program` in `folder`, where it has to succeed and print `wanted`.
pub(super) fn prints(program: &Path, folder: &Path, arguments: &[&str], wanted: &str) -> Result<(), Failure> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env("HOME", folder);
    let output = command.output().map_err(|error| format!("`{}` did not start: {error}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && text.contains(wanted) {
        return Ok(());
    }
    let (program, line) = (program.display(), arguments.join(" "));
    Err(format!(
        "`{program} {line}`: expected `{wanted}`, got {}:\n{text}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
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
        let Some((mut needs, linked)) = section.gnu_verneed(endian, &*bytes)? else { continue };
        let strings = sections.strings(endian, &*bytes, linked)?;
        while let Some((_, mut versions)) = needs.next()? {
            while let Some(version) = versions.next()? {
                let name = String::from_utf8_lossy(version.name(endian, strings)?).into_owned();
                let numbers = name.strip_prefix("GLIBC_").and_then(|numbers| numbers.split_once('.'));
                let Some((major, minor)) = numbers else { continue };
                let minor = minor.split('.').next().unwrap_or(minor);
                newest = newest.max((major.parse()?, minor.parse()?));
            }
        }
    }
    eprintln!("the newest glibc that it needs is {}.{}", newest.0, newest.1);
    if newest == (0, 0) || newest > GLIBC {
        return Err(format!("`{}` must run on glibc {}.{}", program.display(), GLIBC.0, GLIBC.1).into());
    }
    // A fully static program could not load a plugin.
    let is_dynamic =
        header.program_headers(endian, &*bytes)?.iter().any(|part| part.p_type.get(endian) == elf::PT_INTERP);
    if is_dynamic { Ok(()) } else { Err(format!("`{}` is not linked dynamically", program.display()).into()) }
}
