mod policies;
mod tools;

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};

use repertoire_core::{
    Attachable, FunctionalTier, Id, InvokeLevel, Listing, ListingEntry, Revision, Skill, Stamp,
    ToolPolicies, ToolPolicy, ToolSpec, skill_md,
};
use repertoire_registry::{Candidate, Layer, Origin, Snapshot, Target, Tier, merge};

use super::*;
use crate::{Audience, HiddenReason, VisibilityPolicy};

/// A view in which `home` has these skills.
fn view(ids: &[&str]) -> Snapshot<Skill> {
    let row =
        |id: &&str| ListingEntry::new(Skill::new(id.parse().unwrap(), "Does it."), Stamp::of(id));
    let listing = Listing::new(Revision(0), ids.iter().map(row), []);
    merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, listing)])
}

fn candidate(id: &str) -> Candidate<Skill> {
    view(&[id]).get(id).unwrap().candidate.clone()
}

/// A skill `probe` with these lines of front matter.
pub(crate) fn skill(front_matter: &str) -> Skill {
    let text = format!("---\nname: probe\ndescription: Probes.\n{front_matter}\n---\n");
    skill_md::parse(text.as_bytes(), skill_md::FileContext::new("SKILL.md"))
        .skill
        .unwrap()
}

/// The same skill of the trusted source `home`.
pub(crate) fn declaring(front_matter: &str) -> Candidate<Skill> {
    let row = ListingEntry::new(skill(front_matter), Stamp::of("1"));
    let listing = Listing::new(Revision(0), [row], []);
    merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, listing)])
        .get("probe")
        .unwrap()
        .candidate
        .clone()
}

fn target(text: &str) -> Target {
    text.parse().unwrap()
}

/// Returns the effect and the rule of a decision.
fn rule(decision: &AccessDecision) -> (Effect, &str) {
    (decision.effect, &decision.rule)
}

/// A host's own rules: what `answer` does with each access.
struct Host<F>(F, AtomicUsize);

impl<F> std::fmt::Debug for Host<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Host")
    }
}

impl<
    F: Fn(&Access<'_>) -> Result<AccessDecision, Box<dyn Error + Send + Sync>> + Send + Sync + 'static,
> Authorizer for Host<F>
{
    fn governs(&self, _: &Capability) -> bool {
        true
    }

    fn check(&self, access: &Access<'_>) -> Result<AccessDecision, Box<dyn Error + Send + Sync>> {
        self.1.fetch_add(1, Ordering::Relaxed);
        (self.0)(access)
    }
}

fn host<
    F: Fn(&Access<'_>) -> Result<AccessDecision, Box<dyn Error + Send + Sync>> + Send + Sync + 'static,
>(
    answer: F,
) -> std::sync::Arc<Host<F>> {
    std::sync::Arc::new(Host(answer, AtomicUsize::new(0)))
}

fn allowed() -> AccessDecision {
    AccessDecision::new(Effect::Allow, "test.allow", "")
}
