//! The tools of the engine over MCP.

use repertoire::Model;
use repertoire::permission::Audience;
use repertoire::skill::ToolSpec;
use repertoire::tools::ToolStatus;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ContentBlock, ListToolsResult, MetaObject, PaginatedRequestParams, Tool,
    ToolAnnotations,
};
use serde_json::{Map, Value};

use crate::load_span::{LoadSpan, LoadTrigger};
use crate::meta::surface;
use crate::page::Page;
use crate::resources::quoted;
use crate::served_view::root_of;
use crate::server_tools::{self, ServerToolCall};
use crate::session_tools::SessionTools;
use crate::{Caller, Server, host_tool_calls};

pub(crate) fn list_tools(
    server: &Server,
    session: &SessionTools,
    caller: &Caller,
    request: Option<PaginatedRequestParams>,
) -> Result<ListToolsResult, ErrorData> {
    let view = server.view();
    let offered = session.offered(server);
    let page = Page::of(request.as_ref(), server.version(offered.version))?;
    let mut tools: Vec<_> = view.tools.tools().iter().map(tool).collect();
    if view.table.is_some() && !tools.is_empty() {
        let own = server_tools::own_tools(offered.has_active_skills);
        tools.extend(own.into_iter().filter(|tool| !view.has_tool(&tool.name)));
    }
    tools.extend(host_tool_calls::listed(server, &view, caller));
    let listed = offered
        .tools()
        .iter()
        .map(|tool| server_tools::listed(tool));
    tools.extend(listed);
    let (tools, next) = page.cut(&tools, server.options().page);
    let mut result = ListToolsResult::with_all_items(tools.to_vec());
    result.next_cursor = next;
    Ok(result)
}

pub(crate) async fn call_tool(
    server: &Server,
    session: &SessionTools,
    (caller, model): (&Caller, &Model),
    name: &str,
    arguments: Option<Map<String, Value>>,
) -> Result<CallToolResult, ErrorData> {
    let span = LoadSpan::of_tool(name);
    let arguments = arguments.unwrap_or_default();
    let answer = call(server, session, (caller, model), (name, arguments), &span).await;
    match &answer {
        Ok(result) if result.is_error == Some(true) => span.failed("tool_error"),
        Ok(_) => {}
        Err(_) => span.failed("request_error"),
    }
    answer
}

async fn call(
    server: &Server,
    session: &SessionTools,
    (caller, model): (&Caller, &Model),
    (name, arguments): (&str, Map<String, Value>),
    span: &LoadSpan,
) -> Result<CallToolResult, ErrorData> {
    if let Some(host) = host_tool_calls::host_of(server, caller, name) {
        return Ok(host_tool_calls::call(host, caller, name, arguments).await);
    }
    let access = server.options().server_tools.as_ref();
    if let Some(access) = access {
        let call = ServerToolCall {
            server,
            session,
            access,
        };
        if let Some(called) = call.find(name) {
            return call.answer(called, arguments).await;
        }
    }
    let Some(mut answer) = server
        .live_tools()
        .call_with(name, &Value::Object(arguments), server.reader().as_ref())
        .await
    else {
        return Err(ErrorData::invalid_params(
            format!("no tool `{}`", quoted(name)),
            None,
        ));
    };
    if let Some(note) = &answer.operator_note {
        tracing::warn!(tool = name, note, "a tool could not do all that was asked");
    }
    if let Some(read) = &answer.read {
        span.loaded(server, &read.candidate, LoadTrigger::Model)
            .await;
        span.surface(server, &read.candidate, model);
    }
    if let Some((candidate, path)) = &answer.file {
        span.loaded(server, candidate, LoadTrigger::Model).await;
        span.file(candidate, path);
    }
    let of_file = answer.file.as_ref().map(|(candidate, _)| candidate);
    let of_skill = answer.read.as_ref().map(|read| &read.candidate);
    for candidate in of_skill.into_iter().chain(of_file) {
        session.record_given(server, &root_of(candidate)).await;
    }
    if let (Some(access), Some(read)) = (access, &answer.read) {
        session.activate(access, &read.candidate, Audience::Model);
        if let Some(note) = server_tools::note(access, &read.candidate) {
            answer.text.push_str(&format!("\n\n{note}"));
        }
    }
    let content = vec![ContentBlock::text(answer.text)];
    let mut result = match answer.code {
        ToolStatus::Ok => CallToolResult::success(content),
        _ => CallToolResult::error(content),
    };
    result.meta = answer
        .read
        .map(|read| surface(server, &read.candidate, model, MetaObject::new()));
    Ok(result)
}

fn tool(spec: &ToolSpec) -> Tool {
    let schema = spec.input_schema.as_object().cloned().unwrap_or_default();
    let looks = ToolAnnotations::new()
        .read_only(true)
        .idempotent(true)
        .open_world(false);
    Tool::new(spec.name.to_string(), spec.description.to_string(), schema).with_annotations(looks)
}
