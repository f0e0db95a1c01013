//! A name, validated once.

use std::borrow::{Borrow, Cow};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::checked_text::checked_text;
use crate::{InvalidValue, text};

/// The identity of an item inside its source.
///
/// An id is the name as written, trimmed and in Unicode NFKC. It is refused only where it could be
/// mistaken for a path, repaint a terminal, or not be read off a screen; everything else that the Agent Skills standard forbids
/// (rules S-10 to S-12) is reported by [`faults`](Id::faults) and keeps its name: `Workspace Guide`,
/// `report.weekly` and `kit:slides` stay themselves. Kinds of items that are files have [paths](Id::of_path) as ids. Cheap to clone.
///
/// ```
/// use repertoire_core::Id;
///
/// let id: Id = "release-notes".parse()?;
/// assert!(id.faults().is_empty());
/// assert!("../etc".parse::<Id>().is_err());
/// # Ok::<(), repertoire_core::InvalidValue>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("minLength" = 1)))]
#[serde(try_from = "String", into = "String")]
pub struct Id(Arc<str>);

checked_text!(Id);

impl Id {
    /// The longest name that the standard allows, in characters.
    pub const MAX_CHARS: usize = 64;

    /// Trims `written` and normalises it to NFKC.
    ///
    /// # Errors
    /// [`InvalidValue`] for a blank name and for `/`, `\`, `..` or an invisible character in it.
    pub fn new(written: &str) -> Result<Id, InvalidValue> {
        checked(written).map(|name| Id(name.into()))
    }

    /// Creates the id of an item that a relative path identifies, with `/` between its parts: `jobs/build.workflow.ts`.
    ///
    /// ```
    /// use repertoire_core::Id;
    ///
    /// assert_eq!(Id::of_path("jobs/build.workflow.ts")?.as_str(), "jobs/build.workflow.ts");
    /// assert!(Id::of_path("../build.workflow.ts").is_err());
    /// # Ok::<(), repertoire_core::InvalidValue>(())
    /// ```
    ///
    /// # Errors
    /// As [`new`](Id::new), for each part.
    pub fn of_path(path: &str) -> Result<Id, InvalidValue> {
        let parts = path.split('/').map(checked);
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        Ok(Id(parts.join("/").into()))
    }

    pub(crate) fn shared(written: &Arc<str>) -> Result<Id, InvalidValue> {
        Ok(match checked(written)? {
            Cow::Borrowed(name) if name.len() == written.len() => Id(written.clone()),
            name => Id(name.into()),
        })
    }

    pub(crate) fn shared_text(&self) -> &Arc<str> {
        &self.0
    }

    /// Returns the id of `id` under the namespace `source`: `source:id`.
    pub fn qualified(source: &str, id: &Id) -> Id {
        Id(format!("{source}:{id}").into())
    }

    /// Returns every rule of the standard (S-10 to S-12) that this name breaks, in the reference validator's order.
    ///
    /// Letters and digits of every script are allowed. Upper case is not, and combining marks are not letters.
    pub fn faults(&self) -> Vec<&'static str> {
        let name = self.as_str();
        // Nearly all names are of this form.
        if name.len() <= Id::MAX_CHARS && is_plain(name) {
            return Vec::new();
        }
        let is_letter =
            |c: char| c.is_alphanumeric() && !unicode_normalization::char::is_combining_mark(c);
        let rules = [
            (
                name.chars().count() <= Id::MAX_CHARS,
                "exceeds the limit of 64 characters",
            ),
            (name.to_lowercase() == name, "must be lowercase"),
            (
                !name.starts_with('-') && !name.ends_with('-'),
                "cannot start or end with a hyphen",
            ),
            (!name.contains("--"), "cannot contain consecutive hyphens"),
            (
                name.chars().all(|c| c == '-' || is_letter(c)),
                "contains invalid characters; letters, digits and hyphens are allowed",
            ),
        ];
        rules
            .into_iter()
            .filter(|(holds, _)| !holds)
            .map(|(_, fault)| fault)
            .collect()
    }
}

/// Returns whether `name` has lower-case ASCII letters and digits alone, in parts that one hyphen separates.
fn is_plain(name: &str) -> bool {
    let mut is_part = false;
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' => is_part = true,
            b'-' if is_part => is_part = false,
            _ => return false,
        }
    }
    is_part
}

fn checked(written: &str) -> Result<Cow<'_, str>, InvalidValue> {
    const PATH: &str = "a name is not a path";
    if is_plain(written) {
        return Ok(written.into());
    }
    let name = written.trim();
    // NFKC leaves ASCII as it is.
    let name: Cow<'_, str> = if name.is_ascii() {
        name.into()
    } else {
        // Blanks may come out of it: a lone macron is a blank and a mark.
        name.nfkc().collect::<String>().trim().to_owned().into()
    };
    if name.is_empty() {
        return Err(InvalidValue::because(
            "it is blank",
            "a name must not be blank",
        ));
    }
    let (reason, found) = if let Some(found) = name.chars().find(|c| matches!(c, '/' | '\\')) {
        (PATH, format!("`{found}`; {PATH}"))
    } else if !is_seen(&name) {
        (
            "it holds an invisible character",
            "an invisible character".to_owned(),
        )
    } else if name.contains("..") || name == "." {
        // A lone `.` names a folder, as `..` does.
        (PATH, format!("`..`; {PATH}"))
    } else {
        return Ok(name);
    };
    Err(InvalidValue::because(
        reason,
        format!("name `{}` holds {found}", text::spelled_out(&name)),
    ))
}

/// Returns whether nothing of a name is lost where it is shown: what people and models read there must lead back to the
/// skill.
fn is_seen(name: &str) -> bool {
    // Direction marks are normal in texts. A person cannot type them in a name.
    text::is_clean(name)
        && !name.chars().any(|c: char| {
            c.is_control() || text::is_break(c) || matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}')
        })
        && !text::shows_nothing(name)
}

impl Borrow<str> for Id {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests;
