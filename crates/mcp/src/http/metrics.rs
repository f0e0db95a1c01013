//! Metrics for operators.

use std::fmt;
use std::time::Duration;

use axum::http::StatusCode;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::HttpState;

const OPEN_METRICS: &str = "application/openmetrics-text";
const FORMS: [&str; 2] = [
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
    "text/plain; version=0.0.4; charset=utf-8",
];

/// The last line of the format.
const END: &str = "# EOF\n";

const SECONDS: [f64; 9] = [0.0005, 0.001, 0.0025, 0.01, 0.025, 0.1, 0.25, 1.0, 5.0];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Rejection {
    Host,
    Origin,
    Token,
    Scope,
    Rate,
    Sessions,
    Requests,
    Ending,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Rejection::Host => "host",
            Rejection::Origin => "origin",
            Rejection::Token => "token",
            Rejection::Scope => "scope",
            Rejection::Rate => "rate",
            Rejection::Sessions => "sessions",
            Rejection::Requests => "requests",
            Rejection::Ending => "ending",
        })
    }
}

type Labels = [(&'static str, String); 1];

pub(super) struct Metrics {
    registry: Registry,
    answered: Family<Labels, Counter>,
    refused: Family<Labels, Counter>,
    seconds: Histogram,
    sessions: Gauge,
    answering: Gauge,
    skills: Gauge,
    generation: Gauge,
}

impl Default for Metrics {
    fn default() -> Metrics {
        let mut registry = Registry::with_prefix("repertoire_mcp");
        let (answered, refused) = (
            Family::<Labels, Counter>::default(),
            Family::<Labels, Counter>::default(),
        );
        let seconds = Histogram::new(SECONDS);
        let [sessions, answering, skills, generation] = std::array::from_fn(|_| Gauge::default());
        registry.register(
            "requests",
            "Requests by the status of their answer",
            answered.clone(),
        );
        registry.register(
            "refused",
            "Requests that were refused, by the reason",
            refused.clone(),
        );
        registry.register(
            "answer_seconds",
            "Time until an answer begins",
            seconds.clone(),
        );
        registry.register("sessions", "Sessions now", sessions.clone());
        registry.register("answering", "Requests in progress", answering.clone());
        registry.register(
            "skills",
            "Skills that are served, shadowed ones included",
            skills.clone(),
        );
        registry.register(
            "generation",
            "The generation of the view that is served",
            generation.clone(),
        );
        Metrics {
            registry,
            answered,
            refused,
            seconds,
            sessions,
            answering,
            skills,
            generation,
        }
    }
}

impl Metrics {
    pub(super) fn answered(&self, status: StatusCode, time: Duration) {
        self.answered
            .get_or_create(&[("status", status.as_str().to_owned())])
            .inc();
        self.seconds.observe(time.as_secs_f64());
    }

    pub(super) fn refused(&self, why: Rejection) {
        self.refused
            .get_or_create(&[("reason", why.to_string())])
            .inc();
    }

    pub(super) fn text(
        &self,
        shared: &HttpState,
        accepted: Option<&str>,
    ) -> (&'static str, String) {
        let view = shared.server.view();
        let generation = usize::try_from(view.snapshot.generation()).unwrap_or(usize::MAX);
        for (gauge, count) in [
            (&self.sessions, shared.sessions.len()),
            (&self.answering, shared.answers.len()),
            (&self.skills, view.skills.len()),
            (&self.generation, generation),
        ] {
            gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
        }
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("a text takes every character");
        if let Some(host) = &shared.host_metrics {
            let end = text.len() - END.len();
            text.insert_str(end, &host.text());
        }
        let [newer, older] = FORMS;
        if accepted.is_some_and(|accepted| accepted.contains(OPEN_METRICS)) {
            (newer, text)
        } else {
            (older, plain(&text))
        }
    }
}

fn plain(text: &str) -> String {
    let types = text
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.strip_suffix(" counter"));
    let counters: Vec<String> = types.map(|name| format!("{name} ")).collect();
    let mut plain = String::with_capacity(text.len());
    for line in text.lines().filter(|line| *line != "# EOF") {
        let about = line
            .split_at_checked("# TYPE ".len())
            .filter(|(mark, _)| ["# TYPE ", "# HELP "].contains(mark));
        let counter = about
            .and_then(|(_, rest)| counters.iter().find(|name| rest.starts_with(name.as_str())));
        match (about, counter) {
            (Some((mark, rest)), Some(name)) => {
                plain.extend([mark, name.trim_end(), "_total ", &rest[name.len()..]]);
            }
            _ => plain.push_str(line),
        }
        plain.push('\n');
    }
    plain
}
