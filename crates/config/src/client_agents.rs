//! The folders in which clients define agents: Markdown files with front matter.

use std::fs;
use std::path::{Path, PathBuf};

use repertoire_core::Value;
use repertoire_core::skill_md::fields_with_lines;
use repertoire_registry::{ConfigError, SourceConfig};
use serde_json::{Map, Value as Json, json};

use crate::definition::AgentRow;
use crate::{AgentDefinition, ConfigurationError};

/// A folder in which a client defines agents, with the program that runs them.
pub(crate) struct ClientAgentFolder {
    folder: String,
    /// The keys of an agent, which those of each file complete.
    template: Map<String, Json>,
}

/// The text that the name of an agent replaces in arguments.
const NAME: &str = "{name}";

impl ClientAgentFolder {
    /// Reads the list of tables `[[registries.agent-folders]]`.
    pub(crate) fn read_all(key: &str, value: Json) -> Result<Vec<ClientAgentFolder>, ConfigError> {
        let Json::Array(rows) = value else {
            let message = format!("expected tables `[[registries.{key}]]`");
            return Err(ConfigError::in_option(key, message));
        };
        let folders = rows.into_iter().enumerate().map(|(at, row)| {
            let path = format!("{key}[{at}]");
            let Json::Object(mut template) = row else {
                return Err(ConfigError::in_option(path, "expected a table"));
            };
            match template.remove("folder") {
                Some(Json::String(folder)) => Ok(ClientAgentFolder { folder, template }),
                _ => Err(ConfigError::in_option(
                    format!("{path}.folder"),
                    "expected the path of a folder",
                )),
            }
        });
        folders.collect()
    }

    /// Returns the agents of the folder, sorted by the names of their files.
    pub(crate) fn agents(&self, base: &Path) -> Result<Vec<AgentDefinition>, ConfigurationError> {
        let folder = base.join(&self.folder);
        let files = markdown_files(&folder).map_err(|error| {
            let message = format!("cannot read `{}`", self.folder);
            ConfigurationError::new(message).caused_by(error)
        })?;
        let agents = files.into_iter().map(|file| {
            let text = fs::read(&file).map_err(|error| {
                let message = format!("cannot read `{}`", file.display());
                ConfigurationError::new(message).caused_by(error)
            })?;
            self.agent(&file, &text).map_err(|error| {
                let message = format!("`{}`: {}", file.display(), error.message);
                ConfigurationError::new(message)
            })
        });
        agents.collect()
    }

    fn agent(&self, file: &Path, text: &[u8]) -> Result<AgentDefinition, ConfigError> {
        let (fields, _) = fields_with_lines(text).map_err(|line| {
            ConfigError::new(format!("the front matter has a fault in line {line}"))
        })?;
        let field = |names: &[&str]| {
            let found = fields.iter().find(|(key, ..)| names.contains(&&**key));
            found.map(|(_, value, _)| value)
        };
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        let name = field(&["name"]).and_then(Value::as_text).or(stem);
        let name = name.ok_or_else(|| ConfigError::new("the file has no name"))?;
        let mut row = self.template.clone();
        row.insert("id".to_owned(), name.into());
        if let Some(about) = field(&["description"]).and_then(Value::as_text) {
            row.insert("description".to_owned(), about.into());
        }
        if let Some(skills) = field(&["skills"]) {
            row.insert("skills".to_owned(), json!(names(skills)));
        }
        let permissions = row.entry("permissions").or_insert_with(|| json!({}));
        if let Some(permissions) = permissions.as_object_mut() {
            let tools = field(&["tools"]).map_or_else(|| vec!["*".to_owned()], names);
            permissions.insert("tools".to_owned(), json!(tools));
            if let Some(denied) = field(&["disallowedTools", "disallowed-tools"]) {
                permissions.insert("deny".to_owned(), json!(names(denied)));
            }
        }
        if let Some(args) = row.get_mut("args").and_then(Json::as_array_mut) {
            for arg in args {
                if let Json::String(text) = arg {
                    *text = text.replace(NAME, name);
                }
            }
        }
        let row: AgentRow = SourceConfig::new("", "", row).options()?;
        AgentDefinition::try_from(row)
    }
}

/// Returns the names of a list, or of a text with commas.
fn names(value: &Value) -> Vec<String> {
    let texts = value.items().iter().filter_map(Value::as_text);
    let names = texts.flat_map(|text| text.split(',')).map(str::trim);
    let names = names.filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

fn markdown_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|kind| kind == "md") && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
