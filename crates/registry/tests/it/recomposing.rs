//! Recomposing equals composing from scratch, for any compositions.

use std::collections::BTreeSet;

use futures_util::FutureExt;
use proptest::prelude::*;
use repertoire_registry::{Builder, Mount, Registry, Tier, Trust, merge};

use crate::workflow::{Script, Workflow, any_rows, id};

/// The composition of one source of a pool of four; its name is its index in the pool.
#[derive(Debug, Clone)]
struct Way {
    source: usize,
    tier: Tier,
    trust: Trust,
    namespaced: bool,
    preferred: BTreeSet<u8>,
}

prop_compose! {
    fn any_way(source: usize)(
        tier in prop_oneof![2 => Just(Tier::User), 1 => Just(Tier::Builtin), 1 => Just(Tier::Plugin)],
        trust in prop_oneof![4 => Just(Trust::Trusted), 1 => Just(Trust::Restricted), 1 => Just(Trust::Pending)],
        namespaced in prop::bool::weighted(0.2),
        preferred in prop::collection::btree_set(0u8..8, 0..2),
    ) -> Way {
        Way { source, tier, trust, namespaced, preferred }
    }
}

/// Up to four sources each time, in any order, of which one is composed in another way than the time before.
fn any_plans() -> impl Strategy<Value = Vec<Vec<Way>>> {
    let order = || Just(vec![0usize, 1, 2, 3]).prop_shuffle();
    let plan = (order(), 0usize..5, (0usize..4).prop_flat_map(any_way));
    let first: Vec<_> = (0..4).map(any_way).collect();
    (first, prop::collection::vec(plan, 2..6)).prop_map(|(mut ways, plans)| {
        let plan = |(order, count, way): (Vec<usize>, usize, Way)| {
            let source = way.source;
            ways[source] = way;
            order
                .into_iter()
                .take(count)
                .map(|source| ways[source].clone())
                .collect()
        };
        plans.into_iter().map(plan).collect()
    })
}

fn composed(ways: &[Way], pool: &[Mount<Workflow>]) -> Builder<Workflow> {
    ways.iter().fold(Registry::builder(), |builder, way| {
        let mount = pool[way.source].clone().at(way.tier).trust(way.trust);
        let builder = builder.mount(if way.namespaced {
            mount.namespaced()
        } else {
            mount
        });
        let source = format!("s{}", way.source);
        way.preferred.iter().fold(builder, |builder, name| {
            builder.prefer(id(&format!("w{name}")), &source)
        })
    })
}

proptest! {
    #[test]
    fn recomposing_equals_a_new_composition(
        pool in prop::collection::vec(any_rows(), 4),
        registered in any_rows(),
        plans in any_plans(),
    ) {
        let pool: Vec<_> = pool.into_iter().enumerate()
            .map(|(at, rows)| Mount::user(Script::new(&format!("s{at}"), rows)))
            .collect();
        let fresh = |ways: &[Way]| {
            let registry = composed(ways, &pool).load().now_or_never().unwrap().unwrap();
            for row in &registered {
                registry.register(row.item.as_ref().clone()).unwrap();
            }
            registry
        };
        let registry = fresh(&plans[0]);
        for plan in &plans[1..] {
            let before = registry.snapshot();
            let change = registry.recompose(composed(plan, &pool)).now_or_never().unwrap().unwrap();
            let view = registry.snapshot();
            prop_assert_eq!(&view, &fresh(plan).snapshot());
            prop_assert_eq!(&view, &merge(view.layers()));
            prop_assert_eq!(change.is_empty(), view.generation() == before.generation());
        }
    }
}
