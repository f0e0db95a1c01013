//! Messages of injections, and the roles that a provider takes.

use repertoire_core::{Digest, Flavor, Id, Message, Role};
use serde::{Deserialize, Serialize};

use super::turn::ConversationEnd;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PendingMessage {
    pub(super) id: Id,
    pub(super) flavor: Flavor,
    pub(super) message: Message,
}

/// Returns the identity of a message: its injection, role and text.
pub(super) fn key(flavor: &Flavor, id: &Id, message: &Message) -> Digest {
    let role = role_name(message.role);
    // Neither a flavor's name nor an id ends where the next part begins: an id holds no control character.
    Digest::of(format!("{flavor}\0{id}\0{role}\0{}", message.text).as_bytes())
}

/// Returns the name of a role: `user`.
pub(super) fn role_name(role: Role) -> String {
    format!("{role:?}").to_lowercase()
}

/// The roles of messages that a provider accepts.
///
/// | provider | roles | two of one role in a row |
/// |---|---|---|
/// | `anthropic`, `bedrock`, `google`, `gemini`, `vertex` | user, assistant | joined |
/// | any other, an unknown one too | system, user, assistant | taken |
///
/// Use [`strictly_alternating`](MessageRules::strictly_alternating) for a provider that refuses two messages of one role in a row.
///
/// ```
/// use repertoire_engine::session::MessageRules;
///
/// let google = MessageRules::of_provider("google");
/// assert_eq!(google, MessageRules::of_provider("anthropic"));
/// assert_ne!(google, google.strictly_alternating());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MessageRules {
    system: bool,
    alternating: bool,
}

/// Providers whose conversations have no system role.
const WITHOUT_SYSTEM: [&str; 5] = ["anthropic", "bedrock", "google", "gemini", "vertex"];

impl MessageRules {
    /// Every role, in any order.
    pub(crate) const ANY: MessageRules = MessageRules {
        system: true,
        alternating: false,
    };

    /// Users and assistants only.
    const WITHOUT_SYSTEM: MessageRules = MessageRules {
        system: false,
        alternating: false,
    };

    /// The same rules where two messages of one role in a row are refused.
    #[must_use]
    pub const fn strictly_alternating(self) -> MessageRules {
        MessageRules {
            alternating: true,
            ..self
        }
    }

    /// Returns the rules of `provider`.
    pub fn of_provider(provider: &str) -> MessageRules {
        let name = provider.trim().to_lowercase();
        if WITHOUT_SYSTEM.contains(&name.as_str()) {
            MessageRules::WITHOUT_SYSTEM
        } else {
            MessageRules::ANY
        }
    }

    pub(super) fn carries(&self, role: Role) -> bool {
        self.system || role != Role::System
    }

    pub(super) fn is_alternating(&self) -> bool {
        self.alternating
    }

    pub(super) fn refuses(&self, tail: ConversationEnd, role: Role) -> Option<&'static str> {
        match (tail, role) {
            (_, Role::System) if !self.system => Some("the provider has no such role"),
            (ConversationEnd::Calls, _) => Some("it would come between a call and its result"),
            (ConversationEnd::User | ConversationEnd::Results, Role::User)
            | (ConversationEnd::Assistant, Role::Assistant)
                if self.alternating =>
            {
                Some("the message before has the same role")
            }
            _ => None,
        }
    }
}
