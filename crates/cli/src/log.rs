//! The log of a run that goes on.

use std::error::Error;
use std::fmt::{self, Debug};
use std::io::{self, Write};

use repertoire::text;
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

/// Where a run that goes on writes its log.
pub struct Log(Kind);

enum Kind {
    Nowhere,
    Stderr,
}

/// The form of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum LogForm {
    /// A line for people to read.
    #[default]
    Text,
    /// A JSON document on each line.
    Json,
}

impl Log {
    /// Nothing is written; a host that follows [`tracing`] hears of it as of everything else.
    pub fn none() -> Log {
        Log(Kind::Nowhere)
    }

    /// To the standard error of this process.
    pub(crate) fn of_process() -> Log {
        Log(Kind::Stderr)
    }

    /// Begins the log: what `filter` says, in the syntax of `RUST_LOG`, else ours from `level` on, and warnings of others.
    pub(crate) fn begin(&self, filter: Option<&str>, level: LevelFilter, form: LogForm) -> Result<(), Failure> {
        let Kind::Stderr = self.0 else { return Ok(()) };
        let filter = match filter {
            // What others log of their insides is for those who ask for it.
            None => Targets::new().with_default(LevelFilter::WARN).with_target("repertoire_mcp", level),
            Some(text) => text.parse().map_err(|error| {
                Failure::new(format!("cannot read `RUST_LOG`: {error}"))
                    .help("set it to `info`, or to `repertoire_mcp=debug`")
            })?,
        };
        let log = Registry::default().with(layer(form).with_filter(filter));
        // A host that has one already keeps its own.
        let _ = tracing::subscriber::set_global_default(log);
        Ok(())
    }
}

fn layer<S: Subscriber + for<'a> LookupSpan<'a>>(form: LogForm) -> Box<dyn Layer<S> + Send + Sync> {
    let layer = tracing_subscriber::fmt::layer().with_ansi(false);
    match form {
        LogForm::Text => layer.with_writer(io::stderr).fmt_fields(Fields).boxed(),
        LogForm::Json => layer.with_writer(|| JsonLines(io::stderr())).json().boxed(),
    }
}

/// A format of fields in which no value ends before it ends: what a client sent is one word, or in quotes.
struct Fields;

impl<'writer> FormatFields<'writer> for Fields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        let mut line = FieldLine { writer, is_first: true, result: Ok(()) };
        fields.record(&mut line);
        line.result
    }
}

/// The fields of one event or span, as they are written.
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
        let gap = if std::mem::take(&mut self.is_first) { "" } else { " " };
        self.result = match field.name() {
            "message" => write!(self.writer, "{gap}{}", text::log_line(value)),
            name => write!(self.writer, "{gap}{name}={}", text::log_value(value)),
        };
    }
}

impl Visit for FieldLine<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.write(field, value);
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        let mut text = value.to_string();
        let mut cause = value.source();
        while let Some(error) = cause {
            text.push_str(&format!(": {error}"));
            cause = error.source();
        }
        self.write(field, &text);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.write(field, &format!("{value:?}"));
    }
}

/// A writer of JSON lines without a character that a terminal may obey or hide.
struct JsonLines<W>(W);

impl<W: Write> Write for JsonLines<W> {
    /// Writes a whole event, which is how it comes.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        self.0.write_all(text::json(&String::from_utf8_lossy(event)).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Kind::Nowhere => "Log::none()",
            Kind::Stderr => "Log::of_process()",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::fmt::MakeWriter;

    use super::*;

    /// A writer that keeps what it gets.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no writer panics").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl MakeWriter<'_> for Kept {
        type Writer = Kept;

        fn make_writer(&self) -> Kept {
            self.clone()
        }
    }

    const FORGED: &str = "\u{1b}]0;OWNED\u{7}\n2026 INFO x: \u{202e}FORGED\u{e0041} a=\"b\"\u{2028}";

    fn logged(layer: impl Layer<Registry> + Send + Sync, kept: &Kept) -> String {
        let log = Registry::default().with(layer);
        tracing::subscriber::with_default(log, || {
            let span = tracing::info_span!("request", id = %FORGED);
            let _entered = span.enter();
            let error = io::Error::other(FORGED);
            tracing::warn!(id = %FORGED, text = FORGED, debug = ?FORGED, plain = %"skill://a", number = 5,
                error = &error as &dyn Error, "said {FORGED}");
        });
        String::from_utf8(kept.0.lock().expect("no writer panics").clone()).expect("text")
    }

    #[test]
    fn a_logged_text_stays_in_its_field() {
        let kept = Kept::default();
        let layer = tracing_subscriber::fmt::layer().without_time().with_ansi(false);
        let line = logged(layer.with_writer(kept.clone()).fmt_fields(Fields), &kept);
        let shown =
            r#"\\u{1b}]0;OWNED\\u{7}\n2026 INFO x: \\u{202e}FORGED\\u{e0041} a=\"b\"\\u{2028}"#.replace("\\\\", "\\");
        let message = shown.replace("\\\"", "\"");
        let debug = format!("{FORGED:?}").replace('\\', "\\\\").replace('"', "\\\"");
        assert_eq!(
            line,
            format!(
                " WARN request{{id=\"{shown}\"}}: repertoire_cli::log::tests: said {message} id=\"{shown}\" \
                 text=\"{shown}\" debug=\"{debug}\" plain=skill://a number=5 error=\"{shown}\"\n"
            )
        );
    }

    #[test]
    fn a_logged_json_line_moves_no_cursor() {
        let kept = Kept::default();
        let to = kept.clone();
        let layer = tracing_subscriber::fmt::layer().without_time().with_writer(move || JsonLines(to.clone())).json();
        let line = logged(layer, &kept);
        let rest = line.strip_suffix('\n').expect("a line");
        assert_eq!(text::terminal_line(rest), rest);
        let event: serde_json::Value = serde_json::from_str(rest).expect("one JSON document");
        assert_eq!((&event["fields"]["id"], &event["span"]["id"]), (&FORGED.into(), &FORGED.into()));
    }
}
