//! The arguments of tools about agents: one table for their schemas and their checks.

use repertoire::skill::Digest;
use serde_json::{Map, Value, json};

use super::AgentRefusal;

/// A dotted path and the problem with its value.
pub(crate) type FieldFault = (String, String);

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
    /// A list of objects with these fields.
    Objects(&'static [ArgumentField]),
    /// `sha256:` and 64 hexadecimal digits.
    Digest,
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
            FieldKind::Objects(fields) => {
                json!({ "type": "array", "items": schema(fields), "description": about })
            }
            FieldKind::Digest => {
                let pattern = "^sha256:[0-9a-fA-F]{64}$";
                json!({ "type": "string", "pattern": pattern, "description": about })
            }
            FieldKind::Word(words) => {
                json!({ "type": "string", "enum": words, "description": about })
            }
        }
    }

    /// Returns the faults of a value, each with its dotted path.
    fn faults(&self, value: &Value) -> Vec<FieldFault> {
        if let (FieldKind::Objects(fields), Some(list)) = (self.kind, value.as_array()) {
            let each = list.iter().enumerate();
            let each = each.flat_map(|(at, value)| {
                let path = format!("{}.{at}", self.name);
                match value.as_object() {
                    Some(object) => faults(fields, object)
                        .into_iter()
                        .map(|(name, problem)| (format!("{path}.{name}"), problem))
                        .collect(),
                    None => vec![(path, "expected an object".to_owned())],
                }
            });
            return each.collect();
        }
        let problem = self.problem(value);
        Vec::from_iter(problem.map(|problem| (self.name.to_owned(), problem)))
    }

    fn problem(&self, value: &Value) -> Option<String> {
        let is_right = match self.kind {
            FieldKind::Text => is_text(value),
            FieldKind::Texts => value
                .as_array()
                .is_some_and(|list| list.iter().all(is_text)),
            FieldKind::Flag => value.is_boolean(),
            FieldKind::Count => value.is_u64(),
            FieldKind::Integer => matches!(value.as_i64().map(i32::try_from), Some(Ok(_))),
            FieldKind::Object => value.is_object(),
            FieldKind::Objects(_) => false,
            FieldKind::Digest => value
                .as_str()
                .is_some_and(|text| text.parse::<Digest>().is_ok()),
            FieldKind::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        };
        (!is_right).then(|| self.kind.expected())
    }
}

impl FieldKind {
    fn expected(self) -> String {
        let expected = match self {
            FieldKind::Text => "text that is not blank",
            FieldKind::Texts => "a list of texts",
            FieldKind::Flag => "`true` or `false`",
            FieldKind::Count => "a whole number that is not negative",
            FieldKind::Integer => "a whole number",
            FieldKind::Object => "an object",
            FieldKind::Objects(_) => "a list of objects",
            FieldKind::Digest => "`sha256:` and 64 hexadecimal digits",
            FieldKind::Word(words) => return format!("expected one of {}", words.join(", ")),
        };
        format!("expected {expected}")
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
    let faults = faults(fields, given);
    match faults.is_empty() {
        true => Ok(()),
        false => Err(AgentRefusal::invalid(faults)),
    }
}

/// Returns every field that is missing, unknown or of a wrong kind. Null counts as missing.
pub(crate) fn faults(fields: &[ArgumentField], given: &Map<String, Value>) -> Vec<FieldFault> {
    let mut faults = Vec::new();
    for field in fields {
        match given.get(field.name).filter(|value| !value.is_null()) {
            Some(value) => faults.extend(field.faults(value)),
            None if field.is_required => faults.push((field.name.to_owned(), "missing".to_owned())),
            None => {}
        }
    }
    let is_known = |name: &str| fields.iter().any(|field| field.name == name);
    let unknown = given.keys().filter(|name| !is_known(name));
    faults.extend(unknown.map(|name| (name.clone(), "unknown".to_owned())));
    faults
}
