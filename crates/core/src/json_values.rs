//! The number of values in JSON text, counted before it is parsed.

use memchr::memchr2;

/// A count of the values in JSON text, made byte by byte and without parsing it.
///
/// A value of two bytes takes a hundred times as much memory once it is parsed. A reader of a stranger's JSON counts first, and
/// parses only a text that has few values. An object counts as four, which is what it takes. Text that is not JSON is counted
/// too: the count is never lower than the number of values that a parser would make.
///
/// ```
/// use repertoire_core::JsonValues;
///
/// assert_eq!(JsonValues::in_text(br#"{"a": [1, "x,y"]}"#), 7);
/// // Messages of up to a megabyte may have a value for every sixteen bytes.
/// assert!(!JsonValues::fit(b"[0,0,0,0,0,0,0,0,0]", 64));
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct JsonValues {
    values: usize,
    /// Inside of a text, and behind a backslash in it.
    in_text: bool,
    is_escaped: bool,
}

impl JsonValues {
    /// Bytes of a message for each value in it, where the bound is on bytes. Lists of skills and their files have fewer values.
    pub const BYTES_OF_A_VALUE: usize = 16;

    /// Returns how many values `text` has at most.
    pub fn in_text(text: &[u8]) -> usize {
        let mut values = JsonValues::default();
        values.take(text);
        values.count()
    }

    /// Returns whether `text` has no more values than a message of `most` bytes may hold: one for every
    /// [`BYTES_OF_A_VALUE`](JsonValues::BYTES_OF_A_VALUE).
    pub fn fit(text: &[u8], most: usize) -> bool {
        JsonValues::in_text(text) <= most / JsonValues::BYTES_OF_A_VALUE
    }

    /// Counts the next bytes of the text.
    pub fn take(&mut self, mut bytes: &[u8]) {
        while let [byte, rest @ ..] = bytes {
            bytes = rest;
            if self.is_escaped {
                self.is_escaped = false;
            } else if self.in_text {
                match byte {
                    b'"' => self.in_text = false,
                    b'\\' => self.is_escaped = true,
                    // Texts are long, and nothing in between counts.
                    _ => bytes = &rest[memchr2(b'"', b'\\', rest).unwrap_or(rest.len())..],
                }
            } else {
                match byte {
                    b'"' => self.in_text = true,
                    b',' | b'[' => self.values += 1,
                    b'{' => self.values += OBJECT,
                    _ => {}
                }
            }
        }
    }

    /// Returns how many values there were so far: the whole, and one behind every comma and every opening bracket.
    pub fn count(&self) -> usize {
        self.values + 1
    }
}

const OBJECT: usize = 4;

#[cfg(test)]
mod tests;
