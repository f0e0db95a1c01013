//! The ways in which one catalog is served.

use std::fmt;
use std::str::FromStr;

/// A way in which the catalog is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Face {
    /// The skills extension: `skills/list`, `skills/get` and `resources/directory/read`. It brings the resources along, which
    /// it reads files by.
    Extension = 1,
    /// `SKILL.md` and the files beside it as resources.
    Resources = 2,
    /// A prompt for each skill that a user may call.
    Prompts = 4,
    /// The tools by which models find and read skills.
    Tools = 8,
    /// What the client tells the model at the start: which skills there are, or where they are.
    Instructions = 16,
}

/// A set of [`Face`]s, written as their names with commas between: `tools,prompts`; or `all`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Faces(u8);

/// A text that names no [`Faces`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown face `{0}`: expected `all`, or some of `extension`, `resources`, `prompts`, `tools` and `instructions`"
)]
pub struct UnknownFace(String);

const NAMES: [(&str, Face); 5] = [
    ("extension", Face::Extension),
    ("resources", Face::Resources),
    ("prompts", Face::Prompts),
    ("tools", Face::Tools),
    ("instructions", Face::Instructions),
];

impl Faces {
    /// Every face.
    pub const ALL: Faces = Faces(31);
    /// None at all.
    pub const NONE: Faces = Faces(0);

    /// The same faces and one more.
    #[must_use]
    pub const fn with(self, face: Face) -> Faces {
        Faces(self.0 | face as u8)
    }

    /// The same faces but one.
    #[must_use]
    pub const fn without(self, face: Face) -> Faces {
        Faces(self.0 & !(face as u8))
    }

    /// The faces that are in both.
    #[must_use]
    pub const fn and(self, other: Faces) -> Faces {
        Faces(self.0 & other.0)
    }

    /// Whether `face` is among them. Whoever has the extension has the resources.
    pub const fn has(self, face: Face) -> bool {
        let faces = if self.0 & Face::Extension as u8 != 0 { self.0 | Face::Resources as u8 } else { self.0 };
        faces & face as u8 != 0
    }
}

impl Default for Faces {
    fn default() -> Faces {
        Faces::ALL
    }
}

impl fmt::Display for Faces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = NAMES.into_iter().filter(|(_, face)| self.0 & *face as u8 != 0);
        f.pad(&named.map(|(name, _)| name).collect::<Vec<_>>().join(","))
    }
}

impl FromStr for Faces {
    type Err = UnknownFace;

    fn from_str(text: &str) -> Result<Faces, UnknownFace> {
        text.split(',').map(str::trim).try_fold(Faces::NONE, |faces, name| {
            if name == "all" {
                return Ok(Faces::ALL);
            }
            match NAMES.into_iter().find(|(known, _)| *known == name) {
                Some((_, face)) => Ok(faces.with(face)),
                None => Err(UnknownFace(repertoire::skill::text::terminal_line(name).into_owned())),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_are_read_as_they_are_written() {
        let some = Faces::NONE.with(Face::Prompts).with(Face::Tools);
        assert_eq!(some.to_string(), "prompts,tools");
        assert_eq!("tools, prompts".parse(), Ok(some));
        assert_eq!("all".parse(), Ok(Faces::ALL));
        assert_eq!(Faces::ALL.to_string().parse(), Ok(Faces::ALL));
        assert_eq!(
            "tool".parse::<Faces>().unwrap_err().to_string(),
            "unknown face `tool`: expected `all`, or some of `extension`, `resources`, `prompts`, `tools` and `instructions`"
        );
    }

    #[test]
    fn the_extension_brings_the_resources_along() {
        let extension = Faces::NONE.with(Face::Extension);
        assert!(extension.has(Face::Resources));
        assert!(!extension.without(Face::Extension).has(Face::Resources));
    }
}
