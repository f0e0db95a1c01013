//! The arguments of a skill.

/// The arguments that were typed after the name of a skill: the text, and its words.
///
/// ```
/// use repertoire_render::Arguments;
///
/// let arguments = Arguments::new(r#""hello world" second"#);
/// assert_eq!(arguments.raw(), r#""hello world" second"#);
/// assert_eq!(arguments.words(), ["hello world", "second"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Arguments {
    raw: String,
    words: Vec<String>,
}

impl Arguments {
    /// Splits `text` into words as a shell does: at blanks, with quotes removed.
    ///
    /// No text is an error. A quote that is never closed is a character. A backslash escapes a blank, a quote or a backslash outside
    /// of single quotes.
    pub fn new(text: impl Into<String>) -> Arguments {
        let raw = text.into();
        let words = split(&raw);
        Arguments { raw, words }
    }

    /// Creates arguments from words, with a text that splits into them.
    pub fn from_words<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> Arguments {
        let words: Vec<String> = words
            .into_iter()
            .map(|word| word.as_ref().to_owned())
            .collect();
        let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
        Arguments {
            raw: quoted.join(" "),
            words,
        }
    }

    /// Returns the text as typed.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// Returns the words, without quotes.
    pub fn words(&self) -> &[String] {
        &self.words
    }
}

fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text.chars();
    // A quote after the last of its kind is never closed.
    let mut last = ['\'', '"'].map(|quote| text.rfind(quote).unwrap_or_default());
    while let Some(c) = rest.next() {
        let at = text.len() - rest.as_str().len() - c.len_utf8();
        match c {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' | '"' if at < last[usize::from(c == '"')] => {
                match quoted(rest.as_str(), c) {
                    Some((inside, length)) => {
                        word.get_or_insert_default().push_str(&inside);
                        rest = rest.as_str()[length..].chars();
                    }
                    // Only escaped ones follow. To search for the end of each would take quadratic time.
                    None => {
                        last[usize::from(c == '"')] = 0;
                        word.get_or_insert_default().push(c);
                    }
                };
            }
            '\\' => {
                let word = word.get_or_insert_default();
                match rest.clone().next() {
                    Some(next) if next.is_whitespace() || matches!(next, '\'' | '"' | '\\') => {
                        word.push(next);
                        rest.next();
                    }
                    _ => word.push('\\'),
                }
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Returns the text up to the closing quote, and its length with the quote.
fn quoted(text: &str, quote: char) -> Option<(String, usize)> {
    let mut inside = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            c if c == quote => return Some((inside, at + 1)),
            '\\' if quote == '"' => match chars.clone().next() {
                Some((_, next)) if matches!(next, '"' | '\\') => {
                    inside.push(next);
                    chars.next();
                }
                _ => inside.push('\\'),
            },
            c => inside.push(c),
        }
    }
    None
}

/// Quotes `word` so that [`split`] returns it.
fn quote(word: &str) -> String {
    if !word.is_empty()
        && !word.contains(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '\\'))
    {
        return word.to_owned();
    }
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests;
