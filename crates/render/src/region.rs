//! The parts of a body that are not text.

use std::ops::Range;

use memchr::memmem;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// The parts of a body that are not text, in order and without overlaps.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    pub(crate) parts: Vec<Region>,
    /// Blocks of HTML, which have placeholders and no directives.
    html: Vec<Range<usize>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) range: Range<usize>,
    pub(crate) kind: RegionKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RegionKind {
    /// A code span.
    Span,
    /// A fenced or indented code block.
    Block,
    /// A fence with the info string `!`, and its content.
    CommandBlock(String),
    /// An HTML comment.
    Comment,
}

impl Regions {
    pub(crate) fn new(body: &str) -> Regions {
        let (mut code, mut html) = (Vec::new(), Vec::new());
        let mut command: Option<String> = None;
        for (event, range) in Parser::new_ext(body, Options::empty()).into_offset_iter() {
            match event {
                Event::Code(_) => code.push(Region {
                    range,
                    kind: RegionKind::Span,
                }),
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if info.trim() == "!" => {
                    command = Some(String::new());
                }
                Event::Text(text) => {
                    if let Some(command) = &mut command {
                        command.push_str(&text);
                    }
                }
                Event::End(TagEnd::CodeBlock) => {
                    let kind = command
                        .take()
                        .map_or(RegionKind::Block, RegionKind::CommandBlock);
                    code.push(Region { range, kind });
                }
                Event::Start(Tag::HtmlBlock) => html.push(range),
                _ => {}
            }
        }
        Regions {
            parts: with_comments(body, code),
            html,
        }
    }

    pub(crate) fn is_html(&self, at: usize) -> bool {
        let after = self.html.partition_point(|range| range.end <= at);
        self.html.get(after).is_some_and(|range| range.start <= at)
    }
}

/// Adds comments to the regions. Code that overlaps a comment is part of it.
///
/// A comment ends at `-->`, also where CommonMark would end it at a blank line. One that is never closed is a comment if it begins
/// a line, as in CommonMark.
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
        let mut openings = opening
            .find_iter(&body.as_bytes()[from..until])
            .map(|at| from + at);
        if let Some(mut comment) =
            openings.find_map(|at| Some(at..comment_end(body, at, last_end)?))
        {
            while let Some(inside) = code.next_if(|region| region.range.start < comment.end) {
                comment.end = comment.end.max(inside.range.end);
            }
            from = comment.end;
            parts.push(Region {
                range: comment,
                kind: RegionKind::Comment,
            });
        } else if let Some(region) = code.next() {
            from = region.range.end;
            parts.push(region);
        } else {
            return parts;
        }
    }
}

/// Returns the end of the comment that begins at `at`, or `None` if no comment begins there.
fn comment_end(body: &str, at: usize, last_end: Option<usize>) -> Option<usize> {
    let before = &body[..at];
    if is_escaped(before) {
        return None;
    }
    // `<!-->` is a whole comment.
    let inside = at + 2;
    if last_end.is_some_and(|last| inside <= last) {
        let length =
            memmem::find(&body.as_bytes()[inside..], b"-->").expect("one is at `last_end`");
        return Some(inside + length + 3);
    }
    let indented = before.trim_end_matches(' ');
    (indented.is_empty() || indented.ends_with('\n')).then_some(body.len())
}

/// Returns whether the character after `before` is escaped, by an odd number of backslashes.
pub(crate) fn is_escaped(before: &str) -> bool {
    let backslashes = before
        .bytes()
        .rev()
        .take_while(|byte| *byte == b'\\')
        .count();
    backslashes % 2 == 1
}
