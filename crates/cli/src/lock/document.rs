//! A lock file as JSON: of bounded size, and without doubt about what it says.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::Path;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, de};
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::replace::Spot;
use crate::report::Excerpt;

/// The most of a lock file that is read: rows of some 100,000 files.
const LIMIT: u64 = 16 << 20;

/// The longest line that is shown to point into it.
const SHOWN: usize = 400;

/// Reads the lock file at `path`, which people know as `name`; `None` where there is none.
///
/// A key that comes twice is refused: which of its values counts, readers disagree about. So is what a merge left
/// behind: both sides of it may be wrong.
pub(super) fn read(path: &Path, name: &str) -> Result<Option<Value>, Failure> {
    let bytes = match spot(path).and_then(|spot| spot.read(LIMIT + 1)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|error| Failure::io(format!("cannot read `{name}`"), &error))?.0,
    };
    if bytes.len() as u64 > LIMIT {
        return Err(Failure::new(format!("`{name}` is larger than {LIMIT} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|_| Failure::new(format!("`{name}` is not UTF-8")))?;
    parse(&text, name).map(Some)
}

/// The document that `text` is.
fn parse(text: &str, name: &str) -> Result<Value, Failure> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    if let Some(line) = text.lines().position(is_conflict_marker) {
        let failure = Failure::new(format!("`{name}` has conflict markers of a merge"));
        return Err(place(failure, text, name, line + 1, 1).help("take one side, then run `repertoire lock`"));
    }
    serde_json::from_str(text).map(|Strict(value)| value).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let message = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
        place(Failure::new(format!("`{name}` cannot be understood: {message}")), text, name, line, column)
    })
}

fn is_conflict_marker(line: &str) -> bool {
    ["<<<<<<<", "|||||||", ">>>>>>>"].iter().any(|marker| line.starts_with(marker))
}

/// Points at a line, if it is one to show.
fn place(failure: Failure, text: &str, name: &str, line: usize, column: usize) -> Failure {
    let short = line.checked_sub(1).and_then(|at| text.lines().nth(at)).is_some_and(|line| line.len() <= SHOWN);
    let (line, column) = (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX));
    match Excerpt::at(text, line, column).filter(|_| short) {
        Some(excerpt) => failure.at(name, excerpt),
        None => failure.help(format!("look at line {line}, column {column}")),
    }
}

/// What a lock file of this kind must be, read from a document.
pub(super) fn typed<T: de::DeserializeOwned>(value: Value, name: &str) -> Result<T, Failure> {
    serde_json::from_value(value).map_err(|error| Failure::new(format!("`{name}` is no such lock file: {error}")))
}

/// The text of a lock file: the same bytes for the same content.
pub(super) fn text(content: &impl Serialize) -> String {
    serde_json::to_string_pretty(content).expect("lock files have text keys and no fallible parts") + "\n"
}

/// What became of a file that was to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    Written,
    /// It said so already.
    Unchanged,
}

/// Makes `text` the content of `path`, all of it or nothing; a file that says so already is not touched. A link is neither
/// read nor written through: a repository may bring one that points at any file of its reader.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<Outcome> {
    let spot = spot(path)?;
    match spot.read(text.len() as u64 + 1) {
        Ok((old, _)) if old == text.as_bytes() => return Ok(Outcome::Unchanged),
        Ok((_, seen)) => spot.replace(&seen, text.as_bytes())?,
        Err(error) if error.kind() == ErrorKind::NotFound => spot.put(text.as_bytes())?,
        Err(error) => return Err(error),
    }
    Ok(Outcome::Written)
}

fn spot(path: &Path) -> io::Result<Spot> {
    let (folder, name) = path.parent().zip(path.file_name()).ok_or(ErrorKind::IsADirectory)?;
    Spot::in_folder(folder, name)
}

/// A JSON value in which no key comes twice.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Strict, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }

            fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
                Ok(value.into())
            }

            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(value.into())
            }

            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(value.into())
            }

            fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
                Ok(value.into())
            }

            fn visit_str<E>(self, value: &str) -> Result<Value, E> {
                Ok(value.into())
            }

            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
                let mut list = Vec::new();
                while let Some(Strict(item)) = items.next_element()? {
                    list.push(item);
                }
                Ok(list.into())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut rows: A) -> Result<Value, A::Error> {
                let mut map = Map::new();
                while let Some(key) = rows.next_key::<String>()? {
                    if map.contains_key(&key) {
                        return Err(A::Error::custom(format_args!("the key `{key}` comes twice")));
                    }
                    let Strict(value) = rows.next_value()?;
                    map.insert(key, value);
                }
                Ok(map.into())
            }
        }

        deserializer.deserialize_any(Any).map(Strict)
    }
}

#[cfg(test)]
mod tests;
