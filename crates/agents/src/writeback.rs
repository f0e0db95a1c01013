//! The records that an agent owes before it ends.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::AgentRecord;

/// A kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WritebackKind {
    /// The result: `status`, `progress` and `summary`.
    TaskUpdate,
    /// The reflection: `task_id`, `type`, `branch`, `commit_sha`, `tests_run` and `blockers`.
    ThoughtRecord,
    /// The memory, which is optional: `session_id`.
    MemoryPack,
}

impl WritebackKind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::TaskUpdate => "task_update",
            Self::ThoughtRecord => "thought_record",
            Self::MemoryPack => "memory_pack",
        }
    }
}

/// A field that is missing or wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WritebackFault {
    /// The path of the field, such as `thought.commit_sha`.
    pub(crate) path: Cow<'static, str>,
    /// The fault with the expected value, such as `missing; expected a list of texts`.
    pub(crate) problem: String,
}

impl fmt::Display for WritebackFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.path, self.problem)
    }
}

/// The end of a task, as its last update states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskStatus {
    Done,
    Cancelled,
    Blocked,
}

pub(crate) fn task_status(task: Option<&Value>) -> Option<TaskStatus> {
    match task?.get("status")?.as_str()? {
        "done" => Some(TaskStatus::Done),
        "cancelled" => Some(TaskStatus::Cancelled),
        "blocked" => Some(TaskStatus::Blocked),
        _ => None,
    }
}

/// Returns every fault of a task update.
pub(crate) fn task_faults(task: Option<&Value>) -> Vec<WritebackFault> {
    let status = task_status(task);
    let mut fields = RecordFields::of(task);
    fields.check("task.status", |_| {
        (status.is_none()).then(|| "expected `done`, `cancelled` or `blocked`".to_owned())
    });
    fields.check("task.progress", |value| {
        let progress = value.as_u64().filter(|progress| *progress <= 100);
        match progress {
            None => Some("expected a whole number from 0 to 100".to_owned()),
            Some(progress) if status == Some(TaskStatus::Done) && progress < 100 => {
                Some(format!("expected 100 for `done`, found {progress}"))
            }
            Some(_) => None,
        }
    });
    fields.check("task.summary", require_text);
    fields.faults
}

/// Returns every fault of the agent's reflection about its task, which ends with `status`.
pub(crate) fn thought_faults(
    thought: Option<&Value>,
    agent: &AgentRecord,
    status: Option<TaskStatus>,
) -> Vec<WritebackFault> {
    let may_write = agent.permissions.write_access;
    let mut fields = RecordFields::of(thought);
    fields.check("thought.task_id", |value| require(value, &agent.task_id));
    fields.check("thought.type", |value| require(value, "reflection"));
    fields.check("thought.branch", |value| require(value, &agent.branch));
    fields.check("thought.commit_sha", |value| {
        let text = value.as_str().unwrap_or_default();
        let is_sha =
            (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match is_sha || (text == "none" && !may_write) {
            true => None,
            false if may_write => Some("expected 7 to 64 hexadecimal digits".to_owned()),
            false => Some("expected 7 to 64 hexadecimal digits or `none`".to_owned()),
        }
    });
    fields.check("thought.tests_run", |value| require_texts(value, 0));
    let blockers = usize::from(status == Some(TaskStatus::Blocked));
    fields.check("thought.blockers", |value| require_texts(value, blockers));
    fields.faults
}

/// Returns every fault of a memory.
pub(crate) fn memory_faults(memory: Option<&Value>) -> Vec<WritebackFault> {
    let mut fields = RecordFields::of(memory);
    fields.check("memory.session_id", require_text);
    fields.faults
}

struct RecordFields<'a> {
    record: Option<&'a Value>,
    faults: Vec<WritebackFault>,
}

impl<'a> RecordFields<'a> {
    fn of(record: Option<&'a Value>) -> Self {
        Self {
            record,
            faults: Vec::new(),
        }
    }

    fn check(&mut self, path: &'static str, problem: impl FnOnce(&Value) -> Option<String>) {
        let name = path.split_once('.').map_or(path, |(_, name)| name);
        let value = self.record.and_then(|record| record.get(name));
        let problem = match value {
            None | Some(Value::Null) => {
                problem(&Value::Null).map(|expected| format!("missing; {expected}"))
            }
            Some(value) => problem(value),
        };
        let path = Cow::Borrowed(path);
        self.faults
            .extend(problem.map(|problem| WritebackFault { path, problem }));
    }
}

fn require(value: &Value, expected: &str) -> Option<String> {
    (value.as_str() != Some(expected)).then(|| format!("expected `{expected}`"))
}

fn require_text(value: &Value) -> Option<String> {
    let is_text = value.as_str().is_some_and(|text| !text.trim().is_empty());
    (!is_text).then(|| "expected text that is not blank".to_owned())
}

fn require_texts(value: &Value, least: usize) -> Option<String> {
    let texts = value
        .as_array()
        .filter(|list| list.iter().all(|one| require_text(one).is_none()));
    match texts {
        None => Some("expected a list of texts".to_owned()),
        Some(texts) if texts.len() < least => {
            Some("expected at least one for `blocked`".to_owned())
        }
        Some(_) => None,
    }
}
