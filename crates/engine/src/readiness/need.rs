//! One thing that a skill needs.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

/// One thing that a skill needs, or one of several.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Need {
    /// What kind of thing.
    pub kind: NeedKind,
    /// One of these will do; none, where what is written cannot be read.
    pub one_of: Vec<Arc<str>>,
}

/// What a skill may need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum NeedKind {
    /// An operating system, named as [`std::env::consts::OS`] does: `linux`, `macos`, `windows`.
    System,
    /// A program that can be started by its name.
    Program,
    /// An environment variable that is set and not empty. What is in it does not matter, and is told to nobody.
    Variable,
    /// A setting of the host, by its dotted path, that is there and not off.
    Setting,
    /// A tool that a model can call; of a name that ends in `*`, one that begins so.
    Tool,
    /// A set of tools that a host offers or not, by the name that it has there.
    Toolset,
}

impl Need {
    pub(super) fn one(kind: NeedKind, name: &str) -> Need {
        Need { kind, one_of: vec![name.into()] }
    }

    pub(super) fn unreadable(kind: NeedKind) -> Need {
        Need { kind, one_of: Vec::new() }
    }
}

impl NeedKind {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            NeedKind::System => ("system", "systems"),
            NeedKind::Program => ("program", "programs"),
            NeedKind::Variable => ("environment variable", "environment variables"),
            NeedKind::Setting => ("setting", "settings"),
            NeedKind::Tool => ("tool", "tools"),
            NeedKind::Toolset => ("toolset", "toolsets"),
        }
    }
}

/// For people: `one of the programs `rg`, `ag``.
impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, several) = self.kind.words();
        match self.one_of.as_slice() {
            [] if self.kind == NeedKind::Variable => write!(f, "an {one} whose name cannot be read"),
            [] => write!(f, "a {one} whose name cannot be read"),
            [name] => write!(f, "the {one} `{}`", repertoire_core::text::terminal_line(name)),
            names => {
                let names: Vec<_> =
                    names.iter().map(|name| format!("`{}`", repertoire_core::text::terminal_line(name))).collect();
                write!(f, "one of the {several} {}", names.join(", "))
            }
        }
    }
}
