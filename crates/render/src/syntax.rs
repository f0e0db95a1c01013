//! The syntax of one body.

use repertoire_core::Skill;

use crate::Dialect;

/// The syntax of one body: its dialect, and the argument names that the skill declares.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Syntax {
    pub(crate) dialect: Dialect,
    decided_by: DialectBy,
    pub(crate) names: Vec<Box<str>>,
    pub(crate) covers_code: bool,
    pub(crate) fault: Option<String>,
}

/// The origin of a dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum DialectBy {
    /// The configuration of the source.
    Source,
    /// The front matter of the skill.
    FrontMatter,
    /// The default of the host.
    Host,
    /// The default of this crate.
    #[default]
    Default,
}

impl Syntax {
    /// Creates the syntax of a body without a skill, in this dialect.
    pub fn new(dialect: Dialect) -> Syntax {
        Syntax {
            dialect,
            decided_by: DialectBy::Host,
            ..Syntax::default()
        }
    }

    /// Returns the syntax of a skill's body. The first of these decides the dialect:
    ///
    /// 1. the configuration of the source
    /// 2. `argument-dialect` in the front matter
    /// 3. the default of the host
    /// 4. [`Dialect::Claude`]
    pub fn from_skill(skill: &Skill, source: Option<Dialect>, host: Option<Dialect>) -> Syntax {
        let (declared, fault) = match Dialect::declared(skill).transpose() {
            Ok(declared) => (declared, None),
            Err(fault) => (None, Some(format!("`argument-dialect`: {fault}"))),
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
            covers_code: false,
            fault,
        }
    }

    /// Returns the same syntax, with placeholders in code too, but not in comments. Commands and scripts are in text only.
    #[must_use]
    pub fn in_code(mut self) -> Syntax {
        self.covers_code = true;
        self
    }

    /// Returns the dialect and its origin.
    pub fn dialect(&self) -> (Dialect, DialectBy) {
        (self.dialect, self.decided_by)
    }

    /// Returns whether a bare `$N` is a placeholder: if the skill declares arguments, or a dialect is named. Else it may be a price
    /// or a field of `awk`.
    pub(crate) fn has_bare_numbers(&self) -> bool {
        !self.names.is_empty() || self.decided_by != DialectBy::Default
    }
}
