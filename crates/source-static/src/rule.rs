//! The rules of compiled-in skills, checked in constants.
//!
//! `Id::new` and `ResourcePath::new` cannot be called there. The tests compare these rules with them.

use repertoire_core::Id;

/// The limit of characters in a description: rule S-14 of the standard.
pub(crate) const MAX_DESCRIPTION_CHARS: usize = 1024;

/// Returns the rule that `id` breaks: S-10 to S-12 of the standard, in ASCII.
pub(crate) const fn broken_by_id(id: &str) -> Option<&'static str> {
    let bytes = id.as_bytes();
    if bytes.is_empty() {
        return Some("a skill id must not be empty");
    }
    if bytes.len() > Id::MAX_CHARS {
        return Some("a skill id must not exceed 64 characters");
    }
    if bytes[0] == b'-' || bytes[bytes.len() - 1] == b'-' {
        return Some("a skill id must not start or end with a hyphen");
    }
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'-' if bytes[at - 1] == b'-' => {
                return Some("a skill id must not hold two hyphens in a row");
            }
            b'-' | b'a'..=b'z' | b'0'..=b'9' => at += 1,
            _ => {
                return Some(
                    "a skill id must hold nothing but lower-case ASCII letters, digits and hyphens",
                );
            }
        }
    }
    None
}

pub(crate) const fn broken_by_description(description: &str) -> Option<&'static str> {
    if is_blank(description) {
        return Some("the description of a skill must not be blank");
    }
    let bytes = description.as_bytes();
    let (mut at, mut chars) = (0, 0);
    while at < bytes.len() {
        // Every byte that does not continue a character starts one.
        chars += (bytes[at] & 0b1100_0000 != 0b1000_0000) as usize;
        at += 1;
    }
    if chars > MAX_DESCRIPTION_CHARS {
        return Some("the description of a skill must not exceed 1024 characters");
    }
    None
}

pub(crate) const fn broken_by_resource_path(path: &str) -> Option<&'static str> {
    let bytes = path.as_bytes();
    if bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' {
        return Some("it starts with a drive letter");
    }
    // A segment is judged at its end, which the end of the path is too.
    let (mut at, mut start, mut only_dots) = (0, 0, true);
    while at <= bytes.len() {
        match if at < bytes.len() { bytes[at] } else { b'/' } {
            b'\\' => return Some("it holds a backslash; separate folders with `/`"),
            0..=0x1f | 0x7f => return Some("it holds a control character"),
            // U+0080 to U+009F in UTF-8.
            0xc2 if at + 1 < bytes.len() && bytes[at + 1] < 0xa0 => {
                return Some("it holds a control character");
            }
            b'/' if at == start => return Some("it is empty, absolute, or has an empty segment"),
            b'/' if only_dots => return Some("it has a segment of dots only"),
            b'/' => (start, only_dots) = (at + 1, true),
            byte => only_dots = only_dots && matches!(byte, b'.' | b' '),
        }
        at += 1;
    }
    None
}

pub(crate) const fn is_blank(text: &str) -> bool {
    text.as_bytes().trim_ascii().is_empty()
}

/// Returns the FNV-1a hash. Comparing hashes first keeps a long list quick to compile.
pub(crate) const fn hash(text: &str) -> u64 {
    let (mut hash, mut at) = (0xcbf2_9ce4_8422_2325, 0);
    while at < text.len() {
        hash = (hash ^ text.as_bytes()[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}

pub(crate) const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Asserts that no key is repeated.
#[track_caller]
pub(crate) const fn assert_unique<T>(what: &str, rows: &[(&str, T)]) {
    let mut at = 0;
    while at < rows.len() {
        let mut earlier = 0;
        while earlier < at {
            if is_same(rows[earlier].0, rows[at].0) {
                panic!(
                    "{}",
                    RuleMessage::of(&[what, " `", rows[at].0, "` comes twice"]).as_str()
                );
            }
            earlier += 1;
        }
        at += 1;
    }
}

/// A text built in a constant, where `format!` cannot be called.
pub(crate) struct RuleMessage {
    bytes: [u8; RuleMessage::MAX_BYTES],
    len: usize,
}

impl RuleMessage {
    /// The size limit, at which a message is truncated.
    const MAX_BYTES: usize = 256;

    pub(crate) const fn of(parts: &[&str]) -> RuleMessage {
        let mut message = RuleMessage {
            bytes: [0; RuleMessage::MAX_BYTES],
            len: 0,
        };
        let mut part = 0;
        while part < parts.len() {
            let mut at = 0;
            while at < parts[part].len() && message.len < RuleMessage::MAX_BYTES {
                message.bytes[message.len] = parts[part].as_bytes()[at];
                message.len += 1;
                at += 1;
            }
            part += 1;
        }
        message
    }

    pub(crate) const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            // Cut inside a character: everything before it is whole.
            Err(error) => match std::str::from_utf8(self.bytes.split_at(error.valid_up_to()).0) {
                Ok(text) => text,
                Err(_) => panic!("text up to the first bad byte is valid"),
            },
        }
    }
}

#[cfg(test)]
mod tests;
