//! What was typed after a skill's name.

/// What was typed after a skill's name: the text as it is, and the words in it.
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
    /// The arguments in `text`, split as a shell would: blanks separate, quotes group and are taken off.
    ///
    /// Unlike a shell it takes every text: a quote that is never closed stands for itself, and a backslash outside of
    /// single quotes is one unless a blank, a quote or a backslash follows.
    pub fn new(text: impl Into<String>) -> Arguments {
        let raw = text.into();
        let words = split(&raw);
        Arguments { raw, words }
    }

    /// Arguments that come as words; the text is one that splits into them.
    pub fn from_words<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> Arguments {
        let words: Vec<String> = words.into_iter().map(|word| word.as_ref().to_owned()).collect();
        let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
        Arguments { raw: quoted.join(" "), words }
    }

    /// The text as typed.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The words, without their quotes.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Whether nothing was typed but blanks.
    pub fn is_empty(&self) -> bool {
        self.raw.trim().is_empty()
    }
}

fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text.chars();
    // The last of each quote: one behind it is closed by none.
    let last = |quote| text.rfind(quote).unwrap_or_default();
    let mut last = [last('\''), last('"')];
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
                    // Only escaped ones follow; to look for the end of each would take the square of the time.
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

/// What is up to the closing quote at the start of `text`, and how long that is with the quote.
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

/// `word` so that [`split`] gives it back.
fn quote(word: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && !matches!(c, '\'' | '"' | '\\');
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests;
