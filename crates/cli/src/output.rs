//! The output of a command, for people and as JSON.

use std::io::{self, Write};

use repertoire::skill::text;
use repertoire::skill::text::terminal_line;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{Environment, Exit, Stream};

/// The result of a command, which is printed for people or as the JSON document of its serialized fields.
pub(crate) trait CommandOutput: ToJson {
    /// Writes the human-readable result, or the requested bytes.
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()>;

    /// Returns notes for standard error, one line each.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the result as a SARIF log; `None` for every command except `check`.
    fn sarif(&self) -> Option<Value> {
        None
    }

    fn exit(&self) -> Exit {
        Exit::Success
    }
}

/// Serialization that works through `dyn CommandOutput`.
pub(crate) trait ToJson {
    fn json(&self) -> Value;
}

impl<T: Serialize> ToJson for T {
    fn json(&self) -> Value {
        serde_json::to_value(self).expect("outputs have text keys and no fallible parts")
    }
}

/// The version of the JSON format: `docs/schema/repertoire-1.json`.
pub(crate) const SCHEMA: &str = "repertoire/1";

/// The format that a result is printed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Format {
    /// Tables and text.
    #[default]
    Human,
    /// One JSON document on standard output.
    Json,
    /// SARIF 2.1.0, for code scanning (`check` only).
    Sarif,
}

pub(crate) fn print(
    output: &dyn CommandOutput,
    command: &str,
    format: Format,
    environment: &mut Environment<'_>,
) -> io::Result<Exit> {
    match format {
        Format::Human => {
            output.write(&mut environment.stdout)?;
            environment.stdout.flush()?;
            for note in output.notes() {
                environment.say(&format!("note: {}\n", terminal_line(&note)));
            }
        }
        Format::Json => write_json(&document(command, output.json()), &mut environment.stdout)?,
        Format::Sarif => {
            let log = output.sarif().expect("the format was refused for every other command");
            write_json(&log, &mut environment.stdout)?;
        }
    }
    environment.stdout.flush()?;
    Ok(output.exit())
}

fn document(command: &str, fields: Value) -> Value {
    let mut document = json!({ "schema": SCHEMA, "command": command });
    if let (Value::Object(document), Value::Object(fields)) = (&mut document, fields) {
        document.extend(fields);
    }
    document
}

/// Writes one document of a stream of JSON lines.
pub(crate) fn write_line(command: &str, event: &impl Serialize, out: &mut Stream<'_>) -> io::Result<()> {
    let document = document(command, event.json()).to_string() + "\n";
    out.write_all(text::json(&document).as_bytes())?;
    out.flush()
}

fn write_json(document: &Value, out: &mut Stream<'_>) -> io::Result<()> {
    out.write_all(text::json(&format!("{document:#}\n")).as_bytes())
}

/// Returns the JSON spelling of a value that is a single word.
pub(crate) fn word(value: &impl Serialize) -> String {
    match value.json() {
        Value::String(word) => word,
        other => unreachable!("only plain enumerations are spelled, and not {other:?}"),
    }
}
