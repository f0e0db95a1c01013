//! The tools in the format of a provider's requests.

use std::cell::Cell;

use repertoire_core::ToolSpec;
use serde_json::{Map, Value, json};

/// The format of `tools` in the requests of a provider.
///
/// Schemas are converted to what the provider accepts. A conversion never forbids arguments that the schema allows, so a host
/// still validates them.
///
/// | format | conversion |
/// |---|---|
/// | all | the root is an object with `properties`; `allOf`, `anyOf`, `oneOf`, `enum` and `not` of the root are merged or removed |
/// | Gemini | the subset of OpenAPI that it documents: references are inlined, unions become `anyOf` or `nullable`, other keywords are removed |
///
/// ```
/// use repertoire_core::ToolSpec;
/// use repertoire_engine::tools::ToolFormat;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"note": {"type": ["string", "null"]}}});
/// let tool = ToolSpec::new("add_note", "Adds a note.", schema)?;
/// let tools = ToolFormat::Gemini.tools(&[tool.clone()]);
/// let note = &tools[0]["functionDeclarations"][0]["parameters"]["properties"]["note"];
/// assert_eq!(*note, json!({"type": "STRING", "nullable": true}));
/// let names = ToolFormat::Custom(|tool| json!(*tool.name)).tools(&[tool]);
/// assert_eq!(names, json!(["add_note"]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum ToolFormat {
    /// `tools` of Anthropic's Messages.
    Anthropic,
    /// `tools` of OpenAI's Chat Completions, and of compatible APIs.
    OpenAiChat,
    /// `tools` of OpenAI's Responses.
    OpenAiResponses,
    /// `tools` of Gemini's `generateContent`.
    Gemini,
    /// A format of the host: a list of the values that this function returns.
    Custom(fn(&ToolSpec) -> Value),
}

impl ToolFormat {
    /// Returns the value of the field `tools`. Leave the field out if it is an empty list.
    pub fn tools(self, tools: &[ToolSpec]) -> Value {
        let declared: Value = tools.iter().map(|tool| self.tool(tool)).collect();
        match self {
            ToolFormat::Gemini if !tools.is_empty() => json!([{"functionDeclarations": declared}]),
            _ => declared,
        }
    }

    fn tool(self, tool: &ToolSpec) -> Value {
        let ToolSpec {
            name, description, ..
        } = tool;
        let schema = object_at_root(&tool.input_schema);
        match self {
            ToolFormat::Anthropic => {
                json!({"name": name, "description": description, "input_schema": schema})
            }
            ToolFormat::OpenAiChat => json!({
                "type": "function",
                "function": {"name": name, "description": description, "parameters": schema},
            }),
            // Strict is the default there, and would make every parameter required.
            ToolFormat::OpenAiResponses => json!({
                "type": "function",
                "name": name,
                "description": description,
                "parameters": schema,
                "strict": false,
            }),
            ToolFormat::Gemini => {
                let mut declared = json!({"name": name, "description": description});
                // Gemini refuses an object without properties, and a tool without parameters declares none.
                if schema["properties"]
                    .as_object()
                    .is_some_and(|properties| !properties.is_empty())
                {
                    declared["parameters"] =
                        GeminiSchema::new(&schema).convert(&schema, &mut Vec::new());
                }
                declared
            }
            ToolFormat::Custom(convert) => convert(tool),
        }
    }
}

/// Merges the alternatives at the root of a schema, where providers only accept an object.
fn object_at_root(schema: &Value) -> Value {
    let mut root = schema.as_object().cloned().unwrap_or_default();
    let all = branches(root.remove("allOf"));
    let one = [root.remove("anyOf"), root.remove("oneOf")]
        .into_iter()
        .flat_map(branches)
        .collect::<Vec<_>>();
    ["enum", "not", "const"]
        .into_iter()
        .for_each(|key| drop(root.remove(key)));
    let mut properties = Map::new();
    for branch in [&Value::Object(root.clone())]
        .into_iter()
        .chain(&all)
        .chain(&one)
    {
        for (name, schema) in branch["properties"].as_object().into_iter().flatten() {
            properties.entry(name).or_insert_with(|| schema.clone());
        }
    }
    // A name that only one alternative requires is optional.
    let required: Vec<Value> = [&Value::Object(root.clone())]
        .into_iter()
        .chain(&all)
        .flat_map(|branch| branch["required"].as_array().into_iter().flatten())
        .filter(|name| {
            name.as_str()
                .is_some_and(|name| properties.contains_key(name))
        })
        .cloned()
        .collect();
    root.insert("type".to_owned(), "object".into());
    root.insert("properties".to_owned(), properties.into());
    if root.contains_key("required") || !required.is_empty() {
        root.insert("required".to_owned(), required.into());
    }
    root.into()
}

fn branches(schemas: Option<Value>) -> Vec<Value> {
    match schemas {
        Some(Value::Array(schemas)) => schemas,
        _ => Vec::new(),
    }
}

/// The conversion of a schema to the subset of OpenAPI that Gemini accepts.
struct GeminiSchema<'a> {
    root: &'a Value,
    /// The number of schemas that may still be written, because inlined references can multiply.
    left: Cell<usize>,
}

const MOST_SCHEMAS: usize = 10_000;

/// The keywords with a value of their own that Gemini accepts.
const KEPT: [&str; 11] = [
    "title",
    "description",
    "default",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "nullable",
];

impl<'a> GeminiSchema<'a> {
    fn new(root: &'a Value) -> GeminiSchema<'a> {
        GeminiSchema {
            root,
            left: Cell::new(MOST_SCHEMAS),
        }
    }

    /// Converts `schema`, which is inside of the references `path`. A reference to one of them is not inlined again.
    fn convert(&self, schema: &Value, path: &mut Vec<String>) -> Value {
        let Some(left) = self.left.get().checked_sub(1) else {
            return json!({"type": "STRING"});
        };
        self.left.set(left);
        let outer = path.len();
        let merged = self.merged(schema, path);
        let converted = self.converted(&merged, path);
        path.truncate(outer);
        converted.into()
    }

    fn converted(&self, merged: &Map<String, Value>, path: &mut Vec<String>) -> Map<String, Value> {
        let mut taken: Map<String, Value> = merged
            .iter()
            .filter(|(key, _)| KEPT.contains(&key.as_str()))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        let mut kinds = kinds(merged);
        let mut is_nullable = kinds.contains(&"null") || has_null(merged);
        kinds.retain(|kind| *kind != "null");
        let mut options = Vec::new();
        for option in ["anyOf", "oneOf"]
            .into_iter()
            .flat_map(|key| merged.get(key).and_then(Value::as_array))
            .flatten()
        {
            if option["type"] == "null" {
                is_nullable = true;
            } else {
                options.push(self.convert(option, path));
            }
        }
        if is_nullable {
            taken.insert("nullable".to_owned(), true.into());
        }
        match (options.len(), kinds.as_slice()) {
            (1, _) => {
                // The schema around the only alternative describes it.
                let Some(Value::Object(option)) = options.pop() else {
                    return taken;
                };
                for (key, value) in option {
                    taken.entry(key).or_insert(value);
                }
            }
            (2.., _) => drop(taken.insert("anyOf".to_owned(), options.into())),
            (0, [] | [_]) => self.typed(
                kinds.first().copied().unwrap_or("string"),
                merged,
                path,
                &mut taken,
            ),
            (0, kinds) => {
                let each = kinds.iter().map(|kind| {
                    let mut one = Map::new();
                    self.typed(kind, merged, path, &mut one);
                    Value::Object(one)
                });
                let each = each.collect();
                taken.insert("anyOf".to_owned(), each);
            }
        }
        taken
    }

    fn typed(
        &self,
        kind: &str,
        schema: &Map<String, Value>,
        path: &mut Vec<String>,
        taken: &mut Map<String, Value>,
    ) {
        taken.insert("type".to_owned(), kind.to_uppercase().into());
        match kind {
            "object" => self.object(schema, path, taken),
            "array" => {
                let items = schema.get("items").filter(|items| items.is_object());
                let items = items.map_or_else(
                    || json!({"type": "STRING"}),
                    |items| self.convert(items, path),
                );
                taken.insert("items".to_owned(), items);
            }
            "integer" | "number" => {
                for key in ["minimum", "maximum"] {
                    let bound = schema.get(key).filter(|value| value.is_number());
                    taken.extend(bound.map(|value| (key.to_owned(), value.clone())));
                }
                let formats: &[&str] = if kind == "integer" {
                    &["int32", "int64"]
                } else {
                    &["float", "double"]
                };
                taken.extend(format(schema, formats));
            }
            "string" => match texts(schema) {
                values if values.is_empty() => taken.extend(format(schema, &["date-time"])),
                values => drop(taken.insert("enum".to_owned(), values.into())),
            },
            _ => {}
        }
    }

    fn object(
        &self,
        schema: &Map<String, Value>,
        path: &mut Vec<String>,
        taken: &mut Map<String, Value>,
    ) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let properties: Map<String, Value> = properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| (name.clone(), self.convert(schema, path)))
            .collect();
        let required = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let is_there = |name: &&Value| {
            name.as_str()
                .is_some_and(|name| properties.contains_key(name))
        };
        let required: Vec<Value> = required.filter(is_there).cloned().collect();
        if !required.is_empty() {
            taken.insert("required".to_owned(), required.into());
        }
        if !properties.is_empty() {
            taken.insert("properties".to_owned(), properties.into());
        }
    }

    /// Returns a schema with its references and `allOf` merged into it. The keywords beside them count first.
    fn merged(&self, schema: &Value, path: &mut Vec<String>) -> Map<String, Value> {
        let mut merged = schema.as_object().cloned().unwrap_or_default();
        let mut parts = Vec::new();
        if let Some(Value::String(reference)) = merged.remove("$ref")
            && !path.contains(&reference)
        {
            parts.extend(
                reference
                    .strip_prefix('#')
                    .and_then(|pointer| self.root.pointer(pointer))
                    .cloned(),
            );
            path.push(reference);
        }
        parts.extend(branches(merged.remove("allOf")));
        for part in parts {
            for (key, value) in self.merged(&part, path) {
                match (key.as_str(), merged.get_mut(&key), value) {
                    ("properties", Some(Value::Object(properties)), Value::Object(more)) => {
                        for (name, schema) in more {
                            properties.entry(name).or_insert(schema);
                        }
                    }
                    ("required", Some(Value::Array(names)), Value::Array(more)) => {
                        names.extend(more)
                    }
                    (_, Some(_), _) => {}
                    (_, None, value) => drop(merged.insert(key, value)),
                }
            }
        }
        merged
    }
}

/// Returns the types of a schema, or the type that its other keywords imply.
fn kinds(schema: &Map<String, Value>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ if schema.contains_key("properties") => vec!["object"],
        _ if schema.contains_key("items") => vec!["array"],
        _ => match schema
            .get("const")
            .or_else(|| schema.get("enum").and_then(|values| values.get(0)))
        {
            Some(Value::Bool(_)) => vec!["boolean"],
            Some(Value::Number(_)) => vec!["number"],
            _ => Vec::new(),
        },
    }
}

/// Returns the texts that a schema allows, or an empty list if it allows every text.
fn texts(schema: &Map<String, Value>) -> Vec<Value> {
    match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(values)), _) => values
            .iter()
            .filter(|value| value.is_string())
            .cloned()
            .collect(),
        (_, Some(value @ Value::String(_))) => vec![value.clone()],
        _ => Vec::new(),
    }
}

fn has_null(schema: &Map<String, Value>) -> bool {
    let values = schema.get("enum").and_then(Value::as_array);
    values.is_some_and(|values| values.contains(&Value::Null))
        || schema.get("const").is_some_and(Value::is_null)
}

fn format(schema: &Map<String, Value>, accepted: &[&str]) -> Option<(String, Value)> {
    let format = schema.get("format")?;
    format
        .as_str()
        .is_some_and(|name| accepted.contains(&name))
        .then(|| ("format".to_owned(), format.clone()))
}

#[cfg(test)]
mod tests;
