//! Words that are too short or too common to suggest a skill.

use std::collections::HashSet;
use std::fmt;
use std::sync::LazyLock;

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The reason why a keyword never suggests a skill: nearly every message would have it.
///
/// The words that are too common are those of English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Polish,
/// Russian, Turkish, Arabic, Chinese, Japanese and Korean that stand in requests of any kind: articles, pronouns, auxiliary
/// verbs, question words, greetings and thanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WeakKeyword {
    /// It has fewer than 3 letters; in Chinese, Japanese and Korean, fewer than 2 characters.
    Short,
    /// Each of its words stands in messages of every kind.
    Common,
}

impl WeakKeyword {
    /// Returns the reason why `keyword` never holds, if there is one.
    ///
    /// Letter case, compatibility forms and apostrophes are not compared. A digit counts as a letter, as does `+` or `#` right
    /// behind one: `c++` has three.
    pub fn of(keyword: &str) -> Option<WeakKeyword> {
        let (mut letters, mut word, mut is_common, mut is_dense) = (0, String::new(), true, false);
        let mut end = |word: &mut String| {
            is_common &= word.is_empty() || COMMON.contains(word.as_str());
            word.clear();
        };
        for c in keyword.nfkc().flat_map(char::to_lowercase) {
            if c.is_alphanumeric() || matches!(c, '+' | '#') && !word.is_empty() {
                is_dense |= is_cjk(c);
                letters += 1;
                word.push(c);
            } else if is_combining_mark(c) && !word.is_empty() {
                word.push(c);
            } else if !matches!(c, '\'' | '’') {
                end(&mut word);
            }
        }
        end(&mut word);
        match letters {
            0..2 => Some(WeakKeyword::Short),
            2 if !is_dense => Some(WeakKeyword::Short),
            _ => is_common.then_some(WeakKeyword::Common),
        }
    }
}

impl fmt::Display for WeakKeyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            WeakKeyword::Short => {
                "expected at least 3 letters, or 2 characters in Chinese, Japanese and Korean"
            }
            WeakKeyword::Common => {
                "it stands in messages of every kind; expected a word that belongs to the skill"
            }
        })
    }
}

fn is_cjk(c: char) -> bool {
    matches!(u32::from(c),
        0x1100..=0x11FF | 0x3040..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF
        | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

/// The words of one language on each line.
static COMMON: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    include_str!("common_words.txt")
        .split_ascii_whitespace()
        .collect()
});

#[cfg(test)]
mod tests;
