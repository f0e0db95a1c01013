//! The lengths of the lists of each term.

use super::term_table::TermId;
use super::text::{push_number, take_number};

/// The numbers of the postings in the three lists of each term, in about a byte because most terms have few, in one list.
#[derive(Debug, Default)]
pub(super) struct ListLengths {
    /// By term: the length of the last list if it is the only one, and below [`MORE`]; else that byte and three lengths in LEB128.
    bytes: Vec<u8>,
    /// Of each [`STEP`]th term: the place of its lengths, and the number of the postings before it.
    begins: Vec<[u32; 2]>,
}

const STEP: usize = 16;

const MORE: u8 = u8::MAX;

impl ListLengths {
    pub(super) fn of(lengths: &[[u32; 3]]) -> ListLengths {
        let mut bytes = Vec::with_capacity(lengths.len() + lengths.len() / 4);
        let mut begins = Vec::with_capacity(lengths.len().div_ceil(STEP));
        let mut before = 0;
        for (term, lists) in lengths.iter().enumerate() {
            if term.is_multiple_of(STEP) {
                let place = u32::try_from(bytes.len());
                begins.push([
                    place.expect("an index has less than 4 GB of lengths"),
                    before,
                ]);
            }
            before += lists.iter().sum::<u32>();
            match *lists {
                [0, 0, texts] if texts < u32::from(MORE) => bytes.push(texts as u8),
                _ => {
                    bytes.push(MORE);
                    for length in lists {
                        push_number(u64::from(*length), &mut bytes);
                    }
                }
            }
        }
        bytes.shrink_to_fit();
        ListLengths { bytes, begins }
    }

    /// Returns the number of the postings before those of `term`, and the lengths of its lists.
    pub(super) fn of_term(&self, term: TermId) -> (u32, [u32; 3]) {
        let term = term as usize;
        let [place, mut before] = self.begins[term / STEP];
        let mut rest = self.bytes[place as usize..].iter().copied();
        for _ in 0..term % STEP {
            before += lists(&mut rest).iter().sum::<u32>();
        }
        (before, lists(&mut rest))
    }
}

fn lists(bytes: &mut impl Iterator<Item = u8>) -> [u32; 3] {
    match bytes.next().expect("each term has lengths") {
        MORE => std::array::from_fn(|_| take_number(bytes).expect("three lengths follow") as u32),
        texts => [0, 0, u32::from(texts)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_each_term_are_found() {
        let lengths: Vec<[u32; 3]> = (0..700)
            .map(|n| [n % 3 / 2 * n, n % 5 / 4 * 1000, n])
            .collect();
        let kept = ListLengths::of(&lengths);
        let mut before = 0;
        for (term, lists) in (0..).zip(&lengths) {
            assert_eq!(kept.of_term(term), (before, *lists), "term {term}");
            before += lists.iter().sum::<u32>();
        }
    }
}
