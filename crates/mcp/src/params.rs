//! The parameters of methods, and errors that say what is wrong with them.

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, ClientRequest, CompleteRequestParams, ErrorCode, Extensions,
    GetPromptRequestParams, GetSkillRequestParams, InitializeRequestParams, PaginatedRequestParams,
    ProtocolVersion, ReadResourceDirectoryRequestParams, ReadResourceRequestParams,
    SubscribeRequestParams, SubscriptionsListenRequestParams, UnsubscribeRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::McpFeatures;
use crate::resources::quoted;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Malformed(String);

pub(crate) struct Method {
    name: &'static str,
    pub(crate) feature: Option<McpFeatures>,
    fault: fn(&Value) -> Option<String>,
    versions: Versions,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Versions {
    All,
    WithSessions,
    WithoutSessions,
}

const fn method<P: DeserializeOwned>(
    name: &'static str,
    feature: Option<McpFeatures>,
    versions: Versions,
) -> Method {
    Method {
        name,
        feature,
        fault: fault::<P>,
        versions,
    }
}

const METHODS: [Method; 15] = [
    method::<InitializeRequestParams>("initialize", None, Versions::WithSessions),
    method::<CallToolRequestParams>("tools/call", Some(McpFeatures::TOOLS), Versions::All),
    method::<PaginatedRequestParams>("tools/list", Some(McpFeatures::TOOLS), Versions::All),
    method::<GetPromptRequestParams>("prompts/get", Some(McpFeatures::PROMPTS), Versions::All),
    method::<PaginatedRequestParams>("prompts/list", Some(McpFeatures::PROMPTS), Versions::All),
    method::<ReadResourceRequestParams>(
        "resources/read",
        Some(McpFeatures::RESOURCES),
        Versions::All,
    ),
    method::<PaginatedRequestParams>(
        "resources/list",
        Some(McpFeatures::RESOURCES),
        Versions::All,
    ),
    method::<PaginatedRequestParams>(
        "resources/templates/list",
        Some(McpFeatures::RESOURCES),
        Versions::All,
    ),
    method::<SubscribeRequestParams>(
        "resources/subscribe",
        Some(McpFeatures::RESOURCES),
        Versions::WithSessions,
    ),
    method::<UnsubscribeRequestParams>(
        "resources/unsubscribe",
        Some(McpFeatures::RESOURCES),
        Versions::WithSessions,
    ),
    method::<CompleteRequestParams>(
        "completion/complete",
        Some(McpFeatures::RESOURCES),
        Versions::All,
    ),
    method::<GetSkillRequestParams>("skills/get", Some(McpFeatures::EXTENSION), Versions::All),
    method::<PaginatedRequestParams>("skills/list", Some(McpFeatures::EXTENSION), Versions::All),
    method::<ReadResourceDirectoryRequestParams>(
        "resources/directory/read",
        Some(McpFeatures::EXTENSION),
        Versions::All,
    ),
    method::<SubscriptionsListenRequestParams>(
        "subscriptions/listen",
        None,
        Versions::WithoutSessions,
    ),
];

impl Method {
    pub(crate) fn named(name: &str, version: Option<&ProtocolVersion>) -> Option<&'static Method> {
        let is_newer = version.is_some_and(|version| *version >= ProtocolVersion::V_2026_07_28);
        METHODS.iter().find(|method| {
            let is_supported = match method.versions {
                Versions::All => true,
                Versions::WithSessions => !is_newer,
                Versions::WithoutSessions => is_newer,
            };
            method.name == name && is_supported
        })
    }

    pub(crate) fn malformed(&self, params: Option<&Value>) -> Malformed {
        let reason = match params {
            None | Some(Value::Null) => "there are no `params`".to_owned(),
            Some(params) if !params.is_object() => "`params` are not an object".to_owned(),
            Some(params) if params.get("_meta").is_some_and(|meta| !meta.is_object()) => {
                "`_meta` is not an object".to_owned()
            }
            Some(params) => (self.fault)(params)
                .unwrap_or_else(|| "`params` do not have the form of the method".to_owned()),
        };
        Malformed(format!("`{}`: {reason}", self.name))
    }
}

impl Malformed {
    /// Returns what is malformed in a request, as it was noted with the request.
    pub(crate) fn in_message(message: &Extensions) -> Option<&Malformed> {
        let malformed = message.get::<Malformed>();
        #[cfg(feature = "http")]
        let malformed = malformed.or_else(|| crate::http::request_parts::extension(message));
        malformed
    }

    pub(crate) fn of_list(
        request: &ClientRequest,
        params: impl FnOnce() -> Option<Value>,
    ) -> Option<Malformed> {
        let is_lost = match request {
            ClientRequest::ListToolsRequest(request) => request.params.is_none(),
            ClientRequest::ListPromptsRequest(request) => request.params.is_none(),
            ClientRequest::ListResourcesRequest(request) => request.params.is_none(),
            ClientRequest::ListResourceTemplatesRequest(request) => request.params.is_none(),
            ClientRequest::ListSkillsRequest(request) => request.params.is_none(),
            _ => false,
        };
        if !is_lost {
            return None;
        }
        let params = params().filter(|params| !params.is_null())?;
        let method = METHODS
            .iter()
            .find(|method| method.name == request.method())?;
        (!params.is_object() || (method.fault)(&params).is_some())
            .then(|| method.malformed(Some(&params)))
    }

    pub(crate) fn error(&self) -> ErrorData {
        ErrorData::new(ErrorCode::INVALID_PARAMS, self.0.clone(), None)
    }
}

fn fault<P: DeserializeOwned>(params: &Value) -> Option<String> {
    let error = P::deserialize(params).err()?;
    Some(quoted(&error.to_string()))
}
