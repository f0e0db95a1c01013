//! Responses that are put together from JSON text of rows, without the types of `rmcp`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use repertoire::Model;
#[cfg(feature = "http")]
use rmcp::model::{CallToolRequest, ServerJsonRpcMessage, ServerResult};
use rmcp::model::{
    ClientRequest, GetExtensions, GetMeta, JsonRpcRequest, ProtocolVersion, RequestMetaObject,
};
use rmcp::service::{RequestContext, RoleServer};
#[cfg(feature = "http")]
use tracing::Instrument;

use crate::params::Malformed;
use crate::response_text::{ResponseHead, ResultForm};
use crate::session_tools::SessionTools;
#[cfg(feature = "http")]
use crate::{Caller, http::request_parts, tools};
use crate::{McpFeatures, Server, ServerOptions, extension, prompts, resources};

/// The prepared responses of one connection. The transport and the handler share it.
///
/// A connection has none until its handler has answered `initialize`, or a request without a session.
#[derive(Debug, Default)]
pub(crate) struct SessionAnswers(Mutex<AnswersState>);

#[derive(Debug, Default)]
enum AnswersState {
    #[default]
    NotPrepared,
    Prepared(PreparedAnswers),
    /// The client sent `initialize` later, so that the handler answers everything.
    Disabled,
}

/// The server and the client of one connection, on which its responses depend.
#[derive(Debug, Clone)]
pub(crate) struct PreparedAnswers {
    pub(crate) server: Server,
    /// `None` without a session. Then each request introduces its client.
    pub(crate) client: Option<ClientTraits>,
    #[cfg_attr(not(feature = "http"), expect(dead_code))]
    pub(crate) tools: Arc<SessionTools>,
    #[cfg_attr(not(feature = "http"), expect(dead_code))]
    pub(crate) model: Arc<Model>,
    pub(crate) lists_skills: Arc<AtomicBool>,
}

/// The traits of a client on which responses depend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClientTraits {
    pub(crate) features: McpFeatures,
    /// `true` if the client rejects a list with a skill outside of the Agent Skills standard.
    pub(crate) is_strict: bool,
}

/// The keys with which a request without a session introduces its client.
const INTRODUCTION: [&str; 3] = [
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/clientCapabilities",
];

impl SessionAnswers {
    /// Begins to prepare responses, after `initialize` or after a request without a session.
    pub(crate) fn begin(&self, prepared: PreparedAnswers) {
        let mut state = self.0.lock();
        let has_session = prepared.client.is_some();
        *state = match std::mem::take(&mut *state) {
            AnswersState::NotPrepared => AnswersState::Prepared(prepared),
            before if !has_session => before,
            AnswersState::Prepared(_) | AnswersState::Disabled => AnswersState::Disabled,
        };
    }

    /// Returns whether the handler of `request` may begin to prepare responses.
    pub(crate) fn may_begin(&self, request: &ClientRequest) -> bool {
        matches!(request, ClientRequest::InitializeRequest(_))
            || feature_of(request).is_some() && matches!(*self.0.lock(), AnswersState::NotPrepared)
    }

    /// Returns the response to `request`, or `None` if the handler has to answer it.
    pub(crate) fn answer(&self, request: &JsonRpcRequest<ClientRequest>) -> Option<String> {
        let feature = feature_of(&request.request)?;
        self.prepared()?.answer(feature, request)
    }

    /// Returns the response to a call of a tool in a session, or `None` if the handler has to answer it.
    #[cfg(feature = "http")]
    pub(crate) fn call(
        &self,
        request: &JsonRpcRequest<ClientRequest>,
    ) -> Option<impl Future<Output = ServerJsonRpcMessage> + Send + use<>> {
        let ClientRequest::CallToolRequest(call) = &request.request else {
            return None;
        };
        self.prepared()?.call(request, call)
    }

    fn prepared(&self) -> Option<PreparedAnswers> {
        match &*self.0.lock() {
            AnswersState::Prepared(prepared) => Some(prepared.clone()),
            AnswersState::NotPrepared | AnswersState::Disabled => None,
        }
    }
}

impl PreparedAnswers {
    fn answer(
        &self,
        feature: McpFeatures,
        request: &JsonRpcRequest<ClientRequest>,
    ) -> Option<String> {
        let JsonRpcRequest { id, request, .. } = request;
        let (server, meta) = (&self.server, request.get_meta());
        let (client, form) = match self.client {
            Some(client) => (only_has(meta, &[]).then_some(client)?, ResultForm::Plain),
            None => (
                ClientTraits::introduced(server.options(), meta)?,
                ResultForm::Typed,
            ),
        };
        if !client.features.contains(feature)
            || Malformed::in_message(request.extensions()).is_some()
        {
            return None;
        }
        let head = ResponseHead { id, form };
        let answer = match request {
            ClientRequest::ListSkillsRequest(list) => {
                extension::skills_text(server, head, list.params.as_ref(), client.is_strict)
            }
            ClientRequest::GetSkillRequest(get) => extension::skill_text(server, head, &get.params),
            ClientRequest::ReadResourceDirectoryRequest(read) => {
                extension::directory_text(server, head, &read.params)
            }
            ClientRequest::ListResourcesRequest(list) => {
                resources::resources_text(server, head, list.params.as_ref())
            }
            ClientRequest::ListPromptsRequest(list) => {
                prompts::prompts_text(server, head, list.params.as_ref())
            }
            _ => None,
        }?;
        if feature == McpFeatures::EXTENSION {
            self.lists_skills.store(true, Ordering::Relaxed);
        }
        Some(answer)
    }

    #[cfg(feature = "http")]
    fn call(
        self,
        request: &JsonRpcRequest<ClientRequest>,
        call: &CallToolRequest,
    ) -> Option<impl Future<Output = ServerJsonRpcMessage> + Send + use<>> {
        let extensions = request.request.extensions();
        if !self.client?.features.contains(McpFeatures::TOOLS)
            || !only_has(request.request.get_meta(), &[])
            || Malformed::in_message(extensions).is_some()
        {
            return None;
        }
        let (caller, span) = (Caller::of(extensions), request_parts::span_of(extensions));
        let (id, params) = (request.id.clone(), call.params.clone());
        let answer = async move {
            let party = (&caller, &*self.model);
            let (name, arguments) = (&params.name, params.arguments);
            match tools::call_tool(&self.server, &self.tools, party, name, arguments).await {
                Ok(result) => {
                    let mut result = ServerResult::CallToolResult(result);
                    // Sessions are of protocols in which results have no type.
                    result.strip_result_type_for_legacy_peer();
                    ServerJsonRpcMessage::response(result, id)
                }
                Err(error) => ServerJsonRpcMessage::error(error, Some(id)),
            }
        };
        Some(answer.instrument(span))
    }
}

impl ClientTraits {
    /// Returns the traits of a client with this name, and with or without the skills extension.
    pub(crate) fn new(options: &ServerOptions, client: &str, has_extension: bool) -> ClientTraits {
        ClientTraits {
            features: options.features_for(client, has_extension),
            is_strict: options.is_strict(client),
        }
    }

    /// Returns the traits of a client that introduces itself in `meta`. `None` if that is malformed, or if `meta` has anything
    /// else that a response may depend on.
    pub(crate) fn introduced(
        options: &ServerOptions,
        meta: &RequestMetaObject,
    ) -> Option<ClientTraits> {
        if !only_has(meta, &INTRODUCTION)
            || meta.protocol_version()? != ProtocolVersion::V_2026_07_28
        {
            return None;
        }
        let has_extension = extension::is_known_to(Some(&meta.client_capabilities()?));
        let name = meta.client_info().map(|client| client.name);
        Some(ClientTraits::new(
            options,
            &name.unwrap_or_default(),
            has_extension,
        ))
    }
}

/// Leaves the response to a request without a session to the transport. Returns `false` if `text` returns none, or if the
/// transport does not take the text of a response.
#[cfg(feature = "http")]
pub(crate) fn leave_to_transport(
    server: &Server,
    context: &RequestContext<RoleServer>,
    text: impl FnOnce(ResponseHead<'_>, ClientTraits) -> Option<String>,
) -> bool {
    use crate::http::ResponseSlot;

    let Some(slot) = ResponseSlot::of(&context.extensions) else {
        return false;
    };
    let head = ResponseHead {
        id: &context.id,
        form: ResultForm::Typed,
    };
    let client = ClientTraits::introduced(server.options(), &context.meta);
    let text = client.and_then(|client| text(head, client));
    text.map(|text| slot.fill_without_session(text)).is_some()
}

/// Returns `false`, because no transport takes the text of a response.
#[cfg(not(feature = "http"))]
pub(crate) fn leave_to_transport(
    _: &Server,
    _: &RequestContext<RoleServer>,
    _: impl FnOnce(ResponseHead<'_>, ClientTraits) -> Option<String>,
) -> bool {
    false
}

fn feature_of(request: &ClientRequest) -> Option<McpFeatures> {
    match request {
        ClientRequest::ListSkillsRequest(_)
        | ClientRequest::GetSkillRequest(_)
        | ClientRequest::ReadResourceDirectoryRequest(_) => Some(McpFeatures::EXTENSION),
        ClientRequest::ListResourcesRequest(_) => Some(McpFeatures::RESOURCES),
        ClientRequest::ListPromptsRequest(_) => Some(McpFeatures::PROMPTS),
        _ => None,
    }
}

/// Returns whether `_meta` of a request has no keys but `keys` and the token for its progress.
fn only_has(meta: &RequestMetaObject, keys: &[&str]) -> bool {
    let mut others = meta.0.0.keys().filter(|key| *key != "progressToken");
    others.all(|key| keys.contains(&key.as_str()))
}

#[cfg(test)]
mod tests;
