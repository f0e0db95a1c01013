//! The memory of an index with bodies.

use std::error::Error;
use std::fs;
use std::path::Path;

use repertoire_core::{Id, Listing, ListingEntry, Revision, Skill, Stamp};
use repertoire_registry::{Layer, Origin, Tier, merge};
use repertoire_search::{SearchIndex, SkillText};
use serde::Deserialize;

#[derive(Deserialize)]
struct Known {
    name: Id,
    description: String,
    body: String,
}

/// The bytes that an allocator adds to each allocation.
const HEADER: i64 = 8;

/// Returns the bytes that the index of the skills in `file` allocates, divided by their number.
pub(crate) fn bytes_a_skill(file: &Path) -> Result<f64, Box<dyn Error>> {
    let (mut rows, mut texts) = (Vec::new(), Vec::new());
    for line in fs::read_to_string(file)?.lines() {
        let Known {
            name,
            description,
            body,
        } = serde_json::from_str(line)?;
        let stamp = Stamp::of(&description);
        texts.push((name.clone(), SkillText::new().body(body)));
        rows.push(ListingEntry::new(Skill::new(name, description), stamp));
    }
    let listing = Listing::new(Revision(0), rows, []);
    let snapshot = merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, listing)]);
    // Tables that are read once, such as the background, are not counted.
    drop(SearchIndex::new(&snapshot));
    let mut index = None;
    let counted = allocation_counter::measure(|| {
        let front_matter = SearchIndex::new(&snapshot);
        index = Some(front_matter.with_texts(texts.iter().map(|(id, text)| (id, text))));
    });
    let bytes = counted.bytes_current + HEADER * counted.count_current;
    Ok(bytes as f64 / snapshot.len() as f64)
}
