//! The messages between an agent and its host: one JSON object on each line.

use repertoire_agents::{AgentPhase, StoreError, WritebackFault, WritebackKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A message of an agent to its host.
///
/// ```
/// use repertoire_agent_runtime::AgentMessage;
///
/// let line = r#"{"type":"writeback","kind":"memory_pack","record":{"session_id":"s-1"}}"#;
/// let message: AgentMessage = serde_json::from_str(line)?;
/// assert!(matches!(message, AgentMessage::Writeback { .. }));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AgentMessage {
    /// The agent has read its ticket and can take its task.
    Ready,
    /// The agent is alive. Every other message is a sign of life too.
    Heartbeat,
    /// The agent enters a phase of its task.
    Phase {
        /// The phase.
        phase: AgentPhase,
        /// A remark for the checkpoint.
        #[serde(default)]
        note: String,
    },
    /// The agent used tokens since its last such message.
    Tokens {
        /// The number of tokens.
        used: u64,
    },
    /// The agent records something about its task.
    Writeback {
        /// The kind of record.
        kind: WritebackKind,
        /// The record.
        record: Value,
    },
    /// The agent has written back everything, and asks for the end of its task.
    Done,
}

impl AgentMessage {
    const TYPES: [&str; 6] = ["ready", "heartbeat", "phase", "tokens", "writeback", "done"];
}

/// A message of a host to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum HostMessage {
    /// The agent works on this task from now on.
    Assigned {
        /// The task.
        task_id: String,
        /// The branch for its changes.
        branch_name: String,
    },
    /// The host accepts the last message.
    Accepted,
    /// The host refuses the last message, and nothing changed.
    Refused {
        /// The reason.
        error: String,
        /// All faults of a writeback, each with the `path` of its field and its `problem`: what was expected.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        faults: Vec<WritebackFault>,
    },
    /// The run was cancelled; the process ends after a grace period.
    Cancel,
    /// The run ended in order; the process ends after a grace period.
    End,
}

impl HostMessage {
    pub(crate) fn refused(error: impl Into<String>) -> Self {
        Self::Refused {
            error: error.into(),
            faults: Vec::new(),
        }
    }

    pub(crate) fn of_error(error: &StoreError) -> Self {
        let faults = match error {
            StoreError::Writeback(faults) => faults.clone(),
            _ => Vec::new(),
        };
        Self::Refused {
            error: error.to_string(),
            faults,
        }
    }
}

/// One thing that a runtime received from an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Received {
    /// A message.
    Message(AgentMessage),
    /// A message with a fault, which this text describes.
    Malformed(String),
    /// Text that is not a message.
    Output(String),
    /// The end of the process. It is received again and again.
    Ended(AgentExit),
}

impl Received {
    /// Reads one line: a message, a faulty message, or other output.
    #[doc(hidden)]
    pub fn from_line(line: &str) -> Self {
        let value: Option<Value> = serde_json::from_str(line).ok();
        let kind = value.as_ref().and_then(|value| value.get("type")?.as_str());
        match (kind, value.as_ref()) {
            (Some(kind), Some(value)) if AgentMessage::TYPES.contains(&kind) => {
                match AgentMessage::deserialize(value) {
                    Ok(message) => Self::Message(message),
                    Err(error) => Self::Malformed(error.to_string()),
                }
            }
            _ => Self::Output(line.to_owned()),
        }
    }
}

/// The end of an agent's process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AgentExit {
    /// The exit code; `None` if a signal ended the process.
    #[doc(hidden)]
    pub code: Option<i32>,
    /// The last line that it wrote to standard error.
    #[doc(hidden)]
    pub stderr_tail: Option<String>,
}

impl AgentExit {
    pub(crate) fn detail(&self) -> String {
        let how = match self.code {
            Some(code) => format!("the process ended with the exit code {code}"),
            None => "a signal ended the process".to_owned(),
        };
        match &self.stderr_tail {
            Some(line) => format!("{how}: {line}"),
            None => how,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_messages_or_output() {
        for (line, received) in [
            (
                r#"{"type":"ready"}"#,
                Received::Message(AgentMessage::Ready),
            ),
            (
                r#"{"type":"phase","phase":"PLAN"}"#,
                Received::Message(AgentMessage::Phase {
                    phase: AgentPhase::Plan,
                    note: String::new(),
                }),
            ),
            (
                r#"{"type":"tokens"}"#,
                Received::Malformed("missing field `used`".to_owned()),
            ),
            (
                r#"{"type":"unknown"}"#,
                Received::Output(r#"{"type":"unknown"}"#.to_owned()),
            ),
            ("compiling", Received::Output("compiling".to_owned())),
        ] {
            assert_eq!(Received::from_line(line), received);
        }
    }
}
