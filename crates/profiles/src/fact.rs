//! A value with its source, which may be unknown or one of several.

use serde::Deserialize;

/// A value of a profile: one value, one of several, or unknown.
#[derive(Debug, Clone, Deserialize)]
#[serde(
    try_from = "WrittenFact<T>",
    bound(deserialize = "T: Deserialize<'de>")
)]
pub(crate) struct Fact<T> {
    /// Empty if the value is unknown.
    values: Vec<T>,
}

/// The spelling of a fact in a file.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WrittenFact<T> {
    value: Option<T>,
    #[serde(default = "Vec::new")]
    one_of: Vec<T>,
    #[serde(default)]
    unknown: bool,
    #[serde(rename = "source")]
    _source: String,
}

impl<T> TryFrom<WrittenFact<T>> for Fact<T> {
    type Error = String;

    fn try_from(written: WrittenFact<T>) -> Result<Fact<T>, String> {
        match (written.value, written.one_of, written.unknown) {
            (Some(value), many, false) if many.is_empty() => Ok(Fact {
                values: vec![value],
            }),
            (None, values, false) if values.len() > 1 => Ok(Fact { values }),
            (None, many, true) if many.is_empty() => Ok(Fact { values: many }),
            _ => Err(
                "expected exactly one of `value`, `one-of` with two values, and `unknown = true`"
                    .to_owned(),
            ),
        }
    }
}

impl<T> Default for Fact<T> {
    /// Returns an unknown value.
    fn default() -> Fact<T> {
        Fact { values: Vec::new() }
    }
}

impl<T> Fact<T> {
    /// Returns the value, if it is known and the only one.
    pub(crate) fn known(&self) -> Option<&T> {
        match self.values.as_slice() {
            [value] => Some(value),
            _ => None,
        }
    }
}

impl<T: Choice> Fact<T> {
    /// Returns every possible value: all that the type has, if the value is unknown.
    pub(crate) fn possible(&self) -> &[T] {
        if self.values.is_empty() {
            T::ALL
        } else {
            &self.values
        }
    }
}

/// A type whose values an unknown fact can have.
pub(crate) trait Choice: Sized + 'static {
    const ALL: &'static [Self];
}

impl Choice for bool {
    const ALL: &'static [bool] = &[true, false];
}

/// Declares an enum that is spelled in kebab case, and all of its values.
macro_rules! choices {
    ($(#[$about:meta])* $name:ident { $($(#[$note:meta])* $variant:ident),* $(,)? }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub(crate) enum $name { $($(#[$note])* $variant),* }

        impl $crate::fact::Choice for $name {
            const ALL: &'static [$name] = &[$($name::$variant),*];
        }
    };
}

pub(crate) use choices;
