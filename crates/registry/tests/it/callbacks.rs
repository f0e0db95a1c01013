//! Callbacks get every change, do not affect each other, and end when they should.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use futures_util::FutureExt;
use repertoire_registry::{CallbackGuard, Registry, Update};
use tokio::runtime::Handle;

use crate::workflow::{Script, Workflow, id, row};

/// Hangs are failures, not endless tests. Far above what anything here takes.
const HANG: Duration = Duration::from_secs(60);

fn loaded() -> Registry<Workflow> {
    Registry::builder().load().now_or_never().unwrap().unwrap()
}

fn register(registry: &Registry<Workflow>, name: &str) {
    registry
        .register(Workflow {
            id: id(name),
            steps: 1,
        })
        .unwrap();
}

fn summary(update: &Update<Workflow>) -> String {
    update.change.summary().to_string()
}

/// Returns a callback that sends the summary of each change.
fn sending(sender: Sender<String>) -> impl FnMut(&Update<Workflow>) + Send + 'static {
    move |update| sender.send(summary(update)).unwrap()
}

fn received(receiver: &Receiver<String>) -> Vec<String> {
    receiver.try_iter().collect()
}

#[tokio::test]
async fn callbacks_run_before_the_verb_returns() {
    let home = Arc::new(Script::new("home", [row("a", 1)]));
    let registry = Registry::builder()
        .user(Arc::clone(&home))
        .load()
        .await
        .unwrap();
    let (sender, receiver) = mpsc::channel();
    let _handle = registry.on_change(sending(sender));
    registry.refresh().await.unwrap();
    assert_eq!(received(&receiver), [""; 0]);

    home.set([row("a", 1), row("b", 1)]);
    registry.refresh().await.unwrap();
    assert_eq!(received(&receiver), ["+ b"]);
    home.set([row("a", 1)]);
    registry.refresh().await.unwrap();
    assert_eq!(received(&receiver), ["- b"]);
    register(&registry, "a");
    assert_eq!(received(&receiver), ["~ a (source, body, resources)"]);
    registry.remove_source("home").await.unwrap();
    assert_eq!(received(&receiver), ["~ a (shadows)"]);
}

#[test]
fn ended_callbacks_are_not_called() {
    let registry = loaded();
    let channels = || mpsc::channel::<String>();
    let ((a, ended), (b, dropped), (c, detached)) = (channels(), channels(), channels());
    let handle = registry.on_change(sending(a));
    drop(registry.on_change(sending(b)));
    registry.on_change(sending(c)).detach();
    register(&registry, "x");
    drop(handle);
    register(&registry, "y");
    assert_eq!(
        (received(&ended), received(&dropped), received(&detached)),
        (
            vec!["+ x".to_owned()],
            vec![],
            vec!["+ x".to_owned(), "+ y".to_owned()]
        )
    );
}

#[test]
fn panicking_callbacks_get_the_next_change() {
    let registry = loaded();
    let calls = Arc::new(AtomicUsize::new(0));
    let (sender, receiver) = mpsc::channel();
    registry
        .on_change({
            let calls = Arc::clone(&calls);
            move |_| {
                calls.fetch_add(1, Ordering::SeqCst);
                panic!("a callback's own fault");
            }
        })
        .detach();
    registry.on_change(sending(sender)).detach();
    register(&registry, "x");
    register(&registry, "y");
    assert_eq!(received(&receiver), ["+ x", "+ y"]);
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}

#[test]
fn callbacks_may_modify_the_registry() {
    let registry = loaded();
    let (sender, receiver) = mpsc::channel();
    let handle = registry.on_change({
        let registry = registry.clone();
        move |update| {
            sender.send(format!("begin {}", summary(update))).unwrap();
            if registry.get("y").is_none() {
                register(&registry, "y");
                registry.refresh().now_or_never().unwrap().unwrap();
            }
            sender.send("end".to_owned()).unwrap();
        }
    });
    register(&registry, "x");
    assert_eq!(
        received(&receiver),
        ["begin + x", "end", "begin + y", "end"]
    );
    drop(handle);
}

/// A callback that says when it begins, and ends when it may.
struct Blocking {
    began: Receiver<String>,
    may_end: Sender<()>,
    is_over: Arc<AtomicBool>,
}

impl Blocking {
    fn on(registry: &Registry<Workflow>) -> (Blocking, CallbackGuard) {
        let ((begins, began), (may_end, ends)) = (mpsc::channel(), mpsc::channel::<()>());
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let handle = registry.on_change(move |update| {
            begins.send(summary(update)).unwrap();
            let _ = ends.recv_timeout(HANG);
            over.store(true, Ordering::SeqCst);
        });
        (
            Blocking {
                began,
                may_end,
                is_over,
            },
            handle,
        )
    }

    fn begun(&self) -> String {
        self.began.recv_timeout(HANG).unwrap()
    }
}

#[test]
fn slow_callbacks_get_folded_changes() {
    let registry = loaded();
    let (slow, handle) = Blocking::on(&registry);
    thread::scope(|scope| {
        scope.spawn(|| register(&registry, "x"));
        assert_eq!(slow.begun(), "+ x");
        for name in ["y", "z"] {
            register(&registry, name);
        }
        registry.unregister("x");
        slow.may_end.send(()).unwrap();
        assert_eq!(slow.begun(), "- x\n+ y\n+ z");
        slow.may_end.send(()).unwrap();
    });
    drop(handle);
}

#[test]
fn unsubscribing_waits_for_a_call_in_another_thread() {
    let registry = loaded();
    let (slow, handle) = Blocking::on(&registry);
    thread::scope(|scope| {
        scope.spawn(|| register(&registry, "x"));
        slow.begun();
        let may_end = slow.may_end.clone();
        scope.spawn(move || may_end.send(()).unwrap());
        drop(handle);
        assert!(slow.is_over.load(Ordering::SeqCst), "the call is over");
        assert_eq!(
            Arc::strong_count(&slow.is_over),
            1,
            "nothing of the callback is left"
        );
    });
    register(&registry, "y");
    assert!(slow.began.try_recv().is_err());
}

#[test]
fn a_callback_may_end_itself() {
    let registry = loaded();
    let own: Arc<Mutex<Option<CallbackGuard>>> = Arc::default();
    let (sender, receiver) = mpsc::channel();
    let handle = registry.on_change({
        let own = Arc::clone(&own);
        move |update| {
            if let Some(handle) = own.lock().unwrap().take() {
                drop(handle);
            }
            sender.send(summary(update)).unwrap();
        }
    });
    *own.lock().unwrap() = Some(handle);
    register(&registry, "x");
    register(&registry, "y");
    assert_eq!(received(&receiver), ["+ x"]);
}

#[test]
fn closing_waits_for_running_callbacks() {
    let registry = loaded();
    let (slow, handle) = Blocking::on(&registry);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    thread::scope(|scope| {
        scope.spawn(|| register(&registry, "x"));
        slow.begun();
        let may_end = slow.may_end.clone();
        scope.spawn(move || may_end.send(()).unwrap());
        runtime.block_on(registry.close());
        assert!(slow.is_over.load(Ordering::SeqCst), "the call is over");
    });
    let (late, _late_handle) = Blocking::on(&registry);
    assert!(
        registry
            .register(Workflow {
                id: id("y"),
                steps: 1
            })
            .is_err()
    );
    assert!(slow.began.try_recv().is_err() && late.began.try_recv().is_err());
    drop(handle);
}

#[test]
fn a_callback_may_close_the_registry() {
    let registry = loaded();
    let (sender, receiver) = mpsc::channel();
    registry
        .on_change({
            let registry = registry.clone();
            move |update| {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .build()
                    .unwrap();
                runtime.block_on(registry.close());
                sender.send(summary(update)).unwrap();
            }
        })
        .detach();
    register(&registry, "x");
    assert!(
        registry
            .register(Workflow {
                id: id("y"),
                steps: 1
            })
            .is_err()
    );
    assert_eq!(received(&receiver), ["+ x"]);
}

#[tokio::test]
async fn started_callbacks_run_on_the_runtime() {
    let home = Arc::new(Script::new("home", []));
    let registry = Registry::builder()
        .user(Arc::clone(&home))
        .start(&Handle::current())
        .await
        .unwrap();
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let here = thread::current().id();
    registry
        .on_change(move |update| {
            sender
                .send((summary(update), thread::current().id() == here))
                .unwrap();
            panic!("a callback's own fault");
        })
        .detach();
    for (rows, expected) in [(vec![row("a", 1)], "+ a"), (vec![], "- a")] {
        home.set(rows);
        let next = tokio::time::timeout(HANG, receiver.recv())
            .await
            .expect("the callback is called")
            .unwrap();
        assert_eq!(next, (expected.to_owned(), false));
    }
    registry.close().await;
    assert!(
        registry
            .register(Workflow {
                id: id("b"),
                steps: 1
            })
            .is_err()
    );
    assert!(receiver.recv().await.is_none(), "the callback is gone");
}

#[tokio::test]
async fn slow_started_callbacks_block_only_their_end() {
    let registry = Registry::<Workflow>::builder()
        .start(&Handle::current())
        .await
        .unwrap();
    let (slow, handle) = Blocking::on(&registry);
    let slow = Arc::new(Mutex::new(slow));
    register(&registry, "x");
    let begun = {
        let slow = Arc::clone(&slow);
        tokio::task::spawn_blocking(move || slow.lock().unwrap().begun())
    };
    assert_eq!(begun.await.unwrap(), "+ x");
    register(&registry, "y");
    slow.lock().unwrap().may_end.send(()).unwrap();
    slow.lock().unwrap().may_end.send(()).unwrap();
    registry.close().await;
    assert!(slow.lock().unwrap().is_over.load(Ordering::SeqCst));
    drop(handle);
}

#[tokio::test]
async fn started_callbacks_may_close_the_registry() {
    let registry = Registry::<Workflow>::builder()
        .start(&Handle::current())
        .await
        .unwrap();
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let (runtime, held) = (Handle::current(), registry.clone());
    registry
        .on_change(move |update| {
            runtime.block_on(held.close());
            sender.send(summary(update)).unwrap();
        })
        .detach();
    register(&registry, "x");
    let first = tokio::time::timeout(HANG, receiver.recv())
        .await
        .expect("it does not wait for itself");
    assert_eq!(first.as_deref(), Some("+ x"));
    assert!(
        tokio::time::timeout(HANG, receiver.recv())
            .await
            .expect("the callback is dropped")
            .is_none()
    );
}
