//! What stands for something else in a body.

use std::ops::Range;

/// What stands for something else in a body, and where. Everything outside of these is rendered as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Placeholder {
    /// Its bytes in the body.
    pub range: Range<usize>,
    /// What it stands for.
    pub kind: PlaceholderKind,
}

/// What a [`Placeholder`] stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceholderKind {
    /// Itself, without the backslash at its start.
    Escaped,
    /// The arguments as typed: `$ARGUMENTS`.
    Arguments,
    /// One argument, counted from 0 whatever the dialect: `$ARGUMENTS[N]`, `$N`, `${N}`.
    Argument(usize),
    /// The argument of this number, counted from 0, by its declared name: `$name`.
    Named(usize),
    /// The variable in the braces: `${NAME}`.
    Variable,
    /// The folder of the skill, by the [dialect's own word](crate::Dialect::skill_dir) for it.
    SkillDir,
    /// The directive of this number, counted from 0.
    Directive(usize),
}
