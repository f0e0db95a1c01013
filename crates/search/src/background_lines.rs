//! The lines of `background.tsv`, counted in public skills.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use repertoire_core::Skill;
use repertoire_registry::Entry;

use super::document::ItemTerms;
use super::lexicon::Lexicon;
use super::text::{SkillText, TextRows};

/// Fewer skills with a stem than these are not worth a line.
const LEAST_ANYWHERE: u32 = 25;
const LEAST_IN_FRONT_MATTER: u32 = 6;

/// Counts the stems of skills, each with its body, as lines of `background.tsv`. For the task that writes this file.
#[doc(hidden)]
pub fn background_of(skills: &[(Arc<Entry<Skill>>, Arc<str>)]) -> String {
    let mut lexicon = Lexicon::default();
    let mut counts: BTreeMap<String, [u32; 2]> = BTreeMap::new();
    for (entry, body) in skills {
        let text = SkillText::new().body(body.clone());
        let text = TextRows::of(&text, usize::MAX, &mut lexicon);
        let front_matter = ItemTerms::of(entry, None, &mut lexicon);
        for term in front_matter.words(&lexicon) {
            counts.entry(term.to_owned()).or_default()[0] += 1;
        }
        let everything = ItemTerms::of(entry, Some(&text), &mut lexicon);
        for term in everything.words(&lexicon) {
            counts.entry(term.to_owned()).or_default()[1] += 1;
        }
    }
    counts.retain(|_, [front_matter, all]| {
        *front_matter >= LEAST_IN_FRONT_MATTER || *all >= LEAST_ANYWHERE
    });
    let mut lines = format!("{}\n", skills.len());
    for (stem, [front_matter, all]) in counts {
        writeln!(lines, "{stem}\t{front_matter}\t{all}").expect("a string takes all");
    }
    lines
}
