//! The items of the registries as JSON, with their schemas.

use std::borrow::Cow;
use std::sync::Arc;

use repertoire::Skill;
use repertoire::config::{AgentDefinition, ServerDefinition};
use repertoire::skill::Item;
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::openapi::{RefOr, schema::Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::WorkflowFile;

/// An item that the API shows.
pub(super) trait ShownItem: Item {
    /// The JSON of the item.
    type Json: Serialize + ToSchema;

    fn json(item: &Arc<Self>) -> Self::Json;
}

/// A skill without its instructions.
#[derive(Serialize, ToSchema)]
pub(super) struct SkillItem {
    #[schema(value_type = String)]
    description: Arc<str>,
    /// The place where a model reads the body; absent if the skill does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    surface: Option<&'static str>,
    /// The tools that it pre-approves; absent if it does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    allowed_tools: Option<Vec<Arc<str>>>,
    /// `true` if it is hidden from the model.
    disable_model_invocation: bool,
    /// `true` if it is offered to the user.
    user_invocable: bool,
    /// The workflows that may use it; absent if it does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    allowed_workflows: Option<Vec<Arc<str>>>,
    /// The place that it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    location: Option<Arc<str>>,
    /// The front matter.
    #[schema(value_type = Object)]
    fields: Map<String, Value>,
}

impl ShownItem for Skill {
    type Json = SkillItem;

    fn json(skill: &Arc<Skill>) -> SkillItem {
        let fields = skill.fields.iter();
        SkillItem {
            description: Arc::clone(&skill.description),
            surface: skill.surface.map(|mode| mode.as_str()),
            allowed_tools: skill.allowed_tools.clone(),
            disable_model_invocation: skill.disable_model_invocation,
            user_invocable: skill.user_invocable,
            allowed_workflows: skill.allowed_workflows.clone(),
            location: skill.location.clone(),
            fields: fields
                .map(|(name, value)| (name.to_string(), json!(value)))
                .collect(),
        }
    }
}

/// An item that is serialized as it is. Its schema is that of a type that describes it.
macro_rules! serialized_item {
    ($item:ident, $name:ident, $schema:ident) => {
        #[derive(Serialize)]
        #[serde(transparent)]
        pub(super) struct $name(Arc<$item>);

        impl ShownItem for $item {
            type Json = $name;

            fn json(item: &Arc<$item>) -> $name {
                $name(Arc::clone(item))
            }
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                $schema::schema()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                $schema::schemas(schemas);
            }
        }
    };
}

serialized_item!(WorkflowFile, WorkflowItem, WorkflowSchema);
serialized_item!(AgentDefinition, AgentItem, AgentSchema);
serialized_item!(ServerDefinition, McpServerItem, ServerSchema);

/// A workflow: a file of the project.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes JSON")]
struct WorkflowSchema {
    id: String,
    /// The path of the file.
    path: String,
    format: WorkflowFormatSchema,
    description: Option<String>,
}

#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it describes JSON")]
enum WorkflowFormatSchema {
    Script,
    Yaml,
    Toml,
    Json,
}

/// An agent that the gateway can start or call. Of its environment, only the names are shown.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it describes JSON")]
struct AgentSchema {
    id: String,
    description: Option<String>,
    runtime: AgentRuntimeSchema,
    lifecycle: LifecycleSchema,
    command: Option<String>,
    args: Vec<String>,
    url: Option<String>,
    env: Vec<String>,
    #[schema(value_type = Object)]
    permissions: Value,
    #[schema(value_type = Object)]
    limits: Value,
    #[schema(value_type = Object)]
    metadata: Value,
}

#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it describes JSON")]
enum AgentRuntimeSchema {
    Process,
    Acp,
}

#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it describes JSON")]
enum LifecycleSchema {
    Resident,
    Ephemeral,
}

/// An MCP server that the gateway supervises. Of its environment and its headers, only the names are shown.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it describes JSON")]
struct ServerSchema {
    id: String,
    description: Option<String>,
    transport: TransportSchema,
    command: Option<String>,
    args: Vec<String>,
    directory: Option<String>,
    url: Option<String>,
    env: Vec<String>,
    headers: Vec<String>,
    start: StartSchema,
    start_ms: Option<u64>,
    call_ms: Option<u64>,
    memory_mib: Option<u64>,
    tools: ToolOfferSchema,
    allow: Option<Vec<String>>,
    deny: Option<Vec<String>>,
    grant_to: Option<Vec<String>>,
}

#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it describes JSON")]
enum TransportSchema {
    Stdio,
    Http,
    Sse,
}

#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it describes JSON")]
enum StartSchema {
    OnDemand,
    AtOnce,
}

#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it describes JSON")]
enum ToolOfferSchema {
    WithASkill,
    Always,
    Never,
}
