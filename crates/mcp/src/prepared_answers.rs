//! Responses that are put together from JSON text of rows, without the types of `rmcp`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rmcp::model::{ClientRequest, GetExtensions, GetMeta, JsonRpcRequest, RequestId};
use serde::Serialize;

use crate::params::Malformed;
use crate::{McpFeatures, Server, extension, prompts, resources};

/// The prepared responses of one session. The transport and the handler share it.
///
/// A session has none until its handler has answered `initialize`.
#[derive(Debug, Default)]
pub(crate) struct SessionAnswers(Mutex<AnswersState>);

#[derive(Debug, Default)]
enum AnswersState {
    #[default]
    NotPrepared,
    Prepared(PreparedAnswers),
    /// The client sent `initialize` again, so that the handler answers everything.
    Disabled,
}

/// What the responses of one session depend on.
#[derive(Debug, Clone)]
pub(crate) struct PreparedAnswers {
    pub(crate) server: Server,
    pub(crate) features: McpFeatures,
    /// Whether the client rejects a list with a skill outside of the Agent Skills standard.
    pub(crate) is_strict: bool,
    pub(crate) lists_skills: Arc<AtomicBool>,
}

/// The text of a response.
pub(crate) struct ResponseText {
    text: String,
    is_empty: bool,
}

impl SessionAnswers {
    pub(crate) fn begin(&self, prepared: PreparedAnswers) {
        let mut state = self.0.lock();
        *state = match *state {
            AnswersState::NotPrepared => AnswersState::Prepared(prepared),
            _ => AnswersState::Disabled,
        };
    }

    /// Returns the response to `request`, or `None` if the handler has to answer it.
    pub(crate) fn answer(&self, request: &JsonRpcRequest<ClientRequest>) -> Option<String> {
        let feature = feature_of(&request.request)?;
        let prepared = match &*self.0.lock() {
            AnswersState::Prepared(prepared) => prepared.clone(),
            AnswersState::NotPrepared | AnswersState::Disabled => return None,
        };
        prepared.answer(feature, request)
    }
}

impl PreparedAnswers {
    fn answer(
        &self,
        feature: McpFeatures,
        request: &JsonRpcRequest<ClientRequest>,
    ) -> Option<String> {
        let JsonRpcRequest { id, request, .. } = request;
        if !self.features.contains(feature)
            || Malformed::in_message(request.extensions()).is_some()
            || has_context(request)
        {
            return None;
        }
        let server = &self.server;
        let answer = match request {
            ClientRequest::ListSkillsRequest(list) => {
                extension::skills_text(server, id, list.params.as_ref(), self.is_strict)
            }
            ClientRequest::GetSkillRequest(get) => extension::skill_text(server, id, &get.params),
            ClientRequest::ReadResourceDirectoryRequest(read) => {
                extension::directory_text(server, id, &read.params)
            }
            ClientRequest::ListResourcesRequest(list) => {
                resources::resources_text(server, id, list.params.as_ref())
            }
            ClientRequest::ListPromptsRequest(list) => {
                prompts::prompts_text(server, id, list.params.as_ref())
            }
            _ => None,
        }?;
        if feature == McpFeatures::EXTENSION {
            self.lists_skills.store(true, Ordering::Relaxed);
        }
        Some(answer)
    }
}

impl ResponseText {
    /// Begins a response with one page of a list. `next` is the cursor of the next page, and the rows have about `size` bytes.
    pub(crate) fn list(
        id: &RequestId,
        field: &str,
        next: Option<&str>,
        size: usize,
    ) -> ResponseText {
        let mut response = ResponseText::new(id, size);
        if let Some(next) = next {
            // A cursor has nothing to escape.
            response.push_parts(&["\"nextCursor\":\"", next, "\","]);
        }
        response.push_parts(&["\"", field, "\":["]);
        response
    }

    /// Returns a response with one field, of which `value` is the JSON text.
    pub(crate) fn field(id: &RequestId, field: &str, value: &str) -> String {
        let mut response = ResponseText::new(id, value.len());
        response.push_parts(&["\"", field, "\":", value, "}}"]);
        response.text
    }

    fn new(id: &RequestId, size: usize) -> ResponseText {
        let mut response = ResponseText {
            text: String::with_capacity(size + 256),
            is_empty: true,
        };
        let id = serde_json::to_string(id).expect("an id is a text or a number");
        response.push_parts(&["{\"jsonrpc\":\"2.0\",\"id\":", &id, ",\"result\":{"]);
        response
    }

    /// Adds a row to the list.
    pub(crate) fn push(&mut self, row: &str) {
        if !self.is_empty {
            self.text.push(',');
        }
        self.is_empty = false;
        self.text.push_str(row);
    }

    /// Returns the text of the list.
    pub(crate) fn finish(mut self) -> String {
        self.text.push_str("]}}");
        self.text
    }

    fn push_parts(&mut self, parts: &[&str]) {
        parts.iter().for_each(|part| self.text.push_str(part));
    }
}

/// Returns the JSON text of a row.
pub(crate) fn json(row: &impl Serialize) -> String {
    serde_json::to_string(row).expect("a row has texts as keys")
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

/// Returns whether `_meta` of a request has anything that its response may depend on.
fn has_context(request: &ClientRequest) -> bool {
    let meta = &request.get_meta().0;
    meta.0.keys().any(|key| key != "progressToken")
}

#[cfg(test)]
mod tests;
