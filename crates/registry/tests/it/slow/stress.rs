//! Many threads at once: every verb holds when it returns, and the last view is the merge of its layers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use repertoire_registry::{MemorySource, Mount, Registry, merge};

use crate::workflow::{Script, Workflow, id, row};

/// Hangs are failures, not endless tests. Far above what anything here takes.
const HANG: Duration = Duration::from_secs(60);

const WRITERS: usize = 4;
const ROUNDS: usize = 400;
/// Ids of one writer; the source `home` has all of them too.
const IDS: usize = 5;

fn workflow(name: &str, steps: u8) -> Workflow {
    Workflow {
        id: id(name),
        steps,
    }
}

/// Numbers that look random and are the same in every run.
fn numbers(seed: usize) -> impl FnMut(usize) -> usize {
    let mut state = seed as u64 * 2 + 1;
    move |below| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
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
                assert_eq!(
                    registered,
                    !model.contains_key(&name),
                    "only what is not there can be registered"
                );
                if registered {
                    model.insert(name.clone(), steps);
                }
            }
            1 => {
                let replaced = registry.replace(&id(&name), workflow(&name, steps)).is_ok();
                assert_eq!(
                    replaced,
                    model.contains_key(&name),
                    "only what is there can be replaced"
                );
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
        assert_eq!(
            entry.item().steps,
            model.get(&name).copied().unwrap_or(0),
            "{name} after round {round}"
        );
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
        assert_eq!(
            view.len(),
            WRITERS * IDS,
            "`home` has every id, so each has one entry"
        );
    }
}

fn refresh(registry: &Registry<Workflow>, home: &Script, done: &AtomicBool) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    while !done.load(Ordering::SeqCst) {
        home.set(all_ids());
        runtime.block_on(registry.refresh()).unwrap();
    }
}

fn all_ids() -> Vec<repertoire_core::ListingEntry<Workflow>> {
    (0..WRITERS)
        .flat_map(|writer| (0..IDS).map(move |n| row(&format!("w{writer}-{n}"), 0)))
        .collect()
}

#[test]
fn simultaneous_changes_are_one_snapshot() {
    let sources: Vec<_> = (0..1000)
        .map(|n| Arc::new(Script::new(&format!("s{n}"), [row("shared", 0)])))
        .collect();
    let builder = sources.iter().fold(Registry::builder(), |builder, source| {
        builder.user(Arc::clone(source))
    });
    let registry = futures_util::FutureExt::now_or_never(builder.load())
        .unwrap()
        .unwrap();
    let generation = registry.snapshot().generation();
    for (n, source) in sources.iter().enumerate() {
        source.set([row("shared", (n % 7) as u8), row(&format!("own{n}"), 1)]);
    }
    let change = futures_util::FutureExt::now_or_never(registry.refresh())
        .unwrap()
        .unwrap();
    assert_eq!(
        (
            change.added.len(),
            change.modified.len(),
            change.causes.len()
        ),
        (1000, 1, 1000)
    );
    let view = registry.snapshot();
    assert_eq!(view.generation(), generation + 1);
    assert_eq!(view, merge(view.layers()));
}

/// Starts and closes a registry, an overlay of it, a subscription and callbacks.
async fn round(how_ends: impl AsyncFnOnce(Registry<Workflow>, Registry<Workflow>)) {
    let runtime = tokio::runtime::Handle::current();
    let builder = Registry::builder()
        .user(MemorySource::new("home"))
        .user(MemorySource::new("team"));
    let base = builder.start(&runtime).await.unwrap();
    let session = base
        .overlay()
        .user(MemorySource::new("project"))
        .start(&runtime)
        .await
        .unwrap();
    let mut subscription = session.subscribe();
    base.on_change(|_| {}).detach();
    session.on_change(|_| {}).detach();
    base.register(workflow("a", 1)).unwrap();
    assert!(subscription.next().await.is_some());
    drop(subscription);
    how_ends(base, session).await;
}

#[tokio::test]
async fn no_task_is_left_after_a_thousand_rounds() {
    let tasks = || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    };
    let before = tasks();
    for _ in 0..1000 {
        round(async |base, session| {
            session.close().await;
            base.close().await;
            base.close().await;
        })
        .await;
        assert_eq!(tasks(), before, "closing joins all");
    }
    for _ in 0..1000 {
        round(async |base, session| drop((base, session))).await;
    }
    let gone = async {
        while tasks() > before {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(HANG, gone)
        .await
        .expect("dropping the last handle ends all");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrently_composed_sources_are_followed() {
    let registry = Registry::<Workflow>::builder()
        .start(&tokio::runtime::Handle::current())
        .await
        .unwrap();
    let mut subscription = registry.subscribe();
    let mut shown = async |name: &str| {
        while registry.get(name).is_none() {
            tokio::time::timeout(HANG, subscription.next())
                .await
                .expect("it is followed")
                .unwrap();
        }
    };
    for round in 0..200 {
        let first = Arc::new(Script::new("team", []));
        // Far ahead of the one that takes its place.
        (0..5).for_each(|_| first.set([]));
        registry
            .add_source(Mount::user(Arc::clone(&first)))
            .await
            .unwrap();
        first.set([row(&format!("first{round}"), 1)]);
        shown(&format!("first{round}")).await;
        let second = Arc::new(Script::new("team", []));
        registry
            .replace_source(Mount::user(Arc::clone(&second)))
            .await
            .unwrap();
        second.set([row(&format!("second{round}"), 1)]);
        shown(&format!("second{round}")).await;
        registry.remove_source("team").await.unwrap();
    }
    registry.close().await;
}

/// Looks at an overlay while its base changes: no view goes back, and each is whole.
fn read_over(base: &Registry<Workflow>, done: &AtomicBool) {
    let builder = base
        .overlay()
        .user(Script::new("project", [row("w0-0", 9), row("own", 9)]));
    let session = futures_util::FutureExt::now_or_never(builder.load())
        .unwrap()
        .unwrap();
    let mut last = 0;
    while !done.load(Ordering::SeqCst) {
        let (before, view) = (base.snapshot(), session.snapshot());
        assert!(view.generation() >= last, "views never go back");
        last = view.generation();
        assert_eq!(
            (view.entries().len(), view.len()),
            (WRITERS * IDS + 1, WRITERS * IDS + 1)
        );
        let revision = |view: &repertoire_registry::Snapshot<Workflow>| {
            view.layer("registered")
                .map(|layer| layer.listing.revision())
        };
        assert!(
            revision(&view) >= revision(&before),
            "an overlay is never behind its base"
        );
    }
    let view = session.snapshot();
    assert_eq!(view, merge(view.layers()));
}

#[test]
fn verbs_hold_under_concurrency() {
    let home = Arc::new(Script::new("home", all_ids()));
    let builder = Registry::builder().user(Arc::clone(&home));
    let registry = futures_util::FutureExt::now_or_never(builder.load())
        .unwrap()
        .unwrap();
    let mut updates = registry.subscribe();
    let done = AtomicBool::new(false);
    let model: BTreeMap<String, u8> = thread::scope(|scope| {
        let others = [
            scope.spawn(|| read(&registry, &done)),
            scope.spawn(|| read_over(&registry, &done)),
            scope.spawn(|| read_over(&registry, &done)),
            scope.spawn(|| refresh(&registry, &home, &done)),
            scope.spawn(|| refresh(&registry, &home, &done)),
        ];
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let registry = registry.clone();
                scope.spawn(move || write(&registry, writer))
            })
            .collect();
        let models: Vec<_> = writers
            .into_iter()
            .map(thread::ScopedJoinHandle::join)
            .collect();
        done.store(true, Ordering::SeqCst);
        others
            .into_iter()
            .for_each(|other| other.join().expect("the views are whole"));
        models
            .into_iter()
            .flat_map(|model| model.expect("every verb holds"))
            .collect()
    });
    let view = registry.snapshot();
    let registered = view
        .layer(Registry::<Workflow>::REGISTERED)
        .expect("it is always mounted")
        .listing
        .iter();
    let registered: BTreeMap<_, _> = registered
        .map(|row| (row.item.id.to_string(), row.item.steps))
        .collect();
    assert_eq!(registered, model);
    assert_eq!(
        view,
        merge(view.layers()),
        "what was put together bit by bit equals merging from scratch"
    );
    let update = futures_util::FutureExt::now_or_never(updates.next())
        .flatten()
        .expect("much has changed");
    assert_eq!(
        update.snapshot.generation(),
        view.generation(),
        "the latest view, in one update"
    );
}
