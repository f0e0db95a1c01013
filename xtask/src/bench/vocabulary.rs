//! Words as often as public skills have them, for made-up skills that are searched.

use super::random::Random;

/// Stems, each with the number of public skills that have it in the front matter, and anywhere.
const PUBLIC: &str = include_str!("../../../crates/search/src/background.tsv");

/// Made-up words that few skills have: the tail of the distribution.
const RARE: usize = 20_000;

/// Of a hundred words, those from the tail.
const RARE_SHARE: usize = 8;

/// Of a hundred words, those that carry no meaning, as in public descriptions.
const STOP_SHARE: usize = 35;

const STOP_WORDS: [&str; 8] = ["the", "a", "for", "and", "when", "with", "to", "of"];

/// The same of bodies, which have names of files, of functions and of products.
const RARE_IN_BODIES: usize = 400_000;

/// Of a hundred distinct words of a body, those from the tail.
const RARE_SHARE_IN_BODIES: usize = 25;

/// Of the words of a body that carry meaning, a distinct one for so many.
const REPEATED: usize = 3;

/// A vocabulary with real frequencies.
pub(super) struct Vocabulary {
    /// Each word with the sum of the counts up to it.
    common: Vec<(&'static str, usize)>,
    /// For each rare word, by rank: the sum of the weights up to it, by Zipf's law.
    rare: Vec<usize>,
    /// Of a hundred words, those from the tail.
    rare_share: usize,
}

impl Vocabulary {
    /// Creates the vocabulary of front matter.
    pub(super) fn new() -> Vocabulary {
        Vocabulary::of(1, RARE, RARE_SHARE)
    }

    /// Creates the vocabulary of bodies.
    pub(super) fn of_bodies() -> Vocabulary {
        Vocabulary::of(2, RARE_IN_BODIES, RARE_SHARE_IN_BODIES)
    }

    /// Reads the counts from this column of the table.
    fn of(column: usize, rare: usize, rare_share: usize) -> Vocabulary {
        let counts = PUBLIC.lines().skip(1).filter_map(|line| {
            let mut fields = line.split('\t');
            let word = fields.next()?;
            Some((word, fields.nth(column - 1)?.parse::<usize>().ok()?))
        });
        let counts = counts.filter(|(word, count)| {
            *count > 0 && word.bytes().all(|byte| byte.is_ascii_lowercase())
        });
        let mut sum = 0;
        let common = counts.map(|(word, count)| {
            sum += count;
            (word, sum)
        });
        let common = common.collect();
        let mut sum = 0;
        let rare = (1..=rare).map(|rank| {
            sum += 1_000_000 / (rank + 100);
            sum
        });
        Vocabulary {
            common,
            rare: rare.collect(),
            rare_share,
        }
    }

    /// Returns a word that carries meaning.
    pub(super) fn word(&self, random: &mut Random) -> String {
        if random.chance(self.rare_share) {
            let at = random.below(self.rare.last().copied().unwrap_or(1));
            let rank = self.rare.partition_point(|sum| *sum <= at);
            return spelled(rank);
        }
        let at = random.below(self.common.last().map_or(1, |(_, sum)| *sum));
        let place = self.common.partition_point(|(_, sum)| *sum <= at);
        self.common[place].0.to_owned()
    }

    /// Returns a text of so many words.
    pub(super) fn text(&self, words: usize, random: &mut Random) -> String {
        let word = |random: &mut Random| match random.chance(STOP_SHARE) {
            true => random.pick(&STOP_WORDS).to_owned(),
            false => self.word(random),
        };
        let words: Vec<String> = (0..words).map(|_| word(random)).collect();
        words.join(" ")
    }

    /// Returns a text of so many words that repeats its own, the first of them most.
    pub(super) fn body(&self, words: usize, random: &mut Random) -> String {
        let own = (words / REPEATED).max(1);
        let own: Vec<String> = (0..own).map(|_| self.word(random)).collect();
        let mut body = String::new();
        for place in 0..words {
            body += match place {
                0 => "",
                _ if place % 12 == 0 => "\n",
                _ => " ",
            };
            body += match random.chance(STOP_SHARE) {
                true => random.pick(&STOP_WORDS),
                false => {
                    let below = random.below(own.len()) + 1;
                    &own[random.below(below)]
                }
            };
        }
        body
    }
}

/// Returns the made-up word of this rank: syllables, which no stemmer changes.
fn spelled(mut rank: usize) -> String {
    const SYLLABLES: [&str; 32] = [
        "ba", "ko", "mu", "ra", "tok", "vi", "zu", "pra", "lo", "ni", "ga", "dok", "fu", "ha",
        "jo", "ki", "qua", "sto", "tri", "wu", "xa", "yo", "bru", "cla", "dro", "fli", "gro",
        "kra", "mo", "nu", "po", "sna",
    ];
    let mut word = String::from("x");
    let mut syllables = 0;
    while syllables < 3 || rank > 0 {
        word.push_str(SYLLABLES[rank % SYLLABLES.len()]);
        rank /= SYLLABLES.len();
        syllables += 1;
    }
    word
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn words_are_as_frequent_as_in_public_skills() {
        let (vocabulary, mut random) = (Vocabulary::new(), Random::new(1));
        let mut counts: HashMap<String, usize> = HashMap::new();
        for _ in 0..200_000 {
            *counts.entry(vocabulary.word(&mut random)).or_default() += 1;
        }
        let mut counts: Vec<usize> = counts.into_values().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        assert!(counts.len() > 8_000, "thousands of words: {}", counts.len());
        let half: usize = counts[..counts.len() / 100].iter().sum();
        assert!(half > 40_000, "few words are frequent: {half} of 200,000");
    }
}
