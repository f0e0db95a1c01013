//! Batches of the protocol 2025-03-26: one document with the responses to several requests.

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage,
};
use serde_json::value::RawValue;

use crate::incoming::{ErrorReply, Incoming, supports_batches};

#[derive(Debug, Default)]
pub(crate) struct PendingBatches {
    are_supported: bool,
    open: Vec<Batch>,
}

#[derive(Debug, Default)]
struct Batch {
    waiting: Vec<RequestId>,
    answers: Vec<Box<RawValue>>,
}

pub(crate) enum OutgoingLine {
    Single,
    Deferred,
    Batch(Vec<u8>),
}

impl PendingBatches {
    pub(crate) fn begin(
        &mut self,
        items: Vec<Incoming<'_>>,
    ) -> (Vec<ClientJsonRpcMessage>, Option<Vec<u8>>) {
        if !self.are_supported {
            return (
                Vec::new(),
                Some(
                    ErrorReply::batches_unsupported()
                        .text()
                        .get()
                        .as_bytes()
                        .to_vec(),
                ),
            );
        }
        let (mut batch, mut messages) = (Batch::default(), Vec::with_capacity(items.len()));
        for item in items {
            match item {
                Incoming::Message(message) => match message.refused_in_batch() {
                    Some(refusal) => batch.answers.push(refusal.text()),
                    None => messages.extend(batch.take(*message.message)),
                },
                Incoming::Rejection(refusal) => batch.answers.push(refusal.text()),
                Incoming::Nothing | Incoming::Batch(_) => {}
            }
        }
        let outgoing = batch.finished();
        if !batch.waiting.is_empty() {
            self.open.push(batch);
        }
        (messages, outgoing)
    }

    pub(crate) fn answer(&mut self, message: &ServerJsonRpcMessage) -> OutgoingLine {
        self.are_supported |= supports_batches(message);
        let id = match message {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let Some(at) = id.and_then(|id| self.of(id)) else {
            return OutgoingLine::Single;
        };
        let Ok(answer) = serde_json::value::to_raw_value(message) else {
            return OutgoingLine::Single;
        };
        let batch = &mut self.open[at];
        batch.answers.push(answer);
        batch.waiting.retain(|waiting| Some(waiting) != id);
        match self.finish(at) {
            Some(line) => OutgoingLine::Batch(line),
            None => OutgoingLine::Deferred,
        }
    }

    pub(crate) fn cancel(&mut self, message: &ClientJsonRpcMessage) -> Option<Vec<u8>> {
        let ClientJsonRpcMessage::Notification(notification) = message else {
            return None;
        };
        let ClientNotification::CancelledNotification(cancelled) = &notification.notification
        else {
            return None;
        };
        let id = cancelled.params.request_id.as_ref()?;
        let at = self.of(id)?;
        self.open[at].waiting.retain(|waiting| waiting != id);
        self.finish(at)
    }

    /// Returns whether the response to this request is part of a batch.
    pub(crate) fn has(&self, id: &RequestId) -> bool {
        self.of(id).is_some()
    }

    fn of(&self, id: &RequestId) -> Option<usize> {
        self.open
            .iter()
            .position(|batch| batch.waiting.contains(id))
    }

    fn finish(&mut self, at: usize) -> Option<Vec<u8>> {
        self.open[at]
            .waiting
            .is_empty()
            .then(|| self.open.remove(at))
            .and_then(|batch| batch.finished())
    }
}

impl Batch {
    fn take(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        if let ClientJsonRpcMessage::Request(request) = &message {
            if self.waiting.contains(&request.id) {
                let error = ErrorData::new(
                    ErrorCode::INVALID_REQUEST,
                    "two requests of the batch have the same id",
                    None,
                );
                self.answers
                    .push(ErrorReply::of(error, Some(&request.id)).text());
                return None;
            }
            self.waiting.push(request.id.clone());
        }
        Some(message)
    }

    fn finished(&self) -> Option<Vec<u8>> {
        (self.waiting.is_empty() && !self.answers.is_empty()).then(|| join_responses(&self.answers))
    }
}

pub(crate) fn join_responses(answers: &[Box<RawValue>]) -> Vec<u8> {
    serde_json::to_vec(answers).expect("documents make a document")
}
