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
use crate::page::Page;
use crate::resources::quoted;

impl Server {
    pub(crate) fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
    ) -> Result<ListToolsResult, ErrorData> {
        let view = self.view();
        let page = Page::of(request.as_ref(), self.version(view.versions.tools))?;
        let (tools, next) = page.cut(view.tools.tools(), self.options().page);
        let mut result = ListToolsResult::with_all_items(tools.iter().map(tool).collect());
        result.next_cursor = next;
        Ok(result)
    }

    pub(crate) async fn call_tool(
        &self,
        name: &str,
        arguments: Option<Map<String, Value>>,
        model: &Model,
    ) -> Result<CallToolResult, ErrorData> {
        let arguments = Value::Object(arguments.unwrap_or_default());
        let Some(answer) = self
            .live_tools()
            .call_with(name, &arguments, self.reader().as_ref())
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
            .map(|read| self.surface(&read.candidate, model, MetaObject::new()));
        Ok(result)
    }
}

fn tool(spec: &ToolSpec) -> Tool {
    let schema = spec.input_schema.as_object().cloned().unwrap_or_default();
    let looks = ToolAnnotations::new()
        .read_only(true)
        .idempotent(true)
        .open_world(false);
    Tool::new(spec.name.to_string(), spec.description.to_string(), schema).with_annotations(looks)
}
