//! The states of steps and runs.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The state of a step or a check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StepState {
    /// It has not run.
    Pending,
    /// It may have run.
    Uncertain {
        /// The reason.
        reason: Arc<str>,
    },
    /// It has run, or the check holds.
    Done {
        /// The result of the tool; null for a step of a person, and for a result of more than 64 KiB.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        result: Value,
    },
    /// It failed, or the check does not hold.
    Failed {
        /// The reason.
        reason: Arc<str>,
    },
    /// It does not run.
    Skipped {
        /// The reason.
        reason: Arc<str>,
    },
    /// A check that a person or a model judges.
    Unjudged,
}

impl StepState {
    pub(crate) fn done(result: Value) -> StepState {
        StepState::Done { result }
    }

    pub(crate) fn failed(reason: impl Into<Arc<str>>) -> StepState {
        StepState::Failed {
            reason: reason.into(),
        }
    }

    pub(crate) fn skipped(reason: impl Into<Arc<str>>) -> StepState {
        StepState::Skipped {
            reason: reason.into(),
        }
    }
}

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RunStatus {
    /// Steps are left.
    Open,
    /// A step failed that ends the workflow, or a check does not hold.
    Failed,
    /// All steps have ended, and no check failed.
    Done,
}
