//! Labels of items that a query may require.

use repertoire_core::FunctionalTier;

use super::item::SearchTexts;
use super::lexicon::Lexicon;
use super::term_table::TermId;

/// A kind of label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Facet {
    Tag,
    Category,
    Tool,
    FunctionalTier,
}

impl Facet {
    /// Returns the term of a facet.
    pub(super) fn term(self, text: &str) -> String {
        format!("{}{}", self.mark(), text.trim().to_lowercase())
    }

    /// Returns a control character, because no word begins with one.
    fn mark(self) -> char {
        match self {
            Facet::Tag => '\u{1}',
            Facet::Category => '\u{2}',
            Facet::Tool => '\u{3}',
            Facet::FunctionalTier => '\u{4}',
        }
    }
}

/// Returns the terms of the labels of an item.
pub(super) fn facets(texts: &SearchTexts<'_>, lexicon: &mut Lexicon) -> Vec<TermId> {
    let functional = texts.functional_tier.as_ref().map(FunctionalTier::as_str);
    let facets = [
        (Facet::Tag, texts.tags.as_slice()),
        (Facet::Category, &texts.categories),
        (Facet::Tool, &texts.tools),
        (Facet::FunctionalTier, functional.as_slice()),
    ];
    let mut terms = Vec::new();
    for (facet, texts) in facets {
        for text in texts {
            let text = text.trim();
            terms.push(
                match text
                    .bytes()
                    .any(|byte| !byte.is_ascii() || byte.is_ascii_uppercase())
                {
                    true => lexicon.marked_term(facet.mark(), &text.to_lowercase()),
                    false => lexicon.marked_term(facet.mark(), text),
                },
            );
        }
    }
    terms.sort_unstable();
    terms.dedup();
    terms
}
