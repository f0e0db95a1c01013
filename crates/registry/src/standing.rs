//! Whether a claim counts.

use std::fmt;

use serde::Serialize;

/// Whether a claim counts. Of several claims to an id an admitted one comes before a pending one, and that before a
/// disabled one, whatever the tiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It counts.
    Admitted,
    /// Its source is [`Pending`](crate::Trust::Pending).
    Pending,
    /// [`Rules`](crate::Rules) switch it off. The operator still sees it.
    Disabled,
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Standing::Admitted => "admitted",
            Standing::Pending => "pending",
            Standing::Disabled => "disabled",
        })
    }
}
