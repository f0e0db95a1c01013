//! Projects that the tool `skills` and the command line install skills into.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::write;
use crate::Failure;

/// Projects in a home folder, and the programs that run in them.
pub(super) struct Projects {
    home: PathBuf,
    scratch: PathBuf,
    program: PathBuf,
}

impl Projects {
    /// Creates projects of a home folder. `scratch` has the tool, `program` is the command line.
    pub(super) fn new(home: &Path, scratch: &Path, program: &Path) -> Projects {
        Projects {
            home: home.to_owned(),
            scratch: scratch.to_owned(),
            program: program.to_owned(),
        }
    }

    /// Creates a repository with these files, packed as a server has it, and returns its URL.
    pub(super) fn publish<'a>(
        &self,
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<String, Failure> {
        let repository = self.home.join("skills.git");
        for (path, text) in files {
            write(&repository.join(path), text)?;
        }
        for line in [
            "init --quiet --initial-branch main",
            "add .",
            "-c user.name=A -c user.email=a@example.com commit --quiet --message first",
            "gc --quiet",
        ] {
            let arguments: Vec<_> = line.split(' ').collect();
            succeeded(self.run("git".as_ref(), &repository, &arguments)?)?;
        }
        Ok(format!("file://{}", repository.display()))
    }

    /// Returns the folder of a project.
    pub(super) fn folder(&self, name: &str) -> PathBuf {
        self.home.join(name)
    }

    /// Runs the tool in a project.
    pub(super) fn tool(&self, project: &Path, arguments: &[&str]) -> Result<(), Failure> {
        let script = self.scratch.join("node_modules/skills/bin/cli.mjs");
        let script = script.to_string_lossy();
        let arguments = [&[&*script][..], arguments].concat();
        let node = self.scratch.join("venv/bin/node");
        succeeded(self.run(&node, project, &arguments)?).map(drop)
    }

    /// Runs the tool in a project by `npx`, as people do.
    pub(super) fn npx(&self, project: &Path, arguments: &[&str]) -> Result<(), Failure> {
        let prefix = self.scratch.to_string_lossy();
        let arguments = [
            &["--prefix", &*prefix, "--no-install", "skills"][..],
            arguments,
        ]
        .concat();
        let npx = self.scratch.join("venv/bin/npx");
        succeeded(self.run(&npx, project, &arguments)?).map(drop)
    }

    /// Runs the command line in a project, and returns what it prints.
    pub(super) fn program(&self, project: &Path, arguments: &[&str]) -> Result<String, Failure> {
        succeeded(self.try_program(project, arguments)?)
    }

    /// Runs the command line in a project, also if it may fail.
    pub(super) fn try_program(
        &self,
        project: &Path,
        arguments: &[&str],
    ) -> Result<Output, Failure> {
        self.run(&self.program, project, arguments)
    }

    fn run(&self, program: &Path, folder: &Path, arguments: &[&str]) -> Result<Output, Failure> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let own = self.scratch.join("venv/bin");
        let path = std::env::join_paths([own].into_iter().chain(std::env::split_paths(&path)))?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder).env_clear();
        command
            .env("HOME", &self.home)
            .env("PATH", path)
            // Both programs fetch into the file system that they install to.
            .env("TMPDIR", &self.home)
            .env("DISABLE_TELEMETRY", "1");
        let output = command.output();
        output.map_err(|error| format!("`{}` did not start: {error}", program.display()).into())
    }
}

/// Returns what a command printed.
fn succeeded(output: Output) -> Result<String, Failure> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.success() {
        true => Ok(text),
        false => {
            let message = String::from_utf8_lossy(&output.stderr);
            Err(format!("{}: {text}{message}", output.status).into())
        }
    }
}
