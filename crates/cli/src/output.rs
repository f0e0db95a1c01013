//! The output of a command: a JSON document, or text and notes for people.

use std::io::{self, Write};
use std::process::ExitCode;

use anstyle::Style;
use repertoire::skill::text::{self, terminal_line, terminal_lines};
use serde::Serialize;
use serde_json::{Value, json};

use crate::environment::Verbosity;
use crate::styled_line::StyledLine;
use crate::{Environment, Stream};

/// The result of a run; the number is the exit code of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum Exit {
    /// The command succeeded and found no problems.
    Success = 0,
    /// The command found problems: an error in `check` (with `--strict` also a warning), a difference in `verify`, a file that
    /// `fmt` could not format or, with `--check`, would change, a problem in `status --check`.
    Problems = 1,
    /// Wrong usage, or the command could not run: a missing folder, an unknown name, a broken configuration.
    Failure = 2,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
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
    /// SARIF 2.1.0, for code scanning (`check` and `eval` only).
    Sarif,
}

/// The output of a command, which is printed when the command has ended.
#[derive(Debug)]
pub(crate) struct Output {
    command: String,
    format: Format,
    is_terminal: bool,
    is_coloured: bool,
    columns: usize,
    stdout: Vec<u8>,
    notes: Vec<String>,
    exit: Exit,
}

impl Output {
    pub(crate) fn new(command: &str, format: Format, environment: &Environment<'_>) -> Output {
        let stream = &environment.stdout;
        Output {
            command: command.to_owned(),
            format,
            is_terminal: stream.is_terminal(),
            is_coloured: stream.is_coloured(),
            columns: environment.columns(),
            stdout: Vec::new(),
            notes: Vec::new(),
            exit: Exit::Success,
        }
    }

    pub(crate) fn format(&self) -> Format {
        self.format
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    pub(crate) fn is_coloured(&self) -> bool {
        self.is_coloured
    }

    /// Returns the width that screens fit into.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Writes `data` as the JSON document of the command and returns `true`, if that is the format.
    pub(crate) fn write_json(&mut self, data: &impl Serialize) -> bool {
        let is_json = self.format == Format::Json;
        if is_json {
            self.document(&command_document(&self.command, data));
        }
        is_json
    }

    pub(crate) fn document(&mut self, document: &Value) {
        self.bytes(&*text::json(&format!("{document:#}\n")));
    }

    /// Writes a line with its control characters escaped.
    pub(crate) fn line(&mut self, line: impl AsRef<str>) {
        self.bytes(&*terminal_line(line.as_ref()));
        self.bytes("\n");
    }

    /// Writes lines, with their styles if the stream has colours.
    pub(crate) fn styled_lines(&mut self, lines: impl IntoIterator<Item = StyledLine>) {
        for line in lines {
            for (text, style) in line.parts() {
                let style = match self.is_coloured {
                    true => style,
                    false => Style::new(),
                };
                self.bytes(format!("{style}{text}{style:#}"));
            }
            self.bytes("\n");
        }
    }

    /// Writes text unchanged to a file or a pipe, and with its control characters escaped to a terminal.
    pub(crate) fn text(&mut self, text: &str) {
        let text = if self.is_terminal {
            terminal_lines(text)
        } else {
            text.into()
        };
        self.bytes(&*text);
    }

    pub(crate) fn bytes(&mut self, bytes: impl AsRef<[u8]>) {
        self.stdout.extend_from_slice(bytes.as_ref());
    }

    /// Adds a line for people on standard error.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    pub(crate) fn notes(&mut self, notes: impl IntoIterator<Item = String>) {
        self.notes.extend(notes);
    }

    /// Sets the exit code if the command found problems.
    pub(crate) fn found_problems(&mut self, found: bool) {
        self.exit = if found { Exit::Problems } else { Exit::Success };
    }

    pub(crate) fn print(self, environment: &mut Environment<'_>) -> io::Result<Exit> {
        environment.stdout.write_all(&self.stdout)?;
        environment.stdout.flush()?;
        let is_quiet = environment.verbosity == Verbosity::Quiet;
        for note in self.notes.iter().filter(|_| !is_quiet) {
            environment.write_stderr(&format!("note: {}\n", terminal_line(note)));
        }
        Ok(self.exit)
    }
}

fn command_document(command: &str, data: &impl Serialize) -> Value {
    let mut document = json!({ "schema": SCHEMA, "command": command });
    if let (Value::Object(document), Value::Object(fields)) = (&mut document, to_json(data)) {
        document.extend(fields);
    }
    document
}

pub(crate) fn write_event(
    command: &str,
    event: &impl Serialize,
    out: &mut Stream<'_>,
) -> io::Result<()> {
    let document = command_document(command, event).to_string() + "\n";
    out.write_all(text::json(&document).as_bytes())?;
    out.flush()
}

pub(crate) fn to_json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("outputs have text keys and no fallible parts")
}

/// Returns the JSON spelling of a value that is a single word.
pub(crate) fn word(value: &impl Serialize) -> String {
    match to_json(value) {
        Value::String(word) => word,
        other => unreachable!("only plain enumerations are spelled, and not {other:?}"),
    }
}
