//! A model that follows a script.

use std::collections::VecDeque;
use std::error::Error;

use serde_json::{Value, json};

/// A reply of the model.
pub(super) struct Reply {
    pub(super) text: String,
    pub(super) calls: Vec<(String, Value)>,
}

impl Reply {
    fn text_only(text: &str) -> Reply {
        Reply {
            text: text.to_owned(),
            calls: Vec::new(),
        }
    }

    fn calls<const N: usize>(calls: [(&str, Value); N]) -> Reply {
        let calls = calls.map(|(tool, arguments)| (tool.to_owned(), arguments));
        Reply {
            text: "(calls tools)".to_owned(),
            calls: calls.into(),
        }
    }

    pub(super) fn content(&self) -> Value {
        let calls = self.calls.iter();
        let calls =
            calls.map(|(tool, arguments)| json!({"type": "tool_use", "id": tool, "name": tool, "input": arguments}));
        std::iter::once(json!({"type": "text", "text": self.text}))
            .chain(calls)
            .collect()
    }
}

/// The model: replies that do not depend on the request.
pub(super) struct ScriptedModel(VecDeque<Reply>);

impl ScriptedModel {
    pub(super) fn new() -> ScriptedModel {
        let read = ("read_skill", json!({"id": "tidy", "arguments": "the desk"}));
        let list = ("list_files", json!({"folder": "desk"}));
        let move_file = (
            "move_file",
            json!({"from": "desk/b.txt", "to": "desk/text/b.txt"}),
        );
        let script = [
            Reply::calls([read, list]),
            Reply::calls([move_file]),
            Reply::text_only("The desk is tidy."),
            Reply::text_only("You are welcome."),
        ];
        ScriptedModel(script.into())
    }

    pub(super) fn answer(&mut self, _request: &Value) -> Result<Reply, Box<dyn Error>> {
        self.0
            .pop_front()
            .ok_or_else(|| "the script is over".into())
    }
}
