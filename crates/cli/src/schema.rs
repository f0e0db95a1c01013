//! The JSON schemas of what is printed, written and read, from the types that do it.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform, transform_subschemas};
use serde_json::{Map, Value, json};

use crate::config::Config;
use crate::lock::LockDocument;
use crate::{answer, command};

/// The schemas by the names of their files in `docs/schema`: of the JSON answers, of our lock, of the configuration file.
/// Feature `schema`.
///
/// ```
/// let schemas = repertoire_cli::schemas();
/// let [(name, answers), ..] = &schemas;
/// assert_eq!((*name, &answers["$id"]), ("repertoire-1", &"repertoire/1".into()));
/// ```
pub fn schemas() -> [(&'static str, Value); 3] {
    [("repertoire-1", answers()), ("repertoire-lock-1", lock()), ("configuration", configuration())]
}

/// One branch a command, and two for a command with two answers.
fn answers() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let branches = command::answers(&mut generator).into_iter().map(|(command, fields)| branch(command, fields));
    let mut schema = schemars::json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": answer::SCHEMA,
        "title": "What `repertoire COMMAND --json` prints",
        "description": "One document a run. Within version 1 fields are added, never renamed, removed or given another meaning: readers ignore what they do not know.",
        "oneOf": branches.collect::<Vec<_>>(),
        "$defs": generator.take_definitions(true),
    });
    close(&mut schema);
    readable(schema)
}

fn lock() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<LockDocument>();
    close(&mut schema);
    readable(schema)
}

/// What is open here is open: options of linked kinds.
fn configuration() -> Value {
    readable(SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Config>())
}

/// A document: `fields` behind what every document has.
fn branch(command: &str, mut fields: Schema) -> Schema {
    let entry = |key: &str| fields.get(key).cloned();
    let own = [("schema", answer::SCHEMA), ("command", command)];
    let mut properties: Map<_, _> =
        own.iter().map(|(key, text)| ((*key).to_owned(), json!({ "const": text }))).collect();
    properties.extend(entry("properties").and_then(|rows| rows.as_object().cloned()).unwrap_or_default());
    let mut required: Vec<Value> = own.iter().map(|(key, _)| (*key).into()).collect();
    required.extend(entry("required").and_then(|keys| keys.as_array().cloned()).unwrap_or_default());
    fields.insert("properties".to_owned(), properties.into());
    fields.insert("required".to_owned(), required.into());
    fields
}

/// Lets no object have other fields than those that are described.
fn close(schema: &mut Schema) {
    transform_subschemas(&mut close, schema);
    if schema.get("properties").is_none() || schema.get("additionalProperties").is_some() {
        return;
    }
    match schema.get_mut("oneOf").and_then(Value::as_array_mut) {
        // A branch does not know the fields beside it.
        Some(branches) => {
            branches
                .iter_mut()
                .filter_map(Value::as_object_mut)
                .for_each(|one| drop(one.remove("additionalProperties")));
            schema.insert("unevaluatedProperties".to_owned(), false.into());
        }
        None => drop(schema.insert("additionalProperties".to_owned(), false.into())),
    }
}

/// The schema without what only Rust means by it.
fn readable(mut schema: Schema) -> Value {
    RecursiveTransform(|schema: &mut Schema| {
        absent_is_not_null(schema);
        if schema.get("type").is_some_and(|kind| kind == "integer" || kind == &json!(["integer", "null"])) {
            schema.remove("format");
        }
        if let Some(Value::String(text)) = schema.get_mut("description") {
            *text = prose(text);
        }
    })
    .transform(&mut schema);
    let mut rows = std::mem::take(schema.ensure_object());
    let about = ["$schema", "$id", "title", "description"];
    let mut document: Map<_, _> = about.iter().filter_map(|key| rows.shift_remove_entry(*key)).collect();
    document.extend(rows);
    document.into()
}

/// A field that may be left out is never null; one that is always there needs no default.
fn absent_is_not_null(schema: &mut Schema) {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (key, field) in properties.iter_mut().filter_map(|(key, field)| Some((key, field.as_object_mut()?))) {
        let is_required = required.iter().any(|name| name == key.as_str());
        if is_required || field.get("default").is_some_and(Value::is_null) {
            field.shift_remove("default");
        }
        if is_required {
            continue;
        }
        if let Some(Value::Array(kinds)) = field.get_mut("type") {
            kinds.retain(|kind| kind != "null");
            if let [kind] = kinds.as_slice() {
                field["type"] = kind.clone();
            }
        }
        if let Some(Value::Array(branches)) = field.get_mut("anyOf")
            && let [one, null] = branches.as_slice()
            && null["type"] == "null"
        {
            let one = one.as_object().cloned().unwrap_or_default();
            field.shift_remove("anyOf");
            field.extend(one);
        }
    }
}

/// What documentation of code begins with, on one line and without links; the rest is for those who write code.
fn prose(text: &str) -> String {
    let first = text.split("\n\n").next().unwrap_or_default();
    first.replace('\n', " ").replace("[`", "`").replace("`]", "`")
}
