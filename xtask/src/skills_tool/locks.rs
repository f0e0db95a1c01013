//! The lock file that the tool `skills` and the command line both write.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::write;
use crate::Failure;
use crate::binary::Profile;

const LOCK: &str = "skills-lock.json";

/// A home with two projects that install the same skills: a folder, and a repository.
struct Projects {
    home: PathBuf,
    scratch: PathBuf,
    program: PathBuf,
}

/// Verifies and locks what the tool installed, and compares the lock that `add` writes with that of the tool.
pub(super) fn check(scratch: &Path) -> Result<(), Failure> {
    let home = tempfile::tempdir()?;
    let projects = Projects {
        home: home.path().canonicalize()?,
        scratch: scratch.to_owned(),
        program: Profile::Debug.command_line()?,
    };
    let repository = projects.publish()?;

    let by_tool = projects.folder("by-tool")?;
    for source in ["./shared", &repository] {
        projects.tool(&by_tool, &["add", source, "--yes"])?;
    }
    let installed = fs::read_to_string(by_tool.join(LOCK))?;
    projects.matches(&by_tool, "2 skills match skills-lock.json\n")?;
    projects.program(&by_tool, &["lock"])?;
    let both = "2 skills match repertoire.lock.json and skills-lock.json\n";
    projects.matches(&by_tool, both)?;
    if fs::read_to_string(by_tool.join(LOCK))? != installed {
        return Err("`lock` changed the rows of the tool".into());
    }
    write(&by_tool.join(".agents/skills/tidy/scripts/run.sh"), "rm\n")?;
    let changed = projects.run(&projects.program, &by_tool, &["verify"])?;
    let text = String::from_utf8_lossy(&changed.stdout);
    if changed.status.success() || !text.contains("changed  tidy  (skills-lock.json)") {
        return Err(format!("`verify` overlooked a changed file: {text}").into());
    }

    let by_program = projects.folder("by-program")?;
    let add = ["add", "./shared", &repository, "--yes", "--also-lock", LOCK];
    projects.program(&by_program, &add)?;
    let written = fs::read_to_string(by_program.join(LOCK))?;
    if written != installed {
        return Err(format!("the tool writes {installed}`add` writes {written}").into());
    }
    fs::remove_dir_all(by_program.join(".agents"))?;
    projects.tool(&by_program, &["experimental_install"])?;
    projects.matches(&by_program, both)?;
    println!("2 skills of the tool `skills` verified and locked; its lock round-trips");
    Ok(())
}

impl Projects {
    /// Creates the repository and returns its URL.
    fn publish(&self) -> Result<String, Failure> {
        let repository = self.home.join("skills.git");
        let text = "---\nname: notes\ndescription: Takes notes.\n---\nNote.\n";
        write(&repository.join("skills/notes/SKILL.md"), text)?;
        for line in [
            "init --quiet --initial-branch main",
            "add .",
            "-c user.name=A -c user.email=a@example.com commit --quiet --message first",
        ] {
            let arguments: Vec<_> = line.split(' ').collect();
            succeeded(self.run("git".as_ref(), &repository, &arguments)?)?;
        }
        Ok(format!("file://{}", repository.display()))
    }

    /// Creates a project beside the folder of a skill.
    fn folder(&self, name: &str) -> Result<PathBuf, Failure> {
        let project = self.home.join(name);
        let skill = project.join("shared/tidy");
        let text = "---\nname: tidy\ndescription: Sorts.\n---\nSort.\n";
        write(&skill.join("SKILL.md"), text)?;
        write(&skill.join("scripts/run.sh"), "#!/bin/sh\nls\n")?;
        Ok(project)
    }

    fn tool(&self, project: &Path, arguments: &[&str]) -> Result<(), Failure> {
        let script = self.scratch.join("node_modules/skills/bin/cli.mjs");
        let script = script.to_string_lossy();
        let arguments = [&[&*script][..], arguments].concat();
        let node = self.scratch.join("venv/bin/node");
        succeeded(self.run(&node, project, &arguments)?).map(drop)
    }

    fn program(&self, project: &Path, arguments: &[&str]) -> Result<String, Failure> {
        succeeded(self.run(&self.program, project, arguments)?)
    }

    fn matches(&self, project: &Path, expected: &str) -> Result<(), Failure> {
        let found = self.program(project, &["verify"])?;
        match found == expected {
            true => Ok(()),
            false => Err(format!("expected `{expected}`, found `{found}`").into()),
        }
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
