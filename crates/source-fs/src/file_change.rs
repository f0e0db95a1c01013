//! The change of one file between two scans.

use std::cmp::Ordering;
use std::sync::Arc;

use repertoire_core::Diagnostic;

use crate::skill_file::{ListedRow, SkillFile};

/// A file that is added, removed or changed between two scans.
#[derive(Debug, Clone)]
pub(crate) struct SkillFileChange {
    pub(crate) old: Option<Arc<SkillFile>>,
    pub(crate) new: Option<Arc<SkillFile>>,
}

impl SkillFileChange {
    pub(crate) fn between<'r>(
        old: impl IntoIterator<Item = &'r Arc<SkillFile>>,
        new: Vec<Arc<SkillFile>>,
    ) -> Vec<SkillFileChange> {
        let (mut old, mut new) = (old.into_iter().peekable(), new.into_iter().peekable());
        let mut changes = Vec::new();
        loop {
            let order = match (old.peek(), new.peek()) {
                (Some(old), Some(new)) => old.order().cmp(&new.order()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return changes,
            };
            let old = if order.is_le() {
                old.next().cloned()
            } else {
                None
            };
            let new = if order.is_ge() { new.next() } else { None };
            if !matches!((&old, &new), (Some(old), Some(new)) if Arc::ptr_eq(old, new)) {
                changes.push(SkillFileChange { old, new });
            }
        }
    }

    pub(crate) fn skill_file(&self) -> &SkillFile {
        self.old
            .as_ref()
            .or(self.new.as_ref())
            .expect("a change has a file on one side at least")
    }

    pub(crate) fn moves_an_id(&self) -> bool {
        let [old, new] =
            [&self.old, &self.new].map(|file| file.as_ref().and_then(|file| file.id()));
        old != new
    }

    pub(crate) fn lists_the_same(&self) -> bool {
        match (row(&self.old), row(&self.new)) {
            (Some(old), Some(new)) => old.lists_like(new),
            (None, None) => true,
            _ => false,
        }
    }

    pub(crate) fn adds_only_information(&self) -> bool {
        match (row(&self.old), row(&self.new)) {
            (Some(old), Some(new)) => old.entry().is_same(&new.entry()),
            (None, None) => true,
            _ => false,
        }
    }

    pub(crate) fn changes_diagnostics(&self) -> bool {
        diagnostics_of(&self.old) != diagnostics_of(&self.new)
    }

    pub(crate) fn is_watched_alike(&self) -> bool {
        self.old
            .as_ref()
            .zip(self.new.as_ref())
            .is_some_and(|(old, new)| old.is_watched_like(new))
    }
}

fn diagnostics_of(skill_file: &Option<Arc<SkillFile>>) -> &[Diagnostic] {
    skill_file
        .as_ref()
        .map_or(&[], |skill_file| &skill_file.diagnostics)
}

fn row(skill_file: &Option<Arc<SkillFile>>) -> Option<&ListedRow> {
    skill_file.as_ref()?.row.as_ref()
}
