//! Results of checks.

use std::fmt::Display;

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Holds,
    Fails {
        expected: String,
        found: String,
    },
    /// The check needs this, which is not available.
    Missing(String),
}

impl Verdict {
    pub(crate) fn fails(expected: impl Display, found: impl Display) -> Verdict {
        Verdict::Fails {
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }

    pub(crate) fn missing(what: impl Display) -> Verdict {
        Verdict::Missing(what.to_string())
    }

    pub(crate) fn of(holds: bool, expected: impl Display, found: impl Display) -> Verdict {
        if holds {
            Verdict::Holds
        } else {
            Verdict::fails(expected, found)
        }
    }

    pub(crate) fn is_failure(&self) -> bool {
        matches!(self, Verdict::Fails { .. })
    }

    pub(crate) fn same<T: PartialEq + std::fmt::Debug>(expected: &T, found: &T) -> Verdict {
        Verdict::of(
            expected == found,
            format_args!("{expected:?}"),
            format_args!("{found:?}"),
        )
    }

    /// Returns the first failure, else the first `Missing`.
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

    /// Returns the first that holds, else the first `Missing`, else all failures as one.
    pub(crate) fn any(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
        let (mut absent, mut wanted, mut seen) = (None, Vec::new(), Vec::new());
        for verdict in verdicts {
            match verdict {
                Verdict::Holds => return Verdict::Holds,
                Verdict::Missing(_) => absent = absent.or(Some(verdict)),
                Verdict::Fails { expected, found } => {
                    wanted.push(expected);
                    seen.push(found);
                }
            }
        }
        absent.unwrap_or_else(|| Verdict::fails(wanted.join(", or "), seen.join("; ")))
    }
}
