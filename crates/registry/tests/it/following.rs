//! Following a registry: latest state, one merged change, and no effect of a bad subscriber on others.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use repertoire_core::{SourceError, SourceErrorKind};
use repertoire_registry::{DeferredSource, Registry, Subscription, Update};
use tokio::runtime::Handle;

use crate::workflow::{Script, Workflow, row};

/// Hangs are failures, not endless tests. Far above what anything here takes.
const HANG: Duration = Duration::from_secs(60);

async fn next(updates: &mut Subscription<Workflow>) -> Option<Update<Workflow>> {
    tokio::time::timeout(HANG, updates.next())
        .await
        .expect("an update in time")
}

fn summary(update: &Update<Workflow>) -> [Vec<String>; 3] {
    let change = &update.change;
    let ids = |entries: &[Arc<repertoire_registry::Entry<Workflow>>]| {
        entries.iter().map(|e| e.id.to_string()).collect()
    };
    [
        ids(&change.added),
        ids(&change.removed),
        change
            .modified
            .iter()
            .map(|id| id.new.id.to_string())
            .collect(),
    ]
}

#[tokio::test]
async fn subscribers_miss_no_change() {
    let home = Arc::new(Script::new("home", [row("a", 1)]));
    let registry = Registry::builder()
        .user(Arc::clone(&home))
        .load()
        .await
        .unwrap();
    let mut updates = registry.subscribe();
    assert!(updates.current().get("a").is_some());
    home.set([row("a", 1), row("b", 1)]);
    registry.refresh().await.unwrap();
    assert_eq!(
        summary(&next(&mut updates).await.unwrap()),
        [vec!["b".to_owned()], vec![], vec![]]
    );
}

#[tokio::test]
async fn skipped_views_are_folded_into_one_change() {
    let home = Arc::new(Script::new("home", [row("a", 1)]));
    let registry = Registry::builder()
        .user(Arc::clone(&home))
        .load()
        .await
        .unwrap();
    let mut slow = registry.subscribe();
    for rows in [
        vec![row("a", 2), row("b", 1)],
        vec![row("c", 1), row("a", 2)],
        vec![row("a", 3), row("c", 1)],
    ] {
        home.set(rows);
        registry.refresh().await.unwrap();
    }
    let generation = slow.current().generation();
    let update = next(&mut slow).await.unwrap();
    assert_eq!(
        summary(&update),
        [vec!["c".to_owned()], vec![], vec!["a".to_owned()]]
    );
    assert_eq!(update.snapshot.generation() - generation, 3);
}

#[tokio::test]
async fn a_finding_alone_is_an_update() {
    let home = Arc::new(Script::new("home", [row("a", 1)]));
    let registry = Registry::builder()
        .user(Arc::clone(&home))
        .load()
        .await
        .unwrap();
    let mut updates = registry.subscribe();
    home.fail("gone");
    registry.refresh().await.unwrap();
    let update = next(&mut updates).await.unwrap();
    assert_eq!(update.change.diagnostics.new.len(), 1);
    assert_eq!(summary(&update), [vec![], vec![], Vec::<String>::new()]);
}

#[tokio::test]
async fn panicking_subscribers_do_not_affect_others() {
    let home = Arc::new(Script::new("home", []));
    let registry = Registry::builder()
        .user(Arc::clone(&home))
        .load()
        .await
        .unwrap();
    let mut good = registry.subscribe();
    let mut bad = registry.subscribe();
    drop(registry.subscribe());
    let panicking = tokio::spawn(async move {
        bad.next().await;
        panic!("a subscriber's own fault");
    });
    home.set([row("a", 1)]);
    registry.refresh().await.unwrap();
    assert!(panicking.await.unwrap_err().is_panic());
    assert!(next(&mut good).await.is_some());
    home.set([]);
    registry.refresh().await.unwrap();
    assert!(next(&mut good).await.is_some());
}

#[tokio::test]
async fn started_registries_follow_their_sources() {
    let home = Arc::new(Script::new("home", [row("a", 1)]));
    let registry = Registry::builder()
        .user(Arc::clone(&home))
        .start(&Handle::current())
        .await
        .unwrap();
    let mut updates = registry.subscribe();
    home.set([row("a", 1), row("b", 1)]);
    assert_eq!(
        summary(&next(&mut updates).await.unwrap()),
        [vec!["b".to_owned()], vec![], vec![]]
    );
    registry.close().await;
    assert!(next(&mut updates).await.is_none());
}

#[tokio::test]
async fn a_change_before_anybody_waited_is_not_lost() {
    let home = Arc::new(Script::new("home", []));
    let builder = Registry::builder().user(Arc::clone(&home));
    let registry = builder.start(&Handle::current()).await.unwrap();
    // The task has not run yet on this single-threaded runtime.
    home.set([row("a", 1)]);
    let mut updates = registry.subscribe();
    assert!(
        next(&mut updates)
            .await
            .unwrap()
            .snapshot
            .get("a")
            .is_some()
    );
}

#[tokio::test(start_paused = true)]
async fn failing_sources_are_retried_with_backoff() {
    let home = Arc::new(Script::new("home", [row("a", 1)]));
    let registry = Registry::builder()
        .user(Arc::clone(&home))
        .start(&Handle::current())
        .await
        .unwrap();
    let mut updates = registry.subscribe();
    home.fail("gone");
    assert_eq!(
        next(&mut updates)
            .await
            .unwrap()
            .change
            .diagnostics
            .new
            .len(),
        1
    );
    home.set([row("a", 2)]);
    // Time is paused: it jumps ahead only when every task waits, so a spinning task would hang this test.
    assert_eq!(summary(&next(&mut updates).await.unwrap())[2], ["a"]);
}

#[tokio::test]
async fn the_task_ends_with_the_last_handle() {
    let home = Arc::new(Script::new("home", []));
    let registry = Registry::builder()
        .user(Arc::clone(&home))
        .start(&Handle::current())
        .await
        .unwrap();
    drop(registry);
    let released = async {
        while Arc::strong_count(&home) > 1 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(HANG, released)
        .await
        .expect("the task lets go of the source");
}

#[tokio::test]
async fn subscriptions_do_not_extend_the_registry_lifetime() {
    let home = Arc::new(Script::new("home", [row("a", 1)]));
    let registry = Registry::builder()
        .user(Arc::clone(&home))
        .start(&Handle::current())
        .await
        .unwrap();
    let (mut early, mut late) = (registry.subscribe(), registry.subscribe());
    let waiting = tokio::spawn(async move { early.next().await.is_none() });
    tokio::task::yield_now().await;
    drop(registry);
    assert!(
        tokio::time::timeout(HANG, waiting)
            .await
            .expect("it ends")
            .unwrap()
    );
    assert!(late.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_failed_set_up_is_tried_again() {
    let tries = Arc::new(AtomicU64::new(0));
    let source = DeferredSource::new("late", {
        let tries = Arc::clone(&tries);
        move || {
            let attempt = tries.fetch_add(1, Ordering::SeqCst);
            async move {
                let down = SourceError::new(SourceErrorKind::Unavailable, "the server is down");
                if attempt < 3 {
                    Err(down)
                } else {
                    Ok(Script::new("late", [row("a", 1)]))
                }
            }
        }
    });
    let registry = Registry::builder()
        .user(source)
        .start(&Handle::current())
        .await
        .unwrap();
    assert_eq!(registry.snapshot().errors()["late"].len(), 1);
    let update = next(&mut registry.subscribe()).await.unwrap();
    assert_eq!(update.change.summary().to_string(), "+ a");
    assert_eq!(tries.load(Ordering::SeqCst), 4);
}
