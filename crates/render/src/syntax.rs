//! What counts as a placeholder in one body.

use repertoire_core::Skill;

use crate::{Dialect, Warning};

/// What counts as a placeholder in one body: the dialect, who chose it, and the names that the skill declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Syntax {
    pub(crate) dialect: Dialect,
    pub(crate) decided_by: DialectBy,
    pub(crate) names: Vec<Box<str>>,
    pub(crate) reach: Reach,
    pub(crate) warnings: Vec<Warning>,
}

/// Who chose the dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum DialectBy {
    /// Whoever composed the source that the skill comes from.
    Source,
    /// The skill, in its front matter.
    FrontMatter,
    /// The host, for whatever names none.
    Host,
    /// Nobody.
    Default,
}

/// Where in a body variables and places for arguments are looked for. Commands and scripts are always in text alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Reach {
    /// In text: not in code spans, code blocks and comments. What documents a placeholder keeps it. Only variables that
    /// the [dialect has in code](Dialect::in_code) are looked for there as well.
    #[default]
    Text,
    /// In code as well, as most clients do it; never in comments.
    TextAndCode,
}

impl Syntax {
    /// The syntax of a skill's body. Who names a dialect first decides:
    ///
    /// 1. the source, as whoever composed it knows who writes for it;
    /// 2. the skill's front matter, in `argument-dialect`;
    /// 3. the host;
    /// 4. nobody: [`Dialect::CLAUDE`].
    pub fn of(skill: &Skill, source: Option<Dialect>, host: Option<Dialect>) -> Syntax {
        let (declared, warning) = match Dialect::declared(skill) {
            Some(Err(error)) => (None, Some(Warning::UnknownDialect(error))),
            Some(Ok(dialect)) => (Some(dialect), None),
            None => (None, None),
        };
        let (dialect, decided_by) = match (source, declared, host) {
            (Some(dialect), _, _) => (dialect, DialectBy::Source),
            (None, Some(dialect), _) => (dialect, DialectBy::FrontMatter),
            (None, None, Some(dialect)) => (dialect, DialectBy::Host),
            (None, None, None) => (Dialect::default(), DialectBy::Default),
        };
        let names = skill.arguments().into_iter().map(Box::from).collect();
        Syntax { dialect, decided_by, names, reach: Reach::default(), warnings: warning.into_iter().collect() }
    }

    /// The syntax of a body that belongs to no skill, in a dialect that the host names.
    pub fn named(dialect: Dialect) -> Syntax {
        Syntax { dialect, decided_by: DialectBy::Host, ..Syntax::default() }
    }

    /// The same syntax with names for the arguments, in their order.
    #[must_use]
    pub fn names<N: Into<Box<str>>>(mut self, names: impl IntoIterator<Item = N>) -> Syntax {
        self.names = names.into_iter().map(Into::into).collect();
        self
    }

    /// The same syntax, looking elsewhere.
    #[must_use]
    pub fn reach(mut self, reach: Reach) -> Syntax {
        self.reach = reach;
        self
    }

    /// The dialect, and who chose it.
    pub fn dialect(&self) -> (Dialect, DialectBy) {
        (self.dialect, self.decided_by)
    }

    /// Whether a bare `$N` is a placeholder, and not a price or a field of `awk`: when the skill declares arguments, or
    /// somebody named a dialect.
    pub fn has_bare_numbers(&self) -> bool {
        !self.names.is_empty() || self.decided_by != DialectBy::Default
    }
}

impl Default for Syntax {
    /// The syntax of a body of which nothing is known.
    fn default() -> Syntax {
        Syntax {
            dialect: Dialect::default(),
            decided_by: DialectBy::Default,
            names: Vec::new(),
            reach: Reach::default(),
            warnings: Vec::new(),
        }
    }
}
