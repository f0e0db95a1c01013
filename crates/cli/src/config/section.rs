//! A table of a configuration file whose values know where they stand.

use std::ops::Range;

use repertoire::{ConfigError, SourceConfig};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};
use toml_edit::{Item, TableLike, Value};

use crate::failure::Failure;
use crate::page::Page;

/// A table of a configuration file whose values know where they stand.
pub(crate) struct Section<'a> {
    pub(crate) page: &'a Page,
    /// The values; a date is a text.
    pub(crate) values: Map<String, Json>,
    table: &'a dyn TableLike,
    header: Range<usize>,
}

impl<'a> Section<'a> {
    /// The table that `item` must be.
    pub(crate) fn new(page: &'a Page, item: &'a Item) -> Result<Section<'a>, Failure> {
        let header = item.span().unwrap_or(0..0);
        match item.as_table_like() {
            Some(table) => Ok(Section { page, values: object(table), table, header }),
            None => Err(page.failure(header, format!("expected a table, found {}", item.type_name()))),
        }
    }

    /// The tables that `item` must be an array of.
    pub(crate) fn each(page: &'a Page, item: &'a Item) -> Result<Vec<Section<'a>>, Failure> {
        let section = |table: &'a dyn TableLike, span: Option<Range<usize>>| Section {
            page,
            values: object(table),
            table,
            header: span.unwrap_or(0..0),
        };
        let wrong = |span: Option<Range<usize>>, found: &str| {
            page.failure(span.unwrap_or(0..0), format!("expected tables `[[source]]`, found {found}"))
        };
        match item {
            Item::ArrayOfTables(tables) => Ok(tables.iter().map(|table| section(table, table.span())).collect()),
            Item::Value(Value::Array(array)) => {
                let table = |value: &'a Value| match value {
                    Value::InlineTable(table) => Ok(section(table, table.span())),
                    other => Err(wrong(other.span(), other.type_name())),
                };
                array.iter().map(table).collect()
            }
            other => Err(wrong(other.span(), other.type_name())),
        }
    }

    /// The values as a type of their own; unknown keys are for the type to refuse.
    pub(crate) fn typed<T: DeserializeOwned>(&self, values: Map<String, Json>) -> Result<T, Failure> {
        SourceConfig::new("", "", values).options().map_err(|error| self.refuse(&error))
    }

    /// Points at the option that an error blames, else at the table's header.
    pub(crate) fn refuse(&self, error: &ConfigError) -> Failure {
        let span = error.key.as_deref().map_or_else(|| self.header.clone(), |key| self.span(key));
        self.page.failure(span, error.message.clone())
    }

    /// Where the option at a dotted path stands, as deep as there is one: `limits.depth`, `roots[1]`.
    pub(crate) fn span(&self, path: &str) -> Range<usize> {
        let mut found = None;
        let mut level = Level::Table(self.table);
        // An option's own name may hold dots; it is tried whole first.
        let whole = std::iter::once(path).filter(|path| self.table.contains_key(path));
        let steps: Vec<_> = match whole.last() {
            Some(whole) => vec![whole],
            None => path.split(['.', '[']).map(|step| step.trim_end_matches(']')).collect(),
        };
        for step in steps {
            let Some((span, next)) = level.step(step) else { break };
            found = span.or(found);
            let Some(next) = next else { break };
            level = next;
        }
        found.unwrap_or_else(|| self.header.clone())
    }
}

/// Something that an option's path leads through.
enum Level<'a> {
    Table(&'a dyn TableLike),
    Array(&'a toml_edit::Array),
    Tables(&'a toml_edit::ArrayOfTables),
}

impl<'a> Level<'a> {
    /// Where `step` of this level stands, and the level below it.
    fn step(&self, step: &str) -> Option<(Option<Range<usize>>, Option<Level<'a>>)> {
        match self {
            Level::Table(table) => {
                let (key, item) = table.get_key_value(step)?;
                // From the key to the end of its value, so that both kinds of mistakes are underlined.
                let span = match (key.span(), item.span()) {
                    (Some(key), Some(value)) => Some(key.start..value.end.max(key.end)),
                    (key, value) => key.or(value),
                };
                Some((span, Level::below(item)))
            }
            Level::Array(array) => {
                let value = array.get(step.parse().ok()?)?;
                Some((value.span(), Level::below_value(value)))
            }
            Level::Tables(tables) => {
                let table = tables.get(step.parse().ok()?)?;
                Some((table.span(), Some(Level::Table(table))))
            }
        }
    }

    fn below(item: &'a Item) -> Option<Level<'a>> {
        match item {
            Item::Table(table) => Some(Level::Table(table)),
            Item::ArrayOfTables(tables) => Some(Level::Tables(tables)),
            Item::Value(value) => Level::below_value(value),
            Item::None => None,
        }
    }

    fn below_value(value: &'a Value) -> Option<Level<'a>> {
        match value {
            Value::InlineTable(table) => Some(Level::Table(table)),
            Value::Array(array) => Some(Level::Array(array)),
            _ => None,
        }
    }
}

fn object(table: &dyn TableLike) -> Map<String, Json> {
    table.iter().map(|(key, item)| (key.to_owned(), json(item))).collect()
}

fn json(item: &Item) -> Json {
    match item {
        Item::None => Json::Null,
        Item::Value(value) => value_json(value),
        Item::Table(table) => Json::Object(object(table)),
        Item::ArrayOfTables(tables) => tables.iter().map(|table| Json::Object(object(table))).collect(),
    }
}

fn value_json(value: &Value) -> Json {
    match value {
        Value::String(text) => text.value().as_str().into(),
        Value::Integer(number) => (*number.value()).into(),
        Value::Float(number) => (*number.value()).into(),
        Value::Boolean(flag) => (*flag.value()).into(),
        Value::Datetime(date) => date.value().to_string().into(),
        Value::Array(array) => array.iter().map(value_json).collect(),
        Value::InlineTable(table) => Json::Object(object(table)),
    }
}
