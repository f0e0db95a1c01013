//! The syntax of one body.

use repertoire_core::Skill;

use crate::{Dialect, Warning};

/// The syntax of one body: its dialect, and the argument names that the skill declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Syntax {
    pub(crate) dialect: Dialect,
    pub(crate) decided_by: DialectBy,
    pub(crate) names: Vec<Box<str>>,
    pub(crate) scope: PlaceholderScope,
    pub(crate) warnings: Vec<Warning>,
}

/// The origin of a dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum DialectBy {
    /// The configuration of the source.
    Source,
    /// The front matter of the skill.
    FrontMatter,
    /// The default of the host.
    Host,
    /// The default of this crate.
    Default,
}

/// The parts of a body with placeholders for variables and arguments. Commands and scripts are in text only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PlaceholderScope {
    /// Text, without code spans, code blocks and comments. In code, the variables of [`Dialect::in_code`] are replaced.
    #[default]
    Text,
    /// Text and code, as in most clients, without comments.
    TextAndCode,
}

impl Syntax {
    /// Returns the syntax of a skill's body. The first of these decides the dialect:
    ///
    /// 1. the configuration of the source
    /// 2. `argument-dialect` in the front matter
    /// 3. the default of the host
    /// 4. [`Dialect::CLAUDE`]
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
        Syntax {
            dialect,
            decided_by,
            names,
            scope: PlaceholderScope::default(),
            warnings: warning.into_iter().collect(),
        }
    }

    /// Returns the syntax of a body without a skill, in this dialect.
    pub fn named(dialect: Dialect) -> Syntax {
        Syntax { dialect, decided_by: DialectBy::Host, ..Syntax::default() }
    }

    /// Returns the same syntax with names for the arguments, in their order.
    #[must_use]
    pub fn names<N: Into<Box<str>>>(mut self, names: impl IntoIterator<Item = N>) -> Syntax {
        self.names = names.into_iter().map(Into::into).collect();
        self
    }

    /// Returns the same syntax with placeholders in these parts.
    #[must_use]
    pub fn scope(mut self, scope: PlaceholderScope) -> Syntax {
        self.scope = scope;
        self
    }

    /// Returns the dialect and its origin.
    pub fn dialect(&self) -> (Dialect, DialectBy) {
        (self.dialect, self.decided_by)
    }

    /// Returns whether a bare `$N` is a placeholder: if the skill declares arguments, or a dialect is named. Else it may be a price
    /// or a field of `awk`.
    pub fn has_bare_numbers(&self) -> bool {
        !self.names.is_empty() || self.decided_by != DialectBy::Default
    }
}

impl Default for Syntax {
    /// Returns the syntax of a body without a skill and a dialect.
    fn default() -> Syntax {
        Syntax {
            dialect: Dialect::default(),
            decided_by: DialectBy::Default,
            names: Vec::new(),
            scope: PlaceholderScope::default(),
            warnings: Vec::new(),
        }
    }
}
