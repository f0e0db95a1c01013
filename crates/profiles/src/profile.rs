//! The profiles of all agents, compiled in or given by the user.

use std::borrow::Cow;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::observed::{self, ObservedList, TranscriptReader};
use crate::place::AgentPlace;
use crate::schema::{FactSource, ListServer, ProfileFile};
use crate::view::RootScope;

/// The text of each file of `agents/`.
const FILES: [&str; 29] = [
    include_str!("../agents/amp.toml"),
    include_str!("../agents/antigravity.toml"),
    include_str!("../agents/claude-code.toml"),
    include_str!("../agents/cline.toml"),
    include_str!("../agents/codex.toml"),
    include_str!("../agents/continue.toml"),
    include_str!("../agents/copilot-cli.toml"),
    include_str!("../agents/copilot-vscode.toml"),
    include_str!("../agents/crush.toml"),
    include_str!("../agents/cursor.toml"),
    include_str!("../agents/deepagents.toml"),
    include_str!("../agents/droid.toml"),
    include_str!("../agents/gemini-cli.toml"),
    include_str!("../agents/goose.toml"),
    include_str!("../agents/hermes.toml"),
    include_str!("../agents/junie.toml"),
    include_str!("../agents/kilo.toml"),
    include_str!("../agents/kiro.toml"),
    include_str!("../agents/letta.toml"),
    include_str!("../agents/openclaw.toml"),
    include_str!("../agents/opencode-2.toml"),
    include_str!("../agents/opencode.toml"),
    include_str!("../agents/openhands.toml"),
    include_str!("../agents/pi.toml"),
    include_str!("../agents/qwen-code.toml"),
    include_str!("../agents/roo.toml"),
    include_str!("../agents/trae.toml"),
    include_str!("../agents/windsurf.toml"),
    include_str!("../agents/zed.toml"),
];

/// The known agents, by name.
#[derive(Debug, Clone)]
pub struct AgentProfiles {
    profiles: Vec<AgentProfile>,
}

/// The facts about one agent, each with its source.
#[derive(Debug, Clone)]
pub struct AgentProfile {
    pub(crate) file: ProfileFile,
    text: Cow<'static, str>,
}

/// One value of a profile, with its source.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentFact {
    /// The key, with dots: `reading.depth`.
    pub key: String,
    /// The value as text: `unknown` if no source states it, `one of …` if the sources disagree.
    pub value: String,
    /// The document, repository or report.
    pub source: String,
    /// The day on which the source was read or written, as `2026-08-22`.
    pub date: String,
}

/// The sign by which an agent was found on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstallSign {
    /// A folder, which an installer of skills may have created without the agent.
    Folder,
    /// A file that only the agent writes.
    File,
    /// A program on `PATH`.
    Program,
}

/// The error returned when the file of a profile cannot be used.
#[derive(Debug)]
pub struct ProfileError {
    path: Option<PathBuf>,
    message: String,
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "profile `{}`: {}", path.display(), self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ProfileError {}

impl AgentProfiles {
    /// Returns the profiles that are compiled in.
    ///
    /// # Panics
    /// Never: a test reads every file.
    pub fn built_in() -> AgentProfiles {
        let parsed = FILES
            .into_iter()
            .map(|text| AgentProfile::parse(text.into()));
        let mut profiles = parsed
            .collect::<Result<Vec<_>, _>>()
            .expect("a test reads every file of `agents`");
        profiles.sort_by(|a, b| a.name().cmp(b.name()));
        AgentProfiles { profiles }
    }

    /// Adds the profile in `text`, or replaces the one of the same name.
    ///
    /// # Errors
    /// The text is not TOML, has an unknown key, or names a source that it does not list.
    fn add(&mut self, text: &str) -> Result<(), ProfileError> {
        let new = AgentProfile::parse(text.to_owned().into())?;
        new.check_sources()?;
        self.profiles.retain(|known| known.name() != new.name());
        let at = self
            .profiles
            .partition_point(|known| known.name() < new.name());
        self.profiles.insert(at, new);
        Ok(())
    }

    /// Adds every `.toml` file of a folder, and returns the errors of those that cannot be used.
    pub fn add_folder(&mut self, folder: &Path) -> Vec<ProfileError> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
        paths.sort();
        let mut errors = Vec::new();
        for path in paths {
            let text = fs::read_to_string(&path).map_err(|error| ProfileError {
                path: None,
                message: error.to_string(),
            });
            if let Err(error) = text.and_then(|text| self.add(&text)) {
                let path = Some(path);
                errors.push(ProfileError { path, ..error });
            }
        }
        errors
    }

    /// Returns the profile of this name or alias.
    pub fn get(&self, name: &str) -> Option<&AgentProfile> {
        let by_name = self.iter().find(|profile| profile.name() == name);
        let is_alias = |profile: &&AgentProfile| profile.aliases().any(|alias| alias == name);
        by_name.or_else(|| self.iter().find(is_alias))
    }

    /// Returns every profile, by name.
    pub fn iter(&self) -> impl Iterator<Item = &AgentProfile> {
        self.profiles.iter()
    }

    /// Returns the agents that are installed, each with the strongest sign.
    pub fn installed(&self, place: &AgentPlace) -> Vec<(&AgentProfile, InstallSign)> {
        let signs = self
            .iter()
            .map(|profile| (profile, profile.installed(place)));
        signs
            .filter_map(|(profile, sign)| Some((profile, sign?)))
            .collect()
    }

    /// Returns the agents of this machine, and those that only a folder hints at.
    ///
    /// Installers of skills create the folders of agents that are not there. So a folder counts only if nothing else was found.
    #[doc(hidden)]
    pub fn found_in(&self, place: &AgentPlace) -> (Vec<&AgentProfile>, Vec<&AgentProfile>) {
        let (mut certain, mut hinted) = (Vec::new(), Vec::new());
        for (profile, sign) in self.installed(place) {
            match sign {
                InstallSign::Folder => hinted.push(profile),
                _ => certain.push(profile),
            }
        }
        match certain.is_empty() {
            true => (hinted, certain),
            false => (certain, hinted),
        }
    }
}

impl AgentProfile {
    fn parse(text: Cow<'static, str>) -> Result<AgentProfile, ProfileError> {
        match toml_edit::de::from_str(&text) {
            Ok(file) => Ok(AgentProfile { file, text }),
            Err(fault) => Err(ProfileError {
                path: None,
                message: fault.to_string(),
            }),
        }
    }

    fn check_sources(&self) -> Result<(), ProfileError> {
        let named = self.written_facts();
        let unknown = named.iter().find(|(_, table)| self.source(table).is_none());
        unknown.map_or(Ok(()), |(key, table)| {
            let message = format!(
                "expected a source of `[sources]` for `{key}`, found {}",
                table["source"]
            );
            Err(ProfileError {
                path: None,
                message,
            })
        })
    }

    fn source(&self, table: &Value) -> Option<&FactSource> {
        self.file.sources.get(table["source"].as_str()?)
    }

    /// Returns the name, in kebab case.
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// Returns the name for people.
    pub fn title(&self) -> &str {
        &self.file.title
    }

    /// Returns further names that select the profile.
    pub fn aliases(&self) -> impl Iterator<Item = &str> {
        self.file.aliases.iter().map(String::as_str)
    }

    /// Returns the versions of the agent that the facts describe.
    pub fn versions(&self) -> &str {
        &self.file.versions
    }

    /// Returns the dialect of `repertoire-render` for bodies of skills, if it is known.
    pub fn dialect(&self) -> Option<&str> {
        self.file.render.dialect.known().map(String::as_str)
    }

    /// Returns the folders for skills below each folder of a project, relative to it. The preferred one comes first.
    pub fn project_folders(&self, place: &AgentPlace) -> Vec<PathBuf> {
        self.folders(RootScope::Project, place)
    }

    /// Returns the user's folders for skills. The preferred one comes first.
    ///
    /// They are relative if the home folder of `place` is empty, and a variable does not replace it.
    pub fn home_folders(&self, place: &AgentPlace) -> Vec<PathBuf> {
        self.folders(RootScope::Personal, place)
    }

    fn folders(&self, scope: RootScope, place: &AgentPlace) -> Vec<PathBuf> {
        let rules = self.file.roots.iter().filter(|rule| {
            rule.scope == scope
                && !rule.commands
                && rule
                    .toggle
                    .as_ref()
                    .is_none_or(|toggle| place.is_on(toggle))
                && !rule.off_by.iter().any(|name| place.is_set(name))
        });
        rules
            .filter_map(|rule| place.expand(&rule.path, Path::new("")))
            .collect()
    }

    /// Returns the folder of the agent's transcripts, `.jsonl` files at any depth, if their format is known.
    pub fn transcripts(&self, place: &AgentPlace) -> Option<PathBuf> {
        let rule = self.file.observed.transcripts.as_ref()?;
        place.expand(&rule.folder, &place.home)
    }

    /// Creates a reader for one transcript, if the format is known.
    pub fn transcript_reader(&self) -> Option<TranscriptReader> {
        let rule = self.file.observed.transcripts.as_ref()?;
        Some(TranscriptReader::new(rule.format))
    }

    /// Returns the command line that prints the agent's list without asking a model.
    pub fn list_command(&self) -> Option<&[String]> {
        Some(&self.file.observed.command.as_ref()?.arguments)
    }

    /// Parses what that command prints; `None` if it holds no list.
    pub fn parse_list(&self, printed: &str) -> Option<ObservedList> {
        let rule = self.file.observed.command.as_ref()?;
        observed::parse_printed(rule.format, printed)
    }

    /// Returns the server that lists the skills while it runs.
    pub fn list_server(&self) -> Option<&ListServer> {
        self.file.observed.server.as_ref()
    }

    /// Parses the answer of that server; `None` if it holds no list.
    pub fn parse_served_list(&self, answer: &str) -> Option<ObservedList> {
        let rule = self.file.observed.server.as_ref()?;
        observed::parse_printed(rule.format, answer)
    }

    /// Returns every fact, in the order of the file.
    pub fn facts(&self) -> Vec<AgentFact> {
        let fact = |(key, table): (String, Value)| {
            let source = self.source(&table)?;
            Some(AgentFact {
                key,
                value: value_of(&table),
                source: source.text.clone(),
                date: source.date.clone(),
            })
        };
        self.written_facts().into_iter().filter_map(fact).collect()
    }

    /// Returns the tables of the profile that name a source, each with its key.
    fn written_facts(&self) -> Vec<(String, Value)> {
        let mut found = Vec::new();
        if let Ok(written) = toml_edit::de::from_str(&self.text) {
            collect_facts("", written, &mut found);
        }
        found
    }

    /// Returns the strongest sign that the agent is installed.
    fn installed(&self, place: &AgentPlace) -> Option<InstallSign> {
        let detect = &self.file.detect;
        let path = place.variable("PATH").unwrap_or_default();
        let programs = detect.binaries.known().into_iter().flatten();
        let has = |name: &String| {
            std::env::split_paths(path).any(|folder| {
                folder.join(name).is_file() || folder.join(format!("{name}.exe")).is_file()
            })
        };
        let exists = |template: &String| {
            let path = place.expand(template, &place.home);
            path.is_some_and(|path| path.exists())
        };
        if programs.clone().any(has) {
            Some(InstallSign::Program)
        } else if detect.files.known().into_iter().flatten().any(exists) {
            Some(InstallSign::File)
        } else {
            let mut folders = detect.folders.known().into_iter().flatten();
            folders.any(exists).then_some(InstallSign::Folder)
        }
    }
}

fn collect_facts(key: &str, value: Value, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(table) if table.contains_key("source") => {
            found.push((key.to_owned(), Value::Object(table)));
        }
        Value::Object(table) => {
            for (part, value) in table {
                let part = match key {
                    "" => part,
                    key => format!("{key}.{part}"),
                };
                collect_facts(&part, value, found);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect_facts(key, item, found);
            }
        }
        _ => {}
    }
}

/// Returns the value of a fact, or the other keys of a table that names a source.
fn value_of(table: &Value) -> String {
    let plain = |value: &Value| match value {
        Value::String(text) => text.trim_end_matches('\n').to_owned(),
        Value::Array(items) => {
            let items = items.iter().map(|item| match item.as_str() {
                Some(text) => text.to_owned(),
                None => item.to_string(),
            });
            items.collect::<Vec<_>>().join(", ")
        }
        value => value.to_string(),
    };
    if let Some(value) = table.get("value") {
        return plain(value);
    }
    if let Some(values) = table.get("one-of") {
        return format!("one of {}", plain(values));
    }
    if table.get("unknown").is_some() {
        return "unknown".to_owned();
    }
    let keys = table.as_object().into_iter().flatten();
    let keys = keys
        .filter(|(key, _)| *key != "source")
        .map(|(key, value)| match (key.as_str(), value) {
            ("path" | "scope", value) => plain(value),
            (key, Value::Bool(true)) => key.to_owned(),
            (key, value) => format!("{key} {}", plain(value)),
        });
    keys.collect::<Vec<_>>().join("; ")
}
