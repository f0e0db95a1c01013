//! RuleStack that disable and enable items.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use repertoire_core::{Id, InvalidId};
use serde::{Deserialize, Serialize};

/// A stack of rule sets that disable and enable items. The first has precedence over all others. Cheap to clone.
///
/// A later level may always disable. It may enable what an earlier one disabled only with
/// [full authority](Authority::Full). A disabled item loses its id to any other candidate, and is hidden from models and
/// users. The operator still sees it.
///
/// ```
/// use repertoire_core::Skill;
/// use repertoire_registry::{Authority, RuleSet, Registered, RuleStack, SkillRegistry, Status};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let user = RuleSet::new("user", Authority::Full).disable("deploy".parse()?);
/// let project = RuleSet::new("project", Authority::RestrictOnly).enable("deploy".parse()?).disable("tidy".parse()?);
/// let registry = SkillRegistry::builder().rules(RuleStack::new([user, project])).load().await?;
/// registry.register_all(["deploy", "tidy", "greet"].map(|id| Skill::new(id.parse().expect("a good id"), "Does it.")))?;
///
/// let status = |id| registry.get(id).map(|entry| entry.candidate.status);
/// assert_eq!(status("greet"), Some(Status::Active));
/// assert_eq!(status("tidy"), Some(Status::Disabled));
/// assert_eq!(status("deploy"), Some(Status::Disabled), "the project cannot undo it");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleStack(Arc<[Arc<RuleSet>]>);

impl RuleStack {
    /// Creates rules of these levels.
    pub fn new(levels: impl IntoIterator<Item = RuleSet>) -> RuleStack {
        RuleStack(levels.into_iter().map(Arc::new).collect())
    }

    /// Returns the levels, the one with precedence over all others first.
    pub fn levels(&self) -> impl ExactSizeIterator<Item = &RuleSet> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// Returns whether the item `id` of `source` is disabled.
    pub fn disables(&self, source: &str, id: &Id) -> bool {
        self.disables_as(FullName::Own, source, id)
    }

    pub(crate) fn disables_as(&self, full_name: FullName, source: &str, id: &Id) -> bool {
        disables(&self.0, full_name, source, id)
    }

    pub(crate) fn and(&self, later: &RuleStack) -> RuleStack {
        RuleStack(self.0.iter().chain(later.0.iter()).cloned().collect())
    }

    pub(crate) fn differing(&self, other: &RuleStack) -> Vec<Target> {
        if Arc::ptr_eq(&self.0, &other.0) {
            return Vec::new();
        }
        let both = self.0.len().min(other.0.len());
        let pairs = self.0.iter().zip(other.0.iter()).filter(|(mine, theirs)| !Arc::ptr_eq(mine, theirs));
        let pairs = pairs.flat_map(|(mine, theirs)| mine.differing(theirs));
        let rest = self.0[both..].iter().chain(&other.0[both..]).flat_map(|level| level.rules());
        let rest = rest.map(|(target, _)| target);
        pairs.chain(rest).collect()
    }

    pub(crate) fn ignores(&self, place: usize, target: &Target, source: &str, id: &Id) -> bool {
        let (earlier, level) = (&self.0[..place], &self.0[place]);
        level.authority() == Authority::RestrictOnly
            && level.decision(FullName::Own, source, id).is_some_and(|rule| rule == (target.clone(), Decision::Enable))
            && disables(earlier, FullName::Own, source, id)
    }
}

fn disables(levels: &[Arc<RuleSet>], full_name: FullName, source: &str, id: &Id) -> bool {
    levels.iter().fold(false, |disabled, level| match level.decision(full_name, source, id) {
        None => disabled,
        Some((_, Decision::Disable)) => true,
        Some((_, Decision::Enable)) => disabled && level.authority() == Authority::RestrictOnly,
    })
}

/// A level of [`RuleStack`]: of the operator, a project or a session.
///
/// Of several rules that match, the most specific decides: the one for `source:id`, then for the id, then for the source, then
/// for everything. Of two rules for the same target, the later decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSet {
    name: Arc<str>,
    authority: Authority,
    ids: BTreeMap<Id, Decision>,
    sources: BTreeMap<Arc<str>, Decision>,
    all: Option<Decision>,
}

/// The authority of a level over items that an earlier level disabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Authority {
    /// It may enable them.
    Full,
    /// It may only disable further items. Its exceptions to its own rules count.
    RestrictOnly,
}

/// The target of a rule.
///
/// Written `*`, `source:*` or as an id. `tidy` is that id in every source. `home:tidy` is that of the source `home`, and an id
/// that is written so.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("minLength" = 1)))]
#[serde(try_from = "String", into = "String")]
pub enum Target {
    /// Every item.
    All,
    /// Every item of one source.
    Source(Arc<str>),
    /// One id, in every source or, as `source:id`, in one.
    Id(Id),
}

/// The decision of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The item is enabled.
    Enable,
    /// The item is disabled.
    Disable,
}

/// The owner of an id that is written like the full name `source:id` of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FullName {
    /// The item itself, as no other item has that full name.
    Own,
    /// An item of the source that the id begins with. RuleStack for that full name are about that item.
    Anothers,
}

impl RuleSet {
    /// Creates a level without rules. `name` is for people.
    pub fn new(name: impl Into<Arc<str>>, authority: Authority) -> RuleSet {
        RuleSet { name: name.into(), authority, ids: BTreeMap::new(), sources: BTreeMap::new(), all: None }
    }

    /// Adds a rule that disables `target`.
    #[must_use]
    pub fn disable(self, target: Target) -> RuleSet {
        self.with(target, Decision::Disable)
    }

    /// Adds a rule that enables `target`.
    #[must_use]
    pub fn enable(self, target: Target) -> RuleSet {
        self.with(target, Decision::Enable)
    }

    /// Adds a rule.
    #[must_use]
    pub fn with(mut self, target: Target, decision: Decision) -> RuleSet {
        match target {
            Target::Id(id) => drop(self.ids.insert(id, decision)),
            Target::Source(source) => drop(self.sources.insert(source, decision)),
            Target::All => self.all = Some(decision),
        }
        self
    }

    /// Returns the name, for people.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns its authority over what an earlier level disabled.
    pub fn authority(&self) -> Authority {
        self.authority
    }

    /// Returns the rules, the widest first.
    pub fn rules(&self) -> impl Iterator<Item = (Target, Decision)> {
        let all = self.all.iter().map(|decision| (Target::All, *decision));
        let sources = self.sources.iter().map(|(source, decision)| (Target::Source(source.clone()), *decision));
        let ids = self.ids.iter().map(|(id, decision)| (Target::Id(id.clone()), *decision));
        all.chain(sources).chain(ids)
    }

    pub(crate) fn decision(&self, full_name: FullName, source: &str, id: &Id) -> Option<(Target, Decision)> {
        if !self.ids.is_empty() {
            let qualified = self.ids.get_key_value(&Id::qualified(source, id));
            let plain = self.ids.get_key_value(id).filter(|_| full_name == FullName::Own);
            if let Some((id, decision)) = qualified.or(plain) {
                return Some((Target::Id(id.clone()), *decision));
            }
        }
        match self.sources.get_key_value(source) {
            Some((source, decision)) => Some((Target::Source(source.clone()), *decision)),
            None => self.all.map(|decision| (Target::All, decision)),
        }
    }

    pub(crate) fn differing(&self, other: &RuleSet) -> Vec<Target> {
        if self.authority != other.authority {
            return self.rules().chain(other.rules()).map(|(target, _)| target).collect();
        }
        let (mine, theirs): (BTreeMap<_, _>, BTreeMap<_, _>) = (self.rules().collect(), other.rules().collect());
        mine.keys()
            .chain(theirs.keys())
            .filter(|target: &&Target| mine.get(*target) != theirs.get(*target))
            .cloned()
            .collect()
    }
}

impl Target {
    /// Returns whether this is the item `id` of `source`, or includes it.
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
