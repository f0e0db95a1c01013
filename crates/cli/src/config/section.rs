//! Configuration text, its tables, and failures that point into it.

use std::ops::Range;

use repertoire::registry::{ConfigError, SourceConfig};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};
use toml_edit::{Item, TableLike, Value};

use crate::failure::Failure;
use crate::report::Excerpt;

/// A configuration text and its name: the path of a file, or an option of the command line.
#[derive(Debug)]
pub(crate) struct ConfigFile {
    name: String,
    text: String,
    is_quotable: bool,
}

impl ConfigFile {
    /// Returns a text. Failures quote its lines if `is_quotable`; a file behind a link that leads out is not.
    pub(crate) fn new(name: impl Into<String>, text: impl Into<String>, is_quotable: bool) -> ConfigFile {
        ConfigFile { name: name.into(), text: text.into(), is_quotable }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns a failure about the bytes at `span`.
    pub(crate) fn failure(&self, span: Range<usize>, message: impl Into<String>) -> Failure {
        let failure = Failure::new(message);
        if self.is_quotable {
            return failure.at(self.name.clone(), Excerpt::of(&self.text, span));
        }
        let before = self.text.as_bytes().iter().take(span.start);
        let line = before.filter(|byte| **byte == b'\n').count() + 1;
        failure.help(format!("see line {line} of the file that `{}` links to", self.name))
    }
}

/// A table of a configuration file whose values have spans.
pub(crate) struct Section<'a> {
    pub(crate) file: &'a ConfigFile,
    /// The values as JSON; a date is a text.
    pub(crate) values: Map<String, Json>,
    table: &'a dyn TableLike,
    header: Range<usize>,
}

impl<'a> Section<'a> {
    /// Returns the table that `item` must be.
    pub(crate) fn new(file: &'a ConfigFile, item: &'a Item) -> Result<Section<'a>, Failure> {
        match item.as_table_like() {
            Some(table) => Ok(Section::of(file, table, item.span())),
            None => {
                let message = format!("expected a table, found {}", item.type_name());
                Err(file.failure(item.span().unwrap_or(0..0), message))
            }
        }
    }

    /// Returns the tables that `item` must be an array of.
    pub(crate) fn each(file: &'a ConfigFile, item: &'a Item) -> Result<Vec<Section<'a>>, Failure> {
        match item {
            Item::ArrayOfTables(tables) => {
                Ok(tables.iter().map(|table| Section::of(file, table, table.span())).collect())
            }
            Item::Value(Value::Array(array)) => {
                let tables = array.iter().map(|value| match value {
                    Value::InlineTable(table) => Ok(Section::of(file, table, table.span())),
                    other => Err(expected_tables(file, other.span(), other.type_name())),
                });
                tables.collect()
            }
            other => Err(expected_tables(file, other.span(), other.type_name())),
        }
    }

    fn of(file: &'a ConfigFile, table: &'a dyn TableLike, span: Option<Range<usize>>) -> Section<'a> {
        Section { file, values: object(table), table, header: span.unwrap_or(0..0) }
    }

    /// Deserializes values of this section.
    pub(crate) fn typed<T: DeserializeOwned>(&self, values: Map<String, Json>) -> Result<T, Failure> {
        SourceConfig::new("", "", values).options().map_err(|error| self.refuse(&error))
    }

    /// Returns a failure that points to the option of an error, or to the table's header.
    pub(crate) fn refuse(&self, error: &ConfigError) -> Failure {
        let span = error.key.as_deref().map_or_else(|| self.header.clone(), |key| self.span(key));
        self.file.failure(span, error.message.clone())
    }

    /// Returns the span of the longest existing prefix of a dotted path: `limits.depth`, `roots[1]`.
    pub(crate) fn span(&self, path: &str) -> Range<usize> {
        let mut found = self.header.clone();
        let mut node = Node::Table(self.table);
        // The name of an option may hold dots.
        let steps: Vec<_> = if self.table.contains_key(path) {
            vec![path]
        } else {
            path.split(['.', '[']).map(|step| step.trim_end_matches(']')).collect()
        };
        for step in steps {
            let Some((span, next)) = node.child(step) else { break };
            found = span.unwrap_or(found);
            let Some(next) = next else { break };
            node = next;
        }
        found
    }
}

fn expected_tables(file: &ConfigFile, span: Option<Range<usize>>, found: &str) -> Failure {
    file.failure(span.unwrap_or(0..0), format!("expected tables `[[source]]`, found {found}"))
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
            Item::ArrayOfTables(tables) => tables.iter().map(|table| Json::Object(object(table))).collect(),
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
