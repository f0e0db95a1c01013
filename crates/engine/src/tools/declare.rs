//! The tools as a model sees them.

use repertoire_core::ToolSpec;
use serde_json::{Map, Value, json};

use super::preset::{ReadTool, ResourceTool, ToolPreset};
use super::toolset::{LONGEST_PAGE, PAGE};

/// The tools of `preset` over the skills called `ids`; `catalog` goes into the description of the one that reads.
///
/// `ids` are left open where there are `None`: too many to be named in each request.
pub(super) fn declare(preset: &ToolPreset, ids: Option<&[&str]>, catalog: &str) -> Vec<ToolSpec> {
    let ToolPreset { list, search, read, resource, .. } = preset;
    let spec = |name: &str, description: &str, schema: Value| {
        ToolSpec::new(name, description, schema).expect("the names of tools are not blank and schemas are objects")
    };
    let mut tools = Vec::new();
    if let Some(name) = list {
        tools.push(spec(
            name,
            "Lists the skills that are available: their names and what each is for.",
            list_schema(preset),
        ));
    }
    if let Some(name) = search {
        let query = text("What you need, in a few words.");
        tools.push(spec(
            name,
            "Searches the skills for what you need; the best come first.",
            object([("query", query)], &["query"]),
        ));
    }
    tools.push(spec(&read.name, &read_description(preset, catalog), read_schema(read, ids)));
    if let Some(tool) = resource {
        let about = format!(
            "Reads a file of a skill: a path that its instructions name, relative to the skill. Call `{}` first.",
            read.name
        );
        tools.push(spec(&tool.name, &about, resource_schema(tool, ids)));
    }
    tools
}

fn read_description(preset: &ToolPreset, catalog: &str) -> String {
    let mut about =
        "Reads the instructions of a skill. Call it as soon as a task fits what the skill is for, before you \
                     begin the task, and follow what it answers."
            .to_owned();
    if let (true, Some(name)) = (catalog.is_empty(), preset.list.as_ref().or(preset.search.as_ref())) {
        about.push_str(&format!(" `{name}` tells which skills there are."));
    }
    if !catalog.is_empty() {
        about.push_str("\n\n");
        about.push_str(catalog.trim_end());
    }
    about
}

fn list_schema(preset: &ToolPreset) -> Value {
    if preset.rows != super::Rows::Pages {
        return object([], &[]);
    }
    let properties = [
        ("query", text("Only skills that fit these words.")),
        ("cursor", text("Where to go on: `next_cursor` of the page before.")),
        ("limit", number("How many skills at most.", 1, LONGEST_PAGE as u64)),
    ];
    object(properties, &[])
}

fn read_schema(tool: &ReadTool, ids: Option<&[&str]>) -> Value {
    let mut properties = vec![(tool.id.as_ref(), id(ids))];
    if let Some(name) = &tool.arguments {
        properties.push((name, text("What the skill shall work on, as a user would write it behind its name.")));
    }
    if let Some(name) = &tool.offset {
        properties.push((name, number("Where to read on, in bytes, if the answer before said so.", 0, u64::MAX)));
    }
    object(properties, &[&tool.id])
}

fn resource_schema(tool: &ResourceTool, ids: Option<&[&str]>) -> Value {
    let properties = [
        (tool.id.as_ref(), id(ids)),
        (tool.path.as_ref(), text("The path of the file inside the skill, as in `references/guide.md`.")),
        ("offset", number("Where to begin, in bytes.", 0, u64::MAX)),
        ("limit", number("How many bytes at most.", 1, PAGE as u64)),
    ];
    object(properties, &[&tool.id, &tool.path])
}

fn id(ids: Option<&[&str]>) -> Value {
    let mut schema = text("The name of the skill.");
    if let Some(ids) = ids {
        schema["enum"] = ids.into();
    }
    schema
}

fn text(about: &str) -> Value {
    json!({"type": "string", "description": about})
}

fn number(about: &str, least: u64, most: u64) -> Value {
    let mut schema = json!({"type": "integer", "description": about, "minimum": least});
    if most < u64::MAX {
        schema["maximum"] = most.into();
    }
    schema
}

fn object<'a>(properties: impl IntoIterator<Item = (&'a str, Value)>, required: &[&str]) -> Value {
    let properties: Map<String, Value> =
        properties.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}
