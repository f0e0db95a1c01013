//! The JSON schemas of the command line, written by the types that print and read.

use serde_json::Value;

use crate::Failure;

/// The folder of the schemas.
pub(super) const FOLDER: &str = "docs/schema";

/// The schema that is written by hand: its format belongs to the tool `skills`.
pub(super) const FOREIGN: &str = "docs/schema/skills-lock-1.json";

/// The command whose output belongs to a protocol of another project.
const PROTOCOL: &str = "serve";

/// The generated schemas, by their path in the workspace; fails if a command of `commands` has none.
pub(super) fn files(commands: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let mut files = Vec::new();
    for (name, schema) in repertoire_cli::schemas() {
        if let Some(branches) = schema.get("oneOf").and_then(Value::as_array) {
            let mut known: Vec<_> = branches
                .iter()
                .filter_map(|one| one["properties"]["command"]["const"].as_str())
                .collect();
            known.dedup();
            if !commands
                .iter()
                .filter(|command| *command != PROTOCOL)
                .eq(&known)
            {
                let (known, commands) = (known.join(", "), commands.join(", "));
                return Err(
                    format!("`{name}` describes {known}; the commands are {commands}").into(),
                );
            }
        }
        files.push((
            format!("{FOLDER}/{name}.json"),
            serde_json::to_string_pretty(&schema)? + "\n",
        ));
    }
    Ok(files)
}
