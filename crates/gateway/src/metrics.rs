//! The metrics of a gateway.

use std::fmt::Write;

use repertoire_mcp_servers::{ServerState, ServerStatus};

use crate::{GatewayState, GatewayStatus};

/// Returns `status` in the OpenMetrics text format, without its last line.
pub(crate) fn text(status: &GatewayStatus) -> String {
    let mut text = String::new();
    let is_running = status.state == GatewayState::Running;
    let about = "1 unless the gateway is paused or ends";
    add_family(&mut text, "running", "gauge", about);
    add_sample(&mut text, "running", u8::from(is_running));
    if let Some(counts) = status.registries {
        add_family(&mut text, "items", "gauge", "Items of each registry");
        for (registry, count) in [
            ("skills", counts.skills),
            ("workflows", counts.workflows),
            ("agents", counts.agents),
            ("mcp-servers", counts.mcp_servers),
        ] {
            let name = format!("items{{registry=\"{registry}\"}}");
            add_sample(&mut text, &name, count);
        }
    }
    let about = "Reloads that were applied";
    add_family(&mut text, "reloads", "counter", about);
    add_sample(&mut text, "reloads_total", status.reloads);
    let about = "1 if the last reload was not applied";
    add_family(&mut text, "reload_failed", "gauge", about);
    let has_failed = status.reload_error.is_some();
    add_sample(&mut text, "reload_failed", u8::from(has_failed));
    add_servers(&mut text, &status.mcp_servers);
    text
}

/// The value of a metric of an MCP server.
type ServerMetric = fn(&ServerStatus) -> u64;

fn add_servers(text: &mut String, servers: &[ServerStatus]) {
    let metrics: [(&str, &str, ServerMetric); 4] = [
        ("running", "1 if the server runs", |server| {
            u64::from(server.state == ServerState::Running)
        }),
        ("failed", "1 if the supervisor gave up", |server| {
            u64::from(server.state == ServerState::Failed)
        }),
        ("tools", "Tools of the server", |server| {
            server.tools.unwrap_or_default() as u64
        }),
        ("restarts", "Starts after the first one", |server| {
            server.restarts
        }),
    ];
    for (metric, about, value) in metrics.into_iter().filter(|_| !servers.is_empty()) {
        let name = format!("mcp_server_{metric}");
        add_family(text, &name, "gauge", about);
        for server in servers {
            let name = format!("{name}{{server=\"{}\"}}", server.id);
            add_sample(text, &name, value(server));
        }
    }
}

fn add_family(text: &mut String, name: &str, kind: &str, about: &str) {
    let name = format!("repertoire_gateway_{name}");
    let _ = writeln!(text, "# HELP {name} {about}.\n# TYPE {name} {kind}");
}

fn add_sample(text: &mut String, name: &str, value: impl std::fmt::Display) {
    let _ = writeln!(text, "repertoire_gateway_{name} {value}");
}
