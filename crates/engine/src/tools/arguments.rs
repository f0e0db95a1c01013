//! What a model gave a tool.

use serde_json::Value;

use super::answer::{AnswerCode, Failure};
use super::toolset::quoted;

/// What a model gave a tool.
pub(super) struct Arguments<'a>(pub(super) &'a Value);

impl<'a> Arguments<'a> {
    /// The text under `key`. A blank one is absent, as models fill what they leave open.
    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, Failure> {
        Ok(self.written(key)?.filter(|text| !text.trim().is_empty()))
    }

    /// The text under `key` as it is written, blank or not.
    pub(super) fn written(&self, key: &str) -> Result<Option<&'a str>, Failure> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(bad(&format!("`{key}` is a text; found {}", quoted(&other.to_string())))),
        }
    }

    pub(super) fn required(&self, key: &str, what: &str) -> Result<&'a str, Failure> {
        match self.text(key)? {
            Some(text) => Ok(text),
            None => Err(self.missing(key, what)),
        }
    }

    /// Says that `key` is missing.
    pub(super) fn missing(&self, key: &str, what: &str) -> Failure {
        bad(&format!("`{key}` is missing: {what}"))
    }

    /// The number under `key`. Some models write numbers as text, and some hosts make every number a float: `5.0` is a whole one.
    pub(super) fn number(&self, key: &str) -> Result<Option<usize>, Failure> {
        let number = match self.0.get(key) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(Value::Number(number)) => Some(number.clone()),
            Some(_) => None,
        };
        let whole = number.as_ref().and_then(whole);
        whole.map(Some).ok_or_else(|| {
            let found = self.0.get(key).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            bad(&format!("`{key}` is a whole number from 0 on; found {}", quoted(&found.unwrap_or_default())))
        })
    }
}

/// Returns the number as a count, if it is one.
fn whole(number: &serde_json::Number) -> Option<usize> {
    /// Above it, floats skip whole numbers.
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    let float = || {
        let float = number.as_f64()?;
        // Exact: it is whole and in range.
        ((0.0..=LARGEST).contains(&float) && float.fract() == 0.0).then_some(float as u64)
    };
    usize::try_from(number.as_u64().or_else(float)?).ok()
}

fn bad(what: &str) -> Failure {
    Failure::new(AnswerCode::BadArguments, format!("The arguments do not fit: {what}."))
}
