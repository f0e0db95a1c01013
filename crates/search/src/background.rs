//! The rarity of words in public skills, so that a small registry knows common words.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

/// Document frequencies of stems in 2,500 public skills. Stems that fewer have are not listed.
///
/// Few skills say little about the rarity of a word: of 26 skills, one has `flowchart` and one has `every`. The frequencies
/// count like [`SKILLS`] further skills.
#[derive(Debug)]
pub(super) struct Background {
    frequencies: HashMap<&'static str, [f32; 2], RandomState>,
    skills: f32,
}

/// Skills that the background counts for. Chosen by the questions of UiPath's skills: 1,000 to 3,000 are equal.
const SKILLS: f32 = 2000.0;

/// A number of skills with a term, among so many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frequency {
    with: f32,
    all: f32,
}

impl Frequency {
    /// Returns the frequency over these skills too.
    pub(super) fn and(self, with: usize, all: usize) -> Frequency {
        Frequency {
            with: self.with + with as f32,
            all: self.all + all as f32,
        }
    }

    /// Returns the inverse document frequency of BM25.
    pub(super) fn rarity(self) -> f32 {
        (1.0 + (self.all - self.with + 0.5) / (self.with + 0.5)).ln()
    }
}

impl Background {
    pub(super) fn get() -> &'static Background {
        static BACKGROUND: LazyLock<Background> =
            LazyLock::new(|| Background::parse(include_str!("background.tsv")));
        &BACKGROUND
    }

    /// Parses lines of stem, skills with it in the front matter, and skills with it anywhere. The first line counts all skills.
    fn parse(text: &'static str) -> Background {
        let mut lines = text.lines();
        let skills = lines
            .next()
            .and_then(|line| line.parse().ok())
            .expect("the table begins with a number");
        let frequencies = lines.map(|line| {
            let mut fields = line.split('\t');
            let stem = fields.next().expect("a line has a first field");
            let mut count = || {
                fields
                    .next()
                    .and_then(|field| field.parse().ok())
                    .expect("a line has two numbers")
            };
            (stem, [count(), count()])
        });
        Background {
            frequencies: frequencies.collect(),
            skills,
        }
    }

    /// Returns the frequencies of `stem` in front matter, and in front matter and bodies.
    pub(super) fn frequencies(&self, stem: &str) -> [Frequency; 2] {
        let counts = self.frequencies.get(stem).copied().unwrap_or_default();
        counts.map(|with| Frequency {
            with: with * SKILLS / self.skills,
            all: SKILLS,
        })
    }

    /// Returns the frequency of `stem` in front matter and bodies.
    pub(super) fn all(&self, stem: &str) -> Frequency {
        let [_, all] = self.frequencies(stem);
        all
    }
}
