//! The schema of a source: the common options, and those of the built-in kinds.

use std::borrow::Cow;

use repertoire_source_fs::{FsOptions, InstalledPluginOptions};
use repertoire_source_mcp::McpOptions;
use repertoire_source_plugin::{PluginOptions, ProcessOptions};
use repertoire_source_remote::RemoteOptions;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use crate::ConfiguredSource;
use crate::source::CommonOptions;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $name:tt $options:ty;)*) => {
        $(
            $(#[$doc])*
            #[derive(JsonSchema)]
            #[schemars(rename = $name, deny_unknown_fields)]
            #[expect(dead_code, reason = "only its schema is used")]
            struct $kind {
                #[schemars(flatten)]
                common: CommonOptions,
                #[schemars(flatten)]
                options: $options,
            }
        )*
    };
}

kinds! {
    /// A source that searches folders.
    Folders "fs" FsOptions;
    /// The plugins that an agent installed.
    InstalledPlugins "client-plugins" InstalledPluginOptions;
    /// A source in a shared library.
    Plugin "plugin" PluginOptions;
    /// A source in a shared library that runs in its own process.
    Process "process" ProcessOptions;
    /// The skills of another MCP server.
    Mcp "mcp" McpOptions;
    /// The skills of a web server.
    Http "http" RemoteOptions;
    /// The skills of an OCI registry.
    Oci "oci" RemoteOptions;
    /// Skills compiled into the program.
    Compiled "static" CompiledOptions;
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct CompiledOptions {
    /// The name of a constant of `declare_skill!`; every declared skill if it is absent.
    list: Option<String>,
}

/// A source of a linked kind, whose options are unknown here.
#[derive(JsonSchema)]
#[schemars(rename = "linked")]
#[expect(dead_code, reason = "only its schema is used")]
struct Linked {
    #[schemars(flatten)]
    common: CommonOptions,
}

impl JsonSchema for ConfiguredSource {
    fn schema_name() -> Cow<'static, str> {
        "source".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = generator.subschema_for::<Linked>();
        schema = either("static", &[generator.subschema_for::<Compiled>()], schema);
        for (kind, options) in [
            ("mcp", generator.subschema_for::<Mcp>()),
            ("http", generator.subschema_for::<Http>()),
            ("oci", generator.subschema_for::<Oci>()),
            ("process", generator.subschema_for::<Process>()),
            ("plugin", generator.subschema_for::<Plugin>()),
            (
                "client-plugins",
                generator.subschema_for::<InstalledPlugins>(),
            ),
        ] {
            // These kinds load content of other people, which is never builtin.
            let not_builtin =
                json_schema!({ "properties": { "tier": { "not": { "const": "builtin" } } } });
            schema = either(kind, &[options, not_builtin], schema);
        }
        let has_roots = json_schema!({ "required": ["roots"] });
        either(
            "fs",
            &[generator.subschema_for::<Folders>(), has_roots],
            schema,
        )
    }
}

fn either(kind: &str, all_of: &[Schema], otherwise: Schema) -> Schema {
    json_schema!({
        "if": { "properties": { "kind": { "const": kind } }, "required": ["kind"] },
        "then": { "allOf": all_of },
        "else": otherwise,
    })
}

/// Adds other spellings of properties and of constants, which serde reads as aliases.
pub(crate) fn spelled(aliases: &'static [(&'static str, &'static str)]) -> impl Fn(&mut Schema) {
    move |schema| {
        for (name, alias) in aliases {
            let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
            if let Some(properties) = properties
                && let Some(property) = properties.get(*name).cloned()
            {
                properties.insert((*alias).to_owned(), property);
            }
            let constants = schema.get_mut("oneOf").and_then(Value::as_array_mut);
            if let Some(constants) = constants
                && let Some(mut constant) = constants
                    .iter()
                    .find(|constant| constant["const"] == **name)
                    .cloned()
            {
                constant["const"] = (*alias).into();
                constants.push(constant);
            }
        }
    }
}
