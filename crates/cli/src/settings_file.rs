//! Settings files of agents and clients, which are changed in place.

use std::ffi::OsStr;
use std::fmt::Display;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstInputValue;
use serde::Serialize;
use serde_json::Value;
use toml_edit::DocumentMut;

use crate::failure::Failure;
use crate::file_slot::FileSlot;

/// The most bytes of a settings file.
const MOST_BYTES: u64 = 16 << 20;

/// The result of a change of a file.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct WrittenFile {
    pub(crate) path: PathBuf,
    /// `false` if the file had the entry already.
    pub(crate) is_changed: bool,
    /// The file with the content before.
    pub(crate) backup: Option<PathBuf>,
}

/// Replaces the text of a file, or creates the file. The file before is kept beside it, with `.bak` at the end.
///
/// Readers see the old or the new text. A link to the file stays a link.
///
/// # Errors
/// `edit` refuses the text, or the file cannot be read or written.
pub(crate) fn rewrite(
    path: PathBuf,
    edit: impl FnOnce(&str) -> Result<String, String>,
) -> Result<WrittenFile, Failure> {
    let cannot = |what: &str, error: &dyn Display| {
        Failure::new(format!("cannot {what} `{}`: {error}", path.display()))
    };
    let real = match path.canonicalize() {
        Ok(real) => real,
        Err(_) => {
            let text = edit("").map_err(|why| cannot("create", &why))?;
            return create(&path, &text).map_err(|error| cannot("create", &error));
        }
    };
    let (folder, file) = split(&real).ok_or_else(|| cannot("write", &"it has no folder"))?;
    let slot = FileSlot::in_folder(folder, file).map_err(|error| cannot("read", &error))?;
    let read = slot.read(MOST_BYTES);
    let (bytes, identity) = read.map_err(|error| cannot("read", &error))?;
    let before = String::from_utf8(bytes).map_err(|error| cannot("read", &error))?;
    let after = edit(&before)
        .map_err(|why| cannot("change", &why).help("correct the file, or add the text by hand"))?;
    if after == before {
        return Ok(WrittenFile {
            path,
            is_changed: false,
            backup: None,
        });
    }
    let backup = real.with_file_name(format!("{}.bak", file.to_string_lossy()));
    let kept = FileSlot::in_folder(folder, backup.file_name().unwrap_or_default());
    let kept = kept.and_then(|slot| slot.put(before.as_bytes()));
    kept.map_err(|error| cannot("back up", &error))?;
    let replaced = slot.replace(&identity, after.as_bytes());
    replaced.map_err(|error| cannot("write", &error))?;
    Ok(WrittenFile {
        path,
        is_changed: true,
        backup: Some(backup),
    })
}

fn create(path: &Path, text: &str) -> io::Result<WrittenFile> {
    let (folder, file) = split(path).ok_or(ErrorKind::InvalidInput)?;
    fs::create_dir_all(folder)?;
    FileSlot::in_folder(folder, file)?.put(text.as_bytes())?;
    Ok(WrittenFile {
        path: path.to_owned(),
        is_changed: true,
        backup: None,
    })
}

fn split(path: &Path) -> Option<(&Path, &OsStr)> {
    path.parent().zip(path.file_name())
}

pub(crate) fn json_with_comments() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_loose_object_property_names: false,
        allow_trailing_commas: true,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        ..ParseOptions::default()
    }
}

pub(crate) fn json_input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(json_input).collect()),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, value)| (key.clone(), json_input(value)));
            CstInputValue::Object(fields.collect())
        }
    }
}

pub(crate) fn parse_toml(text: &str) -> Result<DocumentMut, String> {
    text.parse::<DocumentMut>()
        .map_err(|error| error.message().to_owned())
}
