//! Skills and diagnostics as bytes, for caches that the same build of a program reads again.
//!
//! A record has its distinct texts first and refers to them by number, so that equal texts of one skill share their memory again.
//! Short texts are shared with other skills, as the parser shares them.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::quality::RandomState;

use crate::shared_text::{shared_key, shared_value};

/// A record that is written.
#[derive(Debug, Default)]
pub struct RecordWriter {
    numbers: HashMap<Arc<str>, u32, RandomState>,
    texts: Vec<u8>,
    content: Vec<u8>,
}

impl RecordWriter {
    /// Writes a number.
    pub fn number(&mut self, number: u64) {
        self.content.extend_from_slice(&number.to_le_bytes());
    }

    /// Writes a small number.
    pub(crate) fn byte(&mut self, byte: u8) {
        self.content.push(byte);
    }

    /// Writes a count, which saturates.
    pub fn count(&mut self, count: usize) {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.content.extend_from_slice(&count.to_le_bytes());
    }

    /// Writes a text.
    pub fn text(&mut self, text: &Arc<str>) {
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(text.clone()).or_insert_with(|| {
            put_text(&mut self.texts, text);
            next
        });
        self.content.extend_from_slice(&number.to_le_bytes());
    }

    pub(crate) fn optional_text(&mut self, text: Option<&Arc<str>>) {
        self.byte(text.is_some().into());
        if let Some(text) = text {
            self.text(text);
        }
    }

    /// Returns the bytes of the record.
    pub fn finish(self) -> Vec<u8> {
        let mut record = Vec::with_capacity(4 + self.texts.len() + self.content.len());
        record.extend_from_slice(&(self.numbers.len() as u32).to_le_bytes());
        record.extend_from_slice(&self.texts);
        record.extend_from_slice(&self.content);
        record
    }
}

/// Bytes that are read from their beginning. Every method returns `None` if too few are left, or if they are not of this kind.
#[derive(Debug, Clone, Copy)]
pub struct ByteReader<'a>(pub &'a [u8]);

impl<'a> ByteReader<'a> {
    /// Reads a number.
    pub fn number(&mut self) -> Option<u64> {
        let number = self.0.split_off(..8)?.try_into().ok()?;
        Some(u64::from_le_bytes(number))
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.0.split_off_first().copied()
    }

    /// Reads a flag.
    pub fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// Reads a count.
    pub fn count(&mut self) -> Option<usize> {
        let count = self.0.split_off(..4)?.try_into().ok()?;
        u32::from_le_bytes(count).try_into().ok()
    }

    /// Reads a count, and as many bytes.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.count()?;
        self.0.split_off(..length)
    }
}

/// A record that is read. Every method returns `None` for bytes that no [`RecordWriter`] wrote.
#[derive(Debug)]
pub struct RecordReader<'a> {
    texts: Vec<RecordText<'a>>,
    rest: ByteReader<'a>,
}

/// A text of a record, as written and as it was first read.
#[derive(Debug)]
struct RecordText<'a> {
    written: &'a str,
    read: Option<Arc<str>>,
}

impl<'a> RecordReader<'a> {
    /// Reads the texts of a record.
    pub fn new(bytes: &'a [u8]) -> Option<RecordReader<'a>> {
        let mut rest = ByteReader(bytes);
        let count = rest.count()?;
        // Each text takes four bytes at least.
        let mut texts = Vec::with_capacity(count.min(rest.0.len() / 4));
        for _ in 0..count {
            texts.push(RecordText {
                written: std::str::from_utf8(rest.bytes()?).ok()?,
                read: None,
            });
        }
        Some(RecordReader { texts, rest })
    }

    /// Reads a number.
    pub fn number(&mut self) -> Option<u64> {
        self.rest.number()
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.rest.byte()
    }

    pub(crate) fn flag(&mut self) -> Option<bool> {
        self.rest.flag()
    }

    /// Reads a count.
    pub fn count(&mut self) -> Option<usize> {
        self.rest.count()
    }

    /// Reads a text.
    pub fn text(&mut self) -> Option<Arc<str>> {
        self.text_by(shared_value)
    }

    /// Reads a key of front matter.
    pub(crate) fn key(&mut self) -> Option<Arc<str>> {
        self.text_by(shared_key)
    }

    /// Reads a text as it is written.
    pub(crate) fn written(&mut self) -> Option<&'a str> {
        let number = self.count()?;
        Some(self.texts.get(number)?.written)
    }

    fn text_by(&mut self, share: fn(&str) -> Arc<str>) -> Option<Arc<str>> {
        let number = self.count()?;
        let text = self.texts.get_mut(number)?;
        let read = text.read.get_or_insert_with(|| share(text.written));
        Some(Arc::clone(read))
    }

    pub(crate) fn optional_text(&mut self) -> Option<Option<Arc<str>>> {
        self.optional(RecordReader::text)
    }

    /// Reads whether there is an item, and the item.
    pub(crate) fn optional<T>(
        &mut self,
        read: impl FnOnce(&mut RecordReader<'a>) -> Option<T>,
    ) -> Option<Option<T>> {
        if self.flag()? {
            read(self).map(Some)
        } else {
            Some(None)
        }
    }

    /// Reads a count, and as many items.
    pub(crate) fn items<T>(
        &mut self,
        mut read: impl FnMut(&mut RecordReader<'a>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = self.count()?;
        // Each item takes a byte at least.
        if count > self.rest.0.len() {
            return None;
        }
        let mut items = Vec::with_capacity(count.min(64));
        for _ in 0..count {
            items.push(read(self)?);
        }
        Some(items)
    }

    /// Returns whether nothing is left.
    pub fn is_at_end(&self) -> bool {
        self.rest.0.is_empty()
    }
}

/// Appends a text with its length.
fn put_text(bytes: &mut Vec<u8>, text: &str) {
    // A longer text makes a record that no reader accepts.
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
}
