//! The JSON text of a response with rows that are text.

use rmcp::model::RequestId;
use serde::Serialize;

/// The parts of a response that do not depend on its rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResponseHead<'r> {
    pub(crate) id: &'r RequestId,
    pub(crate) form: ResultForm,
}

/// The fields that every result of a version of the protocol has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResultForm {
    /// None, as before 2026-07-28.
    Plain,
    /// The type of the result, and that no cache may have it.
    Typed,
}

/// The text of a response.
pub(crate) struct ResponseText {
    text: String,
    is_empty: bool,
}

impl ResponseText {
    /// Begins a response with the rows of one page of a list. `next` is the cursor of the next page.
    pub(crate) fn list<R: AsRef<str>>(
        head: ResponseHead<'_>,
        field: &str,
        next: Option<&str>,
        rows: impl Iterator<Item = R> + Clone,
    ) -> ResponseText {
        let size = rows.clone().map(|row| row.as_ref().len() + 1).sum();
        let mut response = ResponseText::new(head, next, size);
        response.push_parts(&["\"", field, "\":["]);
        rows.for_each(|row| response.push(row.as_ref()));
        response
    }

    /// Returns a response with one field, of which `value` is the JSON text.
    pub(crate) fn field(head: ResponseHead<'_>, field: &str, value: &str) -> String {
        let mut response = ResponseText::new(head, None, value.len());
        response.push_parts(&["\"", field, "\":", value, "}}"]);
        response.text
    }

    fn new(head: ResponseHead<'_>, next: Option<&str>, size: usize) -> ResponseText {
        let mut response = ResponseText {
            text: String::with_capacity(size + 256),
            is_empty: true,
        };
        let id = serde_json::to_string(head.id).expect("an id is a text or a number");
        response.push_parts(&["{\"jsonrpc\":\"2.0\",\"id\":", &id, ",\"result\":{"]);
        if head.form == ResultForm::Typed {
            response.push_parts(&["\"resultType\":\"complete\","]);
        }
        if let Some(next) = next {
            // A cursor has nothing to escape.
            response.push_parts(&["\"nextCursor\":\"", next, "\","]);
        }
        if head.form == ResultForm::Typed {
            response.push_parts(&["\"ttlMs\":0,\"cacheScope\":\"private\","]);
        }
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
