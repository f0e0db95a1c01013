//! What clients prove themselves with.

use std::fmt;
use std::sync::Arc;

use subtle::ConstantTimeEq;

/// What clients prove themselves with: `Authorization: Bearer TOKEN`. Compared in constant time, and shown to nobody.
#[derive(Clone)]
pub struct Token(Arc<str>);

/// A text that is no [`Token`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a token is at least 16 visible characters of ASCII")]
pub struct WeakToken;

impl Token {
    /// The token in `text`, blanks around it aside.
    ///
    /// # Errors
    /// [`WeakToken`] for one that is guessed too easily, or that no header can hold.
    pub fn new(text: &str) -> Result<Token, WeakToken> {
        let text = text.trim();
        let is_strong = text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_strong { Ok(Token(text.into())) } else { Err(WeakToken) }
    }

    /// Whether `header` proves it.
    pub(super) fn is_proven_by(&self, header: Option<&[u8]>) -> bool {
        let given = header.and_then(|header| {
            let (scheme, token) = header.split_at_checked("Bearer ".len())?;
            scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token)
        });
        given.is_some_and(|given| given.ct_eq(self.0.as_bytes()).into())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_token_proves_it() {
        let token = Token::new("  0123456789abcdef\n").unwrap();
        for (header, is_proven) in [
            (Some("Bearer 0123456789abcdef"), true),
            (Some("bearer 0123456789abcdef"), true),
            (Some("Bearer 0123456789abcdeF"), false),
            (Some("Bearer 0123456789abcde"), false),
            (Some("Bearer 0123456789abcdef "), false),
            (Some("Basic 0123456789abcdef"), false),
            (Some("0123456789abcdef"), false),
            (Some("Bearer "), false),
            (Some("Bear"), false),
            (Some(""), false),
            (None, false),
        ] {
            assert_eq!(token.is_proven_by(header.map(str::as_bytes)), is_proven, "{header:?}");
        }
    }

    #[test]
    fn a_token_is_strong_and_never_shown() {
        for weak in ["", "0123456789abcde", "0123 56789abcdef", "0123456789abcdeé"] {
            assert_eq!(Token::new(weak).err(), Some(WeakToken), "{weak}");
        }
        assert_eq!(format!("{:?}", Token::new("0123456789abcdef").unwrap()), "Token(..)");
    }
}
