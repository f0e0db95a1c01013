//! Where skills and their files are, as URIs.

use std::fmt;
use std::sync::Arc;

use repertoire::Claim;
use repertoire::{Id, ResourcePath, Skill};

/// The conventional scheme. It proves nothing, and nobody resolves what follows it.
const SCHEME: &str = "skill://";

/// The file that every skill has.
pub(crate) const SKILL_MD: &str = "SKILL.md";

/// Where a skill is: `skill://SOURCE/SKILL`, so that skills of one name from several sources lie beside each other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Root(Arc<str>);

/// A URI taken apart: a skill, and something in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Which skill.
    pub(crate) root: Root,
    /// What in it: a file or a folder; `None` for the skill's own folder.
    pub(crate) path: Option<ResourcePath>,
}

impl Root {
    pub(crate) fn of(claim: &Claim<Skill>) -> Root {
        Root::new(&claim.origin.source, claim.item.id.as_str())
    }

    pub(crate) fn new(source: &str, id: &str) -> Root {
        Root(format!("{SCHEME}{}/{}", Segment(source), Segment(id)).into())
    }

    /// The URI of the skill's `SKILL.md`.
    pub(crate) fn skill_md(&self) -> String {
        format!("{self}/{SKILL_MD}")
    }

    /// The URI of a file or a folder.
    pub(crate) fn join(&self, path: &str) -> String {
        format!("{self}/{}", spelled(path))
    }
}

/// A path inside of a skill, as it stands in a URI.
pub(crate) fn spelled(path: &str) -> String {
    let segments = path.split('/').map(|segment| Segment(segment).to_string());
    segments.collect::<Vec<_>>().join("/")
}

impl Place {
    /// Takes a URI apart; `None` when it leads to no skill, whatever there is. One spelling is one place: what is
    /// escaped needlessly or in another way is nothing that was handed out.
    pub(crate) fn parse(uri: &str) -> Option<Place> {
        Place::typed(uri).filter(|place| place.to_string() == uri)
    }

    /// The same for a URI as somebody types it: with segments that are empty or `.`, a `/` at its end, and letters that are
    /// escaped or not.
    pub(crate) fn typed(uri: &str) -> Option<Place> {
        let mut segments = uri.strip_prefix(SCHEME)?.split('/');
        let source = decode(segments.next()?)?;
        let id: Id = decode(segments.next()?)?.parse().ok()?;
        let root = Root::new(&source, id.as_str());
        let segments = segments.filter(|segment| !matches!(*segment, "" | "."));
        let path: Vec<String> = segments.map(decode).collect::<Option<_>>()?;
        // A segment that hides a slash is no segment.
        if path.iter().any(|segment| segment.contains('/')) {
            return None;
        }
        let path = if path.is_empty() { None } else { Some(path.join("/").parse().ok()?) };
        Some(Place { root, path })
    }
}

impl fmt::Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            None => fmt::Display::fmt(&self.root, f),
            Some(path) => f.write_str(&self.root.join(path.as_str())),
        }
    }
}

/// A segment of a path, in which everything is escaped but what never needs it.
struct Segment<'a>(&'a str);

impl fmt::Display for Segment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                    fmt::Write::write_char(f, char::from(byte))?;
                }
                other => write!(f, "%{other:02X}")?,
            }
        }
        Ok(())
    }
}

fn decode(segment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                u8::try_from(digit()? << 4 | digit()?).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests;
