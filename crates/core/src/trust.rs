//! What a source's text may do.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a source's text may do. Chosen by the composer for a whole source; never by the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// Everything its skills declare.
    Trusted,
    /// Be seen, with its origin told to the model; pre-approved tools, hooks and commands are ignored.
    Restricted,
    /// Nothing until admitted: the operator sees it, no model and no user does. It wins no id that
    /// an admitted source claims.
    Pending,
}

impl fmt::Display for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Trust::Trusted => "trusted",
            Trust::Restricted => "restricted",
            Trust::Pending => "pending",
        })
    }
}
