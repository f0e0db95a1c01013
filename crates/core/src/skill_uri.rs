//! Addresses of skills and their files as URIs.
//!
//! - [`SkillRoot`] and [`SkillAddress`] are addresses that this project writes: `skill://SOURCE/SKILL/PATH`.
//! - [`ServerUri`] is the address of a `SKILL.md` as an MCP server writes it, in any scheme but `file:`.
//!
//! An address is a label. No part of it is a host, and nothing of it is looked up on a network or a disk.

use std::fmt;
use std::sync::Arc;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::text::{self, excerpt};
use crate::{Id, ResourcePath};

/// The name of the file that every skill has.
pub const SKILL_MD: &str = "SKILL.md";

const SCHEME: &str = "skill://";

/// The longest address of a server, in bytes.
const LONGEST: usize = 4096;

const QUOTED: usize = 200;

const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The address of a skill: `skill://SOURCE/SKILL`, both names percent-encoded.
///
/// ```
/// use repertoire_core::skill_uri::SkillRoot;
///
/// let root = SkillRoot { source: "home".into(), id: "Release Notes".parse()? };
/// assert_eq!(root.skill_md(), "skill://home/Release%20Notes/SKILL.md");
/// assert_eq!(root.join("a/b.md"), "skill://home/Release%20Notes/a/b.md");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SkillRoot {
    /// The name of the source.
    pub source: Arc<str>,
    /// The id of the skill in its source.
    pub id: Id,
}

impl SkillRoot {
    /// Returns the address of the skill's `SKILL.md`.
    pub fn skill_md(&self) -> String {
        self.join(SKILL_MD)
    }

    /// Returns the address of a file or a folder of the skill.
    pub fn join(&self, path: &str) -> String {
        format!("{self}/{}", encoded_path(path))
    }
}

impl fmt::Display for SkillRoot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (source, id) = (
            utf8_percent_encode(&self.source, ESCAPED),
            utf8_percent_encode(self.id.as_str(), ESCAPED),
        );
        write!(f, "{SCHEME}{source}/{id}")
    }
}

/// Returns `path` with each segment percent-encoded.
pub fn encoded_path(path: &str) -> String {
    let segments = path
        .split('/')
        .map(|segment| utf8_percent_encode(segment, ESCAPED).to_string());
    segments.collect::<Vec<_>>().join("/")
}

/// The address of a skill's folder, or of a file or a folder in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SkillAddress {
    /// The skill.
    pub root: SkillRoot,
    /// The file or folder. `None` for the skill's own folder.
    pub path: Option<ResourcePath>,
}

impl SkillAddress {
    /// Parses an address as people and models type it: with blanks around it, empty segments, `.` segments, a `/` at its end,
    /// and any choice of escaped characters.
    pub fn parse(uri: &str) -> Option<SkillAddress> {
        let mut segments = uri.trim().strip_prefix(SCHEME)?.split('/').map(decoded);
        let source = segments.next()?.filter(|source| !source.is_empty())?;
        let id: Id = segments.next()??.parse().ok()?;
        let path: Vec<String> = segments.collect::<Option<_>>()?;
        // A segment with an escaped slash names no file.
        if path.iter().any(|segment| segment.contains('/')) {
            return None;
        }
        let path: Vec<String> = path
            .into_iter()
            .filter(|segment| !matches!(segment.as_str(), "" | "."))
            .collect();
        let path = if path.is_empty() {
            None
        } else {
            Some(path.join("/").parse().ok()?)
        };
        Some(SkillAddress {
            root: SkillRoot {
                source: source.into(),
                id,
            },
            path,
        })
    }
}

impl fmt::Display for SkillAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            None => fmt::Display::fmt(&self.root, f),
            Some(path) => f.write_str(&self.root.join(path.as_str())),
        }
    }
}

/// The address of a `SKILL.md` as an MCP server writes it: `skill://PREFIX/NAME/SKILL.md`.
///
/// ```
/// use repertoire_core::skill_uri::ServerUri;
///
/// let uri = ServerUri::parse("skill://team/tools/tidy/SKILL.md")?;
/// assert_eq!((uri.folder(), uri.prefix()), ("tidy", &["team".to_owned(), "tools".to_owned()][..]));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ServerUri {
    text: String,
    /// The decoded names of its folders. The last one is the skill's.
    folders: Vec<String>,
}

impl ServerUri {
    /// Parses an address.
    ///
    /// # Errors
    /// The reason, for a message: no `SKILL.md` in a folder, the scheme `file:`, a query, a fragment, more than 4,096 bytes,
    /// or a segment that could lead elsewhere.
    pub fn parse(text: &str) -> Result<ServerUri, String> {
        let path = path_of(text)?;
        let mut folders = path
            .split('/')
            .map(name)
            .collect::<Result<Vec<_>, String>>()?;
        folders.pop();
        // The name must not be escaped, because everything before it is the address of the folder.
        if path.rsplit('/').next() != Some(SKILL_MD) || folders.is_empty() {
            return Err(format!(
                "`{}` is not the address of a `{SKILL_MD}` in a folder",
                excerpt(text, QUOTED)
            ));
        }
        Ok(ServerUri {
            text: text.to_owned(),
            folders,
        })
    }

    /// Returns the address as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the name of the skill's folder.
    pub fn folder(&self) -> &str {
        self.folders.last().map_or("", String::as_str)
    }

    /// Returns the names of the folders above the skill's.
    pub fn prefix(&self) -> &[String] {
        &self.folders[..self.folders.len() - 1]
    }

    /// Returns the address of the skill's folder, with the slash at its end.
    pub fn root(&self) -> &str {
        &self.text[..self.text.len() - SKILL_MD.len()]
    }

    /// Returns the path inside this skill of the file at `uri`.
    ///
    /// # Errors
    /// The reason, for a message: the file is outside of the skill, or its address is not a path.
    pub fn path_of(&self, uri: &str) -> Result<ResourcePath, String> {
        path_of(uri)?;
        let Some(inside) = uri.strip_prefix(self.root()) else {
            return Err(format!(
                "`{}` is outside of the skill",
                excerpt(uri, QUOTED)
            ));
        };
        let segments = inside
            .split('/')
            .map(name)
            .collect::<Result<Vec<_>, String>>()?;
        ResourcePath::new(&segments.join("/")).map_err(|error| excerpt(&error.to_string(), QUOTED))
    }
}

/// Returns what follows `SCHEME://`.
fn path_of(uri: &str) -> Result<&str, String> {
    sound_path(uri).map_err(|reason| {
        format!(
            "`{}` is not the address of a file: {reason}",
            excerpt(uri, QUOTED)
        )
    })
}

fn sound_path(uri: &str) -> Result<&str, &'static str> {
    if uri.len() > LONGEST {
        return Err("it is too long");
    }
    if !text::is_clean(uri)
        || uri
            .chars()
            .any(|c| c.is_control() || c.is_whitespace() || c == '\\')
    {
        return Err("it holds a blank, a backslash or an invisible character");
    }
    let (scheme, rest) = uri.split_once(':').ok_or("it has no scheme")?;
    if !scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        || !scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    {
        return Err("it has no scheme");
    }
    if scheme.eq_ignore_ascii_case("file") {
        return Err("`file:` names files of a machine");
    }
    let path = rest
        .strip_prefix("//")
        .ok_or("expected `//` after the scheme")?;
    if path.contains(['?', '#']) {
        Err("it holds `?` or `#`")
    } else {
        Ok(path)
    }
}

/// Decodes a segment that names a file or a folder and cannot lead elsewhere.
fn name(segment: &str) -> Result<String, String> {
    decoded(segment)
        .filter(|name: &String| {
            !name.chars().all(|c| matches!(c, '.' | ' '))
                && text::is_clean(name)
                && !name
                    .chars()
                    .any(|c| matches!(c, '/' | '\\') || text::is_break(c))
        })
        .ok_or_else(|| {
            format!(
                "`{}` in an address is not the name of a file or folder",
                excerpt(segment, QUOTED)
            )
        })
}

/// Decodes a segment in which every `%` begins an escape.
fn decoded(segment: &str) -> Option<String> {
    let mut escapes = segment.split('%').skip(1);
    let is_sound = escapes.all(|escape: &str| {
        escape
            .as_bytes()
            .get(..2)
            .is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
    });
    is_sound
        .then(|| {
            percent_decode_str(segment)
                .decode_utf8()
                .ok()
                .map(Into::into)
        })
        .flatten()
}

#[cfg(test)]
mod tests;
