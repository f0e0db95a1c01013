//! Tiers, origins and states of candidates.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::ConfigError;

/// The tier of a source. When two sources have one id, builtin wins over user, and user over plugin.
///
/// The derived order is the only table of precedence.
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

impl FromStr for Tier {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Tier, ConfigError> {
        [Tier::Builtin, Tier::User, Tier::Plugin]
            .into_iter()
            .find(|tier| tier.to_string() == text)
            .ok_or_else(|| {
                let text = repertoire_core::text::terminal_line(text);
                ConfigError::new(format!(
                    "unknown tier `{text}`: expected `builtin`, `user` or `plugin`"
                ))
            })
    }
}

/// The origin of a candidate: a tier and the name of a source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Origin {
    /// The tier.
    pub tier: Tier,
    /// The source.
    pub source: Arc<str>,
}

impl Origin {
    /// Creates an origin.
    pub fn new(tier: Tier, source: impl Into<Arc<str>>) -> Origin {
        Origin {
            tier,
            source: source.into(),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} source `{}`", self.tier, self.source)
    }
}

/// The state of a candidate. Active candidates for an id come before pending ones, and pending ones before disabled ones, regardless
/// of tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Models and users get it.
    Active,
    /// Its source is [`Pending`](crate::Trust::Pending).
    Pending,
    /// [`RuleStack`](crate::RuleStack) disable it. The operator still sees it.
    Disabled,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Status::Active => "active",
            Status::Pending => "pending",
            Status::Disabled => "disabled",
        })
    }
}
