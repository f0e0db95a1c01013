//! Sources come and go at run time, in one view each time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use repertoire_core::{
    Body, Digest, Id, Listing, ListingEntry, Revision, Skill, Source, SourceError, SourceErrorKind,
    Stamp, async_trait,
};
use repertoire_registry::{Change, Mount, Registry, RegistryError, Trust, merge};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, Notify};

use crate::workflow::{Script, Workflow, id, listing, row, table};

/// Hangs are failures, not endless tests. Far above what anything here takes.
const HANG: Duration = Duration::from_secs(60);

fn script(name: &str, rows: impl IntoIterator<Item = ListingEntry<Workflow>>) -> Arc<Script> {
    Arc::new(Script::new(name, rows))
}

fn names(registry: &Registry<Workflow>) -> Vec<String> {
    registry
        .mounts()
        .iter()
        .map(|mount| mount.origin().source.to_string())
        .collect()
}

/// Waits until only the test holds the source.
async fn released(source: &Arc<Script>) {
    let alone = async {
        while Arc::strong_count(source) > 1 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(HANG, alone)
        .await
        .expect("the source is let go of");
}

#[tokio::test]
async fn added_sources_come_last() {
    let registry = Registry::builder()
        .user(script("home", [row("a", 1)]))
        .load()
        .await
        .unwrap();
    let mut subscription = registry.subscribe();
    let change = registry
        .add_source(Mount::user(script("team", [row("a", 2), row("b", 2)])))
        .await
        .unwrap();
    assert_eq!(
        table(&registry.snapshot()),
        ["a <- home > team", "b <- team"]
    );
    assert_eq!((change.added.len(), change.modified.len()), (1, 1));
    let generation = registry.snapshot().generation();
    assert_eq!(
        subscription.next().await.unwrap().snapshot.generation(),
        generation
    );
    assert_eq!(names(&registry), ["registered", "home", "team"]);
}

#[tokio::test]
async fn confusable_names_are_reported() {
    let rows = [
        "deploy",
        "d\u{435}ploy",
        "отчёт",
        "сору",
        "résumé",
        "resume",
        "数据整理",
        "名前-rust",
        "\u{3bf}k",
    ];
    let registry = Registry::builder()
        .user(script("home", rows.map(|name| row(name, 1))))
        .load()
        .await
        .unwrap();
    let diagnostics_of = |registry: &Registry<Workflow>| {
        let snapshot = registry.snapshot();
        snapshot
            .diagnostics()
            .iter()
            .map(|found| found.diagnostic.to_string())
            .collect::<Vec<_>>()
    };
    let deploy = "warning[looks-alike]: workflow `d\u{435}ploy` looks like `deploy`, and is a different one: it has U+0435";
    assert_eq!(diagnostics_of(&registry), [deploy]);
    // It comes with the other name, from whichever source, and goes with it.
    let team = script("team", [row("copy", 1), row("ok", 1)]);
    let change = registry
        .add_source(Mount::user(Arc::clone(&team)))
        .await
        .unwrap();
    let copy = "warning[looks-alike]: workflow `сору` looks like `copy`, and is a different one: it has U+0441, U+043E, U+0440, U+0443";
    let new: Vec<_> = change
        .diagnostics
        .new
        .iter()
        .map(|found| found.diagnostic.to_string())
        .collect();
    assert_eq!(
        new,
        [
            copy,
            "warning[looks-alike]: workflow `οk` looks like `ok`, and is a different one: it has U+03BF"
        ]
    );
    team.set([row("ok", 1)]);
    registry.refresh().await.unwrap();
    assert_eq!(diagnostics_of(&registry).len(), 2);
    team.set([]);
    registry.refresh().await.unwrap();
    assert_eq!(diagnostics_of(&registry), [deploy]);
}

#[tokio::test]
async fn failing_sources_are_added_with_a_diagnostic() {
    let registry = Registry::<Workflow>::builder().load().await.unwrap();
    let team = script("team", []);
    team.fail("no network");
    let change = registry
        .add_source(Mount::user(Arc::clone(&team)))
        .await
        .unwrap();
    assert!(!change.diagnostics.is_empty());
    assert_eq!(
        registry.snapshot().errors()["team"][0].message,
        "source `team` could not be listed: no network"
    );
    team.set([row("a", 1)]);
    registry.refresh().await.unwrap();
    assert_eq!(table(&registry.snapshot()), ["a <- team"]);
}

#[tokio::test]
async fn removed_sources_can_not_be_read() {
    let agent = Script::new("agent", [row("a", 1)]).with_body("a", 1);
    let home = Script::new("home", [row("a", 2)]).with_body("a", 2);
    let builder = Registry::builder()
        .builtin(agent)
        .user(home)
        .prefer(id("a"), "agent");
    let registry = builder.load().await.unwrap();
    let before = registry.snapshot();
    let change = registry.remove_source("agent").await.unwrap();
    assert_eq!(change.modified.len(), 1);
    assert_eq!(table(&registry.snapshot()), ["a <- home"]);

    let error = registry
        .body(&before.get("a").unwrap().candidate)
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (
            SourceErrorKind::Unavailable,
            "source `agent` is no longer composed"
        )
    );
    assert_eq!(
        registry
            .body(&before.resolve("home:a").unwrap().candidate.clone())
            .await
            .unwrap()
            .text
            .as_ref(),
        "2"
    );
}

#[tokio::test]
async fn replaced_sources_retain_position_and_preferences() {
    let first = Script::new("team", [row("a", 1), row("b", 1)]).with_body("b", 1);
    let builder = Registry::builder()
        .user(first)
        .user(script("home", [row("a", 2), row("b", 2)]));
    let registry = builder.prefer(id("b"), "team").load().await.unwrap();
    let before = registry.snapshot();

    let second = Script::new("team", [row("a", 1), row("b", 3)]).with_body("b", 3);
    let change = registry.replace_source(Mount::user(second)).await.unwrap();
    assert_eq!(
        table(&registry.snapshot()),
        ["a <- team > home", "b <- team > home"]
    );
    assert_eq!(
        change
            .modified
            .iter()
            .map(|id| id.new.id.as_str())
            .collect::<Vec<_>>(),
        ["b"]
    );
    assert_eq!(
        registry
            .body(&before.get("b").unwrap().candidate)
            .await
            .unwrap()
            .text
            .as_ref(),
        "3"
    );

    // What was read as trusted is not read from a source that is not.
    let third = Script::new("team", [row("b", 3)]).with_body("b", 3);
    registry
        .replace_source(Mount::user(third).trust(Trust::Pending))
        .await
        .unwrap();
    let error = registry
        .body(&before.get("b").unwrap().candidate)
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (
            SourceErrorKind::Unavailable,
            "source `team` is composed in another way by now"
        )
    );
}

#[tokio::test]
async fn rejected_changes_have_no_effect() {
    let registry = Registry::builder()
        .user(script("home", [row("a", 1)]))
        .load()
        .await
        .unwrap();
    let before = registry.snapshot();
    let team = || Mount::user(script("team", []));
    let errors = [
        registry
            .add_source(Mount::user(script("home", [])))
            .await
            .unwrap_err(),
        registry
            .add_source(Mount::user(script("a:b", [])))
            .await
            .unwrap_err(),
        registry.remove_source("team").await.unwrap_err(),
        registry.remove_source("registered").await.unwrap_err(),
        registry.replace_source(team()).await.unwrap_err(),
        registry
            .recompose(Registry::builder().mount(team()).mount(team()))
            .await
            .unwrap_err(),
        registry
            .recompose(Registry::builder().mount(team()).prefer(id("a"), "home"))
            .await
            .unwrap_err(),
    ];
    assert_eq!(
        errors.map(|error| error.to_string()),
        [
            "two sources are called `home`; give each its own name",
            "source name `a:b` cannot be used: it holds a colon",
            "no source is called `team`; known: home, registered",
            "source `registered` holds the entries registered in code, and stays",
            "no source is called `team`; known: home, registered",
            "two sources are called `team`; give each its own name",
            "unknown source `home` in the preference for `a`; known sources: registered, team",
        ]
    );
    registry.close().await;
    assert_eq!(
        registry.add_source(team()).await.unwrap_err(),
        RegistryError::Closed
    );
    assert_eq!(names(&registry), ["registered", "home"]);
    assert_eq!(registry.snapshot().generation(), before.generation());
}

/// A source that counts how often it is listed, and answers when it may.
#[derive(Debug)]
struct Slow {
    listed: AtomicU64,
    may: tokio::sync::Semaphore,
}

#[async_trait]
impl Source<Workflow> for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    async fn list(&self) -> Result<Listing<Workflow>, SourceError> {
        self.listed.fetch_add(1, Ordering::SeqCst);
        let _permit = self
            .may
            .acquire()
            .await
            .expect("the semaphore is never closed");
        Ok(listing(0, [row("a", 1)]))
    }
}

fn slow(permits: usize) -> Arc<Slow> {
    Arc::new(Slow {
        listed: AtomicU64::new(0),
        may: tokio::sync::Semaphore::new(permits),
    })
}

#[tokio::test]
async fn dropped_calls_change_nothing() {
    let registry = Registry::builder()
        .user(script("home", [row("b", 1)]))
        .load()
        .await
        .unwrap();
    let slow = slow(0);
    let mut adding = Box::pin(registry.add_source(Mount::user(Arc::clone(&slow))));
    assert!(futures_util::poll!(&mut adding).is_pending());
    assert_eq!(slow.listed.load(Ordering::SeqCst), 1);
    assert_eq!(
        (table(&registry.snapshot()), names(&registry).len()),
        (vec!["b <- home".to_owned()], 2)
    );
    registry
        .register(Workflow {
            id: id("c"),
            steps: 1,
        })
        .unwrap();
    drop(adding);
    assert_eq!(names(&registry).len(), 2);

    slow.may.add_permits(1);
    registry.add_source(Mount::user(slow)).await.unwrap();
    assert_eq!(
        table(&registry.snapshot()),
        ["c <- registered", "b <- home", "a <- slow"]
    );
}

#[tokio::test]
async fn concurrent_registrations_are_kept() {
    let registry = Registry::<Workflow>::builder().load().await.unwrap();
    let slow = slow(0);
    let mut adding = Box::pin(registry.add_source(Mount::user(Arc::clone(&slow))));
    assert!(futures_util::poll!(&mut adding).is_pending());
    registry
        .register(Workflow {
            id: id("a"),
            steps: 7,
        })
        .unwrap();
    slow.may.add_permits(1);
    adding.await.unwrap();
    assert_eq!(table(&registry.snapshot()), ["a <- registered > slow"]);
    assert_eq!(registry.snapshot(), merge(registry.snapshot().layers()));
}

#[tokio::test]
async fn recomposing_lists_only_new_sources() {
    let slow = slow(9);
    let known = Mount::user(Arc::clone(&slow));
    let builder = || Registry::builder().mount(known.clone());
    let registry = builder()
        .user(script("home", [row("b", 1)]))
        .load()
        .await
        .unwrap();
    registry
        .register(Workflow {
            id: id("c"),
            steps: 1,
        })
        .unwrap();
    let before = registry.get("a").unwrap();

    let team = script("team", [row("b", 2), row("a", 2)]);
    registry.recompose(builder().user(team)).await.unwrap();
    assert_eq!(
        table(&registry.snapshot()),
        ["c <- registered", "a <- slow > team", "b <- team"]
    );
    registry
        .recompose(Registry::builder().mount(known.trust(Trust::Restricted)))
        .await
        .unwrap();
    assert_eq!(
        registry.get("a").unwrap().candidate.trust,
        Trust::Restricted
    );
    assert!(Arc::ptr_eq(
        &registry.get("a").unwrap().candidate.item,
        &before.candidate.item
    ));
    assert_eq!(
        slow.listed.load(Ordering::SeqCst),
        1,
        "it was not listed again"
    );
}

#[tokio::test]
async fn untouched_entries_are_shared() {
    let (home, team) = (
        Mount::user(script("home", [row("a", 1), row("b", 1)])),
        Mount::user(script("team", [row("b", 2)])),
    );
    let builder = |first: &Mount<Workflow>, second: &Mount<Workflow>| {
        Registry::builder()
            .mount(first.clone())
            .mount(second.clone())
    };
    let registry = builder(&home, &team).load().await.unwrap();
    let before = registry.get("a").unwrap();
    let change = registry.recompose(builder(&team, &home)).await.unwrap();
    assert_eq!(
        change
            .modified
            .iter()
            .map(|id| id.new.id.as_str())
            .collect::<Vec<_>>(),
        ["b"]
    );
    assert!(Arc::ptr_eq(&registry.get("a").unwrap(), &before));
}

#[tokio::test]
async fn started_registries_follow_added_sources() {
    let home = script("home", [row("a", 1)]);
    let registry = Registry::builder()
        .user(Arc::clone(&home))
        .start(&Handle::current())
        .await
        .unwrap();
    let team = script("team", []);
    registry
        .add_source(Mount::user(Arc::clone(&team)))
        .await
        .unwrap();
    let mut subscription = registry.subscribe();
    team.set([row("b", 1)]);
    let update = tokio::time::timeout(HANG, subscription.next())
        .await
        .expect("it is followed")
        .unwrap();
    assert_eq!(table(&update.snapshot), ["a <- home", "b <- team"]);

    registry.remove_source("home").await.unwrap();
    released(&home).await;
    home.set([row("c", 1)]);
    team.set([row("d", 1)]);
    while registry.get("d").is_none() {
        tokio::time::timeout(HANG, subscription.next())
            .await
            .expect("the others are followed still")
            .unwrap();
    }
    assert_eq!(table(&registry.snapshot()), ["d <- team"]);
    registry.close().await;
    drop((registry, subscription));
    released(&team).await;
}

/// A source that holds the lock for listing while a caller waits for a change of it.
#[derive(Debug, Default)]
struct Locking {
    lock: Mutex<()>,
    is_held: Notify,
    may_go_on: Notify,
}

#[async_trait]
impl Source<Workflow> for Locking {
    fn name(&self) -> &str {
        "locking"
    }

    async fn list(&self) -> Result<Listing<Workflow>, SourceError> {
        let _turn = self.lock.lock().await;
        Ok(listing(0, []))
    }

    async fn changed(&self, _: Revision) {
        {
            let _turn = self.lock.lock().await;
            self.is_held.notify_one();
            self.may_go_on.notified().await;
        }
        std::future::pending().await
    }
}

#[tokio::test]
async fn sources_wait_independently() {
    let (locking, home) = (Arc::new(Locking::default()), script("home", []));
    let builder = Registry::builder()
        .user(Arc::clone(&locking))
        .user(Arc::clone(&home));
    let registry = builder.start(&Handle::current()).await.unwrap();
    locking.is_held.notified().await;
    let refreshing = tokio::spawn({
        let registry = registry.clone();
        async move { registry.refresh().await }
    });
    tokio::task::yield_now().await;
    // The refresh has its turn and waits for `locking`; now the task waits for its own turn to look at `home`.
    home.set([row("a", 1)]);
    tokio::task::yield_now().await;
    locking.may_go_on.notify_one();
    tokio::time::timeout(HANG, refreshing)
        .await
        .expect("there is no deadlock")
        .unwrap()
        .unwrap();
}

/// One skill whose content is unknown until it is read.
#[derive(Debug)]
struct Unread(&'static str);

const TEXT: &str = "Sort it.";

#[async_trait]
impl Source<Skill> for Unread {
    fn name(&self) -> &str {
        self.0
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        let skill = Skill::new(id("tidy"), "Sorts a folder.");
        Ok(Listing::new(
            Revision(0),
            [ListingEntry::new(skill, Stamp::of(TEXT))],
            [],
        ))
    }

    async fn body(&self, _: &Id) -> Result<Body, SourceError> {
        Ok(Body::new(
            TEXT,
            Digest::of(TEXT.as_bytes()),
            Stamp::of(TEXT),
        ))
    }
}

#[tokio::test]
async fn added_shadows_have_a_known_identity() {
    let registry = Registry::builder()
        .user(Unread("home"))
        .load()
        .await
        .unwrap();
    let change = registry
        .add_source(Mount::user(Unread("team")))
        .await
        .unwrap();
    let identical = |change: &Change<Skill>| change.modified[0].new.shadows[0].identical;
    assert_eq!(identical(&change), Some(true));
    let builder = Registry::builder()
        .user(Unread("other"))
        .user(Unread("home"));
    assert_eq!(
        identical(&registry.recompose(builder).await.unwrap()),
        Some(true)
    );
}
