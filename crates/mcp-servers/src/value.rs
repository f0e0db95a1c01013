//! The value of an environment variable or a header, as a configuration writes it.

use std::fmt;
use std::path::PathBuf;

use serde::Deserialize;

/// The value of an environment variable or a header, as a configuration writes it. Debug output does not show it.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    from = "WrittenValue",
    expecting = "expected a text, or a table with `file`"
)]
#[cfg_attr(feature = "schema", schemars(with = "WrittenValue"))]
#[non_exhaustive]
pub enum ServerValue {
    /// A text. Each `${env:NAME}` is replaced with the variable `NAME` of the host when the server is started, and is a secret.
    Text(String),
    /// The content of a file, which is a secret, without the line break at its end. It is read when the server is started.
    File(PathBuf),
}

#[derive(Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "ServerValue")
)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected a text, or a table with `file`"
)]
enum WrittenValue {
    /// A text, in which `${env:NAME}` is replaced with a variable of the host.
    Text(String),
    /// A secret in a file, which only its owner should be able to read.
    File {
        /// The path, relative to the folder of the configuration file.
        file: PathBuf,
    },
}

impl From<WrittenValue> for ServerValue {
    fn from(written: WrittenValue) -> ServerValue {
        match written {
            WrittenValue::Text(text) => ServerValue::Text(text),
            WrittenValue::File { file } => ServerValue::File(file),
        }
    }
}

impl From<&str> for ServerValue {
    fn from(text: &str) -> ServerValue {
        ServerValue::Text(text.to_owned())
    }
}

impl fmt::Debug for ServerValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ServerValue::Text(_) => "Text(..)",
            ServerValue::File(_) => "File(..)",
        })
    }
}
