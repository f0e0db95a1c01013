//! The parser of `!{script: path, key: value}`.

use repertoire_core::ResourcePath;
use serde_json::{Map, Number, Value};

use crate::DirectiveAction;

/// The beginning of a script directive.
pub(crate) const OPENING: &str = "!{script:";

const MAX_BYTES: usize = 4096;

/// Parses the directive at the start of `text` and returns it with its length, or the error in it.
///
/// It ends on its line. A value is a quoted text, a number, `true`, `false`, `null`, or a text up to the next `,` or `}`.
pub(crate) fn parse(text: &str) -> Result<(DirectiveAction, usize), &'static str> {
    let longest = &text[..text.floor_char_boundary(MAX_BYTES)];
    let line = longest.split('\n').next().unwrap_or_default();
    let mut rest = Rest(&line[OPENING.len()..]);
    let Value::String(path) = rest.value(Typed::No)? else {
        return Err("a path is a text");
    };
    let path = ResourcePath::new(&path).map_err(|_| "the path leads out of the skill")?;
    let mut arguments = Map::new();
    loop {
        match rest.take_any() {
            Some('}') => {
                return Ok((
                    DirectiveAction::Script { path, arguments },
                    line.len() - rest.0.len(),
                ));
            }
            Some(',') => {
                let key = rest.key()?;
                if arguments.insert(key, rest.value(Typed::Yes)?).is_some() {
                    return Err("a key is written twice");
                }
            }
            _ => return Err("expected `,` or `}`"),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Typed {
    Yes,
    No,
}

struct Rest<'a>(&'a str);

impl Rest<'_> {
    fn take_any(&mut self) -> Option<char> {
        self.0 = self.0.trim_start();
        let c = self.0.chars().next()?;
        self.0 = &self.0[c.len_utf8()..];
        Some(c)
    }

    fn key(&mut self) -> Result<String, &'static str> {
        let (key, rest) = self.0.split_once(':').ok_or("expected `key: value`")?;
        let key = key.trim();
        if key.is_empty() || key.contains([',', '}', '"', '\'']) {
            return Err("expected `key: value`");
        }
        self.0 = rest;
        Ok(key.to_owned())
    }

    fn value(&mut self, typed: Typed) -> Result<Value, &'static str> {
        self.0 = self.0.trim_start();
        if let Some(quote) = self.0.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            return self.quoted(quote).map(Value::String);
        }
        let end = self
            .0
            .find([',', '}'])
            .ok_or("it is not closed on its line")?;
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        match word.trim() {
            "" => Err("a value is missing"),
            word if typed == Typed::No => Ok(word.into()),
            "true" => Ok(true.into()),
            "false" => Ok(false.into()),
            "null" => Ok(Value::Null),
            word => Ok(number(word).map_or_else(|| word.into(), Value::Number)),
        }
    }

    /// Parses a quoted text, in which a backslash escapes a quote or backslash.
    fn quoted(&mut self, quote: char) -> Result<String, &'static str> {
        let mut inside = String::new();
        let mut chars = self.0.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.0 = &self.0[at + 1..];
                    return Ok(inside);
                }
                '\\' => match chars.clone().next() {
                    Some((_, next)) if next == quote || next == '\\' => {
                        inside.push(next);
                        chars.next();
                    }
                    _ => inside.push('\\'),
                },
                c => inside.push(c),
            }
        }
        Err("a quote is not closed on its line")
    }
}

/// Parses a number in the spelling of JSON, so that `007` and `1.50` are texts.
fn number(word: &str) -> Option<Number> {
    let number: Number = serde_json::from_str(word).ok()?;
    (number.to_string() == word).then_some(number)
}

#[cfg(test)]
mod tests;
