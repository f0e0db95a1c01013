//! What is switched off, and by whom.

use std::sync::Arc;

use repertoire_core::Id;

use crate::level::{Decision, FullName, Level};
use crate::{Authority, Target};

/// What is switched off: levels of rules, the one that decides about all others first. Cheap to clone.
///
/// A later level may always disable; it may enable what an earlier one disabled only if it
/// [may widen](Authority::MayWiden). What is disabled wins no id that another claim has, and is hidden from models and
/// users; the operator still sees it.
///
/// ```
/// use repertoire_core::Skill;
/// use repertoire_registry::{Authority, Level, Registered, Rules, SkillRegistry, Standing};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let user = Level::new("user", Authority::MayWiden).disable("deploy".parse()?);
/// let project = Level::new("project", Authority::NarrowsOnly).enable("deploy".parse()?).disable("tidy".parse()?);
/// let registry = SkillRegistry::builder().rules(Rules::new([user, project])).load().await?;
/// registry.register_all(["deploy", "tidy", "greet"].map(|id| Skill::new(id.parse().expect("a good id"), "Does it.")))?;
///
/// let standing = |id| registry.get(id).map(|entry| entry.claim.standing);
/// assert_eq!(standing("greet"), Some(Standing::Admitted));
/// assert_eq!(standing("tidy"), Some(Standing::Disabled));
/// assert_eq!(standing("deploy"), Some(Standing::Disabled), "the project cannot undo it");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules(Arc<[Arc<Level>]>);

impl Rules {
    /// Rules of these levels.
    pub fn new(levels: impl IntoIterator<Item = Level>) -> Rules {
        Rules(levels.into_iter().map(Arc::new).collect())
    }

    /// The levels, the one that decides about all others first.
    pub fn levels(&self) -> impl ExactSizeIterator<Item = &Level> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// Whether the item `id` of `source` is switched off.
    pub fn disables(&self, source: &str, id: &Id) -> bool {
        self.disables_as(FullName::Own, source, id)
    }

    /// As [`disables`](Rules::disables), for an id that may be the full name of another item.
    pub(crate) fn disables_as(&self, full_name: FullName, source: &str, id: &Id) -> bool {
        disables(&self.0, full_name, source, id)
    }

    /// The same rules and `later` ones behind them.
    pub(crate) fn and(&self, later: &Rules) -> Rules {
        Rules(self.0.iter().chain(later.0.iter()).cloned().collect())
    }

    /// The targets that `other` does not switch as these rules do; whatever is switched in another way is among them.
    pub(crate) fn differing(&self, other: &Rules) -> Vec<Target> {
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

    /// Whether the rule `target` of the level at `place` would enable this item, which an earlier level disables, and is
    /// not allowed to.
    pub(crate) fn ignores(&self, place: usize, target: &Target, source: &str, id: &Id) -> bool {
        let (earlier, level) = (&self.0[..place], &self.0[place]);
        level.authority() == Authority::NarrowsOnly
            && level.decision(FullName::Own, source, id).is_some_and(|rule| rule == (target.clone(), Decision::Enable))
            && disables(earlier, FullName::Own, source, id)
    }
}

fn disables(levels: &[Arc<Level>], full_name: FullName, source: &str, id: &Id) -> bool {
    levels.iter().fold(false, |disabled, level| match level.decision(full_name, source, id) {
        None => disabled,
        Some((_, Decision::Disable)) => true,
        Some((_, Decision::Enable)) => disabled && level.authority() == Authority::NarrowsOnly,
    })
}
