//! Items that several threads take apart.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::thread::available_parallelism;

use repertoire_registry::Entry;

use super::blocking::BlockingWork;
use super::document::{Doc, ItemTerms, Posting};
use super::item::SearchItem;
use super::lexicon::Lexicon;
use super::postings::CountedTerms;
use super::term_table::{TermId, TermTable};
use super::text::{SkillText, TextRows, TextTerms};

/// Some items of an index, taken apart with terms of their own, so that a thread needs nothing of others.
pub(super) struct TextPart {
    most: usize,
    lexicon: Lexicon,
    items: Vec<PartItem>,
    /// Those of the items, in their order.
    postings: Vec<(TermId, Posting)>,
}

struct PartItem {
    number: u32,
    postings: Range<usize>,
    text: Option<TextRows>,
}

impl TextPart {
    /// Creates a part without items, which keeps the `most` terms of each body.
    pub(super) fn new(most: usize) -> TextPart {
        TextPart {
            most,
            lexicon: Lexicon::default(),
            items: Vec::new(),
            postings: Vec::new(),
        }
    }

    /// Takes an item and its text apart.
    pub(super) fn add<T: SearchItem>(&mut self, number: u32, entry: &Entry<T>, text: &SkillText) {
        let text = TextRows::of(text, self.most, &mut self.lexicon);
        self.push(number, entry, Some(text));
    }

    /// Takes an item apart, and its text as it was kept with numbers of `table`.
    pub(super) fn add_kept<T: SearchItem>(&mut self, number: u32, doc: &Doc<T>, table: &TermTable) {
        let kept = doc.text.as_ref();
        let text = kept.map(|text| text.rows(table, &mut self.lexicon));
        self.push(number, &doc.entry, text);
    }

    fn push<T: SearchItem>(&mut self, number: u32, entry: &Entry<T>, text: Option<TextRows>) {
        let terms = ItemTerms::of(entry, text.as_ref(), &mut self.lexicon);
        let begin = self.postings.len();
        self.postings.extend(terms.postings(number));
        self.items.push(PartItem {
            number,
            postings: begin..self.postings.len(),
            text,
        });
    }

    /// Returns the numbers of the items.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.items.iter().map(|item| item.number)
    }
}

/// Parts that are taken apart at the same time.
pub(super) struct PartWorkers {
    most: usize,
    count: usize,
    /// The one that began first is in front.
    running: VecDeque<BlockingWork<TextPart>>,
}

/// An item by number, and its text.
pub(super) type NewText<T> = (u32, Arc<Entry<T>>, SkillText);

/// The most parts. Each one stems the words that it meets.
const MOST_PARTS: usize = 4;

impl PartWorkers {
    /// Creates workers without texts, which keep the `most` terms of each body.
    pub(super) fn new(most: usize) -> PartWorkers {
        PartWorkers {
            most,
            count: available_parallelism().map_or(1, |count| count.get().min(MOST_PARTS)),
            running: VecDeque::new(),
        }
    }

    /// Waits for a worker, and gives it these items. Returns `None` if the runtime shuts down.
    pub(super) async fn add<T: SearchItem>(&mut self, items: Vec<NewText<T>>) -> Option<()> {
        let mut part = match self.running.len() < self.count {
            true => TextPart::new(self.most),
            false => self.running.pop_front()?.output().await?,
        };
        self.running.push_back(BlockingWork::start(move || {
            for (number, entry, text) in &items {
                part.add(*number, entry, text);
            }
            part
        }));
        Some(())
    }

    /// Waits for all. Returns `None` if the runtime shuts down.
    pub(super) async fn finish(self) -> Option<Vec<TextPart>> {
        let mut parts = Vec::new();
        for running in self.running {
            parts.push(running.output().await?);
        }
        Some(parts)
    }
}

/// The items of several parts by rising number, with terms of one table.
pub(super) struct JoinedParts {
    parts: Vec<TextPart>,
    /// By part, then by term of the part: the number of the term, or [`UNKNOWN`].
    terms: Vec<Vec<TermId>>,
    /// The part of each item, and its place there.
    items: Vec<(usize, usize)>,
}

const UNKNOWN: TermId = TermId::MAX;

impl JoinedParts {
    /// Joins parts. Terms are numbered in the order of the items, and those that no item has are left out.
    pub(super) fn of(mut parts: Vec<TextPart>) -> (JoinedParts, CountedTerms) {
        let places = |(part, of): (usize, &TextPart)| (0..of.items.len()).map(move |at| (part, at));
        let mut items: Vec<_> = parts.iter().enumerate().flat_map(places).collect();
        items.sort_unstable_by_key(|(part, at)| parts[*part].items[*at].number);
        let unknown = |part: &TextPart| vec![UNKNOWN; part.lexicon.len()];
        let mut terms: Vec<Vec<TermId>> = parts.iter().map(unknown).collect();
        let mut counted = CountedTerms::default();
        for (part, at) in &items {
            let TextPart {
                lexicon,
                postings,
                items,
                ..
            } = &mut parts[*part];
            for (term, posting) in &mut postings[items[*at].postings.clone()] {
                let number = &mut terms[*part][*term as usize];
                if *number == UNKNOWN {
                    *number = counted.insert(lexicon.text(*term));
                }
                *term = *number;
                counted.count(*term, *posting);
            }
        }
        let joined = JoinedParts {
            parts,
            terms,
            items,
        };
        (joined, counted)
    }

    /// Returns the postings, with terms of the table.
    pub(super) fn postings(&self) -> impl Iterator<Item = (TermId, Posting)> {
        self.items.iter().flat_map(|(part, at)| {
            let part = &self.parts[*part];
            let postings = part.postings[part.items[*at].postings.clone()].iter();
            postings.copied()
        })
    }

    /// Returns the texts of the items, with terms of the table.
    pub(super) fn texts(&self) -> Vec<Option<Arc<TextTerms>>> {
        let texts = self.items.iter().map(|(part, at)| {
            let terms = &self.terms[*part];
            let text = self.parts[*part].items[*at].text.as_ref()?;
            let rows = text.rows.iter();
            let text = TextRows {
                rows: rows
                    .map(|(term, count)| (terms[*term as usize], *count))
                    .collect(),
                length: text.length,
                examples: text.examples,
            };
            Some(Arc::new(TextTerms::of_numbers(text)))
        });
        texts.collect()
    }
}
