//! How much care attaching a skill takes.

use serde::Serialize;

use crate::Value;

/// A category of the mirai skills: whether a host may attach a skill as it is. See [`Attachable`](crate::Attachable).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Attached directly.
    Standard,
    /// Runs code or reaches data: attached behind the host's gate only.
    Raw,
}

impl Category {
    /// Returns the category that `value` declares: `standard` in any letter case, and raw for everything
    /// else; `None` for null.
    ///
    /// A slip, a word of the author's own or one other item in a list must not spare a skill its gate.
    pub(crate) fn of(value: &Value) -> Option<Category> {
        let items = value.items();
        let is_standard = |item: &Value| {
            item.as_text().is_some_and(|text| text.trim().eq_ignore_ascii_case(Category::Standard.as_str()))
        };
        let is_raw = items.is_empty() || !items.iter().all(is_standard);
        (!value.is_null()).then_some(if is_raw { Category::Raw } else { Category::Standard })
    }

    /// The word in front matter.
    pub const fn as_str(self) -> &'static str {
        match self {
            Category::Standard => "standard",
            Category::Raw => "raw",
        }
    }
}
