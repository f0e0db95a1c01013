//! The error of a registry.

use repertoire_core::{Id, InvalidValue};

/// The error returned when a registry refuses a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The registry was closed.
    #[error("the registry is closed")]
    Closed,
    /// No source has the name.
    #[error("no {kind} `{name}`")]
    NotFound {
        /// The kind of item.
        kind: &'static str,
        /// The name, control characters escaped.
        name: String,
    },
    /// Several namespaced sources have the bare name.
    #[error(
        "{kind} `{name}` is ambiguous; give the full name: {}",
        full_names(candidates)
    )]
    Ambiguous {
        /// The kind of item.
        kind: &'static str,
        /// The bare name.
        name: String,
        /// The full names, by tier, then source.
        candidates: Vec<Id>,
    },
    /// Two sources share a name.
    #[error("two sources are called `{name}`; give each its own name")]
    DuplicateSource {
        /// The name.
        name: String,
    },
    /// The name of a source cannot be the part before the colon of a qualified id.
    #[error(
        "source name `{}` cannot be used: {reason}",
        repertoire_core::text::terminal_line(name)
    )]
    SourceName {
        /// The name.
        name: String,
        /// The rule that it breaks.
        reason: &'static str,
    },
    /// A preference names an unknown source.
    #[error("unknown source `{source_name}` in the preference for `{id}`; known sources: {}", known.join(", "))]
    UnknownPreference {
        /// The preferred id.
        id: Id,
        /// The unknown source.
        source_name: String,
        /// The composed sources.
        known: Vec<String>,
    },
    /// The source to remove or to replace is unknown.
    #[error("no source is called `{name}`; known: {}", known.join(", "))]
    UnknownSource {
        /// The name.
        name: String,
        /// The composed sources.
        known: Vec<String>,
    },
    /// The source to remove or to replace holds the entries registered in code.
    #[error("source `{name}` holds the entries registered in code, and stays")]
    ReservedSource {
        /// The name.
        name: String,
    },
    /// The id to register is taken.
    #[error("{kind} `{id}` is already registered; use `replace` to change it")]
    AlreadyRegistered {
        /// The kind of item.
        kind: &'static str,
        /// The id.
        id: Id,
    },
    /// The id to replace is not registered.
    #[error("no {kind} `{id}` is registered; use `register` to add it")]
    NotRegistered {
        /// The kind of item.
        kind: &'static str,
        /// The id.
        id: Id,
    },
    /// The replacement has a different id.
    #[error("{kind} `{id}` cannot be replaced by `{found}`: the ids differ")]
    IdMismatch {
        /// The kind of item.
        kind: &'static str,
        /// The id to replace.
        id: Id,
        /// The id of the replacement.
        found: Id,
    },
    /// The injection to register is not a skill.
    #[error(transparent)]
    NotASkill(#[from] InvalidValue),
    /// The injection to register has parts that a registered skill cannot keep.
    #[error("skill `{id}` cannot be registered with {}; give the injection to the session instead", .lost.join(" and "))]
    Lossy {
        /// The skill.
        id: Id,
        /// The parts that would be lost, in words.
        lost: Vec<&'static str>,
    },
}

fn full_names(candidates: &[Id]) -> String {
    candidates
        .iter()
        .map(|id| format!("`{id}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
