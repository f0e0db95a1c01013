//! One step from the records of a scan to those of the next.

use std::cmp::Ordering;
use std::sync::Arc;

use repertoire_core::{Diagnostic, Id, Listed, Skill};

use crate::record::Record;

/// One record that comes, goes, or is replaced by another of the same file.
#[derive(Debug, Clone)]
pub(crate) struct Edit {
    pub(crate) old: Option<Arc<Record>>,
    pub(crate) new: Option<Arc<Record>>,
}

impl Edit {
    /// What turns `old` into `new`, both in order; records that are in both are left out.
    pub(crate) fn between<'r>(old: impl IntoIterator<Item = &'r Arc<Record>>, new: Vec<Arc<Record>>) -> Vec<Edit> {
        let (mut old, mut new) = (old.into_iter().peekable(), new.into_iter().peekable());
        let mut edits = Vec::new();
        loop {
            let order = match (old.peek(), new.peek()) {
                (Some(old), Some(new)) => old.order().cmp(&new.order()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return edits,
            };
            let old = if order.is_le() { old.next().cloned() } else { None };
            let new = if order.is_ge() { new.next() } else { None };
            if !matches!((&old, &new), (Some(old), Some(new)) if Arc::ptr_eq(old, new)) {
                edits.push(Edit { old, new });
            }
        }
    }

    /// The record before or after, which tells what file this is about.
    pub(crate) fn record(&self) -> &Record {
        self.old.as_ref().or(self.new.as_ref()).expect("an edit has a record at least on one side")
    }

    /// The ids before and after.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &Id> {
        id(&self.old).into_iter().chain(id(&self.new))
    }

    /// Whether an id comes or goes.
    pub(crate) fn moves_an_id(&self) -> bool {
        id(&self.old) != id(&self.new)
    }

    /// What it comes to where records are found by their ids, and have one.
    pub(crate) fn by_id(&self) -> Vec<Edit> {
        if !self.moves_an_id() {
            return if id(&self.old).is_some() { vec![self.clone()] } else { Vec::new() };
        }
        let with_id = |record: &Option<Arc<Record>>| record.clone().filter(|record| record.row.is_some());
        let goes = with_id(&self.old).map(|old| Edit { old: Some(old), new: None });
        let comes = with_id(&self.new).map(|new| Edit { old: None, new: Some(new) });
        goes.into_iter().chain(comes).collect()
    }

    /// Whether the row stays as it is.
    pub(crate) fn lists_the_same(&self) -> bool {
        row(&self.old) == row(&self.new)
    }

    /// Whether all that changes in the row, if anything, is that more of its content is known.
    pub(crate) fn only_tells_more(&self) -> bool {
        match (row(&self.old), row(&self.new)) {
            (Some(old), Some(new)) => old.is_same(new),
            (None, None) => true,
            _ => false,
        }
    }

    /// Whether there is something else to say.
    pub(crate) fn changes_diagnostics(&self) -> bool {
        said(&self.old) != said(&self.new)
    }

    /// Whether the same folders and links are to be watched.
    pub(crate) fn is_watched_alike(&self) -> bool {
        self.old.as_ref().zip(self.new.as_ref()).is_some_and(|(old, new)| old.is_watched_like(new))
    }
}

fn said(record: &Option<Arc<Record>>) -> &[Diagnostic] {
    record.as_ref().map_or(&[], |record| &record.diagnostics)
}

fn row(record: &Option<Arc<Record>>) -> Option<&Listed<Skill>> {
    record.as_ref()?.row.as_ref().map(|row| &row.listed)
}

fn id(record: &Option<Arc<Record>>) -> Option<&Id> {
    record.as_ref()?.id()
}
