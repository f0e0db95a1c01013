//! Parsing of the messages of a client.

use std::borrow::Cow;

use repertoire::skill::JsonValues;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, GetExtensions, JsonRpcRequest,
    ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerResult,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::params::{Malformed, Method};

const MAX_VALUES: usize = 4096;

pub(crate) enum Incoming<'t> {
    Message(ParsedMessage<'t>),
    Batch(Vec<Incoming<'t>>),
    Rejection(ErrorReply),
    Nothing,
}

pub(crate) struct ParsedMessage<'t> {
    #[cfg_attr(not(feature = "http"), expect(dead_code))]
    pub(crate) text: &'t [u8],
    pub(crate) message: Box<ClientJsonRpcMessage>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct ErrorReply {
    jsonrpc: &'static str,
    id: Option<Box<RawValue>>,
    error: ErrorData,
}

#[derive(Deserialize)]
struct RequestEnvelope<'t> {
    #[serde(borrow, default)]
    id: Option<&'t RawValue>,
    #[serde(default)]
    params: Option<Value>,
}

impl<'t> RequestEnvelope<'t> {
    fn parse(text: &'t [u8]) -> Option<RequestEnvelope<'t>> {
        serde_json::from_slice(text).ok()
    }
}

pub(crate) fn trimmed(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes())
        .unwrap_or(text)
        .trim_ascii()
}

pub(crate) fn supports_batches(message: &ServerJsonRpcMessage) -> bool {
    let ServerJsonRpcMessage::Response(response) = message else {
        return false;
    };
    let ServerResult::InitializeResult(result) = &response.result else {
        return false;
    };
    result.protocol_version <= ProtocolVersion::V_2025_03_26
}

impl<'t> Incoming<'t> {
    pub(crate) fn parse(text: &'t [u8]) -> Incoming<'t> {
        let text = trimmed(text);
        if text.is_empty() {
            return Incoming::Nothing;
        }
        if JsonValues::in_text(text) > MAX_VALUES {
            let message =
                format!("a message has at most {MAX_VALUES} values, and an object counts as four");
            return Incoming::Rejection(ErrorReply::new(ErrorCode::INVALID_REQUEST, message));
        }
        if !text.starts_with(b"[") {
            return Incoming::parse_one(text);
        }
        match serde_json::from_slice::<Vec<&RawValue>>(text) {
            Ok(items) if items.is_empty() => Incoming::Rejection(ErrorReply::not_a_message()),
            Ok(items) => Incoming::Batch(
                items
                    .into_iter()
                    .map(|item| Incoming::parse_one(item.get().as_bytes()))
                    .collect(),
            ),
            Err(_) => Incoming::Rejection(ErrorReply::not_json()),
        }
    }

    fn parse_one(text: &'t [u8]) -> Incoming<'t> {
        let Ok(mut message) = serde_json::from_slice::<ClientJsonRpcMessage>(text) else {
            return Incoming::parse_failure(text);
        };
        if let ClientJsonRpcMessage::Request(JsonRpcRequest { id, request, .. }) = &mut message {
            if let ClientRequest::CustomRequest(custom) = &*request
                && let Some(method) =
                    Method::named(&custom.method, None).filter(|_| custom.method == "initialize")
            {
                // A malformed `initialize` reaches no handler, so it is answered here.
                let error = method.malformed(custom.params.as_ref()).error();
                return Incoming::Rejection(ErrorReply::of(error, Some(id)));
            }
            if let Some(malformed) =
                Malformed::of_list(request, || RequestEnvelope::parse(text)?.params)
            {
                request.extensions_mut().insert(malformed);
            }
        }
        Incoming::Message(ParsedMessage {
            text,
            message: Box::new(message),
        })
    }

    fn parse_failure(text: &[u8]) -> Incoming<'static> {
        let Ok(value) = serde_json::from_slice::<Value>(text) else {
            return Incoming::Rejection(ErrorReply::not_json());
        };
        let trimmed = RequestEnvelope::parse(text).and_then(|envelope| envelope.id);
        let id: Option<RequestId> = trimmed.and_then(|id| serde_json::from_str(id.get()).ok());
        let is_asking = value.get("method").is_some_and(Value::is_string);
        let is_answer = value.get("result").is_some() || value.get("error").is_some();
        match id {
            Some(id) if is_asking => {
                let method = value["method"]
                    .as_str()
                    .and_then(|method| Method::named(method, None));
                let is_request =
                    value.get("jsonrpc").is_some_and(|version| version == "2.0") && !is_answer;
                let error = match method {
                    Some(method) if is_request => method.malformed(value.get("params")).error(),
                    _ => ErrorData::new(
                        ErrorCode::INVALID_PARAMS,
                        "the request does not have the form of its method",
                        None,
                    ),
                };
                Incoming::Rejection(ErrorReply::of(error, Some(&id)))
            }
            // Notifications and responses get no response.
            None if is_asking && value.get("id").is_none() => Incoming::Nothing,
            _ if is_answer && !is_asking => Incoming::Nothing,
            _ => {
                let message = match (is_asking, id) {
                    (true, None) => {
                        "the id of a request is a text, or an integer of at most 64 bits"
                    }
                    _ => "this is not a message of JSON-RPC 2.0",
                };
                let can_be_id = |id: &&RawValue| {
                    id.get().starts_with(['"', '-']) || id.get().as_bytes()[0].is_ascii_digit()
                };
                let refusal = ErrorReply::new(ErrorCode::INVALID_REQUEST, message);
                Incoming::Rejection(ErrorReply {
                    id: trimmed.filter(can_be_id).map(ToOwned::to_owned),
                    ..refusal
                })
            }
        }
    }
}

impl ParsedMessage<'_> {
    #[cfg(feature = "http")]
    pub(crate) fn malformed(&self) -> Option<Malformed> {
        match &*self.message {
            ClientJsonRpcMessage::Request(request) => request.request.extensions().get().cloned(),
            _ => None,
        }
    }

    pub(crate) fn method(&self) -> Option<&str> {
        match &*self.message {
            ClientJsonRpcMessage::Request(request) => Some(request.request.method()),
            _ => None,
        }
    }

    pub(crate) fn refused_in_batch(&self) -> Option<ErrorReply> {
        let ClientJsonRpcMessage::Request(request) = &*self.message else {
            return None;
        };
        let error = ErrorData::new(
            ErrorCode::INVALID_REQUEST,
            "`initialize` cannot be part of a batch",
            None,
        );
        (self.method() == Some("initialize")).then(|| ErrorReply::of(error, Some(&request.id)))
    }
}

impl ErrorReply {
    pub(crate) fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> ErrorReply {
        ErrorReply::of(ErrorData::new(code, message, None), None)
    }

    pub(crate) fn of(error: ErrorData, id: Option<&RequestId>) -> ErrorReply {
        let id =
            id.map(|id| serde_json::value::to_raw_value(id).expect("an id is a text or a number"));
        ErrorReply {
            jsonrpc: "2.0",
            id,
            error,
        }
    }

    pub(crate) fn not_json() -> ErrorReply {
        ErrorReply::new(ErrorCode::PARSE_ERROR, "this is not JSON")
    }

    fn not_a_message() -> ErrorReply {
        ErrorReply::new(
            ErrorCode::INVALID_REQUEST,
            "this is not a message of JSON-RPC 2.0",
        )
    }

    pub(crate) fn batches_unsupported() -> ErrorReply {
        ErrorReply::new(
            ErrorCode::INVALID_REQUEST,
            "expected one message, found a batch: only the protocol 2025-03-26 has them",
        )
    }

    pub(crate) fn text(&self) -> Box<RawValue> {
        serde_json::value::to_raw_value(self).expect("an error is a document")
    }
}
