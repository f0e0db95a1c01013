//! The number of slips between two words.

/// A word whose distance to others is measured, with a bit for each place of each letter.
///
/// The distance is that of optimal string alignment: insertions, deletions, substitutions and transpositions of neighbours.
/// Hyyrö's algorithm computes a column of its matrix with a few operations on 64 bits, because a typed word is compared with
/// thousands.
pub(super) struct TypedWord {
    ascii: [u64; 128],
    others: Vec<(char, u64)>,
    /// Characters.
    length: u32,
}

impl TypedWord {
    /// Takes a word of 1 to 64 characters; `None` for others.
    pub(super) fn of(word: &str) -> Option<TypedWord> {
        let mut typed = TypedWord {
            ascii: [0; 128],
            others: Vec::new(),
            length: 0,
        };
        for c in word.chars() {
            if typed.length == u64::BITS {
                return None;
            }
            let bit = 1 << typed.length;
            typed.length += 1;
            if c.is_ascii() {
                typed.ascii[c as usize] |= bit;
            } else if let Some((_, places)) = typed.others.iter_mut().find(|(other, _)| *other == c)
            {
                *places |= bit;
            } else {
                typed.others.push((c, bit));
            }
        }
        (typed.length > 0).then_some(typed)
    }

    fn places(&self, c: char) -> u64 {
        if c.is_ascii() {
            return self.ascii[c as usize];
        }
        let found = self.others.iter().find(|(other, _)| *other == c);
        found.map_or(0, |(_, places)| *places)
    }

    /// Returns the distance to `other`.
    pub(super) fn distance(&self, other: &str) -> u32 {
        let last = 1 << (self.length - 1);
        // Where the column rises and falls, what it has of diagonals, and the places of the letter before.
        let (mut rises, mut falls, mut diagonals, mut before) = (u64::MAX, 0, 0, 0);
        let mut distance = self.length;
        for c in other.chars() {
            let places = self.places(c);
            let swapped = ((!diagonals & places) << 1) & before;
            diagonals = ((places & rises).wrapping_add(rises) ^ rises) | places | falls | swapped;
            let right = falls | !(diagonals | rises);
            let left = diagonals & rises;
            distance += u32::from(right & last != 0);
            distance -= u32::from(left & last != 0);
            let right = right << 1 | 1;
            rises = left << 1 | !(diagonals | right);
            falls = right & diagonals;
            before = places;
        }
        distance
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn distances_are_those_of_optimal_string_alignment(
            typed in "[abcé表]{1,64}",
            other in "[abcé表]{0,70}",
        ) {
            let word = TypedWord::of(&typed).expect("it has at most 64 characters");
            let expected = strsim::osa_distance(&typed, &other);
            prop_assert_eq!(word.distance(&other) as usize, expected);
        }

        #[test]
        fn near_words_have_their_distance(typed in "[ab]{1,9}", other in "[ab]{0,9}") {
            let word = TypedWord::of(&typed).expect("it has at most 64 characters");
            prop_assert_eq!(word.distance(&other) as usize, strsim::osa_distance(&typed, &other));
        }
    }

    #[test]
    fn words_of_unusual_length_have_no_distance() {
        assert!(TypedWord::of("").is_none());
        assert!(TypedWord::of(&"a".repeat(65)).is_none());
    }
}
