//! The changes of skills from one turn to the next.

use std::sync::Arc;

use repertoire_core::Skill;
use repertoire_core::text::push_markdown;
use repertoire_registry::{ChangeKind, ChangeLine, Entry, Modified, Snapshot, Summary};

use crate::{Audience, VisibilityPolicy};

impl VisibilityPolicy {
    /// Returns the changes for `audience` from `old` to `new`, as at most `most` lines to put before the next turn and the number
    /// of omitted ones; `None` without a change.
    ///
    /// A skill that becomes hidden counts as removed, and one that becomes visible as added. A change that only concerns the
    /// operator, such as a different shadow, is omitted. Names are escaped as in a catalog of bullets.
    ///
    /// Take a snapshot when a turn begins and use it for the whole turn. Send the changes at the next one:
    ///
    /// ```
    /// use repertoire_core::{ListingEntry, Listing, Revision, Skill, Stamp};
    /// use repertoire_permission::{Audience, VisibilityPolicy};
    /// use repertoire_registry::{Layer, Origin, Snapshot, Tier, merge};
    ///
    /// # fn views() -> Result<(Snapshot<Skill>, Snapshot<Skill>), Box<dyn std::error::Error>> {
    /// # let row = |id: &str, about: &str| Ok::<_, Box<dyn std::error::Error>>(ListingEntry::new(Skill::new(id.parse()?, about), Stamp::of(about)));
    /// # let view = |rows| merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, Listing::new(Revision(0), rows, []))]);
    /// # Ok((view(vec![row("tidy", "Sorts.")?, row("old", "Is old.")?]), view(vec![row("tidy", "Sorts.")?, row("greet", "Greets.")?])))
    /// # }
    /// let (pinned, now) = views()?; // `registry.snapshot()` at the start of a turn, and of the next one
    /// let policy = VisibilityPolicy::default();
    /// assert_eq!(policy.changes(Audience::Model, &pinned, &now, 20).as_deref(), Some("+ greet\n- old"));
    /// assert_eq!(policy.changes(Audience::Model, &now, &now, 20), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn changes(
        &self,
        audience: Audience,
        old: &Snapshot<Skill>,
        new: &Snapshot<Skill>,
        most: usize,
    ) -> Option<String> {
        let change = new.changes_since(old);
        let is_seen = |entry: &&Arc<Entry<Skill>>| self.sees(audience, &entry.candidate);
        let added = change
            .added
            .iter()
            .filter(is_seen)
            .map(|entry| (ChangeKind::Added, entry));
        let removed = change
            .removed
            .iter()
            .filter(is_seen)
            .map(|entry| (ChangeKind::Removed, entry));
        let lines = added
            .chain(removed)
            .map(|(kind, entry)| ChangeLine::new(kind, entry.id.clone()));
        let modified = change.modified.iter().filter_map(|id| {
            line(
                id,
                self.sees(audience, &id.old.candidate),
                self.sees(audience, &id.new.candidate),
            )
        });
        let summary: Summary = lines.chain(modified).collect();
        let mut text = String::new();
        push_markdown(&summary.at_most(most).to_string(), &mut text);
        (!text.is_empty()).then_some(text)
    }
}

fn line(id: &Modified<Skill>, before: bool, now: bool) -> Option<ChangeLine> {
    let mark = match (before, now) {
        (false, false) => return None,
        (false, true) => ChangeKind::Added,
        (true, false) => ChangeKind::Removed,
        (true, true) => {
            let mut line = ChangeLine::of_content(id)?;
            if id.old.item().description != id.new.item().description {
                line.parts
                    .iter_mut()
                    .filter(|part| **part == "metadata")
                    .for_each(|part| *part = "description");
            }
            return Some(line);
        }
    };
    Some(ChangeLine::new(mark, id.new.id.clone()))
}

#[cfg(test)]
mod tests;
