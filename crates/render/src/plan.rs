//! The plan of a body: its placeholders and directives.

use std::ops::Range;

use memchr::{memchr2_iter, memmem};

use crate::region::{Kind, Region, Regions, is_escaped};
use crate::{Action, Dialect, Directive, Placeholder, PlaceholderKind, PlaceholderScope, Syntax, Warning, script};

/// The placeholders and directives of a body, found before any argument is known.
///
/// Inserted text is never searched, so arguments and variables have no effect on the directives.
#[derive(Debug, Clone)]
pub struct Plan<'b> {
    pub(crate) body: &'b str,
    pub(crate) syntax: Syntax,
    pub(crate) placeholders: Vec<Placeholder>,
    directives: Vec<Directive>,
    pub(crate) warnings: Vec<Warning>,
}

impl<'b> Plan<'b> {
    /// Parses `body`, the text after the front matter, in time proportional to its length.
    pub fn new(body: &'b str, syntax: &Syntax) -> Plan<'b> {
        let mut reader = Reader {
            body,
            syntax,
            plan: Plan {
                body,
                syntax: syntax.clone(),
                placeholders: Vec::new(),
                directives: Vec::new(),
                warnings: syntax.warnings.clone(),
            },
            line: Line::start(),
        };
        match syntax.dialect {
            Dialect { skill_dir: Some(word), .. } => reader.words(word),
            Dialect { first: Some(_), .. } if may_hold_any(body) => reader.read(&Regions::of(body)),
            _ => {}
        }
        reader.plan
    }

    /// Returns all placeholders, in order.
    pub fn placeholders(&self) -> &[Placeholder] {
        &self.placeholders
    }

    /// Returns all commands and scripts, in order.
    pub fn directives(&self) -> &[Directive] {
        &self.directives
    }

    pub(crate) fn into_directives(self) -> Vec<Directive> {
        self.directives
    }

    /// Returns the warnings about the body.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

/// Returns whether `body` has the beginning of a placeholder or directive. If not, it needs no Markdown parser.
fn may_hold_any(body: &str) -> bool {
    let bytes = body.as_bytes();
    memchr2_iter(b'$', b'!', bytes).any(|at| match (bytes[at], bytes.get(at + 1)) {
        (b'$', Some(next)) => next.is_ascii_alphanumeric() || matches!(next, b'_' | b'{') || !next.is_ascii(),
        // The third is a fence, whose info string may have blanks before it.
        (_, Some(b'`' | b'{')) => true,
        (_, next) => {
            let before = body[..at].trim_end_matches([' ', '\t']);
            next.is_none_or(|next| next.is_ascii_whitespace()) && before.ends_with(['`', '~'])
        }
    })
}

struct Reader<'b, 's> {
    body: &'b str,
    syntax: &'s Syntax,
    plan: Plan<'b>,
    line: Line,
}

/// A counter of lines up to a byte.
pub(crate) struct Line {
    number: usize,
    at: usize,
}

impl Line {
    pub(crate) fn start() -> Line {
        Line { number: 1, at: 0 }
    }

    /// Returns the line of the byte `at`, which is never before that of the last call.
    pub(crate) fn of(&mut self, body: &str, at: usize) -> usize {
        self.number += memchr::memchr_iter(b'\n', &body.as_bytes()[self.at..at]).count();
        self.at = at;
        self.number
    }
}

impl<'b> Reader<'b, '_> {
    fn words(&mut self, word: &str) {
        for at in memmem::find_iter(self.body.as_bytes(), word) {
            self.push(at..at + word.len(), PlaceholderKind::SkillDir);
        }
    }

    fn read(&mut self, regions: &Regions) {
        let mut from = 0;
        for region in &regions.parts {
            self.text(from..region.range.start, regions);
            match &region.kind {
                Kind::Span => self.span(region),
                Kind::CommandBlock(command) => self.command_block(region, command),
                Kind::Block => self.code(region.range.clone()),
                Kind::Comment => {}
            }
            from = region.range.end;
        }
        self.text(from..self.body.len(), regions);
    }

    fn text(&mut self, range: Range<usize>, regions: &Regions) {
        let mut from = range.start;
        for at in memchr2_iter(b'$', b'!', self.body[range.clone()].as_bytes()).map(|at| range.start + at) {
            if at < from {
                continue;
            }
            let end = match self.body.as_bytes()[at] {
                b'$' => self.dollar(at, range.end),
                _ => self.script(at, range.end, regions),
            };
            from = end.unwrap_or(from);
        }
    }

    /// Reads code: all placeholders in that scope, else the variables that the dialect has in code.
    fn code(&mut self, range: Range<usize>) {
        if self.syntax.scope == PlaceholderScope::TextAndCode {
            return self.dollars(range);
        }
        let Dialect { in_code, .. } = self.syntax.dialect;
        for at in memmem::find_iter(self.body[range.clone()].as_bytes(), "${").map(|at| range.start + at) {
            let braced = &self.body[at + 2..range.end];
            let mut names = in_code.iter();
            if let Some(name) = names.find(|name| braced.strip_prefix(**name).is_some_and(|rest| rest.starts_with('}')))
            {
                self.push(at..at + name.len() + 3, PlaceholderKind::Variable);
            }
        }
    }

    fn dollars(&mut self, range: Range<usize>) {
        let mut from = range.start;
        for at in memchr::memchr_iter(b'$', self.body[range.clone()].as_bytes()).map(|at| range.start + at) {
            if at >= from {
                from = self.dollar(at, range.end).unwrap_or(from);
            }
        }
    }

    /// Returns the end of the placeholder that begins with the `$` at `at`.
    fn dollar(&mut self, at: usize, end: usize) -> Option<usize> {
        let (kind, length, escapable) = placeholder(&self.body[at..end], self.syntax)?;
        if escapable && is_escaped(&self.body[..at]) {
            self.push(at - 1..at + length, PlaceholderKind::Escaped);
        } else {
            self.push(at..at + length, kind);
        }
        Some(at + length)
    }

    /// Returns the end of the script directive that begins with the `!` at `at`.
    fn script(&mut self, at: usize, end: usize, regions: &Regions) -> Option<usize> {
        let text = &self.body[at..end];
        if !text.starts_with(script::OPENING) || regions.is_html(at) {
            return None;
        }
        let place = self.place(at)?;
        match script::read(text) {
            Ok((_, length)) if place == Place::Escaped => {
                self.push(at - 1..at + length, PlaceholderKind::Escaped);
                Some(at + length)
            }
            Ok((action, length)) => {
                self.directive(at..at + length, action);
                Some(at + length)
            }
            Err(reason) => {
                let line = self.line.of(self.body, at);
                self.plan.warnings.push(Warning::NoScript { line, reason });
                None
            }
        }
    }

    /// Reads a code span, which is a command after a `!` at the start of a line or after a blank.
    fn span(&mut self, region: &Region) {
        let Range { start, end } = region.range;
        let inside = self.body[region.range.clone()].strip_prefix('`').and_then(|text| text.strip_suffix('`'));
        let command = inside.filter(|text| !text.starts_with('`') && !text.trim().is_empty());
        let place = start.checked_sub(1).filter(|at| self.body.as_bytes()[*at] == b'!').and_then(|at| self.place(at));
        match (command, place) {
            (Some(_), Some(Place::Escaped)) => self.push(start - 2..end, PlaceholderKind::Escaped),
            (Some(command), Some(Place::Begins)) if command.contains('\n') => {
                let line = self.line.of(self.body, start - 1);
                self.plan.warnings.push(Warning::ManyLines { line });
            }
            (Some(command), Some(Place::Begins)) => {
                self.directive(start - 1..end, Action::Command { command: command.trim().to_owned() });
            }
            _ => self.code(region.range.clone()),
        }
    }

    fn command_block(&mut self, region: &Region, command: &str) {
        let mut range = region.range.clone();
        // The line break behind the fence is not part of it.
        while self.body[range.clone()].ends_with('\n') {
            range.end -= 1;
        }
        if !command.trim().is_empty() {
            self.directive(range, Action::Command { command: command.trim_end().to_owned() });
        }
    }

    /// Returns whether a directive can begin at `at`: at the start of a line or after a blank.
    fn place(&self, at: usize) -> Option<Place> {
        let before = &self.body[..at];
        match before.strip_suffix('\\') {
            Some(before) if begins(before) => Some(Place::Escaped),
            Some(_) => None,
            None => begins(before).then_some(Place::Begins),
        }
    }

    fn directive(&mut self, range: Range<usize>, action: Action) {
        let line = self.line.of(self.body, range.start);
        self.push(range.clone(), PlaceholderKind::Directive(self.plan.directives.len()));
        self.plan.directives.push(Directive { action, line, range });
    }

    fn push(&mut self, range: Range<usize>, kind: PlaceholderKind) {
        self.plan.placeholders.push(Placeholder { range, kind });
    }
}

fn begins(before: &str) -> bool {
    before.chars().next_back().is_none_or(char::is_whitespace)
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Begins,
    Escaped,
}

/// Returns the placeholder at the start of `text`, which is a `$`, its length, and whether a backslash can escape it.
fn placeholder(text: &str, syntax: &Syntax) -> Option<(PlaceholderKind, usize, bool)> {
    let Dialect { first: Some(first), .. } = syntax.dialect else { return None };
    let rest = &text[1..];
    if let Some(braced) = rest.strip_prefix('{') {
        let name = &braced[..word(braced)];
        if !braced[name.len()..].starts_with('}') || name.is_empty() {
            return None;
        }
        let length = name.len() + 3;
        return match name.as_bytes()[0].is_ascii_digit() {
            true => Some((argument(name, first)?, length, true)),
            false => name.is_ascii().then_some((PlaceholderKind::Variable, length, false)),
        };
    }
    // The longest declared name that is there as a whole word.
    let declared = syntax
        .names
        .iter()
        .enumerate()
        .filter(|(_, name)| rest.strip_prefix(&***name).is_some_and(|rest| !rest.starts_with(is_word)));
    if let Some((number, name)) = declared.max_by_key(|(_, name)| name.len()) {
        return Some((PlaceholderKind::Named(number), 1 + name.len(), true));
    }
    let name = &rest[..word(rest)];
    if name == "ARGUMENTS" {
        let digits = rest[name.len()..].strip_prefix('[').and_then(|index| {
            let (digits, after) = index.split_at(index.bytes().take_while(u8::is_ascii_digit).count());
            (!digits.is_empty() && after.starts_with(']')).then_some(digits)
        });
        return Some(match digits {
            Some(digits) => (argument(digits, first)?, 1 + name.len() + digits.len() + 2, true),
            None => (PlaceholderKind::Arguments, 1 + name.len(), true),
        });
    }
    let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && syntax.has_bare_numbers() { Some((argument(name, first)?, 1 + name.len(), true)) } else { None }
}

fn argument(digits: &str, first: usize) -> Option<PlaceholderKind> {
    digits.parse::<usize>().ok()?.checked_sub(first).map(PlaceholderKind::Argument)
}

fn word(text: &str) -> usize {
    text.find(|c| !is_word(c)).unwrap_or(text.len())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
