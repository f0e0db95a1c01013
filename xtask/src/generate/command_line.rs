//! What the command line tells of itself: its manual, what shells complete, and that its schema knows every command.

use std::fs;
use std::io;

use repertoire_cli::{Environment, Exit, Stream, run};
use serde_json::Value;

use crate::{Failure, workspace};

/// The folders in which nothing but generated files lies.
pub(super) const FOLDERS: [&str; 2] = ["docs/completions", "docs/man"];

/// The shells, and the name under which each looks for a script.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "repertoire.bash"),
    ("elvish", "repertoire.elv"),
    ("fish", "repertoire.fish"),
    ("powershell", "_repertoire.ps1"),
    ("zsh", "_repertoire"),
];

/// The generated files, by their path in the workspace.
pub(super) fn files() -> Result<Vec<(String, String)>, Failure> {
    let mut files = Vec::new();
    for (shell, name) in SHELLS {
        files.push((format!("docs/completions/{name}"), tell(&["completions", shell])?));
    }
    files.push(("docs/man/repertoire.1".to_owned(), tell(&["man"])?));
    for command in commands()? {
        files.push((format!("docs/man/repertoire-{command}.1"), tell(&["man", &command])?));
    }
    Ok(files)
}

/// Fails if the schema of the JSON answers lacks a command, or has one that there is not.
pub(super) fn check_schema() -> Result<(), Failure> {
    let page = "docs/schema/repertoire-1.json";
    let schema: Value = serde_json::from_slice(&fs::read(workspace::root().join(page))?)?;
    let branches = schema["oneOf"].as_array().into_iter().flatten();
    let mut known: Vec<_> =
        branches.filter_map(|branch| branch["properties"]["command"]["const"].as_str().map(str::to_owned)).collect();
    known.dedup();
    let commands = commands()?;
    if known == commands {
        return Ok(());
    }
    Err(format!("`{page}` describes {}; the commands are {}", known.join(", "), commands.join(", ")).into())
}

/// The names of the commands, in the order of the help.
fn commands() -> Result<Vec<String>, Failure> {
    let manual: Value = serde_json::from_str(&tell(&["man", "--json"])?)?;
    Ok(serde_json::from_value(manual["commands"].clone())?)
}

/// What the command line says to `arguments`, to a pipe: nothing of this machine is in it.
fn tell(arguments: &[&str]) -> Result<String, Failure> {
    let mut said = Vec::new();
    let environment = Environment { stdout: Stream::new(&mut said), ..Environment::quiet(workspace::root()) };
    match run(std::iter::once(&"repertoire").chain(arguments), environment) {
        Exit::Success => Ok(String::from_utf8(said)?),
        _ => Err(format!("`repertoire {}` failed", arguments.join(" ")).into()),
    }
}
