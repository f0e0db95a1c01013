//! Rules that disable and enable items, deny content, and restrict folders.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use repertoire_core::{Digest, Id, InvalidValue, Trust};
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

    pub(crate) fn levels(&self) -> impl ExactSizeIterator<Item = &RuleSet> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// Returns whether what these targets are about, the most specific first, is disabled.
    pub(crate) fn disables<I: Iterator<Item = Target>>(&self, targets: impl Fn() -> I) -> bool {
        disables(&self.0, targets)
    }

    pub(crate) fn and(&self, later: &RuleStack) -> RuleStack {
        RuleStack(self.0.iter().chain(later.0.iter()).cloned().collect())
    }

    pub(crate) fn denies_content(&self) -> bool {
        self.levels().any(|level| !level.denied.is_empty())
    }

    /// Returns the name of the level that denies content.
    #[doc(hidden)]
    pub fn denying(&self, content: &Digest) -> Option<&str> {
        let mut levels = self.levels();
        let level = levels.find(|level| level.denied.contains(content))?;
        Some(level.name())
    }

    /// Returns the trust of an item at `location` in a source with `trust`.
    pub(crate) fn trust_of(&self, trust: Trust, location: Option<&str>) -> Trust {
        let is_restricted = location.is_some_and(|location| {
            let mut levels = self.levels().filter(|level| !level.restricted.is_empty());
            levels.any(|level| folders_of(location).any(|folder| level.restricted.contains(folder)))
        });
        match is_restricted {
            true => trust.max(Trust::Restricted),
            false => trust,
        }
    }

    /// Returns the rules below those levels of `before` that restrict folders.
    pub(crate) fn restricted_as(&self, before: &RuleStack) -> RuleStack {
        let restricting = before.0.iter().filter(|level| !level.restricted.is_empty());
        // A host may compose the same level again.
        let missing = restricting.filter(|level| !self.0.contains(level));
        RuleStack(missing.chain(self.0.iter()).cloned().collect())
    }

    /// Returns whether both restrict the same folders, in the same levels.
    pub(crate) fn restricts_as(&self, other: &RuleStack) -> bool {
        let both = [self, other].map(|rules| {
            let levels = rules.levels().map(|level| &level.restricted);
            levels.filter(|folders| !folders.is_empty())
        });
        let [mine, theirs] = both;
        mine.eq(theirs)
    }

    pub(crate) fn differing(&self, other: &RuleStack) -> Vec<Target> {
        if Arc::ptr_eq(&self.0, &other.0) {
            return Vec::new();
        }
        let both = self.0.len().min(other.0.len());
        let pairs = self
            .0
            .iter()
            .zip(other.0.iter())
            .filter(|(mine, theirs)| !Arc::ptr_eq(mine, theirs));
        let pairs = pairs.flat_map(|(mine, theirs)| mine.differing(theirs));
        let rest = self.0[both..]
            .iter()
            .chain(&other.0[both..])
            .flat_map(|level| level.rules());
        let rest = rest.map(|(target, _)| target);
        pairs.chain(rest).collect()
    }

    /// Returns whether the rule of the level at `place` that enables `target` has no effect on what `targets` are about.
    pub(crate) fn ignores<I: Iterator<Item = Target>>(
        &self,
        place: usize,
        target: &Target,
        targets: impl Fn() -> I,
    ) -> bool {
        let (earlier, level) = (&self.0[..place], &self.0[place]);
        level.authority() == Authority::RestrictOnly
            && level
                .decision(&targets)
                .is_some_and(|rule| rule == (target.clone(), Decision::Enable))
            && disables(earlier, targets)
    }
}

/// Returns a location and the folders above it.
fn folders_of(location: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(location), |path| {
        Some(&path[..path.rfind(['/', '\\'])?])
    })
}

fn disables<I: Iterator<Item = Target>>(levels: &[Arc<RuleSet>], targets: impl Fn() -> I) -> bool {
    levels
        .iter()
        .fold(false, |disabled, level| match level.decision(&targets) {
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
    rules: BTreeMap<Target, Decision>,
    denied: BTreeSet<Digest>,
    restricted: BTreeSet<Box<str>>,
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
/// Written `*`, `source:*` or as an id. `tidy` is that id in every source. `home:tidy` is that of the source `home`. If no source
/// `home` counts as much as the source of an item that is written so, it is that item too.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    Enable,
    Disable,
}

impl RuleSet {
    /// Creates a level without rules. `name` is for people.
    pub fn new(name: impl Into<Arc<str>>, authority: Authority) -> RuleSet {
        RuleSet {
            name: name.into(),
            authority,
            rules: BTreeMap::new(),
            denied: BTreeSet::new(),
            restricted: BTreeSet::new(),
        }
    }

    /// Denies content: of a file, or of all files of an item by the digest of their manifest.
    ///
    /// An item with such content cannot be read. No level can allow what a different level denies.
    #[must_use]
    pub fn deny(mut self, content: Digest) -> RuleSet {
        self.denied.insert(content);
        self
    }

    /// Restricts the items whose location is below `folder`, such as new content of a trusted source.
    ///
    /// Their trust is at most [`Trust::Restricted`]. No level can lift what a different level restricts. The level stays when the
    /// registry is [recomposed](crate::Registry::recompose), until the rules are [set](crate::Registry::set_rules).
    #[doc(hidden)]
    #[must_use]
    pub fn restrict(mut self, folder: impl Into<Box<str>>) -> RuleSet {
        self.restricted.insert(folder.into());
        self
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

    fn with(mut self, target: Target, decision: Decision) -> RuleSet {
        self.rules.insert(target, decision);
        self
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub(crate) fn authority(&self) -> Authority {
        self.authority
    }

    /// Returns the rules, the widest first.
    pub(crate) fn rules(&self) -> impl Iterator<Item = (Target, Decision)> {
        self.rules
            .iter()
            .map(|(target, decision)| (target.clone(), *decision))
    }

    fn decision<I: Iterator<Item = Target>>(
        &self,
        targets: impl Fn() -> I,
    ) -> Option<(Target, Decision)> {
        if self.rules.is_empty() {
            return None;
        }
        targets().find_map(|target| self.rules.get(&target).map(|decision| (target, *decision)))
    }

    fn differing(&self, other: &RuleSet) -> Vec<Target> {
        let all = self.rules.keys().chain(other.rules.keys());
        let differs = |target: &&Target| {
            self.authority != other.authority || self.rules.get(*target) != other.rules.get(*target)
        };
        all.filter(differs).cloned().collect()
    }
}

impl FromStr for Target {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Target, InvalidValue> {
        match text.strip_suffix('*') {
            Some("") => Ok(Target::All),
            Some(source) if source.ends_with(':') => {
                Ok(Target::Source(source[..source.len() - 1].into()))
            }
            _ => text.parse().map(Target::Id),
        }
    }
}

impl TryFrom<String> for Target {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Target, InvalidValue> {
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
            Target::Source(source) => {
                write!(f, "{}:*", repertoire_core::text::terminal_line(source))
            }
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
