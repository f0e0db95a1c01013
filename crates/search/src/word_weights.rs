//! Words of texts, weighted by their rarity among given texts.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::tokenize::{Stems, is_stop_word, words};

/// The stems of some texts, with the number of texts that have each.
///
/// ```
/// use repertoire_search::WordWeights;
///
/// let weights = WordWeights::of(["brew tea".to_owned(), "brew coffee".to_owned()]);
/// let words: Vec<_> = weights.weighted("brew tea").into_iter().map(|(word, _)| word).collect();
/// assert_eq!(words, ["brew", "tea"]);
/// ```
pub struct WordWeights {
    stems: Stems,
    texts: f64,
    counts: HashMap<String, f64>,
}

impl fmt::Debug for WordWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WordWeights")
            .field("texts", &self.texts)
            .finish_non_exhaustive()
    }
}

impl WordWeights {
    /// Counts the stems of `texts`.
    pub fn of(texts: impl IntoIterator<Item = String>) -> WordWeights {
        let mut weights = WordWeights {
            stems: Stems::default(),
            texts: 0.0,
            counts: HashMap::new(),
        };
        for text in texts {
            weights.texts += 1.0;
            for stem in weights.stems(&text) {
                *weights.counts.entry(stem).or_default() += 1.0;
            }
        }
        weights
    }

    /// Returns the distinct stems of `text` without stop words.
    pub fn stems(&self, text: &str) -> HashSet<String> {
        let mut stems = HashSet::new();
        words(text, |word| {
            if !is_stop_word(word) {
                stems.insert(self.stems.of(word).into_owned());
            }
        });
        stems
    }

    /// Returns the stems of `text` that a text has, each with its share of their weight.
    pub fn weighted(&self, text: &str) -> Vec<(String, f64)> {
        let weight = |stem: String| {
            let count = self.counts.get(&stem)?;
            let rarity = (1.0 + self.texts / count).ln();
            Some((stem, rarity))
        };
        let mut weighted: Vec<_> = self.stems(text).into_iter().filter_map(weight).collect();
        weighted.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let sum: f64 = weighted.iter().map(|(_, weight)| weight).sum();
        weighted.iter_mut().for_each(|(_, weight)| *weight /= sum);
        weighted
    }
}
