//! Texts that are checked where they enter.

/// The error returned for a text or a value that breaks the rules of its type.
///
/// ```
/// use repertoire_core::{Id, InvalidValue};
///
/// let error = " ".parse::<Id>().expect_err("an id is not blank");
/// assert_ne!(error, InvalidValue::new("a different message"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InvalidValue {
    message: String,
    reason: &'static str,
}

impl InvalidValue {
    /// Creates an error with this message.
    pub fn new(message: impl Into<String>) -> InvalidValue {
        InvalidValue {
            message: message.into(),
            reason: "",
        }
    }

    pub(crate) fn because(reason: &'static str, message: impl Into<String>) -> InvalidValue {
        InvalidValue {
            message: message.into(),
            reason,
        }
    }

    /// Returns the broken rule of an [`Id`](crate::Id) as a clause: `it is blank`.
    #[doc(hidden)]
    pub fn reason(&self) -> &'static str {
        self.reason
    }
}

/// Implements the conversions of a text type whose `new` checks its rules.
macro_rules! checked_text {
    ($type:ident) => {
        impl $type {
            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::InvalidValue;

            fn from_str(text: &str) -> Result<$type, $crate::InvalidValue> {
                $type::new(text)
            }
        }

        impl TryFrom<String> for $type {
            type Error = $crate::InvalidValue;

            fn try_from(text: String) -> Result<$type, $crate::InvalidValue> {
                $type::new(&text)
            }
        }

        impl From<$type> for String {
            fn from(text: $type) -> String {
                text.0.as_ref().to_owned()
            }
        }

        impl AsRef<str> for $type {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(&self.0)
            }
        }

        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(&self.0, f)
            }
        }
    };
}
pub(crate) use checked_text;
