//! Precedence: the one order.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Who comes first when two sources claim one id: builtin beats user beats plugin.
///
/// This derive is the only precedence table there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Shipped with the agent.
    Builtin,
    /// The user's own, project and home alike.
    User,
    /// From a plugin.
    Plugin,
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Tier::Builtin => "builtin",
            Tier::User => "user",
            Tier::Plugin => "plugin",
        })
    }
}

/// A text that names no [`Tier`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown tier `{0}`: expected `builtin`, `user` or `plugin`")]
pub struct UnknownTier(String);

impl FromStr for Tier {
    type Err = UnknownTier;

    fn from_str(text: &str) -> Result<Tier, UnknownTier> {
        [Tier::Builtin, Tier::User, Tier::Plugin]
            .into_iter()
            .find(|tier| tier.to_string() == text)
            .ok_or_else(|| UnknownTier(repertoire_core::text::terminal_line(text).into_owned()))
    }
}

/// Where a claim comes from: a tier and a source's name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Origin {
    /// The tier the composer chose.
    pub tier: Tier,
    /// The source.
    pub source: Arc<str>,
}

impl Origin {
    /// An origin.
    pub fn new(tier: Tier, source: impl Into<Arc<str>>) -> Origin {
        Origin { tier, source: source.into() }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} source `{}`", self.tier, self.source)
    }
}
