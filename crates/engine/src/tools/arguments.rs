//! What a model gave a tool.

use serde_json::Value;

use super::answer::{AnswerCode, Failure};
use super::toolset::quoted;

/// What a model gave a tool.
pub(super) struct Arguments<'a>(pub(super) &'a Value);

impl<'a> Arguments<'a> {
    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, Failure> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(bad(&format!("`{key}` is a text; found {}", quoted(&other.to_string())))),
        }
    }

    pub(super) fn required(&self, key: &str, what: &str) -> Result<&'a str, Failure> {
        match self.text(key)? {
            Some(text) => Ok(text),
            None => Err(bad(&format!("`{key}` is missing: {what}"))),
        }
    }

    /// Some models write numbers as text.
    pub(super) fn number(&self, key: &str) -> Result<Option<usize>, Failure> {
        let number = match self.0.get(key) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(other) => other.as_u64(),
        };
        let number = number.and_then(|number: u64| usize::try_from(number).ok());
        number.map(Some).ok_or_else(|| bad(&format!("`{key}` is a number that is not negative")))
    }
}

fn bad(what: &str) -> Failure {
    Failure::new(AnswerCode::BadArguments, format!("The arguments do not fit: {what}."))
}
