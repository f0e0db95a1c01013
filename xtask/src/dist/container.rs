//! The container file, carried out step by step in a root that debootstrap makes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Release, shown};
use crate::{Failure, step, venv, workspace};

const FILE: &str = "packaging/Containerfile";

/// Carries out the steps of the container file under `chroot`, and runs what a container would run.
///
/// # Errors
/// Fails at a step that fails, or that it does not know. Skips, loudly, where it cannot make a root.
pub(super) fn check(release: &Release) -> Result<(), Failure> {
    if !rustix::process::geteuid().is_root() || !step::succeeds("debootstrap --version") {
        step::skipped("container", "it needs root and `debootstrap`");
        return Ok(());
    }
    step::step("container", "cargo xtask dist --check", || {
        let made = tempfile::tempdir()?;
        let mut container =
            Container { root: made.path().join("root"), folder: "/".into(), user: None, entry: Vec::new() };
        for line in fs::read_to_string(workspace::root().join(FILE))?.lines() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                container.carry_out(line, release)?;
            }
        }
        Ok(())
    })
}

/// The state that the steps so far have led to.
struct Container {
    root: PathBuf,
    folder: String,
    user: Option<String>,
    entry: Vec<String>,
}

impl Container {
    fn carry_out(&mut self, line: &str, release: &Release) -> Result<(), Failure> {
        let (instruction, rest) = line.split_once(' ').ok_or_else(|| format!("`{FILE}`: `{line}` has no argument"))?;
        match instruction {
            "FROM" => {
                let suite =
                    rest.strip_prefix("debian:").and_then(|tag| tag.split('-').next()).ok_or("not from debian")?;
                let mut debootstrap = Command::new("debootstrap");
                venv::call(
                    debootstrap.args(["--variant=minbase", suite]).arg(&self.root).stdout(std::process::Stdio::null()),
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
                let skill = self.root.join("skills/tidy/SKILL.md");
                fs::create_dir_all(skill.parent().unwrap_or(Path::new("/")))?;
                fs::write(skill, "---\nname: tidy\ndescription: Sorts a folder.\n---\n\nSort it.\n")?;
                let arguments: Vec<String> = serde_json::from_str(rest)?;
                let output = self.chroot().args(&self.entry).args(&arguments).output()?;
                let text = String::from_utf8_lossy(&output.stdout);
                if output.status.success() && text.contains("tidy") {
                    return Ok(());
                }
                Err(format!("the container printed: {text}{}", String::from_utf8_lossy(&output.stderr)).into())
            }
            other => Err(format!("`{FILE}`: `{other}` is not a step that this check can carry out").into()),
        }
    }

    /// A command that runs in the container's root, as its user.
    fn chroot(&self) -> Command {
        let mut command = Command::new("chroot");
        command.args(self.user.iter().map(|user| format!("--userspec={user}")));
        command.arg(&self.root).args(["env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"]);
        command.arg(format!("--chdir={}", self.folder));
        command
    }
}
