//! The steps of the container file, run in a root that debootstrap creates.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

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
            stages: Vec::new(),
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
    /// The names of the stages so far. Each one continues the one before.
    stages: Vec<String>,
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
                let (image, stage) = rest.split_once(" AS ").ok_or("a stage has no name")?;
                self.stages.push(stage.to_owned());
                if self
                    .stages
                    .iter()
                    .rev()
                    .nth(1)
                    .is_some_and(|last| last == image)
                {
                    return Ok(());
                }
                let suite = image
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
            // It documents a port.
            "EXPOSE" => Ok(()),
            "WORKDIR" => {
                self.folder = rest.to_owned();
                Ok(())
            }
            "ENTRYPOINT" => {
                self.entry = serde_json::from_str(rest)?;
                Ok(())
            }
            "CMD" => {
                let arguments: Vec<String> = serde_json::from_str(rest)?;
                let mut command = self.chroot();
                command.args(&self.entry).args(&arguments);
                if arguments.first().is_some_and(|first| first == "gateway") {
                    return self.run_gateway(command);
                }
                write_skill(&self.root.join("skills"))?;
                prints(&mut command, "tidy")
            }
            other => Err(
                format!("`{FILE}`: `{other}` is a step that this check does not support").into(),
            ),
        }
    }

    /// Runs the gateway of a project until it is ready, and stops it.
    fn run_gateway(&self, mut command: Command) -> Result<(), Failure> {
        let project = self.root.join("project");
        fs::write(project.join("repertoire.toml"), "")?;
        write_skill(&project.join("skills"))?;
        let mut child = command.stderr(Stdio::piped()).spawn()?;
        let stderr = child
            .stderr
            .take()
            .ok_or("the gateway has no standard error")?;
        let mut log = String::new();
        let ready = "note: the gateway runs: 1 skill,";
        for line in BufReader::new(stderr).lines() {
            log.push_str(&line?);
            log.push('\n');
            if log.contains(ready) {
                break;
            }
        }
        let mut stop = self.chroot();
        stop.args(&self.entry)
            .args(["gateway", "stop", "--state-dir", "/state"]);
        let stopped = prints(&mut stop, "no gateway runs");
        if stopped.is_err() {
            let _ = child.kill();
        }
        let status = child.wait()?;
        if log.contains(ready) && stopped.is_ok() && status.success() {
            Ok(())
        } else {
            Err(format!("the gateway ended with {status}:\n{log}").into())
        }
    }

    /// Returns a command that runs in the container's root, as its user.
    fn chroot(&self) -> Command {
        let mut command = Command::new("chroot");
        command.args(self.user.iter().map(|user| format!("--userspec={user}")));
        // `env` reads no option behind a variable.
        command.arg(&self.root).args(["env", "-i"]);
        command.arg(format!("--chdir={}", self.folder));
        command.args([
            "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "REPERTOIRE_TOKEN=0123456789abcdef0123456789abcdef",
        ]);
        command
    }
}
