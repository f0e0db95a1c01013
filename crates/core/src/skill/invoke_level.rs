//! Which agents may call a skill.

use serde::Serialize;

/// Colibri's three levels of invocation, the least demanding first. A declaration: granting is the host's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(into = "u8")]
pub enum InvokeLevel {
    /// 1: any agent.
    Any,
    /// 2: executors and above.
    #[default]
    Executor,
    /// 3: the top agent or a person only.
    Top,
}

impl InvokeLevel {
    /// Reads `1`, `2` or `3`.
    pub fn new(text: &str) -> Option<InvokeLevel> {
        match text.trim() {
            "1" => Some(InvokeLevel::Any),
            "2" => Some(InvokeLevel::Executor),
            "3" => Some(InvokeLevel::Top),
            _ => None,
        }
    }
}

impl From<InvokeLevel> for u8 {
    fn from(level: InvokeLevel) -> u8 {
        match level {
            InvokeLevel::Any => 1,
            InvokeLevel::Executor => 2,
            InvokeLevel::Top => 3,
        }
    }
}
