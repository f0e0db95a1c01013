//! An overlay equals the merge of all layers, whatever changes.

use std::sync::Arc;

use futures_util::FutureExt;
use proptest::prelude::*;
use repertoire_core::ListingEntry;
use repertoire_registry::{
    Authority, Builder, Layer, Mount, Registry, RuleSet, RuleStack, Tier, Trust, merge_under,
};

use crate::workflow::{Script, Workflow, any_rows, id};

fn script(name: &str, rows: impl IntoIterator<Item = ListingEntry<Workflow>>) -> Arc<Script> {
    Arc::new(Script::new(name, rows))
}

fn disabling(target: &str) -> RuleStack {
    RuleStack::new(
        [RuleSet::new("level", Authority::RestrictOnly).disable(target.parse().unwrap())],
    )
}

#[derive(Debug, Clone)]
enum Step {
    Rows {
        on_overlay: bool,
        source: usize,
        rows: Vec<ListingEntry<Workflow>>,
    },
    Registered {
        on_overlay: bool,
        name: u8,
        steps: Option<u8>,
    },
    Disabled {
        on_overlay: bool,
        name: u8,
    },
    Added {
        on_overlay: bool,
        tier: Tier,
        rows: Vec<ListingEntry<Workflow>>,
    },
    Removed {
        on_overlay: bool,
    },
}

fn any_step() -> impl Strategy<Value = Step> {
    let on = any::<bool>;
    let tier = prop_oneof![Just(Tier::Builtin), Just(Tier::User), Just(Tier::Plugin)];
    prop_oneof![
        4 => (on(), 0usize..2, any_rows()).prop_map(|(on_overlay, source, rows)| Step::Rows { on_overlay, source, rows }),
        3 => (on(), 0u8..8, prop::option::of(0u8..3)).prop_map(|(on_overlay, name, steps)| Step::Registered { on_overlay, name, steps }),
        2 => (on(), 0u8..8).prop_map(|(on_overlay, name)| Step::Disabled { on_overlay, name }),
        1 => (on(), tier, any_rows()).prop_map(|(on_overlay, tier, rows)| Step::Added { on_overlay, tier, rows }),
        1 => on().prop_map(|on_overlay| Step::Removed { on_overlay }),
    ]
}

/// Layers of the overlay before those of the base, each in the order of their own composition.
fn expected(base: &Registry<Workflow>, session: &Registry<Workflow>) -> Vec<Layer<Workflow>> {
    let mounts = [session.mounts(), base.mounts()].concat();
    let view = session.snapshot();
    let layer = |(position, mount): (usize, &Mount<Workflow>)| {
        let mut layer = view
            .layer(&mount.origin().source)
            .expect("every mount has a layer")
            .clone();
        layer.position = position;
        layer
    };
    mounts.iter().enumerate().map(layer).collect()
}

proptest! {
    #[test]
    fn overlays_equal_merging_from_scratch(
        rows in prop::collection::vec(any_rows(), 4),
        steps in prop::collection::vec(any_step(), 1..12),
    ) {
        let names = ["b0", "b1", "o0", "o1"];
        let scripts: Vec<_> = names.iter().zip(rows).map(|(name, rows)| script(name, rows)).collect();
        let over = |builder: Builder<Workflow>, at: usize| {
            let first = Mount::user(Arc::clone(&scripts[at])).trust(Trust::Restricted);
            builder.mount(first).mount(Mount::plugin(Arc::clone(&scripts[at + 1]))).load().now_or_never().unwrap().unwrap()
        };
        let base = over(Registry::builder(), 0);
        let session = over(base.overlay(), 2);
        let mut subscription = session.subscribe();
        let (mut changes, mut latest) = (0, session.snapshot());
        for step in steps {
            let on = |on_overlay: bool| if on_overlay { &session } else { &base };
            let extra = |on_overlay: bool| if on_overlay { "o9" } else { "b9" };
            match step {
                Step::Rows { on_overlay, source, rows } => {
                    scripts[source + if on_overlay { 2 } else { 0 }].set(rows);
                    on(on_overlay).refresh().now_or_never().unwrap().unwrap();
                }
                Step::Registered { on_overlay, name, steps } => {
                    let name = format!("w{name}");
                    match steps {
                        None => {
                            on(on_overlay).unregister(&name);
                        }
                        Some(steps) => drop(on(on_overlay).register(Workflow { id: id(&name), steps })),
                    }
                }
                Step::Disabled { on_overlay, name } => {
                    on(on_overlay).set_rules(&disabling(&format!("w{name}")));
                }
                Step::Added { on_overlay, tier, rows } => {
                    let mount = Mount::new(tier, script(extra(on_overlay), rows));
                    drop(on(on_overlay).add_source(mount).now_or_never().unwrap());
                }
                Step::Removed { on_overlay } => {
                    drop(on(on_overlay).remove_source(extra(on_overlay)).now_or_never().unwrap());
                }
            }
            let view = session.snapshot();
            let scratch = merge_under(view.rules(), &expected(&base, &session));
            prop_assert_eq!(&view, &scratch);
            // Every source's rows are those that it has, and base layers are those of the base.
            for layer in base.snapshot().layers() {
                prop_assert_eq!(&view.layer(&layer.origin.source).unwrap().listing, &layer.listing);
            }
            let change = view.changes_since(&latest);
            prop_assert_eq!(change.is_empty(), view.generation() == latest.generation());
            prop_assert!(view.generation() >= latest.generation());
            changes += usize::from(!change.is_empty());
            latest = view;
        }
        // One folded change takes a subscriber from the first view to the last.
        if let Some(update) = subscription.next().now_or_never().flatten() {
            prop_assert_eq!(&update.snapshot, &latest);
        } else {
            prop_assert_eq!(changes, 0);
        }
    }
}
