use repertoire_core::{Listed, Listing, Revision, Stamp};
use repertoire_registry::{Authority, Layer, Level, Origin, Rules, Tier, Trust, merge, merge_under};

use super::*;

/// Why a skill with these flags is hidden, from the model and from the user.
fn hidden(trust: Trust, disable_model_invocation: bool, user_invocable: bool) -> [Option<Hidden>; 2] {
    hidden_under(&Rules::default(), trust, disable_model_invocation, user_invocable)
}

fn hidden_under(
    rules: &Rules,
    trust: Trust,
    disable_model_invocation: bool,
    user_invocable: bool,
) -> [Option<Hidden>; 2] {
    let mut skill = Skill::new("by-hand".parse().unwrap(), "Releases the product.");
    skill.disable_model_invocation = disable_model_invocation;
    skill.user_invocable = user_invocable;
    let listing = Listing::new(Revision(0), [Listed::new(skill, Stamp::of("1"))], []);
    let mut layer = Layer::new(Origin::new(Tier::User, "home"), 0, listing);
    layer.trust = trust;
    let claim = merge_under(rules, &[layer]).get("by-hand").unwrap().claim.clone();
    let answers = [Audience::Model, Audience::User].map(|audience| audience.hides(&claim));
    assert_eq!([Audience::Model.sees(&claim), Audience::User.sees(&claim)], answers.map(|hidden| hidden.is_none()));
    answers
}

#[test]
fn a_skill_that_says_nothing_is_seen_by_both() {
    assert_eq!(hidden(Trust::Trusted, false, true), [None, None]);
    assert_eq!(hidden(Trust::Restricted, false, true), [None, None]);
}

#[test]
fn each_flag_hides_from_one_audience_and_leaves_the_other() {
    assert_eq!(hidden(Trust::Trusted, true, true), [Some(Hidden::ForUsersOnly), None]);
    assert_eq!(hidden(Trust::Trusted, false, false), [None, Some(Hidden::ForModelsOnly)]);
    assert_eq!(hidden(Trust::Trusted, true, false), [Some(Hidden::ForUsersOnly), Some(Hidden::ForModelsOnly)]);
}

#[test]
fn pending_hides_from_both_whatever_the_flags() {
    for flags in [(false, true), (true, false)] {
        assert_eq!(hidden(Trust::Pending, flags.0, flags.1), [Some(Hidden::Pending); 2]);
    }
}

#[test]
fn disabled_hides_from_both_even_what_is_pending() {
    for trust in [Trust::Trusted, Trust::Restricted, Trust::Pending] {
        let rules = Rules::new([Level::new("user", Authority::MayWiden).disable("by-hand".parse().unwrap())]);
        assert_eq!(hidden_under(&rules, trust, false, true), [Some(Hidden::Disabled); 2]);
    }
}

#[test]
fn a_reason_says_who_may() {
    let reasons = [Hidden::Disabled, Hidden::Pending, Hidden::ForUsersOnly, Hidden::ForModelsOnly]
        .map(|hidden| hidden.to_string());
    assert_eq!(
        reasons,
        [
            "it is disabled",
            "its source is not trusted yet",
            "only the user may invoke it",
            "only the model may invoke it"
        ]
    );
}

#[test]
fn the_most_specific_mode_decides_and_widens_nothing() {
    let mut release = Skill::new("release".parse().unwrap(), "Releases.");
    release.disable_model_invocation = true;
    let rows = [release, Skill::new("pdf".parse().unwrap(), "Reads.")].map(|skill| Listed::new(skill, Stamp::of("1")));
    let snapshot = merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, Listing::new(Revision(0), rows, []))]);
    let claim = |id: &str| snapshot.get(id).unwrap().claim.clone();
    let hidden =
        |modes: &Modes, id: &str| [Audience::Model, Audience::User].map(|audience| modes.hides(audience, &claim(id)));
    let modes =
        [("home:pdf", Mode::ManualOnly), ("release", Mode::Pinned), ("*", Mode::Off), ("home:*", Mode::NameOnly)];
    let modes = modes.iter().fold(Modes::default(), |all, (target, mode)| all.with(target.parse().unwrap(), *mode));
    assert_eq!([modes.of(&claim("pdf")), modes.of(&claim("release"))], [Mode::ManualOnly, Mode::Pinned]);
    assert_eq!(hidden(&modes, "pdf"), [Some(Hidden::ForUsersOnly), None]);
    assert_eq!(hidden(&modes, "release"), [Some(Hidden::ForUsersOnly), None], "what it declares stays");
    assert_eq!(hidden(&modes.with("home:pdf".parse().unwrap(), Mode::Off), "pdf"), [Some(Hidden::Disabled); 2]);
    assert_eq!(hidden(&Modes::default(), "pdf"), [None, None]);
}
