//! What is switched off, at several levels.

use std::sync::Arc;

use proptest::prelude::*;
use repertoire_core::Code;
use repertoire_registry::{
    Authority, Claim, Decision, Layer, Level, Mount, Registry, Rules, Snapshot, Standing, Target, Tier, Trust, merge,
    merge_under,
};

use crate::workflow::{Script, Workflow, any_layers, any_rows, bare, id, layer, listing, row, table};

fn target(text: &str) -> Target {
    text.parse().unwrap()
}

fn level(name: &str, authority: Authority, rules: &[(&str, Decision)]) -> Level {
    rules.iter().fold(Level::new(name, authority), |level, (text, decision)| level.with(target(text), *decision))
}

use Authority::{MayWiden, NarrowsOnly};
use Decision::{Disable, Enable};

/// `id standing <- source > source` in order of iteration.
fn standings(view: &Snapshot<Workflow>) -> Vec<String> {
    let standings = view.entries().iter().map(|entry| entry.claim.standing.to_string());
    table(view)
        .iter()
        .zip(standings)
        .map(|(row, standing)| row.replacen(" <-", &format!(" {standing} <-"), 1))
        .collect()
}

fn findings(view: &Snapshot<Workflow>) -> Vec<String> {
    let of_rules = |code| [Code::RULE_IGNORED, Code::RULE_UNMATCHED].contains(&code);
    let findings = view.diagnostics().iter().filter(|finding| of_rules(finding.diagnostic.code));
    findings.map(|finding| format!("{}: {}", finding.source, finding.diagnostic)).collect()
}

fn layers() -> Vec<Layer<Workflow>> {
    let mut kit = layer(Tier::Plugin, "kit", 2, [row("a", 3), row("c", 3)]);
    kit.namespaced = true;
    vec![
        layer(Tier::Builtin, "agent", 0, [row("a", 1), row("b", 1)]),
        layer(Tier::User, "home", 1, [row("a", 2), row("d", 2)]),
        kit,
    ]
}

fn under(levels: &[Level]) -> Vec<String> {
    standings(&merge_under(&Rules::new(levels.to_vec()), &layers()))
}

#[test]
fn an_id_is_off_in_every_source_and_a_full_name_in_one() {
    assert_eq!(
        under(&[level("user", MayWiden, &[("a", Disable)])]),
        [
            "a disabled <- agent > home",
            "b admitted <- agent",
            "d admitted <- home",
            "kit:a disabled <- kit",
            "kit:c admitted <- kit"
        ]
    );
    assert_eq!(under(&[level("user", MayWiden, &[("agent:a", Disable)])])[1], "a admitted <- home > agent");
    assert_eq!(under(&[level("user", MayWiden, &[("kit:a", Disable)])])[3], "kit:a disabled <- kit");
}

#[test]
fn the_most_specific_rule_of_a_level_decides_and_of_two_for_the_same_the_later() {
    let level = |rules: &[(&str, Decision)]| under(&[level("user", MayWiden, rules)]);
    let all_but_b = level(&[("*", Disable), ("agent:b", Enable)]);
    assert_eq!(all_but_b.iter().filter(|row| row.contains("admitted")).collect::<Vec<_>>(), ["b admitted <- agent"]);
    assert_eq!(level(&[("home:*", Disable), ("d", Enable)])[2], "d admitted <- home");
    assert_eq!(level(&[("d", Disable), ("home:d", Enable)])[2], "d admitted <- home");
    assert_eq!(level(&[("d", Enable), ("home:*", Disable)])[2], "d admitted <- home", "the order does not matter");
    assert_eq!(level(&[("d", Enable), ("d", Disable)])[2], "d disabled <- home");
    assert_eq!(level(&[("d", Disable), ("d", Enable)])[2], "d admitted <- home");
}

#[test]
fn a_later_level_may_always_disable_and_enable_only_if_it_may_widen() {
    let user = level("user", MayWiden, &[("d", Disable), ("b", Enable)]);
    let project = |authority| level("project", authority, &[("d", Enable), ("b", Disable)]);
    assert_eq!(under(&[user.clone(), project(MayWiden)])[1..3], ["b disabled <- agent", "d admitted <- home"]);
    let narrowing = Rules::new([user, project(NarrowsOnly)]);
    let view = merge_under(&narrowing, &layers());
    assert_eq!(standings(&view)[1..3], ["b disabled <- agent", "d disabled <- home"]);
    assert_eq!(
        findings(&view),
        ["project: warning[rule-ignored]: rule `enable d` of level `project` is ignored: the level may only narrow, \
          and an earlier one disables it"]
    );
}

#[test]
fn a_narrowing_level_may_make_exceptions_to_its_own_rules() {
    let view =
        merge_under(&Rules::new([level("project", NarrowsOnly, &[("home:*", Disable), ("d", Enable)])]), &layers());
    assert_eq!(standings(&view)[2], "d admitted <- home");
    assert_eq!(findings(&view), [""; 0]);
}

#[test]
fn a_rule_about_nothing_is_told() {
    let rules = [("nope", Disable), ("team:*", Disable), ("home:c", Enable), ("kit:*", Disable), ("*", Enable)];
    let view = merge_under(&Rules::new([level("user", MayWiden, &rules)]), &layers());
    assert_eq!(
        findings(&view),
        [
            "user: info[rule-unmatched]: rule `disable team:*` of level `user` is about nothing there is",
            "user: info[rule-unmatched]: rule `enable home:c` of level `user` is about nothing there is",
            "user: info[rule-unmatched]: rule `disable nope` of level `user` is about nothing there is",
        ]
    );
}

#[test]
fn what_counts_less_hides_nothing_that_counts_more() {
    let mut pending = layer(Tier::Builtin, "agent", 0, [row("a", 1), row("home:b", 1), row("home:c", 1)]);
    pending.trust = Trust::Pending;
    let home = layer(Tier::User, "home", 1, [row("a", 2), row("b", 2), row("c", 2)]);
    let rules = Rules::new([level("user", MayWiden, &[("home:a", Disable), ("home:c", Disable)])]);
    let view = merge_under(&rules, &[pending, home]);
    assert_eq!(
        view.get("a").unwrap().claims().map(|claim| claim.standing).collect::<Vec<_>>(),
        [Standing::Pending, Standing::Disabled]
    );
    let source = |name: &str| view.resolve(name).unwrap().claim.origin.source.to_string();
    assert_eq!(source("home:b"), "home", "an admitted one before a pending one that is only written so");
    assert_eq!(source("home:c"), "home", "a full name that is off stays with its source");
}

#[test]
fn a_disabled_one_makes_no_bare_name_ambiguous() {
    let namespaced = |source: &str, position| {
        let mut layer = layer(Tier::Plugin, source, position, [row("seed", 1)]);
        layer.namespaced = true;
        layer
    };
    let layers = [namespaced("pa", 0), namespaced("pb", 1)];
    assert!(merge(&layers).resolve("seed").is_err());
    let view = merge_under(&Rules::new([level("user", MayWiden, &[("pa:*", Disable)])]), &layers);
    assert_eq!(view.resolve("seed").unwrap().entry.id, id("pb:seed"));
    assert_eq!(view.resolve("pa:seed").unwrap().claim.standing, Standing::Disabled, "the operator reaches it");
}

#[test]
fn a_target_reads_as_it_is_written() {
    for text in ["*", "home:*", "tidy", "home:tidy", "kit:x:y", "tidy *", "a*"] {
        assert_eq!(target(text).to_string(), text);
        let json = serde_json::to_value(target(text)).unwrap();
        assert_eq!(serde_json::from_value::<Target>(json).unwrap(), target(text));
    }
    assert_eq!(target("home:*"), Target::Source("home".into()));
    assert_eq!(target("a*"), Target::Id(id("a*")), "a star stands for everything, not for a part of a name");
    assert!("../x".parse::<Target>().is_err());
}

#[tokio::test]
async fn rules_hold_at_once_and_for_whatever_comes() {
    let home = Arc::new(Script::new("home", [row("a", 1)]));
    let off = |text: &str| Rules::new([level("user", MayWiden, &[(text, Disable)])]);
    let registry = Registry::builder().user(Arc::clone(&home)).rules(off("b")).load().await.unwrap();
    let mut subscription = registry.subscribe();
    home.set([row("a", 1), row("b", 1)]);
    registry.refresh().await.unwrap();
    registry.add_source(Mount::user(Script::new("team", [row("b", 2)]))).await.unwrap();
    assert_eq!(standings(&registry.snapshot()), ["a admitted <- home", "b disabled <- home > team"]);
    subscription.next().await.unwrap();

    let before = registry.get("a").unwrap();
    registry.set_rules(&off("home:b"));
    assert_eq!(standings(&registry.snapshot()), ["a admitted <- home", "b admitted <- team > home"]);
    assert!(Arc::ptr_eq(&registry.get("a").unwrap(), &before));
    let change = subscription.next().await.unwrap().change;
    assert_eq!(change.causes.iter().map(ToString::to_string).collect::<Vec<_>>(), ["rules"]);
    assert_eq!(change.summary().to_string(), "~ b (source, metadata, body, resources, enabled)");

    registry.set_rules(&off("*"));
    assert_eq!(standings(&registry.snapshot()), ["a disabled <- home", "b disabled <- home > team"]);
    assert_eq!(registry.snapshot().rules(), &off("*"));
    registry.recompose(Registry::builder().user(Script::new("team", [row("b", 2)]))).await.unwrap();
    assert_eq!(standings(&registry.snapshot()), ["b admitted <- team"], "a new composition brings its own rules");
}

fn any_target() -> impl Strategy<Value = Target> {
    prop_oneof![
        1 => Just(Target::All),
        2 => (0u8..5).prop_map(|source| Target::Source(format!("s{source}").into())),
        4 => (0u8..9).prop_map(|name| Target::Id(id(&format!("w{name}")))),
        4 => (0u8..5, 0u8..9).prop_map(|(source, name)| Target::Id(id(&format!("s{source}:w{name}")))),
    ]
}

fn any_rules() -> impl Strategy<Value = Rules> {
    let decision = prop_oneof![2 => Just(Disable), 1 => Just(Enable)];
    let authority = prop_oneof![Just(MayWiden), Just(NarrowsOnly)];
    let level = (authority, prop::collection::vec((any_target(), decision), 0..4)).prop_map(|(authority, rules)| {
        rules.into_iter().fold(Level::new("level", authority), |level, (target, decision)| level.with(target, decision))
    });
    prop::collection::vec(level, 0..4).prop_map(Rules::new)
}

/// Whether a rule for the full name that `claim` is written like is about the item of another source.
fn is_anothers(view: &Snapshot<Workflow>, claim: &Claim<Workflow>) -> bool {
    let Some((source, rest)) = claim.item.id.as_str().split_once(':') else { return false };
    let weight = |claim: &Claim<Workflow>| (claim.trust == Trust::Pending, claim.origin.tier, claim.trust);
    let mut claims = view.entries().iter().flat_map(|entry| entry.claims());
    claims.any(|owner| {
        let layer = view.layer(&owner.origin.source).unwrap();
        let has_name = *owner.origin.source == *source && bare(layer, &owner.item.id).as_str() == rest;
        has_name && owner.origin != claim.origin && weight(owner) <= weight(claim)
    })
}

/// Whether an item is off, said the slow way.
fn is_off(rules: &Rules, view: &Snapshot<Workflow>, claim: &Claim<Workflow>) -> bool {
    let source = &*claim.origin.source;
    let name = bare(view.layer(source).unwrap(), &claim.item.id);
    let full = format!("{source}:{name}");
    let own = (!is_anothers(view, claim)).then(|| Target::Id(name.clone()));
    let mut off = false;
    for level in rules.levels() {
        let of = |wanted: &Target| level.rules().find(|(target, _)| target == wanted).map(|(_, decision)| decision);
        let ids = std::iter::once(Target::Id(id(&full))).chain(own.clone());
        let by_specificity: Vec<_> = ids.chain([Target::Source(source.into()), Target::All]).collect();
        match by_specificity.iter().find_map(of) {
            Some(Disable) => off = true,
            Some(Enable) if level.authority() == MayWiden => off = false,
            _ => {}
        }
    }
    off
}

proptest! {
    #[test]
    fn rules_decide_as_they_are_described(layers in any_layers(), rules in any_rules()) {
        let view = merge_under(&rules, &layers);
        for claim in view.entries().iter().flat_map(|entry| entry.claims()) {
            let expected = match claim.trust {
                _ if is_off(&rules, &view, claim) => Standing::Disabled,
                Trust::Pending => Standing::Pending,
                _ => Standing::Admitted,
            };
            prop_assert_eq!(claim.standing, expected);
        }
        for entry in view.entries() {
            let standings: Vec<_> = entry.claims().map(|claim| claim.standing).collect();
            prop_assert!(standings.is_sorted());
        }
    }

    #[test]
    fn other_rules_and_other_rows_equal_merging_from_scratch(
        mut layers in any_layers(),
        steps in prop::collection::vec((any_rules(), 0usize..5, any_rows()), 1..5),
    ) {
        let mut view = merge(&layers);
        for (revision, (rules, at, rows)) in steps.into_iter().enumerate() {
            let governed = view.with_rules(&rules);
            prop_assert_eq!(&governed, &merge_under(&rules, &layers));
            let at = at % layers.len();
            let next = listing(revision as u64 + 1, rows);
            view = governed.with_listing(&layers[at].origin.source, next.clone());
            layers[at].listing = next.with_known(&layers[at].listing);
            prop_assert_eq!(&view, &merge_under(&rules, &layers));
        }
    }
}
