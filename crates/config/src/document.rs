//! The text of a configuration, its tables, and errors that point into it.

use std::ops::Range;
use std::path::{Component, Path};

use repertoire_registry::{ConfigError, SourceConfig};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};
use toml_edit::{Document, Item, TableLike, Value};

use crate::ConfigurationError;

/// A parsed configuration, with its text.
#[derive(Debug)]
pub(crate) struct TomlDocument {
    /// The path of a file, or an option of a command line.
    name: String,
    toml: Document<String>,
    is_quotable: bool,
}

impl TomlDocument {
    pub(crate) fn parse(
        name: &str,
        text: String,
        is_quotable: bool,
    ) -> Result<TomlDocument, ConfigurationError> {
        match Document::parse(text.clone()) {
            Ok(toml) => Ok(TomlDocument {
                name: name.to_owned(),
                toml,
                is_quotable,
            }),
            Err(error) => {
                // An error at the end of the file has no span.
                let span = error.span().unwrap_or(text.len()..text.len());
                Err(ConfigurationError::new(error.message()).at(name, &text, span, is_quotable))
            }
        }
    }

    pub(crate) fn items(&self) -> impl Iterator<Item = (&str, &Item)> {
        self.toml.iter()
    }

    pub(crate) fn key_span(&self, key: &str) -> Range<usize> {
        self.toml
            .key(key)
            .and_then(toml_edit::Key::span)
            .unwrap_or(0..0)
    }

    /// Returns an error about the bytes at `span`.
    pub(crate) fn error(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> ConfigurationError {
        ConfigurationError::new(message).at(&self.name, self.toml.raw(), span, self.is_quotable)
    }

    /// Returns the tables `[[source]]`.
    pub(crate) fn sources(&self) -> Result<Vec<Section<'_>>, ConfigurationError> {
        match self.toml.get("source") {
            None => Ok(Vec::new()),
            Some(Item::ArrayOfTables(tables)) => Ok(tables
                .iter()
                .map(|table| Section::of(self, table, table.span()))
                .collect()),
            Some(Item::Value(Value::Array(array))) => {
                let tables = array.iter().map(|value| match value {
                    Value::InlineTable(table) => Ok(Section::of(self, table, table.span())),
                    other => Err(self.expected_tables(other.span(), other.type_name())),
                });
                tables.collect()
            }
            Some(other) => Err(self.expected_tables(other.span(), other.type_name())),
        }
    }

    fn expected_tables(&self, span: Option<Range<usize>>, found: &str) -> ConfigurationError {
        self.error(
            span.unwrap_or(0..0),
            format!("expected tables `[[source]]`, found {found}"),
        )
    }
}

/// A table of a configuration whose values have spans.
pub(crate) struct Section<'a> {
    pub(crate) document: &'a TomlDocument,
    /// The values as JSON; a date is a text.
    pub(crate) values: Map<String, Json>,
    table: &'a dyn TableLike,
    header: Range<usize>,
}

impl<'a> Section<'a> {
    /// Returns the table that `item` must be.
    pub(crate) fn new(
        document: &'a TomlDocument,
        item: &'a Item,
    ) -> Result<Section<'a>, ConfigurationError> {
        let Some(table) = item.as_table_like() else {
            let message = format!("expected a table, found {}", item.type_name());
            return Err(document.error(item.span().unwrap_or(0..0), message));
        };
        Ok(Section::of(document, table, item.span()))
    }

    fn of(
        document: &'a TomlDocument,
        table: &'a dyn TableLike,
        span: Option<Range<usize>>,
    ) -> Section<'a> {
        Section {
            document,
            values: object(table),
            table,
            header: span.unwrap_or(0..0),
        }
    }

    /// Deserializes values of this section.
    pub(crate) fn typed<T: DeserializeOwned>(
        &self,
        values: Map<String, Json>,
    ) -> Result<T, ConfigurationError> {
        SourceConfig::new("", "", values)
            .options()
            .map_err(|error| self.locate(&error))
    }

    /// Returns an error that points to the option of `error`, or to the table's header.
    pub(crate) fn locate(&self, error: &ConfigError) -> ConfigurationError {
        let span = error
            .key
            .as_deref()
            .map_or_else(|| self.header.clone(), |key| self.span(key));
        self.document.error(span, error.message.clone())
    }

    /// Returns the span of the longest existing prefix of a dotted path: `limits.depth`, `roots[1]`.
    pub(crate) fn span(&self, path: &str) -> Range<usize> {
        let mut found = self.header.clone();
        let mut node = Node::Table(self.table);
        // The name of an option may hold dots.
        let steps: Vec<_> = if self.table.contains_key(path) {
            vec![path]
        } else {
            path.split(['.', '['])
                .map(|step| step.trim_end_matches(']'))
                .collect()
        };
        for step in steps {
            let Some((span, next)) = node.child(step) else {
                break;
            };
            found = span.unwrap_or(found);
            let Some(next) = next else { break };
            node = next;
        }
        found
    }
}

/// A node of a TOML document that has children.
enum Node<'a> {
    Table(&'a dyn TableLike),
    Array(&'a toml_edit::Array),
    Tables(&'a toml_edit::ArrayOfTables),
}

impl<'a> Node<'a> {
    /// Returns the span of a child and, if it has children itself, its node.
    fn child(&self, step: &str) -> Option<(Option<Range<usize>>, Option<Node<'a>>)> {
        match self {
            Node::Table(table) => {
                let (key, item) = table.get_key_value(step)?;
                // From the key to the end of the value: the error may be about either.
                let span = match (key.span(), item.span()) {
                    (Some(key), Some(value)) => Some(key.start..value.end.max(key.end)),
                    (key, value) => key.or(value),
                };
                let node = match item {
                    Item::Table(table) => Some(Node::Table(table)),
                    Item::ArrayOfTables(tables) => Some(Node::Tables(tables)),
                    Item::Value(value) => Node::of(value),
                    Item::None => None,
                };
                Some((span, node))
            }
            Node::Array(array) => {
                let value = array.get(step.parse().ok()?)?;
                Some((value.span(), Node::of(value)))
            }
            Node::Tables(tables) => {
                let table = tables.get(step.parse().ok()?)?;
                Some((table.span(), Some(Node::Table(table))))
            }
        }
    }

    fn of(value: &'a Value) -> Option<Node<'a>> {
        match value {
            Value::InlineTable(table) => Some(Node::Table(table)),
            Value::Array(array) => Some(Node::Array(array)),
            _ => None,
        }
    }
}

fn object(table: &dyn TableLike) -> Map<String, Json> {
    let rows = table.iter().map(|(key, item)| {
        let value = match item {
            Item::None => Json::Null,
            Item::Value(value) => json(value),
            Item::Table(table) => Json::Object(object(table)),
            Item::ArrayOfTables(tables) => tables
                .iter()
                .map(|table| Json::Object(object(table)))
                .collect(),
        };
        (key.to_owned(), value)
    });
    rows.collect()
}

fn json(value: &Value) -> Json {
    match value {
        Value::String(text) => text.value().as_str().into(),
        Value::Integer(number) => (*number.value()).into(),
        Value::Float(number) => (*number.value()).into(),
        Value::Boolean(flag) => (*flag.value()).into(),
        Value::Datetime(date) => date.value().to_string().into(),
        Value::Array(array) => array.iter().map(json).collect(),
        Value::InlineTable(table) => Json::Object(object(table)),
    }
}

/// Returns whether no link leads `file` out of `folder` or, for a path to a different folder, out of the folder of the file.
pub(crate) fn is_quotable(file: &Path, folder: &Path) -> bool {
    let is_inside = file
        .strip_prefix(folder)
        .is_ok_and(|below| !below.components().any(|part| part == Component::ParentDir));
    let base = if is_inside {
        folder
    } else {
        file.parent().unwrap_or(folder)
    };
    matches!((file.canonicalize(), base.canonicalize()), (Ok(file), Ok(base)) if file.starts_with(&base))
}
