//! Summaries of changes.

use std::fmt;

use repertoire_core::{Id, Item};
use serde::Serialize;

use crate::entry::has_same_shadows;
use crate::{Change, Modified, Status};

/// A summary of a change with one line for each id: `+ added`, `~ changed (body)`, `- removed`.
///
/// Prints sorted by id, without a line break at the end. Ids have no control characters and no invisible characters. A caller
/// that puts the text into markup must escape it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    lines: Vec<ChangeLine>,
    most: usize,
}

/// One line of a [`Summary`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct ChangeLine {
    /// The id.
    pub id: Id,
    /// The kind of change.
    pub mark: ChangeKind,
    /// The parts that changed, in a word each. Empty unless the id changed.
    pub parts: Vec<&'static str>,
}

/// The kind of change of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It changed.
    Changed,
    /// It is gone.
    Removed,
}

impl ChangeLine {
    /// Creates a line.
    #[doc(hidden)]
    pub fn new(mark: ChangeKind, id: Id) -> ChangeLine {
        ChangeLine {
            id,
            mark,
            parts: Vec::new(),
        }
    }

    /// Returns the line of an id with changed content. `None` if only its shadows or its rights changed.
    #[doc(hidden)]
    pub fn of_content<T: Item>(id: &Modified<T>) -> Option<ChangeLine> {
        let changed = id.changed_parts();
        let parts = [
            (changed.metadata, "metadata"),
            (changed.body, "body"),
            (changed.resources, "resources"),
        ];
        let parts: Vec<_> = parts
            .into_iter()
            .filter_map(|(is_changed, part)| is_changed.then_some(part))
            .collect();
        changed.is_any().then(|| ChangeLine {
            parts,
            ..ChangeLine::new(ChangeKind::Changed, id.new.id.clone())
        })
    }
}

impl Summary {
    /// Limits the printed lines to `most`, followed by the number of the others.
    #[must_use]
    pub fn at_most(self, most: usize) -> Summary {
        Summary { most, ..self }
    }

    /// Returns all lines by id.
    pub fn lines(&self) -> &[ChangeLine] {
        &self.lines
    }

    /// Returns whether there are no lines.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

impl FromIterator<ChangeLine> for Summary {
    fn from_iter<I: IntoIterator<Item = ChangeLine>>(lines: I) -> Summary {
        let mut lines: Vec<_> = lines.into_iter().collect();
        lines.sort();
        Summary {
            lines,
            most: usize::MAX,
        }
    }
}

impl<T: Item> Change<T> {
    /// Returns a summary for people. Diagnostics are not part of it.
    pub fn summary(&self) -> Summary {
        let added = self
            .added
            .iter()
            .map(|entry| ChangeLine::new(ChangeKind::Added, entry.id.clone()));
        let removed = self
            .removed
            .iter()
            .map(|entry| ChangeLine::new(ChangeKind::Removed, entry.id.clone()));
        added
            .chain(removed)
            .chain(self.modified.iter().map(of_everything))
            .collect()
    }
}

fn of_everything<T: Item>(id: &Modified<T>) -> ChangeLine {
    let mut line = ChangeLine::of_content(id)
        .unwrap_or_else(|| ChangeLine::new(ChangeKind::Changed, id.new.id.clone()));
    let (old, new) = (&id.old.candidate, &id.new.candidate);
    if old.origin != new.origin {
        line.parts.insert(0, "source");
    }
    if old.trust != new.trust {
        line.parts.push("trust");
    }
    if old.status != new.status && (old.status.max(new.status) == Status::Disabled) {
        line.parts.push(if new.status == Status::Disabled {
            "disabled"
        } else {
            "enabled"
        });
    }
    if line.parts.is_empty() && !has_same_shadows(&id.old, &id.new) {
        line.parts.push("shadows");
    }
    if line.parts.is_empty() && id.old.passed() != id.new.passed() {
        line.parts.push("preference");
    }
    line
}

impl fmt::Display for ChangeLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.mark, self.id)?;
        if self.parts.is_empty() {
            Ok(())
        } else {
            write!(f, " ({})", self.parts.join(", "))
        }
    }
}

impl fmt::Display for ChangeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            ChangeKind::Added => "+",
            ChangeKind::Changed => "~",
            ChangeKind::Removed => "-",
        })
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, line) in self.lines.iter().take(self.most).enumerate() {
            write!(f, "{}{line}", if at == 0 { "" } else { "\n" })?;
        }
        match self.lines.len().saturating_sub(self.most) {
            0 => Ok(()),
            more => write!(
                f,
                "{}and {more} more",
                if self.most == 0 { "" } else { "\n" }
            ),
        }
    }
}
