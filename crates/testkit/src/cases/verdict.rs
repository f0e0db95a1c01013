//! How a check ended.

use std::fmt::Display;

/// How a check ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Holds,
    Fails {
        expected: String,
        found: String,
    },
    /// It cannot be told: this is missing.
    Missing(String),
}

impl Verdict {
    pub(crate) fn fails(expected: impl Display, found: impl Display) -> Verdict {
        Verdict::Fails { expected: expected.to_string(), found: found.to_string() }
    }

    pub(crate) fn missing(what: impl Display) -> Verdict {
        Verdict::Missing(what.to_string())
    }

    /// Holds if `holds` does; the two texts are for when it does not.
    pub(crate) fn of(holds: bool, expected: impl Display, found: impl Display) -> Verdict {
        if holds { Verdict::Holds } else { Verdict::fails(expected, found) }
    }

    pub(crate) fn is_failure(&self) -> bool {
        matches!(self, Verdict::Fails { .. })
    }

    /// Both are one thing.
    pub(crate) fn same<T: PartialEq + std::fmt::Debug>(expected: &T, found: &T) -> Verdict {
        Verdict::of(expected == found, format_args!("{expected:?}"), format_args!("{found:?}"))
    }

    /// The first failure of several, else the first thing missing.
    pub(crate) fn all(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
        let mut worst = Verdict::Holds;
        for verdict in verdicts {
            match verdict {
                Verdict::Holds => {}
                Verdict::Fails { .. } => return verdict,
                Verdict::Missing(_) if worst == Verdict::Holds => worst = verdict,
                Verdict::Missing(_) => {}
            }
        }
        worst
    }

    /// Holds as soon as one does, and asks for no more then. While one cannot be told, none has failed.
    pub(crate) fn any(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
        let (mut untold, mut wanted, mut seen) = (None, Vec::new(), Vec::new());
        for verdict in verdicts {
            match verdict {
                Verdict::Holds => return Verdict::Holds,
                Verdict::Missing(_) => untold = untold.or(Some(verdict)),
                Verdict::Fails { expected, found } => {
                    wanted.push(expected);
                    seen.push(found);
                }
            }
        }
        untold.unwrap_or_else(|| Verdict::fails(wanted.join(", or "), seen.join("; ")))
    }
}
