//! Finds the beginning and the end of front matter.

use std::ops::Range;

use memchr::{memchr2, memmem};

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The fenced block of a file, in byte offsets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// The opening fence line.
    pub(super) opening: usize,
    /// The YAML between the fences, the last line end included.
    pub(super) yaml: Range<usize>,
    /// Past the closing fence line.
    pub(super) body: usize,
    /// `true` if the closing fence is `...`.
    pub(super) dots: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// Nothing but blanks and comments.
    Empty,
    /// A comment that is not closed, at this offset.
    OpenComment(usize),
    /// The first line with content, at this offset, is no fence.
    NotFirst(usize),
    /// The fence at this offset is never closed.
    Unclosed(usize),
}

/// Finds the block: the first line with content must be a fence, and the next fence closes it.
///
/// A fence is a whole line at column 0, `---` and blanks; `...` closes too. Blank lines and HTML
/// comments may stand before the first one. No later pair of fences is ever taken: rules in a body look alike.
pub(super) fn find(bytes: &[u8]) -> Result<Block, Missing> {
    let opening = first_content(bytes)?;
    let (end, next) = line(bytes, opening);
    if !is_fence(&bytes[opening..end], b"---") {
        return Err(Missing::NotFirst(opening));
    }
    close(bytes, opening, next).ok_or(Missing::Unclosed(opening))
}

fn close(bytes: &[u8], opening: usize, yaml: usize) -> Option<Block> {
    lines(bytes, yaml).find_map(|(at, end, next)| {
        let dots = is_fence(&bytes[at..end], b"...");
        let is_closed = dots || is_fence(&bytes[at..end], b"---");
        is_closed.then_some(Block {
            opening,
            yaml: yaml..at,
            body: next,
            dots,
        })
    })
}

pub(super) fn find_later(bytes: &[u8], from: usize) -> Option<Block> {
    let (mut opening, mut keyed) = (None, false);
    for (at, end, next) in lines(bytes, from) {
        let text = &bytes[at..end];
        match opening {
            Some((opening, yaml)) if keyed && is_fence(text, b"---") => {
                return Some(Block {
                    opening,
                    yaml: yaml..at,
                    body: next,
                    dots: false,
                });
            }
            _ if is_fence(text, b"---") => (opening, keyed) = (Some((at, next)), false),
            _ => keyed |= text.starts_with(b"name:") || text.starts_with(b"description:"),
        }
    }
    None
}

pub(super) fn has_bom(bytes: &[u8]) -> bool {
    bytes.starts_with(BOM)
}

pub(super) fn past_bom(bytes: &[u8]) -> usize {
    if has_bom(bytes) { BOM.len() } else { 0 }
}

fn first_content(bytes: &[u8]) -> Result<usize, Missing> {
    let mut at = past_bom(bytes);
    while at < bytes.len() {
        let (end, next) = line(bytes, at);
        let text = bytes[at..end].trim_ascii_start();
        if text.starts_with(b"<!--") {
            let comment = end - text.len();
            let close = memmem::find(&bytes[comment..], b"-->").ok_or(Missing::OpenComment(at))?
                + comment
                + 3;
            let (end, next) = line(bytes, close);
            if !bytes[close..end].trim_ascii().is_empty() {
                return Err(Missing::NotFirst(at));
            }
            at = next;
        } else if text.is_empty() {
            at = next;
        } else {
            return Ok(at);
        }
    }
    Err(Missing::Empty)
}

pub(super) fn past_blank_lines(bytes: &[u8], from: usize) -> usize {
    let mut lines = lines(bytes, from);
    lines
        .find(|(at, end, _)| !bytes[*at..*end].trim_ascii().is_empty())
        .map_or(bytes.len(), |(at, ..)| at)
}

/// Returns the lines from `from` on: the start, the end of the content, and the start of the next line.
pub(super) fn lines(bytes: &[u8], from: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let mut at = from;
    std::iter::from_fn(move || {
        let start = at;
        let (end, next) = line(bytes, start);
        at = next;
        (start < bytes.len()).then_some((start, end, next))
    })
}

pub(super) fn line(bytes: &[u8], from: usize) -> (usize, usize) {
    match memchr2(b'\n', b'\r', &bytes[from..]) {
        None => (bytes.len(), bytes.len()),
        Some(length) => {
            let end = from + length;
            let pair = bytes[end] == b'\r' && bytes.get(end + 1) == Some(&b'\n');
            (end, end + if pair { 2 } else { 1 })
        }
    }
}

pub(super) fn is_final(bytes: &[u8], next: usize) -> bool {
    // A carriage return as the last byte may be half of `\r\n`.
    next < bytes.len() || bytes.last() == Some(&b'\n')
}

fn is_fence(line: &[u8], mark: &[u8]) -> bool {
    line.strip_prefix(mark)
        .is_some_and(|rest| rest.iter().all(|byte| matches!(byte, b' ' | b'\t')))
}
