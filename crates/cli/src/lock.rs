//! Reads and writes lock files.

mod compared;
mod folder_hash;
mod installed_skill;
mod inventory;
mod repertoire_lock;
mod skill_lock;
mod skills_lock;
#[cfg(feature = "install")]
pub(crate) mod tool_lock;

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::Path;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, de};
use serde_json::{Map, Value};

pub(crate) use compared::NotCompared;
#[cfg(feature = "install")]
pub(crate) use folder_hash::tree_hash;
pub(crate) use folder_hash::{HashedFiles, differs_only_in_line_ends, folder_hash};
pub(crate) use inventory::{Inventory, LeftOut, Present};
#[cfg(feature = "schema")]
pub(crate) use repertoire_lock::LockDocument;
pub(crate) use repertoire_lock::{LockEntry, RepertoireLock};
pub(crate) use skill_lock::{InstalledRow, SkillLock};
pub(crate) use skills_lock::SkillsLock;

use crate::failure::Failure;
use crate::file_slot::FileSlot;
use crate::report::Excerpt;

/// The largest lock file that is read: rows of some 100,000 files.
const MOST_BYTES: u64 = 16 << 20;

/// Reads the JSON of the lock file at `path`, which messages call `name`; `None` if there is no such file.
///
/// Refuses repeated keys, as parsers disagree about their value, and the conflict markers of a merge.
fn read(path: &Path, name: &str) -> Result<Option<Value>, Failure> {
    let text = read_text(path, name)?;
    text.map(|text| parse(&text, name)).transpose()
}

/// Reads the text of the lock file at `path`; `None` if there is no such file.
fn read_text(path: &Path, name: &str) -> Result<Option<String>, Failure> {
    let bytes = match slot(path).and_then(|slot| slot.read(MOST_BYTES + 1)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        read => {
            read.map_err(|error| Failure::io(format!("cannot read `{name}`"), &error))?
                .0
        }
    };
    if bytes.len() as u64 > MOST_BYTES {
        return Err(Failure::new(format!(
            "`{name}` is larger than {MOST_BYTES} bytes"
        )));
    }
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| Failure::new(format!("`{name}` is not UTF-8")))?;
    Ok(Some(text))
}

fn parse(text: &str, name: &str) -> Result<Value, Failure> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    if let Some(line) = text.lines().position(is_conflict_marker) {
        let failure = Failure::new(format!("`{name}` has conflict markers of a merge"));
        return Err(locate(failure, text, name, line + 1, 1)
            .help("take one side, then run `repertoire lock`"));
    }
    serde_json::from_str(text)
        .map(|UniqueKeys(value)| value)
        .map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let message = error.to_string();
            let message = message
                .strip_suffix(&format!(" at line {line} column {column}"))
                .unwrap_or(&message);
            locate(
                Failure::new(format!("`{name}` is invalid: {message}")),
                text,
                name,
                line,
                column,
            )
        })
}

fn is_conflict_marker(line: &str) -> bool {
    ["<<<<<<<", "|||||||", ">>>>>>>"]
        .iter()
        .any(|marker| line.starts_with(marker))
}

/// Adds an excerpt to a failure, or the position if the line is too long to quote.
fn locate(failure: Failure, text: &str, name: &str, line: usize, column: usize) -> Failure {
    const LONGEST: usize = 400;
    let is_short = line
        .checked_sub(1)
        .and_then(|at| text.lines().nth(at))
        .is_some_and(|line| line.len() <= LONGEST);
    let (line, column) = (
        u32::try_from(line).unwrap_or(u32::MAX),
        u32::try_from(column).unwrap_or(u32::MAX),
    );
    match Excerpt::at(text, line, column).filter(|_| is_short) {
        Some(excerpt) => failure.at(name, excerpt),
        None => failure.help(format!("see line {line}, column {column}")),
    }
}

fn check_version(value: &Value, key: &str, expected: &Value, name: &str) -> Result<(), Failure> {
    let spelled = expected
        .as_str()
        .map_or_else(|| expected.to_string(), |text| format!("`{text}`"));
    match value.get(key) {
        Some(found) if found == expected => Ok(()),
        Some(found) => Err(Failure::new(format!(
            "`{name}`: expected {key} {spelled}, found {found}"
        ))),
        None => Err(Failure::new(format!(
            "`{name}`: expected {key} {spelled}, found none"
        ))),
    }
}

fn typed<T: de::DeserializeOwned>(value: Value, name: &str) -> Result<T, Failure> {
    serde_json::from_value(value)
        .map_err(|error| Failure::new(format!("`{name}` is invalid: {error}")))
}

/// Returns the text of a lock file: the same bytes for the same content.
fn to_text(content: &impl Serialize) -> String {
    serde_json::to_string_pretty(content).expect("lock files have text keys and no fallible parts")
        + "\n"
}

/// The result of writing a lock file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum LockWrite {
    Written,
    /// The file has the same content already.
    Unchanged,
}

/// Replaces the content of `path` atomically, unless it is the same.
///
/// # Errors
/// Those of writing. A link is neither read nor followed, as a repository may bring one that points to any file of the user.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<LockWrite> {
    let slot = slot(path)?;
    match slot.read(text.len() as u64 + 1) {
        Ok((old, _)) if old == text.as_bytes() => return Ok(LockWrite::Unchanged),
        Ok((_, identity)) => slot.replace(&identity, text.as_bytes())?,
        Err(error) if error.kind() == ErrorKind::NotFound => slot.put(text.as_bytes())?,
        Err(error) => return Err(error),
    }
    Ok(LockWrite::Written)
}

fn slot(path: &Path) -> io::Result<FileSlot> {
    let (folder, name) = path
        .parent()
        .zip(path.file_name())
        .ok_or(ErrorKind::IsADirectory)?;
    FileSlot::in_folder(folder, name)
}

/// A JSON value without repeated keys.
struct UniqueKeys(Value);

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<UniqueKeys, D::Error> {
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
                while let Some(UniqueKeys(item)) = items.next_element()? {
                    list.push(item);
                }
                Ok(list.into())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut rows: A) -> Result<Value, A::Error> {
                let mut map = Map::new();
                while let Some(key) = rows.next_key::<String>()? {
                    if map.contains_key(&key) {
                        return Err(A::Error::custom(format_args!(
                            "the key `{key}` comes twice"
                        )));
                    }
                    let UniqueKeys(value) = rows.next_value()?;
                    map.insert(key, value);
                }
                Ok(map.into())
            }
        }

        deserializer.deserialize_any(Any).map(UniqueKeys)
    }
}

#[cfg(test)]
mod tests;
