//! Many threads at once: every verb holds when it returns, and the last view is the merge of its layers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use repertoire_registry::{Registry, merge};

use crate::workflow::{Script, Workflow, id, row};

const WRITERS: usize = 4;
const ROUNDS: usize = 400;
/// Ids of one writer; the source `home` has all of them too.
const IDS: usize = 5;

fn workflow(name: &str, steps: u8) -> Workflow {
    Workflow { id: id(name), steps }
}

/// Numbers that look random and are the same in every run.
fn numbers(seed: usize) -> impl FnMut(usize) -> usize {
    let mut state = seed as u64 * 2 + 1;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    }
}

/// Registers, replaces and unregisters ids of its own, and asks after each call what the registry says now.
fn write(registry: &Registry<Workflow>, writer: usize) -> BTreeMap<String, u8> {
    let mut model: BTreeMap<String, u8> = BTreeMap::new();
    let mut number = numbers(writer);
    for round in 0..ROUNDS {
        let name = format!("w{writer}-{}", number(IDS));
        let steps = 1 + (round % 200) as u8;
        match number(3) {
            0 => {
                let registered = registry.register(workflow(&name, steps)).is_ok();
                assert_eq!(registered, !model.contains_key(&name), "only what is not there can be registered");
                if registered {
                    model.insert(name.clone(), steps);
                }
            }
            1 => {
                let replaced = registry.replace(&id(&name), workflow(&name, steps)).is_ok();
                assert_eq!(replaced, model.contains_key(&name), "only what is there can be replaced");
                if replaced {
                    model.insert(name.clone(), steps);
                }
            }
            _ => {
                registry.unregister(&name);
                model.remove(&name);
            }
        }
        // What is not registered is `home`'s, which has zero steps.
        let entry = registry.get(&name).expect("`home` has every id");
        assert_eq!(entry.item().steps, model.get(&name).copied().unwrap_or(0), "{name} after round {round}");
    }
    model
}

/// Looks at views until the writers are done: none goes back, and each is whole.
fn read(registry: &Registry<Workflow>, done: &AtomicBool) {
    let mut last = 0;
    while !done.load(Ordering::SeqCst) {
        let view = registry.snapshot();
        assert!(view.generation() >= last, "views never go back");
        last = view.generation();
        assert_eq!(view.entries().len(), view.len());
        assert_eq!(view.len(), WRITERS * IDS, "`home` has every id, so each has one entry");
    }
}

fn refresh(registry: &Registry<Workflow>, home: &Script, done: &AtomicBool) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    while !done.load(Ordering::SeqCst) {
        home.set(all_ids());
        runtime.block_on(registry.refresh()).unwrap();
    }
}

fn all_ids() -> Vec<repertoire_core::Listed<Workflow>> {
    (0..WRITERS).flat_map(|writer| (0..IDS).map(move |n| row(&format!("w{writer}-{n}"), 0))).collect()
}

#[test]
fn every_verb_holds_when_it_returns_whatever_other_threads_do() {
    let home = Arc::new(Script::new("home", all_ids()));
    let builder = Registry::builder().user(Arc::clone(&home));
    let registry = futures_util::FutureExt::now_or_never(builder.load()).unwrap().unwrap();
    let mut updates = registry.subscribe();
    let done = AtomicBool::new(false);
    let model: BTreeMap<String, u8> = thread::scope(|scope| {
        let others = [
            scope.spawn(|| read(&registry, &done)),
            scope.spawn(|| refresh(&registry, &home, &done)),
            scope.spawn(|| refresh(&registry, &home, &done)),
        ];
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let registry = registry.clone();
                scope.spawn(move || write(&registry, writer))
            })
            .collect();
        let models: Vec<_> = writers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::SeqCst);
        others.into_iter().for_each(|other| other.join().expect("the views are whole"));
        models.into_iter().flat_map(|model| model.expect("every verb holds")).collect()
    });
    let view = registry.snapshot();
    let registered = view.layer(Registry::<Workflow>::REGISTERED).expect("it is always mounted").listing.iter();
    let registered: BTreeMap<_, _> = registered.map(|row| (row.item.id.to_string(), row.item.steps)).collect();
    assert_eq!(registered, model);
    assert_eq!(view, merge(view.layers()), "what was put together bit by bit equals merging from scratch");
    let update = futures_util::FutureExt::now_or_never(updates.next()).flatten().expect("much has changed");
    assert_eq!(update.snapshot.generation(), view.generation(), "the latest view, in one update");
}
