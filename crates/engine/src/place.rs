//! The default order of skills.

use repertoire_core::Skill;
use repertoire_registry::{Entry, Tier};

/// Where a skill stands by default: by tier, then by the bytes of its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place<'a> {
    tier: Tier,
    /// The first bytes of the id: order most skills without a look at it.
    beginning: u64,
    id: &'a str,
}

impl<'a> Place<'a> {
    pub(crate) fn of(entry: &'a Entry<Skill>) -> Place<'a> {
        let id = entry.id.as_str();
        Place { tier: entry.origin().tier, beginning: beginning(id), id }
    }
}

/// The first eight bytes of `id`, which compare as they do.
pub(crate) fn beginning(id: &str) -> u64 {
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(id.bytes()).for_each(|(to, from)| *to = from);
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_compare_as_the_whole_does() {
        let ids = ["", "a", "a-long-one", "a-long-two", "ab", "b", "é"];
        assert!(ids.is_sorted() && ids.is_sorted_by_key(|id| beginning(id)));
    }
}
