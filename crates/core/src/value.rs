//! Front-matter values, spelled as the author spelled them.

use std::sync::Arc;

use serde::ser::{Serialize, Serializer};

/// A scalar and how it was written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Scalar {
    /// The text: for a plain scalar its source spelling (`1.0`, `0x10`, `no`), else the value the quotes or block give.
    pub text: Arc<str>,
    /// `true` if it was written without quotes, so that `true` may mean a boolean.
    pub plain: bool,
}

/// A front-matter value in the order and spelling of its author.
///
/// YAML 1.1 would turn `no` into a boolean and `1.10` into a number. A value keeps the text, and each field has its own type.
/// [`json`](Value::json) types a plain scalar by the YAML 1.2 core schema, if JSON spells the value as the author did.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Value {
    /// A scalar; an absent value (`key:`) is an empty plain one.
    Scalar(Scalar),
    /// A list.
    List(Vec<Value>),
    /// A map in source order, keys unique.
    Map(Vec<(Arc<str>, Value)>),
}

impl Value {
    /// Creates a quoted text.
    pub fn text(text: impl Into<Arc<str>>) -> Value {
        Value::Scalar(Scalar {
            text: text.into(),
            plain: false,
        })
    }

    /// Creates a scalar without quotes.
    pub fn plain(text: impl Into<Arc<str>>) -> Value {
        Value::Scalar(Scalar {
            text: text.into(),
            plain: true,
        })
    }

    /// Returns the text of a scalar; `None` for lists, maps and null.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Scalar(scalar) if !self.is_null() => Some(&scalar.text),
            _ => None,
        }
    }

    /// Returns a flag in any spelling that authors use: `true`, `yes`, `on`, `1` and their opposites, in any letter case,
    /// quoted or not.
    pub fn as_bool(&self) -> Option<bool> {
        match self.as_text()?.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Some(true),
            "false" | "no" | "off" | "0" => Some(false),
            _ => None,
        }
    }

    /// Returns the items of a list; a text counts as a list of one.
    pub fn items(&self) -> &[Value] {
        match self {
            Value::List(items) => items,
            Value::Scalar(_) if !self.is_null() => std::slice::from_ref(self),
            _ => &[],
        }
    }

    /// Returns whether this is YAML's null: a plain `null`, `~` or nothing.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Scalar(Scalar { text, plain: true })
            if matches!(text.as_ref(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// Returns the value under `key` of a map.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Map(rows) => rows
                .iter()
                .find(|(name, _)| name.as_ref() == key)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// Returns the value at a dotted path of map keys, `openclaw.requires`.
    pub fn at(&self, path: &str) -> Option<&Value> {
        path.split('.').try_fold(self, |value, key| value.get(key))
    }

    /// Returns the value as JSON.
    pub fn json(&self) -> serde_json::Value {
        match self {
            Value::Scalar(scalar) => scalar.json(),
            Value::List(items) => items.iter().map(Value::json).collect(),
            Value::Map(rows) => rows
                .iter()
                .map(|(key, value)| (key.to_string(), value.json()))
                .collect(),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::text(text)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Value {
        Value::plain(flag.to_string())
    }
}

impl<V: Into<Value>> From<Vec<V>> for Value {
    fn from(items: Vec<V>) -> Value {
        Value::List(items.into_iter().map(Into::into).collect())
    }
}

impl<V: Into<Value>, const N: usize> From<[V; N]> for Value {
    fn from(items: [V; N]) -> Value {
        Value::List(items.into_iter().map(Into::into).collect())
    }
}

impl From<&serde_json::Value> for Value {
    fn from(json: &serde_json::Value) -> Value {
        match json {
            serde_json::Value::String(text) => Value::text(text.as_str()),
            serde_json::Value::Array(items) => Value::List(items.iter().map(Value::from).collect()),
            serde_json::Value::Object(rows) => Value::Map(
                rows.iter()
                    .map(|(key, value)| (key.as_str().into(), Value::from(value)))
                    .collect(),
            ),
            other => Value::plain(other.to_string()),
        }
    }
}

impl Scalar {
    fn json(&self) -> serde_json::Value {
        if self.plain {
            match self.text.as_ref() {
                "" | "~" | "null" | "Null" | "NULL" => return serde_json::Value::Null,
                "true" => return true.into(),
                "false" => return false.into(),
                text => {
                    if let Ok(number) = text.parse::<serde_json::Number>()
                        && number.to_string() == text
                    {
                        return number.into();
                    }
                }
            }
        }
        self.text.as_ref().into()
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json().serialize(serializer)
    }
}

#[cfg(test)]
mod tests;
