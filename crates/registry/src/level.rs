//! One level of rules.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use repertoire_core::{Id, InvalidId};
use serde::{Deserialize, Serialize};

/// One level of [`Rules`](crate::Rules): the operator's, a project's, a session's. Of several rules that match, the most
/// specific decides: the one for `source:id`, then for the id, then for the source, then for everything. Of two rules for
/// the same, the later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    name: Arc<str>,
    authority: Authority,
    ids: BTreeMap<Id, Decision>,
    sources: BTreeMap<Arc<str>, Decision>,
    all: Option<Decision>,
}

/// What a level may do about what an earlier one disabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Authority {
    /// Enable it.
    MayWiden,
    /// Nothing. Its own exceptions to what it disables itself count.
    NarrowsOnly,
}

/// What a rule is about.
///
/// Written `*`, `source:*` or as an id: `tidy` is about that id in every source, `home:tidy` about that of the source
/// `home`, and about an id that is written so.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("minLength" = 1)))]
#[serde(try_from = "String", into = "String")]
pub enum Target {
    /// Everything.
    All,
    /// Everything of one source.
    Source(Arc<str>),
    /// One id, in every source or, as `source:id`, in one.
    Id(Id),
}

/// What a rule decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Switched on.
    Enable,
    /// Switched off.
    Disable,
}

/// The owner of an id that is written like the full name `source:id` of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FullName {
    /// The item itself, as no other item has that full name.
    Own,
    /// An item of the source that the id begins with. Rules for that full name are about that item.
    Anothers,
}

impl Level {
    /// A level without rules; `name` is for people.
    pub fn new(name: impl Into<Arc<str>>, authority: Authority) -> Level {
        Level { name: name.into(), authority, ids: BTreeMap::new(), sources: BTreeMap::new(), all: None }
    }

    /// The same level, which also switches `target` off.
    #[must_use]
    pub fn disable(self, target: Target) -> Level {
        self.with(target, Decision::Disable)
    }

    /// The same level, which also switches `target` on.
    #[must_use]
    pub fn enable(self, target: Target) -> Level {
        self.with(target, Decision::Enable)
    }

    /// The same level with one more rule.
    #[must_use]
    pub fn with(mut self, target: Target, decision: Decision) -> Level {
        match target {
            Target::Id(id) => drop(self.ids.insert(id, decision)),
            Target::Source(source) => drop(self.sources.insert(source, decision)),
            Target::All => self.all = Some(decision),
        }
        self
    }

    /// The name, for people.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// What it may do about what an earlier level disabled.
    pub fn authority(&self) -> Authority {
        self.authority
    }

    /// The rules, the widest first.
    pub fn rules(&self) -> impl Iterator<Item = (Target, Decision)> {
        let all = self.all.iter().map(|decision| (Target::All, *decision));
        let sources = self.sources.iter().map(|(source, decision)| (Target::Source(source.clone()), *decision));
        let ids = self.ids.iter().map(|(id, decision)| (Target::Id(id.clone()), *decision));
        all.chain(sources).chain(ids)
    }

    /// What this level decides about the item `id` of `source`, and by which rule.
    pub(crate) fn decision(&self, full_name: FullName, source: &str, id: &Id) -> Option<(Target, Decision)> {
        let by_id = |id: &str| self.ids.get_key_value(id).map(|(id, decision)| (Target::Id(id.clone()), *decision));
        let in_source = || if self.ids.is_empty() { None } else { by_id(Id::qualified(source, id).as_str()) };
        let by_source = || self.sources.get_key_value(source);
        in_source()
            .or_else(|| by_id(id.as_str()).filter(|_| full_name == FullName::Own))
            .or_else(|| by_source().map(|(source, decision)| (Target::Source(source.clone()), *decision)))
            .or_else(|| self.all.map(|decision| (Target::All, decision)))
    }

    /// The targets about which both levels do not decide alike.
    pub(crate) fn differing(&self, other: &Level) -> Vec<Target> {
        if self.authority != other.authority {
            return self.rules().chain(other.rules()).map(|(target, _)| target).collect();
        }
        let (mine, theirs): (BTreeMap<_, _>, BTreeMap<_, _>) = (self.rules().collect(), other.rules().collect());
        let differs = |target: &&Target| mine.get(*target) != theirs.get(*target);
        mine.keys().chain(theirs.keys()).filter(differs).cloned().collect()
    }
}

impl Target {
    /// Whether this is about the item `id` of `source`.
    pub fn is_about(&self, source: &str, id: &Id) -> bool {
        match self {
            Target::All => true,
            Target::Source(name) => **name == *source,
            Target::Id(target) => target == id || *target == Id::qualified(source, id),
        }
    }
}

impl FromStr for Target {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Target, InvalidId> {
        match text.strip_suffix('*') {
            Some("") => Ok(Target::All),
            Some(source) if source.ends_with(':') => Ok(Target::Source(source[..source.len() - 1].into())),
            _ => text.parse().map(Target::Id),
        }
    }
}

impl TryFrom<String> for Target {
    type Error = InvalidId;

    fn try_from(text: String) -> Result<Target, InvalidId> {
        text.parse()
    }
}

impl From<Target> for String {
    fn from(target: Target) -> String {
        target.to_string()
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::All => f.pad("*"),
            Target::Source(source) => write!(f, "{}:*", repertoire_core::text::terminal_line(source)),
            Target::Id(id) => id.fmt(f),
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Decision::Enable => "enable",
            Decision::Disable => "disable",
        })
    }
}
