use repertoire_core::{Listing, ListingEntry, Revision, Skill, Stamp, ToolPattern};
use repertoire_registry::{Candidate, Layer, Origin, Tier, Trust, merge};

use crate::Effect;
use crate::grants::*;

/// A skill of a source with this trust that pre-approves these tools.
fn candidate(trust: Trust, tools: &[&str]) -> Candidate<Skill> {
    let mut skill = Skill::new("release".parse().unwrap(), "Releases.");
    skill.allowed_tools = Some(tools.iter().map(|tool| (*tool).into()).collect());
    let listing = Listing::new(Revision(0), [ListingEntry::new(skill, Stamp::of("1"))], []);
    let mut layer = Layer::new(Origin::new(Tier::User, "home"), 0, listing);
    layer.trust = trust;
    merge(&[layer]).get("release").unwrap().candidate.clone()
}

fn pattern(text: &str) -> ToolPattern {
    text.parse().unwrap()
}

#[test]
fn grants_require_an_active_trusted_skill() {
    let effect = |grants: &Grants| {
        grants
            .decision("Bash", "git log")
            .map(|decision| (decision.effect, decision.rule.to_string()))
    };
    let active = candidate(Trust::Trusted, &["Bash(git:*)", "Bash(* x)"]);
    let grants = Grants::new([&active]);
    assert_eq!(
        effect(&grants),
        Some((Effect::Allow, "skill:home:release.allowed-tools".to_owned()))
    );
    assert_eq!(
        grants.unread(),
        [("home:release".parse().unwrap(), "Bash(* x)".into())]
    );
    assert_eq!(effect(&Grants::new([])), None);
    for trust in [Trust::Restricted, Trust::Pending] {
        assert_eq!(
            Grants::new([&candidate(trust, &["Bash(git:*)"])]),
            Grants::default(),
            "{trust}"
        );
    }
    assert_eq!(
        effect(&Grants::new([&candidate(Trust::Trusted, &[])])),
        None,
        "an empty list pre-approves nothing"
    );
}

#[test]
fn denials_of_the_operator_override_grants() {
    let active = candidate(Trust::Trusted, &["Bash(git push *)", "Bash"]);
    let grants = Grants::new([&active]).except([pattern("Bash(git push *)")]);
    let decision = grants.decision("Bash", "git push --force").unwrap();
    assert_eq!(
        (decision.effect, &*decision.rule),
        (Effect::Deny, "deny.Bash(git push *)")
    );
    assert_eq!(
        &*decision.rationale,
        "the operator denies `Bash(git push *)`"
    );
    assert_eq!(
        grants
            .decision("Bash", "git log")
            .map(|decision| decision.effect),
        Some(Effect::Allow)
    );
    assert_eq!(grants.decision("Read", "x"), None);
}
