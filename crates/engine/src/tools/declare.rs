//! The definitions of the tools, and the arguments of their calls.

use repertoire_core::{Skill, ToolSpec};
use serde_json::{Map, Value, json};

use super::output::{CallFailure, ToolStatus, quoted};
use super::preset::{ReadTool, ResourceTool, RowFormat, ToolPreset};

/// Rows of a page by default.
pub(super) const USUAL_PAGE: usize = 50;
/// Rows of the longest page.
pub(super) const LONGEST_PAGE: usize = 200;
/// Bytes of instructions or of a file in one answer.
pub(super) const PAGE: usize = 20_000;

/// The names of skills that schemas may contain.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeclaredNames<'a> {
    pub(super) all: Option<&'a [&'a str]>,
    /// Those with a plan.
    pub(super) planned: Option<&'a [&'a str]>,
}

pub(super) fn declare(
    preset: &ToolPreset,
    names: DeclaredNames<'_>,
    catalog: &str,
) -> Vec<ToolSpec> {
    let ToolPreset {
        list,
        search,
        read,
        resource,
        plan,
        ..
    } = preset;
    let ids = names.all;
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
    tools.push(spec(
        &read.name,
        &read_description(preset, catalog),
        read_schema(read, ids),
    ));
    if let Some(tool) = resource {
        let about = format!(
            "Reads a file of a skill: a path that its instructions name, relative to the skill. Call `{}` first.",
            read.name
        );
        tools.push(spec(&tool.name, &about, resource_schema(tool, ids)));
    }
    let has_plans = names.planned.is_none_or(|planned| !planned.is_empty());
    if let Some(name) = plan.as_ref().filter(|_| has_plans) {
        let about = format!(
            "Returns the plan of a skill as JSON: its steps in order, with the tools that they call, and the checks of the \
             result. Call `{}` first.",
            read.name
        );
        let tool = ReadTool {
            offset: None,
            ..read.clone()
        };
        tools.push(spec(name, &about, read_schema(&tool, names.planned)));
    }
    tools
}

fn spec(name: &str, description: &str, schema: Value) -> ToolSpec {
    ToolSpec::new(name, description, schema)
        .expect("presets only have valid names, and schemas are objects")
}

fn read_description(preset: &ToolPreset, catalog: &str) -> String {
    let mut about =
        "Reads the instructions of a skill. Call it as soon as a task fits what the skill is for, before you \
                     begin the task, and follow what it answers."
            .to_owned();
    if let (true, Some(name)) = (
        catalog.is_empty(),
        preset.list.as_ref().or(preset.search.as_ref()),
    ) {
        about.push_str(&format!(" `{name}` tells which skills there are."));
    }
    if !catalog.is_empty() {
        about.push_str("\n\n");
        about.push_str(catalog.trim_end());
    }
    about
}

fn list_schema(preset: &ToolPreset) -> Value {
    if preset.rows != RowFormat::Pages {
        return object([], &[]);
    }
    let properties = [
        ("query", text("Only skills that fit these words.")),
        (
            "cursor",
            text("Continue from the `next_cursor` of the previous page."),
        ),
        (
            "limit",
            number("Maximum number of skills.", 1, LONGEST_PAGE as u64),
        ),
    ];
    object(properties, &[])
}

fn read_schema(tool: &ReadTool, ids: Option<&[&str]>) -> Value {
    let mut properties = vec![(tool.id.as_ref(), id(ids))];
    if let Some(name) = &tool.arguments {
        properties.push((
            name,
            text("What the skill should work on, as a user would write it after its name."),
        ));
    }
    if let Some(name) = &tool.offset {
        properties.push((
            name,
            number(
                "Where to read on, in bytes, if the answer before said so.",
                0,
                u64::MAX,
            ),
        ));
    }
    object(properties, &[&tool.id])
}

fn resource_schema(tool: &ResourceTool, ids: Option<&[&str]>) -> Value {
    let properties = [
        (tool.id.as_ref(), id(ids)),
        (
            tool.path.as_ref(),
            text("The path of the file inside the skill, as in `references/guide.md`."),
        ),
        ("offset", number("Where to begin, in bytes.", 0, u64::MAX)),
        ("limit", number("Maximum number of bytes.", 1, PAGE as u64)),
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
    let properties: Map<String, Value> = properties
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// Returns whether the skill declares steps or checks.
pub(super) fn has_plan(skill: &Skill) -> bool {
    !skill.workflow().is_empty() || !skill.verification().is_empty()
}

pub(super) struct CallArguments<'a>(pub(super) &'a Value);

impl<'a> CallArguments<'a> {
    /// Returns the text under `key`. A blank text is absent, because models fill in optional parameters.
    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, CallFailure> {
        Ok(self.written(key)?.filter(|text| !text.trim().is_empty()))
    }

    pub(super) fn written(&self, key: &str) -> Result<Option<&'a str>, CallFailure> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(bad(&format!(
                "`{key}` is a text; found {}",
                quoted(&other.to_string())
            ))),
        }
    }

    pub(super) fn required(&self, key: &str, what: &str) -> Result<&'a str, CallFailure> {
        match self.text(key)? {
            Some(text) => Ok(text),
            None => Err(self.missing(key, what)),
        }
    }

    pub(super) fn missing(&self, key: &str, what: &str) -> CallFailure {
        bad(&format!("`{key}` is missing: {what}"))
    }

    /// Returns the number under `key`. Some models write numbers as text, and some hosts make every number a float.
    pub(super) fn number(&self, key: &str) -> Result<Option<usize>, CallFailure> {
        let number = match self.0.get(key) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(Value::Number(number)) => Some(number.clone()),
            Some(_) => None,
        };
        let whole = number.as_ref().and_then(whole);
        whole.map(Some).ok_or_else(|| {
            let found = self.0.get(key).map(|value| {
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned)
            });
            bad(&format!(
                "`{key}` is a whole number from 0 on; found {}",
                quoted(&found.unwrap_or_default())
            ))
        })
    }
}

fn whole(number: &serde_json::Number) -> Option<usize> {
    /// Above it, floats skip whole numbers.
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    usize::try_from(number.as_u64().or_else(|| {
        let float = number.as_f64()?;
        // Exact: it is whole and in range.
        ((0.0..=LARGEST).contains(&float) && float.fract() == 0.0).then_some(float as u64)
    })?)
    .ok()
}

fn bad(what: &str) -> CallFailure {
    CallFailure::new(
        ToolStatus::BadArguments,
        format!("The arguments do not fit: {what}."),
    )
}
