//! The steps of the container file, run in a root that debootstrap creates.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::check::{prints, write_skill};
use super::{Release, shown};
use crate::{Failure, step, venv, workspace};

const FILE: &str = "packaging/Containerfile";

/// Runs the steps of the container file under `chroot`, and then its command.
///
/// # Errors
/// Fails if a step fails or is unknown. Skips the check with a message where it cannot create a root.
pub(super) fn check(release: &Release) -> Result<(), Failure> {
    if !rustix::process::geteuid().is_root() || !step::succeeds("debootstrap --version") {
        step::skipped("container", "root rights and `debootstrap` are needed");
        return Ok(());
    }
    step::step("container", "cargo xtask dist --check", || {
        let made = tempfile::tempdir()?;
        let mut container = Container {
            root: made.path().join("root"),
            folder: "/".into(),
            user: None,
            entry: Vec::new(),
        };
        for line in fs::read_to_string(workspace::root().join(FILE))?.lines() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                container.run_step(line, release)?;
            }
        }
        Ok(())
    })
}

/// The root and the settings after the steps so far.
struct Container {
    root: PathBuf,
    folder: String,
    user: Option<String>,
    entry: Vec<String>,
}

impl Container {
    fn run_step(&mut self, line: &str, release: &Release) -> Result<(), Failure> {
        let (instruction, rest) = line
            .split_once(' ')
            .ok_or_else(|| format!("`{FILE}`: `{line}` has no argument"))?;
        match instruction {
            "FROM" => {
                let suite = rest
                    .strip_prefix("debian:")
                    .and_then(|tag| tag.split('-').next())
                    .ok_or("not from debian")?;
                let mut debootstrap = Command::new("debootstrap");
                venv::call(
                    debootstrap
                        .args(["--variant=minbase", suite])
                        .arg(&self.root)
                        .stdout(std::process::Stdio::null()),
                )
            }
            "COPY" => {
                let (from, to) = rest.split_once(' ').ok_or("`COPY` needs two paths")?;
                let from = release.folder.join(from);
                fs::copy(&from, self.root.join(to.trim_start_matches('/')))
                    .map_err(|error| format!("`{}` cannot be copied: {error}", shown(&from)))?;
                Ok(())
            }
            "RUN" => venv::call(self.chroot().args(["sh", "-ec", rest])),
            "USER" => {
                self.user = Some(rest.to_owned());
                Ok(())
            }
            "WORKDIR" => {
                self.folder = rest.to_owned();
                Ok(())
            }
            "ENTRYPOINT" => {
                self.entry = serde_json::from_str(rest)?;
                Ok(())
            }
            "CMD" => {
                write_skill(&self.root.join("skills"))?;
                let arguments: Vec<String> = serde_json::from_str(rest)?;
                prints(self.chroot().args(&self.entry).args(&arguments), "tidy")
            }
            other => Err(
                format!("`{FILE}`: `{other}` is a step that this check does not support").into(),
            ),
        }
    }

    /// Returns a command that runs in the container's root, as its user.
    fn chroot(&self) -> Command {
        let mut command = Command::new("chroot");
        command.args(self.user.iter().map(|user| format!("--userspec={user}")));
        command.arg(&self.root).args([
            "env",
            "-i",
            "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        ]);
        command.arg(format!("--chdir={}", self.folder));
        command
    }
}
