//! The schema of one source: what every kind has, and the options of those that are built in.

use std::borrow::Cow;

use repertoire::{ClientPluginsOptions, FsOptions, McpOptions, PluginOptions, ProcessOptions};
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

/// The plugins of a client.
#[derive(JsonSchema)]
#[schemars(rename = "client-plugins", deny_unknown_fields)]
#[expect(dead_code, reason = "it tells what is read, and holds nothing")]
struct ClientPlugins {
    #[schemars(flatten)]
    common: Common,
    #[schemars(flatten)]
    options: ClientPluginsOptions,
}

/// A source in a shared library.
#[derive(JsonSchema)]
#[schemars(rename = "plugin", deny_unknown_fields)]
#[expect(dead_code, reason = "it tells what is read, and holds nothing")]
struct Plugin {
    #[schemars(flatten)]
    common: Common,
    #[schemars(flatten)]
    options: PluginOptions,
}

/// A source in a shared library with a process of its own.
#[derive(JsonSchema)]
#[schemars(rename = "process", deny_unknown_fields)]
#[expect(dead_code, reason = "it tells what is read, and holds nothing")]
struct Process {
    #[schemars(flatten)]
    common: Common,
    #[schemars(flatten)]
    options: ProcessOptions,
}

/// A source fed by another MCP server.
#[derive(JsonSchema)]
#[schemars(rename = "mcp", deny_unknown_fields)]
#[expect(dead_code, reason = "it tells what is read, and holds nothing")]
struct Mcp {
    #[schemars(flatten)]
    common: Common,
    #[schemars(flatten)]
    options: McpOptions,
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
        let foreign = |kind: &str, schema: Schema, other: Schema| {
            json_schema!({
                "if": { "properties": { "kind": { "const": kind } }, "required": ["kind"] },
                // What other people made is never builtin.
                "then": { "allOf": [schema, { "properties": { "tier": { "not": { "const": "builtin" } } } }] },
                "else": other,
            })
        };
        let linked = generator.subschema_for::<Linked>();
        let mcp = foreign("mcp", generator.subschema_for::<Mcp>(), linked);
        let process = foreign("process", generator.subschema_for::<Process>(), mcp);
        let plugin = foreign("plugin", generator.subschema_for::<Plugin>(), process);
        json_schema!({
            "if": { "properties": { "kind": { "const": "fs" } }, "required": ["kind"] },
            "then": { "allOf": [generator.subschema_for::<Folders>(), { "required": ["roots"] }] },
            "else": foreign("client-plugins", generator.subschema_for::<ClientPlugins>(), plugin),
        })
    }
}
