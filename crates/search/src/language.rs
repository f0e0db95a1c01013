//! Languages whose words have forms, and the texts that are in them.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::RandomState;
use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::char::is_combining_mark;

use super::tokenize::STOP_WORDS;
use crate::fold::bare;

/// A language other than English, with a stemmer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Arabic,
    Danish,
    Dutch,
    Finnish,
    French,
    German,
    Greek,
    Hungarian,
    Italian,
    Norwegian,
    Portuguese,
    Romanian,
    Russian,
    Spanish,
    Swedish,
    Tamil,
    Turkish,
}

impl Language {
    pub(super) const ALL: [Language; 17] = [
        Language::Arabic,
        Language::Danish,
        Language::Dutch,
        Language::Finnish,
        Language::French,
        Language::German,
        Language::Greek,
        Language::Hungarian,
        Language::Italian,
        Language::Norwegian,
        Language::Portuguese,
        Language::Romanian,
        Language::Russian,
        Language::Spanish,
        Language::Swedish,
        Language::Tamil,
        Language::Turkish,
    ];

    /// Returns the term of all skills with a text in this language.
    pub(super) fn term(self) -> String {
        format!("{FORM}{}", char::from(b'a' + self as u8))
    }

    /// Returns the term of the forms of `word`, which is a stem without accents; `None` for a frequent word and what is not a word.
    pub(super) fn form(self, word: &str) -> Option<String> {
        // The bounds are those of English stems, in characters.
        let is_word =
            (3..=32).contains(&word.chars().count()) && word.chars().all(is_letter_or_mark);
        let stem = (is_word && !self.is_frequent(word))
            .then(|| Stemmer::create(self.algorithm()).stem(word))?;
        Some(self.term() + bare(&stem).as_deref().unwrap_or(&stem))
    }

    /// Returns whether `word` is one of the frequent words without meaning.
    pub(super) fn is_frequent(self, word: &str) -> bool {
        let languages = FREQUENT.get(word);
        languages.is_some_and(|languages| languages.has(self as usize))
    }

    fn algorithm(self) -> Algorithm {
        match self {
            Language::Arabic => Algorithm::Arabic,
            Language::Danish => Algorithm::Danish,
            Language::Dutch => Algorithm::Dutch,
            Language::Finnish => Algorithm::Finnish,
            Language::French => Algorithm::French,
            Language::German => Algorithm::German,
            Language::Greek => Algorithm::Greek,
            Language::Hungarian => Algorithm::Hungarian,
            Language::Italian => Algorithm::Italian,
            Language::Norwegian => Algorithm::Norwegian,
            Language::Portuguese => Algorithm::Portuguese,
            Language::Romanian => Algorithm::Romanian,
            Language::Russian => Algorithm::Russian,
            Language::Spanish => Algorithm::Spanish,
            Language::Swedish => Algorithm::Swedish,
            Language::Tamil => Algorithm::Tamil,
            Language::Turkish => Algorithm::Turkish,
        }
    }

    /// Returns frequent words without meaning, separated by blanks. A language with a script of its own needs none.
    fn frequent_words(self) -> &'static str {
        match self {
            Language::Arabic | Language::Greek | Language::Russian | Language::Tamil => "",
            Language::Danish => {
                "af at der det den din dine du en eller er et for fra hvor hvordan ikke kan med når og på skal som til ved"
            }
            Language::Dutch => {
                "aan als bij dat de deze door een en het je met naar niet of om op te uit van voor wanneer wordt zijn"
            }
            Language::Finnish => {
                "ei että ja joka jos kanssa kun kuin mutta myös niin on ovat se sekä tai voi"
            }
            Language::French => {
                "au aux avec ce cette dans de des du en est et la le les ou par pour quand que qui sur un une votre vos"
            }
            Language::German => {
                "als am auf aus bei das dem den der des die ein eine einem einen einer für im in ist mit nach nicht oder sich und von wenn werden wird zu zum zur"
            }
            Language::Hungarian => "a amikor az be csak egy el ha hogy is meg mint nem van vagy és",
            Language::Italian => {
                "al alla che con da dei del della delle di e gli il in la le lo nel per quando un una è"
            }
            Language::Norwegian => {
                "at av det den din dine du en eller er et for fra hvor hvordan ikke kan med når og på skal som til ved å"
            }
            Language::Portuguese => {
                "a ao as com da das de do dos e em na nas nos não o os ou para por quando que se seu sua um uma é"
            }
            Language::Romanian => {
                "al ale care ce cu că când de din este la nu o pe pentru prin sau un unei unui în și şi"
            }
            Language::Spanish => {
                "al como con cuando de del el en es la las los o para por que se su sus un una y"
            }
            Language::Swedish => {
                "att av den det du eller en ett från för hur i inte kan med när och om på ska som till är"
            }
            Language::Turkish => {
                "bir bu da daha de en gibi her için ile ne olan olarak sonra ve veya"
            }
        }
    }
}

fn is_letter_or_mark(c: char) -> bool {
    c.is_alphabetic() || is_combining_mark(c)
}

/// The mark of a form of a word, before the letter of its language.
const FORM: char = '\u{7}';

/// The bit of English in a [`LanguageSet`].
const ENGLISH: usize = Language::ALL.len();

/// Languages that a word indicates, as a bit for each of [`Language::ALL`] and one for English.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LanguageSet(u32);

impl LanguageSet {
    /// Returns the languages that have `word` among their frequent words, or whose script it is in.
    pub(super) fn of(word: &str) -> LanguageSet {
        let script = word.chars().next().and_then(|c| match u32::from(c) {
            0x0370..=0x03FF | 0x1F00..=0x1FFF => Some(Language::Greek),
            0x0400..=0x052F => Some(Language::Russian),
            0x0600..=0x06FF | 0x0750..=0x077F => Some(Language::Arabic),
            0x0B80..=0x0BFF => Some(Language::Tamil),
            _ => None,
        });
        match script {
            Some(language) => LanguageSet(1 << language as u32),
            None => FREQUENT.get(word).copied().unwrap_or_default(),
        }
    }

    /// Returns whether English has the word among its stop words.
    pub(super) fn has_english(self) -> bool {
        self.has(ENGLISH)
    }

    fn has(self, language: usize) -> bool {
        self.0 & 1 << language != 0
    }
}

static FREQUENT: LazyLock<HashMap<&'static str, LanguageSet, RandomState>> = LazyLock::new(|| {
    let mut sets: HashMap<_, LanguageSet, _> = HashMap::default();
    for word in STOP_WORDS {
        sets.entry(word).or_default().0 |= 1 << ENGLISH;
    }
    for language in Language::ALL {
        for word in language.frequent_words().split_terminator(' ') {
            sets.entry(word).or_default().0 |= 1 << language as u32;
        }
    }
    sets
});

/// The words of a text that indicate each language.
#[derive(Debug, Clone, Default)]
pub(super) struct LanguageCounts([u32; ENGLISH + 1]);

impl LanguageCounts {
    /// Counts a word that occurs so many times.
    pub(super) fn add(&mut self, languages: LanguageSet, times: u32) {
        let mut bits = languages.0;
        while bits != 0 {
            let count = &mut self.0[bits.trailing_zeros() as usize];
            *count = count.saturating_add(times);
            bits &= bits - 1;
        }
    }

    /// Returns the language of the text, unless it is English or unknown.
    pub(super) fn language(&self) -> Option<Language> {
        Language::ALL.get(self.most()?).copied()
    }

    /// Returns whether the text may be in `language`: it is, or its language is unknown.
    pub(super) fn may_be(&self, language: Language) -> bool {
        self.most().is_none_or(|most| most == language as usize)
    }

    /// Returns the language that the most words indicate, and at least [`LEAST`]. English comes first, then the order of [`Language::ALL`].
    fn most(&self) -> Option<usize> {
        let order = std::iter::once(ENGLISH).chain(0..ENGLISH);
        // `max_by_key` returns the last of equal ones.
        let most = order.rev().max_by_key(|language| self.0[*language])?;
        (self.0[most] >= LEAST).then_some(most)
    }
}

/// The fewest words that indicate the language of a text: one may be a name.
const LEAST: u32 = 2;
