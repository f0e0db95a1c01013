//! Messages of the compiler that quote what they are about.

/// A text put together while a constant is evaluated, where `format!` cannot be called.
pub(crate) struct Message {
    bytes: [u8; Message::MAX_BYTES],
    len: usize,
}

impl Message {
    /// What does not fit is cut off.
    const MAX_BYTES: usize = 256;

    pub(crate) const fn of(parts: &[&str]) -> Message {
        let mut message = Message { bytes: [0; Message::MAX_BYTES], len: 0 };
        let mut part = 0;
        while part < parts.len() {
            let mut at = 0;
            while at < parts[part].len() && message.len < Message::MAX_BYTES {
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
