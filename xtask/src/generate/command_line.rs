//! What the command line tells of itself: its manual, and what shells complete.

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
pub(crate) fn files() -> Result<Vec<(String, String)>, Failure> {
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

/// The names of the commands, in the order of the help.
pub(super) fn commands() -> Result<Vec<String>, Failure> {
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
