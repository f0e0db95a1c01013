//! What proves to a server who asks.

use std::fmt;
use std::sync::Arc;

/// A bearer token. Never shown: not in debug output, not in an error.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(Arc<str>);

impl Token {
    /// The token that a file or a variable holds, without the blanks around it; nothing, if that cannot be a token.
    pub fn new(text: &str) -> Option<Token> {
        let text = text.trim();
        let is_sound = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_sound.then(|| Token(text.into()))
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}
