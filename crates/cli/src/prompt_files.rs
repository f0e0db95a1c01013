//! Files of prompts with the skills that they expect, and files of synonyms.

use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use repertoire::config::SearchFiles;
use repertoire::search::{ExpectedPrompt, IndexSettings, Synonyms};
use serde_json::Value;

use crate::failure::Failure;
use crate::relative_path::relative_to_cwd;
use crate::text_file;

/// The largest file of prompts or synonyms, in bytes.
const MOST_BYTES: u64 = 64 << 20;
const ENDINGS: [&str; 4] = ["json", "jsonl", "yaml", "yml"];

/// Reads what a configuration adds to the search: its example prompts, and all of its settings.
pub(crate) fn read_settings(
    files: &SearchFiles,
    cwd: &Path,
) -> Result<(Vec<ExpectedPrompt>, IndexSettings), Failure> {
    let examples = match &files.examples {
        Some(path) => read(path, cwd)?,
        None => Vec::new(),
    };
    let mut settings = IndexSettings::new().examples(&examples);
    if let Some(path) = &files.synonyms {
        let shown = path.to_string_lossy();
        let shown = relative_to_cwd(&shown, cwd);
        let synonyms = Synonyms::parse(&text_file::read(path, shown, MOST_BYTES)?);
        settings = settings
            .synonyms(synonyms.map_err(|error| text_file::invalid(path, shown, cwd, &error))?);
    }
    Ok((examples, settings))
}

/// Reads the prompts of a file, or of every such file in a folder, by name.
pub(crate) fn read(path: &Path, cwd: &Path) -> Result<Vec<ExpectedPrompt>, Failure> {
    let full = cwd.join(path);
    let cannot =
        |error: &io::Error| Failure::io(format!("cannot read `{}`", path.display()), error);
    if !full.is_dir() {
        return read_file(&full, path, cwd);
    }
    let entries = fs::read_dir(&full).map_err(|error| cannot(&error))?;
    let mut files = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<PathBuf>, io::Error>>()
        .map_err(|error| cannot(&error))?;
    files.retain(|file| {
        let ending = file.extension().unwrap_or_default().to_string_lossy();
        ENDINGS.contains(&ending.to_ascii_lowercase().as_str()) && file.is_file()
    });
    files.sort();
    let mut prompts = Vec::new();
    for file in files {
        let shown = path.join(file.file_name().unwrap_or_default());
        prompts.extend(read_file(&file, &shown, cwd)?);
    }
    Ok(prompts)
}

fn read_file(file: &Path, shown: &Path, cwd: &Path) -> Result<Vec<ExpectedPrompt>, Failure> {
    let shown = shown.to_string_lossy();
    let shown = relative_to_cwd(&shown, cwd);
    let text = text_file::read(file, shown, MOST_BYTES)?;
    let path = file.to_string_lossy();
    let prompts = if path.ends_with(".yaml") || path.ends_with(".yml") {
        let document = yaml(&text, |error| text_file::invalid(file, shown, cwd, error))?;
        ExpectedPrompt::read(&path, &document)
    } else {
        ExpectedPrompt::parse(&path, &text)
    };
    prompts.map_err(|error| text_file::invalid(file, shown, cwd, &error))
}

#[cfg(feature = "yaml")]
fn yaml(text: &str, invalid: impl Fn(&dyn Display) -> Failure) -> Result<Value, Failure> {
    serde_saphyr::from_str(text).map_err(|error| invalid(&error))
}

#[cfg(not(feature = "yaml"))]
fn yaml(_: &str, invalid: impl Fn(&dyn Display) -> Failure) -> Result<Value, Failure> {
    let failure = invalid(&"this program reads no YAML");
    Err(failure.help("write the prompts as JSON lines, or build with the feature `yaml`"))
}
