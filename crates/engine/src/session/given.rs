//! Messages of the host's injections: each is given once.

use repertoire_core::{Digest, Flavor, Id, Message, Role};
use serde::{Deserialize, Serialize};

/// A message that the conversation could not take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Waiting {
    pub(super) id: Id,
    pub(super) flavor: Flavor,
    pub(super) message: Message,
}

/// What makes a message the same: whose it is, who speaks, what is said.
pub(super) fn key(flavor: &Flavor, id: &Id, message: &Message) -> Digest {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    // Neither a flavor's name nor an id ends where the next part begins: an id holds no control character.
    Digest::of(format!("{flavor}\0{id}\0{role}\0{}", message.text).as_bytes())
}
