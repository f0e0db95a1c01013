//! Rows of lists as JSON text.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use repertoire::Skill;
use repertoire::registry::Candidate;
use repertoire::skill::skill_uri::SkillRoot;

use crate::served_view::{ServedSkill, ServedView, SkillPrompt, root_of};

/// The JSON text of each row of a list that was sent. A row is written again after its item changed.
#[derive(Debug)]
pub(crate) struct RowTexts<T>(Mutex<HashMap<SkillRoot, RowText<T>>>);

#[derive(Debug)]
struct RowText<T> {
    item: T,
    /// The reason in the row why tools of the skill are missing or denied.
    not_ready: Option<Arc<str>>,
    text: Arc<str>,
}

/// An item of a view with a row in a list.
pub(crate) trait ListedItem: Clone {
    /// Returns the candidate that the row describes.
    fn candidate(&self) -> &Candidate<Skill>;

    /// Returns whether both have the same row, if the same tools are missing.
    fn has_row_of(&self, other: &Self) -> bool;
}

impl<T: ListedItem> RowTexts<T> {
    /// Returns the text of the row of each item. `write` returns the text of a row.
    pub(crate) fn of(
        &self,
        view: &ServedView,
        items: &[T],
        write: impl Fn(&T) -> String,
    ) -> Vec<Arc<str>> {
        let mut rows = self.0.lock();
        let texts = items.iter().map(|item| {
            let (root, not_ready) = (root_of(item.candidate()), view.not_ready(item.candidate()));
            if let Some(row) = rows.get(&root)
                && row.item.has_row_of(item)
                && row.not_ready.as_ref() == not_ready
            {
                return Arc::clone(&row.text);
            }
            let row = RowText {
                item: item.clone(),
                not_ready: not_ready.cloned(),
                text: write(item).into(),
            };
            let text = Arc::clone(&row.text);
            rows.insert(root, row);
            text
        });
        texts.collect()
    }

    pub(crate) fn forget(&self, roots: &[SkillRoot]) {
        let mut rows = self.0.lock();
        roots.iter().for_each(|root| drop(rows.remove(root)));
    }
}

impl<T> Default for RowTexts<T> {
    fn default() -> RowTexts<T> {
        RowTexts(Mutex::default())
    }
}

impl ListedItem for ServedSkill {
    fn candidate(&self) -> &Candidate<Skill> {
        self.candidate()
    }

    fn has_row_of(&self, other: &ServedSkill) -> bool {
        self.is(other)
    }
}

impl ListedItem for SkillPrompt {
    fn candidate(&self) -> &Candidate<Skill> {
        self.candidate()
    }

    fn has_row_of(&self, other: &SkillPrompt) -> bool {
        self.is(other)
    }
}
