//! Uses of tools that active skills pre-approve.

use std::sync::Arc;

use repertoire_core::{Id, Skill, ToolPattern};
use repertoire_registry::{Candidate, Status, Trust};

use crate::{AccessDecision, Effect};

/// The tool uses that active skills pre-approve by `allowed-tools`. It grants and never restricts.
///
/// Create new grants when the active skills change. Only skills of [trusted](Trust::Trusted) sources count. A use that the operator
/// denies stays denied.
///
/// ```
/// use repertoire_permission::{Effect, Grants};
/// # use repertoire_core::{ListingEntry, Listing, Revision, Skill, Stamp};
/// # use repertoire_registry::{Layer, Origin, Tier, merge};
/// # let mut skill = Skill::new("release".parse()?, "Releases.");
/// # skill.allowed_tools = Some(vec!["Bash(git:*)".into()]);
/// # let listing = Listing::new(Revision(0), [ListingEntry::new(skill, Stamp::of("1"))], []);
/// # let snapshot = merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, listing)]);
/// # let release = &snapshot.get("release").ok_or("no skill")?.candidate;
///
/// // `release` has `allowed-tools: Bash(git:*)`.
/// let grants = Grants::new([release]).except(["Bash(git push *)".parse()?]);
/// let effect = |command: &str| grants.decision("Bash", command).map(|decision| decision.effect);
/// assert_eq!(effect("git tag v1"), Some(Effect::Allow));
/// assert_eq!(effect("git tag v1 && git push --tags"), Some(Effect::Deny));
/// assert_eq!(effect("git tag v1; rm -rf ."), None, "no rule covers that");
/// assert!(Grants::new([]).decision("Bash", "git tag v1").is_none(), "it is not active any more");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grants {
    granted: Vec<(Id, ToolPattern)>,
    unread: Vec<(Id, Arc<str>)>,
    denied: Vec<ToolPattern>,
}

impl Grants {
    /// Creates the grants of these skills.
    pub fn new<'a>(active: impl IntoIterator<Item = &'a Candidate<Skill>>) -> Grants {
        let mut grants = Grants::default();
        for candidate in active.into_iter().filter(|candidate: &&Candidate<Skill>| {
            candidate.trust == Trust::Trusted && candidate.status == Status::Active
        }) {
            for (rule, pattern) in candidate.item.allowed_rules() {
                match pattern {
                    Ok(pattern) => grants.granted.push((candidate.qualified_id(), pattern)),
                    Err(_) => grants.unread.push((candidate.qualified_id(), rule.clone())),
                }
            }
        }
        grants
    }

    /// Adds uses that the operator denies.
    #[must_use]
    pub fn except(mut self, denied: impl IntoIterator<Item = ToolPattern>) -> Grants {
        self.denied.extend(denied);
        self
    }

    /// Returns the decision on a call of `tool`: denied by the operator, allowed by an active skill, or `None`.
    ///
    /// `argument` is the text that patterns match: the command of a shell, the path of a file.
    pub fn decision(&self, tool: &str, argument: &str) -> Option<AccessDecision> {
        if let Some(pattern) = self
            .denied
            .iter()
            .find(|pattern| pattern.touches(tool, argument))
        {
            return Some(AccessDecision::new(
                Effect::Deny,
                format!("deny.{pattern}"),
                format!("the operator denies `{pattern}`"),
            ));
        }
        let (id, pattern) = self
            .granted
            .iter()
            .find(|(_, pattern)| pattern.covers(tool, argument))?;
        let why = format!("the active skill `{id}` pre-approves `{pattern}`");
        Some(AccessDecision::new(
            Effect::Allow,
            format!("skill:{id}.allowed-tools"),
            why,
        ))
    }

    /// Returns the rules that grant nothing because they cannot be read, with the full names of their skills.
    pub fn unread(&self) -> &[(Id, Arc<str>)] {
        &self.unread
    }
}

#[cfg(test)]
mod tests;
