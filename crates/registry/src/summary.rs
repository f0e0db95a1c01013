//! A change in a few lines.

use std::fmt;

use repertoire_core::{Id, Item};
use serde::Serialize;

use crate::{Change, Modified, Standing};

/// What changed in a few lines, one an id: `+ added`, `~ changed (body)`, `- removed`.
///
/// Prints sorted by id, without a line break at the end. Ids hold no control character and nothing invisible; whoever
/// puts the text inside markup escapes it as any other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    lines: Vec<SummaryLine>,
    most: usize,
}

/// One line of a [`Summary`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct SummaryLine {
    /// The id.
    pub id: Id,
    /// What happened to it.
    pub mark: Mark,
    /// Which parts changed, in a word each; empty unless it changed.
    pub parts: Vec<&'static str>,
}

/// What happened to an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// It is new.
    Added,
    /// It is not as it was.
    Changed,
    /// It is gone.
    Removed,
}

impl SummaryLine {
    /// A line.
    pub fn new(mark: Mark, id: Id) -> SummaryLine {
        SummaryLine { id, mark, parts: Vec::new() }
    }

    /// A line about an id whose content changed as `id` says; `None` when only its shadows or its rights did.
    pub fn of_content<T: Item>(id: &Modified<T>) -> Option<SummaryLine> {
        let moved = id.moved();
        let parts = [(moved.metadata, "metadata"), (moved.body, "body"), (moved.resources, "resources")];
        let parts: Vec<_> = parts.into_iter().filter_map(|(moved, part)| moved.then_some(part)).collect();
        let line = || SummaryLine { parts, ..SummaryLine::new(Mark::Changed, id.new.id.clone()) };
        moved.is_any().then(line)
    }
}

impl Summary {
    /// The same summary, of which at most `most` lines are printed, and how many more there are.
    #[must_use]
    pub fn at_most(self, most: usize) -> Summary {
        Summary { most, ..self }
    }

    /// All lines, by id.
    pub fn lines(&self) -> &[SummaryLine] {
        &self.lines
    }

    /// Whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

impl FromIterator<SummaryLine> for Summary {
    fn from_iter<I: IntoIterator<Item = SummaryLine>>(lines: I) -> Summary {
        let mut lines: Vec<_> = lines.into_iter().collect();
        lines.sort();
        Summary { lines, most: usize::MAX }
    }
}

impl<T: Item> Change<T> {
    /// What changed in a few lines, for people. Findings are not among them.
    pub fn summary(&self) -> Summary {
        let plain = |mark, entry: &crate::Entry<T>| SummaryLine::new(mark, entry.id.clone());
        let added = self.added.iter().map(|entry| plain(Mark::Added, entry));
        let removed = self.removed.iter().map(|entry| plain(Mark::Removed, entry));
        added.chain(removed).chain(self.modified.iter().map(of_everything)).collect()
    }
}

/// A line about an id, whatever changed about it.
fn of_everything<T: Item>(id: &Modified<T>) -> SummaryLine {
    let mut line = SummaryLine::of_content(id).unwrap_or_else(|| SummaryLine::new(Mark::Changed, id.new.id.clone()));
    let (old, new) = (&id.old.claim, &id.new.claim);
    if old.origin != new.origin {
        line.parts.insert(0, "source");
    }
    if old.trust != new.trust {
        line.parts.push("trust");
    }
    if old.standing != new.standing && (old.standing.max(new.standing) == Standing::Disabled) {
        line.parts.push(if new.standing == Standing::Disabled { "disabled" } else { "enabled" });
    }
    if line.parts.is_empty() {
        line.parts.push("shadows");
    }
    line
}

impl fmt::Display for SummaryLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.mark, self.id)?;
        if self.parts.is_empty() { Ok(()) } else { write!(f, " ({})", self.parts.join(", ")) }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Mark::Added => "+",
            Mark::Changed => "~",
            Mark::Removed => "-",
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
            more => write!(f, "{}and {more} more", if self.most == 0 { "" } else { "\n" }),
        }
    }
}
