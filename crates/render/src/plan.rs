//! The plan of a body: its placeholders and directives.

use std::ops::Range;

use memchr::{memchr_iter, memchr2_iter, memmem};

use crate::region::{Region, RegionKind, Regions, is_escaped};
use crate::{Dialect, Directive, DirectiveAction, Syntax, Warning, script};

/// The placeholders and directives of a body, found before any argument is known.
///
/// Inserted text is never searched, so arguments and variables have no effect on the directives.
#[derive(Debug, Clone)]
pub struct Plan<'b> {
    pub(crate) body: &'b str,
    pub(crate) dialect: Dialect,
    pub(crate) placeholders: Vec<Placeholder>,
    directives: Vec<Directive>,
    pub(crate) warnings: Vec<Warning>,
}

#[derive(Debug, Clone)]
pub(crate) struct Placeholder {
    pub(crate) range: Range<usize>,
    pub(crate) kind: PlaceholderKind,
}

/// The kind of a placeholder. Arguments and directives count from 0.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PlaceholderKind {
    /// The text itself, without the backslash at its start.
    Escaped,
    /// `$ARGUMENTS`.
    Arguments,
    /// `$ARGUMENTS[N]`, `$N`, `${N}`.
    Argument(usize),
    /// `$name`.
    Named(usize),
    /// `${NAME}`.
    Variable,
    /// `{baseDir}`.
    SkillDir,
    Directive(usize),
}

impl<'b> Plan<'b> {
    /// Parses `body`, the text after the front matter, in time proportional to its length.
    pub fn new(body: &'b str, syntax: &Syntax) -> Plan<'b> {
        let unknown = syntax.fault.clone().map(|message| Warning {
            line: None,
            message,
        });
        let dialect = syntax.dialect;
        let warnings = unknown.into_iter().collect();
        let plan = Plan {
            body,
            dialect,
            placeholders: Vec::new(),
            directives: Vec::new(),
            warnings,
        };
        let mut parser = PlanParser {
            body,
            syntax,
            plan,
            line: LineCounter::new(body),
        };
        if dialect == Dialect::OpenClaw {
            parser.skill_dirs("{baseDir}");
        } else if dialect.first_argument().is_some() && may_hold_any(body) {
            parser.body(&Regions::new(body));
        }
        parser.plan
    }

    /// Returns the bytes of all placeholders and directives, in order. Everything outside of them is rendered unchanged.
    pub fn placeholders(&self) -> impl Iterator<Item = Range<usize>> {
        self.placeholders
            .iter()
            .map(|placeholder| placeholder.range.clone())
    }

    /// Returns all commands and scripts, in order.
    pub fn directives(&self) -> &[Directive] {
        &self.directives
    }
}

/// Returns whether `body` has the beginning of a placeholder or directive. If not, it needs no Markdown parser.
fn may_hold_any(body: &str) -> bool {
    let bytes = body.as_bytes();
    memchr2_iter(b'$', b'!', bytes).any(|at| match (bytes[at], bytes.get(at + 1)) {
        (b'$', Some(next)) => {
            next.is_ascii_alphanumeric() || matches!(next, b'_' | b'{') || !next.is_ascii()
        }
        // The third is a fence, whose info string may have blanks before it.
        (_, Some(b'`' | b'{')) => true,
        (_, next) => {
            let before = body[..at].trim_end_matches([' ', '\t']);
            next.is_none_or(|next| next.is_ascii_whitespace()) && before.ends_with(['`', '~'])
        }
    })
}

struct PlanParser<'b, 's> {
    body: &'b str,
    syntax: &'s Syntax,
    plan: Plan<'b>,
    line: LineCounter<'b>,
}

/// A counter of the lines of a body.
pub(crate) struct LineCounter<'b> {
    body: &'b str,
    line: usize,
    at: usize,
}

impl<'b> LineCounter<'b> {
    pub(crate) fn new(body: &'b str) -> LineCounter<'b> {
        LineCounter {
            body,
            line: 1,
            at: 0,
        }
    }

    /// Returns the line of the byte `at`, which is never before that of the last call.
    pub(crate) fn line(&mut self, at: usize) -> usize {
        self.line += memchr_iter(b'\n', &self.body.as_bytes()[self.at..at]).count();
        self.at = at;
        self.line
    }
}

impl PlanParser<'_, '_> {
    fn skill_dirs(&mut self, word: &str) {
        for at in memmem::find_iter(self.body.as_bytes(), word) {
            self.push(at..at + word.len(), PlaceholderKind::SkillDir);
        }
    }

    fn body(&mut self, regions: &Regions) {
        let mut from = 0;
        for region in &regions.parts {
            self.text(from..region.range.start, regions);
            match &region.kind {
                RegionKind::Span => self.span(region),
                RegionKind::CommandBlock(command) => self.command_block(region, command),
                RegionKind::Block => self.code(region.range.clone()),
                RegionKind::Comment => {}
            }
            from = region.range.end;
        }
        self.text(from..self.body.len(), regions);
    }

    fn text(&mut self, range: Range<usize>, regions: &Regions) {
        let mut from = range.start;
        for at in
            memchr2_iter(b'$', b'!', self.body[range.clone()].as_bytes()).map(|at| range.start + at)
        {
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

    /// Finds the placeholders in code: all if the syntax covers code, else the variables that the dialect has there.
    fn code(&mut self, range: Range<usize>) {
        let mut from = range.start;
        for at in memchr_iter(b'$', self.body[range.clone()].as_bytes()).map(|at| range.start + at)
        {
            if self.syntax.covers_code {
                if at >= from {
                    from = self.dollar(at, range.end).unwrap_or(from);
                }
            } else if let Some(braced) = self.body[at..range.end].strip_prefix("${") {
                let mut names = self.syntax.dialect.variables_in_code().iter();
                let name = names.find(|name| {
                    braced
                        .strip_prefix(**name)
                        .is_some_and(|rest| rest.starts_with('}'))
                });
                if let Some(name) = name {
                    self.push(at..at + name.len() + 3, PlaceholderKind::Variable);
                }
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
        let is_escaped = self.begins_directive(at)?;
        let (action, length) = match script::parse(text) {
            Ok(parsed) => parsed,
            Err(reason) => {
                self.warn(at, format!("malformed script directive: {reason}"));
                return None;
            }
        };
        if is_escaped {
            self.push(at - 1..at + length, PlaceholderKind::Escaped);
        } else {
            self.directive(at..at + length, action);
        }
        Some(at + length)
    }

    /// Reads a code span, which is a command after a `!` at the start of a line or after a blank.
    fn span(&mut self, region: &Region) {
        let Range { start, end } = region.range;
        let inside = self.body[region.range.clone()]
            .strip_prefix('`')
            .and_then(|text| text.strip_suffix('`'));
        let command = inside.filter(|text| !text.starts_with('`') && !text.trim().is_empty());
        let begin = start
            .checked_sub(1)
            .filter(|at| self.body.as_bytes()[*at] == b'!');
        match (command, begin.and_then(|at| self.begins_directive(at))) {
            (Some(_), Some(true)) => self.push(start - 2..end, PlaceholderKind::Escaped),
            (Some(command), Some(false)) if command.contains('\n') => {
                let message = "a command in backticks spans several lines; use a fence with the info string `!`";
                self.warn(start - 1, message.to_owned());
            }
            (Some(command), Some(false)) => {
                self.directive(
                    start - 1..end,
                    DirectiveAction::Command {
                        command: command.trim().to_owned(),
                    },
                );
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
            self.directive(
                range,
                DirectiveAction::Command {
                    command: command.trim_end().to_owned(),
                },
            );
        }
    }

    /// Returns `None` if no directive can begin at `at`, which is at the start of a line or after a blank. Else returns whether it
    /// is escaped.
    fn begins_directive(&self, at: usize) -> Option<bool> {
        let before = &self.body[..at];
        let unescaped = before.strip_suffix('\\');
        let begins = unescaped
            .unwrap_or(before)
            .chars()
            .next_back()
            .is_none_or(char::is_whitespace);
        begins.then_some(unescaped.is_some())
    }

    fn warn(&mut self, at: usize, message: String) {
        let line = self.line.line(at);
        self.plan.warnings.push(Warning::new(line, message));
    }

    fn directive(&mut self, range: Range<usize>, action: DirectiveAction) {
        let line = self.line.line(range.start);
        self.push(
            range.clone(),
            PlaceholderKind::Directive(self.plan.directives.len()),
        );
        self.plan.directives.push(Directive {
            action,
            line,
            range,
        });
    }

    fn push(&mut self, range: Range<usize>, kind: PlaceholderKind) {
        self.plan.placeholders.push(Placeholder { range, kind });
    }
}

/// Returns the placeholder at the start of `text`, which is a `$`, its length, and whether a backslash can escape it.
fn placeholder(text: &str, syntax: &Syntax) -> Option<(PlaceholderKind, usize, bool)> {
    let first = syntax.dialect.first_argument()?;
    let rest = &text[1..];
    if let Some(braced) = rest.strip_prefix('{') {
        let name = &braced[..word(braced)];
        if !braced[name.len()..].starts_with('}') || name.is_empty() {
            return None;
        }
        let length = name.len() + 3;
        return match name.as_bytes()[0].is_ascii_digit() {
            true => Some((argument(name, first)?, length, true)),
            false => name
                .is_ascii()
                .then_some((PlaceholderKind::Variable, length, false)),
        };
    }
    // The longest declared name that is there as a whole word.
    let declared = syntax.names.iter().enumerate().filter(|(_, name)| {
        rest.strip_prefix(&***name)
            .is_some_and(|rest| !rest.starts_with(is_word))
    });
    if let Some((number, name)) = declared.max_by_key(|(_, name)| name.len()) {
        return Some((PlaceholderKind::Named(number), 1 + name.len(), true));
    }
    let name = &rest[..word(rest)];
    if name == "ARGUMENTS" {
        let digits = rest[name.len()..].strip_prefix('[').and_then(|index| {
            let (digits, after) =
                index.split_at(index.bytes().take_while(u8::is_ascii_digit).count());
            (!digits.is_empty() && after.starts_with(']')).then_some(digits)
        });
        return Some(match digits {
            Some(digits) => (
                argument(digits, first)?,
                1 + name.len() + digits.len() + 2,
                true,
            ),
            None => (PlaceholderKind::Arguments, 1 + name.len(), true),
        });
    }
    let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && syntax.has_bare_numbers() {
        Some((argument(name, first)?, 1 + name.len(), true))
    } else {
        None
    }
}

fn argument(digits: &str, first: usize) -> Option<PlaceholderKind> {
    digits
        .parse::<usize>()
        .ok()?
        .checked_sub(first)
        .map(PlaceholderKind::Argument)
}

fn word(text: &str) -> usize {
    text.find(|c| !is_word(c)).unwrap_or(text.len())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
