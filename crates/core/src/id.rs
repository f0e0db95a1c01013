//! A name, validated once.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::NameFault;
use crate::text;

/// The identity of an item inside its source.
///
/// An id is the name as written, trimmed and in Unicode NFKC. It is refused only where it could be
/// mistaken for a path, repaint a terminal, or not be read off a screen; everything else that the Agent Skills standard forbids
/// (rules S-10 to S-12) is reported by [`faults`](Id::faults) and keeps its name: `Workspace Guide`,
/// `report.weekly` and `kit:slides` stay themselves. Cheap to clone.
///
/// ```
/// use repertoire_core::Id;
///
/// let id: Id = "release-notes".parse()?;
/// assert!(id.faults().is_empty());
/// assert!("../etc".parse::<Id>().is_err());
/// # Ok::<(), repertoire_core::InvalidId>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("minLength" = 1)))]
#[serde(try_from = "String", into = "String")]
pub struct Id(Arc<str>);

/// The error returned for a text that cannot be an [`Id`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidId {
    /// Nothing but blanks.
    #[error("a name must not be blank")]
    Blank,
    /// `/` or `\`, which could be read as a path.
    #[error("name `{name}` holds `{found}`; a name is not a path")]
    Separator {
        /// The refused name, control characters escaped.
        name: String,
        /// The separator found.
        found: char,
    },
    /// A control character, a line break, a direction mark or [hidden text](crate::text), or nothing that has a shape.
    #[error("name `{name}` holds an invisible character")]
    Invisible {
        /// The refused name, such characters escaped.
        name: String,
    },
    /// `..`, which could climb out of a folder.
    #[error("name `{name}` holds `..`; a name is not a path")]
    DotDot {
        /// The refused name.
        name: String,
    },
}

impl Id {
    /// The one door: trims, normalises to NFKC, and refuses what could be taken for a path.
    ///
    /// # Errors
    /// [`InvalidId`] for a blank name and for `/`, `\`, `..` or an invisible character in it.
    pub fn new(written: &str) -> Result<Id, InvalidId> {
        checked(written).map(|name| Id(name.into()))
    }

    pub(crate) fn shared(written: &Arc<str>) -> Result<Id, InvalidId> {
        Ok(match checked(written)? {
            Cow::Borrowed(name) if name.len() == written.len() => Id(written.clone()),
            name => Id(name.into()),
        })
    }

    /// The id of `id` under the namespace `source`: `source:id`.
    pub fn qualified(source: &str, id: &Id) -> Id {
        Id(format!("{source}:{id}").into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Every rule of the standard that this name breaks, in the reference validator's order.
    pub fn faults(&self) -> Vec<NameFault> {
        NameFault::all_in(&self.0)
    }
}

fn checked(written: &str) -> Result<Cow<'_, str>, InvalidId> {
    let name = written.trim();
    // NFKC leaves ASCII as it is.
    let name: Cow<'_, str> = if name.is_ascii() {
        name.into()
    } else {
        // Blanks may come out of it: a lone macron is a blank and a mark.
        name.nfkc().collect::<String>().trim().to_owned().into()
    };
    let shown = || text::spelled_out(&name).into_owned();
    if name.is_empty() {
        return Err(InvalidId::Blank);
    }
    if let Some(found) = name.chars().find(|c| matches!(c, '/' | '\\')) {
        return Err(InvalidId::Separator { name: shown(), found });
    }
    if !is_seen(&name) {
        return Err(InvalidId::Invisible { name: shown() });
    }
    // A lone `.` names a folder, as `..` does.
    if name.contains("..") || name == "." {
        return Err(InvalidId::DotDot { name: shown() });
    }
    Ok(name)
}

/// Returns whether nothing of a name is lost where it is shown: what people and models read there must lead back to the
/// skill.
fn is_seen(name: &str) -> bool {
    // Direction marks are honest in texts; in a name they are what nobody types.
    text::is_clean(name)
        && !name
            .chars()
            .any(|c: char| c.is_control() || text::is_break(c) || matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}'))
        && !text::shows_nothing(name)
}

impl FromStr for Id {
    type Err = InvalidId;

    fn from_str(written: &str) -> Result<Id, InvalidId> {
        Id::new(written)
    }
}

impl TryFrom<String> for Id {
    type Error = InvalidId;

    fn try_from(written: String) -> Result<Id, InvalidId> {
        Id::new(&written)
    }
}

impl From<Id> for String {
    fn from(id: Id) -> String {
        id.0.as_ref().to_owned()
    }
}

impl AsRef<str> for Id {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Id {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests;
