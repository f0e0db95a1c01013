//! The tools of the engine over MCP.

use repertoire::Model;
use repertoire::skill::ToolSpec;
use repertoire::tools::ToolStatus;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ContentBlock, ListToolsResult, MetaObject, PaginatedRequestParams, Tool,
    ToolAnnotations,
};
use serde_json::{Map, Value};

use crate::Server;
use crate::meta::surface;
use crate::page::Page;
use crate::resources::quoted;

pub(crate) fn list_tools(
    server: &Server,
    request: Option<PaginatedRequestParams>,
) -> Result<ListToolsResult, ErrorData> {
    let view = server.view();
    let page = Page::of(request.as_ref(), server.version(view.versions.tools))?;
    let (tools, next) = page.cut(view.tools.tools(), server.options().page);
    let mut result = ListToolsResult::with_all_items(tools.iter().map(tool).collect());
    result.next_cursor = next;
    Ok(result)
}

pub(crate) async fn call_tool(
    server: &Server,
    name: &str,
    arguments: Option<Map<String, Value>>,
    model: &Model,
) -> Result<CallToolResult, ErrorData> {
    let arguments = Value::Object(arguments.unwrap_or_default());
    let Some(answer) = server
        .live_tools()
        .call_with(name, &arguments, server.reader().as_ref())
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
