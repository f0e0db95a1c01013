//! Sources that panic, hang or return wrong data affect no other source.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use repertoire_core::{
    Body, Code, Id, Listing, Revision, Source, SourceError, SourceErrorKind, async_trait,
};
use repertoire_registry::{Mount, Registry, RegistryError};
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::workflow::{Script, Workflow, id, listing, row, table};

/// Hangs are failures, not endless tests. Far above what anything here takes.
const HANG: Duration = Duration::from_secs(60);

/// A source that panics in whatever it is asked while a test wants it to.
#[derive(Debug)]
struct Panicking {
    is_well: watch::Sender<bool>,
    revision: AtomicU64,
}

impl Panicking {
    fn new() -> Arc<Panicking> {
        Arc::new(Panicking {
            is_well: watch::Sender::new(true),
            revision: AtomicU64::new(0),
        })
    }

    fn set_well(&self, is_well: bool) {
        self.revision.fetch_add(1, Ordering::SeqCst);
        self.is_well.send_replace(is_well);
    }

    fn must_be_well(&self, what: &str) {
        assert!(*self.is_well.borrow(), "no {what} today");
    }
}

#[async_trait]
impl Source<Workflow> for Panicking {
    fn name(&self) -> &str {
        "panicking"
    }

    async fn list(&self) -> Result<Listing<Workflow>, SourceError> {
        self.must_be_well("list");
        Ok(listing(self.revision.load(Ordering::SeqCst), [row("a", 1)]))
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        self.must_be_well("body");
        Err(SourceError::unsupported("workflow", id, "body"))
    }

    async fn changed(&self, since: Revision) {
        self.must_be_well("change");
        let mut is_well = self.is_well.subscribe();
        let _ = is_well
            .wait_for(|_| self.revision.load(Ordering::SeqCst) > since.0)
            .await;
        self.must_be_well("change");
    }
}

#[tokio::test]
async fn panicking_sources_retain_their_last_listing() {
    let (bad, good) = (
        Panicking::new(),
        Arc::new(Script::new("good", [row("b", 1)])),
    );
    let registry = Registry::builder()
        .user(Arc::clone(&bad))
        .user(Arc::clone(&good))
        .load()
        .await
        .unwrap();
    bad.set_well(false);
    good.set([row("c", 1)]);
    registry.refresh().await.unwrap();
    assert_eq!(table(&registry.snapshot()), ["a <- panicking", "c <- good"]);
    assert_eq!(
        registry.snapshot().errors()["panicking"][0].message,
        "source `panicking` could not be listed: it panicked: no list today; its last listing stays"
    );
    let view = registry.snapshot();
    let error = registry
        .body(&view.get("a").unwrap().candidate)
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (SourceErrorKind::Other, "it panicked: no body today")
    );

    bad.set_well(true);
    registry.refresh().await.unwrap();
    assert!(registry.snapshot().errors().is_empty());
}

#[tokio::test]
async fn panics_leave_digests_unknown() {
    let (bad, good) = (Panicking::new(), Arc::new(Script::new("good", [])));
    let registry = Registry::builder()
        .user(Arc::clone(&bad))
        .user(Arc::clone(&good))
        .load()
        .await
        .unwrap();
    good.set([row("a", 1)]);
    bad.is_well.send_replace(false);
    registry.refresh().await.unwrap();
    let entry = registry.get("a").unwrap();
    assert_eq!(
        entry
            .shadows
            .iter()
            .map(|shadow| shadow.identical)
            .collect::<Vec<_>>(),
        [None]
    );
}

#[tokio::test(start_paused = true)]
async fn panicking_sources_do_not_end_following() {
    let (bad, good) = (Panicking::new(), Arc::new(Script::new("good", [])));
    let builder = Registry::builder()
        .user(Arc::clone(&bad))
        .user(Arc::clone(&good));
    let registry = builder.start(&Handle::current()).await.unwrap();
    let mut updates = registry.subscribe();
    bad.set_well(false);
    assert_eq!(
        updates.next().await.unwrap().change.diagnostics.new.len(),
        1
    );
    good.set([row("b", 1)]);
    assert!(updates.next().await.unwrap().snapshot.get("b").is_some());
    // Time is paused: it jumps ahead only when every task waits, so a spinning task would hang this test.
    bad.set_well(true);
    let view = updates.next().await.unwrap().snapshot;
    assert!(
        view.diagnostics()
            .iter()
            .all(|diagnostic| diagnostic.diagnostic.code != Code::SOURCE_FAILED)
    );
    registry.close().await;
}

/// A source that answers once, and never again.
#[derive(Debug, Default)]
struct Hanging(AtomicU64);

#[async_trait]
impl Source<Workflow> for Hanging {
    fn name(&self) -> &str {
        "hanging"
    }

    async fn list(&self) -> Result<Listing<Workflow>, SourceError> {
        if self.0.fetch_add(1, Ordering::SeqCst) > 0 {
            std::future::pending::<()>().await;
        }
        Ok(listing(0, [row("a", 1)]))
    }
}

#[tokio::test]
async fn hanging_sources_block_nothing_else() {
    let good = Arc::new(Script::new("good", []));
    let registry = Registry::builder()
        .user(Hanging::default())
        .user(Arc::clone(&good))
        .load()
        .await
        .unwrap();
    let refresh = tokio::spawn({
        let registry = registry.clone();
        async move { registry.refresh().await }
    });
    tokio::task::yield_now().await;
    registry
        .register(Workflow {
            id: id("c"),
            steps: 1,
        })
        .unwrap();
    assert_eq!(
        table(&registry.snapshot()),
        ["c <- registered", "a <- hanging"]
    );
    registry.close().await;
    let ended = tokio::time::timeout(HANG, refresh)
        .await
        .expect("the end is not held up")
        .unwrap();
    assert_eq!(ended.unwrap_err(), RegistryError::Closed);
}

/// Returns the sources that could not be listed, each with its reason.
fn failures(registry: &Registry<Workflow>) -> Vec<String> {
    registry
        .snapshot()
        .errors()
        .values()
        .flatten()
        .map(|diagnostic| diagnostic.message.clone())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn time_limits_end_listing() {
    let good = Arc::new(Script::new("good", []));
    let hanging = Mount::user(Hanging::default()).time_limit(Duration::from_secs(5));
    let builder = Registry::builder().mount(hanging).user(Arc::clone(&good));
    let registry = builder.start(&Handle::current()).await.unwrap();
    good.set([row("b", 1)]);
    // Time is paused: it jumps ahead when every task waits.
    registry.refresh().await.unwrap();
    assert_eq!(table(&registry.snapshot()), ["a <- hanging", "b <- good"]);
    assert_eq!(
        failures(&registry),
        [
            "source `hanging` could not be listed: it did not answer within 5s; its last listing stays"
        ]
    );
    registry.close().await;
}

#[tokio::test(start_paused = true)]
async fn hanging_sources_do_not_block_composition() {
    let hanging = || Hanging(AtomicU64::new(1));
    let builder = Registry::builder()
        .user(hanging())
        .user(Script::new("good", [row("b", 1)]));
    let registry = builder.start(&Handle::current()).await.unwrap();
    assert_eq!(table(&registry.snapshot()), ["b <- good"]);
    assert_eq!(
        failures(&registry),
        ["source `hanging` could not be listed: it did not answer within 30s"]
    );

    registry
        .replace_source(Mount::user(hanging()).time_limit(Duration::from_millis(20)))
        .await
        .unwrap();
    assert_eq!(
        failures(&registry),
        ["source `hanging` could not be listed: it did not answer within 20ms"]
    );
    let session = registry.overlay().load().await.unwrap();
    session.refresh().await.unwrap();
    session.remove_source("nobody").await.unwrap_err();
}

/// A source whose bodies never come.
#[derive(Debug)]
struct Bodiless;

#[async_trait]
impl Source<Workflow> for Bodiless {
    fn name(&self) -> &str {
        "bodiless"
    }

    async fn list(&self) -> Result<Listing<Workflow>, SourceError> {
        Ok(listing(0, [row("a", 1)]))
    }

    async fn body(&self, _: &Id) -> Result<Body, SourceError> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn missing_bodies_leave_identity_unknown() {
    let good = Script::new("good", [row("a", 1)]).with_body("a", 1);
    let registry = Registry::builder()
        .user(Bodiless)
        .user(good)
        .start(&Handle::current())
        .await
        .unwrap();
    assert_eq!(registry.get("a").unwrap().shadows[0].identical, None);
}

#[test]
fn timeouts_use_the_runtime_of_the_registry() {
    let started_on = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()
        .unwrap();
    let without = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let hanging = Mount::user(Hanging::default()).time_limit(Duration::from_millis(1));
    let builder = Registry::builder().mount(hanging);
    let registry = started_on
        .block_on(builder.start(started_on.handle()))
        .unwrap();
    without.block_on(registry.refresh()).unwrap();
    assert_eq!(failures(&registry).len(), 1);
    without.block_on(registry.close());
}

#[tokio::test(start_paused = true)]
async fn time_limits_apply_without_a_start() {
    let hanging = || Mount::user(Hanging(AtomicU64::new(1))).time_limit(Duration::from_millis(100));
    let registry = Registry::builder().mount(hanging()).load().await.unwrap();
    let message = "source `hanging` could not be listed: it did not answer within 100ms";
    assert_eq!(failures(&registry), [message]);
}

#[test]
fn a_time_limit_without_a_clock_is_reported() {
    let hanging = Mount::user(Hanging(AtomicU64::new(1))).time_limit(Duration::from_millis(100));
    let registry = futures_util::FutureExt::now_or_never(Registry::builder().mount(hanging).load())
        .unwrap()
        .unwrap();
    let failures = failures(&registry);
    assert!(
        failures[0].starts_with(
            "source `hanging` could not be listed: its time limit needs a tokio runtime"
        )
    );
}

/// A source that is another one each time it is looked at, and says so at once.
#[derive(Debug, Default)]
struct Restless(AtomicU64);

#[async_trait]
impl Source<Workflow> for Restless {
    fn name(&self) -> &str {
        "restless"
    }

    async fn list(&self) -> Result<Listing<Workflow>, SourceError> {
        Ok(listing(
            self.0.fetch_add(1, Ordering::SeqCst),
            [row("a", 1)],
        ))
    }

    async fn changed(&self, _: Revision) {}
}

#[tokio::test]
async fn busy_sources_block_nothing_else() {
    let good = Arc::new(Script::new("good", []));
    let builder = Registry::builder()
        .user(Restless::default())
        .user(Arc::clone(&good));
    let registry = builder.start(&Handle::current()).await.unwrap();
    let mut updates = registry.subscribe();
    good.set([row("b", 1)]);
    let seen = tokio::time::timeout(HANG, updates.next())
        .await
        .expect("others are followed")
        .unwrap();
    assert!(seen.snapshot.get("b").is_some());
    tokio::time::timeout(HANG, registry.close())
        .await
        .expect("the end is not held up");
}

/// A source whose revision went down, as after a restart.
#[tokio::test]
async fn decreasing_revisions_are_failures() {
    #[derive(Debug)]
    struct Backwards(AtomicU64);

    #[async_trait]
    impl Source<Workflow> for Backwards {
        fn name(&self) -> &str {
            "backwards"
        }

        async fn list(&self) -> Result<Listing<Workflow>, SourceError> {
            let revision = self.0.fetch_sub(1, Ordering::SeqCst);
            Ok(listing(revision, [row(&format!("w{revision}"), 1)]))
        }
    }

    let registry = Registry::builder()
        .user(Backwards(AtomicU64::new(9)))
        .load()
        .await
        .unwrap();
    registry.refresh().await.unwrap();
    assert_eq!(table(&registry.snapshot()), ["w9 <- backwards"]);
    assert_eq!(
        registry.snapshot().errors()["backwards"][0].message,
        "source `backwards` could not be listed: its revision goes back from 9 to 8; its last listing stays"
    );
}
