//! The plugins of this workspace, built; and `cargo xtask dist-plugin NAME`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use repertoire::skill::Digest;
use repertoire::source::plugin::Inspection;

use crate::binary::Profile;
use crate::{Failure, workspace};

/// Builds a release library, and puts it with its digest into `target/dist`.
pub(crate) fn dist(name: &str) -> Result<(), Failure> {
    let built = library(name, Profile::Release)?;
    let folder = workspace::target()?.join("dist");
    fs::create_dir_all(&folder)?;
    let file = folder.join(built.file_name().ok_or("a library has a name")?);
    fs::copy(&built, &file)?;
    // The copy is inspected, because users receive the copy.
    let Inspection {
        name,
        version,
        digest,
        size,
        ..
    } = Inspection::read(&file)?;
    let digits = digest.to_string();
    let digits = digits.trim_start_matches("sha256:");
    let shown = file.file_name().unwrap_or_default().to_string_lossy();
    fs::write(
        folder.join(format!("{shown}.sha256")),
        format!("{digits}  {shown}\n"),
    )?;
    println!(
        "{}\n{name} {version}, {size} bytes\ndigest = \"{digest}\"",
        file.display()
    );
    Ok(())
}

/// The library of the plugin `name`, a folder of `plugins`.
pub(crate) fn library(name: &str, profile: Profile) -> Result<PathBuf, Failure> {
    let folder = workspace::root().join("plugins").join(name);
    if !folder.is_dir() {
        return Err(format!("there is no plugin `{name}` in `plugins`").into());
    }
    let word = name.replace('-', "_");
    let library = format!(
        "{}{word}{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    if folder.join("Cargo.toml").is_file() {
        let built = profile.build(&format!("repertoire-plugin-{name}"), "--lib")?;
        return Ok(built.join(library));
    }
    let target = profile.folder()?;
    fs::create_dir_all(&target)?;
    let library = target.join(library);
    let file = folder.join(format!("{}.c", name.trim_end_matches("-c")));
    compile(&file, &library, profile)?;
    Ok(library)
}

/// The program that runs plugins alone.
pub(crate) fn runner(profile: Profile) -> Result<PathBuf, Failure> {
    let name = "repertoire-plugin-host";
    let folder = profile.build("repertoire-source-plugin", &format!("--bin {name}"))?;
    Ok(folder.join(name))
}

/// Returns the digest that pins `file` in a configuration.
pub(crate) fn digest(file: &Path) -> Result<Digest, Failure> {
    Ok(Digest::of(&fs::read(file)?))
}

fn compile(file: &Path, to: &Path, profile: Profile) -> Result<(), Failure> {
    let mut command = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    command.args([
        "-shared",
        "-fPIC",
        if profile == Profile::Release {
            "-O2"
        } else {
            "-O0"
        },
        "-I",
    ]);
    command
        .arg(workspace::root().join("crates/plugin-sdk/include"))
        .arg("-o")
        .arg(to)
        .arg(file);
    let output = command
        .output()
        .map_err(|error| format!("{command:?} did not start: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{command:?} failed: {}",
        String::from_utf8_lossy(&output.stderr)
    )
    .into())
}

#[cfg(test)]
mod slow {
    use super::*;

    #[test]
    fn every_plugin_builds_a_valid_library() {
        for entry in fs::read_dir(workspace::root().join("plugins")).expect("there are plugins") {
            let name = entry
                .expect("folders can be read")
                .file_name()
                .into_string()
                .expect("plain names");
            let library = library(&name, Profile::Debug).expect("every plugin builds");
            let Inspection { name: claimed, .. } =
                Inspection::read(&library).expect("it is a plugin");
            assert_eq!(claimed.trim_start_matches("repertoire-plugin-"), name);
        }
        assert!(library("none", Profile::Debug).is_err());
    }
}
