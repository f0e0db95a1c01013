//! The changes of skills from one turn to the next.

use std::fmt;

use repertoire_core::Skill;
use repertoire_core::text::push_markdown;
use repertoire_registry::{ChangeKind, ChangeLine, Modified, Snapshot, Summary};

use crate::permission::{Audience, VisibilityPolicy};

/// The changes for one audience from one turn to the next, as a few lines to put before the new turn.
///
/// A snapshot is the pin: take one when a turn begins and use it for all of the turn, so that a catalog, an activation
/// and a body are of one state. At the next turn, send the changes since then:
///
/// ```
/// use repertoire_core::{ListingEntry, Listing, Revision, Skill, Stamp};
/// use repertoire_engine::permission::Audience;
/// use repertoire_registry::{Layer, Origin, Snapshot, Tier, merge};
///
/// # fn views() -> Result<(Snapshot<Skill>, Snapshot<Skill>), Box<dyn std::error::Error>> {
/// # let row = |id: &str, about: &str| Ok::<_, Box<dyn std::error::Error>>(ListingEntry::new(Skill::new(id.parse()?, about), Stamp::of(about)));
/// # let view = |rows| merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, Listing::new(Revision(0), rows, []))]);
/// # Ok((view(vec![row("tidy", "Sorts.")?, row("old", "Is old.")?]), view(vec![row("tidy", "Sorts.")?, row("greet", "Greets.")?])))
/// # }
/// let (pinned, now) = views()?; // `registry.snapshot()` at the start of a turn, and of the next one
/// let news = Audience::Model.news(&pinned, &now).ok_or("nothing changed")?;
/// assert_eq!(news.at_most(20).to_string(), "+ greet\n- old");
/// assert!(Audience::Model.news(&now, &now).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Prints as a [`Summary`] does, escaped as the catalog's bullets are: no name leaves the markup around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillChanges(Summary);

impl SkillChanges {
    /// The same, of which at most `most` lines are printed, and how many more there are.
    #[must_use]
    pub fn at_most(self, most: usize) -> SkillChanges {
        SkillChanges(self.0.at_most(most))
    }

    /// All lines, by id.
    pub fn lines(&self) -> &[ChangeLine] {
        self.0.lines()
    }
}

impl fmt::Display for SkillChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        push_markdown(&self.0.to_string(), &mut text);
        f.write_str(&text)
    }
}

impl Audience {
    /// Returns the changes for this audience from `old` to `new` without an operator's policy: see [`VisibilityPolicy::news`].
    pub fn news(self, old: &Snapshot<Skill>, new: &Snapshot<Skill>) -> Option<SkillChanges> {
        VisibilityPolicy::default().news(self, old, new)
    }
}

impl VisibilityPolicy {
    /// Returns the changes for `audience` from `old` to `new`; `None` when it sees none of them.
    ///
    /// A skill that becomes hidden reads as removed, one that becomes visible as added, and one that is hidden
    /// in both is omitted. What only the operator cares about, such as another shadow, is no news.
    pub fn news(&self, audience: Audience, old: &Snapshot<Skill>, new: &Snapshot<Skill>) -> Option<SkillChanges> {
        let change = new.changes_since(old);
        let (added, removed) = (change.added.iter(), change.removed.iter());
        let added = added.filter(|entry| self.sees(audience, &entry.candidate)).map(|entry| (ChangeKind::Added, entry));
        let removed =
            removed.filter(|entry| self.sees(audience, &entry.candidate)).map(|entry| (ChangeKind::Removed, entry));
        let lines = added.chain(removed).map(|(mark, entry)| ChangeLine::new(mark, entry.id.clone()));
        let modified = change.modified.iter();
        let modified = modified
            .filter_map(|id| line(id, self.sees(audience, &id.old.candidate), self.sees(audience, &id.new.candidate)));
        let summary: Summary = lines.chain(modified).collect();
        (!summary.is_empty()).then_some(SkillChanges(summary))
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
                line.parts.iter_mut().filter(|part| **part == "metadata").for_each(|part| *part = "description");
            }
            return Some(line);
        }
    };
    Some(ChangeLine::new(mark, id.new.id.clone()))
}

#[cfg(test)]
mod tests;
