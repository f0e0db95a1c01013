//! The JSON schemas of output, lock files and configuration, derived from their types.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform, transform_subschemas};
use serde_json::{Map, Value, json};

use crate::lock::LockDocument;
use crate::{command, output};

/// Returns the schemas by their file names in `docs/schema`: of the JSON output, the lock file and the configuration file.
///
/// ```
/// let schemas = repertoire_cli::schemas();
/// let [(name, output), ..] = &schemas;
/// assert_eq!((*name, &output["$id"]), ("repertoire-1", &"repertoire/1".into()));
/// ```
pub fn schemas() -> [(&'static str, Value); 3] {
    [
        ("repertoire-1", output()),
        ("repertoire-lock-2", lock()),
        ("configuration", configuration()),
    ]
}

fn output() -> Value {
    let mut generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let branches = command::schemas(&mut generator)
        .into_iter()
        .map(|(command, fields)| branch(command, fields));
    let mut schema = schemars::json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": output::SCHEMA,
        "title": "What `repertoire COMMAND --json` prints",
        "description": "One document per run. Within version 1 fields are only added: readers should ignore unknown fields.",
        "oneOf": branches.collect::<Vec<_>>(),
        "$defs": generator.take_definitions(true),
    });
    close(&mut schema);
    readable(schema)
}

fn lock() -> Value {
    let generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let mut schema = generator.into_root_schema_for::<LockDocument>();
    close(&mut schema);
    readable(schema)
}

fn configuration() -> Value {
    readable(
        SchemaSettings::draft2020_12()
            .into_generator()
            .into_root_schema_for::<repertoire::config::Configuration>(),
    )
}

fn branch(command: &str, mut fields: Schema) -> Schema {
    let own = [("schema", output::SCHEMA), ("command", command)];
    let mut properties: Map<_, _> = own
        .iter()
        .map(|(key, text)| ((*key).to_owned(), json!({ "const": text })))
        .collect();
    properties.extend(
        fields
            .get("properties")
            .cloned()
            .and_then(|rows| rows.as_object().cloned())
            .unwrap_or_default(),
    );
    let mut required: Vec<Value> = own.iter().map(|(key, _)| (*key).into()).collect();
    required.extend(
        fields
            .get("required")
            .cloned()
            .and_then(|keys| keys.as_array().cloned())
            .unwrap_or_default(),
    );
    fields.insert("properties".to_owned(), properties.into());
    fields.insert("required".to_owned(), required.into());
    fields
}

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

fn readable(mut schema: Schema) -> Value {
    RecursiveTransform(|schema: &mut Schema| {
        absent_is_not_null(schema);
        if schema
            .get("type")
            .is_some_and(|kind| kind == "integer" || kind == &json!(["integer", "null"]))
        {
            schema.remove("format");
        }
        if let Some(Value::String(text)) = schema.get_mut("description") {
            *text = prose(text);
        }
    })
    .transform(&mut schema);
    let mut rows = std::mem::take(schema.ensure_object());
    let about = ["$schema", "$id", "title", "description"];
    let mut document: Map<_, _> = about
        .iter()
        .filter_map(|key| rows.shift_remove_entry(*key))
        .collect();
    document.extend(rows);
    document.into()
}

fn absent_is_not_null(schema: &mut Schema) {
    let required = schema
        .get("required")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for (key, field) in properties
        .iter_mut()
        .filter_map(|(key, field)| Some((key, field.as_object_mut()?)))
    {
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

fn prose(text: &str) -> String {
    let first = text.split("\n\n").next().unwrap_or_default();
    first
        .replace('\n', " ")
        .replace("[`", "`")
        .replace("`]", "`")
}
