//! Which parts of a body are text.

use std::ops::Range;

use memchr::memmem;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::work::looked_at;

/// The parts of a body that are not text, in order, none inside another.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    pub(crate) parts: Vec<Region>,
    /// Blocks of HTML: text in which CommonMark reads nothing else.
    html: Vec<Range<usize>>,
}

/// A part of a body that is not text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) range: Range<usize>,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Between backticks.
    Span,
    /// A fence of any kind and length, or indented.
    Block,
    /// A fence whose info string is `!`, and what is in it.
    CommandBlock(String),
    /// A comment of HTML.
    Comment,
}

impl Regions {
    pub(crate) fn of(body: &str) -> Regions {
        let (mut code, mut html) = (Vec::new(), Vec::new());
        let mut command: Option<String> = None;
        for (event, range) in Parser::new_ext(body, Options::empty()).into_offset_iter() {
            match event {
                Event::Code(_) => code.push(Region { range, kind: Kind::Span }),
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if info.trim() == "!" => {
                    command = Some(String::new());
                }
                Event::Text(text) => {
                    if let Some(command) = &mut command {
                        command.push_str(&text);
                    }
                }
                Event::End(TagEnd::CodeBlock) => {
                    let kind = command.take().map_or(Kind::Block, Kind::CommandBlock);
                    code.push(Region { range, kind });
                }
                Event::Start(Tag::HtmlBlock) => html.push(range),
                _ => {}
            }
        }
        Regions { parts: with_comments(body, code), html }
    }

    /// Whether the byte `at` is in a block of HTML.
    pub(crate) fn is_html(&self, at: usize) -> bool {
        let after = self.html.partition_point(|range| range.end <= at);
        self.html.get(after).is_some_and(|range| range.start <= at)
    }
}

/// The regions with comments among them; code that a comment touches is part of it.
///
/// A comment is what people take for one: it goes on up to `-->` whatever is between, where CommonMark would end it at a
/// blank line if it began inside a line or a tag. One that is never closed is a comment if it begins a line, as in CommonMark.
fn with_comments(body: &str, code: Vec<Region>) -> Vec<Region> {
    let opening = memmem::Finder::new("<!--");
    if opening.find(body.as_bytes()).is_none() {
        return code;
    }
    let last_end = memmem::rfind(body.as_bytes(), b"-->");
    let mut parts = Vec::with_capacity(code.len() + 1);
    let mut code = code.into_iter().peekable();
    let mut from = 0;
    loop {
        let until = code.peek().map_or(body.len(), |region| region.range.start);
        looked_at(until - from);
        let mut openings = opening.find_iter(&body.as_bytes()[from..until]).map(|at| from + at);
        if let Some(mut comment) = openings.find_map(|at| Some(at..comment_end(body, at, last_end)?)) {
            while let Some(inside) = code.next_if(|region| region.range.start < comment.end) {
                comment.end = comment.end.max(inside.range.end);
            }
            from = comment.end;
            parts.push(Region { range: comment, kind: Kind::Comment });
        } else if let Some(region) = code.next() {
            from = region.range.end;
            parts.push(region);
        } else {
            return parts;
        }
    }
}

/// Where the comment that begins at `at` ends; `None` if there is none.
fn comment_end(body: &str, at: usize, last_end: Option<usize>) -> Option<usize> {
    let before = &body[..at];
    if is_escaped(before) {
        return None;
    }
    // `<!-->` is a whole comment.
    let inside = at + 2;
    if last_end.is_some_and(|last| inside <= last) {
        let length = memmem::find(&body.as_bytes()[inside..], b"-->").expect("one is at `last_end`");
        looked_at(length);
        return Some(inside + length + 3);
    }
    let indented = before.trim_end_matches(' ');
    looked_at(before.len() - indented.len());
    (indented.is_empty() || indented.ends_with('\n')).then_some(body.len())
}

/// Whether a character behind `before` is escaped: by an odd number of backslashes.
pub(crate) fn is_escaped(before: &str) -> bool {
    let backslashes = before.bytes().rev().take_while(|byte| *byte == b'\\').count();
    looked_at(backslashes);
    backslashes % 2 == 1
}
