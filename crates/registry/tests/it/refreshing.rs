//! Refreshing: what fails stays as it was, and views are published whole.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use repertoire_core::{Listing, Revision, Source, SourceError, SourceErrorKind, async_trait};
use repertoire_registry::{Registry, RegistryError};
use tokio::runtime::Handle;

use crate::workflow::{Script, Workflow, listing, row, table};

#[tokio::test]
async fn refreshes_report_each_change_once() {
    let home = Arc::new(Script::new("home", [row("a", 1)]));
    let registry = Registry::builder()
        .user(Arc::clone(&home))
        .load()
        .await
        .unwrap();
    let ids = |entries: &[Arc<repertoire_registry::Entry<Workflow>>]| {
        entries
            .iter()
            .map(|entry| entry.id.to_string())
            .collect::<Vec<_>>()
    };

    assert!(registry.refresh().await.unwrap().is_empty());

    home.set([row("a", 1), row("b", 1)]);
    let change = registry.refresh().await.unwrap();
    assert_eq!(
        (
            ids(&change.added),
            change.removed.len(),
            change.modified.len()
        ),
        (vec!["b".to_owned()], 0, 0)
    );

    home.set([row("b", 1)]);
    let change = registry.refresh().await.unwrap();
    assert_eq!(
        (
            change.added.len(),
            ids(&change.removed),
            change.modified.len()
        ),
        (0, vec!["a".to_owned()], 0)
    );

    let generation = registry.snapshot().generation();
    assert!(registry.refresh().await.unwrap().is_empty());
    assert_eq!(
        registry.snapshot().generation(),
        generation,
        "nothing changed, nothing published"
    );
}

#[tokio::test]
async fn failing_sources_retain_their_last_listing() {
    let home = Arc::new(Script::new("home", [row("a", 1)]));
    let other = Arc::new(Script::new("other", [row("b", 1)]));
    let registry = Registry::builder()
        .user(Arc::clone(&home))
        .user(Arc::clone(&other))
        .load()
        .await
        .unwrap();

    home.fail("the disk is gone");
    other.set([row("c", 1)]);
    let change = registry.refresh().await.unwrap();
    assert!(!change.diagnostics.is_empty());
    assert_eq!(table(&registry.snapshot()), ["a <- home", "c <- other"]);
    let errors: Vec<_> = registry
        .snapshot()
        .errors()
        .into_iter()
        .map(|(at, diagnostics)| (at, diagnostics[0].to_string()))
        .collect();
    assert_eq!(
        errors,
        [(
            "home".into(),
            "error[source-failed]: source `home` could not be listed: the disk is gone; its last listing stays"
                .to_owned()
        )]
    );
    registry.refresh().await.unwrap();
    assert_eq!(
        registry
            .snapshot()
            .errors()
            .values()
            .map(Vec::len)
            .sum::<usize>(),
        1,
        "said once, not once a refresh"
    );

    home.set([row("a", 2)]);
    registry.refresh().await.unwrap();
    assert!(registry.snapshot().errors().is_empty());
    assert_eq!(registry.get("a").unwrap().item().steps, 2);
}

#[tokio::test]
async fn initially_failing_sources_are_empty_layers() {
    let home = Arc::new(Script::new("home", []));
    home.fail("no network");
    let registry = Registry::builder().user(home).load().await.unwrap();
    assert!(registry.list().is_empty());
    let diagnostic = &registry.snapshot().errors()["home"][0];
    assert_eq!(
        diagnostic.message,
        "source `home` could not be listed: no network"
    );
}

/// A source that answers from memory what changed since a listing it made itself, as the contract allows: nothing yet.
/// It cannot be listed the first time.
#[derive(Debug, Default)]
struct Trusting(AtomicU64);

#[async_trait]
impl Source<Workflow> for Trusting {
    fn name(&self) -> &str {
        "trusting"
    }
    async fn list(&self) -> Result<Listing<Workflow>, SourceError> {
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => Err(SourceError::new(SourceErrorKind::Unavailable, "not yet")),
            steps => Ok(listing(0, [row("a", steps as u8)])),
        }
    }
    async fn list_since(&self, since: Revision) -> Result<Listing<Workflow>, SourceError> {
        Ok(Listing::empty(since))
    }
    async fn changed(&self, _: Revision) {}
}

#[tokio::test(start_paused = true)]
async fn list_since_needs_a_listing_of_the_source() {
    let registry = Registry::builder()
        .user(Trusting::default())
        .start(&Handle::current())
        .await
        .unwrap();
    assert!(registry.list().is_empty());
    registry.subscribe().next().await.unwrap();
    assert_eq!(registry.get("a").unwrap().item().steps, 1);
}

#[tokio::test]
async fn refreshes_see_unnoticed_changes() {
    let registry = Registry::builder()
        .user(Trusting(AtomicU64::new(1)))
        .load()
        .await
        .unwrap();
    assert_eq!(registry.get("a").unwrap().item().steps, 1);
    assert_eq!(
        registry.refresh().await.unwrap().modified[0]
            .new
            .item()
            .steps,
        2
    );
}

#[tokio::test]
async fn published_shadows_have_a_known_identity() {
    let project = Arc::new(
        Script::new("project", [row("same", 1), row("other", 1)])
            .with_body("same", 7)
            .with_body("other", 7),
    );
    let home = Arc::new(
        Script::new("home", [row("same", 1)])
            .with_body("same", 7)
            .with_body("other", 8),
    );
    let registry = Registry::builder()
        .user(project)
        .user(Arc::clone(&home))
        .load()
        .await
        .unwrap();
    let identical = |name: &str| {
        registry
            .get(name)
            .unwrap()
            .shadows
            .iter()
            .map(|shadow| shadow.identical)
            .collect::<Vec<_>>()
    };
    assert_eq!(identical("same"), [Some(true)]);
    assert_eq!(identical("other"), []);

    let mut updates = registry.subscribe();
    home.set([row("same", 1), row("other", 1)]);
    registry.refresh().await.unwrap();
    let update = updates.next().await.unwrap();
    assert_eq!(update.change.modified.len(), 1);
    assert_eq!(identical("other"), [Some(false)]);
    assert_eq!(
        update.snapshot.generation(),
        registry.snapshot().generation(),
        "one view, not one without the answer first"
    );
}

#[tokio::test]
async fn concurrent_callers_get_later_runs() {
    let home = Arc::new(Script::new("home", []));
    let registry = Registry::builder()
        .user(Arc::clone(&home))
        .load()
        .await
        .unwrap();
    let calls = (0..50u8).map(|n| {
        let (registry, home) = (registry.clone(), Arc::clone(&home));
        async move {
            home.set([row("a", n)]);
            registry.refresh().await.unwrap();
            registry.get("a").unwrap().item().steps >= n
        }
    });
    assert!(
        futures_util::future::join_all(calls)
            .await
            .into_iter()
            .all(|fresh| fresh)
    );
}

#[tokio::test]
async fn nothing_is_refreshed_after_the_end() {
    let registry = Registry::builder()
        .user(Script::new("home", [row("a", 1)]))
        .load()
        .await
        .unwrap();
    registry.close().await;
    registry.close().await;
    assert_eq!(registry.refresh().await.unwrap_err(), RegistryError::Closed);
    assert!(registry.get("a").is_some(), "the last view stays readable");
}
