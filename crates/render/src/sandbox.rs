//! Whether a sandbox was around a run.

use std::fmt;

use serde::Serialize;

/// Whether a sandbox was around a run: what the kernel enforced of the rules that were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sandbox {
    /// None was asked for.
    #[default]
    Off,
    /// All of them.
    Active,
    /// Not those; the kernel is older than the rules, or has no word for them.
    Partial(Vec<Gap>),
    /// None of those on files, signals and sockets; limits hold.
    Unavailable,
}

/// Rules that a sandbox does not keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Gap {
    /// On files, or on some ways to change them.
    Files,
    /// On signals to processes outside.
    Signals,
    /// On sockets: connections may be made, UDP at the least.
    Sockets,
}

impl Gap {
    /// Every gap, in the order they are told.
    pub const ALL: [Gap; 3] = [Gap::Files, Gap::Signals, Gap::Sockets];
}

impl Sandbox {
    /// The sandbox that does not keep the rules of `gaps`.
    #[cfg(all(target_os = "linux", feature = "sandbox"))]
    pub(crate) fn without(gaps: Vec<Gap>) -> Sandbox {
        match gaps.as_slice() {
            [] => Sandbox::Active,
            gaps if gaps == Gap::ALL => Sandbox::Unavailable,
            _ => Sandbox::Partial(gaps),
        }
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Gap::Files => "files",
            Gap::Signals => "signals",
            Gap::Sockets => "sockets",
        })
    }
}

impl fmt::Display for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sandbox::Off => f.write_str("off"),
            Sandbox::Active => f.write_str("active"),
            Sandbox::Partial(gaps) => {
                let gaps: Vec<_> = gaps.iter().map(Gap::to_string).collect();
                write!(f, "partial, without {}", gaps.join(", "))
            }
            Sandbox::Unavailable => f.write_str("unavailable"),
        }
    }
}
