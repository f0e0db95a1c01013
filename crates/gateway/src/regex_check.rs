//! Checks of texts by regular expressions.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use crate::StepState;

/// The most bytes that a compiled pattern takes.
const LARGEST: usize = 1 << 20;

/// The most bytes of a file that is searched.
const MOST_BYTES: u64 = 16 << 20;

/// Compiles the pattern of a check.
pub(crate) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .size_limit(LARGEST)
        .dfa_size_limit(LARGEST)
        .build()
}

/// Searches the result of step `number`, whose state is `of`.
pub(crate) fn in_result(pattern: &str, number: usize, of: Option<&StepState>) -> StepState {
    match of {
        Some(StepState::Done { result }) if !result.is_null() => {
            let text = match text_of(result) {
                text if text.is_empty() => result["structuredContent"].to_string(),
                text => text,
            };
            search(pattern, &text, &format!("the result of step {number}"))
        }
        Some(StepState::Failed { .. }) => StepState::failed(format!("step {number} failed")),
        _ => StepState::skipped(format!("step {number} has no stored result")),
    }
}

/// Searches a file. Bytes that are not UTF-8 match no character.
pub(crate) fn in_file(pattern: &str, path: &str, project: &Path) -> StepState {
    match read(&project.join(path)) {
        Ok(text) => search(pattern, &text, &format!("`{path}`")),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            StepState::failed(format!("there is no `{path}`"))
        }
        Err(error) => StepState::failed(format!("cannot read `{path}`: {error}")),
    }
}

fn read(path: &Path) -> io::Result<String> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(io::Error::other(format!(
            "it has more than {MOST_BYTES} bytes"
        )));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn search(pattern: &str, text: &str, place: &str) -> StepState {
    match compile(pattern) {
        Ok(regex) if regex.is_match(text) => StepState::done(Value::Null),
        Ok(_) => StepState::failed(format!("`{pattern}` does not match in {place}")),
        // A plan of a different version.
        Err(_) => StepState::failed(format!("`{pattern}` is not a regular expression")),
    }
}

/// Returns the texts of a result.
pub(crate) fn text_of(result: &Value) -> String {
    let content = result["content"].as_array();
    let texts = content.into_iter().flatten();
    let texts: Vec<&str> = texts.filter_map(|part| part["text"].as_str()).collect();
    texts.join("\n")
}
