//! The subset of YAML in which nearly all front matter is written, read without a YAML parser.
//!
//! The reader returns `None` for a text that it does not fully understand, which [`yaml`](super::yaml) then reads. Both readers
//! return the same values and places for a text of the subset.

use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memchr2, memchr2_iter};

use super::Limits;
use super::table::{FieldTable, Mark};
use crate::declared::unique;
use crate::shared_text::{shared_key, shared_value};
use crate::{Scalar, Value};

/// The greatest depth that is read here. The parser reads deeper values.
const DEPTH: usize = 16;

pub(super) fn read(text: &str, limits: &Limits, nodes: &mut usize) -> Option<FieldTable> {
    if limits.depth < DEPTH || !text.ends_with('\n') || !is_ordinary(text.as_bytes()) {
        return None;
    }
    let mut reader = SubsetReader {
        text,
        at: 0,
        end: 0,
        nodes: 1,
    };
    let mut table = FieldTable::with_room();
    while reader.indent()? == Some(0) {
        if table.written() == limits.keys {
            return None;
        }
        let key = reader.key()?;
        let (value, mark) = reader.value(&key, 0, 1)?;
        table.insert(shared_key(&text[key]), value, mark);
    }
    *nodes = nodes.checked_sub(reader.nodes)?;
    (reader.at == text.len() && !table.fields.is_empty()).then_some(table)
}

fn is_ordinary(bytes: &[u8]) -> bool {
    positions(bytes, |byte: u8| {
        byte < b' ' && byte != b'\n' || matches!(byte, 0x7F | 0xC2 | 0xE2 | 0xEF)
    })
    .all(|at| {
        match bytes[at..] {
            // U+0080 to U+009F.
            [0xC2, next, ..] => next >= 0xA0,
            // U+2028 and U+2029.
            [0xE2, 0x80, next, ..] => !matches!(next, 0xA8 | 0xA9),
            [0xE2, ..] => true,
            // U+FEFF, U+FFFE and U+FFFF are among these.
            [0xEF, next, ..] => !matches!(next, 0xBB | 0xBF),
            _ => false,
        }
    })
}

fn positions(bytes: &[u8], is_wanted: impl Fn(u8) -> bool + Copy) -> impl Iterator<Item = usize> {
    const STEP: usize = 32;
    let steps = bytes.chunks(STEP).enumerate();
    // All bytes of a step are looked at, which a processor does at once.
    let steps = steps.filter(|(_, step)| {
        step.iter()
            .fold(false, |found, byte| found | is_unusual(*byte))
    });
    steps.flat_map(move |(number, step)| {
        let wanted = step
            .iter()
            .enumerate()
            .filter(move |(_, byte)| is_wanted(**byte));
        wanted.map(move |(at, _)| number * STEP + at)
    })
}

/// Returns whether `byte` is neither printable ASCII nor a line break. Takes two comparisons.
fn is_unusual(byte: u8) -> bool {
    ((byte.wrapping_add(1) as i8) < 0x21) & (byte != b'\n')
}

/// A cursor over the input. Between calls it points at the start of a line.
struct SubsetReader<'a> {
    text: &'a str,
    at: usize,
    /// The end of the current line.
    end: usize,
    /// Scalars, lists and maps so far.
    nodes: usize,
}

impl<'a> SubsetReader<'a> {
    #[expect(
        clippy::option_option,
        reason = "the outer one says whether the text is within the subset"
    )]
    fn indent(&mut self) -> Option<Option<usize>> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at) == Some(&b'\n') {
            self.at += 1;
        }
        self.find_line_end();
        let blanks = leading_blanks(&bytes[self.at..self.end]);
        match bytes.get(self.at + blanks) {
            None if blanks == 0 => Some(None),
            // Lines of blanks may belong to a scalar.
            None | Some(b'\n') => None,
            Some(_) => Some(Some(blanks)),
        }
    }

    /// Finds the end of the line that begins here.
    fn find_line_end(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.end = self.at + memchr(b'\n', rest).unwrap_or(rest.len());
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..self.end]
    }

    fn advance_line(&mut self) {
        self.at = self.end + 1;
    }

    fn key(&mut self) -> Option<Range<usize>> {
        let length = key_length(self.rest())?;
        let key = self.at..self.at + length;
        self.at = key.end + 1;
        self.nodes += 1;
        Some(key)
    }

    fn value(&mut self, key: &Range<usize>, indent: usize, depth: usize) -> Option<(Value, Mark)> {
        let mark = |value: Range<usize>, plain: bool| Mark::new(key.start, value, plain);
        self.skip_blanks();
        let written = self.rest();
        match written.as_bytes().first() {
            None => {
                self.advance_line();
                let below = self.indent()?;
                let start = self.at;
                let (value, start) = match below {
                    Some(inner) if inner > indent => {
                        (self.collection(inner, depth)?, start + inner)
                    }
                    // A list may stand as far left as its key.
                    Some(inner) if inner == indent && self.is_item(inner) => {
                        // The parser places such a list at its first item.
                        (self.collection(inner, depth)?, start + inner + 2)
                    }
                    _ => {
                        self.nodes += 1;
                        return Some((
                            Value::plain(shared_value("~")),
                            mark(key.end..key.end, true),
                        ));
                    }
                };
                Some((value, mark(start..self.at, false)))
            }
            Some(b'|' | b'>') => {
                let (value, range) = self.block(written, indent)?;
                Some((value, mark(range, false)))
            }
            Some(_) => {
                let start = self.at;
                let value = self.inline(depth)?;
                let plain = matches!(value, Value::Scalar(Scalar { plain: true, .. }));
                let end = self.at;
                self.close_line()?;
                // An indented line would go on with this scalar.
                let next = self.indent()?;
                next.is_none_or(|next| next <= indent)
                    .then(|| (value, mark(start..end, plain)))
            }
        }
    }

    fn close_line(&mut self) -> Option<()> {
        self.rest()
            .bytes()
            .all(|byte| byte == b' ')
            .then(|| self.advance_line())
    }

    fn is_item(&self, indent: usize) -> bool {
        self.text[self.at + indent..].starts_with("- ")
    }

    fn collection(&mut self, indent: usize, depth: usize) -> Option<Value> {
        if depth == DEPTH {
            return None;
        }
        self.nodes += 1;
        if self.is_item(indent) {
            let mut items = Vec::new();
            while self.indent()? == Some(indent) && self.is_item(indent) {
                self.at += indent + 2;
                items.push(self.item(indent, depth + 1)?);
            }
            self.is_dedented(indent, true)?;
            items.shrink_to_fit();
            return Some(Value::List(items));
        }
        self.at += indent;
        self.rows(indent, depth)
    }

    fn rows(&mut self, indent: usize, depth: usize) -> Option<Value> {
        let mut rows = Vec::new();
        loop {
            let key = self.key()?;
            let (value, _) = self.value(&key, indent, depth + 1)?;
            rows.push((shared_key(&self.text[key]), value));
            if self.indent()? != Some(indent) {
                break;
            }
            self.at += indent;
        }
        self.is_dedented(indent, false)?;
        Some(Value::Map(unique(rows)))
    }

    fn is_dedented(&mut self, indent: usize, list: bool) -> Option<()> {
        let next = self.indent()?;
        next.is_none_or(|next| next < indent || list && next == indent)
            .then_some(())
    }

    fn item(&mut self, indent: usize, depth: usize) -> Option<Value> {
        if key_length(self.rest()).is_some() {
            // A map that begins on the line of the dash: as if the dash were a blank.
            self.nodes += 1;
            return (depth < DEPTH).then(|| self.rows(indent + 2, depth))?;
        }
        let value = self.inline(depth)?;
        self.close_line()?;
        let next = self.indent()?;
        next.is_none_or(|next| next <= indent).then_some(value)
    }

    fn inline(&mut self, depth: usize) -> Option<Value> {
        let rest = self.rest();
        match rest.as_bytes().first()? {
            b'"' => self.double(),
            b'\'' => self.single(),
            b'[' | b'{' => self.flow(depth),
            first if begins_plain(*first) => {
                let text = rest.trim_end_matches(' ');
                let bytes = text.as_bytes();
                memchr2_iter(b':', b'#', bytes)
                    .all(|at| match bytes[at] {
                        b':' => bytes.get(at + 1).is_some_and(|next| *next != b' '),
                        _ => bytes[at - 1] != b' ',
                    })
                    .then(|| self.plain(text))
            }
            _ => None,
        }
    }

    fn plain(&mut self, text: &str) -> Value {
        self.at += text.len();
        self.nodes += 1;
        Value::plain(shared_value(text))
    }

    fn double(&mut self) -> Option<Value> {
        let inner = &self.rest()[1..];
        let mut text = String::new();
        let mut from = 0;
        loop {
            let next = from + memchr2(b'"', b'\\', &inner.as_bytes()[from..])?;
            if inner.as_bytes()[next] == b'"' {
                self.at += next + 2;
                self.nodes += 1;
                let last = &inner[from..next];
                return Some(Value::text(if text.is_empty() {
                    shared_value(last)
                } else {
                    (text + last).into()
                }));
            }
            text.push_str(&inner[from..next]);
            text.push(match inner.as_bytes().get(next + 1)? {
                b'"' => '"',
                b'\\' => '\\',
                b'n' => '\n',
                _ => return None,
            });
            from = next + 2;
        }
    }

    fn single(&mut self) -> Option<Value> {
        let inner = &self.rest()[1..];
        let mut text = String::new();
        let mut from = 0;
        loop {
            let next = from + memchr(b'\'', &inner.as_bytes()[from..])?;
            let part = &inner[from..next];
            if inner.as_bytes().get(next + 1) != Some(&b'\'') {
                self.at += next + 2;
                self.nodes += 1;
                return Some(Value::text(if text.is_empty() {
                    shared_value(part)
                } else {
                    (text + part).into()
                }));
            }
            text.push_str(part);
            text.push('\'');
            from = next + 2;
        }
    }

    fn flow(&mut self, depth: usize) -> Option<Value> {
        if depth == DEPTH {
            return None;
        }
        self.nodes += 1;
        let (list, close) = if self.rest().starts_with('[') {
            (true, b']')
        } else {
            (false, b'}')
        };
        self.at += 1;
        let (mut items, mut rows) = (Vec::new(), Vec::new());
        self.skip_blanks();
        if self.peek()? == close {
            self.at += 1;
        } else {
            loop {
                self.skip_blanks();
                if list {
                    items.push(self.flow_value(depth + 1)?);
                } else {
                    let key = self.flow_key()?;
                    rows.push((key, self.flow_value(depth + 1)?));
                }
                self.skip_blanks();
                let next = self.peek()?;
                self.at += 1;
                match next {
                    b',' => {}
                    next if next == close => break,
                    _ => return None,
                }
            }
        }
        Some(if list {
            items.shrink_to_fit();
            Value::List(items)
        } else {
            Value::Map(unique(rows))
        })
    }

    fn flow_key(&mut self) -> Option<Arc<str>> {
        let key = if self.peek()? == b'"' {
            let Value::Scalar(Scalar { text, .. }) = self.double()? else {
                return None;
            };
            self.at += self.rest().strip_prefix(':').map(|_| 1)?;
            text
        } else {
            let key = self.key()?;
            // Without a blank, what follows would belong to the key.
            (self.peek()? == b' ').then(|| shared_key(&self.text[key]))?
        };
        self.skip_blanks();
        Some(key)
    }

    fn flow_value(&mut self, depth: usize) -> Option<Value> {
        match self.peek()? {
            b'"' => self.double(),
            b'\'' => self.single(),
            b'[' | b'{' => self.flow(depth),
            byte if byte.is_ascii_alphanumeric() || byte >= 0x80 => {
                let rest = self.rest();
                let end = rest.find([',', ']', '}'])?;
                let text = rest[..end].trim_end_matches(' ');
                text.bytes()
                    .all(|byte: u8| {
                        byte >= 0x80
                            || byte.is_ascii_alphanumeric()
                            || b" _-./()+*@".contains(&byte)
                    })
                    .then(|| self.plain(text))
            }
            _ => None,
        }
    }

    fn skip_blanks(&mut self) {
        self.at += leading_blanks(&self.text.as_bytes()[self.at..]);
    }

    fn peek(&self) -> Option<u8> {
        self.rest().as_bytes().first().copied()
    }

    fn block(&mut self, mark: &str, indent: usize) -> Option<(Value, Range<usize>)> {
        let (literal, strip) = match mark {
            "|" => (true, false),
            "|-" => (true, true),
            ">" => (false, false),
            ">-" => (false, true),
            _ => return None,
        };
        self.advance_line();
        let bytes = self.text.as_bytes();
        let inner = leading_blanks(&bytes[self.at..]);
        if inner <= indent {
            return None;
        }
        let start = self.at + inner;
        let mut text = String::with_capacity(256);
        // Line breaks that came since the last text.
        let mut breaks = 0;
        while self.at < bytes.len() {
            self.find_line_end();
            let line = self.rest();
            if line.is_empty() {
                breaks += 1;
                self.at += 1;
                continue;
            }
            let blanks = leading_blanks(line.as_bytes());
            let content = &line[blanks..];
            if blanks <= indent && !content.is_empty() {
                break;
            }
            // Folding depends on blanks at either end.
            if blanks < inner
                || content.is_empty()
                || !literal && (blanks > inner || content.ends_with(' '))
            {
                return None;
            }
            match breaks {
                0 => {}
                1 if !literal => text.push(' '),
                _ => (usize::from(!literal)..breaks).for_each(|_| text.push('\n')),
            }
            text.push_str(&line[inner..]);
            breaks = 1;
            self.advance_line();
        }
        if !strip {
            text.push('\n');
        }
        self.nodes += 1;
        Some((Value::text(text), start..self.at))
    }
}

/// Returns the number of blanks at the start.
fn leading_blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| **byte == b' ').count()
}

fn key_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let length = bytes
        .iter()
        .take_while(|byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
        .count();
    let is_key = bytes.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
        // The parser does not look for the colon of a key without end.
        && length < 128
        && bytes.get(length) == Some(&b':')
        && bytes.get(length + 1).is_none_or(|next| *next == b' ');
    is_key.then_some(length)
}

fn begins_plain(first: u8) -> bool {
    first.is_ascii_alphanumeric() || first >= 0x80 || b"/._($+<=~^;".contains(&first)
}

#[cfg(test)]
mod tests;
