//! A picture of the screen of `repertoire status`.

use std::fs;
use std::path::Path;

use repertoire_cli::{Environment, Exit, Stream, run};

use crate::Failure;

/// The path of the picture.
pub(super) const PAGE: &str = "docs/status.svg";

/// The files of a home folder with four agents, and of a project, each with its text.
const FILES: &[(&str, &str)] = &[
    ("home/.claude.json", "{}"),
    ("home/.codex/auth.json", "{}"),
    ("home/.cursor/skills-cursor/.keep", ""),
    ("home/.gemini/settings.json", "{}"),
    (
        "home/.claude/settings.json",
        "{\n  \"skillOverrides\": {\"changelog\": \"off\"},\n  \"skillListingBudgetFraction\": 0.0003\n}\n",
    ),
];

/// The skills of the same tree: the folder, the name and the description.
const SKILLS: &[(&str, &str, &str)] = &[
    (
        "home/.claude/skills",
        "code-review",
        "Reviews a change for faults, naming and missing tests. Use before a pull request is opened.",
    ),
    (
        "home/.claude/skills",
        "changelog",
        "Writes the changelog from the commits since the last tag.",
    ),
    (
        "home/.claude/skills",
        "incident",
        "Leads through an incident: finds the owner, collects logs, and writes the timeline.",
    ),
    (
        "home/.agents/skills",
        "deploy",
        "Ships a service to production. Use when asked to release, ship or roll back.",
    ),
    (
        "project/.agents/skills",
        "deploy",
        "Ships this project to its two regions.",
    ),
    (
        "project/.agents/skills/team",
        "audit",
        "Audits dependencies for known faults.",
    ),
    (
        "project/.claude/skills",
        "migrations",
        "Writes and checks migrations of the database.",
    ),
    (
        "project/.claude/skills/group",
        "tracing",
        "Adds spans and fields to handlers.",
    ),
];

/// Returns the picture: what the command prints in colours on 80 columns.
///
/// # Errors
/// The tree cannot be written, or the command fails.
pub(super) fn text() -> Result<String, Failure> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().canonicalize()?;
    for (path, text) in FILES {
        write(&root.join(path), text)?;
    }
    for (folder, name, description) in SKILLS {
        let text = format!("---\nname: {name}\ndescription: {description}\n---\nDo it.\n");
        write(&root.join(folder).join(name).join("SKILL.md"), &text)?;
    }
    fs::create_dir(root.join("project/.git"))?;
    let mut screen = Vec::new();
    let environment = Environment::new(root.join("project"))
        .home(root.join("home"))
        .variables([("COLUMNS".into(), "80".into())])
        .stdout(Stream::new(&mut screen).coloured());
    match run(["repertoire", "status"], environment) {
        Exit::Success => Ok(picture(&String::from_utf8(screen)?)),
        exit => Err(format!("`repertoire status` ended with {exit:?}").into()),
    }
}

fn picture(screen: &str) -> String {
    let picture = anstyle_svg::Term::new().render_svg(&format!("$ repertoire\n{screen}"));
    picture.trim_end().to_owned() + "\n"
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    Ok(fs::write(path, text)?)
}
