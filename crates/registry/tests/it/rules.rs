//! Rules that disable items, at several levels.

use std::sync::Arc;

use proptest::prelude::*;
use repertoire_core::Code;
use repertoire_registry::{
    Authority, Candidate, Layer, Mount, Registry, RuleSet, RuleStack, Snapshot, Status, Target,
    Tier, Trust, merge, merge_under,
};

use crate::workflow::{
    Script, Workflow, any_layers, any_rows, bare, id, layer, listing, row, table,
};

fn target(text: &str) -> Target {
    text.parse().unwrap()
}

#[derive(Debug, Clone, Copy)]
enum Decision {
    Enable,
    Disable,
}

fn with(level: RuleSet, target: Target, decision: Decision) -> RuleSet {
    match decision {
        Enable => level.enable(target),
        Disable => level.disable(target),
    }
}

fn level(name: &str, authority: Authority, rules: &[(&str, Decision)]) -> RuleSet {
    rules
        .iter()
        .fold(RuleSet::new(name, authority), |level, (text, decision)| {
            with(level, target(text), *decision)
        })
}

use Authority::{Full, RestrictOnly};
use Decision::{Disable, Enable};

/// `id status <- source > source` in order of iteration.
fn statuses(view: &Snapshot<Workflow>) -> Vec<String> {
    let standings = view
        .entries()
        .iter()
        .map(|entry| entry.candidate.status.to_string());
    table(view)
        .iter()
        .zip(standings)
        .map(|(row, status)| row.replacen(" <-", &format!(" {status} <-"), 1))
        .collect()
}

fn diagnostics(view: &Snapshot<Workflow>) -> Vec<String> {
    let of_rules = |code| [Code::RULE_IGNORED, Code::RULE_UNMATCHED].contains(&code);
    let diagnostics = view
        .diagnostics()
        .iter()
        .filter(|diagnostic| of_rules(diagnostic.diagnostic.code));
    diagnostics
        .map(|diagnostic| format!("{}: {}", diagnostic.source, diagnostic.diagnostic))
        .collect()
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

fn under(levels: &[RuleSet]) -> Vec<String> {
    statuses(&merge_under(&RuleStack::new(levels.to_vec()), &layers()))
}

#[test]
fn rules_for_ids_cover_every_source() {
    assert_eq!(
        under(&[level("user", Full, &[("a", Disable)])]),
        [
            "a disabled <- agent > home",
            "b active <- agent",
            "d active <- home",
            "kit:a disabled <- kit",
            "kit:c active <- kit"
        ]
    );
    assert_eq!(
        under(&[level("user", Full, &[("agent:a", Disable)])])[1],
        "a active <- home > agent"
    );
    assert_eq!(
        under(&[level("user", Full, &[("kit:a", Disable)])])[3],
        "kit:a disabled <- kit"
    );
}

#[test]
fn most_specific_rule_decides() {
    let level = |rules: &[(&str, Decision)]| under(&[level("user", Full, rules)]);
    let all_but_b = level(&[("*", Disable), ("agent:b", Enable)]);
    assert_eq!(
        all_but_b
            .iter()
            .filter(|row| row.contains("active"))
            .collect::<Vec<_>>(),
        ["b active <- agent"]
    );
    assert_eq!(
        level(&[("home:*", Disable), ("d", Enable)])[2],
        "d active <- home"
    );
    assert_eq!(
        level(&[("d", Disable), ("home:d", Enable)])[2],
        "d active <- home"
    );
    assert_eq!(
        level(&[("d", Enable), ("home:*", Disable)])[2],
        "d active <- home",
        "the order does not matter"
    );
    assert_eq!(
        level(&[("d", Enable), ("d", Disable)])[2],
        "d disabled <- home"
    );
    assert_eq!(
        level(&[("d", Disable), ("d", Enable)])[2],
        "d active <- home"
    );
}

#[test]
fn later_levels_enable_only_with_full_authority() {
    let user = level("user", Full, &[("d", Disable), ("b", Enable)]);
    let project = |authority| level("project", authority, &[("d", Enable), ("b", Disable)]);
    assert_eq!(
        under(&[user.clone(), project(Full)])[1..3],
        ["b disabled <- agent", "d active <- home"]
    );
    let narrowing = RuleStack::new([user, project(RestrictOnly)]);
    let view = merge_under(&narrowing, &layers());
    assert_eq!(
        statuses(&view)[1..3],
        ["b disabled <- agent", "d disabled <- home"]
    );
    assert_eq!(
        diagnostics(&view),
        [
            "project: warning[rule-ignored]: rule `enable d` of level `project` is ignored: the level may only narrow, \
          and an earlier one disables it"
        ]
    );
}

#[test]
fn restricting_levels_may_have_exceptions() {
    let view = merge_under(
        &RuleStack::new([level(
            "project",
            RestrictOnly,
            &[("home:*", Disable), ("d", Enable)],
        )]),
        &layers(),
    );
    assert_eq!(statuses(&view)[2], "d active <- home");
    assert_eq!(diagnostics(&view), [""; 0]);
}

#[test]
fn unmatched_rules_are_reported() {
    let rules = [
        ("nope", Disable),
        ("team:*", Disable),
        ("home:c", Enable),
        ("kit:*", Disable),
        ("*", Enable),
    ];
    let view = merge_under(&RuleStack::new([level("user", Full, &rules)]), &layers());
    assert_eq!(
        diagnostics(&view),
        [
            "user: info[rule-unmatched]: rule `disable team:*` of level `user` is about nothing there is",
            "user: info[rule-unmatched]: rule `enable home:c` of level `user` is about nothing there is",
            "user: info[rule-unmatched]: rule `disable nope` of level `user` is about nothing there is",
        ]
    );
}

#[test]
fn inactive_candidates_do_not_shadow_active_candidates() {
    let mut pending = layer(
        Tier::Builtin,
        "agent",
        0,
        [row("a", 1), row("home:b", 1), row("home:c", 1)],
    );
    pending.trust = Trust::Pending;
    let home = layer(
        Tier::User,
        "home",
        1,
        [row("a", 2), row("b", 2), row("c", 2)],
    );
    let rules = RuleStack::new([level(
        "user",
        Full,
        &[("home:a", Disable), ("home:c", Disable)],
    )]);
    let view = merge_under(&rules, &[pending, home]);
    assert_eq!(
        view.get("a")
            .unwrap()
            .candidates()
            .map(|candidate| candidate.status)
            .collect::<Vec<_>>(),
        [Status::Pending, Status::Disabled]
    );
    let source = |name: &str| {
        view.resolve(name)
            .unwrap()
            .candidate
            .origin
            .source
            .to_string()
    };
    assert_eq!(
        source("home:b"),
        "home",
        "an active one before a pending one that is only written so"
    );
    assert_eq!(
        source("home:c"),
        "home",
        "a full name that is off stays with its source"
    );
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
    let view = merge_under(
        &RuleStack::new([level("user", Full, &[("pa:*", Disable)])]),
        &layers,
    );
    assert_eq!(view.resolve("seed").unwrap().entry.id, id("pb:seed"));
    assert_eq!(
        view.resolve("pa:seed").unwrap().candidate.status,
        Status::Disabled,
        "the operator reaches it"
    );
}

#[test]
fn a_target_reads_as_it_is_written() {
    for text in [
        "*",
        "home:*",
        "tidy",
        "home:tidy",
        "kit:x:y",
        "tidy *",
        "a*",
    ] {
        assert_eq!(target(text).to_string(), text);
        let json = serde_json::to_value(target(text)).unwrap();
        assert_eq!(
            serde_json::from_value::<Target>(json).unwrap(),
            target(text)
        );
    }
    assert_eq!(target("home:*"), Target::Source("home".into()));
    assert_eq!(
        target("a*"),
        Target::Id(id("a*")),
        "a star stands for everything, not for a part of a name"
    );
    assert!("../x".parse::<Target>().is_err());
}

#[tokio::test]
async fn rules_hold_at_once_and_for_whatever_comes() {
    let home = Arc::new(Script::new("home", [row("a", 1)]));
    let off = |text: &str| RuleStack::new([level("user", Full, &[(text, Disable)])]);
    let registry = Registry::builder()
        .user(Arc::clone(&home))
        .rules(off("b"))
        .load()
        .await
        .unwrap();
    let mut subscription = registry.subscribe();
    home.set([row("a", 1), row("b", 1)]);
    registry.refresh().await.unwrap();
    registry
        .add_source(Mount::user(Script::new("team", [row("b", 2)])))
        .await
        .unwrap();
    assert_eq!(
        statuses(&registry.snapshot()),
        ["a active <- home", "b disabled <- home > team"]
    );
    subscription.next().await.unwrap();

    let before = registry.get("a").unwrap();
    registry.set_rules(&off("home:b"));
    assert_eq!(
        statuses(&registry.snapshot()),
        ["a active <- home", "b active <- team > home"]
    );
    assert!(Arc::ptr_eq(&registry.get("a").unwrap(), &before));
    let change = subscription.next().await.unwrap().change;
    assert_eq!(
        change
            .causes
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        ["rules"]
    );
    assert_eq!(
        change.summary().to_string(),
        "~ b (source, metadata, body, resources, enabled)"
    );

    registry.set_rules(&off("*"));
    assert_eq!(
        statuses(&registry.snapshot()),
        ["a disabled <- home", "b disabled <- home > team"]
    );
    assert_eq!(registry.snapshot().rules(), &off("*"));
    registry
        .recompose(Registry::builder().user(Script::new("team", [row("b", 2)])))
        .await
        .unwrap();
    assert_eq!(
        statuses(&registry.snapshot()),
        ["b active <- team"],
        "a new composition brings its own rules"
    );
}

fn any_target() -> impl Strategy<Value = Target> {
    prop_oneof![
        1 => Just(Target::All),
        2 => (0u8..5).prop_map(|source| Target::Source(format!("s{source}").into())),
        4 => (0u8..9).prop_map(|name| Target::Id(id(&format!("w{name}")))),
        4 => (0u8..5, 0u8..9).prop_map(|(source, name)| Target::Id(id(&format!("s{source}:w{name}")))),
    ]
}

/// The levels of rules, as they are written.
type Levels = Vec<(Authority, Vec<(Target, Decision)>)>;

fn any_levels() -> impl Strategy<Value = Levels> {
    let decision = prop_oneof![2 => Just(Disable), 1 => Just(Enable)];
    let authority = prop_oneof![Just(Full), Just(RestrictOnly)];
    prop::collection::vec(
        (
            authority,
            prop::collection::vec((any_target(), decision), 0..4),
        ),
        0..4,
    )
}

fn stack(levels: Levels) -> RuleStack {
    RuleStack::new(levels.into_iter().map(|(authority, rules)| {
        let level = RuleSet::new("level", authority);
        rules.into_iter().fold(level, |level, (target, decision)| {
            with(level, target, decision)
        })
    }))
}

/// Returns whether a rule for the written id of `candidate` is only about items of a different source.
fn is_anothers(view: &Snapshot<Workflow>, candidate: &Candidate<Workflow>) -> bool {
    let own = view.layer(&candidate.origin.source).unwrap();
    let name = bare(own, &candidate.item.id);
    let Some((source, _)) = name.as_str().split_once(':') else {
        return false;
    };
    let weight = |layer: &Layer<Workflow>| {
        (
            layer.trust == Trust::Pending,
            layer.origin.tier,
            layer.trust,
        )
    };
    view.layer(source)
        .is_some_and(|owner| owner.origin != own.origin && weight(owner) <= weight(own))
}

/// Returns whether an item is disabled, computed rule by rule.
fn is_off(levels: &Levels, view: &Snapshot<Workflow>, candidate: &Candidate<Workflow>) -> bool {
    let source = &*candidate.origin.source;
    let name = bare(view.layer(source).unwrap(), &candidate.item.id);
    let full = format!("{source}:{name}");
    let own = (!is_anothers(view, candidate)).then(|| Target::Id(name.clone()));
    let mut off = false;
    for (authority, rules) in levels {
        let of = |wanted: &Target| {
            rules
                .iter()
                .rfind(|(target, _)| target == wanted)
                .map(|(_, decision)| *decision)
        };
        let ids = std::iter::once(Target::Id(id(&full))).chain(own.clone());
        let by_specificity: Vec<_> = ids
            .chain([Target::Source(source.into()), Target::All])
            .collect();
        match by_specificity.iter().find_map(of) {
            Some(Disable) => off = true,
            Some(Enable) if *authority == Full => off = false,
            _ => {}
        }
    }
    off
}

proptest! {
    #[test]
    fn rules_decide_as_they_are_described(layers in any_layers(), levels in any_levels()) {
        let view = merge_under(&stack(levels.clone()), &layers);
        for candidate in view.entries().iter().flat_map(|entry| entry.candidates()) {
            let expected = match candidate.trust {
                _ if is_off(&levels, &view, candidate) => Status::Disabled,
                Trust::Pending => Status::Pending,
                _ => Status::Active,
            };
            prop_assert_eq!(candidate.status, expected);
        }
        for entry in view.entries() {
            let standings: Vec<_> = entry.candidates().map(|candidate| candidate.status).collect();
            prop_assert!(standings.is_sorted());
        }
    }

    #[test]
    fn new_rules_equal_merging_from_scratch(
        mut layers in any_layers(),
        steps in prop::collection::vec((any_levels().prop_map(stack), 0usize..5, any_rows()), 1..5),
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
