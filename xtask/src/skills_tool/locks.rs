//! The lock file that the tool `skills` and the command line both write.

use std::fs;
use std::path::{Path, PathBuf};

use super::projects::Projects;
use super::write;
use crate::Failure;

const LOCK: &str = "skills-lock.json";

/// Verifies and locks what the tool installed, and compares the lock that `add` writes with that of the tool.
///
/// The projects install a folder and a repository.
pub(super) fn check(scratch: &Path, program: &Path) -> Result<(), Failure> {
    let home = tempfile::tempdir()?;
    let home = home.path().canonicalize()?;
    let projects = Projects::new(&home, scratch, program);
    let text = "---\nname: notes\ndescription: Takes notes.\n---\nNote.\n";
    let repository = projects.publish([("skills/notes/SKILL.md", text)])?;

    let by_tool = folder(&projects, "by-tool")?;
    for source in ["./shared", &repository] {
        projects.tool(&by_tool, &["add", source, "--yes"])?;
    }
    let installed = fs::read_to_string(by_tool.join(LOCK))?;
    matches(&projects, &by_tool, "2 skills match skills-lock.json\n")?;
    projects.program(&by_tool, &["lock"])?;
    let both = "2 skills match repertoire.lock.json and skills-lock.json\n";
    matches(&projects, &by_tool, both)?;
    if fs::read_to_string(by_tool.join(LOCK))? != installed {
        return Err("`lock` changed the rows of the tool".into());
    }
    write(&by_tool.join(".agents/skills/tidy/scripts/run.sh"), "rm\n")?;
    let changed = projects.try_program(&by_tool, &["verify"])?;
    let text = String::from_utf8_lossy(&changed.stdout);
    if changed.status.success() || !text.contains("changed  tidy  (skills-lock.json)") {
        return Err(format!("`verify` overlooked a changed file: {text}").into());
    }

    let by_program = folder(&projects, "by-program")?;
    let add = ["add", "./shared", &repository, "--yes", "--also-lock", LOCK];
    projects.program(&by_program, &add)?;
    let written = fs::read_to_string(by_program.join(LOCK))?;
    if written != installed {
        return Err(format!("the tool writes {installed}`add` writes {written}").into());
    }
    fs::remove_dir_all(by_program.join(".agents"))?;
    projects.tool(&by_program, &["experimental_install"])?;
    matches(&projects, &by_program, both)?;
    println!("2 skills of the tool `skills` verified and locked; its lock round-trips");
    Ok(())
}

/// Creates a project beside the folder of a skill.
fn folder(projects: &Projects, name: &str) -> Result<PathBuf, Failure> {
    let project = projects.folder(name);
    let skill = project.join("shared/tidy");
    let text = "---\nname: tidy\ndescription: Sorts.\n---\nSort.\n";
    write(&skill.join("SKILL.md"), text)?;
    write(&skill.join("scripts/run.sh"), "#!/bin/sh\nls\n")?;
    Ok(project)
}

fn matches(projects: &Projects, project: &Path, expected: &str) -> Result<(), Failure> {
    let found = projects.program(project, &["verify"])?;
    match found == expected {
        true => Ok(()),
        false => Err(format!("expected `{expected}`, found `{found}`").into()),
    }
}
