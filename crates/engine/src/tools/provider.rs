//! The tools as the requests of providers have them.

use repertoire_core::ToolSpec;
use serde_json::{Map, Value, json};

/// Whose requests the tools go into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolFormat {
    /// `tools` of Anthropic's Messages.
    Anthropic,
    /// `tools` of OpenAI's Chat Completions, and of what is compatible with it.
    OpenAiChat,
    /// `tools` of OpenAI's Responses.
    OpenAiResponses,
    /// `tools` of Gemini's `generateContent`.
    Gemini,
}

impl ToolFormat {
    /// `tools` as the value of that field; an empty list for no tools, which is best left out of the request.
    pub fn tools(self, tools: &[ToolSpec]) -> Value {
        let declared = tools.iter().map(|tool| self.tool(tool));
        match self {
            ToolFormat::Gemini if !tools.is_empty() => {
                json!([{"functionDeclarations": declared.collect::<Value>()}])
            }
            _ => declared.collect(),
        }
    }

    fn tool(self, tool: &ToolSpec) -> Value {
        let ToolSpec { name, description, input_schema, .. } = tool;
        match self {
            ToolFormat::Anthropic => json!({"name": name, "description": description, "input_schema": input_schema}),
            ToolFormat::OpenAiChat => json!({
                "type": "function",
                "function": {"name": name, "description": description, "parameters": input_schema},
            }),
            // Strict is the default there, and would make every parameter required.
            ToolFormat::OpenAiResponses => json!({
                "type": "function",
                "name": name,
                "description": description,
                "parameters": input_schema,
                "strict": false,
            }),
            ToolFormat::Gemini => {
                let mut declared = json!({"name": name, "description": description});
                // An object without properties is refused; without parameters there is nothing to declare.
                if input_schema["properties"].as_object().is_some_and(|properties| !properties.is_empty()) {
                    declared["parameters"] = gemini(input_schema);
                }
                declared
            }
        }
    }
}

/// A schema in the part of OpenAPI that Gemini reads: types in capitals, nothing said of other properties.
fn gemini(schema: &Value) -> Value {
    let Value::Object(schema) = schema else { return schema.clone() };
    let mut taken = Map::new();
    for (key, value) in schema {
        let value = match (key.as_str(), value) {
            ("additionalProperties", _) => continue,
            ("required", Value::Array(names)) if names.is_empty() => continue,
            ("type", Value::String(kind)) => kind.to_uppercase().into(),
            ("properties", Value::Object(properties)) => {
                properties.iter().map(|(name, schema)| (name.clone(), gemini(schema))).collect::<Map<_, _>>().into()
            }
            ("items", schema) => gemini(schema),
            _ => value.clone(),
        };
        taken.insert(key.clone(), value);
    }
    taken.into()
}
