//! Registries over a registry: share everything, leak nothing, follow exactly.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use repertoire_core::{Code, ListingEntry};
use repertoire_registry::{
    Authority, Cause, Mount, Registry, RegistryError, RuleSet, RuleStack, Status, Target,
};
use tokio::runtime::Handle;

use crate::workflow::{Script, Workflow, id, row, table};

/// Hangs are failures, not endless tests. Far above what anything here takes.
const HANG: Duration = Duration::from_secs(60);

fn script(name: &str, rows: impl IntoIterator<Item = ListingEntry<Workflow>>) -> Arc<Script> {
    Arc::new(Script::new(name, rows))
}

fn workflow(name: &str, steps: u8) -> Workflow {
    Workflow {
        id: id(name),
        steps,
    }
}

fn disabling(level: &str, target: &str) -> RuleStack {
    RuleStack::new([RuleSet::new(level, Authority::RestrictOnly).disable(target.parse().unwrap())])
}

#[tokio::test]
async fn overlay_entries_come_first_in_their_tier() {
    let builder = Registry::builder()
        .builtin(script("agent", [row("a", 1)]))
        .user(script("home", [row("b", 1)]));
    let base = builder.load().await.unwrap();
    base.register(workflow("r", 1)).unwrap();
    let before = (table(&base.snapshot()), base.snapshot().generation());
    let project = script("project", [row("a", 2), row("b", 2), row("c", 2)]);
    let session = base.overlay().user(project).load().await.unwrap();
    session
        .register_all([workflow("r", 2), workflow("s", 2)])
        .unwrap();
    assert_eq!(
        table(&session.snapshot()),
        [
            "r <- session > registered",
            "s <- session",
            "a <- agent > project",
            "b <- project > home",
            "c <- project"
        ]
    );
    let other = base.overlay().load().await.unwrap();
    assert_eq!(table(&other.snapshot()), before.0);
    drop(session);
    assert_eq!(
        (table(&base.snapshot()), base.snapshot().generation()),
        before
    );
}

#[tokio::test]
async fn overlays_share_untouched_entries() {
    let base = Registry::builder()
        .user(script("home", (0..1000).map(|n| row(&format!("w{n}"), 1))))
        .load()
        .await
        .unwrap();
    let session = base
        .overlay()
        .user(script("project", [row("w7", 2), row("x", 2)]))
        .load()
        .await
        .unwrap();
    let differing = |view: &repertoire_registry::Snapshot<Workflow>| {
        let shared = base.snapshot();
        let differs = |entry: &&Arc<repertoire_registry::Entry<Workflow>>| {
            !shared
                .get(entry.id.as_str())
                .is_some_and(|other| Arc::ptr_eq(other, entry))
        };
        let mut ids: Vec<_> = view
            .entries()
            .iter()
            .filter(differs)
            .map(|entry| entry.id.to_string())
            .collect();
        ids.sort();
        ids
    };
    assert_eq!(differing(&session.snapshot()), ["w7", "x"]);
    base.register(workflow("w8", 3)).unwrap();
    assert_eq!(differing(&session.snapshot()), ["w7", "x"]);
}

#[tokio::test]
async fn it_follows_its_base_and_wakes_for_both() {
    let home = script("home", [row("a", 1)]);
    let base = Registry::builder()
        .user(Arc::clone(&home))
        .load()
        .await
        .unwrap();
    let session = base
        .overlay()
        .user(script("project", [row("a", 2)]))
        .load()
        .await
        .unwrap();
    let mut subscription = session.subscribe();
    base.register(workflow("b", 1)).unwrap();
    assert!(session.get("b").is_some());
    let update = subscription.next().await.unwrap();
    assert_eq!(
        (update.change.summary().to_string(), update.change.causes),
        ("+ b".to_owned(), vec![Cause::Registered])
    );

    session.register(workflow("c", 1)).unwrap();
    home.set([row("d", 1)]);
    base.refresh().await.unwrap();
    let update = subscription.next().await.unwrap();
    assert_eq!(
        update.change.summary().to_string(),
        "~ a (shadows)\n+ c\n+ d"
    );
    assert_eq!(
        update.change.causes,
        [Cause::Registered, Cause::Source("home".into())]
    );

    // What its own entry hides either way is no change of any view's entries; here only the shadow differs.
    base.register(workflow("hidden", 1)).unwrap();
    session.register(workflow("hidden", 2)).unwrap();
    let generation = session.snapshot().generation();
    base.unregister("nothing");
    assert_eq!(session.snapshot().generation(), generation);
}

#[tokio::test]
async fn overlays_wake_for_their_base() {
    let home = script("home", []);
    let base = Registry::builder()
        .user(Arc::clone(&home))
        .start(&Handle::current())
        .await
        .unwrap();
    let session = base.overlay().load().await.unwrap();
    let mut subscription = session.subscribe();
    let mut waiting = Box::pin(subscription.next());
    assert!(futures_util::poll!(&mut waiting).is_pending());
    home.set([row("a", 1)]);
    let update = tokio::time::timeout(HANG, waiting)
        .await
        .expect("it wakes")
        .unwrap();
    assert_eq!(update.change.summary().to_string(), "+ a");
}

#[tokio::test]
async fn overlays_refresh_their_base() {
    let (home, project) = (script("home", []), script("project", []));
    let base = Registry::builder()
        .user(Arc::clone(&home))
        .load()
        .await
        .unwrap();
    let session = base
        .overlay()
        .user(Arc::clone(&project))
        .start(&Handle::current())
        .await
        .unwrap();
    home.set([row("a", 1)]);
    assert_eq!(
        session.refresh().await.unwrap().summary().to_string(),
        "+ a"
    );
    let mut subscription = session.subscribe();
    project.set([row("b", 1)]);
    let update = tokio::time::timeout(HANG, subscription.next())
        .await
        .expect("it is followed")
        .unwrap();
    assert_eq!(table(&update.snapshot), ["b <- project", "a <- home"]);
}

#[tokio::test]
async fn bodies_come_from_the_source_of_their_candidate() {
    let home = Script::new("home", [row("a", 1), row("b", 1)])
        .with_body("a", 1)
        .with_body("b", 1);
    let base = Registry::builder().user(home).load().await.unwrap();
    let project = Script::new("project", [row("a", 2)]).with_body("a", 2);
    let session = base.overlay().user(project).load().await.unwrap();
    let view = session.snapshot();
    let body = async |name: &str| {
        session
            .body(view.resolve(name).unwrap().candidate)
            .await
            .unwrap()
            .text
            .to_string()
    };
    assert_eq!(
        [body("a").await, body("home:a").await, body("b").await],
        ["2", "1", "1"]
    );
    let error = base
        .body(view.resolve("project:a").unwrap().candidate)
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "source `project` is no longer composed");
    base.remove_source("home").await.unwrap();
    assert_eq!(
        session
            .body(view.resolve("b").unwrap().candidate)
            .await
            .unwrap_err()
            .to_string(),
        "source `home` is no longer composed"
    );
}

#[tokio::test]
async fn overlays_compare_copies_with_the_base() {
    let home = Script::new("home", [row("a", 1), row("b", 1)])
        .with_body("a", 7)
        .with_body("b", 7);
    let base = Registry::builder().user(home).load().await.unwrap();
    let generation = base.snapshot().generation();
    let project = Script::new("project", [row("a", 1), row("b", 1)])
        .with_body("a", 7)
        .with_body("b", 8);
    let session = base.overlay().user(project).load().await.unwrap();
    let identical = |name: &str| session.get(name).unwrap().shadows[0].identical;
    assert_eq!((identical("a"), identical("b")), (Some(true), Some(false)));
    base.register(workflow("c", 1)).unwrap();
    assert_eq!(
        (identical("a"), identical("b")),
        (Some(true), Some(false)),
        "and stays known"
    );
    assert_eq!(
        base.snapshot().generation(),
        generation + 1,
        "learning a digest is no change"
    );
}

#[tokio::test]
async fn names_of_the_base_are_taken() {
    let base = Registry::builder()
        .user(script("home", [row("a", 1)]))
        .load()
        .await
        .unwrap();
    let refused =
        |error: Result<Registry<Workflow>, RegistryError>| error.map(drop).unwrap_err().to_string();
    let duplicate = "two sources are called `home`; give each its own name";
    assert_eq!(
        refused(base.overlay().user(script("home", [])).load().await),
        duplicate
    );
    let session = base
        .overlay()
        .user(script("team", [row("t", 1)]))
        .load()
        .await
        .unwrap();
    let error = session
        .add_source(Mount::user(script("home", [])))
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), duplicate);

    base.add_source(Mount::plugin(script("team", [row("t", 2), row("u", 2)])))
        .await
        .unwrap();
    assert_eq!(table(&session.snapshot()), ["t <- team", "a <- home"]);
    assert_eq!(
        table(&base.snapshot()),
        ["a <- home", "t <- team", "u <- team"]
    );
    let diagnostics = |view: &repertoire_registry::Snapshot<Workflow>| {
        view.diagnostics()
            .iter()
            .map(|diagnostic| diagnostic.diagnostic.to_string())
            .collect::<Vec<_>>()
    };
    let warning = "warning[source-hidden]: source `team` hides the plugin source `team` that was composed later";
    assert_eq!(diagnostics(&session.snapshot()), [warning]);
    session
        .add_source(Mount::user(script("more", [])))
        .await
        .unwrap();
    session.remove_source("team").await.unwrap();
    assert_eq!(
        (table(&session.snapshot()), diagnostics(&session.snapshot())),
        (table(&base.snapshot()), vec![])
    );
}

#[tokio::test]
async fn overlay_rules_come_after_base_rules() {
    let builder = Registry::builder().user(script("home", [row("a", 1), row("b", 1), row("c", 1)]));
    let base = builder.rules(disabling("user", "a")).load().await.unwrap();
    let session = base
        .overlay()
        .rules(disabling("session", "b"))
        .load()
        .await
        .unwrap();
    let off = |registry: &Registry<Workflow>| {
        let entries = registry
            .list()
            .into_iter()
            .filter(|entry| entry.candidate.status == Status::Disabled);
        entries
            .map(|entry| entry.id.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (off(&session), off(&base)),
        (vec!["a".to_owned(), "b".to_owned()], vec!["a".to_owned()])
    );
    base.set_rules(&disabling("user", "c"));
    assert_eq!(
        (off(&session), off(&base)),
        (vec!["b".to_owned(), "c".to_owned()], vec!["c".to_owned()])
    );
    let widening = RuleSet::new("session", Authority::Full).enable(Target::All);
    session.set_rules(&RuleStack::new([widening]));
    assert_eq!((off(&session), off(&base)), (vec![], vec!["c".to_owned()]));
    let change = session.snapshot().changes_since(&base.snapshot());
    assert!(change.causes.contains(&Cause::Rules));
}

#[tokio::test]
async fn closing_a_base_ends_its_overlays() {
    let home = script("home", [row("a", 1)]);
    let base = Registry::builder()
        .user(Arc::clone(&home))
        .start(&Handle::current())
        .await
        .unwrap();
    let project = script("project", []);
    let first = base
        .overlay()
        .user(Arc::clone(&project))
        .start(&Handle::current())
        .await
        .unwrap();
    let second = base.overlay().load().await.unwrap();
    let (mut of_first, mut of_second, mut of_base) =
        (first.subscribe(), second.subscribe(), base.subscribe());

    first.close().await;
    assert!(of_first.next().await.is_none());
    assert_eq!(first.refresh().await.unwrap_err(), RegistryError::Closed);
    drop((first, of_first));
    assert_eq!(Arc::strong_count(&project), 1, "its source was released");
    base.register(workflow("b", 1)).unwrap();
    assert!(of_base.next().await.is_some() && of_second.next().await.is_some());

    base.close().await;
    assert!(
        tokio::time::timeout(HANG, of_second.next())
            .await
            .expect("it ends")
            .is_none()
    );
    assert_eq!(second.refresh().await.unwrap_err(), RegistryError::Closed);
    assert!(second.get("b").is_some(), "the last view stays readable");
}

#[tokio::test]
async fn overlays_extend_overlays() {
    let base = Registry::builder()
        .user(script("home", [row("a", 1)]))
        .load()
        .await
        .unwrap();
    let session = base
        .overlay()
        .user(script("project", [row("a", 2)]))
        .load()
        .await
        .unwrap();
    let helper = session
        .overlay()
        .user(script("task", [row("a", 3)]))
        .load()
        .await
        .unwrap();
    let mut subscription = helper.subscribe();
    base.register(workflow("b", 1)).unwrap();
    session.register(workflow("b", 2)).unwrap();
    helper.register(workflow("b", 3)).unwrap();
    assert_eq!(
        table(&helper.snapshot()),
        [
            "b <- session-2 > session > registered",
            "a <- task > project > home"
        ]
    );
    assert_eq!(
        subscription
            .next()
            .await
            .unwrap()
            .change
            .summary()
            .to_string(),
        "+ b"
    );
    assert_eq!(
        table(&session.snapshot()),
        ["b <- session > registered", "a <- project > home"]
    );
}

#[tokio::test]
async fn overlay_callbacks_follow_the_base() {
    let base = Registry::<Workflow>::builder().load().await.unwrap();
    let (sender, receiver) = mpsc::channel();
    let session = base.overlay().load().await.unwrap();
    let send = move |update: &repertoire_registry::Update<Workflow>| {
        sender.send(update.change.summary().to_string()).unwrap();
    };
    session.on_change(send).detach();
    base.register(workflow("a", 1)).unwrap();
    session.register(workflow("b", 1)).unwrap();
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), ["+ a", "+ b"]);
    session.close().await;
    base.register(workflow("c", 1)).unwrap();
    assert!(receiver.recv().is_err(), "the callback is gone");
}

#[tokio::test]
async fn started_overlay_callbacks_follow_the_base() {
    let base = Registry::<Workflow>::builder().load().await.unwrap();
    let session = base.overlay().start(&Handle::current()).await.unwrap();
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let handle =
        session.on_change(move |update| sender.send(update.change.summary().to_string()).unwrap());
    base.register(workflow("a", 1)).unwrap();
    let first = tokio::time::timeout(HANG, receiver.recv())
        .await
        .expect("the callback is called");
    assert_eq!(first.as_deref(), Some("+ a"));
    drop(handle);
}

#[tokio::test]
async fn a_dropped_overlay_leaves_nothing_on_its_base() {
    let base = Registry::<Workflow>::builder().load().await.unwrap();
    let held = Arc::new(());
    let session = base.overlay().load().await.unwrap();
    session
        .on_change({
            let held = Arc::clone(&held);
            move |_| assert_eq!(Arc::strong_count(&held), 2)
        })
        .detach();
    drop(session);
    assert_eq!(Arc::strong_count(&held), 1);
    base.register(workflow("a", 1)).unwrap();
}

#[tokio::test]
async fn diagnostics_of_overlay_rules_name_the_level() {
    let base = Registry::<Workflow>::builder().load().await.unwrap();
    let session = base
        .overlay()
        .rules(disabling("session rules", "nope"))
        .load()
        .await
        .unwrap();
    let view = session.snapshot();
    let [diagnostic] = view.diagnostics() else {
        panic!("one diagnostic")
    };
    assert_eq!(
        (diagnostic.source.as_ref(), diagnostic.diagnostic.code),
        ("session rules", Code::RULE_UNMATCHED)
    );
}
