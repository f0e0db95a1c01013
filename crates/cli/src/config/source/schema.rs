//! The schema of one source: what every kind has, and the options of those that are built in.

use std::borrow::Cow;

use repertoire::FsOptions;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{Common, Declared};

/// A source that searches folders.
#[derive(JsonSchema)]
#[schemars(rename = "fs", deny_unknown_fields)]
#[expect(dead_code, reason = "it tells what is read, and holds nothing")]
struct Folders {
    #[schemars(flatten)]
    common: Common,
    #[schemars(flatten)]
    options: FsOptions,
}

/// A source of a linked kind, which alone knows its options.
#[derive(JsonSchema)]
#[schemars(rename = "linked")]
#[expect(dead_code, reason = "it tells what is read, and holds nothing")]
struct Linked {
    #[schemars(flatten)]
    common: Common,
}

impl JsonSchema for Declared {
    fn schema_name() -> Cow<'static, str> {
        "source".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "if": { "properties": { "kind": { "const": "fs" } }, "required": ["kind"] },
            "then": generator.subschema_for::<Folders>(),
            "else": generator.subschema_for::<Linked>(),
        })
    }
}
