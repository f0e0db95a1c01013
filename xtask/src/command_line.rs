//! The completion scripts and manual pages that the command line writes.

use repertoire_cli::{Environment, Exit, Stream, run};
use serde_json::Value;

use crate::{Failure, workspace};

/// The supported shells, each with the file name that it expects.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "repertoire.bash"),
    ("elvish", "repertoire.elv"),
    ("fish", "repertoire.fish"),
    ("powershell", "_repertoire.ps1"),
    ("zsh", "_repertoire"),
];

/// Returns every completion script and manual page, by its path in a release archive.
///
/// # Errors
/// Fails if the command line fails.
pub(crate) fn files() -> Result<Vec<(String, String)>, Failure> {
    let mut files = Vec::new();
    for (shell, name) in SHELLS {
        files.push((
            format!("completions/{name}"),
            output(&["completions", shell])?,
        ));
    }
    files.push(("man/repertoire.1".to_owned(), output(&["man"])?));
    for command in commands()? {
        files.push((
            format!("man/repertoire-{command}.1"),
            output(&["man", &command])?,
        ));
    }
    Ok(files)
}

/// Returns the names of the commands, in the order of the help.
///
/// # Errors
/// Fails if the command line fails.
pub(crate) fn commands() -> Result<Vec<String>, Failure> {
    let manual: Value = serde_json::from_str(&output(&["man", "--json"])?)?;
    Ok(serde_json::from_value(manual["commands"].clone())?)
}

fn output(arguments: &[&str]) -> Result<String, Failure> {
    let mut stdout = Vec::new();
    let environment = Environment::new(workspace::root()).stdout(Stream::new(&mut stdout));
    match run(std::iter::once(&"repertoire").chain(arguments), environment) {
        Exit::Success => Ok(String::from_utf8(stdout)?),
        _ => Err(format!("`repertoire {}` failed", arguments.join(" ")).into()),
    }
}
