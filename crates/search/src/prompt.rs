//! Prompts with the skills that they expect, as files of tests hold them.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::error::SearchFileError;

/// A prompt, and the skill that is right for it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExpectedPrompt {
    /// The text of the user.
    pub prompt: Arc<str>,
    /// The right answer.
    pub goal: PromptGoal,
}

/// The right answer to a prompt. Names are those of the file: ids, full names, or paths that end with a skill's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PromptGoal {
    /// One of these skills comes first.
    AnyOf(Vec<Arc<str>>),
    /// None of these skills comes first.
    NoneOf(Vec<Arc<str>>),
    /// No skill fits.
    Nothing,
}

/// Keys of a list of prompts, of a text, and of the expected skills.
const LISTS: [&str; 9] = [
    "evals",
    "scenarios",
    "stimuli",
    "cases",
    "queries",
    "prompts",
    "tests",
    "variants",
    "negative",
];
const TEXTS: [&str; 5] = ["prompt", "query", "q", "input", "text"];
const SKILLS: [&str; 7] = [
    "expected_skill",
    "expected_skills",
    "skill",
    "skill_name",
    "gold",
    "expected",
    "tool",
];
/// Folders of tests, which do not name a skill.
const TEST_FOLDERS: [&str; 5] = ["evals", "eval", "tests", "test", "examples"];

impl ExpectedPrompt {
    /// Creates a prompt that this skill is right for.
    pub fn new(prompt: impl Into<Arc<str>>, skill: impl Into<Arc<str>>) -> ExpectedPrompt {
        ExpectedPrompt {
            prompt: prompt.into(),
            goal: PromptGoal::AnyOf(vec![skill.into()]),
        }
    }

    /// Returns the prompt as a line of a `.jsonl` file, with a line feed.
    ///
    /// A host that appends the prompt of each activation that was right keeps a file that people can review, and that
    /// [`parse`](ExpectedPrompt::parse) reads.
    pub fn to_line(&self) -> String {
        let (skills, is_right): (&[Arc<str>], bool) = match &self.goal {
            PromptGoal::AnyOf(skills) => (skills, true),
            PromptGoal::NoneOf(skills) => (skills, false),
            PromptGoal::Nothing => (&[], true),
        };
        let mut row = serde_json::json!({ "prompt": self.prompt, "expected_skill": skills });
        if !is_right {
            row["should_trigger"] = false.into();
        }
        format!("{row}\n")
    }

    /// Parses a file of prompts: JSON Lines if `path` ends with `.jsonl`, and JSON otherwise.
    ///
    /// # Errors
    /// [`SearchFileError`] if the text is not of that form, or not of that of [`read`](ExpectedPrompt::read).
    pub fn parse(path: &str, text: &str) -> Result<Vec<ExpectedPrompt>, SearchFileError> {
        ExpectedPrompt::read(path, &document(path, text)?)
    }

    /// Reads the prompts of a parsed file of any format.
    ///
    /// - A list, or a mapping with a list under `evals`, `scenarios`, `stimuli`, `cases`, `queries`, `prompts`, `tests` or
    ///   `variants`. An item is a prompt, or a mapping with `prompt`, `query`, `q`, `input` or `text`.
    /// - An item or the file names the right skills under `expected_skill`, `expected_skills`, `skill`, `skill_name`, `gold`,
    ///   `expected` or `tool`; none if it is empty. Without one, the folder of the file names it, or the one above `evals`.
    /// - `should_trigger: false` in an item, and the lists under `should_not_trigger`, are prompts that the skill is wrong for.
    ///
    /// # Errors
    /// [`SearchFileError`] if the document is not of that form.
    pub fn read(path: &str, document: &Value) -> Result<Vec<ExpectedPrompt>, SearchFileError> {
        let mut rows = PromptRows {
            owner: owner(path),
            prompts: Vec::new(),
            count: 0,
        };
        rows.read(document)?;
        Ok(rows.prompts)
    }
}

fn document(path: &str, text: &str) -> Result<Value, SearchFileError> {
    if path.to_ascii_lowercase().ends_with(".jsonl") {
        let lines = text.lines().enumerate();
        let lines = lines.filter(|(_, line)| !line.trim().is_empty());
        let rows = lines.map(|(number, line)| {
            let row = serde_json::from_str(line);
            row.map_err(|error| SearchFileError::Syntax(format!("line {}: {error}", number + 1)))
        });
        return rows.collect::<Result<_, _>>().map(Value::Array);
    }
    serde_json::from_str(text).map_err(|error| SearchFileError::Syntax(error.to_string()))
}

/// Returns the name of the folder of `path`, or of the one above a folder of tests.
fn owner(path: &str) -> Option<Arc<str>> {
    let folders = path.rsplit(['/', '\\']).skip(1);
    let mut names = folders.filter(|name| !TEST_FOLDERS.contains(name));
    names
        .next()
        .filter(|name| !name.is_empty() && *name != "." && *name != "..")
        .map(Arc::from)
}

struct PromptRows {
    /// The skill of a prompt that names none.
    owner: Option<Arc<str>>,
    prompts: Vec<ExpectedPrompt>,
    /// Prompts so far, for errors.
    count: usize,
}

impl PromptRows {
    fn read(&mut self, document: &Value) -> Result<(), SearchFileError> {
        let file = match document {
            Value::Array(items) => return items.iter().try_for_each(|item| self.item(item, None)),
            Value::Object(file) => file,
            _ => return Err(SearchFileError::Shape),
        };
        if let Some(name) = expected(file).and_then(|names| names.into_iter().next()) {
            self.owner = Some(name);
        }
        let mut found = false;
        for (key, is_right) in [("should_trigger", true), ("should_not_trigger", false)] {
            for text in file.get(key).map(texts).unwrap_or_default() {
                found = true;
                self.push(text, None, is_right)?;
            }
        }
        for items in LISTS.iter().filter_map(|key| file.get(*key)?.as_array()) {
            found = true;
            items.iter().try_for_each(|item| self.item(item, None))?;
        }
        if found {
            Ok(())
        } else {
            Err(SearchFileError::Shape)
        }
    }

    fn item(&mut self, item: &Value, skills: Option<&[Arc<str>]>) -> Result<(), SearchFileError> {
        let row = match item {
            Value::String(text) => return self.push(text, skills.map(<[_]>::to_vec), true),
            Value::Object(row) => row,
            _ => return Err(SearchFileError::Shape),
        };
        let skills = expected(row).or_else(|| skills.map(<[_]>::to_vec));
        let is_right = row.get("should_trigger").and_then(Value::as_bool) != Some(false);
        if let Some(text) = TEXTS.iter().find_map(|key| row.get(*key)?.as_str()) {
            return self.push(text, skills, is_right);
        }
        // A skill with its prompts.
        let mut lists = LISTS.iter().filter_map(|key| row.get(*key)?.as_array());
        let items = lists.next().ok_or(SearchFileError::Shape)?;
        items
            .iter()
            .filter(|item| !item.is_array())
            .try_for_each(|item| self.item(item, skills.as_deref()))
    }

    fn push(
        &mut self,
        text: &str,
        skills: Option<Vec<Arc<str>>>,
        is_right: bool,
    ) -> Result<(), SearchFileError> {
        self.count += 1;
        let skills = skills.or_else(|| Some(vec![self.owner.clone()?]));
        let skills = skills.ok_or(SearchFileError::NoSkill(self.count))?;
        if text.trim().is_empty() {
            return Ok(());
        }
        self.prompts.push(ExpectedPrompt {
            prompt: text.trim().into(),
            goal: match is_right {
                _ if skills.is_empty() => PromptGoal::Nothing,
                true => PromptGoal::AnyOf(skills),
                false => PromptGoal::NoneOf(skills),
            },
        });
        Ok(())
    }
}

/// Returns the skills that a mapping names; an empty list if it names that there is none.
fn expected(row: &Map<String, Value>) -> Option<Vec<Arc<str>>> {
    let value = SKILLS.iter().find_map(|key| row.get(*key))?;
    match value {
        Value::Null => Some(Vec::new()),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
        Value::String(_) | Value::Array(_) => Some(
            texts(value)
                .into_iter()
                .filter(|name| !name.trim().is_empty())
                .map(|name| Arc::from(skill_name(name)))
                .collect(),
        ),
    }
}

/// Returns the folder of a skill's path: `pdf` of `skills/pdf/SKILL.md`.
fn skill_name(path: &str) -> &str {
    let path = path.trim().trim_end_matches('/');
    let folder = path.strip_suffix("/SKILL.md").unwrap_or(path);
    folder.rsplit('/').next().unwrap_or(folder)
}

/// Returns every text of a value: itself, or those in its lists.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(map) => map.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}
