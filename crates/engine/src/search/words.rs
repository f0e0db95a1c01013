//! From text to the words that are compared.

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::fold::{fold, is_unspaced};

/// English words that tell no skill from another. In names they count.
const STOP_WORDS: [&str; 64] = [
    "a", "about", "all", "also", "an", "and", "any", "are", "as", "asks", "at", "be", "by", "can", "do", "does", "etc",
    "for", "from", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "like", "me", "my", "need",
    "needs", "of", "on", "or", "other", "please", "should", "skill", "so", "such", "that", "the", "their", "them",
    "these", "they", "this", "to", "use", "used", "user", "uses", "using", "want", "wants", "was", "we", "when",
    "will", "with", "you",
];

/// Calls `each` with every word of `text`: letters and digits of any script, in NFKC, without letter case.
///
/// Where a script puts no blanks between words, every two neighbours are a word, and a character that stands alone is
/// one. Apostrophes are not read: `don't` is `dont`. A letter keeps `+` and `#` behind it: `c++`, `f#`.
pub(super) fn words(text: &str, each: impl FnMut(&str)) {
    let mut splitter = Splitter { word: String::new(), neighbour: None, alone: false, each };
    if text.is_ascii() {
        text.chars().for_each(|c| splitter.take(c));
    } else {
        text.nfkc().for_each(|c| splitter.take(c));
    }
    splitter.end_of_word();
}

/// As [`words`], for names: `ReleaseNotes` and its like also give their parts.
pub(super) fn name_words(name: &str, mut each: impl FnMut(&str)) {
    words(name, &mut each);
    let mut parts = String::with_capacity(name.len() + 8);
    let mut lower = false;
    for c in name.chars() {
        if lower && c.is_uppercase() {
            parts.push(' ');
        }
        lower = c.is_lowercase();
        parts.push(c);
    }
    if parts.len() > name.len() {
        words(&parts, each);
    }
}

/// All letters and digits of `name` in a row, so that `Release_Notes` and `release notes` are one name.
pub(super) fn squashed(name: &str) -> String {
    let mut squashed = String::with_capacity(name.len());
    let mut take = |c: char| {
        if c.is_alphanumeric() || is_combining_mark(c) {
            fold(c, &mut squashed);
        }
    };
    if name.is_ascii() {
        name.chars().for_each(&mut take)
    } else {
        name.nfkc().for_each(&mut take)
    }
    squashed
}

pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

struct Splitter<F> {
    word: String,
    /// The character before, if the script puts no blanks.
    neighbour: Option<char>,
    /// Whether no character stands before the neighbour.
    alone: bool,
    each: F,
}

impl<F: FnMut(&str)> Splitter<F> {
    fn take(&mut self, c: char) {
        let in_word = !self.word.is_empty();
        if c.is_ascii_alphanumeric() {
            self.end_of_run();
            self.word.push(c.to_ascii_lowercase());
        } else if is_unspaced(c) && (c.is_alphanumeric() || is_combining_mark(c)) {
            self.end_of_letters();
            if let Some(before) = self.neighbour.replace(c) {
                self.alone = false;
                let mut pair = String::with_capacity(8);
                pair.extend([before, c]);
                (self.each)(&pair);
            } else {
                self.alone = true;
            }
        } else if c.is_alphanumeric() || in_word && is_combining_mark(c) {
            self.end_of_run();
            fold(c, &mut self.word);
        } else if in_word && matches!(c, '\'' | '’') {
            // Part of the word, and not read.
        } else if matches!(c, '+' | '#')
            && matches!(self.word.as_bytes(), [letter, rest @ ..] if letter.is_ascii_alphabetic() && rest.iter().all(|b| matches!(b, b'+' | b'#')))
        {
            self.word.push(c);
        } else {
            self.end_of_word();
        }
    }

    fn end_of_word(&mut self) {
        self.end_of_letters();
        self.end_of_run();
    }

    fn end_of_letters(&mut self) {
        if !self.word.is_empty() {
            (self.each)(&self.word);
            self.word.clear();
        }
    }

    fn end_of_run(&mut self) {
        if let Some(last) = self.neighbour.take()
            && self.alone
        {
            (self.each)(last.encode_utf8(&mut [0; 4]));
        }
    }
}

/// Brings the forms of an English word together; words of other scripts stay as they are.
pub(super) struct Stems(Stemmer);

impl Stems {
    pub(super) fn new() -> Stems {
        Stems(Stemmer::create(Algorithm::English))
    }

    /// The stem of a folded word.
    pub(super) fn of<'w>(&self, word: &'w str) -> std::borrow::Cow<'w, str> {
        // Shorter words have no forms; longer ones are no words.
        if (3..=32).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            self.0.stem(word)
        } else {
            word.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        words(text, |word| all.push(word.to_owned()));
        all
    }

    #[test]
    fn words_are_letters_and_digits_without_case() {
        for (text, expected) in [
            ("Fill PDF-forms, v1.2!", &["fill", "pdf", "forms", "v1", "2"][..]),
            ("don't; the user’s", &["dont", "the", "users"]),
            ("C++, C# and F#, a+b, A/B", &["c++", "c#", "and", "f#", "a+b", "a", "b"]),
            ("STRASSE Straße ΣΊΣΥΦΟΣ σίσυφος", &["strasse", "strasse", "σίσυφοσ", "σίσυφοσ"]),
            ("Ａ４ ﬁle ①", &["a4", "file", "1"]),
            ("cafe\u{301} naïve", &["café", "naïve"]),
            ("हिन्दी में", &["हिन्दी", "में"]),
            ("表を読む", &["表を", "を読", "読む"]),
            ("PDF表 を、한국어", &["pdf", "表", "を", "한국", "국어"]),
            (" -_., ", &[]),
        ] {
            assert_eq!(all(text), expected, "{text}");
        }
    }

    #[test]
    fn names_also_give_their_humps() {
        let all = |name: &str| {
            let mut all = Vec::new();
            name_words(name, |word| all.push(word.to_owned()));
            all
        };
        assert_eq!(all("release-notes_v2"), ["release", "notes", "v2"]);
        assert_eq!(all("GitHubIssues"), ["githubissues", "git", "hub", "issues"]);
    }

    #[test]
    fn a_squashed_name_is_one_word() {
        for name in ["Release_Notes", "release notes", "releaseNotes", "RELEASE.NOTES"] {
            assert_eq!(squashed(name), "releasenotes");
        }
        assert_eq!(squashed("表-を"), "表を");
    }

    #[test]
    fn stop_words_are_sorted_for_the_search_in_them() {
        assert!(STOP_WORDS.is_sorted() && is_stop_word("when") && !is_stop_word("pdf"));
    }

    #[test]
    fn stems_are_for_english_words_only() {
        let stems = Stems::new();
        assert_eq!(
            ["forms", "deployments", "c++", "表を", "dé"].map(|word| stems.of(word).into_owned()),
            ["form", "deploy", "c++", "表を", "dé"]
        );
    }
}
