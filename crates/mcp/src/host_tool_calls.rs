//! The tools of the host as clients list and call them, and its messages.

use futures_util::StreamExt;
use rmcp::model::{CallToolResult, Tool, ToolAnnotations};
use rmcp::service::{Peer, RoleServer};
use serde_json::{Map, Value};

use crate::served_view::ServedView;
use crate::session_messages::MessageLevel;
use crate::{Caller, HostTools, Server};

/// Returns the tools of the host as clients list them.
pub(crate) fn listed(server: &Server, view: &ServedView, caller: &Caller) -> Vec<Tool> {
    let Some(host) = &server.options().host_tools else {
        return Vec::new();
    };
    let tools = host.tools(caller).into_iter();
    let free = tools.filter(|spec| !view.has_tool(&spec.name));
    free.map(|spec| {
        let looks = ToolAnnotations::new()
            .read_only(host.is_read_only(&spec.name))
            .destructive(false)
            .open_world(false);
        let schema = spec.input_schema.as_object().cloned().unwrap_or_default();
        Tool::new(spec.name.to_string(), spec.description.to_string(), schema)
            .with_annotations(looks)
    })
    .collect()
}

/// Returns the host, if it offers this tool to the caller.
pub(crate) fn host_of<'s>(
    server: &'s Server,
    caller: &Caller,
    name: &str,
) -> Option<&'s dyn HostTools> {
    let host = server.options().host_tools.as_deref()?;
    (host.has_tool(caller, name) && !server.view().has_tool(name)).then_some(host)
}

/// Calls a tool that the host offers to the caller.
pub(crate) async fn call(
    host: &dyn HostTools,
    caller: &Caller,
    name: &str,
    arguments: Map<String, Value>,
) -> CallToolResult {
    match host.call(caller, name, arguments).await {
        Ok(value) => CallToolResult::structured(value),
        Err(value) => CallToolResult::structured_error(value),
    }
}

/// Sends the messages of the host for `caller` to a session, until one of them ends.
pub(crate) async fn forward(
    server: &Server,
    caller: &Caller,
    peer: &Peer<RoleServer>,
    level: &MessageLevel,
) {
    let Some(host) = &server.options().host_tools else {
        return;
    };
    let mut messages = host.messages(caller);
    while let Some(message) = messages.next().await {
        if level.notify(peer, message).await.is_err() {
            return;
        }
    }
}
