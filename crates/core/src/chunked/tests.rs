use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

type Edit = (prop::sample::Index, prop::sample::Index, Vec<u32>);

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    prop::collection::vec(
        (
            any::<prop::sample::Index>(),
            any::<prop::sample::Index>(),
            prop::collection::vec(any::<u32>(), 0..600),
        ),
        0..12,
    )
}

#[derive(Debug, Clone, PartialEq)]
struct Word(String, u32);

impl Keyed for Word {
    fn key(&self) -> &str {
        &self.0
    }
}

proptest! {
    #[test]
    fn a_chunked_vec_is_a_vec(len in 0_usize..2000, edits in edits()) {
        let mut plain: Vec<u32> = (0..len as u32).collect();
        let mut chunked: ChunkedVec<u32> = plain.iter().copied().collect();
        for (one, other, items) in edits {
            let (one, other) = (one.index(plain.len() + 1), other.index(plain.len() + 1));
            let range = one.min(other)..one.max(other);
            let old = chunked.clone();
            let before = plain.clone();
            plain.splice(range.clone(), items.clone());
            chunked.splice(range, items);
            prop_assert_eq!(chunked.len(), plain.len());
            prop_assert_eq!(chunked.iter().copied().collect::<Vec<_>>(), plain.clone());
            prop_assert_eq!(old.iter().copied().collect::<Vec<_>>(), before.clone());
            prop_assert!(chunked.chunks().all(|chunk| !chunk.is_empty() && chunk.len() <= 2 * CHUNK));
            prop_assert_eq!(chunked.get(one), plain.get(one));
            prop_assert_eq!(chunked.iter_from(one.min(plain.len())).count(), plain.len() - one.min(plain.len()));

            // What is not in a gap is equal.
            let mut rebuilt = before;
            for (here, there) in old.unshared(&chunked).into_iter().rev() {
                rebuilt.splice(here, plain[there].iter().copied());
            }
            prop_assert_eq!(rebuilt, plain.clone());
        }
    }

    #[test]
    fn partition_point_finds_the_place(mut items in prop::collection::vec(any::<u16>(), 0..1500), bound in any::<u16>()) {
        items.sort_unstable();
        let chunked: ChunkedVec<u16> = items.iter().copied().collect();
        prop_assert_eq!(chunked.partition_point(|item| *item < bound), items.partition_point(|item| *item < bound));
    }

    #[test]
    fn a_chunked_map_is_a_map(steps in prop::collection::vec((0_u16..400, any::<u32>(), any::<bool>()), 0..1500)) {
        let (mut plain, mut chunked) = (BTreeMap::new(), ChunkedMap::<Word>::default());
        let mut copies = Vec::new();
        for (number, (key, value, is_removed)) in steps.into_iter().enumerate() {
            let word = Word(format!("{key}"), value);
            if number % 300 == 0 {
                copies.push((plain.clone(), chunked.clone()));
            }
            if is_removed {
                prop_assert_eq!(chunked.remove(word.key()), plain.remove(word.key()));
            } else {
                prop_assert_eq!(chunked.insert(word.clone()), plain.insert(word.0.clone(), word));
            }
        }
        copies.push((plain, chunked.clone()));
        for (plain, copy) in copies {
            prop_assert_eq!(copy.len(), plain.len());
            for (key, word) in &plain {
                prop_assert_eq!(copy.get(key), Some(word));
            }
            let shared = copy.iter().filter(|word| chunked.get(word.key()) == Some(word)).count();
            let unshared: Vec<_> = copy.unshared(&chunked).collect();
            prop_assert!(unshared.len() + shared >= copy.len(), "what is shared is equal");
        }
    }
}

#[test]
fn one_change_copies_one_chunk() {
    let old: ChunkedVec<u32> = (0..10_000).collect();
    let mut new = old.clone();
    assert!(new.ptr_eq(&old));
    *new.get_mut(5_000).unwrap() = 0;
    assert_eq!(old.unshared(&new), [(4864..5120, 4864..5120)]);

    let old: ChunkedMap<Word> = (0..10_000).map(|n| Word(n.to_string(), n)).collect();
    let mut new = old.clone();
    new.get_mut("5000").unwrap().1 = 0;
    assert!(old.unshared(&new).count() < 2 * SHARD);
}
