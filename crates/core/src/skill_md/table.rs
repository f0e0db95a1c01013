//! The top-level fields of a front matter, and where they stand.

use std::ops::Range;
use std::sync::Arc;

use crate::Value;
use crate::declared::{LIMITING, stricter};

#[derive(Debug, Default, PartialEq)]
pub(super) struct FieldTable {
    pub(super) fields: Vec<(Arc<str>, Value)>,
    pub(super) marks: Vec<Mark>,
    pub(super) duplicates: Vec<Duplicate>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mark {
    pub(super) key: usize,
    /// The value as written; empty for a value that is not.
    pub(super) value: Range<usize>,
    /// `true` if the value is a text without quotes, which a comment may cut.
    pub(super) plain: bool,
    /// A tag or an anchor ahead of a text without quotes, which looks like the first word of that text.
    pub(super) property: Option<Range<usize>>,
}

impl Mark {
    pub(super) fn new(key: usize, value: Range<usize>, plain: bool) -> Mark {
        Mark {
            key,
            value,
            plain,
            property: None,
        }
    }

    pub(super) fn moved(self, offset: usize) -> Mark {
        let value = shifted(self.value, offset);
        Mark {
            key: self.key + offset,
            value,
            property: self.property.map(|range| shifted(range, offset)),
            ..self
        }
    }
}

/// A key written again: where it stood first, and where its last value stands.
#[derive(Debug, PartialEq)]
pub(super) struct Duplicate {
    pub(super) key: Arc<str>,
    pub(super) first: usize,
    pub(super) again: usize,
}

fn shifted(range: Range<usize>, offset: usize) -> Range<usize> {
    range.start + offset..range.end + offset
}

impl FieldTable {
    pub(super) fn with_room() -> FieldTable {
        FieldTable {
            fields: Vec::with_capacity(8),
            marks: Vec::with_capacity(8),
            duplicates: Vec::new(),
        }
    }

    /// Adds a field. A key written again keeps its place and takes the later value, a limiting one the stricter.
    pub(super) fn insert(&mut self, key: Arc<str>, value: Value, mark: Mark) {
        match self.position(&key) {
            None => {
                self.fields.push((key, value));
                self.marks.push(mark);
            }
            Some(index) => {
                let (_, first) = &mut self.fields[index];
                let is_limit = LIMITING.contains(&key.as_ref());
                let value = if is_limit {
                    stricter(&key, first, &value)
                } else {
                    value
                };
                self.duplicates.push(Duplicate {
                    key,
                    first: self.marks[index].key,
                    again: mark.key,
                });
                // The mark goes with the value that it is of.
                if *first != value || !is_limit {
                    self.marks[index] = mark;
                }
                *first = value;
            }
        }
    }

    pub(super) fn moved(mut self, offset: usize) -> FieldTable {
        self.marks = self
            .marks
            .into_iter()
            .map(|mark| mark.moved(offset))
            .collect();
        for duplicate in &mut self.duplicates {
            duplicate.first += offset;
            duplicate.again += offset;
        }
        self
    }

    pub(super) fn written(&self) -> usize {
        self.fields.len() + self.duplicates.len()
    }

    pub(super) fn get(&self, key: &str) -> Option<(&Value, &Mark)> {
        self.position(key)
            .map(|index| (&self.fields[index].1, &self.marks[index]))
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.fields
            .iter()
            .position(|(name, _)| name.as_ref() == key)
    }
}
