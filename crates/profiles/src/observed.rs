//! The lists of skills that agents themselves write or print.
//!
//! Transcripts are private: only names, descriptions and paths of skills, dates and the folder of a session leave a reader.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use crate::fact::choices;

/// The skills that an agent listed to its model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ObservedList {
    /// The time of the list, as the agent wrote it.
    pub date: Option<String>,
    /// The skills, in the order of the agent.
    pub skills: Vec<ObservedSkill>,
}

/// A skill in the list of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ObservedSkill {
    /// The name.
    pub name: String,
    /// The description, if the list has it.
    pub description: Option<String>,
    /// The file or folder, if the list has it.
    pub path: Option<String>,
    /// `false` if the agent lists it as disabled.
    pub is_enabled: bool,
}

/// The skills in one transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObservedSession {
    /// The folder in which the agent was started.
    pub folder: Option<String>,
    /// The last list in the transcript.
    pub list: Option<ObservedList>,
    /// The names of the skills that were used.
    pub used: BTreeSet<String>,
}

/// A reader of one transcript, line by line.
#[derive(Debug, Clone)]
pub struct TranscriptReader {
    format: TranscriptFormat,
    session: ObservedSession,
}

choices! {
    TranscriptFormat {
        /// The session files of Claude Code.
        Claude,
        /// The rollouts of Codex.
        Codex,
    }
}

choices! {
    PrintedFormat {
        /// A list of objects, or one under the key `skills`.
        Json,
        /// The prompt of Codex, as text or inside of JSON.
        CodexPrompt,
        /// The list of Gemini CLI for people.
        GeminiText,
    }
}

impl TranscriptReader {
    pub(crate) fn new(format: TranscriptFormat) -> TranscriptReader {
        TranscriptReader {
            format,
            session: ObservedSession::default(),
        }
    }

    /// Reads one line. A line that is not a record of skills has no effect.
    pub fn line(&mut self, line: &str) {
        let words: &[&str] = match self.format {
            TranscriptFormat::Claude => &["\"skill", "\"Skill\"", "<command-name>"],
            TranscriptFormat::Codex => &["<skills_instructions>", "SKILL.md", "\"session_meta\""],
        };
        let has_folder = self.session.folder.is_some() || !line.contains("\"cwd\"");
        if has_folder && !words.iter().any(|word| line.contains(word)) {
            return;
        }
        let Ok(record) = serde_json::from_str::<Value>(line) else {
            return;
        };
        match self.format {
            TranscriptFormat::Claude => self.claude(&record),
            TranscriptFormat::Codex => self.codex(&record),
        }
    }

    /// Returns the result of all lines.
    pub fn finish(self) -> ObservedSession {
        self.session
    }

    fn claude(&mut self, record: &Value) {
        self.set_folder(&record["cwd"]);
        let attachment = &record["attachment"];
        match (record["type"].as_str(), attachment["type"].as_str()) {
            // The list of an agent that a tool started can be shorter.
            (_, Some("skill_listing")) if record["isSidechain"] != true => {
                let mut skills = claude_lines(attachment);
                let date = text(&record["timestamp"]);
                match &mut self.session.list {
                    Some(list) if attachment["isInitial"] == false => {
                        skills.retain(|new| !list.skills.iter().any(|old| old.name == new.name));
                        list.skills.extend(skills);
                        list.date = date;
                    }
                    list => *list = Some(ObservedList { date, skills }),
                }
            }
            (Some("assistant"), _) => {
                let blocks = record["message"]["content"].as_array();
                let calls = blocks.into_iter().flatten();
                let calls = calls.filter(|block| block["name"] == "Skill");
                let names = calls.filter_map(|call| text(&call["input"]["skill"]));
                self.session.used.extend(names);
            }
            (Some("user"), _) => {
                if let Some(name) = record["message"]["content"].as_str().and_then(command) {
                    self.session.used.insert(name.to_owned());
                }
            }
            _ => {}
        }
    }

    fn codex(&mut self, record: &Value) {
        let payload = &record["payload"];
        self.set_folder(&payload["cwd"]);
        match payload["type"].as_str() {
            Some("message") if payload["role"] == "developer" => {
                let parts = payload["content"].as_array().into_iter().flatten();
                let texts = parts.filter_map(|part| part["text"].as_str());
                if let Some(skills) = texts.filter_map(codex_lines).next_back() {
                    let date = text(&record["timestamp"]);
                    self.session.list = Some(ObservedList { date, skills });
                }
            }
            Some("function_call" | "custom_tool_call" | "local_shell_call") => {
                self.session.used.extend(files_read(&payload.to_string()));
            }
            _ => {}
        }
    }

    fn set_folder(&mut self, cwd: &Value) {
        if self.session.folder.is_none() {
            self.session.folder = text(cwd);
        }
    }
}

/// Parses the list that an agent prints.
pub(crate) fn parse_printed(format: PrintedFormat, printed: &str) -> Option<ObservedList> {
    let skills = match format {
        PrintedFormat::Json => json_rows(&serde_json::from_str(printed).ok()?)?,
        PrintedFormat::CodexPrompt => match serde_json::from_str(printed) {
            Ok(value) => strings(&value).into_iter().find_map(codex_lines)?,
            Err(_) => codex_lines(printed)?,
        },
        PrintedFormat::GeminiText => gemini_rows(&without_colours(printed))?,
    };
    Some(ObservedList { date: None, skills })
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn skill(name: &str, description: Option<&str>) -> ObservedSkill {
    ObservedSkill {
        name: name.to_owned(),
        description: description.map(|text| text.trim().to_owned()),
        path: None,
        is_enabled: true,
    }
}

/// Returns the skills of an attachment: lines `- NAME: DESCRIPTION`, where a description can have several lines.
fn claude_lines(attachment: &Value) -> Vec<ObservedSkill> {
    let content = attachment["content"].as_str().unwrap_or_default();
    let names = attachment["names"].as_array();
    let names: Option<BTreeSet<_>> =
        names.map(|all| all.iter().filter_map(Value::as_str).collect());
    let mut found: Vec<ObservedSkill> = Vec::new();
    for line in content.lines() {
        let entry = line.strip_prefix("- ").map(name_and_rest);
        match entry.filter(|(name, _)| names.as_ref().is_none_or(|all| all.contains(name))) {
            Some((name, rest)) => found.push(skill(name, rest)),
            None => {
                let last = found.last_mut().and_then(|last| last.description.as_mut());
                if let Some(description) = last {
                    description.push('\n');
                    description.push_str(line);
                }
            }
        }
    }
    found
}

/// Splits `NAME: REST`. A name can hold a colon that no blank follows.
fn name_and_rest(line: &str) -> (&str, Option<&str>) {
    match line.split_once(": ") {
        Some((name, rest)) => (name, Some(rest)),
        None => (line.trim_end_matches(':'), None),
    }
}

fn codex_lines(prompt: &str) -> Option<Vec<ObservedSkill>> {
    let (_, list) = prompt.split_once("<skills_instructions>")?;
    let list = list.split("</skills_instructions>").next()?;
    let entries = list.lines().filter_map(|line| {
        let (entry, path) = line.strip_prefix("- ")?.rsplit_once(" (file: ")?;
        let (name, rest) = name_and_rest(entry);
        let mut skill = skill(name, rest);
        skill.path = Some(path.trim_end_matches(')').to_owned());
        Some(skill)
    });
    Some(entries.collect())
}

/// Returns the command in `<command-name>/NAME</command-name>`.
fn command(content: &str) -> Option<&str> {
    let (_, rest) = content.split_once("<command-name>")?;
    let (name, _) = rest.split_once("</command-name>")?;
    Some(name.trim_start_matches('/'))
}

/// Returns the folders of the files `SKILL.md` in a call.
fn files_read(call: &str) -> BTreeSet<String> {
    let ends = call.match_indices("/SKILL.md");
    let names = ends.filter_map(|(end, _)| {
        let is_edge = |c: char| c == '/' || c == '\\' || c == '"' || c.is_whitespace();
        let name = call[..end].rsplit(is_edge).next()?;
        (!name.is_empty()).then(|| name.to_owned())
    });
    names.collect()
}

/// Returns every string in a value.
fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(fields) => fields.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

fn json_rows(value: &Value) -> Option<Vec<ObservedSkill>> {
    let rows = value.as_array().or_else(|| value["skills"].as_array())?;
    let rows = rows.iter().filter_map(|row| {
        let mut skill = skill(row["name"].as_str()?, row["description"].as_str());
        let paths = ["path", "location", "baseDir"].iter();
        skill.path = paths.filter_map(|key| text(&row[key])).next();
        skill.is_enabled = row["enabled"] != false && row["disabled"] != true;
        Some(skill)
    });
    Some(rows.collect())
}

fn gemini_rows(printed: &str) -> Option<Vec<ObservedSkill>> {
    if printed.contains("No skills discovered.") {
        return Some(Vec::new());
    }
    let (_, list) = printed.split_once("Discovered Agent Skills:")?;
    let mut found: Vec<ObservedSkill> = Vec::new();
    for line in list.lines() {
        let field = |name: &str| Some(line.strip_prefix("  ")?.strip_prefix(name)?.trim());
        let states = [(" [Enabled]", true), (" [Disabled]", false)];
        let states = states.iter();
        let mut heads = states.filter_map(|(mark, on)| Some((line.split_once(mark)?.0, *on)));
        if let Some(description) = field("Description:") {
            if let Some(last) = found.last_mut() {
                last.description = Some(description.to_owned());
            }
        } else if let Some(path) = field("Location:") {
            if let Some(last) = found.last_mut() {
                last.path = Some(path.to_owned());
            }
        } else if let Some((name, is_enabled)) = heads.next() {
            let mut skill = skill(name, None);
            skill.is_enabled = is_enabled;
            found.push(skill);
        }
    }
    Some(found)
}

/// Returns the text without escape sequences of colours.
fn without_colours(printed: &str) -> String {
    let mut parts = printed.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('m').map_or(part, |(_, rest)| rest)
    })
}
