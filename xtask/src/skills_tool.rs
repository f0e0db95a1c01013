//! `cargo xtask skills-tool`: compares the folders of agents, the lock file and the time with those of the tool `skills`.

mod locks;
mod projects;
mod speed;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use repertoire_profiles::{AgentPlace, AgentProfiles};
use serde_json::Value;

use crate::binary::Profile;
use crate::{Failure, venv, workspace};

/// The compared agents: the name of the profile, and the name that the tool prints.
const AGENTS: [(&str, &str); 8] = [
    ("claude-code", "Claude Code"),
    ("codex", "Codex"),
    ("copilot-cli", "GitHub Copilot"),
    ("cursor", "Cursor"),
    ("gemini-cli", "Gemini CLI"),
    ("goose", "Goose"),
    ("opencode", "OpenCode"),
    ("zed", "Zed"),
];

/// Files by which both sides find the agents.
pub(crate) const SIGNS: [&str; 8] = [
    ".claude.json",
    ".codex/auth.json",
    ".config/goose/config.yaml",
    ".config/zed/settings.json",
    ".copilot/config.json",
    ".cursor/skills-cursor/.keep",
    ".gemini/settings.json",
    ".local/share/opencode/.keep",
];

/// An agent, a folder from which only one side lists skills, and the name of that side.
type Difference = (String, String, String);

/// Installs the tool, compares the lock files and the times, lists the same home with both programs, and compares the folders.
pub(crate) fn run() -> Result<(), Failure> {
    let scripts = workspace::root().join("tests/skills-tool");
    let scratch = workspace::target()?.join("skills-tool");
    fs::create_dir_all(&scratch)?;
    venv::venv(&scratch, &scripts.join("requirements.txt"))?;
    venv::npm(&scratch, &scripts.join("package.json"))?;
    let folder = Profile::Measured.build(
        "repertoire-cli",
        "--bin repertoire --no-default-features --features install",
    )?;
    let program = folder.join("repertoire");
    locks::check(&scratch, &program)?;
    speed::check(&scratch, &program)?;
    let home = tempfile::tempdir()?;
    let home = home.path().canonicalize()?;
    let explained = explained(&scripts.join("explained.tsv"))?;
    let found = differences(&scratch, &home)?;
    let mut failed = 0;
    for difference in &found {
        let (agent, folder, side) = difference;
        match explained.get(difference) {
            Some(source) => println!("explained    {agent}: {folder} only by {side}: {source}"),
            None => {
                failed += 1;
                println!("unexplained  {agent}: {folder} only by {side}");
            }
        }
    }
    for (agent, folder, side) in explained.keys().filter(|row| !found.contains(*row)) {
        failed += 1;
        println!("outdated     {agent}: {folder} only by {side}");
    }
    let rows = explained.len();
    println!(
        "{} agents compared; {} differences, {rows} explained",
        AGENTS.len(),
        found.len()
    );
    match failed {
        0 => Ok(()),
        _ => Err("change a profile or `tests/skills-tool/explained.tsv`".into()),
    }
}

/// Reads the rows of differences, each with its source.
fn explained(path: &Path) -> Result<BTreeMap<Difference, String>, Failure> {
    let text = fs::read_to_string(path)?;
    let rows = text.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [agent, folder, side, source] = cells.as_slice() else {
            return Err(format!("expected four cells, found `{line}`").into());
        };
        let key = [agent, folder, side].map(|cell| (*cell).to_owned());
        Ok((key.into(), (*source).to_owned()))
    });
    rows.collect()
}

fn differences(scratch: &Path, home: &Path) -> Result<BTreeSet<Difference>, Failure> {
    let place = AgentPlace::new(home, home.join("project"));
    fs::create_dir_all(&place.folder)?;
    for sign in SIGNS {
        write(&home.join(sign), "{}")?;
    }
    let profiles = AgentProfiles::built_in();
    let folders: BTreeSet<PathBuf> = profiles
        .iter()
        .flat_map(|profile| profile.home_folders(&place))
        .collect();
    let folders = folders.iter().map(|folder| home.join(folder));
    for (number, folder) in folders
        .filter(|folder| folder.starts_with(home))
        .enumerate()
    {
        let name = format!("probe-{number}");
        let text = format!("---\nname: {name}\ndescription: Probes.\n---\n");
        write(&folder.join(&name).join("SKILL.md"), &text)?;
    }
    let tool = listed_by_tool(scratch, &place)?;
    let mut survey = profiles.survey(&place);
    let mut found = BTreeSet::new();
    for (agent, title) in AGENTS {
        let view = survey.view(agent).ok_or("the agent has no profile")?;
        let loaded = view.skills.iter().filter(|skill| skill.outcome.may_load());
        let files = loaded.filter_map(|skill| skill.path.parent()?.parent());
        let ours: BTreeSet<String> = files.map(|folder| shown(folder, home)).collect();
        let theirs = tool.get(title).cloned().unwrap_or_default();
        if theirs.is_empty() {
            return Err(format!("`skills` lists nothing for {title}").into());
        }
        for (side, only) in [
            ("repertoire", ours.difference(&theirs)),
            ("skills", theirs.difference(&ours)),
        ] {
            found.extend(only.map(|folder| (agent.to_owned(), folder.clone(), side.to_owned())));
        }
    }
    Ok(found)
}

/// Returns the folders from which the tool lists skills, for the names of agents.
fn listed_by_tool(
    scratch: &Path,
    place: &AgentPlace,
) -> Result<BTreeMap<String, BTreeSet<String>>, Failure> {
    let output = Command::new(scratch.join("venv/bin/node"))
        .arg(scratch.join("node_modules/skills/bin/cli.mjs"))
        .args(["list", "-g", "--json"])
        .current_dir(&place.folder)
        .env_clear()
        .env("HOME", &place.home)
        .env("PATH", scratch.join("venv/bin"))
        .env("DISABLE_TELEMETRY", "1")
        .output()?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`skills list -g` failed: {reason}").into());
    }
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout)?;
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in &rows {
        let path = Path::new(row["path"].as_str().ok_or("a row has no path")?);
        let folder = path.parent().ok_or("a skill has a folder")?;
        for agent in row["agents"].as_array().into_iter().flatten() {
            let agent = agent.as_str().unwrap_or_default().to_owned();
            let folders = found.entry(agent).or_default();
            folders.insert(shown(folder, &place.home));
        }
    }
    Ok(found)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::create_dir_all(path.parent().ok_or("a file has a folder")?)?;
    fs::write(path, text)?;
    Ok(())
}

/// Returns a folder with `~` for the home folder.
fn shown(folder: &Path, home: &Path) -> String {
    match folder.strip_prefix(home) {
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => folder.display().to_string(),
    }
}
