//! The escapes of each place that a text goes to.

use std::borrow::Cow;
use std::fmt::Write;

use super::clean::clean_line;
use super::scan::{self, OddKind, is_break, is_shapeless};

/// Returns `text` for one line of a terminal: breaks and hidden characters are written as escapes such as `\u{1b}`.
///
/// A log of continuous integration obeys some lines; what such a command begins with is escaped too.
///
/// ```
/// use repertoire_core::text::terminal_line;
///
/// assert_eq!(terminal_line("a\u{1b}[2J\nb"), "a\\u{1b}[2J\\nb");
/// assert_eq!(terminal_line("::error::x"), "\\u{3a}:error::x");
/// ```
pub fn terminal_line(text: &str) -> Cow<'_, str> {
    defused(escaped(text, |_| true))
}

/// Returns `text` for a terminal: as [`terminal_line`] of each line, with tabs left alone.
pub fn terminal_lines(text: &str) -> Cow<'_, str> {
    let text = escaped(text, |c| !matches!(c, '\n' | '\t'));
    if !may_command(&text) {
        return text;
    }
    let lines: Vec<_> = text
        .split('\n')
        .map(|line| defused(Cow::Borrowed(line)))
        .collect();
    Cow::Owned(lines.join("\n"))
}

/// Returns `text` with escapes for every break and every character without a shape, honest ones too.
pub(crate) fn spelled_out(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => shown.extend(c.escape_default()),
            c if is_unseen(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Returns `text` with one sign for each hidden character and each break but tabs, so that columns stay.
///
/// What begins a command of continuous integration inside a line gets such a sign too.
pub fn masked(text: &str) -> Cow<'_, str> {
    let mut text = replaced(text, |c, out| {
        out.push(if c == '\t' {
            c
        } else {
            char::REPLACEMENT_CHARACTER
        })
    });
    for command in COMMANDS {
        if text.contains(command) {
            text = Cow::Owned(text.replace(
                command,
                &format!("{}{}", char::REPLACEMENT_CHARACTER, &command[1..]),
            ));
        }
    }
    text
}

fn escaped(text: &str, wanted: impl Fn(char) -> bool) -> Cow<'_, str> {
    replaced(text, |c, out| match c {
        c if is_break(c) && !wanted(c) => out.push(c),
        '\n' | '\r' | '\t' => out.extend(c.escape_default()),
        c => out.extend(c.escape_unicode()),
    })
}

fn replaced(text: &str, replace: impl Fn(char, &mut String)) -> Cow<'_, str> {
    let mut odd = scan::odd(text).peekable();
    if odd.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut done = 0;
    for part in odd {
        shown.push_str(&text[done..part.at]);
        part.text.chars().for_each(|c| replace(c, &mut shown));
        done = part.end();
    }
    shown.push_str(&text[done..]);
    Cow::Owned(shown)
}

const COMMANDS: [&str; 3] = ["##[", "##vso[", "##teamcity["];

fn may_command(text: &str) -> bool {
    text.contains("::") || text.contains("##")
}

fn defused(line: Cow<'_, str>) -> Cow<'_, str> {
    if !may_command(&line) {
        return line;
    }
    let mut line = line;
    let blanks = line.len() - line.trim_start().len();
    if line[blanks..].starts_with("::") {
        line.to_mut().replace_range(blanks..=blanks, "\\u{3a}");
    }
    for command in COMMANDS {
        if line.contains(command) {
            line = Cow::Owned(line.replace(command, &format!("\\u{{23}}{}", &command[1..])));
        }
    }
    line
}

/// The longest piece of content that a message repeats, in characters.
const QUOTED_CHARS: usize = 60;

/// Returns content as a message repeats it between backticks: one line, nothing hidden, at most 60 characters.
pub(crate) fn quoted(text: &str) -> String {
    // What is cut off is not cleaned.
    let end = text
        .char_indices()
        .nth(4 * QUOTED_CHARS)
        .map_or(text.len(), |(at, _)| at);
    let clean = super::clean(&text[..end]);
    let mut shown = String::new();
    let mut chars = clean.chars();
    for c in chars.by_ref().take(QUOTED_CHARS) {
        shown.push(if c.is_whitespace() { ' ' } else { c });
    }
    if chars.next().is_some() || end < text.len() {
        shown.push('…');
    }
    shown
}

/// Returns a foreign message as a message repeats it: one line of at most `most` characters, hidden ones as escapes.
pub fn excerpt(text: &str, most: usize) -> String {
    let end = text
        .char_indices()
        .nth(most)
        .map_or(text.len(), |(at, _)| at);
    let mut shown = String::new();
    let mut done = 0;
    for part in scan::odd(&text[..end]) {
        shown.push_str(&text[done..part.at]);
        match part.kind {
            OddKind::Break => shown.push(' '),
            OddKind::Hidden => part
                .text
                .chars()
                .for_each(|c| shown.extend(c.escape_unicode())),
        }
        done = part.end();
    }
    shown.push_str(&text[done..end]);
    if end < text.len() {
        shown.push('…');
    }
    shown
}

/// Appends `text` as the text of an XML element: `&`, `<` and `>` are escaped.
pub fn push_xml(text: &str, out: &mut String) {
    push_special(
        text,
        memchr::memchr3_iter(b'&', b'<', b'>', text.as_bytes()),
        out,
    );
}

/// Appends `text` as XML for an element or an attribute: quotes are escaped too.
pub fn push_xml_quoted(text: &str, out: &mut String) {
    let special = text
        .bytes()
        .enumerate()
        .filter(|(_, byte)| b"&<>\"'".contains(byte));
    push_special(text, special.map(|(at, _)| at), out);
}

/// Returns `text` on one line, for an XML attribute in double quotes.
pub fn xml_attribute(text: &str) -> String {
    let line = clean_line(text);
    let mut value = String::with_capacity(line.len());
    let special = line
        .bytes()
        .enumerate()
        .filter(|(_, byte)| b"&<>\"".contains(byte));
    push_special(&line, special.map(|(at, _)| at), &mut value);
    value
}

/// Appends `text` inside a line of Markdown. Only `<` can leave it, for the markup that a host may put around the line.
pub fn push_markdown(text: &str, out: &mut String) {
    push_special(text, memchr::memchr_iter(b'<', text.as_bytes()), out);
}

/// Appends a name where Markdown looks for blocks: a heading, a quote, a fence, a rule, a list in the list.
pub fn push_markdown_name(name: &str, out: &mut String) {
    let rest = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = name.len() - rest.len();
    let opens_block = match rest.as_bytes() {
        [b'<', ..] => false,
        [first, ..] if digits == 0 => first.is_ascii_punctuation(),
        [b'.' | b')'] | [b'.' | b')', b' ', ..] => true,
        _ => false,
    };
    if opens_block {
        out.extend([&name[..digits], "\\"]);
        push_markdown(rest, out);
    } else {
        push_markdown(name, out);
    }
}

fn push_special(text: &str, special: impl Iterator<Item = usize>, out: &mut String) {
    let mut done = 0;
    for at in special {
        out.push_str(&text[done..at]);
        out.push_str(match text.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            _ => "&#x27;",
        });
        done = at + 1;
    }
    out.push_str(&text[done..]);
}

/// Returns `text` with the `<` escaped that opens or closes an element called one of `names`, in any case of letters.
///
/// All other text stays word for word: a body is Markdown, and its `&` and `<` mean what the author wrote.
pub fn inside_elements<'t>(text: &'t str, names: &[&str]) -> Cow<'t, str> {
    let opening = memchr::memchr_iter(b'<', text.as_bytes());
    let mut special = opening
        .filter(|at| begins_tag(&text[at + 1..], names))
        .peekable();
    if special.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len() + 16);
    push_special(text, special, &mut kept);
    Cow::Owned(kept)
}

/// Returns a JSON document with escapes for the characters that a terminal may obey or hide. It means the same.
pub fn json(document: &str) -> Cow<'_, str> {
    replaced(document, |c, out| match c {
        // Outside of texts JSON has such breaks, inside it has none.
        '\n' | '\r' | '\t' => out.push(c),
        c => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
            let _ = write!(out, "\\u{unit:04x}");
        }),
    })
}

/// Returns the value of a field of a log: as it is where it is one word, else in quotes, so that it ends where it ends.
///
/// ```
/// use repertoire_core::text::log_value;
///
/// assert_eq!(log_value("skill://a/b"), "skill://a/b");
/// assert_eq!(log_value("1\nINFO x=\"y\""), "\"1\\nINFO x=\\\"y\\\"\"");
/// ```
pub fn log_value(text: &str) -> Cow<'_, str> {
    let is_word = !text.is_empty()
        && !text.contains(|c: char| c.is_whitespace() || matches!(c, '"' | '=' | '\\'));
    if is_word {
        return terminal_line(text);
    }
    let mut value = String::with_capacity(text.len() + 2);
    value.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            value.push('\\');
        }
        value.push(c);
    }
    value.push('"');
    Cow::Owned(terminal_line(&value).into_owned())
}

/// Returns `text` as one argument of a command that a message tells a person to run in a POSIX shell.
///
/// Text other than a plain word is quoted. Text that begins with `-` follows `--`, so that it is no option.
///
/// ```
/// use repertoire_core::text::command_argument;
///
/// assert_eq!(command_argument("home:review"), "home:review");
/// assert_eq!(command_argument("$(id)"), "'$(id)'");
/// assert_eq!(command_argument("--config=x"), "-- --config=x");
/// ```
pub fn command_argument(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@+=,%".contains(c);
    let word = if !text.is_empty() && text.chars().all(is_plain) {
        terminal_line(text)
    } else {
        let quoted = text.replace('\'', r"'\''");
        Cow::Owned(format!("'{}'", terminal_line(&quoted)))
    };
    if text.starts_with('-') {
        Cow::Owned(format!("-- {word}"))
    } else {
        word
    }
}

fn is_unseen(c: char) -> bool {
    is_break(c) || is_shapeless(c)
}

/// Returns whether `rest`, which follows a `<`, begins a tag called one of `names`.
fn begins_tag(rest: &str, names: &[&str]) -> bool {
    let rest = rest.trim_start_matches(|c: char| c == '/' || c.is_whitespace());
    names.iter().any(|name| {
        let (head, tail) = rest
            .as_bytes()
            .split_at_checked(name.len())
            .unwrap_or_default();
        head.eq_ignore_ascii_case(name.as_bytes())
            && !tail
                .first()
                .is_some_and(|next| next.is_ascii_alphanumeric() || matches!(next, b'_' | b'-'))
    })
}
