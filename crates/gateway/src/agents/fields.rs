//! The arguments of tools about agents: one table for their schemas and their checks.

use serde_json::{Map, Value, json};

use super::AgentRefusal;

/// An argument of a tool.
pub(crate) struct ArgumentField {
    pub(crate) name: &'static str,
    kind: FieldKind,
    is_required: bool,
    about: &'static str,
}

/// A kind of argument.
#[derive(Clone, Copy)]
pub(crate) enum FieldKind {
    Text,
    Texts,
    Flag,
    /// A whole number that is not negative.
    Count,
    Integer,
    Object,
    /// A list of objects.
    Objects,
    /// One of these words.
    Word(&'static [&'static str]),
}

impl ArgumentField {
    pub(crate) const fn required(
        name: &'static str,
        kind: FieldKind,
        about: &'static str,
    ) -> ArgumentField {
        ArgumentField {
            name,
            kind,
            is_required: true,
            about,
        }
    }

    pub(crate) const fn optional(
        name: &'static str,
        kind: FieldKind,
        about: &'static str,
    ) -> ArgumentField {
        ArgumentField {
            name,
            kind,
            is_required: false,
            about,
        }
    }

    fn schema(&self) -> Value {
        let about = self.about;
        match self.kind {
            FieldKind::Text => json!({ "type": "string", "description": about }),
            FieldKind::Texts => {
                json!({ "type": "array", "items": { "type": "string" }, "description": about })
            }
            FieldKind::Flag => json!({ "type": "boolean", "description": about }),
            FieldKind::Count => json!({ "type": "integer", "minimum": 0, "description": about }),
            FieldKind::Integer => json!({ "type": "integer", "description": about }),
            FieldKind::Object => json!({ "type": "object", "description": about }),
            FieldKind::Objects => {
                json!({ "type": "array", "items": { "type": "object" }, "description": about })
            }
            FieldKind::Word(words) => {
                json!({ "type": "string", "enum": words, "description": about })
            }
        }
    }

    fn problem(&self, value: &Value) -> Option<String> {
        let (is_right, expected) = match self.kind {
            FieldKind::Text => (is_text(value), "expected text that is not blank".to_owned()),
            FieldKind::Texts => {
                let is_list = value
                    .as_array()
                    .is_some_and(|list| list.iter().all(is_text));
                (is_list, "expected a list of texts".to_owned())
            }
            FieldKind::Flag => (value.is_boolean(), "expected `true` or `false`".to_owned()),
            FieldKind::Count => (
                value.is_u64(),
                "expected a whole number that is not negative".to_owned(),
            ),
            FieldKind::Integer => {
                let number = value.as_i64().map(i32::try_from);
                (
                    matches!(number, Some(Ok(_))),
                    "expected a whole number".to_owned(),
                )
            }
            FieldKind::Object => (value.is_object(), "expected an object".to_owned()),
            FieldKind::Objects => {
                let list = value.as_array();
                let is_list = list.is_some_and(|list| list.iter().all(Value::is_object));
                (is_list, "expected a list of objects".to_owned())
            }
            FieldKind::Word(words) => {
                let is_word = value.as_str().is_some_and(|word| words.contains(&word));
                (is_word, format!("expected one of {}", words.join(", ")))
            }
        };
        (!is_right).then_some(expected)
    }
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

/// Returns the JSON Schema of the arguments.
pub(crate) fn schema(fields: &[ArgumentField]) -> Value {
    let properties = fields
        .iter()
        .map(|field| (field.name.to_owned(), field.schema()));
    let required = fields.iter().filter(|field| field.is_required);
    json!({
        "type": "object",
        "properties": properties.collect::<Map<_, _>>(),
        "required": required.map(|field| field.name).collect::<Vec<_>>(),
    })
}

/// Checks the arguments. Null counts as missing.
///
/// # Errors
/// Every field that is missing, unknown or of a wrong kind.
pub(crate) fn check(
    fields: &[ArgumentField],
    given: &mut Map<String, Value>,
) -> Result<(), AgentRefusal> {
    given.retain(|_, value| !value.is_null());
    let mut faults = Vec::new();
    for field in fields {
        let problem = match given.get(field.name) {
            None => field.is_required.then(|| "missing".to_owned()),
            Some(value) => field.problem(value),
        };
        faults.extend(problem.map(|problem| (field.name.to_owned(), problem)));
    }
    let known = |name: &str| fields.iter().any(|field| field.name == name);
    let unknown = given.keys().filter(|name| !known(name));
    faults.extend(unknown.map(|name| (name.clone(), "unknown".to_owned())));
    match faults.is_empty() {
        true => Ok(()),
        false => Err(AgentRefusal::invalid(faults)),
    }
}
