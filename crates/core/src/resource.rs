//! Files beside a skill's instructions.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::checked_text::checked_text;
use crate::text::is_clean;
use crate::{Digest, InvalidValue, SkippedFile, SkippedFolder};

/// A path inside a skill: relative, `/`-separated, never leaving its folder on any platform.
///
/// ```
/// use repertoire_core::ResourcePath;
///
/// let path: ResourcePath = "references/how to.md".parse()?;
/// assert_eq!(path.as_str(), "references/how to.md");
/// assert!("../secret.txt".parse::<ResourcePath>().is_err());
/// # Ok::<(), repertoire_core::InvalidValue>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("minLength" = 1)))]
#[serde(try_from = "String", into = "String")]
pub struct ResourcePath(Arc<str>);

checked_text!(ResourcePath);

impl ResourcePath {
    /// Checks `path`.
    ///
    /// # Errors
    /// [`InvalidValue`] for an empty or absolute path, a drive letter, `\`, a control character, an empty
    /// segment, and a segment of dots and blanks only (`.`, `..`, and what Windows reads as such).
    pub fn new(path: &str) -> Result<ResourcePath, InvalidValue> {
        let reason = if path.is_empty() {
            Some("it is empty")
        } else if path.starts_with('/') {
            Some("it is absolute; give it relative to the skill's folder")
        } else if path.contains('\\') {
            Some("it holds a backslash; separate folders with `/`")
        } else if path.chars().any(char::is_control) {
            Some("it holds a control character")
        } else if matches!(path.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic()) {
            Some("it starts with a drive letter")
        } else if path.split('/').any(str::is_empty) {
            Some("it has an empty segment")
        } else if path
            .split('/')
            .any(|segment| segment.chars().all(|c| matches!(c, '.' | ' ')))
        {
            Some("it has a segment of dots only")
        } else {
            None
        };
        match reason {
            None => Ok(ResourcePath(path.into())),
            Some(reason) => {
                let path = crate::text::terminal_line(path);
                Err(InvalidValue::because(
                    reason,
                    format!("`{path}` is not a path inside a skill: {reason}"),
                ))
            }
        }
    }

    /// Parses a path as people and models type it. Blanks around it, segments that are empty or `.`, and a `/` at its end are
    /// removed.
    ///
    /// ```
    /// use repertoire_core::ResourcePath;
    ///
    /// assert_eq!(ResourcePath::typed(" ./docs//notes.md ")?.as_str(), "docs/notes.md");
    /// assert!(ResourcePath::typed("docs/../../secret.txt").is_err());
    /// # Ok::<(), repertoire_core::InvalidValue>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidValue`] as for [`new`](ResourcePath::new), and if nothing is left.
    #[doc(hidden)]
    pub fn typed(text: &str) -> Result<ResourcePath, InvalidValue> {
        let text = text.trim();
        if text.starts_with('/') {
            return ResourcePath::new(text);
        }
        let segments: Vec<&str> = text
            .split('/')
            .filter(|segment| !matches!(*segment, "" | "."))
            .collect();
        ResourcePath::new(&segments.join("/"))
    }

    /// Returns the equal path of `listed`, else the only one that is equal in Unicode NFC.
    ///
    /// ```
    /// use repertoire_core::ResourcePath;
    ///
    /// let (listed, typed) = ("p\u{f4}le.md".parse::<ResourcePath>()?, "po\u{302}le.md".parse::<ResourcePath>()?);
    /// assert_eq!(typed.meant_among([&listed]), Some(&listed));
    /// # Ok::<(), repertoire_core::InvalidValue>(())
    /// ```
    #[doc(hidden)]
    pub fn meant_among<'a>(
        &self,
        listed: impl IntoIterator<Item = &'a ResourcePath>,
    ) -> Option<&'a ResourcePath> {
        let is_ascii = self.0.is_ascii();
        let mut alike = None;
        let mut is_clear = true;
        for path in listed {
            if path == self {
                return Some(path);
            }
            if !is_ascii && !path.0.is_ascii() && path.0.nfc().eq(self.0.nfc()) {
                is_clear &= alike.is_none();
                alike = Some(path);
            }
        }
        alike.filter(|_| is_clear)
    }

    /// Returns whether a person or a model who reads the path can type it: it has no hidden characters, and no segment
    /// begins or ends with a blank.
    #[doc(hidden)]
    pub fn is_typeable(&self) -> bool {
        is_clean(&self.0) && self.0.split('/').all(|segment| segment.trim() == segment)
    }

    /// Returns whether the path names litter, secrets, version control, dependencies or a cache, which are never part of a skill.
    #[doc(hidden)]
    pub fn is_apart(&self) -> bool {
        let mut names = self.0.split('/');
        names.any(|name| {
            SkippedFolder::of(name).is_some_and(SkippedFolder::is_apart)
                || SkippedFile::of(name).is_some()
        })
    }
}

/// One file beside a skill's instructions. The list of them is the skill's manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Resource {
    /// The path relative to the skill.
    pub path: ResourcePath,
    /// Its length in bytes.
    pub size: u64,
    /// SHA-256 over its raw bytes.
    pub digest: Digest,
}

impl Resource {
    /// Creates a row of a manifest.
    pub fn new(path: ResourcePath, size: u64, digest: Digest) -> Resource {
        Resource { path, size, digest }
    }
}

#[cfg(test)]
mod tests;
