//! What a provider takes as messages.

use repertoire_core::Role;

use super::slots::{Deferral, Tail};

/// What a provider takes as messages.
///
/// | provider | roles | two of one role in a row |
/// |---|---|---|
/// | `anthropic`, `bedrock`, `google`, `gemini`, `vertex` | user, assistant | joined |
/// | any other, an unknown one too | system, user, assistant | taken |
///
/// Both families take two messages of one role in a row. A host whose provider refuses them says so with
/// [`strictly_alternating`](MessageRules::strictly_alternating).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MessageRules {
    system: bool,
    alternating: bool,
}

/// Providers whose conversations have no system role: instructions are a parameter of their own.
const WITHOUT_SYSTEM: [&str; 5] = ["anthropic", "bedrock", "google", "gemini", "vertex"];

impl MessageRules {
    /// Every role, in any order.
    pub const ANY: MessageRules = MessageRules { system: true, alternating: false };

    /// Users and assistants only.
    pub const WITHOUT_SYSTEM: MessageRules = MessageRules { system: false, alternating: false };

    /// The same rules where two messages of one role in a row are refused.
    #[must_use]
    pub const fn strictly_alternating(self) -> MessageRules {
        MessageRules { alternating: true, ..self }
    }

    /// The rules of `provider`.
    pub fn of(provider: Option<&str>) -> MessageRules {
        let name = provider.unwrap_or_default().trim().to_lowercase();
        if WITHOUT_SYSTEM.contains(&name.as_str()) { MessageRules::WITHOUT_SYSTEM } else { MessageRules::ANY }
    }

    /// Whether a message of `role` can be carried at all.
    pub fn carries(&self, role: Role) -> bool {
        self.system || role != Role::System
    }

    pub(super) fn is_alternating(&self) -> bool {
        self.alternating
    }

    /// Why a message of `role` cannot stand behind `tail`.
    pub(super) fn refuses(&self, tail: Tail, role: Role) -> Option<Deferral> {
        match (tail, role) {
            (_, Role::System) if !self.system => Some(Deferral::NoSuchRole),
            (Tail::Calls, _) => Some(Deferral::SplitsCall),
            (Tail::User | Tail::Results, Role::User) | (Tail::Assistant, Role::Assistant) if self.alternating => {
                Some(Deferral::SameRole)
            }
            _ => None,
        }
    }
}
