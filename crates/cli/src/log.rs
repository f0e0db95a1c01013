//! The log of a long run.

use std::error::Error;
use std::fmt::{self, Debug};
use std::io::{self, Write};

use repertoire::skill::{error_chain, text};
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, Registry};

use crate::failure::Failure;

/// The format of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum LogForm {
    /// Human-readable lines.
    #[default]
    Text,
    /// One JSON document per line.
    Json,
}

/// A receiver of spans and events.
pub(crate) type LogLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// Returns the log on standard error with a filter in the syntax of `RUST_LOG`.
///
/// The default is `level` for this program and warnings of others.
pub(crate) fn filtered(
    filter: Option<&str>,
    level: LevelFilter,
    form: LogForm,
) -> Result<LogLayer, Failure> {
    let filter = match filter {
        // Other crates log their internals at lower levels.
        None => Targets::new()
            .with_default(LevelFilter::WARN)
            .with_target("repertoire_mcp", level),
        Some(text) => text.parse().map_err(|error| {
            Failure::new(format!("cannot read `RUST_LOG`: {error}"))
                .help("set it to `info`, or to `repertoire_mcp=debug`")
        })?,
    };
    Ok(layer(form).with_filter(filter).boxed())
}

/// Starts the layers, unless a host has a subscriber of its own.
pub(crate) fn start(layers: Vec<LogLayer>) {
    if !layers.is_empty() {
        let _ = tracing::subscriber::set_global_default(Registry::default().with(layers));
    }
}

fn layer<S: Subscriber + for<'a> LookupSpan<'a>>(form: LogForm) -> Box<dyn Layer<S> + Send + Sync> {
    let layer = tracing_subscriber::fmt::layer().with_ansi(false);
    match form {
        LogForm::Text => layer.with_writer(io::stderr).fmt_fields(Fields).boxed(),
        LogForm::Json => layer.with_writer(|| JsonLines(io::stderr())).json().boxed(),
    }
}

struct Fields;

impl<'writer> FormatFields<'writer> for Fields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        let mut line = FieldLine {
            writer,
            is_first: true,
            result: Ok(()),
        };
        fields.record(&mut line);
        line.result
    }
}

struct FieldLine<'writer> {
    writer: Writer<'writer>,
    is_first: bool,
    result: fmt::Result,
}

impl FieldLine<'_> {
    fn write(&mut self, field: &Field, value: &str) {
        if self.result.is_err() {
            return;
        }
        let gap = if std::mem::take(&mut self.is_first) {
            ""
        } else {
            " "
        };
        self.result = match field.name() {
            "message" => write!(self.writer, "{gap}{}", text::terminal_line(value)),
            name => write!(self.writer, "{gap}{name}={}", text::log_value(value)),
        };
    }
}

impl Visit for FieldLine<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.write(field, value);
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.write(field, &error_chain(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.write(field, &format!("{value:?}"));
    }
}

struct JsonLines<W>(W);

impl<W: Write> Write for JsonLines<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        self.0
            .write_all(text::json(&String::from_utf8_lossy(event)).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests;
