//! Calls of tools over a connection.

use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, ErrorCode, GetExtensions, RequestId,
};
use serde_json::{Map, Value};

use super::{Connection, UnansweredRequest, to_json};
use crate::error::{AskError, closed_error};
use crate::http::PostedCall;
use crate::tool_calls::{CallPath, ToolCall};

impl Connection {
    /// Calls a tool, and returns the result of `tools/call`. Dropping the future cancels the call.
    pub(crate) async fn call_tool(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        limit: Duration,
    ) -> Result<Value, AskError> {
        let has_session = self
            .info()
            .is_some_and(|info| info.protocol_version.has_initialize());
        if !has_session {
            // Each request introduces the client.
            return self.ask_service(call_request(tool, arguments), limit).await;
        }
        let call = self.call_ids.call(tool, &arguments);
        let mut unanswered = UnansweredRequest::new(&self.peer, RequestId::Number(call.id));
        let answer = self.post_call(call, (tool, arguments), limit);
        let answer = match self.while_open(limit, answer).await {
            Ok(None) => return Err(AskError::Timeout(limit)),
            Ok(Some(answer)) => answer,
            Err(closed) => Err(closed),
        };
        unanswered.id = None;
        answer
    }

    async fn post_call(
        &self,
        call: ToolCall,
        (tool, arguments): (&str, Map<String, Value>),
        limit: Duration,
    ) -> Result<Value, AskError> {
        let message = match &self.calls {
            CallPath::Streams(calls) => match calls.call(call).await {
                Ok(message) => message,
                Err(_) => {
                    let error = closed_error(self.program.as_ref(), &self.fault).await;
                    return Err(AskError::Closed(error));
                }
            },
            CallPath::Http(client) => match client.call(call).await {
                Ok(PostedCall::Answer(message)) => message,
                Ok(PostedCall::Expired) => {
                    return self.ask_service(call_request(tool, arguments), limit).await;
                }
                Ok(PostedCall::Stream(stream)) => {
                    let mut request = call_request(tool, arguments);
                    request.extensions_mut().insert(stream.clone());
                    let answer = self.ask_service(request, limit).await;
                    // The answer has its id until here.
                    drop(stream);
                    return answer;
                }
                Err(error) => return Err(self.posting_error(&error)),
            },
        };
        self.result_of(message)
    }

    async fn ask_service(
        &self,
        request: ClientRequest,
        limit: Duration,
    ) -> Result<Value, AskError> {
        let answer = self.ask_within(request, limit).await?;
        to_json(&answer).map_err(AskError::Answer)
    }

    /// Returns the result in a message that answers a request.
    fn result_of(&self, mut message: Value) -> Result<Value, AskError> {
        if let Some(result) = message.get_mut("result") {
            return Ok(result.take());
        }
        let error = message.get("error").unwrap_or(&Value::Null);
        let code = error["code"]
            .as_i64()
            .and_then(|code| i32::try_from(code).ok());
        let code = code.map_or(ErrorCode::INTERNAL_ERROR, ErrorCode);
        let text = error["message"]
            .as_str()
            .unwrap_or("an error without a message");
        Err(self.error_of_server(code, text))
    }
}

fn call_request(tool: &str, arguments: Map<String, Value>) -> ClientRequest {
    let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    ClientRequest::CallToolRequest(CallToolRequest::new(params))
}
