//! The laws of merging, for any layers.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use repertoire_core::{Id, Item};
use repertoire_registry::{Candidate, Change, Entry, Layer, Snapshot, Status, Tier, Trust, merge};

use crate::workflow::{
    Workflow, any_layers, any_rows, bare, digested, id, layer, listing, row, table,
};

/// The sort key of a candidate in the model: pending, not preferred, tier, plain, position, prefixed.
type Key = (bool, bool, Tier, bool, usize, bool);

fn key(layer: &Layer<Workflow>, item: &Id) -> Key {
    let bare = bare(layer, item);
    let (pending, preferred) = (
        layer.trust == Trust::Pending,
        layer.preferred.contains(&bare),
    );
    let is_prefixed = item
        .as_str()
        .starts_with(&format!("{}:", layer.origin.source));
    (
        pending,
        !preferred,
        layer.origin.tier,
        !layer.namespaced,
        layer.position,
        is_prefixed,
    )
}

/// Returns the rank of a source: the smallest wins.
fn weight(layer: &Layer<Workflow>) -> (bool, Tier, Trust) {
    (
        layer.trust == Trust::Pending,
        layer.origin.tier,
        layer.trust,
    )
}

/// Returns the expected candidates of each id, computed without an index.
fn model(layers: &[Layer<Workflow>]) -> BTreeMap<Id, Vec<String>> {
    let mut candidates: BTreeMap<Id, Vec<(Key, String)>> = BTreeMap::new();
    for layer in layers {
        for row in layer.listing.iter() {
            let (item, source) = (row.item.id(), &layer.origin.source);
            let is_posing = item.as_str().split_once(':').is_some_and(|(name, _)| {
                let mut owners = layers
                    .iter()
                    .filter(|owner| *owner.origin.source == *name && owner.origin != layer.origin);
                owners.any(|owner| weight(owner) <= weight(layer))
            });
            let is_qualified = layer.namespaced || is_posing;
            let id = if is_qualified {
                format!("{source}:{}", bare(layer, item))
            } else {
                item.to_string()
            };
            candidates
                .entry(id.parse().unwrap())
                .or_default()
                .push((key(layer, item), source.to_string()));
        }
    }
    let chain = |(id, mut candidates): (Id, Vec<(Key, String)>)| {
        candidates.sort();
        (
            id,
            candidates.into_iter().map(|(_, source)| source).collect(),
        )
    };
    candidates.into_iter().map(chain).collect()
}

/// The place of the first part of the keys that differs.
fn first_difference(won: Key, lost: Key) -> usize {
    let parts = [
        won.0 != lost.0,
        won.1 != lost.1,
        won.2 != lost.2,
        won.3 != lost.3,
        won.4 != lost.4,
        won.5 != lost.5,
    ];
    parts
        .iter()
        .position(|differs| *differs)
        .expect("two claims to one id differ")
}

/// The place of a reason among the parts of a key.
fn place(reason: &str) -> usize {
    let words = [
        "waits for admission",
        "is preferred",
        "tier comes after",
        "belong to",
        "is composed after",
        "itself",
    ];
    words
        .iter()
        .position(|words| reason.contains(words))
        .expect("a known reason")
}

fn chains(snapshot: &Snapshot<Workflow>) -> BTreeMap<Id, Vec<String>> {
    let chain = |entry: &Arc<Entry<Workflow>>| {
        (
            entry.id.clone(),
            entry
                .candidates()
                .map(|candidate| candidate.origin.source.to_string())
                .collect(),
        )
    };
    snapshot.entries().iter().map(chain).collect()
}

fn by_id(snapshot: &Snapshot<Workflow>) -> BTreeMap<Id, Arc<Entry<Workflow>>> {
    snapshot
        .entries()
        .iter()
        .map(|entry| (entry.id.clone(), entry.clone()))
        .collect()
}

fn same(a: &BTreeMap<Id, Arc<Entry<Workflow>>>, b: &BTreeMap<Id, Arc<Entry<Workflow>>>) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|((_, a), (_, b))| a.is_same(b))
}

fn applied(
    old: &Snapshot<Workflow>,
    change: &Change<Workflow>,
) -> BTreeMap<Id, Arc<Entry<Workflow>>> {
    let mut entries = by_id(old);
    for entry in &change.removed {
        assert!(
            entries.remove(&entry.id).is_some(),
            "removed ids were there"
        );
    }
    for entry in &change.added {
        assert!(
            entries.insert(entry.id.clone(), entry.clone()).is_none(),
            "added ids are new"
        );
    }
    for id in &change.modified {
        let was = entries.insert(id.new.id.clone(), id.new.clone());
        assert!(
            was.is_some_and(|was| was.is_same(&id.old)),
            "modified ids were as the change says"
        );
    }
    entries
}

proptest! {
    #[test]
    fn winners_and_shadows_follow_the_rules(layers in any_layers()) {
        prop_assert_eq!(chains(&merge(&layers)), model(&layers));
    }

    #[test]
    fn the_reason_is_the_first_difference(layers in any_layers()) {
        let view = merge(&layers);
        let layer = |candidate: &Candidate<Workflow>| view.layer(&candidate.origin.source).unwrap();
        let key = |candidate: &Candidate<Workflow>| key(layer(candidate), &candidate.item.id);
        for entry in view.entries() {
            for shadow in &entry.shadows {
                let reason = view.reason(&entry.candidate, &shadow.candidate);
                prop_assert_eq!(place(&reason), first_difference(key(&entry.candidate), key(&shadow.candidate)));
            }
        }
    }

    #[test]
    fn no_later_tier_hides_an_admitted_entry(layers in any_layers()) {
        for entry in merge(&layers).entries() {
            let is_preferred = layers.iter().any(|layer| {
                layer.origin == *entry.origin() && layer.preferred.contains(&bare(layer, &entry.candidate.item.id))
            });
            let hidden = entry.shadows.iter().filter(|shadow| shadow.candidate.status == Status::Active);
            let earliest = hidden.map(|shadow| shadow.candidate.origin.tier).min();
            prop_assert!(is_preferred || earliest.is_none_or(|tier| entry.origin().tier <= tier));
        }
    }

    #[test]
    fn shadows_are_found_under_free_names(layers in any_layers()) {
        let view = merge(&layers);
        for entry in view.entries() {
            for shadow in &entry.shadows {
                let name = entry.shadow_id(&shadow.candidate);
                // A source that spells one id in two ways, and loses it both times, has one name for both.
                let of_source = entry.shadows.iter().filter(|other| other.candidate.origin == shadow.candidate.origin).count();
                if view.get(name.as_str()).is_some() || of_source > 1 {
                    continue;
                }
                let found = view.resolve(name.as_str()).unwrap().candidate;
                let meant = (&shadow.candidate.origin, &shadow.candidate.item.id);
                prop_assert_eq!((&found.origin, &found.item.id), meant, "{}", name);
            }
        }
    }

    #[test]
    fn merging_ignores_the_order_of_layers(layers in any_layers(), turn in 0usize..5) {
        let mut other = layers.clone();
        other.rotate_left(turn % layers.len());
        prop_assert_eq!(merge(&layers), merge(&other));
        other.reverse();
        prop_assert_eq!(merge(&layers), merge(&other));
    }

    #[test]
    fn every_differing_id_is_listed_once(old in any_layers(), new in any_layers()) {
        let (old, new) = (merge(&old), merge(&new));
        let change = new.changes_since(&old);
        let mut listed: Vec<&Id> = change.added.iter().chain(&change.removed).map(|entry| &entry.id)
            .chain(change.modified.iter().map(|id| &id.new.id))
            .collect();
        listed.sort();
        let (before, after) = (by_id(&old), by_id(&new));
        let differs = |id: &&Id| match (before.get(*id), after.get(*id)) {
            (Some(before), Some(after)) => !before.is_same(after),
            _ => true,
        };
        let mut expected: Vec<&Id> = before.keys().chain(after.keys()).filter(differs).collect();
        expected.sort();
        expected.dedup();
        prop_assert_eq!(listed, expected);
    }

    #[test]
    fn changes_lead_from_old_to_new(old in any_layers(), new in any_layers()) {
        let (old, new) = (merge(&old), merge(&new));
        prop_assert!(same(&applied(&old, &new.changes_since(&old)), &by_id(&new)));
    }

    #[test]
    fn a_view_has_not_changed_since_itself(layers in any_layers()) {
        let change = merge(&layers).changes_since(&merge(&layers));
        prop_assert!(change.is_empty());
    }

    #[test]
    fn new_listings_equal_merging_from_scratch(
        mut layers in any_layers(),
        edits in prop::collection::vec((0usize..5, any_rows()), 1..6),
    ) {
        let mut view = merge(&layers);
        for (revision, (at, rows)) in edits.into_iter().enumerate() {
            let at = at % layers.len();
            let layer = &mut layers[at];
            let next = listing(revision as u64 + 1, rows);
            let next_view = view.with_listing(&layer.origin.source, next.clone());
            layer.listing = next.with_known(&layer.listing);
            let scratch = merge(&layers);
            prop_assert_eq!(&next_view, &scratch);
            prop_assert!(same(&applied(&view, &next_view.changes_since(&view)), &by_id(&scratch)));
            prop_assert_eq!(next_view.diagnostics(), scratch.diagnostics());
            view = next_view;
        }
    }
}

#[test]
fn tiers_decide_before_order() {
    let view = merge(&[
        layer(Tier::Plugin, "plugin", 0, [row("a", 1), row("d", 1)]),
        layer(
            Tier::User,
            "home",
            3,
            [row("b", 2), row("a", 2), row("c", 2)],
        ),
        layer(Tier::User, "project", 2, [row("c", 3), row("b", 3)]),
        layer(Tier::Builtin, "agent", 4, [row("a", 4)]),
    ]);
    assert_eq!(
        table(&view),
        [
            "a <- agent > home > plugin",
            "c <- project > home",
            "b <- project > home",
            "d <- plugin"
        ]
    );
}

#[test]
fn removed_winners_are_modifications() {
    let agent = layer(Tier::Builtin, "agent", 0, [row("a", 1)]);
    let home = layer(Tier::User, "home", 1, [row("a", 2)]);
    let old = merge(&[agent.clone(), home]);
    let new = old.with_listing("agent", listing(1, []));
    assert_eq!(table(&new), ["a <- home"]);
    let change = new.changes_since(&old);
    assert_eq!(
        (
            change.added.len(),
            change.removed.len(),
            change.modified.len()
        ),
        (0, 0, 1)
    );
    let id = &change.modified[0];
    assert_eq!((id.old.item().steps, id.new.item().steps), (1, 2));
}

#[test]
fn pending_sources_do_not_shadow_admitted_sources() {
    let mut project = layer(Tier::User, "project", 0, [row("a", 1), row("b", 1)]);
    project.trust = Trust::Pending;
    let plugin = layer(Tier::Plugin, "plugin", 1, [row("a", 2)]);
    assert_eq!(
        table(&merge(&[project, plugin])),
        ["b <- project", "a <- plugin > project"]
    );
}

#[test]
fn a_preference_beats_the_tier_and_is_reported() {
    let agent = layer(Tier::Builtin, "agent", 0, [row("a", 1)]);
    let mut home = layer(Tier::User, "home", 1, [row("a", 2)]);
    home.preferred = [id("a"), id("nope")].into();
    let view = merge(&[agent, home]);
    assert_eq!(table(&view), ["a <- home > agent"]);
    let diagnostics: Vec<_> = view
        .diagnostics()
        .iter()
        .map(|diagnostic| diagnostic.diagnostic.to_string())
        .collect();
    assert_eq!(
        diagnostics,
        [
            "warning[unknown-preference]: source `home` is preferred for `nope` but does not have it",
            "warning[shadowed]: workflow `a` is hidden by the one from user source `home`",
            "info[preferred]: workflow `a` comes from user source `home` by preference, ahead of builtin source `agent`",
        ]
    );
}

#[test]
fn identical_copies_are_quiet_and_others_warn() {
    let view = merge(&[
        layer(
            Tier::User,
            "project",
            0,
            [
                digested("same", 1, 7),
                digested("other", 1, 7),
                row("open", 1),
            ],
        ),
        layer(
            Tier::User,
            "home",
            1,
            [
                digested("same", 1, 7),
                digested("other", 1, 8),
                row("open", 1),
            ],
        ),
    ]);
    let identical: Vec<_> = view
        .entries()
        .iter()
        .map(|entry| entry.shadows[0].identical)
        .collect();
    assert_eq!(identical, [Some(true), Some(false), None]);
    let codes: Vec<_> = view
        .diagnostics()
        .iter()
        .map(|diagnostic| diagnostic.diagnostic.code.name())
        .collect();
    assert_eq!(codes, ["shadowed-identical", "shadowed", "shadowed"]);
}

#[test]
fn one_change_shares_every_other_entry() {
    let rows: Vec<_> = (0..1000).map(|n| row(&format!("w{n}"), 1)).collect();
    let old = layer(Tier::User, "home", 0, rows.clone());
    let view = merge(std::slice::from_ref(&old));
    let mut next = rows;
    next[500] = row("w500", 2);
    let after = view.with_listing("home", listing(1, next));
    let shared = |entry: &&Arc<Entry<Workflow>>| {
        view.get(entry.id.as_str())
            .is_some_and(|old| Arc::ptr_eq(old, entry))
    };
    assert_eq!(after.entries().iter().filter(shared).count(), 999);
    assert_eq!(after.changes_since(&view).modified.len(), 1);
}

#[test]
fn a_listing_of_an_unknown_source_changes_nothing() {
    let view = merge(&[layer(Tier::User, "home", 0, [row("a", 1)])]);
    let next = listing(1, [row("b", 1)]);
    assert_eq!(view.with_listing("elsewhere", next), view);
}

#[test]
fn the_kind_of_item_names_itself_in_messages() {
    assert_eq!(Workflow::KIND, "workflow");
    let view = merge(&[layer(Tier::User, "home", 0, [row("a", 1)])]);
    assert_eq!(
        view.resolve("b").unwrap_err().to_string(),
        "no workflow `b`"
    );
}
