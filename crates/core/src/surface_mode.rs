//! The place of a skill's body.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::InvalidValue;

/// The place where a model reads a skill's body.
///
/// "Auto" is the absence of a mode: `Option<SurfaceMode>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SurfaceMode {
    /// In the system prompt; the tool only confirms.
    SystemPrompt,
    /// In the tool's result only.
    ToolOnly,
    /// In both.
    Both,
}

impl SurfaceMode {
    /// Reads a declared mode; `auto` declares nothing.
    ///
    /// # Errors
    /// [`InvalidValue`] for every other text.
    pub fn declared(text: &str) -> Result<Option<SurfaceMode>, InvalidValue> {
        if text == "auto" {
            Ok(None)
        } else {
            text.parse().map(Some)
        }
    }

    /// The mode as written.
    pub fn as_str(self) -> &'static str {
        match self {
            SurfaceMode::SystemPrompt => "system-prompt",
            SurfaceMode::ToolOnly => "tool-only",
            SurfaceMode::Both => "both",
        }
    }
}

impl FromStr for SurfaceMode {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<SurfaceMode, InvalidValue> {
        [SurfaceMode::SystemPrompt, SurfaceMode::ToolOnly, SurfaceMode::Both]
            .into_iter()
            .find(|mode| mode.as_str() == text)
            .ok_or_else(|| {
                let text = crate::text::terminal_line(text);
                InvalidValue::new(format!(
                    "unknown surface mode `{text}`: expected `system-prompt`, `tool-only`, `both` or `auto`"
                ))
            })
    }
}

impl fmt::Display for SurfaceMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
