//! Removal of secrets from texts.

use std::fmt;
use std::sync::Arc;

use repertoire_core::text;
use serde_json::Value;

/// The most characters of a foreign text in a message.
const EXCERPT: usize = 200;

/// The secrets that no text may contain. Cheap to clone. Debug output does not show them.
#[derive(Clone, Default)]
pub(crate) struct Redaction(Arc<[String]>);

impl Redaction {
    /// The fewest characters of a secret that is removed. A shorter one would remove parts of ordinary words.
    const SHORTEST: usize = 4;

    const SIGN: &str = "[redacted]";

    /// Creates a redaction of `secrets`. Each line of a secret with several lines is removed as well.
    pub(crate) fn new(secrets: impl IntoIterator<Item = String>) -> Redaction {
        let mut all = Vec::new();
        for secret in secrets {
            if secret.contains('\n') {
                all.extend(secret.lines().map(|line| line.trim().to_owned()));
            }
            all.push(secret.trim().to_owned());
        }
        all.retain(|secret| secret.chars().count() >= Redaction::SHORTEST);
        // A secret that contains another one goes first.
        all.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        all.dedup();
        Redaction(all.into())
    }

    pub(crate) fn longest(&self) -> usize {
        self.0.first().map_or(0, String::len)
    }

    pub(crate) fn of_text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in self.0.iter() {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), Redaction::SIGN);
            }
        }
        text
    }

    /// Removes the secrets from every text of `value`, and from its keys.
    pub(crate) fn of_value(&self, value: &mut Value) {
        if self.0.is_empty() {
            return;
        }
        match value {
            Value::String(text) if self.finds(text) => *text = self.of_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.of_value(item)),
            Value::Object(fields) => {
                if fields.keys().any(|key| self.finds(key)) {
                    let renamed = std::mem::take(fields).into_iter();
                    *fields = renamed
                        .map(|(key, value)| (self.of_text(&key), value))
                        .collect();
                }
                fields.values_mut().for_each(|value| self.of_value(value));
            }
            _ => {}
        }
    }

    /// Returns a foreign text for a message: one line of at most 200 characters, without secrets.
    pub(crate) fn excerpt(&self, foreign: &str) -> String {
        text::excerpt(&self.of_text(foreign), EXCERPT)
    }

    fn finds(&self, text: &str) -> bool {
        self.0.iter().any(|secret| text.contains(secret.as_str()))
    }
}

impl fmt::Debug for Redaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redaction({} secrets)", self.0.len())
    }
}
