//! The log of a run that goes on.

use std::fmt;

use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
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
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    match form {
        LogForm::Text => layer.boxed(),
        LogForm::Json => layer.json().boxed(),
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
