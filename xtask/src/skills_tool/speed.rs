//! The times in which the tool `skills` and the command line install the skills of a repository.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use tempfile::TempDir;

use super::projects::Projects;
use crate::bench::median;
use crate::{Failure, venv};

const SKILLS: usize = 200;

const ROUNDS: usize = 5;

/// A file system in memory, where the time is that of the programs. On a disk, other work changes it by half.
const MEMORY: &str = "/dev/shm";

/// The least ratio of the times.
const GOAL: f64 = 5.0;

/// Runs the tool in a project.
type RunTool = fn(&Projects, &Path, &[&str]) -> Result<(), Failure>;

/// Measures both on the disk, where `npx` runs the tool, and in memory without it. Compares the installed files.
///
/// # Errors
/// Fails if the files differ, and below [`GOAL`].
pub(super) fn check(scratch: &Path, program: &Path) -> Result<(), Failure> {
    let programs = (scratch, program);
    let on_disk = tempfile::tempdir()?;
    measure(
        &on_disk,
        "`npx skills` on the disk",
        Projects::npx,
        programs,
    )?;
    if Path::new(MEMORY).is_dir() {
        let in_memory = tempfile::tempdir_in(MEMORY)?;
        measure(&in_memory, "`skills` in memory", Projects::tool, programs)?;
    }
    Ok(())
}

/// Measures both by turns, each in a home without caches, and compares the medians.
fn measure(
    folder: &TempDir,
    tool: &str,
    run_tool: RunTool,
    (scratch, program): (&Path, &Path),
) -> Result<(), Failure> {
    let folder = folder.path().canonicalize()?;
    let files: Vec<_> = (0..SKILLS).flat_map(files).collect();
    let files = files.iter().map(|(path, text)| (&**path, &**text));
    let repository = Projects::new(&folder, scratch, program).publish(files)?;
    let add = ["add", &repository, "--yes", "--agent", "codex"];
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let [other, own] = ["tool", "own"].map(|name| folder.join(format!("{name}-{round}")));
        for home in [&other, &own] {
            fs::create_dir_all(home.join("project"))?;
        }
        let begun = Instant::now();
        let projects = Projects::new(&other, scratch, program);
        run_tool(&projects, &other.join("project"), &add)?;
        theirs.push(begun.elapsed().as_secs_f64());
        let begun = Instant::now();
        Projects::new(&own, scratch, program).program(&own.join("project"), &add)?;
        ours.push(begun.elapsed().as_secs_f64());
        let [other, own] = [other, own].map(|home| home.join("project/.agents/skills"));
        let found = fs::read_dir(&own)?.count();
        if found != SKILLS {
            return Err(format!("expected {SKILLS} installed skills, found {found}").into());
        }
        venv::call(Command::new("diff").arg("-r").args([other, own]))?;
    }
    let [theirs, ours] = [theirs, ours].map(|times| median(times.into_iter()));
    let ratio = theirs / ours;
    println!(
        "{SKILLS} skills of a repository: installed by {tool} in {theirs:.2} s, by `repertoire` in {ours:.3} s: {ratio:.1} x as fast"
    );
    match ratio < GOAL {
        true => Err(format!("expected at least {GOAL:.1} x, found {ratio:.1} x").into()),
        false => Ok(()),
    }
}

/// Returns the paths and texts of the files of a skill.
fn files(number: usize) -> [(String, String); 2] {
    let name = format!("skill-{number:03}");
    let text = format!(
        "---\nname: {name}\ndescription: Does the task {number}, and reports what was done.\n---\n\n# Task {number}\n\n{}",
        "Do the task, step by step.\n".repeat(150)
    );
    [
        (format!("skills/{name}/SKILL.md"), text),
        (
            format!("skills/{name}/scripts/run.sh"),
            format!("#!/bin/sh\necho {number}\n"),
        ),
    ]
}
