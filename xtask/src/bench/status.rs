//! The time of `repertoire status` for eight agents.

use std::fs;
use std::path::Path;
use std::time::Instant;

use super::installs::call;
use super::rounds::parsed;
use super::{Bench, Figure, Goal, median};
use crate::Failure;
use crate::skills_tool::SIGNS;

/// The folders of the skills: those of the user, and those of the project.
const FOLDERS: [&str; 3] = [".agents/skills", ".claude/skills", "project/.agents/skills"];

/// Measures the whole command on homes with few and with many skills.
pub(super) fn figures(bench: &mut Bench<'_>) -> Result<(), Failure> {
    for (count, most) in [(300, 50.0), (3_000, 250.0)] {
        eprintln!("status of {count} skills");
        let home = bench.folder.path().join(format!("status-{count}"));
        make(&home, count)?;
        let runs = (0..bench.rounds()).map(|_| parsed(bench.itself().arg("status").arg(&home)));
        let runs = runs.collect::<Result<Vec<f64>, Failure>>()?;
        let figure = Figure::new(
            format!("status/{count}"),
            median(runs.into_iter()) * 1e3,
            "ms",
        );
        bench.figures.push(figure.goal(Goal::AtMost(most)));
    }
    Ok(())
}

/// Runs the command once, and returns the seconds that it took.
pub(super) fn measure(home: &Path) -> Result<f64, Failure> {
    let begun = Instant::now();
    call(home, &home.join("project"), &["status"])?;
    Ok(begun.elapsed().as_secs_f64())
}

fn make(home: &Path, count: usize) -> Result<(), Failure> {
    let files = SIGNS.map(|sign| (home.join(sign), "{}".to_owned()));
    let skills = (0..count).map(|number| {
        let name = format!("skill-{number:04}");
        let folder = FOLDERS[number % FOLDERS.len()];
        let text = format!(
            "---\nname: {name}\ndescription: Does the task {number} for the user, and reports what was done.\nlicense: MIT\n\
             metadata:\n  version: \"1.{number}\"\n---\n\n# Task {number}\n\nDo the task.\n"
        );
        (home.join(folder).join(name).join("SKILL.md"), text)
    });
    let head = (
        home.join("project/.git/HEAD"),
        "ref: refs/heads/main\n".to_owned(),
    );
    for (path, text) in files.into_iter().chain(skills).chain([head]) {
        fs::create_dir_all(path.parent().ok_or("a file has a folder")?)?;
        fs::write(path, text)?;
    }
    Ok(())
}
