//! The export of traces to a collector of OpenTelemetry.

use std::time::Duration;

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;

use crate::Environment;
use crate::failure::Failure;

/// The variables with the address of a collector. Without any of them nothing is exported.
const ADDRESSES: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
];

/// The variables that name this program for the collector.
const NAMES: [&str; 2] = ["OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"];

/// The time in which waiting spans are sent at the end.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(5);

/// The export of spans of the target `gen_ai`, by the variables `OTEL_*` of this process.
pub(crate) struct TraceExport(SdkTracerProvider);

impl TraceExport {
    /// Starts an export, or returns `None` if the environment has no address of a collector.
    pub(crate) fn start(environment: &Environment<'_>) -> Result<Option<TraceExport>, Failure> {
        if !environment.is_logging || !is_any_set(ADDRESSES, environment) {
            return Ok(None);
        }
        let exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .build();
        let exporter = exporter.map_err(|error| {
            let failure = Failure::new(format!("traces cannot be exported: {error}"));
            failure.help("check the variables `OTEL_EXPORTER_OTLP_*`")
        })?;
        let resource = Resource::builder();
        // A name that the operator sets comes first.
        let resource = match is_any_set(NAMES, environment) {
            true => resource,
            false => resource.with_service_name(environment.program.name),
        };
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource.build());
        Ok(Some(TraceExport(provider.build())))
    }

    /// Returns the layer that gets the spans.
    pub(crate) fn layer<S>(&self) -> Box<dyn Layer<S> + Send + Sync>
    where
        S: Subscriber + for<'a> LookupSpan<'a> + Send + Sync,
    {
        let spans = Targets::new().with_target("gen_ai", LevelFilter::TRACE);
        tracing_opentelemetry::layer()
            .with_tracer(self.0.tracer("repertoire"))
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_level(false)
            .with_target(false)
            .with_filter(spans)
            .boxed()
    }

    /// Sends the spans that wait, and ends the export.
    pub(crate) fn finish(self, environment: &mut Environment<'_>) {
        if let Err(error) = self.0.shutdown_with_timeout(FLUSH_TIMEOUT) {
            environment.write_stderr(&format!("warning: traces were not sent: {error}\n"));
        }
    }
}

fn is_any_set(names: [&str; 2], environment: &Environment<'_>) -> bool {
    let mut values = names
        .into_iter()
        .filter_map(|name| environment.variable(name));
    values.any(|value| !value.is_empty())
}
