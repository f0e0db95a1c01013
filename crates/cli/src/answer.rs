//! What a command has to say.

use std::io::{self, Write};

use repertoire::text;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::exit::Exit;
use crate::shown::shown;
use crate::{Environment, Stream};

/// What a command has to say: the same thing for people and as JSON.
pub(crate) trait Answer {
    /// The fields of the JSON document.
    fn json(&self) -> Value;

    /// Writes the data for people, or the bytes that were asked for.
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()>;

    /// What people should know beside the data, each in one line.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// The same as a SARIF log, of an answer that is one.
    fn sarif(&self) -> Option<Value> {
        None
    }

    fn exit(&self) -> Exit {
        Exit::Success
    }
}

/// The version of the JSON format: `docs/schema/repertoire-1.json`.
pub(crate) const SCHEMA: &str = "repertoire/1";

/// In which form an answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Format {
    /// Tables and text.
    #[default]
    Human,
    /// One JSON document on standard output.
    Json,
    /// What `check` finds as SARIF 2.1.0, for code scanning.
    Sarif,
}

/// Writes an answer to where it belongs.
pub(crate) fn deliver(
    answer: &dyn Answer,
    command: &str,
    format: Format,
    environment: &mut Environment<'_>,
) -> io::Result<Exit> {
    match format {
        Format::Human => {
            answer.write(&mut environment.stdout)?;
            environment.stdout.flush()?;
            for note in answer.notes() {
                environment.say(&format!("note: {}\n", shown(&note)));
            }
        }
        Format::Json => write_json(&document(command, answer.json()), &mut environment.stdout)?,
        Format::Sarif => {
            let log = answer.sarif().expect("no other answer is asked for a log");
            write_json(&log, &mut environment.stdout)?;
        }
    }
    environment.stdout.flush()?;
    Ok(answer.exit())
}

/// The fields of an answer in their envelope.
fn document(command: &str, fields: Value) -> Value {
    let mut document = Map::new();
    document.insert("schema".to_owned(), SCHEMA.into());
    document.insert("command".to_owned(), command.into());
    if let Value::Object(fields) = fields {
        document.extend(fields);
    }
    document.into()
}

/// Writes one of many documents, on a line of its own.
pub(crate) fn write_line(command: &str, fields: Value, out: &mut Stream<'_>) -> io::Result<()> {
    let document = document(command, fields).to_string() + "\n";
    out.write_all(text::json(&document).as_bytes())?;
    out.flush()
}

fn write_json(document: &Value, out: &mut Stream<'_>) -> io::Result<()> {
    let mut lines = serde_json::to_string_pretty(document).expect("a JSON value has only text keys");
    lines.push('\n');
    out.write_all(text::json(&lines).as_bytes())
}

/// An answer's fields from a type that serde knows.
pub(crate) fn json(fields: &impl Serialize) -> Value {
    serde_json::to_value(fields).expect("answers have text keys and no fallible parts")
}

/// Returns the JSON spelling of a value that is a single word.
pub(crate) fn word(value: &impl Serialize) -> String {
    match json(value) {
        Value::String(word) => word,
        other => unreachable!("only plain enumerations are spelled, and not {other:?}"),
    }
}
