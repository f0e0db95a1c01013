//! The naming rules of the Agent Skills standard.

use std::fmt;

/// A rule of the standard (S-10 to S-12) that a name breaks.
///
/// The verdicts agree with the reference validator: letters and digits of every script are allowed,
/// upper case is not, and combining marks are not letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum NameFault {
    /// More than 64 characters.
    TooLong,
    /// An upper-case or title-case letter.
    NotLowercase,
    /// A hyphen first or last.
    EdgeHyphen,
    /// Two hyphens in a row.
    DoubleHyphen,
    /// A character that is neither letter, digit nor hyphen.
    BadCharacter,
}

impl NameFault {
    /// The longest name the standard allows, in characters.
    pub const MAX_CHARS: usize = 64;

    /// Every fault of `name`, in the reference validator's order.
    pub fn all_in(name: &str) -> Vec<NameFault> {
        let mut faults = Vec::new();
        if is_plain(name) {
            return faults;
        }
        if name.chars().count() > Self::MAX_CHARS {
            faults.push(NameFault::TooLong);
        }
        if name.to_lowercase() != name {
            faults.push(NameFault::NotLowercase);
        }
        if name.starts_with('-') || name.ends_with('-') {
            faults.push(NameFault::EdgeHyphen);
        }
        if name.contains("--") {
            faults.push(NameFault::DoubleHyphen);
        }
        if !name.chars().all(|c| c == '-' || is_alphanumeric(c)) {
            faults.push(NameFault::BadCharacter);
        }
        faults
    }
}

fn is_plain(name: &str) -> bool {
    name.len() <= NameFault::MAX_CHARS
        && name.split('-').all(|part| {
            !part.is_empty() && part.bytes().all(|byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
}

fn is_alphanumeric(c: char) -> bool {
    c.is_alphanumeric() && !unicode_normalization::char::is_combining_mark(c)
}

impl fmt::Display for NameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NameFault::TooLong => "exceeds the limit of 64 characters",
            NameFault::NotLowercase => "must be lowercase",
            NameFault::EdgeHyphen => "cannot start or end with a hyphen",
            NameFault::DoubleHyphen => "cannot contain consecutive hyphens",
            NameFault::BadCharacter => "contains invalid characters; letters, digits and hyphens are allowed",
        })
    }
}

#[cfg(test)]
mod tests;
