use std::sync::Arc;

use repertoire_core::{FunctionalTier, InvokeLevel, Listing, ListingEntry, Revision, Stamp};
use repertoire_registry::{
    Authority, Layer, Origin, RuleSet, RuleStack, Tier, Trust, merge, merge_under,
};

use super::*;
use crate::tests::declaring;
use crate::{Access, PermissionPolicy};

/// Returns the reasons why a skill with these flags is hidden from the model and from the user.
fn hidden(
    trust: Trust,
    disable_model_invocation: bool,
    user_invocable: bool,
) -> [Option<HiddenReason>; 2] {
    hidden_under(
        &RuleStack::default(),
        trust,
        disable_model_invocation,
        user_invocable,
    )
}

fn hidden_under(
    rules: &RuleStack,
    trust: Trust,
    disable_model_invocation: bool,
    user_invocable: bool,
) -> [Option<HiddenReason>; 2] {
    let mut skill = Skill::new("by-hand".parse().unwrap(), "Releases the product.");
    skill.disable_model_invocation = disable_model_invocation;
    skill.user_invocable = user_invocable;
    let listing = Listing::new(Revision(0), [ListingEntry::new(skill, Stamp::of("1"))], []);
    let mut layer = Layer::new(Origin::new(Tier::User, "home"), 0, listing);
    layer.trust = trust;
    let candidate = merge_under(rules, &[layer])
        .get("by-hand")
        .unwrap()
        .candidate
        .clone();

    [Audience::Model, Audience::User].map(|audience| audience.hidden_reason(&candidate))
}

#[test]
fn both_audiences_see_skills_by_default() {
    assert_eq!(hidden(Trust::Trusted, false, true), [None, None]);
    assert_eq!(hidden(Trust::Restricted, false, true), [None, None]);
}

#[test]
fn each_flag_hides_from_one_audience() {
    assert_eq!(
        hidden(Trust::Trusted, true, true),
        [Some(HiddenReason::ForUsersOnly), None]
    );
    assert_eq!(
        hidden(Trust::Trusted, false, false),
        [None, Some(HiddenReason::ForModelsOnly)]
    );
    assert_eq!(
        hidden(Trust::Trusted, true, false),
        [
            Some(HiddenReason::ForUsersOnly),
            Some(HiddenReason::ForModelsOnly)
        ]
    );
}

#[test]
fn pending_hides_from_both_whatever_the_flags() {
    for flags in [(false, true), (true, false)] {
        assert_eq!(
            hidden(Trust::Pending, flags.0, flags.1),
            [Some(HiddenReason::Pending); 2]
        );
    }
}

#[test]
fn disabled_overrides_pending() {
    for trust in [Trust::Trusted, Trust::Restricted, Trust::Pending] {
        let rules = RuleStack::new([
            RuleSet::new("user", Authority::Full).disable("by-hand".parse().unwrap())
        ]);
        assert_eq!(
            hidden_under(&rules, trust, false, true),
            [Some(HiddenReason::Disabled); 2]
        );
    }
}

#[test]
fn hidden_reasons_are_displayed_in_words() {
    let reasons = [
        (HiddenReason::Disabled, "it is disabled"),
        (HiddenReason::Pending, "its source is not trusted yet"),
        (HiddenReason::ForUsersOnly, "only the user may invoke it"),
        (HiddenReason::ForModelsOnly, "only the model may invoke it"),
        (HiddenReason::OtherWorkflow, "it is for other workflows"),
        (HiddenReason::Filtered, "it is not among what was asked for"),
        (HiddenReason::Denied, "permissions deny it"),
        (HiddenReason::NotReady, "something that it needs is missing"),
        (HiddenReason::NotNeeded, "what it stands in for is there"),
    ];
    for (hidden, words) in reasons {
        assert_eq!(hidden.to_string(), words);
    }
}

#[test]
fn the_most_specific_mode_decides_and_widens_nothing() {
    let mut release = Skill::new("release".parse().unwrap(), "Releases.");
    release.disable_model_invocation = true;
    let rows = [release, Skill::new("pdf".parse().unwrap(), "Reads.")]
        .map(|skill| ListingEntry::new(skill, Stamp::of("1")));
    let snapshot = merge(&[Layer::new(
        Origin::new(Tier::User, "home"),
        0,
        Listing::new(Revision(0), rows, []),
    )]);
    let candidate = |id: &str| snapshot.get(id).unwrap().candidate.clone();
    let hidden = |modes: &VisibilityPolicy, id: &str| {
        [Audience::Model, Audience::User]
            .map(|audience| modes.hidden_reason(audience, &candidate(id)))
    };
    let modes = [
        ("home:pdf", Exposure::ManualOnly),
        ("release", Exposure::Pinned),
        ("*", Exposure::Off),
        ("home:*", Exposure::NameOnly),
    ];
    let modes = modes
        .iter()
        .fold(VisibilityPolicy::default(), |all, (target, mode)| {
            all.with(target.parse().unwrap(), *mode)
        });
    assert_eq!(
        [
            modes.exposure(&candidate("pdf")),
            modes.exposure(&candidate("release"))
        ],
        [Exposure::ManualOnly, Exposure::Pinned]
    );
    assert_eq!(
        hidden(&modes, "pdf"),
        [Some(HiddenReason::ForUsersOnly), None]
    );
    assert_eq!(
        hidden(&modes, "release"),
        [Some(HiddenReason::ForUsersOnly), None],
        "what it declares stays"
    );
    assert_eq!(
        hidden(
            &modes.with("home:pdf".parse().unwrap(), Exposure::Off),
            "pdf"
        ),
        [Some(HiddenReason::Disabled); 2]
    );
    assert_eq!(hidden(&VisibilityPolicy::default(), "pdf"), [None, None]);
}

#[test]
fn a_full_name_is_of_its_owner() {
    let listing = |ids: &[&str]| {
        let skill = |id: &&str| {
            ListingEntry::new(Skill::new(id.parse().unwrap(), "Does it."), Stamp::of("1"))
        };
        Listing::new(Revision(0), ids.iter().map(skill), [])
    };
    let layers = |home: &[&str], tier| {
        let home = Layer::new(Origin::new(Tier::User, "home"), 0, listing(home));
        [
            home,
            Layer::new(
                Origin::new(tier, "work"),
                1,
                listing(&["home:tidy", "home:bake"]),
            ),
        ]
    };
    let modes = VisibilityPolicy::default().with("home:tidy".parse().unwrap(), Exposure::Off);
    let policy = PermissionPolicy::new([("reader", Vec::<&str>::new())], "reader").unwrap();
    let policy = policy
        .skills("reader", ["home:tidy".parse().unwrap()])
        .unwrap();
    let matched = |layers: &[Layer<Skill>]| {
        let snapshot = merge(layers);
        let candidates = || {
            snapshot
                .entries()
                .iter()
                .flat_map(|entry| entry.candidates())
        };
        let off: Vec<_> = candidates()
            .filter(|candidate| modes.exposure(candidate) == Exposure::Off)
            .map(Candidate::qualified_id)
            .collect();
        let read = candidates()
            .filter(|candidate| policy.decision(&Access::Skill(candidate)).is_allowed());
        assert_eq!(read.map(Candidate::qualified_id).collect::<Vec<_>>(), off);
        off.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(matched(&layers(&["tidy"], Tier::User)), ["home:tidy"]);
    assert_eq!(
        matched(&layers(&["bake"], Tier::User)),
        [""; 0],
        "the source `home` does not have it"
    );
    assert_eq!(
        matched(&layers(&["tidy"], Tier::Builtin)),
        ["work:home:tidy", "home:tidy"],
        "an earlier tier keeps it"
    );
}

#[test]
fn workflow_skills_are_visible_in_their_workflows() {
    let outside = VisibilityPolicy::default();
    let [build, deploy] =
        ["build", "deploy"].map(|workflow| VisibilityPolicy::default().in_workflow(workflow));
    for (declared, expected) in [
        ("license: MIT", [true, true, true]),
        ("allowedWorkflows: [build]", [false, true, false]),
        ("allowedWorkflows: build, deploy", [false, true, true]),
        ("allowedWorkflows: []", [false, false, false]),
        ("allowedWorkflows: {build: yes}", [false, false, false]),
        ("allowedWorkflows:", [false, false, false]),
        ("allowedWorkflows: [build, 1]", [false, true, false]),
        ("allowedWorkflows: [Build]", [false, false, false]),
    ] {
        let candidate = declaring(declared);
        for audience in [Audience::Model, Audience::User] {
            assert_eq!(
                [&outside, &build, &deploy].map(|modes| modes.sees(audience, &candidate)),
                expected,
                "{declared}"
            );
        }
        assert_eq!(
            Audience::Model.hidden_reason(&candidate),
            outside.hidden_reason(Audience::Model, &candidate),
            "{declared}"
        );
    }
    let twice = declaring("allowedWorkflows: [build]\ndisable-model-invocation: true");
    assert_eq!(
        build.hidden_reason(Audience::Model, &twice),
        Some(HiddenReason::ForUsersOnly),
        "a workflow lifts nothing else"
    );
}

#[test]
fn tiers_hide_from_all_and_levels_from_models() {
    let audit = VisibilityPolicy::default().functional_tiers([FunctionalTier::new("audit-proof")]);
    let hidden = |modes: &VisibilityPolicy, candidate: &Candidate<Skill>| {
        [Audience::Model, Audience::User].map(|who| modes.hidden_reason(who, candidate))
    };
    assert_eq!(
        hidden(&audit, &declaring("functional-tier: Audit & Proof")),
        [None; 2]
    );
    for other in ["functional-tier: integration", "license: MIT"] {
        assert_eq!(
            hidden(&audit, &declaring(other)),
            [Some(HiddenReason::Filtered); 2],
            "{other}"
        );
    }
    for (declared, levels) in [
        ("invoke-level: 1", [true, true, true]),
        ("license: MIT", [false, true, true]),
        ("tier: 3", [false, false, true]),
    ] {
        for (level, sees) in [InvokeLevel::Any, InvokeLevel::Executor, InvokeLevel::Top]
            .into_iter()
            .zip(levels)
        {
            let expected = [(!sees).then_some(HiddenReason::Filtered), None];
            assert_eq!(
                hidden(
                    &VisibilityPolicy::default().invoke_level(level),
                    &declaring(declared)
                ),
                expected,
                "{declared}"
            );
        }
    }
}

#[test]
fn policies_with_different_authorizers_are_not_equal() {
    let policy = || Arc::new(PermissionPolicy::new([("all", Vec::<&str>::new())], "all").unwrap());
    let checked = VisibilityPolicy::default().permitted_by(policy());
    assert_eq!(checked, checked.clone());
    assert_ne!(
        checked,
        VisibilityPolicy::default().permitted_by(policy()),
        "two authorizers cannot be compared"
    );
    assert_eq!(
        VisibilityPolicy::default().in_workflow("a"),
        VisibilityPolicy::default().in_workflow("a")
    );
    assert_ne!(
        VisibilityPolicy::default().in_workflow("a"),
        VisibilityPolicy::default()
    );
    assert!(
        VisibilityPolicy::default().is_empty()
            && !VisibilityPolicy::default().in_workflow("a").is_empty()
    );
}

mod modes;
