//! Digests of content, and stamps, which are cheaper to compute.

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::io::{self, Read};
use std::str::FromStr;

use foldhash::quality::FixedState;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::InvalidValue;

/// SHA-256 over raw bytes. Written `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("pattern" = "^sha256:[0-9a-f]{64}$")))]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

const DIGITS: &[u8; 16] = b"0123456789abcdef";

impl Digest {
    /// Returns the digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }

    /// Reads `reader` to its end and returns the digest and the number of bytes.
    ///
    /// # Errors
    /// Those of the reader.
    #[doc(hidden)]
    pub fn of_reader(mut reader: impl Read) -> io::Result<(Digest, u64)> {
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 64 << 10];
        let mut size = 0;
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok((Digest(hash.finalize().into()), size)),
                Ok(read) => {
                    hash.update(&buffer[..read]);
                    size += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns the 32 raw bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Formatting each byte by itself takes as long as the digest of a line of text.
        let mut digits = [0; 64];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        f.write_str("sha256:")?;
        f.write_str(std::str::from_utf8(&digits).expect("digits are ASCII"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Digest, InvalidValue> {
        let hex = text.strip_prefix("sha256:").unwrap_or_default();
        let is_hex = hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit());
        if !is_hex {
            let text = crate::text::terminal_line(text);
            let message =
                format!("`{text}` is not a digest: expected `sha256:` and 64 hexadecimal digits");
            return Err(InvalidValue::new(message));
        }
        let mut digest = [0; 32];
        for (at, byte) in digest.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&hex[2 * at..2 * at + 2], 16)
                .expect("checked above: only hexadecimal digits");
        }
        Ok(Digest(digest))
    }
}

impl TryFrom<String> for Digest {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Digest, InvalidValue> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.to_string()
    }
}

/// A cheap fingerprint of content: different stamps mean that the content may have changed.
///
/// Only caches of one build store a stamp, and no permission depends on it. Use a [`Digest`] for both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp(u64);

impl Stamp {
    /// Returns the stamp of a value. It is the same in every process of one build.
    pub fn of<V: Hash + ?Sized>(value: &V) -> Stamp {
        Stamp(FixedState::default().hash_one(value))
    }

    /// Creates the stamp whose [bits](Stamp::bits) a cache of the same build stored.
    #[doc(hidden)]
    pub fn from_bits(bits: u64) -> Stamp {
        Stamp(bits)
    }

    /// Returns the bits, for a cache.
    #[doc(hidden)]
    pub fn bits(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests;
