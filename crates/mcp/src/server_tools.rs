//! Calls of the tools of servers, and the tools about them.

use repertoire::Skill;
use repertoire::permission::Audience;
use repertoire::registry::Candidate;
use repertoire::skill::text;
use repertoire_mcp_servers::{CallError, ListedTool, ToolAccess};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, ResultType, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::sync::Arc;

use crate::Server;
use crate::resources::quoted;
use crate::served_view::ServedView;
use crate::session_tools::{SessionTools, find_tool};

/// The tool that calls the tools of skills, for clients that read the list of tools once.
pub(crate) const CALL: &str = "call_tool";
/// The tool that deactivates a skill.
pub(crate) const DEACTIVATE: &str = "deactivate_skill";

/// The most tools that the answer to a read skill names.
const MOST_NAMED: usize = 40;

/// A request of a session for a tool of a server.
pub(crate) struct ServerToolCall<'c> {
    pub(crate) server: &'c Server,
    pub(crate) session: &'c SessionTools,
    pub(crate) access: &'c ToolAccess,
}

/// A tool of a server, or one about them.
pub(crate) enum CalledTool<'c> {
    Offered(Arc<ListedTool>),
    Call,
    Deactivate,
    Unknown(&'c str),
}

impl ServerToolCall<'_> {
    /// Returns the tool that is called; `None` for one that is not of this kind.
    pub(crate) fn find<'c>(&self, name: &'c str) -> Option<CalledTool<'c>> {
        if self.server.view().has_tool(name) {
            return None;
        }
        if let Some(tool) = self.session.offered(self.server).find(name) {
            return Some(CalledTool::Offered(Arc::clone(tool)));
        }
        match name {
            CALL => Some(CalledTool::Call),
            DEACTIVATE => Some(CalledTool::Deactivate),
            // The same answer for every such name, so that it does not reveal which tools exist.
            name if name.starts_with("mcp__") => Some(CalledTool::Unknown(name)),
            _ => None,
        }
    }

    /// Answers a call of `tool`.
    pub(crate) async fn answer(
        &self,
        tool: CalledTool<'_>,
        arguments: Map<String, Value>,
    ) -> Result<CallToolResult, ErrorData> {
        match tool {
            CalledTool::Offered(tool) => self.call(&tool, arguments).await,
            CalledTool::Call => self.call_tool(arguments).await,
            CalledTool::Deactivate => self.deactivate(&arguments),
            CalledTool::Unknown(name) => Err(unknown(name)),
        }
    }

    async fn call_tool(&self, mut given: Map<String, Value>) -> Result<CallToolResult, ErrorData> {
        let arguments = given.remove("arguments");
        let (skill, tool) = (text_of(&given, "skill")?, text_of(&given, "tool")?);
        let brought = match skill {
            None => Vec::new(),
            Some(name) => {
                let view = self.server.view();
                let Some(candidate) = seen(self.server, &view, name) else {
                    return Ok(failure(format!("Unknown skill `{}`.", quoted(name))));
                };
                self.access.table().brought_by(candidate).tools
            }
        };
        let offered = self.session.offered(self.server);
        let Some(name) = tool else {
            let tools = if skill.is_some() {
                &brought
            } else {
                offered.tools()
            };
            let rows: Vec<_> = tools.iter().map(|tool| json!(listed(tool))).collect();
            let text = format!("{:#}", json!({ "tools": rows }));
            return Ok(CallToolResult::success(vec![ContentBlock::text(text)]));
        };
        let found = find_tool(&brought, name)
            .or_else(|| offered.find(name))
            .cloned();
        let Some(tool) = found else {
            return Err(unknown(name));
        };
        let arguments = match arguments {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments,
            Some(_) => return Ok(failure("`arguments` is not an object.".to_owned())),
        };
        self.call(&tool, arguments).await
    }

    fn deactivate(&self, given: &Map<String, Value>) -> Result<CallToolResult, ErrorData> {
        let Some(name) = text_of(given, "id")? else {
            return Ok(failure(
                "`id` is missing: give the name of a skill.".to_owned(),
            ));
        };
        let quoted = quoted(name);
        if self.session.deactivate(self.access, name.trim()) {
            let text = format!("The skill `{quoted}` is not active any more.");
            Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
        } else {
            Ok(failure(format!("The skill `{quoted}` is not active.")))
        }
    }

    async fn call(
        &self,
        tool: &ListedTool,
        arguments: Map<String, Value>,
    ) -> Result<CallToolResult, ErrorData> {
        let answer = match self.access.call(tool, arguments).await {
            Ok(answer) => answer,
            Err(error) => return Ok(failed(tool, &error)),
        };
        match serde_json::from_value::<CallToolResult>(answer) {
            Ok(mut result) => {
                result.result_type.get_or_insert(ResultType::COMPLETE);
                Ok(result)
            }
            Err(error) => {
                tracing::warn!(tool = %tool.name, %error, "a server answered with something else");
                let text = format!("The tool `{}` did not answer with a result.", tool.name);
                Ok(failure(text))
            }
        }
    }
}

fn failed(tool: &ListedTool, error: &CallError) -> CallToolResult {
    tracing::warn!(tool = %tool.name, %error, "a tool of a server was not called");
    failure(text::clean(&error.to_string()).into_owned())
}

fn failure(text: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

fn unknown(name: &str) -> ErrorData {
    let name = quoted(name);
    let message = format!("no tool `{name}` now; read a skill that brings it before you call it");
    ErrorData::invalid_params(message, None)
}

fn text_of<'g>(given: &'g Map<String, Value>, key: &str) -> Result<Option<&'g str>, ErrorData> {
    match given.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.trim().is_empty())),
        Some(_) => {
            let message = format!("the argument `{key}` is not a text");
            Err(ErrorData::invalid_params(message, None))
        }
    }
}

/// Returns the skill that `name` means, if the model sees it.
fn seen<'v>(server: &Server, view: &'v ServedView, name: &str) -> Option<&'v Candidate<Skill>> {
    let found = view.snapshot.resolve(name.trim()).ok()?;
    let modes = &server.options().modes;
    modes
        .sees(Audience::Model, found.candidate)
        .then_some(found.candidate)
}

/// Returns a note for the model about the tools that `candidate` brings, and about those that are missing.
pub(crate) fn note(access: &ToolAccess, candidate: &Candidate<Skill>) -> Option<String> {
    let brought = access.table().brought_by(candidate);
    let mut notes = Vec::new();
    if !brought.tools.is_empty() {
        let names = brought.tools.iter().take(MOST_NAMED);
        let names: Vec<_> = names.map(|tool| format!("`{}`", tool.name)).collect();
        let more = if brought.tools.len() > names.len() {
            " and more"
        } else {
            ""
        };
        notes.push(format!(
            "[While this skill is active there are the tools {}{more}. If you cannot call them, use `{CALL}`.]",
            names.join(", ")
        ));
    }
    if !brought.problems.is_empty() {
        notes.push(format!(
            "[The skill is not ready: {}.]",
            brought.problems.join("; ")
        ));
    }
    (!notes.is_empty()).then(|| notes.join("\n"))
}

/// Returns the tools about tools of servers.
pub(crate) fn own_tools(has_active_skills: bool) -> Vec<Tool> {
    let text = |about: &str| json!({"type": "string", "description": about});
    let call = json!({
        "type": "object",
        "properties": {
            "skill": text("The skill that brings the tool. Not needed while the skill is active."),
            "tool": text("The name of the tool. Without it, the tools are listed with their schemas."),
            "arguments": {"type": "object", "description": "The arguments of the tool."},
        },
    });
    let about =
        "Calls a tool that a skill brings, for clients that do not list it. Read the skill first.";
    let looks = ToolAnnotations::new().read_only(false).open_world(true);
    let mut tools = vec![Tool::new(CALL, about, object(call)).with_annotations(looks)];
    if has_active_skills {
        let id = json!({
            "type": "object",
            "properties": {"id": text("The name of the skill.")},
            "required": ["id"],
        });
        let about = "Deactivates a skill. The tools that only this skill brings leave the list.";
        let looks = ToolAnnotations::new()
            .destructive(false)
            .idempotent(true)
            .open_world(false);
        tools.push(Tool::new(DEACTIVATE, about, object(id)).with_annotations(looks));
    }
    tools
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

/// Returns `tool` as clients list it.
pub(crate) fn listed(tool: &ListedTool) -> Tool {
    let schema = &tool.tool.input_schema;
    let is_object = schema.get("type").is_some_and(|kind| kind == "object");
    let schema = if is_object {
        Arc::clone(schema)
    } else {
        // Clients refuse the whole list for a schema of a different type.
        let mut schema = JsonObject::clone(schema);
        schema.insert("type".to_owned(), "object".into());
        Arc::new(schema)
    };
    let about = text::clean(&tool.tool.description).into_owned();
    let listed = Tool::new(tool.name.to_string(), about, schema);
    let looks = tool.tool.annotations.clone();
    match looks.and_then(|looks| serde_json::from_value::<ToolAnnotations>(looks).ok()) {
        Some(looks) => listed.with_annotations(looks),
        None => listed,
    }
}
