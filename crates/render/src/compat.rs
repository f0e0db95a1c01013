//! How others substitute.

use std::borrow::Cow;

use crate::Context;

/// How another program substitutes, reproduced so that one can see what a move to this crate changes.
///
/// Gives text and nothing else: a command that comes out of a substitution is text too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compat {
    /// Cortex: three passes of search and replace over the whole body, code and comments included, each over what the last
    /// one made.
    Cortex,
}

impl Compat {
    /// `body` as the other program would have it before it ran anything.
    ///
    /// Values come from `context`: its variables override the skill's, and both override the built-in `SKILL_DIR`, `ARGUMENTS`
    /// and `1` to `9`, the other way round than in [`Context`]. What is unknown becomes nothing.
    pub fn substitute(self, body: &str, context: &Context) -> String {
        match self {
            Compat::Cortex => cortex(body, context),
        }
    }
}

fn cortex(body: &str, context: &Context) -> String {
    let value = |name: &str| -> Cow<'_, str> {
        if let Some(value) = context.set(name) {
            return value.into();
        }
        let number = name.parse::<usize>().ok().filter(|_| name.len() == 1).and_then(|number| number.checked_sub(1));
        match (name, number) {
            ("SKILL_DIR" | "ARGUMENTS", _) => context.get(name).unwrap_or_default().to_owned().into(),
            // Cortex splits at blanks and knows no quotes.
            (_, Some(index)) => {
                context.arguments.raw().split_whitespace().nth(index).unwrap_or_default().to_owned().into()
            }
            _ => "".into(),
        }
    };
    let text = body.replace("$ARGUMENTS", &value("ARGUMENTS"));
    let text = replace(&text, |rest| {
        let digit = rest.as_bytes().first().filter(|byte| matches!(byte, b'1'..=b'9'))?;
        Some((value(std::str::from_utf8(&[*digit]).expect("a digit is text")).into_owned(), 1))
    });
    replace(&text, |rest| {
        let name = rest.strip_prefix('{')?.split('}').next()?;
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && name.bytes().next().is_some_and(|first| !first.is_ascii_digit());
        (is_name && rest.len() > name.len() + 1).then(|| (value(name).into_owned(), name.len() + 2))
    })
}

/// One pass over `text`: at each `$`, what stands for what is behind it, and how long that is.
fn replace(text: &str, substitute: impl Fn(&str) -> Option<(String, usize)>) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        replaced.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match substitute(rest) {
            Some((value, length)) => {
                replaced.push_str(&value);
                rest = &rest[length..];
            }
            None => replaced.push('$'),
        }
    }
    replaced + rest
}

#[cfg(test)]
mod tests;
