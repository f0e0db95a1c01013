//! Where a body stands for something else.

use std::ops::Range;

use memchr::{memchr2_iter, memmem};

use crate::region::{Kind, Region, Regions, is_escaped};
use crate::work::looked_at;
use crate::{Action, Dialect, Directive, Placeholder, PlaceholderKind, Reach, Syntax, Warning, script};

/// A body, read once: what of it is literal, and what stands for something else.
///
/// Nothing that is inserted later is ever looked at, so what a body asks to be run is known before anything is typed.
#[derive(Debug, Clone)]
pub struct Plan<'b> {
    pub(crate) body: &'b str,
    pub(crate) syntax: Syntax,
    pub(crate) placeholders: Vec<Placeholder>,
    directives: Vec<Directive>,
    pub(crate) warnings: Vec<Warning>,
}

impl<'b> Plan<'b> {
    /// Reads `body`, which is what follows the front matter.
    ///
    /// Takes time in proportion to its length. Without a `$` or `!` in the right company it is not even parsed.
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
        looked_at(body.len());
        match syntax.dialect {
            Dialect { skill_dir: Some(word), .. } => reader.words(word),
            Dialect { first: Some(_), .. } if may_hold_any(body) => reader.read(&Regions::of(body)),
            _ => {}
        }
        reader.plan
    }

    /// Everything that stands for something else, in order.
    pub fn placeholders(&self) -> &[Placeholder] {
        &self.placeholders
    }

    /// Every command and script, in order.
    pub fn directives(&self) -> &[Directive] {
        &self.directives
    }

    pub(crate) fn into_directives(self) -> Vec<Directive> {
        self.directives
    }

    /// What is odd about the body itself.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

/// Whether there is anything in `body` that begins like a placeholder or a directive.
fn may_hold_any(body: &str) -> bool {
    let bytes = body.as_bytes();
    memchr2_iter(b'$', b'!', bytes).any(|at| match (bytes[at], bytes.get(at + 1)) {
        (b'$', Some(next)) => next.is_ascii_alphanumeric() || matches!(next, b'_' | b'{') || !next.is_ascii(),
        // The third is a fence, whose info string may have blanks before it.
        (_, Some(b'`' | b'{')) => true,
        (_, next) => {
            let before = body[..at].trim_end_matches([' ', '\t']);
            looked_at(at - before.len());
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

/// How many lines there are up to a byte, counted as one goes.
pub(crate) struct Line {
    number: usize,
    at: usize,
}

impl Line {
    pub(crate) fn start() -> Line {
        Line { number: 1, at: 0 }
    }

    /// The line that the byte `at` of `body` is in; never before the last one asked for.
    pub(crate) fn of(&mut self, body: &str, at: usize) -> usize {
        looked_at(at - self.at);
        self.number += memchr::memchr_iter(b'\n', &body.as_bytes()[self.at..at]).count();
        self.at = at;
        self.number
    }
}

impl<'b> Reader<'b, '_> {
    /// The one placeholder of a dialect that has a word for the folder of a skill.
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

    /// Placeholders and scripts in a text.
    fn text(&mut self, range: Range<usize>, regions: &Regions) {
        looked_at(range.len());
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

    /// Placeholders in code: all of them where the host wants it, else the variables that the dialect has there.
    fn code(&mut self, range: Range<usize>) {
        if self.syntax.reach == Reach::TextAndCode {
            return self.dollars(range);
        }
        looked_at(range.len());
        let Dialect { in_code, .. } = self.syntax.dialect;
        for at in memmem::find_iter(self.body[range.clone()].as_bytes(), "${").map(|at| range.start + at) {
            let braced = &self.body[at + 2..range.end];
            let is_there = |name: &&&str| braced.strip_prefix(**name).is_some_and(|rest| rest.starts_with('}'));
            if let Some(name) = in_code.iter().find(is_there) {
                self.push(at..at + name.len() + 3, PlaceholderKind::Variable);
            }
        }
    }

    /// Placeholders in code, where no script is.
    fn dollars(&mut self, range: Range<usize>) {
        looked_at(range.len());
        let mut from = range.start;
        for at in memchr::memchr_iter(b'$', self.body[range.clone()].as_bytes()).map(|at| range.start + at) {
            if at >= from {
                from = self.dollar(at, range.end).unwrap_or(from);
            }
        }
    }

    /// The end of the placeholder that begins with the `$` at `at`, if there is one.
    fn dollar(&mut self, at: usize, end: usize) -> Option<usize> {
        let (kind, length, escapable) = placeholder(&self.body[at..end], self.syntax)?;
        if escapable && is_escaped(&self.body[..at]) {
            self.push(at - 1..at + length, PlaceholderKind::Escaped);
        } else {
            self.push(at..at + length, kind);
        }
        Some(at + length)
    }

    /// The end of the script directive that begins with the `!` at `at`, if there is one.
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

    /// A code span: a command if a `!` in the right place is before it.
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

    /// Whether a directive may begin at `at`: at the start of a line or after a blank.
    fn place(&self, at: usize) -> Option<Place> {
        let before = &self.body[..at];
        let begins = |before: &str| before.chars().next_back().is_none_or(char::is_whitespace);
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

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Begins,
    /// A backslash is before it, and that one begins.
    Escaped,
}

/// What `text`, which begins with `$`, stands for; how long that is; and whether a backslash before it makes it text.
fn placeholder(text: &str, syntax: &Syntax) -> Option<(PlaceholderKind, usize, bool)> {
    let Dialect { first: Some(first), .. } = syntax.dialect else { return None };
    let argument = |digits: &str| digits.parse::<usize>().ok()?.checked_sub(first).map(PlaceholderKind::Argument);
    let rest = &text[1..];
    if let Some(braced) = rest.strip_prefix('{') {
        let name = &braced[..word(braced)];
        if !braced[name.len()..].starts_with('}') || name.is_empty() {
            return None;
        }
        let length = name.len() + 3;
        return match name.as_bytes()[0].is_ascii_digit() {
            true => Some((argument(name)?, length, true)),
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
            Some(digits) => (argument(digits)?, 1 + name.len() + digits.len() + 2, true),
            None => (PlaceholderKind::Arguments, 1 + name.len(), true),
        });
    }
    let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && syntax.has_bare_numbers() { Some((argument(name)?, 1 + name.len(), true)) } else { None }
}

/// The length of the word at the start of `text`.
fn word(text: &str) -> usize {
    let length = text.find(|c| !is_word(c)).unwrap_or(text.len());
    looked_at(length);
    length
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
